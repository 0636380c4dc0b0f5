//! What was not selected although an entry asked for it.

use super::file::EntryId;
use super::label::Label;
use super::rule_file::UnsafeKind;
use crate::report::ReasonCode;

/// How many linked directories one walk enters; more would be a maze.
pub const MAX_LINKED_DIRECTORIES: usize = 1000;

/// A file or directory that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// How it is called.
    pub label: Label,
    /// Why.
    pub reason: SkipReason,
    /// The entries that asked for it, in order.
    pub entries: Vec<EntryId>,
}

/// Why something was skipped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum SkipReason {
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
    /// A FIFO, socket or device.
    #[error("{}", ReasonCode::NotRegular.describe())]
    NotRegular,
    /// A name that suggests secrets, and which kind.
    #[error("a name that suggests secrets ({0})")]
    SecretName(&'static str),
}

impl SkipReason {
    /// Whether a rule of selection says so, so that nothing is missing that anybody asked for.
    #[must_use]
    pub fn is_rule(&self) -> bool {
        matches!(self, Self::LeavesDirectory)
    }

    /// The code of what is skipped for it.
    #[must_use]
    pub fn code(&self) -> ReasonCode {
        if matches!(self, Self::SecretName(_)) { ReasonCode::SecretName } else { ReasonCode::PassedOver }
    }
}
