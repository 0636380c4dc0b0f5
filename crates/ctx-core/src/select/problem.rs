//! Why an entry cannot be used, or why nothing can be selected at all.

use std::io;
use std::path::PathBuf;

use super::options::{MOST_BYTES_OUTSIDE, MOST_FILES_OUTSIDE};
use crate::entry::pattern::TargetError;
use crate::report::ReasonCode;
use crate::select::bound::Forbidden;
use crate::words::{WrongText, cause, grouped};

/// Why an entry cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Problem {
    /// The text is not a valid entry.
    #[error(transparent)]
    Invalid(TargetError),
    /// A project's files may not use this.
    #[error(transparent)]
    Forbidden(Forbidden),
    /// A literal that does not exist.
    #[error("{}", ReasonCode::NotFound.describe())]
    Missing,
    /// A project's dependency that is searched only once the project is trusted.
    #[error("{}", ReasonCode::NotTrusted.describe())]
    NotTrusted,
    /// The system denies access.
    #[error("{}", ReasonCode::PermissionDenied.describe())]
    PermissionDenied,
    /// Any other system error.
    #[error("cannot be read: {0}")]
    Io(String),
    /// A FIFO, socket or device.
    #[error("{}", ReasonCode::NotRegular.describe())]
    NotRegular,
    /// A name that suggests secrets, and which kind.
    #[error("{} ({_0})", ReasonCode::SecretName.describe())]
    SecretName(&'static str),
    /// `~`, if the home directory is unknown.
    #[error("{}", ReasonCode::NoHome.describe())]
    NoHome,
    /// Names that an `up:` entry cannot look up.
    #[error(transparent)]
    Names(WrongText),
    /// Lines that no file can have.
    #[error(transparent)]
    Lines(WrongText),
    /// Lines of a directory.
    #[error("{}", ReasonCode::LinesOfDirectory.describe())]
    LinesOfDirectory,
    /// Lines of a pattern.
    #[error("{}", ReasonCode::LinesOfPattern.describe())]
    LinesOfPattern,
    /// The entry is, or begins, outside the tree. Only for entries of a list of paths, which must not name
    /// anything there.
    #[error("{}", ReasonCode::Outside.describe())]
    Outside,
    /// A relative path leaves the tree through a link; contains the target.
    #[error("{}", ReasonCode::LinkOutside.describe())]
    LinkOutside(PathBuf),
    /// A directory that is not searched as a whole.
    #[error("{}", ReasonCode::TooWide.describe())]
    TooWide,
    /// Patterns and directories never enter `.git`.
    #[error("{}", ReasonCode::InsideGit.describe())]
    InsideGit,
    /// A literal that the command itself writes.
    #[error("{}", ReasonCode::IsOutput.describe())]
    IsOutput,
    /// A literal that standard output goes to.
    #[error("{}", ReasonCode::IsStandardOutput.describe())]
    IsStandardOutput,
}

impl Problem {
    /// The code of the problem.
    #[must_use]
    pub fn code(&self) -> ReasonCode {
        match self {
            Self::Invalid(_) | Self::Forbidden(_) | Self::Names(_) => ReasonCode::Invalid,
            Self::Missing => ReasonCode::NotFound,
            Self::NotTrusted => ReasonCode::NotTrusted,
            Self::PermissionDenied => ReasonCode::PermissionDenied,
            Self::Io(_) => ReasonCode::IoError,
            Self::NotRegular => ReasonCode::NotRegular,
            Self::SecretName(_) => ReasonCode::SecretName,
            Self::Lines(_) => ReasonCode::InvalidLines,
            Self::LinesOfDirectory => ReasonCode::LinesOfDirectory,
            Self::LinesOfPattern => ReasonCode::LinesOfPattern,
            Self::NoHome => ReasonCode::NoHome,
            Self::Outside => ReasonCode::Outside,
            Self::LinkOutside(_) => ReasonCode::LinkOutside,
            Self::TooWide => ReasonCode::TooWide,
            Self::InsideGit => ReasonCode::InsideGit,
            Self::IsOutput => ReasonCode::IsOutput,
            Self::IsStandardOutput => ReasonCode::IsStandardOutput,
        }
    }

    /// Whether the file exists but cannot be read.
    #[must_use]
    pub fn is_of_reading(&self) -> bool {
        matches!(self, Self::PermissionDenied | Self::Io(_) | Self::NotRegular)
    }

    /// The problem for a system error.
    #[must_use]
    pub fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::PermissionDenied,
            _ => Self::Io(cause(error)),
        }
    }
}

/// Why nothing can be selected at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// More files match than are allowed.
    #[error("more than {limit} files match; name fewer")]
    TooManyMatches {
        /// How many are allowed.
        limit: usize,
    },
    /// There are more files or bytes than a search outside repositories may read.
    #[error(
        "there is more to search than {} files or {} GB",
        grouped(MOST_FILES_OUTSIDE as u64),
        MOST_BYTES_OUTSIDE / 1_000_000_000
    )]
    TooMuch,
    /// An ignore file with too many rules for so many paths.
    #[error("applying the ignore file '{}' takes too long", .0.display())]
    SlowRules(PathBuf),
    /// A filter that is not a pattern.
    #[doc(hidden)]
    #[error("invalid pattern '{text}': {source}")]
    InvalidFilter {
        /// The pattern.
        text: String,
        /// What is wrong with it.
        source: TargetError,
    },
}
