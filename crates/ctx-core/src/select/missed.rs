//! Files that entries would include but do not.

use super::file::EntryId;
use super::label::Label;
use super::problem::Problem;
use crate::fs::Notation;
use crate::git::rule_file::{DecidedBy, UnsafeFile};
use crate::report::ReasonCode;

/// How many linked directories one walk enters, so that it ends even in a maze of links.
pub const MAX_LINKED_DIRECTORIES: usize = 1000;

/// A file or directory that entries would include but do not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missed {
    /// Its label.
    pub label: Label,
    /// The reason.
    pub why: MissedReason,
    /// Whether it is a directory, which was not searched.
    pub is_directory: bool,
    /// The entries that would include it, in order.
    pub entries: Vec<EntryId>,
}

/// Why entries do not include a file or directory that they match.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum MissedReason {
    /// A link that leads out of the pattern's starting directory but stays in the tree; not worth a warning.
    #[error("link leads out of the directory the pattern starts in")]
    LeavesDirectory,
    /// A link out of the pattern's starting directory and out of the tree.
    #[error("link leads out of the directory the pattern starts in")]
    LeavesTree,
    /// A link to nothing, or a loop.
    #[error("broken link")]
    BrokenLink,
    /// One of too many links to directories.
    #[error("more than {} linked directories", MAX_LINKED_DIRECTORIES)]
    TooManyLinks,
    /// A directory that cannot be read, with the system's error.
    #[error("unreadable directory: {0}")]
    UnreadableDirectory(String),
    /// A directory whose ignore rules are unknown.
    #[error(transparent)]
    UnsafeRules(UnsafeFile),
    /// A git directory with a name other than `.git`, such as a bare repository.
    #[error("it is a git directory")]
    GitDirectory,
    /// A linked worktree of the repository, in a search of everything.
    #[error("it is a linked worktree, which is only searched if you name it")]
    LinkedWorktree,
    /// A FIFO, socket or device that a pattern matches.
    #[error("{}", ReasonCode::NotRegular.describe())]
    NotRegular,
    /// A file that may not be read, or cannot be.
    #[error(transparent)]
    Problem(Problem),
    /// An ignore rule.
    #[error("ignored by {}:{}: {}", Notation::HERE.shown(&.0.file), .0.line, .0.pattern)]
    Ignored(DecidedBy),
    /// A name with a leading dot, which the pattern does not match.
    #[error("{}", ReasonCode::DotFile.describe())]
    DotFile,
    /// An exclusion.
    #[error("{}", ReasonCode::Excluded.describe())]
    Excluded(EntryId),
}

impl MissedReason {
    /// A name that suggests secrets of this kind.
    pub(super) fn secret_name(kind: &'static str) -> Self {
        Self::Problem(Problem::SecretName(kind))
    }

    /// Whether the name suggests secrets.
    #[must_use]
    pub fn is_secret_name(&self) -> bool {
        matches!(self, Self::Problem(Problem::SecretName(_)))
    }

    /// Whether a directory cannot be searched, although no rule forbids it.
    #[must_use]
    pub fn closes_a_directory(&self) -> bool {
        matches!(self, Self::UnreadableDirectory(_) | Self::UnsafeRules(_))
    }

    /// Whether it is a link that leads elsewhere in the tree, so that nothing requested is missing.
    #[must_use]
    pub fn stays_in_tree(&self) -> bool {
        matches!(self, Self::LeavesDirectory)
    }

    /// Whether it is a link that is not followed because it leads out of the pattern's starting directory.
    #[must_use]
    pub fn leads_out(&self) -> bool {
        matches!(self, Self::LeavesDirectory | Self::LeavesTree)
    }

    /// The code of the reason.
    #[must_use]
    pub fn code(&self) -> ReasonCode {
        match self {
            Self::Problem(problem) => problem.code(),
            Self::Ignored(_) => ReasonCode::Ignored,
            Self::DotFile => ReasonCode::DotFile,
            Self::Excluded(_) => ReasonCode::Excluded,
            Self::UnsafeRules(problem) => problem.code(),
            Self::NotRegular => ReasonCode::NotRegular,
            Self::GitDirectory => ReasonCode::InsideGit,
            Self::LeavesDirectory
            | Self::LeavesTree
            | Self::BrokenLink
            | Self::LinkedWorktree
            | Self::TooManyLinks
            | Self::UnreadableDirectory(_) => ReasonCode::PassedOver,
        }
    }
}
