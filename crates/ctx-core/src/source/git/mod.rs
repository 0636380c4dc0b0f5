//! `git:` entries: changes, as one document per file.
//!
//! A repository's configuration is text by others, and the programs in the user's own may read it. So `git` is run
//! such that neither of them can start anything, nothing is fetched, and the same changes have the same bytes on
//! every machine.

mod commits;
mod drivers;
mod patch;
mod program;
mod query;
mod untracked;

#[cfg(all(test, unix))]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub use commits::{EarlierCommits, NoCommits};
pub use program::{Git, GitError, deadline};
pub use query::{GitQuery, QueryError, RevisionRange, What};

use crate::fs::directory::{bytes_of, path_of};

/// The result of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundChanges {
    /// The documents in git's order: first the message or the log, if requested, then the files.
    pub documents: Vec<GitText>,
    /// The filter drivers of files in the work tree, which were not run.
    pub filters: BTreeSet<String>,
    /// Names of changed files that lead out of the tree or into a `.git`; they have no documents.
    pub refused: Vec<PathBuf>,
}

/// A text from git.
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

    /// The label of the document of an entry: `git:staged src/a.rs`.
    #[must_use]
    pub fn label(&self, entry: &str) -> Vec<u8> {
        match &self.path {
            Some(path) => [entry.as_bytes(), b" ", &bytes_of(path)].concat(),
            None => entry.as_bytes().to_vec(),
        }
    }
}

impl Git<'_> {
    /// The result of a query; its paths are relative to the directory.
    ///
    /// # Errors
    /// If a revision is unknown, the deadline is over or git fails.
    pub fn find(&self, query: &GitQuery, directory: &Path) -> Result<FoundChanges, GitError> {
        let git = self.at(directory);
        let mut found = FoundChanges::default();
        let mut changes = Vec::new();
        match &query.what {
            What::Diff(range) => changes = git.diff(range.as_ref(), &query.paths)?,
            What::Staged => changes = git.staged(&query.paths)?,
            What::Changes => {
                changes = git.since_head(&query.paths)?;
                let untracked = git.untracked(&query.paths)?;
                changes.extend(untracked::additions(&git.repository.root, &untracked));
            }
            What::Show(revision) => {
                let commit = git.resolve(revision)?;
                changes = git.commit(&commit, &query.paths)?;
                // A commit that changed none of the paths was not asked for.
                if query.paths.is_empty() || !changes.is_empty() {
                    found.documents.push(GitText::message(git.message(&commit)?));
                }
            }
            What::Log { most, range } => {
                let text = git.log(*most, range.as_ref(), &query.paths)?;
                if !text.is_empty() {
                    found.documents.push(GitText::message(text));
                }
            }
        }
        if query.what.reads_files() {
            let names: Vec<&[u8]> = changes.iter().map(|change| change.path.as_slice()).collect();
            found.filters = git.filters_of(&names)?;
        }
        sort_out(changes, &mut found);
        Ok(found)
    }
}

/// One document for each file: a change of type consists of two patches, and so does a conflict.
fn sort_out(changes: Vec<patch::FileDiff>, found: &mut FoundChanges) {
    let mut places: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for change in changes {
        let old_path = change.old_path.as_deref().map(patch::path_in_tree);
        let (Some(path), false) = (patch::path_in_tree(&change.path), old_path == Some(None)) else {
            found.refused.push(path_of(&change.path));
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
