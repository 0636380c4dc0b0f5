//! Appending: what starts a turn, what joins one, and how several turns are appended at once.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::file::{History, Tail};
use super::message::{Message, Role};
use super::record::{InTalk, LogRecord, NewMessages, messages_line};
use super::turns::{Turn, is_answered};
use super::{FILE_LIMIT, HistoryError, LINE_LIMIT};
use crate::store::lines::{self, LineWriter, WholeLines};
use crate::store::{ProfileName, Store};
use crate::words::timestamp;

impl NewMessages {
    /// Messages without a source.
    #[must_use]
    pub fn of(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }

    fn line(&self, turn: u64, time: &str) -> Result<String, HistoryError> {
        let line = messages_line(turn, time, self);
        if line.len() as u64 >= LINE_LIMIT { Err(HistoryError::LineTooLong) } else { Ok(line) }
    }
}

/// The turns that an append started, or the one that it joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The number of the first one.
    pub first: u64,
    /// How many turns were appended to.
    pub turns: usize,
    /// The file that contains what was cut off from the end of the history, if anything was.
    pub torn: Option<PathBuf>,
}

/// The messages to append at once: those that join a turn, followed by new turns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Addition {
    /// The messages that join an existing turn.
    pub joining: Vec<Message>,
    /// The turn that they join; the last one if none is named.
    pub joined: Option<u64>,
    /// New turns, each with a user message.
    pub turns: Vec<NewMessages>,
}

impl Addition {
    /// One turn.
    #[must_use]
    pub fn turn(turn: NewMessages) -> Self {
        Self { turns: vec![turn], ..Self::default() }
    }

    /// Messages in order: each user message starts a turn, and messages before the first one join an existing
    /// turn. System messages after an answer, or before the first turn, belong to the next one.
    #[must_use]
    pub fn of(messages: Vec<Message>) -> Self {
        let mut addition = Self::default();
        let mut waiting = Vec::new();
        for message in messages {
            match (message.role, addition.turns.last_mut()) {
                (Role::User, _) => {
                    waiting.push(message);
                    addition.turns.push(NewMessages::of(std::mem::take(&mut waiting)));
                }
                (Role::System, Some(turn)) if is_answered(&turn.messages) => waiting.push(message),
                (Role::System, None) => waiting.push(message),
                (Role::Assistant | Role::System | Role::Tool, Some(turn)) => turn.messages.push(message),
                (Role::Assistant | Role::Tool, None) => {
                    addition.joining.append(&mut waiting);
                    addition.joining.push(message);
                }
            }
        }
        match addition.turns.last_mut() {
            Some(turn) => turn.messages.append(&mut waiting),
            None => addition.joining.append(&mut waiting),
        }
        addition
    }
}

impl Store {
    /// Appends messages to a turn, then new turns: either all of them or none.
    ///
    /// # Errors
    /// If the turn does not exist, is answered, or is not waiting for a result; if a line or the file would
    /// be too long; if the file is damaged, as far as it has to be read; and errors from changing the store.
    pub fn append_history(
        &self,
        name: &ProfileName,
        addition: Addition,
        now: SystemTime,
    ) -> Result<Appended, HistoryError> {
        let (path, time) = (&self.history_file(name), &timestamp(now));
        let Addition { joining, joined, turns } = addition;
        if joining.is_empty() && turns.is_empty() {
            return Err(HistoryError::Nothing);
        }
        self.writing(|writer| {
            let (joining, turns) = (joining.clone(), turns.clone());
            let (mut lines, whole, last, first, mut talk) = if joining.is_empty() {
                let tail = Tail::read(name, path)?;
                (Vec::new(), tail.whole, tail.last_number, tail.last_number + 1, tail.talk)
            } else {
                let history =
                    History::read(name, path)?.ok_or_else(|| HistoryError::NoTurns { name: name.clone() })?;
                let (number, line) = joined_line(&history, joining, joined, time)?;
                (vec![line], history.whole.clone(), history.last_number(), number, history.last_talk())
            };
            let count = turns.len() + lines.len();
            for (mut turn, number) in turns.into_iter().zip(last + 1..) {
                // Named, it stays right even if the turns before it are cleared.
                if turn.talk == InTalk::Last {
                    turn.talk = talk;
                }
                talk = turn.talk.of_turn(number);
                lines.push(turn.line(number, time)?);
            }
            let torn = write(writer, name, path, &whole, &lines)?;
            Ok(Appended { first, turns: count, torn })
        })
    }
}

