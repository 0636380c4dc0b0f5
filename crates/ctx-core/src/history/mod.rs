//! Histories: conversations as plain data, which any model CLI can continue.
//!
//! A history is named like a profile and is a file of the store, `history/NAME.jsonl`, to which whole lines
//! are appended (see [`crate::store`] for the lock). Reading takes no lock. What a model is shown of it is
//! [`Curated`]; what is in the file besides is never lost.

mod append;
mod chat;
mod cleaning;
mod clear;
mod compress;
mod conversation;
mod curated;
mod ends;
mod error;
mod file;
mod filter;
pub mod import;
mod limit;
mod message;
mod record;
mod text;
mod turns;

#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

pub use append::{Addition, Appended, NewMessages};
pub use chat::Chat;
pub use cleaning::{CleanedPart, Cleaning};
pub use clear::ClearedTurns;
pub use compress::{Compression, DEFAULT_KEEP, REQUEST, Refusal, Thresholds};
pub use conversation::Conversation;
pub use curated::{Curated, LONGEST_RESULT};
pub use ends::head_and_tail;
pub use error::HistoryError;
pub use file::History;
pub use filter::{FilterError, FilterLimits, filtered};
pub use limit::{FILE_LIMIT, LINE_LIMIT};
pub use message::{Message, Role, ToolCall, joined};
pub use record::{Summary, Turns};
pub(crate) use text::written;
pub use text::{Said, Voice, people};
pub use turns::{RecordedTurn, Turn};

use crate::store::{ProfileName, Store};
use crate::words::timestamp;

/// Which names histories can have.
pub const HISTORY_NAME_RULE: &str =
    "at most 64 letters, digits, hyphens and underscores, the first a letter or digit";

const EXTENSION: &str = ".jsonl";

/// Reading and changing the histories of a store.
impl Store {
    /// The file of a history.
    #[must_use]
    pub fn history_file(&self, name: &ProfileName) -> PathBuf {
        self.histories_directory().join(format!("{name}{EXTENSION}"))
    }

    /// The names of all histories, `default` first, then by their bytes.
    ///
    /// # Errors
    /// When their directory cannot be read.
    pub fn histories(&self) -> Result<Vec<ProfileName>, HistoryError> {
        let directory = self.histories_directory();
        let entries = match fs::read_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened.and_then(Iterator::collect::<Result<Vec<_>, _>>),
        };
        let entries = entries.map_err(|error| crate::store::unreadable(&directory, error))?;
        let name = |entry: fs::DirEntry| entry.file_name().to_str()?.strip_suffix(EXTENSION)?.parse().ok();
        let names = entries.into_iter().filter_map(name).collect();
        Ok(self.names_of_histories(names)?)
    }

    /// A history.
    ///
    /// # Errors
    /// [`HistoryError::Unknown`], [`HistoryError::Damaged`], and those of reading a store file.
    pub fn history(&self, name: &ProfileName) -> Result<History, HistoryError> {
        let file = self.readable_history(name)?;
        let history = History::read(name, &file)?;
        history.ok_or_else(|| HistoryError::Unknown { name: name.clone() })
    }

    /// Appends messages to a turn, then turns; all of it or nothing.
    ///
    /// # Errors
    /// When the turn is not there, is answered, or does not wait for a result; when a line would be too long or
    /// the file; when the file is damaged, as far as it has to be read; and those of changing the store.
    pub fn append_history(
        &self,
        name: &ProfileName,
        addition: Addition,
        now: SystemTime,
    ) -> Result<Appended, HistoryError> {
        append::append(self, name, &self.history_file(name), addition, &timestamp(now))
    }

    /// Makes sure that a turn could be appended, as far as that can be known before.
    ///
    /// # Errors
    /// When the store is busy or unsafe, or the file cannot be written.
    pub fn check_history_writable(&self, name: &ProfileName) -> Result<(), HistoryError> {
        self.writing(|writer| Ok(writer.check(&self.history_file(name))?))
    }

    /// The number that the next turn gets, unless somebody else opens one before.
    ///
    /// # Errors
    /// [`HistoryError::Damaged`], as far as the file has to be read, and those of reading a store file.
    pub fn next_turn(&self, name: &ProfileName) -> Result<u64, HistoryError> {
        Ok(file::Tail::read(name, &self.readable_history(name)?)?.last_number + 1)
    }

    /// Removes all turns or some, and every summary that is about one of them. The file as it was becomes the
    /// backup; without one, a backup that is there is removed.
    ///
    /// # Errors
    /// [`HistoryError::Unknown`], [`HistoryError::NoSuchTurn`], [`HistoryError::Damaged`], and those of
    /// changing the store.
    pub fn clear_history(
        &self,
        name: &ProfileName,
        range: Option<Turns>,
        with_backup: bool,
        now: SystemTime,
    ) -> Result<ClearedTurns, HistoryError> {
        clear::clear(self, name, &self.history_file(name), range, with_backup, &timestamp(now))
    }

    /// Appends a summary to a history that is what it was when it was read, but for what was appended since.
    ///
    /// # Errors
    /// [`HistoryError::ChangedMeanwhile`], and as [`Store::append_history`].
    pub fn append_summary(
        &self,
        read: &History,
        turns: Turns,
        command: Vec<String>,
        content: String,
        now: SystemTime,
    ) -> Result<(), HistoryError> {
        let summary = Summary { turns, time: timestamp(now), command, content };
        compress::append(self, read, &self.history_file(&read.name), &summary)
    }

    /// Takes the last summary back that counts, and returns the turns that it was about.
    ///
    /// # Errors
    /// [`HistoryError::Unknown`], [`HistoryError::NoSummary`], and as [`Store::append_history`].
    pub fn undo_summary(&self, name: &ProfileName, now: SystemTime) -> Result<Turns, HistoryError> {
        compress::undo(self, name, &self.history_file(name), &timestamp(now))
    }
}
