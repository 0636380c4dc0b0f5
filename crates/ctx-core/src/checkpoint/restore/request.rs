//! The request for a restore, and its result.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::checkpoint::entry::TreePath;
use crate::words::{all_of, cause, counted};

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restoration<'a> {
    /// The checkpoint.
    pub number: u64,
    /// Only these paths and everything below them; all paths if there are none.
    pub paths: &'a [PathBuf],
    /// Whether to delete files that are not in the checkpoint; otherwise newer files stay.
    pub hard: bool,
    /// Whether to restore even if a lot is deleted or the directory is a different one.
    pub force: bool,
}

/// What a restore would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Paths that would be written, escaped if they are not plain text.
    pub written: Vec<String>,
    /// Paths that would be deleted.
    pub deleted: Vec<String>,
    /// Paths that would be left alone.
    pub skipped: Vec<SkippedPath>,
}

/// What a restore did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restored {
    /// The restored checkpoint.
    pub number: u64,
    /// The checkpoint of the previous state; `None` if there was nothing to do.
    pub before: Option<u64>,
    /// How many files were written.
    pub written: usize,
    /// How many files were deleted.
    pub deleted: usize,
    /// Paths that were left alone.
    pub skipped: Vec<SkippedPath>,
    /// Files that are not in the checkpoint but stay, because the restored rules ignore them.
    pub ignored: Vec<String>,
    /// Files that are not in the checkpoint and stay, because newer files are not to be deleted.
    pub newer: Vec<String>,
    /// The new name of whatever was in the way of an ignore file.
    pub moved_aside: Option<String>,
    /// How to return to the previous state; `None` if that was not examined.
    pub back: Option<Restoration<'static>>,
}

/// An interrupted restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The checkpoint that it restores.
    pub number: u64,
    /// The checkpoint of the previous state.
    pub before: u64,
    /// How many paths it changes.
    pub paths: usize,
    /// How many paths are not done yet.
    pub remaining: usize,
    /// Whether it was being undone.
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

/// A path that a restore left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedPath {
    /// The path.
    pub path: TreePath,
    /// Why.
    pub reason: Unrestored,
}

/// What happened to a path that was not restored, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unrestored {
    /// The current contents could not be saved, so they would be lost.
    Unsaved,
    /// It is not in the checkpoint, but the checkpoint could not save everything.
    UnsavedThen,
    /// Git ignores it, or will.
    Ignored,
    /// It is in a directory that is a git directory now.
    InGitDirectory,
    /// There is a directory with its name.
    DirectoryInTheWay,
    /// There is a file in place of a directory above it.
    FileInTheWay(TreePath),
    /// The file system treats the name as that of this file.
    OtherSpelling(TreePath),
    /// It was changed while the restore was running.
    Changed,
    /// It was changed twice while the restore was running; the files with these names next to it are in no
    /// checkpoint.
    KeptBeside(Vec<String>),
    /// The system refused.
    Failed(String),
}

impl Unrestored {
    /// Why a failed call did not change a path.
    pub(super) fn of(error: &io::Error) -> Self {
        match error.kind() {
            // It has just been created or deleted.
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound => Self::Changed,
            _ => Self::Failed(cause(error)),
        }
    }
}

impl fmt::Display for SkippedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' {}", self.path, self.reason)
    }
}

impl fmt::Display for Unrestored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::KeptBeside(names) = self {
            let versions = if names.len() == 1 { "a version is" } else { "versions are" };
            let names = names.iter().map(|name| format!("'{name}'"));
            return write!(f, "was changed in the meantime: {versions} kept next to it as {}", all_of(names));
        }
        f.write_str("stays as it is: ")?;
        match self {
            Self::Unsaved => f.write_str("the current contents are in no checkpoint"),
            Self::UnsavedThen => f.write_str("the checkpoint could not save it"),
            Self::Ignored => f.write_str("git ignores it"),
            Self::InGitDirectory => f.write_str("it is in a git directory"),
            Self::DirectoryInTheWay => f.write_str("there is a directory in its place"),
            Self::FileInTheWay(path) => write!(f, "'{path}' is not a directory"),
            Self::OtherSpelling(path) => write!(f, "'{path}' is the same name here"),
            Self::Changed | Self::KeptBeside(_) => f.write_str("it was changed in the meantime"),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}
