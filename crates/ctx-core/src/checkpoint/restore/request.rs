//! What is asked of a restore, and what it answers.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::checkpoint::entry::TreePath;
use crate::words::{all_of, cause, counted};

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restoration<'a> {
    /// The checkpoint.
    pub number: u64,
    /// Only these paths and what is below them; everything where there are none.
    pub paths: &'a [PathBuf],
    /// Whether it also deletes what the checkpoint lacks; otherwise newer files stay.
    pub hard: bool,
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    /// What brings the state before back; nothing where that was not looked at.
    pub back: Option<Restoration<'static>>,
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

/// A path that a restore has left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedPath {
    /// The path.
    pub path: TreePath,
    /// Why.
    pub reason: Unrestored,
}

/// What became of a path that is not as it was to be, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unrestored {
    /// What is there could not be saved, so it would be lost.
    Unsaved,
    /// The checkpoint lacks it, but it could not save everything that was there.
    UnsavedThen,
    /// Git ignores it, or will.
    Ignored,
    /// It is in a directory in which git keeps a repository by now.
    InGitDirectory,
    /// A directory has its name.
    DirectoryInTheWay,
    /// A file is where a directory above it was.
    FileInTheWay(TreePath),
    /// The file system takes the name for that of this file.
    OtherSpelling(TreePath),
    /// It was changed while the restore was running.
    Changed,
    /// It was changed twice while the restore was running: these names beside it have what no checkpoint has.
    KeptBeside(Vec<String>),
    /// The system refused.
    Failed(String),
}

impl Unrestored {
    /// Why a path was not changed by a call that failed.
    pub(super) fn of(error: &io::Error) -> Self {
        match error.kind() {
            // It was made or deleted just now.
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
