//! What can go wrong with the store, in the words that a person reads.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::ProfileName;
use crate::words::cause;

/// What a person can do about a [`StoreError`]; the command line maps it to an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name or key breaks its rule.
    Usage,
    /// The request does not fit what the store holds.
    Refused,
    /// The operating system refused, or the directory is not safe to write to.
    Io,
    /// A store file is not what it must be, and stays as it is.
    Damaged,
    /// Another process held the lock for too long.
    Busy,
}

/// A failed call to the operating system.
#[derive(Debug, thiserror::Error)]
#[error("cannot {operation} '{}': {}", path.display(), cause(source))]
pub struct Fault {
    /// What was tried, as a verb: `read`, `write`, `sync`.
    pub operation: &'static str,
    /// The file or directory.
    pub path: PathBuf,
    /// The cause.
    pub source: io::Error,
    /// Whether the new content had taken its place already, and only its durability was at stake.
    pub in_place: bool,
}

/// What became of the change when a [`Fault`] came in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Only reading was asked for.
    NothingAsked,
    /// The store is as it was before.
    NothingChanged,
    /// The change stands, but may not survive a power failure.
    NotDurable,
    /// The change stands in the journal; the next change to the store completes it.
    Recorded,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NothingAsked => "",
            Self::NothingChanged => "; nothing was changed",
            Self::NotDurable => "; the change was made but may not survive a power failure",
            Self::Recorded => "; the change was recorded and the next change to the store completes it",
        })
    }
}

/// Everything that can go wrong with the store.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each message says what the variant means, and its fields are the message's")]
pub enum StoreError {
    #[error("no configuration directory for the store was found")]
    NoRoot,
    #[error(
        "Profile name must start with an alphanumeric character and can only contain alphanumeric characters, \
         hyphens, and underscores"
    )]
    InvalidName,
    #[error("unknown setting '{key}'")]
    UnknownSetting { key: String },

    #[error("Profile '{name}' already exists")]
    ProfileExists { name: ProfileName },
    #[error("Profile '{name}' does not exist. Use --create to create it")]
    NoSuchProfile { name: ProfileName },
    #[error("Profile '{name}' does not exist. Available profiles: {}", join(available))]
    UnknownProfile { name: ProfileName, available: Vec<ProfileName> },
    #[error("the active profile '{name}' does not exist any more")]
    ActiveProfileGone { name: ProfileName },
    #[error("Cannot delete the default profile")]
    DeleteDefault,
    #[error("Cannot delete the active profile. Switch to another profile first")]
    DeleteActive,
    #[error("Cannot rename the default profile")]
    RenameDefault,
    #[error("Cannot rename to 'default' as it's a reserved profile name")]
    RenameToDefault,

    #[error("Path '{path}' already exists in the context")]
    Duplicate { path: String },
    #[error("Path '{path}' was not found in the context")]
    NotInList { path: String },
    #[error("Path '{path}' cannot be placed before or after itself")]
    BesideItself { path: String },

    #[error("store file '{}' is damaged: line {line}, column {column}: {reason}", path.display())]
    Damaged { path: PathBuf, line: usize, column: usize, reason: String },
    #[error("store file '{}' is larger than {limit} bytes", path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("store file '{}' is not a regular file", path.display())]
    NotRegular { path: PathBuf },
    #[error("cannot store this in '{}': {reason}; nothing was changed", path.display())]
    Unstorable { path: PathBuf, reason: String },
    #[error("unsafe store: everyone may write to '{}'", path.display())]
    Unsafe { path: PathBuf },
    #[error("store is busy: another process holds '{}'", path.display())]
    Busy { path: PathBuf },
    #[error("{fault}{outcome}")]
    Io { fault: Fault, outcome: Outcome },
}

fn join(names: &[ProfileName]) -> String {
    names.iter().map(ProfileName::as_str).collect::<Vec<_>>().join(", ")
}

impl StoreError {
    /// The class of the error.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::InvalidName | Self::UnknownSetting { .. } => Kind::Usage,
            Self::ProfileExists { .. }
            | Self::NoSuchProfile { .. }
            | Self::UnknownProfile { .. }
            | Self::ActiveProfileGone { .. }
            | Self::DeleteDefault
            | Self::DeleteActive
            | Self::RenameDefault
            | Self::RenameToDefault
            | Self::Duplicate { .. }
            | Self::NotInList { .. }
            | Self::BesideItself { .. }
            | Self::Unstorable { .. }
            | Self::NoRoot => Kind::Refused,
            Self::Damaged { .. } | Self::TooLarge { .. } | Self::NotRegular { .. } => Kind::Damaged,
            Self::Busy { .. } => Kind::Busy,
            Self::Unsafe { .. } | Self::Io { .. } => Kind::Io,
        }
    }

    /// The next step, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoRoot => Some("name a directory with --store or $CTX_HOME".to_owned()),
            Self::UnknownSetting { .. } => {
                Some("the settings are description, model, budget, trim and format".to_owned())
            }
            Self::ActiveProfileGone { .. } => Some("ctx switch default".to_owned()),
            Self::Damaged { .. } | Self::TooLarge { .. } | Self::NotRegular { .. } => {
                Some("correct the file or move it away; ctx never rewrites a damaged store".to_owned())
            }
            Self::Unsafe { path } => Some(format!("chmod o-w '{}'", path.display())),
            Self::Busy { .. } => Some("try again when the other command has ended".to_owned()),
            Self::NoSuchProfile { .. }
            | Self::InvalidName
            | Self::ProfileExists { .. }
            | Self::UnknownProfile { .. }
            | Self::DeleteDefault
            | Self::DeleteActive
            | Self::RenameDefault
            | Self::RenameToDefault
            | Self::Duplicate { .. }
            | Self::NotInList { .. }
            | Self::BesideItself { .. }
            | Self::Unstorable { .. }
            | Self::Io { .. } => None,
        }
    }

    /// The same error, met by a command that wanted to change something and did not.
    pub(super) fn before_any_change(self) -> Self {
        match self {
            Self::Io { fault, outcome: Outcome::NothingAsked } => {
                Self::Io { fault, outcome: Outcome::NothingChanged }
            }
            other => other,
        }
    }
}

impl Fault {
    /// A closure for `map_err` that says what was tried on which path.
    pub(super) fn of(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { operation, path, source, in_place: false }
    }

    pub(super) fn with(self, outcome: Outcome) -> StoreError {
        StoreError::Io { fault: self, outcome }
    }
}
