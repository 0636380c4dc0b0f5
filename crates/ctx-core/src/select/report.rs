//! What became of each entry.

use std::io;
use std::path::PathBuf;

use crate::entry::bound::Forbidden;
use crate::entry::escape::below;
use crate::entry::lines::NoLines;
use crate::entry::pattern::TargetError;
use crate::entry::up::UpError;
use crate::report::ReasonCode;
use crate::words::{cause, counted};

use super::file::EntryId;
use super::label::Label;
use super::rule_file::DecidedBy;
use super::skipped::SkipReason;

/// How much of what patterns and directories would have matched the ignore files leave out that git does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOutByFiles {
    /// Files.
    pub files: usize,
    /// Directories, which were not searched.
    pub directories: usize,
}

/// A file that an entry found and that may not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The entry.
    pub entry: EntryId,
    /// What the file is called.
    pub label: Label,
    /// Why it may not be read.
    pub problem: Problem,
}

/// What an entry is, as far as that could be found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// One file; or, as long as it does not exist, a path.
    Literal,
    /// The files directly in a directory, or all below it if that was asked for.
    Directory,
    /// The files that a pattern matches.
    Pattern,
    /// The files of some names from the root of the tree down to the current directory.
    Up,
    /// What is taken out of patterns and directories.
    Exclusion,
    /// A text of its own, such as the one on standard input.
    Text,
}

/// What became of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryReport {
    /// Which entry.
    pub id: EntryId,
    /// What it is.
    pub kind: EntryKind,
    /// How many different files it brings, before the filters; for an exclusion 0.
    pub matches: usize,
    /// Why it cannot be used.
    pub problem: Option<Problem>,
    /// Subdirectories of a directory entry, which `dir/**` would take.
    pub left_out_subdirectories: usize,
    /// Files left out because their names suggest secrets.
    pub left_out_secrets: usize,
    /// Files that the built-in ignore file leaves out.
    pub left_out_built_in: usize,
    /// For an exclusion: what it excludes.
    pub removal: Removal,
    /// The first of what the entry would match and does not; only set where it matches nothing.
    pub left_out: Option<LeftOut>,
    /// Why the entry brings nothing, whatever it matches.
    pub unused: Option<Unused>,
}

/// Why an entry brings nothing, whatever it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unused {
    /// It has none of the tags asked for.
    OtherTags,
    /// It is turned off.
    Off,
}

/// What an exclusion excludes of the patterns and directories that it binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// Nothing, and what seems to be the matter.
    Nothing(Idle),
    /// Something; how much was not asked for.
    Something,
    /// So many files.
    Files(usize),
}

/// Why an exclusion excludes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Idle {
    /// No pattern or directory finds what it matches.
    Unmatched,
    /// What it matches is named by literal entries.
    OnlyLiterals,
    /// What it matches is found by entries of an earlier scope only.
    EarlierScope,
    /// It matches nothing at its own level, but would at deeper ones.
    Deeper,
}

/// Something that an entry would match and does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// How it is called.
    pub label: Label,
    /// Whether it is a directory, which was not searched.
    pub directory: bool,
    /// Whether nothing else could have been matched.
    pub whole: bool,
    /// Why.
    pub cause: Cause,
}

/// Why something that an entry would match is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// An ignore rule.
    Ignored(DecidedBy),
    /// A name with a leading dot, which the pattern does not ask for.
    DotFile,
    /// An exclusion.
    Excluded(EntryId),
    /// It could not be searched or read.
    Skipped(SkipReason),
}

/// Why an entry cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text is not a valid entry.
    #[error(transparent)]
    Invalid(TargetError),
    /// The files of a project may not say this.
    #[error(transparent)]
    Forbidden(Forbidden),
    /// A literal that does not exist.
    #[error("{}", ReasonCode::NotFound.describe())]
    Missing,
    /// The system forbids it.
    #[error("{}", ReasonCode::PermissionDenied.describe())]
    PermissionDenied,
    /// Anything else that the system says.
    #[error("cannot be read: {0}")]
    Io(String),
    /// A FIFO, socket or device.
    #[error("{}", ReasonCode::NotRegular.describe())]
    NotRegular,
    /// A name that suggests secrets, and which kind.
    #[error("a name that suggests secrets ({0})")]
    SecretName(&'static str),
    /// `~` where no home directory is known.
    #[error("{}", ReasonCode::NoHome.describe())]
    NoHome,
    /// Names that cannot be looked up through the tree.
    #[error(transparent)]
    Names(UpError),
    /// Lines that no file has.
    #[error(transparent)]
    Lines(NoLines),
    /// Lines of a directory.
    #[error("{}", ReasonCode::LinesOfDirectory.describe())]
    LinesOfDirectory,
    /// Lines of a pattern.
    #[error("{}", ReasonCode::LinesOfPattern.describe())]
    LinesOfPattern,
    /// It is, or begins, outside the tree; only in a list of paths, which may name nothing there.
    #[error("{}", ReasonCode::Outside.describe())]
    Outside,
    /// A relative path leaves the tree through a link; where it leads.
    #[error("{}", ReasonCode::LinkOutside.describe())]
    LinkOutside(PathBuf),
    /// A directory that is not looked through as a whole.
    #[error("{}", ReasonCode::TooWide.describe())]
    TooWide,
    /// Patterns and directories never enter `.git`.
    #[error("{}", ReasonCode::InsideGit.describe())]
    InsideGit,
    /// A literal that the command itself is to write.
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

    /// Whether something is there, and only cannot be read.
    #[must_use]
    pub fn is_of_reading(&self) -> bool {
        matches!(self, Self::PermissionDenied | Self::Io(_) | Self::NotRegular)
    }

    /// The problem that a system error means.
    #[must_use]
    pub fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::PermissionDenied,
            _ => Self::Io(cause(error)),
        }
    }
}

impl EntryReport {
    pub(super) fn new(id: EntryId, kind: EntryKind) -> Self {
        Self {
            id,
            kind,
            matches: 0,
            problem: None,
            left_out_subdirectories: 0,
            left_out_secrets: 0,
            left_out_built_in: 0,
            removal: Removal::Nothing(Idle::Unmatched),
            left_out: None,
            unused: None,
        }
    }

    /// Whether the entry is used: it is not turned off, and has a tag that was asked for or needs none.
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.unused.is_none()
    }

    /// How many subdirectories of a directory entry, written as `path`, are left out, and what takes
    /// them; `None` where there are none.
    #[must_use]
    pub fn left_out_below(&self, path: &str) -> Option<String> {
        let count = Some(self.left_out_subdirectories).filter(|count| *count > 0)?;
        let subdirectories = counted(count, "subdirectory");
        let verb = if count == 1 { "is" } else { "are" };
        let all = below(path);
        Some(format!("{subdirectories} of '{path}' {verb} left out: '{all}' includes everything below it"))
    }
}
