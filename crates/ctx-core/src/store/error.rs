//! Errors from the store, with messages for people.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::ProfileName;
use crate::words::{WrongText, cause};

/// The class of a [`StoreError`]; the command line maps it to an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// A name or key is invalid.
    Usage,
    /// The request conflicts with the contents of the store.
    Refused,
    /// The operating system refused, or the directory is not safe to write to.
    Io,
    /// A store file is invalid, and stays as it is.
    Damaged,
    /// Another process held the lock for too long.
    Busy,
}

/// Why a file was not replaced or removed.
#[derive(Debug)]
pub enum Unwritten {
    /// The system refused.
    Fault(Fault),
    /// Somebody saved it after it was read.
    Edited {
        /// The file.
        path: PathBuf,
    },
}

impl From<Fault> for Unwritten {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// A failed call to the operating system.
#[derive(Debug, thiserror::Error)]
#[error("cannot {operation} '{}': {}", path.display(), cause(source))]
pub struct Fault {
    /// The operation that failed, as a verb: `read`, `write`, `sync`.
    pub operation: &'static str,
    /// The file or directory.
    pub path: PathBuf,
    /// The cause.
    pub source: io::Error,
    /// Whether the new content was already in place, and only its durability was at stake.
    pub in_place: bool,
}

/// What happened to the change when a [`Fault`] interrupted it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeOutcome {
    /// No change was requested.
    NothingAsked,
    /// The store is unchanged.
    NothingChanged,
    /// The change was made, but may not survive a power failure.
    NotDurable,
    /// The change is in the journal; the next change to the store completes it.
    Recorded,
    /// The change was made, except for this part.
    Incomplete,
}

impl fmt::Display for ChangeOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NothingAsked => "",
            Self::NothingChanged => "; nothing was changed",
            Self::NotDurable => "; the change was made but may not survive a power failure",
            Self::Recorded => "; the change was recorded and the next change to the store completes it",
            Self::Incomplete => "; the change was made, except for this",
        })
    }
}

/// Everything that can go wrong with the store.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are the message's")]
pub enum StoreError {
    /// No directory is known that could contain the store.
    #[error("no configuration directory for the store was found")]
    NoRoot,
    /// A profile's name is invalid.
    #[error(transparent)]
    InvalidName(#[from] WrongText),
    /// There is no such setting.
    #[error("unknown setting '{key}'")]
    UnknownSetting { key: String },

    /// The name is taken.
    #[error("Profile '{name}' already exists")]
    ProfileExists { name: ProfileName },
    /// There is no profile with this name to read or change.
    #[error("Profile '{name}' does not exist")]
    NoSuchProfile { name: ProfileName },
    /// There is no profile with this name to use; contains the existing ones.
    #[error("Profile '{name}' does not exist. Available profiles: {}", join(available))]
    UnknownProfile { name: ProfileName, available: Vec<ProfileName> },
    /// The store names an active profile that does not exist.
    #[error("the active profile '{name}' no longer exists")]
    ActiveProfileGone { name: ProfileName },
    /// Renaming a history would overwrite another one.
    #[error("History '{name}' already exists")]
    HistoryExists { name: ProfileName },
    /// The default profile cannot be deleted.
    #[error("Cannot delete the default profile")]
    DeleteDefault,
    /// The active profile cannot be deleted.
    #[error("Cannot delete the active profile. Switch to another profile first")]
    DeleteActive,
    /// The default profile cannot be renamed.
    #[error("Cannot rename the default profile")]
    RenameDefault,
    /// No other profile can be given the name of the default profile.
    #[error("Cannot rename to 'default' as it's a reserved profile name")]
    RenameToDefault,

    /// The list already contains an entry with this path.
    #[error("Path '{path}' already exists in the context")]
    Duplicate { path: String },
    /// The list contains no entry with this path.
    #[error("Path '{path}' was not found in the context")]
    NotInList { path: String },
    /// An entry cannot be placed next to itself.
    #[error("Path '{path}' cannot be placed before or after itself")]
    BesideItself { path: String },

    /// A store file is invalid, first at this position (line and column are counted from 1).
    #[error("store file '{}' is damaged: line {line}, column {column}: {reason}", path.display())]
    Damaged { path: PathBuf, line: usize, column: usize, reason: String },
    /// A later version of the program wrote a file.
    #[error("'{}' was written by a newer version of ctx: its format is {version}", path.display())]
    Newer { path: PathBuf, version: u64 },
    /// A store file is too large to be read.
    #[error("store file '{}' is larger than {limit} bytes", path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    /// A store file is a directory, a pipe or a device.
    #[error("store file '{}' is not a regular file", path.display())]
    NotRegular { path: PathBuf },
    /// Others may have written the store, and this file is a link.
    #[error("'{}' is a link, and others may have put it in this store", path.display())]
    Linked { path: PathBuf },
    /// Others may have written the store, and this file belongs to another user.
    #[error("'{}' belongs to another user", path.display())]
    OtherOwner { path: PathBuf },
    /// A project's file is at fault; contains the error.
    #[error(transparent)]
    InProject(Box<StoreError>),
    /// The project has no profile with this name, but the user does.
    #[error("Profile '{name}' is the user's own, not the project's")]
    NotOfProject { name: ProfileName },
    /// The store could not read back the text to be written.
    #[error("cannot store this in '{}': {reason}; nothing was changed", path.display())]
    Unstorable { path: PathBuf, reason: String },
    /// Everyone can write to this directory of the store.
    #[error("unsafe store: everyone can write to '{}'", path.display())]
    Unsafe { path: PathBuf },
    /// Somebody saved this file each time it was about to be replaced.
    #[error("'{}' is being edited; nothing was changed", path.display())]
    Edited { path: PathBuf },
    /// Another process held the lock for too long.
    #[error("store is busy: another process holds '{}'", path.display())]
    Busy { path: PathBuf },
    /// The operating system refused; the message has the operation, the path, and what happened to the change.
    #[error("{fault}{outcome}")]
    Io {
        #[doc(hidden)]
        fault: Fault,
        #[doc(hidden)]
        outcome: ChangeOutcome,
    },
}

fn join(names: &[ProfileName]) -> String {
    names.iter().map(ProfileName::as_str).collect::<Vec<_>>().join(", ")
}

impl StoreError {
    /// Marks the error as one about a project's file, if the file is at fault.
    pub(super) fn in_project(error: Self) -> Self {
        match error.kind() {
            StoreErrorKind::Damaged => Self::InProject(Box::new(error)),
            StoreErrorKind::Io if !error.is_of_full_disk() => Self::InProject(Box::new(error)),
            StoreErrorKind::Usage | StoreErrorKind::Refused | StoreErrorKind::Io | StoreErrorKind::Busy => {
                error
            }
        }
    }

