//! What can go wrong with a history, as messages for people.

use std::path::{Path, PathBuf};

use super::record::{FILE_LIMIT, LINE_LIMIT};
use crate::store::{ProfileName, StoreError};
use crate::words::grouped;

/// Everything that can go wrong with a history.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are the message's")]
pub enum HistoryError {
    /// The store's own error.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The history does not exist.
    #[error("History '{name}' does not exist")]
    Unknown { name: ProfileName },
    /// A line is invalid (counted from 1).
    #[error("history file '{}' is damaged: line {line}: {reason}", path.display())]
    Damaged { path: PathBuf, line: usize, reason: String },
    /// One append has more bytes than a line may have.
    #[error(
        "this turn is too long for a history: more than {} bytes; nothing was changed",
        grouped(LINE_LIMIT)
    )]
    LineTooLong,
    /// The lines to append could not be read back.
    #[error("this cannot be stored in a history: {reason}; nothing was changed")]
    Unreadable { reason: String },
    /// The file would be too large.
    #[error("history '{name}' would be larger than {} bytes; nothing was changed", grouped(FILE_LIMIT))]
    FileTooLarge { name: ProfileName },
    /// The messages are empty.
    #[error("there is no message to append")]
    Nothing,
    /// There is no turn to join.
    #[error("history '{name}' has no turn to join")]
    NoTurns { name: ProfileName },
    /// There is no turn with this number.
    #[error("history '{name}' has no turn {turn}")]
    NoSuchTurn { name: ProfileName, turn: u64 },
    /// The turn is already answered.
    #[error("turn {turn} of history '{name}' is already answered")]
    Answered { name: ProfileName, turn: u64 },
    /// The turn is not waiting for a result, or not for this one.
    #[error("turn {turn} of history '{name}' has no open call{}", named(id))]
    NoOpenCall { name: ProfileName, turn: u64, id: Option<String> },
    /// There is no summary to undo.
    #[error("history '{name}' has no summary to undo")]
    NoSummary { name: ProfileName },
    /// Somebody rewrote the history in the meantime.
    #[error("history '{name}' was changed in the meantime; nothing was recorded")]
    ChangedMeanwhile { name: ProfileName },
}

fn named(id: &Option<String>) -> String {
    id.as_ref().map(|id| format!(" '{id}'")).unwrap_or_default()
}

impl HistoryError {
    pub(super) fn damaged(path: &Path, line: usize, reason: String) -> Self {
        Self::Damaged { path: path.to_owned(), line, reason }
    }
}
