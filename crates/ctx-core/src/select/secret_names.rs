//! Files that are left out because their names suggest secrets.

use std::collections::HashSet;
use std::path::PathBuf;

use super::fate::EntryKind;
use super::merge::PlacedFile;
use super::options::Options;
use super::problem::Problem;
use super::selection::Selection;
use crate::entry::{Author, ScopedEntry};
use crate::fs::resolved;

impl Selection<'_> {
    /// Leaves out files whose names suggest secrets, unless an entry allows them.
    pub(super) fn leave_out_secret_names(&mut self, candidates: &mut Vec<PlacedFile>) {
        candidates.retain(|candidate| {
            let taken = candidate.entries().iter().any(|rank| !self.secret_literals.contains_key(rank));
            for rank in candidate.entries().iter().filter(|_| !taken) {
                if let Some(secret) = self.secret_literals.get(rank) {
                    self.refuse(*rank, Problem::SecretName(secret));
                    self.report(*rank).left_out_secrets += 1;
                }
            }
            taken
        });
        let secret_files = std::mem::take(&mut self.secret_files);
        let allows = |one: &ScopedEntry| one.entry.attributes.allow.has_secret_names();
        let may_be_taken =
            !secret_files.is_empty() && (self.options.secret_names || self.entries.iter().any(allows));
        let taken: HashSet<PathBuf> =
            candidates.iter().filter(|_| may_be_taken).map(PlacedFile::canonical).collect();
        for (path, missed) in secret_files {
            let path = if may_be_taken { resolved(path) } else { path };
            if taken.contains(&path) {
                missed.entries.iter().for_each(|id| self.count_match(*id));
            } else {
                missed.entries.iter().for_each(|id| self.reports[id.0].left_out_secrets += 1);
                self.skipped.push(missed);
            }
        }
    }

    /// Whether an entry may match names that suggest secrets.
    pub(super) fn allows_secrets(&self, rank: usize) -> bool {
        let kind = self.reports[self.order[rank]].kind;
        allows_secret_names(self.entry(rank), kind, self.options)
    }
}

/// Whether an entry of this kind may match names that suggest secrets.
#[must_use]
pub fn allows_secret_names(scoped: &ScopedEntry, kind: EntryKind, options: &Options) -> bool {
    let is_literal = kind == EntryKind::Literal;
    let is_typed = scoped.author == Author::CommandLine;
    scoped.entry.attributes.allow.has_secret_names() || (is_literal && is_typed && options.secret_names)
}
