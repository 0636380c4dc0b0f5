//! What a restore leaves as it is, and why.

use std::fmt;
use std::io;

use crate::checkpoint::entry::TreePath;
use crate::words::{all_of, cause};

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
            return write!(f, "was changed meanwhile: {versions} kept beside it as {}", all_of(names));
        }
        f.write_str("stays as it is: ")?;
        match self {
            Self::Unsaved => f.write_str("what is there is in no checkpoint"),
            Self::UnsavedThen => f.write_str("the checkpoint could not save what was there"),
            Self::Ignored => f.write_str("git ignores it"),
            Self::InGitDirectory => f.write_str("it is in a git directory"),
            Self::DirectoryInTheWay => f.write_str("a directory is in its place"),
            Self::FileInTheWay(path) => write!(f, "'{path}' is no directory"),
            Self::OtherSpelling(path) => write!(f, "'{path}' is the same name here"),
            Self::Changed | Self::KeptBeside(_) => f.write_str("it was changed meanwhile"),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}
