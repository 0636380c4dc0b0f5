//! Everything that can go wrong with checkpoints, as messages for people.

use std::io;
use std::path::{Path, PathBuf};

use crate::git::rule_file::UnsafeFile;
use crate::process::StartError;
use crate::store::StoreError;
use crate::words::{cause, counted, grouped};

/// Everything that can go wrong with checkpoints.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are the message's")]
pub enum CheckpointError {
    /// The store's own error.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Git is not installed, or cannot be started.
    #[error("checkpoints need git: {0}")]
    Start(#[from] StartError),
    /// Git ran but failed.
    #[error("git could not {doing}: {message}{}", unchanged(*changed))]
    Git { doing: &'static str, message: String, changed: bool },
    /// This directory is not allowed to have checkpoints.
    #[error("cannot use checkpoints in '{}': {reason}", root.display())]
    Refused { root: PathBuf, reason: &'static str },
    /// An ignore file for the whole tree, or git's configuration, cannot be used.
    #[error("cannot use checkpoints in '{}': {file}", root.display())]
    Rules { root: PathBuf, file: UnsafeFile },
    /// An error with a file or directory of the tree or of the store.
    #[error("cannot {operation} '{}': {}", path.display(), cause(source))]
    Io { operation: &'static str, path: PathBuf, source: io::Error },
    /// There is no checkpoint with this number.
    #[error("there is no checkpoint {number}")]
    Unknown { number: u64 },
    /// A stored checkpoint does not match what was saved.
    #[error("checkpoint {number} is damaged: {reason}; nothing was changed")]
    Damaged { number: u64, reason: String },
    /// The limit is reached.
    #[error("the checkpoints of this directory take {} MiB of {}; nothing was changed", grouped(*used >> 20), grouped(*cap >> 20))]
    Full { used: u64, cap: u64, kept: Option<usize> },
    /// The list of checkpoints is full.
    #[error("the list of checkpoints would be longer than {} MiB; nothing was changed", grouped(*limit >> 20))]
    ListFull { limit: u64 },
    /// The disk is full.
    #[error("no space for {} bytes on the disk of '{}'; nothing was changed", grouped(*needed), path.display())]
    NoSpace { needed: u64, path: PathBuf, kept: Option<usize> },
    /// A command was interrupted.
    #[error("a restore of checkpoint {number} was interrupted")]
    Unfinished { number: u64 },
    /// A restore stopped halfway.
    #[error("the restore of checkpoint {number} stopped: '{}': {}", path.display(), cause(source))]
    Interrupted { number: u64, path: PathBuf, source: io::Error },
    /// There is nothing to continue or to abort.
    #[error("no restore has been interrupted")]
    NothingUnfinished,
    /// The directory is not the one that was saved.
    #[error("'{}' is not the directory that checkpoint {number} was made from: it has been re-created since", root.display())]
    OtherRoot { number: u64, root: PathBuf },
    /// A checkpoint without files would replace a directory that has some.
    #[error("checkpoint {number} has no files: nothing would be left of {}", counted(*files, "file"))]
    EmptyTarget { number: u64, files: usize },
    /// A restore that would delete a lot.
    #[error("this would delete {} of {}", grouped(*deleted as u64), counted(*files, "file"))]
    DeletesMuch { number: u64, deleted: usize, files: usize },
    /// There is nothing with this name, either in the checkpoint or in the tree.
    #[error("neither checkpoint {number} nor the directory has '{path}'")]
    NoSuchPath { number: u64, path: String },
    /// A path that is never in a checkpoint.
    #[error("'{}' belongs to git and is never in a checkpoint", path.display())]
    GitsOwn { path: PathBuf },
    /// A path that is not in the tree.
    #[error("'{}' is not in '{}'", path.display(), root.display())]
    Outside { path: PathBuf, root: PathBuf },
}

fn unchanged(changed: bool) -> &'static str {
    if changed { "" } else { "; nothing was changed" }
}

impl CheckpointError {
    pub(super) fn io(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { operation, path, source }
    }
}
