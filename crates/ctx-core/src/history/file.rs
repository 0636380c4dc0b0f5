//! Reads a history: all of it, or as much of its end as an append needs.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use memchr::{memchr_iter, memrchr};

use super::record::{InTalk, LogRecord};
use super::{FILE_LIMIT, HistoryError};
use crate::store::lines::{self, FileEnd, WholeLines};
use crate::store::{ProfileName, QUESTIONS, StoreError};

/// A history as stored in its file.
#[derive(Debug, Clone)]
pub struct History {
    /// Its name.
    pub name: ProfileName,
    pub(super) records: Vec<LogRecord>,
    pub(super) whole: WholeLines,
}

/// Takes the lines of a history, one after another.
#[derive(Default)]
struct LineReader {
    records: Vec<LogRecord>,
    whole: WholeLines,
    lines: usize,
}

impl LineReader {
    /// Takes a line with its newline; only the last one may lack it.
    fn take(
        &mut self,
        path: &Path,
        line: &[u8],
        keep: impl Fn(LogRecord) -> LogRecord,
    ) -> Result<(), HistoryError> {
        self.lines += 1;
        let (text, ends) = match line.strip_suffix(b"\n") {
            Some(text) => (text, true),
            None => (line, false),
        };
        if !text.trim_ascii().is_empty() {
            match LogRecord::read(text) {
                Ok(record) => self.records.push(keep(record)),
                Err(_) if !ends => {
                    self.whole.torn = line.to_vec();
                    return Ok(());
                }
                Err(reason) => return Err(HistoryError::damaged(path, self.lines, reason)),
            }
        }
        self.whole.length += line.len() as u64;
        self.whole.lacks_newline = !ends;
        Ok(())
    }

    fn finish(self, name: &ProfileName) -> History {
        History { name: name.clone(), records: self.records, whole: self.whole }
    }
}

impl History {
    /// Reads the file line by line; `None` if it does not exist, or has no complete line.
    pub(super) fn read(name: &ProfileName, path: &Path) -> Result<Option<Self>, HistoryError> {
        let Some(file) = lines::open(path, FILE_LIMIT)? else { return Ok(None) };
        let unread = |error| lines::unread_first(path, error);
        let mut reader = BufReader::new(file.take(FILE_LIMIT + 1));
        let mut taken = LineReader::default();
        let mut line = Vec::new();
        let mut length = 0;
        while reader.read_until(b'\n', &mut line).map_err(unread)? > 0 {
            length += line.len() as u64;
            if length > FILE_LIMIT {
                return Err(StoreError::TooLarge { path: path.to_owned(), limit: FILE_LIMIT }.into());
            }
            taken.take(path, &line, |record| record)?;
            line.clear();
        }
        let history = taken.finish(name);
        Ok((history.whole.length > 0).then_some(history))
    }

    /// Reads the file of an existing history.
    pub(super) fn required(name: &ProfileName, path: &Path) -> Result<Self, HistoryError> {
        Self::read(name, path)?.ok_or_else(|| HistoryError::Unknown { name: name.clone() })
    }

    /// The history in these bytes.
    pub(super) fn parse(name: &ProfileName, path: &Path, bytes: &[u8]) -> Result<Self, HistoryError> {
        Self::parse_and(name, path, bytes, |record| record)
    }

