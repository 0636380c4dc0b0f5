//! Histories: conversations as plain data that any model CLI can continue.
//!
//! A history has a name, like a profile, and is a file in the store, `history/NAME.jsonl`, to which whole
//! lines are appended (see [`crate::store`] for the lock). Reading takes no lock. [`Curated`] is the part
//! that a model sees; the rest of the file is never lost.

mod append;
mod clear;
mod compress;
mod curated;
mod error;
mod file;
pub mod import;
mod message;
mod record;
mod talks;
mod text;
mod turns;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

pub use append::{Addition, Appended};
pub use clear::ClearedTurns;
pub use compress::{Compression, DEFAULT_KEEP, FilterError, REQUEST, Refusal, filtered};
pub use curated::{Conversation, Curated, LONGEST_RESULT, head_and_tail};
pub use error::HistoryError;
pub use file::History;
pub use message::{Message, Role, ToolCall, joined};
pub use record::{FILE_LIMIT, InTalk, KeptText, LINE_LIMIT, NewMessages, Summary, Terminal, Turns};
pub use talks::{Subject, Talk};
pub(crate) use text::written;
pub use text::{Chat, Said, Voice};
pub use turns::{RecordedTurn, Turn};

use crate::store::{ProfileName, Store, names_in};

const EXTENSION: &str = ".jsonl";

/// Reading and changing the histories of a store.
impl Store {
    /// The file of a history.
    #[must_use]
    pub fn history_file(&self, name: &ProfileName) -> PathBuf {
        self.histories_directory().join(format!("{}{EXTENSION}", name.as_str()))
    }

    /// The names of all histories, `default` first, then by their bytes.
    ///
    /// # Errors
    /// If their directory cannot be read.
    pub fn histories(&self) -> Result<Vec<ProfileName>, HistoryError> {
        let names = names_in(&self.histories_directory(), EXTENSION)?;
        Ok(self.names_of_histories(names.into_iter().collect())?)
    }

    /// Reads a history.
    ///
    /// # Errors
    /// [`HistoryError::Unknown`], [`HistoryError::Damaged`], and errors from reading a store file.
    pub fn history(&self, name: &ProfileName) -> Result<History, HistoryError> {
        History::required(name, &self.readable_history(name)?)
    }

    /// Checks that a turn could be appended, as far as that can be known in advance.
    ///
    /// # Errors
    /// If the store is busy or unsafe, or the file cannot be written.
    pub fn check_history_writable(&self, name: &ProfileName) -> Result<(), HistoryError> {
        self.writing(|writer| Ok(writer.check(&self.history_file(name))?))
    }

    /// The number that the next turn will get, unless somebody else starts one first.
    ///
    /// # Errors
    /// [`HistoryError::Damaged`], as far as the file has to be read, and errors from reading a store file.
    pub fn next_turn(&self, name: &ProfileName) -> Result<u64, HistoryError> {
        Ok(file::Tail::read(name, &self.readable_history(name)?)?.last_number + 1)
    }
}