fn joined_line(
    history: &History,
    joining: Vec<Message>,
    joined: Option<u64>,
    time: &str,
) -> Result<(u64, String), HistoryError> {
    let name = &history.name;
    let last = || history.numbers().last().copied();
    let number = joined.or_else(last).ok_or_else(|| HistoryError::NoTurns { name: name.clone() })?;
    let found = history.turns_where(|other| other == number).pop();
    let mut turn = found.ok_or_else(|| HistoryError::NoSuchTurn { name: name.clone(), turn: number })?.turn;
    let before = turn.messages.len();
    for message in joining {
        let message = fitting(message, &turn, name)?;
        turn.messages.push(message);
    }
    let line = NewMessages::of(turn.messages.split_off(before)).line(turn.number, time)?;
    Ok((turn.number, line))
}

/// Checks that a message can join a turn, and returns it. A result that does not name its call belongs to the
/// first open call.
fn fitting(message: Message, turn: &Turn, name: &ProfileName) -> Result<Message, HistoryError> {
    if turn.is_answered() {
        return Err(HistoryError::Answered { name: name.clone(), turn: turn.number });
    }
    if message.role != Role::Tool {
        return Ok(message);
    }
    let open = turn.open_calls();
    let call = match &message.tool_call_id {
        Some(id) => open.into_iter().find(|open| open == id),
        None => open.into_iter().next(),
    };
    match call {
        Some(call) => Ok(Message { tool_call_id: Some(call.to_owned()), ..message }),
        None => {
            Err(HistoryError::NoOpenCall { name: name.clone(), turn: turn.number, id: message.tool_call_id })
        }
    }
}

/// Appends one line, or replaces the file to write several, so that either all of them are written or none.
/// Lines that could not be read back are not written. Returns the file that contains what was cut off, if
/// anything was.
pub(super) fn write(
    writer: &LineWriter,
    name: &ProfileName,
    path: &Path,
    whole: &WholeLines,
    lines: &[String],
) -> Result<Option<PathBuf>, HistoryError> {
    for line in lines {
        LogRecord::read(line.as_bytes()).map_err(|reason| HistoryError::Unreadable { reason })?;
    }
    let added: u64 = lines.iter().map(|line| line.len() as u64 + 1).sum();
    if whole.length + added + 1 > FILE_LIMIT {
        return Err(HistoryError::FileTooLarge { name: name.clone() });
    }
    match lines {
        [] => Ok(None),
        [line] => Ok(writer.append(path, whole, line)?),
        added_lines => {
            let bytes = lines::read(path, FILE_LIMIT)?;
            let keep = LogRecord::without_texts;
            let parsed =
                bytes.as_deref().map(|bytes| History::parse_and(name, path, bytes, keep)).transpose()?;
            let whole = parsed.map_or_else(Default::default, |history| history.whole);
            let mut text = bytes.as_deref().unwrap_or_default().to_vec();
            text.truncate(usize::try_from(whole.length).unwrap_or(usize::MAX));
            let torn = writer.keep_torn(path, &whole)?;
            if whole.lacks_newline {
                text.push(b'\n');
            }
            for line in added_lines {
                text.extend_from_slice(line.as_bytes());
                text.push(b'\n');
            }
            writer.replace(path, bytes.as_deref(), &text)?;
            Ok(torn)
        }
    }
}
