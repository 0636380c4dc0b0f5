//! The documents of `git:` entries: one for each changed file that the rules for files allow.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Answer, Asking, TextJob, nothing};
use crate::entry::lists::Lists;
use crate::entry::{Allowance, Scope, ScopedEntry};
use crate::fs::directory::bytes_of;
use crate::report::{Reason, ReasonCode};
use crate::select::built_in;
use crate::select::filter::Filter;
use crate::select::ignore_rules::{Ruling, verdict};
use crate::select::{self, EntryFate, EntryId, EntryKind, Label};
use crate::source::git::{Git, GitError, GitQuery};
use crate::words::quoted;
use crate::world::World;

impl Asking<'_> {
    /// Git's output, as one document for each changed file.
    pub(super) fn git(&self, job: &TextJob<'_>, query: &GitQuery) -> Answer {
        let open = || Git::open(self.means.tree, self.world, self.means.launcher, self.means.git_deadline);
        let git = match self.git.get_or_init(open) {
            Ok(git) => git,
            Err(error) => return nothing(job, Reason::new(code_of(error), error)),
        };
        let entry = &job.scoped.entry;
        let directory = self.directory(job.scoped);
        // A project's entries are confined to its own directory.
        let is_confined = job.scoped.scope == Scope::Project && directory != self.means.tree;
        let query = match is_confined.then(|| query.confined()).transpose() {
            Ok(confined) => confined.unwrap_or_else(|| query.clone()),
            Err(error) => return nothing(job, Reason::new(ReasonCode::Invalid, error)),
        };
        let found = match git.find(&query, directory, self.world) {
            Ok(found) => found,
            Err(error) => return nothing(job, Reason::new(code_of(&error), error)),
        };
        let mut answer = Answer { filters: found.filters, cut_lines: found.cut_lines, ..Answer::default() };
        if found.documents.is_empty() && found.refused.is_empty() && job.scoped.scope == Scope::Session {
            answer.warnings.push(format!("no changes: {}", quoted(&entry.path)));
        }
        for (path, reason) in found.refused {
            let label = [entry.path.as_bytes(), b" ", &bytes_of(&path)].concat();
            answer.provided.push(job.without_text(label, reason));
        }
        let exclusions = exclusions_of(job.id, self.entries, self.world, self.at_root);
        for document in found.documents {
            let label = document.label(&entry.path);
            let names = [document.path.as_deref(), document.old_path.as_deref()];
            let paths: Vec<PathBuf> =
                names.into_iter().flatten().map(|path| self.means.tree.join(path)).collect();
            if is_confined && paths.first().is_some_and(|path| !path.starts_with(directory)) {
                continue;
            }
            let matches = |filter: &Filter| paths.iter().any(|path| filter.matches(path, self.means.tree));
            let excluding = exclusions.iter().filter(|(_, filter)| matches(filter));
            let excluded_by: Vec<EntryId> = excluding.map(|(id, _)| *id).collect();
            let is_excluded = !excluded_by.is_empty();
            answer.excluded_by.extend(excluded_by);
            if is_excluded || paths.first().is_some_and(|path| !self.filters.pass_path(path)) {
                for id in &job.equal {
                    *answer.left_out.entry(*id).or_default() += 1;
                }
                continue;
            }
            let has_rules = self.selection.ignore_rules && !entry.attributes.allow.has(Allowance::Ignored);
            let name = document.path.as_ref().map(|path| bytes_of(path));
            let is_left_out = name.is_some_and(|name| built_in::decide(&name, false).is_some());
            // A rule in some ignore file re-includes it.
            let is_kept =
                || paths.first().is_some_and(|path| matches!(verdict(path, self.world), Ruling::Kept(_)));
            if has_rules && is_left_out && !is_kept() {
                answer.left_out_built_in.insert(Label::new(&label).to_string());
                continue;
            }
            let allows = select::allows_secret_names(job.scoped, EntryKind::Text, self.selection);
            let secret = paths.iter().find_map(|path| (self.selection.secret)(path)).filter(|_| !allows);
            answer.provided.push(match secret {
                Some(kind) => job.without_text(label, Reason::secret_name(kind)),
                None => job.text(label, document.text.into()),
            });
        }
        answer
    }
}

fn code_of(error: &GitError) -> ReasonCode {
    match error {
        GitError::Repository(_) => ReasonCode::NoRepository,
        GitError::Unsafe(unsafe_file) => unsafe_file.code(),
        GitError::Start(_) | GitError::TooOld => ReasonCode::NotFound,
        GitError::UnknownRevision { .. } => ReasonCode::UnknownRevision,
        GitError::TimedOut => ReasonCode::TimedOut,
        GitError::TooLarge => ReasonCode::TooLarge,
        GitError::TooMuchChanged | GitError::Failed { .. } | GitError::Io(_) => ReasonCode::Failed,
    }
}

/// The exclusions that apply to the changed files of an entry, each by its own entry.
fn exclusions_of(
    id: EntryId,
    entries: &[ScopedEntry],
    world: &World,
    at_root: &World,
) -> BTreeMap<EntryId, Filter> {
    let list = Lists::of(&entries[id.0]);
    let exclusion = |(place, other): (usize, &ScopedEntry)| {
        let pattern = other.entry.path.strip_prefix('!')?;
        let is_used = EntryFate::of_unused(other, &[]).is_none() && other.forbidden().is_none();
        if !is_used || !Lists::bound_by(other).meets(list) {
            return None;
        }
        // The exclusion begins where its list does, as for files; a filter without a slash would match anywhere.
        let is_anchored = pattern.starts_with(['/', '~']) || pattern.trim_end_matches('/').contains('/');
        let pattern = if is_anchored { pattern.to_owned() } else { format!("./{pattern}") };
        Some((EntryId(place), Filter::new(&[pattern], other.base(world, at_root)).ok()?))
    };
    entries.iter().enumerate().filter_map(exclusion).collect()
}
