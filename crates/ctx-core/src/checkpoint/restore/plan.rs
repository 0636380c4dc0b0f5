//! Plans what a restore would do, path by path, before anything is done.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::handles::{NoDirectory, Root};
use super::journal::{RestorePlan, RestoreStep};
use super::request::{SkippedPath, Unrestored};
use super::rules::RulesAfter;
use crate::checkpoint::CheckpointError;
use crate::checkpoint::entry::{Manifest, TreeEntry, TreePath, is_git_name, is_in_scope};
use crate::checkpoint::record::{Checkpoint, Unsaved, UnsavedReason};
use crate::checkpoint::walk::{is_directory, shown};
use crate::fs::names::join;
use crate::words::cause;

/// The inputs of a plan.
pub struct PlanInputs<'a> {
    pub root: &'a Root,
    /// What to restore.
    pub target: &'a Manifest,
    /// The current files, all of them saved.
    pub current: &'a Manifest,
    pub rules: &'a RulesAfter<'a>,
    /// The checkpoint, which records what it could not save: files, and whole directories.
    pub checkpoint: &'a Checkpoint,
    /// The tracked files. If they were unknown, ignored files were not saved.
    pub tracked: &'a BTreeSet<Vec<u8>>,
    /// The git directories in the tree.
    pub git_directories: &'a [&'a [u8]],
    /// Only these paths and everything below them; all paths if there are none.
    pub scope: &'a [TreePath],
    /// Whether files that are not in the checkpoint are deleted.
    pub is_hard: bool,
}

