//! What could not be saved: now, and when a checkpoint was made.

use std::collections::HashSet;

use super::skipped::{SkippedPath, Unrestored};
use crate::checkpoint::entry::{Manifest, TreePath, is_in_scope};
use crate::checkpoint::record::{Checkpoint, UnsavedReason};
use crate::checkpoint::tracked::Tracked;
use crate::checkpoint::walk::{UnsavedPath, shown};

/// What was there when a checkpoint was made, though the checkpoint lacks it.
pub struct UnsavedThen<'a> {
    /// Files, and whole directories.
    paths: HashSet<&'a str>,
    /// What git tracks, if that was not known then: what a rule ignores was not saved.
    tracked: Option<&'a Tracked>,
}

impl<'a> UnsavedThen<'a> {
    pub fn new(checkpoint: &'a Checkpoint, tracked: &'a Tracked) -> Self {
        let unsaved = checkpoint.unsaved.iter().filter(|unsaved| unsaved.reason != UnsavedReason::Special);
        Self {
            paths: unsaved.map(|unsaved| unsaved.path.as_str()).collect(),
            tracked: checkpoint.untold.is_some().then_some(tracked),
        }
    }

    /// Whether a file that the checkpoint lacks may have been there.
    pub fn has(&self, path: &TreePath) -> bool {
        let mut above = std::iter::once(path.bytes()).chain(path.ancestors());
        !self.paths.is_empty() && above.any(|path| self.paths.contains(shown(path).as_str()))
            || self.tracked.is_some_and(|tracked| tracked.contains(path.bytes()))
    }
}

/// What would be deleted had it been saved. What the checkpoint itself could not save was there already.
pub fn undeletable<'a>(
    target: &'a Checkpoint,
    left_out: &'a [UnsavedPath],
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