    fn is_of_full_disk(&self) -> bool {
        matches!(self, Self::Io { fault, .. } if fault.source.kind() == io::ErrorKind::StorageFull)
    }

    /// The class of the error.
    #[doc(hidden)]
    #[must_use]
    pub fn kind(&self) -> StoreErrorKind {
        self.nature().0
    }

    /// Whether the files of the store are at fault, rather than the request. If so, `check` also reports it.
    #[must_use]
    pub fn is_in_files(&self) -> bool {
        self.path().is_some() || matches!(self, Self::ActiveProfileGone { .. })
    }

    /// Whether the store's directory, which the user chose, is at fault, rather than a project or a full
    /// disk.
    #[must_use]
    pub fn is_of_the_users_directory(&self) -> bool {
        self.path().is_some() && !self.is_of_full_disk() && !matches!(self, Self::InProject(_))
    }

    /// The message without what happened to the change.
    #[must_use]
    pub fn fault(&self) -> String {
        if let Self::Io { fault, .. } = self { fault.to_string() } else { self.to_string() }
    }

    /// The file or directory at fault.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.nature().1
    }

    /// The class, and the file or directory at fault.
    fn nature(&self) -> (StoreErrorKind, Option<&Path>) {
        match self {
            Self::InvalidName(_) | Self::UnknownSetting { .. } => (StoreErrorKind::Usage, None),
            Self::NoRoot
            | Self::ProfileExists { .. }
            | Self::NoSuchProfile { .. }
            | Self::UnknownProfile { .. }
            | Self::ActiveProfileGone { .. }
            | Self::HistoryExists { .. }
            | Self::DeleteDefault
            | Self::DeleteActive
            | Self::RenameDefault
            | Self::RenameToDefault
            | Self::Duplicate { .. }
            | Self::NotInList { .. }
            | Self::BesideItself { .. }
            | Self::NotOfProject { .. } => (StoreErrorKind::Refused, None),
            Self::Unstorable { path, .. } => (StoreErrorKind::Refused, Some(path)),
            Self::Damaged { path, .. }
            | Self::Newer { path, .. }
            | Self::TooLarge { path, .. }
            | Self::NotRegular { path }
            | Self::Linked { path }
            | Self::OtherOwner { path } => (StoreErrorKind::Damaged, Some(path)),
            Self::InProject(error) => error.nature(),
            Self::Busy { path } => (StoreErrorKind::Busy, Some(path)),
            Self::Unsafe { path } | Self::Edited { path } => (StoreErrorKind::Io, Some(path)),
            Self::Io { fault, .. } => (StoreErrorKind::Io, Some(&fault.path)),
        }
    }

    /// The error to report if other files were already changed.
    pub(crate) fn after_others(self) -> Self {
        match self {
            Self::Io { fault, outcome: ChangeOutcome::NothingAsked | ChangeOutcome::NothingChanged } => {
                Self::Io { fault, outcome: ChangeOutcome::Incomplete }
            }
            Self::InProject(error) => Self::InProject(Box::new(error.after_others())),
            other => other,
        }
    }

    /// The error to report if the command has not changed anything yet.
    pub(super) fn before_any_change(self) -> Self {
        match self {
            Self::Io { fault, outcome: ChangeOutcome::NothingAsked } => {
                Self::Io { fault, outcome: ChangeOutcome::NothingChanged }
            }
            Self::InProject(error) => Self::InProject(Box::new(error.before_any_change())),
            other => other,
        }
    }
}

impl Fault {
    /// A closure for `map_err` that adds the operation and the path.
    pub(super) fn of(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { operation, path, source, in_place: false }
    }

    pub(super) fn with(self, outcome: ChangeOutcome) -> StoreError {
        StoreError::Io { fault: self, outcome }
    }

    /// The error to report if the store is unchanged.
    pub(super) fn nothing_changed(self) -> StoreError {
        self.with(ChangeOutcome::NothingChanged)
    }

    /// The error for a single file that was to be replaced or removed.
    pub(super) fn of_one_file(self) -> StoreError {
        let outcome = if self.in_place { ChangeOutcome::NotDurable } else { ChangeOutcome::NothingChanged };
        self.with(outcome)
    }
}

impl Unwritten {
    /// The error for a single file that was to be replaced or removed.
    pub(super) fn of_one_file(self) -> StoreError {
        match self {
            Self::Fault(fault) => fault.of_one_file(),
            Self::Edited { path } => StoreError::Edited { path },
        }
    }
}
