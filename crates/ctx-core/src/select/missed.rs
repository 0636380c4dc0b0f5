//! What entries would bring and do not.

use super::file::EntryId;
use super::label::Label;
use super::problem::Problem;
use super::rule_file::{DecidedBy, UnsafeKind};
use crate::fs::Notation;
use crate::report::ReasonCode;

/// How many linked directories one walk enters; more would be a maze.
pub const MAX_LINKED_DIRECTORIES: usize = 1000;

/// A file or directory that entries would bring and do not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missed {
    /// How it is called.
    pub label: Label,
    /// Why.
    pub why: MissedReason,
    /// Whether it is a directory, which was not searched.
    pub is_directory: bool,
    /// The entries that would bring it, in order.
    pub entries: Vec<EntryId>,
}

/// Why entries do not bring a file or directory that they match.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum MissedReason {
    /// A link out of the directory that the pattern starts in, to something in the tree: a rule, and nothing to warn of.
    #[error("link leads out of the directory the pattern starts in")]
    LeavesDirectory,
    /// A link out of the directory that the pattern starts in, and out of the tree.
    #[error("link leads out of the directory the pattern starts in")]
    LeavesTree,
    /// A link to nothing, or in a circle.
    #[error("broken link")]
    BrokenLink,
    /// One of too many links to directories.
    #[error("more than {} linked directories", MAX_LINKED_DIRECTORIES)]
    TooManyLinks,
    /// A directory that cannot be read, with the system's words.
    #[error("unreadable directory: {0}")]
    UnreadableDirectory(String),
    /// A directory whose ignore rules are not known.
    #[error(transparent)]
    UnsafeRules(UnsafeKind),
    /// A FIFO, socket or device that a pattern matches.
    #[error("{}", ReasonCode::NotRegular.describe())]
    NotRegular,
    /// It may not be read, or cannot be.
    #[error(transparent)]
    Problem(Problem),
    /// An ignore rule.
    #[error("ignored by {}:{}: {}", Notation::HERE.shown(&.0.file), .0.line, .0.pattern)]
    Ignored(DecidedBy),
    /// A name with a leading dot, which the pattern does not ask for.
    #[error("{}", ReasonCode::DotFile.describe())]
    DotFile,
    /// An exclusion.
    #[error("{}", ReasonCode::Excluded.describe())]
    Excluded(EntryId),
}

impl MissedReason {
    /// That a name suggests secrets of this kind.
    pub(super) fn secret_name(kind: &'static str) -> Self {
        Self::Problem(Problem::SecretName(kind))
    }

    /// Whether the name suggests secrets.
    #[must_use]
    pub fn is_secret_name(&self) -> bool {
        matches!(self, Self::Problem(Problem::SecretName(_)))
    }

    /// Whether a rule of selection says so, so that nothing is missing that anybody asked for.
    #[must_use]
    pub fn is_rule(&self) -> bool {
        matches!(self, Self::LeavesDirectory)
    }

    /// The code of what is missed for it.
    #[must_use]
    pub fn code(&self) -> ReasonCode {
        match self {
            Self::Problem(problem) => problem.code(),
            Self::Ignored(_) => ReasonCode::Ignored,
            Self::DotFile => ReasonCode::DotFile,
            Self::Excluded(_) => ReasonCode::Excluded,
            Self::LeavesDirectory
            | Self::LeavesTree
            | Self::BrokenLink
            | Self::TooManyLinks
            | Self::UnreadableDirectory(_)
            | Self::UnsafeRules(_)
            | Self::NotRegular => ReasonCode::PassedOver,
        }
    }
}
