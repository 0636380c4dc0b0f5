//! What is asked of a restore, and what it answers.

use std::fmt;
use std::path::PathBuf;

use super::plan::RestoreExtent;
use super::skipped::SkippedPath;
use crate::words::counted;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restoration<'a> {
    /// The checkpoint.
    pub number: u64,
    /// Only these paths and what is below them; everything where there are none.
    pub paths: &'a [PathBuf],
    /// How much it may change.
    pub extent: RestoreExtent,
    /// Whether it is done though it deletes a lot or the directory is another one.
    pub force: bool,
}

/// What a restore would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Paths that would be written, escaped where they are not plain text.
    pub written: Vec<String>,
    /// Paths that would be deleted.
    pub deleted: Vec<String>,
    /// What would stay as it is.
    pub skipped: Vec<SkippedPath>,
}

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The checkpoint that was restored.
    pub number: u64,
    /// The checkpoint of the state before; none if there was nothing to do.
    pub before: Option<u64>,
    /// How many files were written.
    pub written: usize,
    /// How many files were deleted.
    pub deleted: usize,
    /// What stays as it is.
    pub skipped: Vec<SkippedPath>,
    /// Files that the checkpoint lacks and that stay, since the restored rules ignore them.
    pub ignored: Vec<String>,
    /// The name beside of what was in the way of an ignore file.
    pub moved_aside: Option<String>,
    /// What the way back needs.
    pub back: WayBack,
}

impl Restored {
    /// Nothing was done.
    pub(super) fn nothing(number: u64) -> Self {
        let back = WayBack { hard: false, force: false };
        let (before, moved_aside) = (None, None);
        let (written, deleted, skipped, ignored) = Default::default();
        Self { number, before, written, deleted, skipped, ignored, moved_aside, back }
    }
}

/// What the command needs that brings back the state before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WayBack {
    /// It has to delete files.
    pub hard: bool,
    /// It has to be forced.
    pub force: bool,
}

/// A restore that was interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The checkpoint that it restores.
    pub number: u64,
    /// The checkpoint of the state before it.
    pub before: u64,
    /// How many paths it is about.
    pub paths: usize,
    /// How many of them are not yet as they are to be.
    pub remaining: usize,
    /// Whether it was being put back.
    pub back: bool,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doing = if self.back { "putting back" } else { "a restore of" };
        write!(
            f,
            "{doing} checkpoint {} was interrupted: {} of {} left",
            self.number,
            self.remaining,
            counted(self.paths, "path")
        )
    }
}

/// What to do about a restore that was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumption {
    /// Do the rest.
    Continue,
    /// Put back what was done.
    Abort,
}
