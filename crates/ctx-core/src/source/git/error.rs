//! Why git failed, and the limits that the errors name.

use std::io;
use std::time::Duration;

use crate::git::RepositoryError;
use crate::git::rule_file::UnsafeFile;
use crate::process::StartError;
use crate::words::cause;

/// How long git may take for all entries of one command.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// The most that git may write for one entry, in bytes.
pub(super) const MOST_OUTPUT: usize = 64 << 20;

/// The most bytes to copy.
pub(super) const MOST_COPIED: u64 = 256 << 20;

/// Why git failed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no repository, or it is not safe to read.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// Git would read a file that may never end, or that git rejects.
    #[error("{0}")]
    Unsafe(UnsafeFile),
    /// Git is not installed, or cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// This git cannot be prevented from running programs.
    #[error("git 2.31 or later is needed")]
    TooOld,
    /// No such commit.
    #[error("unknown revision '{revision}'")]
    UnknownRevision {
        /// The revision, as given.
        revision: String,
    },
    /// 30 seconds were not enough.
    #[error("timed out after {}s", TIMEOUT.as_secs())]
    TimedOut,
    /// The output is too large.
    #[error("git wrote more than {} MiB", MOST_OUTPUT >> 20)]
    TooLarge,
    /// More has changed than can be copied.
    #[error("more than {} MiB of files have changed; name fewer, as in git:diff -- PATH", MOST_COPIED >> 20)]
    TooMuchChanged,
    /// Git reported an error.
    #[error("{message}")]
    Failed {
        /// Git's message.
        message: String,
    },
    /// An untracked file or the repository cannot be read.
    #[error("{}", cause(.0))]
    Io(#[from] io::Error),
}