    /// The history in these bytes, with its records changed by `keep`.
    pub(super) fn parse_and(
        name: &ProfileName,
        path: &Path,
        bytes: &[u8],
        keep: impl Fn(LogRecord) -> LogRecord,
    ) -> Result<Self, HistoryError> {
        let mut taken = LineReader::default();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            taken.take(path, line, &keep)?;
        }
        Ok(taken.finish(name))
    }

    /// Whether the last line is incomplete; it does not count.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        !self.whole.torn.is_empty()
    }

    /// When it was last appended to; `None` if no line has a time.
    #[must_use]
    pub fn changed(&self) -> Option<&str> {
        self.records.iter().rev().find_map(LogRecord::time).filter(|time| !time.is_empty())
    }

    /// For a history of questions, the directory of the last one, as the user writes it.
    #[must_use]
    pub fn root(&self) -> Option<&str> {
        let is_of_questions = self.name.as_str().starts_with(QUESTIONS);
        let mut records = self.records.iter().rev().filter(|_| is_of_questions);
        records.find_map(|record| match record {
            LogRecord::Messages { said, .. } => said.other.get("root")?.as_str(),
            LogRecord::Cleared { root, .. } => root.as_deref(),
            LogRecord::Summary(_) | LogRecord::Undo(_) => None,
        })
    }

    /// The highest number used so far.
    #[must_use]
    pub fn last_number(&self) -> u64 {
        self.records.iter().filter_map(number).max().unwrap_or(0)
    }

    /// The conversation of the last turn, unless the history has only one.
    pub(super) fn last_talk(&self) -> InTalk {
        self.records.iter().rev().find_map(LogRecord::talk).unwrap_or_default()
    }
}

/// The highest turn number that one record shows to be in use.
fn number(record: &LogRecord) -> Option<u64> {
    match record {
        LogRecord::Messages { turn, .. } => Some(*turn),
        LogRecord::Cleared { last, .. } => Some(*last),
        LogRecord::Summary(_) | LogRecord::Undo(_) => None,
    }
}

/// What an append needs to know about a file.
#[derive(Debug, Default)]
pub(super) struct Tail {
    pub whole: WholeLines,
    /// The highest number used so far.
    pub last_number: u64,
    /// The conversation of the last turn, unless the history has only one.
    pub talk: InTalk,
}

impl Tail {
    /// Reads a file from its end until the highest number is known, since turns start in order.
    pub fn read(name: &ProfileName, path: &Path) -> Result<Self, HistoryError> {
        let mut length = 64 * 1024;
        loop {
            let Some(end) = lines::read_end(path, length)? else { return Ok(Self::default()) };
            if end.start + end.bytes.len() as u64 > FILE_LIMIT {
                return Err(StoreError::TooLarge { path: path.to_owned(), limit: FILE_LIMIT }.into());
            }
            if let Some(tail) = Self::of(&end) {
                return Ok(tail);
            }
            if end.start == 0 {
                let history = History::parse(name, path, &end.bytes)?;
                let (last_number, talk) = (history.last_number(), history.last_talk());
                return Ok(Self { last_number, talk, whole: history.whole });
            }
            length *= 4;
        }
    }

    /// `None` if more must be read, to decide or to find the damaged line.
    fn of(end: &FileEnd) -> Option<Self> {
        let is_whole_file = end.start == 0;
        // The text before the first newline may be part of a line.
        let first = if is_whole_file { 0 } else { memchr_iter(b'\n', &end.bytes).next()? + 1 };
        let mut rest = &end.bytes[first..];
        let length = end.start + end.bytes.len() as u64;
        let mut whole = WholeLines { length, ..WholeLines::default() };
        if !rest.is_empty() && !rest.ends_with(b"\n") {
            let start = memrchr(b'\n', rest).map_or(0, |at| at + 1);
            match LogRecord::read(&rest[start..]) {
                Ok(_) => whole.lacks_newline = true,
                Err(_) => {
                    whole.length -= (rest.len() - start) as u64;
                    whole.torn = rest[start..].to_vec();
                    rest = &rest[..start];
                }
            }
        }
        let mut highest = 0;
        while !rest.is_empty() {
            let text = rest.strip_suffix(b"\n").unwrap_or(rest);
            let start = memrchr(b'\n', text).map_or(0, |at| at + 1);
            rest = &rest[..start];
            if text[start..].trim_ascii().is_empty() {
                continue;
            }
            let record = LogRecord::read(&text[start..]).ok()?;
            highest = highest.max(number(&record).unwrap_or(0));
            if let Some(talk) = record.talk() {
                return Some(Self { whole, last_number: highest, talk });
            }
        }
        is_whole_file.then_some(Self { whole, last_number: highest, talk: InTalk::Last })
    }
}