impl PlanInputs<'_> {
    /// Makes the plan. Nothing is changed.
    ///
    /// # Errors
    /// If a directory of the tree cannot be examined.
    pub fn plan(&self) -> Result<RestorePlan, CheckpointError> {
        let mut plan = RestorePlan::default();
        let (kept, mut deleted) = self.surplus();
        let skipped = |path| SkippedPath { path, reason: Unrestored::UnsavedThen };
        plan.skipped.extend(kept.into_keys().map(skipped));
        let stays = |path: &&TreePath| self.is_lacking(path) && self.rules.ignores(path);
        plan.ignored = self.current.keys().filter(stays).cloned().collect();
        let is_newer =
            |path: &&TreePath| !self.is_hard && !self.target.contains_key(path) && self.is_in_scope(path);
        plan.newer = self.current.keys().filter(is_newer).cloned().collect();
        let mut written = Vec::new();
        for (path, entry) in self.target.iter().filter(|(path, _)| self.is_in_scope(path)) {
            if self.current.get(path) == Some(entry) {
                continue;
            }
            let is_gits = self.git_directories.iter().any(|directory| path.is_at_or_below(directory));
            let planned = match self.current.get(path) {
                _ if is_gits => Err(Unrestored::InGitDirectory),
                Some(_) if self.rules.ignores(path) => Err(Unrestored::Ignored),
                Some(before) => Ok(Some(RestoreStep::new(path, Some(*before), Some(*entry), path.parent()))),
                None => self.creation(path, *entry, &mut deleted),
            };
            match planned {
                Ok(change) => written.extend(change),
                Err(reason) => plan.skipped.push(SkippedPath { path: path.clone(), reason }),
            }
        }
        plan.made = self.missing_directories(&written);
        let deletions = deleted.iter().rev();
        let deletions =
            deletions.map(|(path, entry)| RestoreStep::new(path, Some(*entry), None, path.parent()));
        plan.changes = deletions.chain(written).collect();
        Ok(plan)
    }

    fn is_in_scope(&self, path: &TreePath) -> bool {
        is_in_scope(self.scope, path)
    }

    /// Whether an existing file should be deleted, unless a rule ignores it.
    fn is_lacking(&self, path: &TreePath) -> bool {
        self.is_hard && !self.target.contains_key(path) && self.is_in_scope(path)
    }

    /// The existing files that are not in the checkpoint: those that stay because the checkpoint could not save
    /// what was there, and those to delete.
    fn surplus(&self) -> (BTreeMap<TreePath, TreeEntry>, BTreeMap<TreePath, TreeEntry>) {
        let is_surplus = |path: &&TreePath| self.is_lacking(path) && !self.rules.ignores(path);
        let surplus = self.current.iter().filter(|(path, _)| is_surplus(path));
        let unsaved = self.checkpoint.unsaved.iter();
        let unsaved = unsaved.filter(|unsaved| unsaved.reason != UnsavedReason::Special);
        let unsaved: HashSet<&str> = unsaved.map(|unsaved| unsaved.path.as_str()).collect();
        let may_have_been_there = |path: &TreePath| {
            let mut above = std::iter::once(path.bytes()).chain(path.ancestors());
            !unsaved.is_empty() && above.any(|path| unsaved.contains(shown(path).as_str()))
                || self.checkpoint.untold.is_some() && self.tracked.contains(path.bytes())
        };
        surplus.map(|(path, entry)| (path.clone(), *entry)).partition(|(path, _)| may_have_been_there(path))
    }

    /// The change that creates a file where none was saved, if nothing that has to stay is in its way; `None` if
    /// the path is already right.
    fn creation(
        &self,
        path: &TreePath,
        entry: TreeEntry,
        deleted: &mut BTreeMap<TreePath, TreeEntry>,
    ) -> Result<Option<RestoreStep>, Unrestored> {
        match self.root.stat(path) {
            Ok(None) => {}
            Ok(Some(stat)) if is_directory(&stat) => {
                if !self.is_hard || !self.is_clear(path.bytes(), deleted) {
                    return Err(Unrestored::DirectoryInTheWay);
                }
            }
            Ok(Some(_)) => {
                if let Some(other) = self.other_spelling(path)? {
                    // It is the same file as the new one.
                    deleted.remove(&other);
                    return Err(Unrestored::OtherSpelling(other));
                }
                return if self.root.has(path, entry) { Ok(None) } else { Err(Unrestored::Unsaved) };
            }
            Err(NoDirectory::NotDirectory(in_the_way)) => {
                let in_the_way = TreePath::new(&in_the_way).ok_or(Unrestored::Unsaved)?;
                let Some(saved) = self.current.get(&in_the_way) else { return Err(Unrestored::Unsaved) };
                if !self.is_hard {
                    return Err(Unrestored::FileInTheWay(in_the_way));
                }
                if self.rules.ignores(&in_the_way) {
                    return Err(Unrestored::Ignored);
                }
                deleted.insert(in_the_way, *saved);
            }
            Err(NoDirectory::Missing) => {}
            Err(NoDirectory::Failed(error)) => return Err(Unrestored::Failed(cause(&error))),
        }
        Ok(Some(RestoreStep::new(path, None, Some(entry), self.root.nearest(path))))
    }

    /// The name of the existing file, if it is spelled differently.
    fn other_spelling(&self, path: &TreePath) -> Result<Option<TreePath>, Unrestored> {
        match self.root.spelling(path) {
            Ok(spelled) => Ok(TreePath::new(&spelled).filter(|spelled| spelled != path)),
            Err(error) => Err(Unrestored::Failed(cause(&error.into_io()))),
        }
    }

    /// Whether nothing in a directory stays: each file is to be deleted, and nothing belongs to git.
    fn is_clear(&self, directory: &[u8], deleted: &BTreeMap<TreePath, TreeEntry>) -> bool {
        let Ok(opened) = self.root.directory(directory) else { return false };
        let Ok(names) = opened.names() else { return false };
        names.iter().all(|name| {
            let path = join(directory, name);
            match opened.stat(name).ok().flatten() {
                _ if is_git_name(name) => false,
                Some(stat) if is_directory(&stat) => self.is_clear(&path, deleted),
                Some(_) => TreePath::new(&path).is_some_and(|path| deleted.contains_key(&path)),
                None => false,
            }
        })
    }

    /// The missing directories that new files need.
    fn missing_directories(&self, written: &[RestoreStep]) -> Vec<TreePath> {
        let created = written.iter().filter(|change| change.before.is_none());
        let missing: BTreeSet<TreePath> = created
            .flat_map(|change| {
                let beside = change.beside().len();
                let above = change.path.ancestors().take_while(move |directory| directory.len() > beside);
                above.filter_map(TreePath::new).collect::<Vec<_>>()
            })
            .collect();
        missing.into_iter().collect()
    }
}

/// The files that would be deleted if they had been saved. Files that the checkpoint itself could not save
/// are not among them, since they existed then.
pub fn undeletable<'a>(
    target: &'a Checkpoint,
    left_out: &'a [Unsaved<Vec<u8>>],
    manifest: &'a Manifest,
    scope: &'a [TreePath],
) -> impl Iterator<Item = SkippedPath> + 'a {
    let is_known = |path: &str| {
        target.unsaved_count > target.unsaved.len()
            || target.unsaved.iter().any(|unsaved| unsaved.path == path)
    };
    left_out
        .iter()
        .filter(move |left_out| !is_known(&shown(&left_out.path)))
        .filter_map(|left_out| TreePath::new(&left_out.path))
        .filter(move |path| is_in_scope(scope, path) && !manifest.contains_key(path))
        .map(|path| SkippedPath { path, reason: Unrestored::Unsaved })
}
