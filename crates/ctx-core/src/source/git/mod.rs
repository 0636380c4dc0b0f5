//! `git:` entries: changes, as one document per file.
//!
//! A repository's configuration is written by others, and programs in the user's own configuration may read
//! it. So `git` is run in such a way that neither configuration can start anything, nothing is fetched, and
//! the same changes produce the same bytes on every machine.

mod commits;
mod copy;
mod drivers;
mod error;
mod index;
mod patch;
mod program;
mod query;
mod untracked;

#[cfg(all(test, unix))]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub use commits::{CommitsRecord, EarlierCommits, NoCommits};
pub use error::GitError;
pub use program::{Git, deadline};
pub use query::{GitQuery, QueryError, RevisionRange, What};

use copy::WorkTreeCopy;
use patch::FileDiff;
use untracked::Untracked;

use crate::fs::directory::{bytes_of, path_of};
use crate::git::rule_file::CutLine;
use crate::report::{Reason, ReasonCode};
use crate::world::World;

/// The result of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundChanges {
    /// The documents in git's order: first the message or the log, if requested, then the files.
    pub documents: Vec<GitText>,
    /// The filter drivers of files in the work tree, which were not run.
    pub filters: BTreeSet<String>,
    /// Files without a document, and why.
    pub refused: Vec<(PathBuf, Reason)>,
    /// The lines of ignore files of which ctx applies only the beginning.
    pub cut_lines: BTreeSet<CutLine>,
}

/// Text from git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitText {
    /// The changed file, relative to the top of the tree; `None` for a message or a log.
    pub path: Option<PathBuf>,
    /// The file's name before it was renamed or copied.
    pub old_path: Option<PathBuf>,
    /// The text, as git wrote it.
    pub text: Vec<u8>,
}

impl GitText {
    fn message(text: Vec<u8>) -> Self {
        Self { path: None, old_path: None, text }
    }

    /// The label of the document in the block: `git:staged src/a.rs`. `entry` is the text of its entry.
    #[must_use]
    pub fn label(&self, entry: &str) -> Vec<u8> {
        match &self.path {
            Some(path) => [entry.as_bytes(), b" ", &bytes_of(path)].concat(),
            None => entry.as_bytes().to_vec(),
        }
    }
}

impl Git<'_> {
    /// Runs a query, whose paths are relative to `directory`.
    ///
    /// # Errors
    /// If a revision is unknown, the deadline has passed or git fails.
    pub fn find(&self, query: &GitQuery, directory: &Path, world: &World) -> Result<FoundChanges, GitError> {
        let mut copy = self.copy()?;
        let paths: Vec<String> = query.paths.iter().map(|path| copy.path(path)).collect();
        let git = self.on(&copy, directory)?;
        git.find_on(&mut copy, &query.what, &paths, world).map_err(|error| copy.named(error))
    }

    fn find_on(
        mut self,
        copy: &mut WorkTreeCopy<'_>,
        what: &What,
        paths: &[String],
        world: &World,
    ) -> Result<FoundChanges, GitError> {
        if what.reads_files() {
            self.take_changed(copy, paths)?;
        }
        let mut found = FoundChanges::default();
        let mut changes = Vec::new();
        match what {
            What::Diff(range) => changes = self.diff(copy, range.as_ref(), paths)?,
            What::Staged => changes = self.staged(copy, paths)?,
            What::Changes => {
                changes = self.since_head(copy, paths)?;
                changes.extend(self.untracked(copy, paths, world, &mut found)?);
            }
            What::Show(revision) => {
                let commit = self.resolve(revision)?;
                changes = self.commit(copy, &commit, paths)?;
                // A commit that changed none of the paths was not asked for.
                if paths.is_empty() || !changes.is_empty() {
                    found.documents.push(GitText::message(self.message(&commit)?));
                }
            }
            What::Log { most, range } => {
                let text = self.log(*most, range.as_ref(), paths)?;
                if !text.is_empty() {
                    found.documents.push(GitText::message(text));
                }
            }
        }
        if what.reads_files() {
            let names: Vec<&[u8]> = changes.iter().map(|change| change.path.as_slice()).collect();
            found.filters = self.filters_of(copy, &names)?;
        }
        sort_out(changes, &mut found);
        Ok(found)
    }

    /// The files that git neither tracks nor ignores, in git's notation.
    fn untracked(
        &self,
        copy: &WorkTreeCopy<'_>,
        paths: &[String],
        world: &World,
        found: &mut FoundChanges,
    ) -> Result<Vec<FileDiff>, GitError> {
        let tracked = self.tracked()?;
        let Untracked { mut names, unsafe_files, rules, .. } =
            Untracked::find(copy.tree(), &tracked, world, self.deadline)?;
        found.cut_lines = rules.cut_lines().iter().map(|cut| cut.seen_from(copy.tree().path())).collect();
        names.extend(unsafe_files.keys().cloned());
        if let Some(place) = copy.place_in_tree() {
            names.retain(|name| !path_of(name).starts_with(&place));
        }
        names.sort_unstable();
        let mut names = self.matching(copy, names, paths)?;
        let is_unsafe = |name: &mut Vec<u8>| unsafe_files.contains_key(name);
        found.refused.extend(names.extract_if(.., is_unsafe).map(|name| {
            let file = &unsafe_files[&name];
            (path_of(&name), Reason::new(file.code(), file))
        }));
        Ok(untracked::additions(copy.tree(), names))
    }
}

/// Makes one document for each file, since a change of file type consists of two patches, and so does a
/// conflict.
fn sort_out(changes: Vec<FileDiff>, found: &mut FoundChanges) {
    let mut places: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for change in changes {
        let old_path = change.old_path.as_deref().map(patch::path_in_tree);
        let (Some(path), false) = (patch::path_in_tree(&change.path), old_path == Some(None)) else {
            let reason = Reason::new(ReasonCode::Outside, "the name leads out of the tree");
            found.refused.push((path_of(&change.path), reason));
            continue;
        };
        if let Some(place) = places.get(&path) {
            found.documents[*place].text.extend(change.text);
        } else {
            places.insert(path.clone(), found.documents.len());
            found.documents.push(GitText {
                path: Some(path),
                old_path: old_path.flatten(),
                text: change.text,
            });
        }
    }
}
