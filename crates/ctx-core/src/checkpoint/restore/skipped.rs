//! What a restore leaves as it is, and why.

use std::fmt;

use crate::checkpoint::entry::TreePath;

/// A path that a restore has left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedPath {
    /// The path.
    pub path: TreePath,
    /// Why.
    pub reason: Unrestored,
}

/// Why a path stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unrestored {
    /// What is there could not be saved, so it would be lost.
    Unsaved,
    /// The checkpoint lacks it, but it could not save everything that was there.
    UnsavedThen,
    /// Git ignores it, or will.
    Ignored,
    /// A directory has its name.
    DirectoryInTheWay,
    /// A file is where a directory above it was.
    FileInTheWay(TreePath),
    /// The file system takes the name for that of this file.
    OtherSpelling(TreePath),
    /// It was changed while the restore was running.
    Changed,
    /// It was changed twice while the restore was running: the version before is kept under this name.
    KeptBeside(String),
    /// The system refused.
    Failed(String),
}

impl fmt::Display for Unrestored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsaved => f.write_str("what is there is in no checkpoint"),
            Self::UnsavedThen => f.write_str("the checkpoint could not save what was there"),
            Self::Ignored => f.write_str("git ignores it"),
            Self::DirectoryInTheWay => f.write_str("a directory is in its place"),
            Self::FileInTheWay(path) => write!(f, "'{path}' is no directory"),
            Self::OtherSpelling(path) => write!(f, "'{path}' is the same name here"),
            Self::Changed => f.write_str("it was changed meanwhile"),
            Self::KeptBeside(name) => {
                write!(f, "it was changed twice meanwhile; the version before is '{name}'")
            }
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}
