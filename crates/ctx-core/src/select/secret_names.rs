//! Files that are left out because their names suggest secrets.

use std::collections::HashSet;
use std::path::PathBuf;

use super::merge::PlacedFile;
use super::options::Options;
use super::report::{EntryKind, Problem};
use super::selection::Selection;
use super::withheld::Withheld;
use crate::entry::{Author, ScopedEntry, SecretAllowance};

impl Selection<'_> {
    /// Leaves out what has a name that suggests secrets and no entry takes all the same.
    pub(super) fn withhold(&mut self, candidates: &mut Vec<PlacedFile>) {
        candidates.retain(|candidate| {
            let taken = candidate.entries().iter().any(|rank| !self.secret_literals.contains_key(rank));
            for rank in candidate.entries().iter().filter(|_| !taken) {
                if let Some(secret) = self.secret_literals.get(rank) {
                    self.refuse(*rank, Problem::SecretName(secret));
                    self.leave_out_secret(*rank);
                }
            }
            taken
        });
        let withheld = Withheld::each_once(std::mem::take(&mut self.withheld));
        let allows = |one: &ScopedEntry| {
            let attributes = &one.entry.attributes;
            attributes.force || attributes.secrets != SecretAllowance::Nothing || self.options.secret_names
        };
        let may_be_taken = !withheld.is_empty() && self.entries.iter().any(allows);
        let taken: HashSet<PathBuf> =
            candidates.iter().filter(|_| may_be_taken).map(PlacedFile::canonical).collect();
        for Withheld { path, ranks, skipped } in withheld {
            let path = if may_be_taken { path.canonicalize().unwrap_or(path) } else { path };
            if taken.contains(&path) {
                ranks.into_iter().for_each(|rank| self.report(rank).matches += 1);
            } else {
                ranks.into_iter().for_each(|rank| self.leave_out_secret(rank));
                self.skipped.push(skipped);
            }
        }
    }

    fn leave_out_secret(&mut self, rank: usize) {
        self.report(rank).left_out_secrets += 1;
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
    let attributes = &scoped.entry.attributes;
    let is_literal = kind == EntryKind::Literal;
    let is_typed = scoped.author == Author::CommandLine;
    attributes.secrets != SecretAllowance::Nothing
        || (is_literal && attributes.force)
        || (is_literal && is_typed && options.secret_names)
}
