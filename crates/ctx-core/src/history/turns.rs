//! Turns: a user's question and everything until the next one.

use std::collections::{BTreeMap, BTreeSet};

use super::file::History;
use super::message::{Message, Role};
use super::record::{InTalk, LogRecord, Summary, Terminal, Turns};

/// A turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its number, from 1; numbers are never reused.
    pub number: u64,
    /// The messages, in order.
    pub messages: Vec<Message>,
}

/// Whether messages end with an answer; system messages do not count.
pub(super) fn is_answered(messages: &[Message]) -> bool {
    let spoken = |message: &&Message| message.role != Role::System;
    messages.iter().rfind(spoken).is_some_and(Message::is_answer)
}

/// A turn with everything recorded about it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedTurn {
    /// The turn.
    pub turn: Turn,
    /// The exit code of the program that answered, if it is not 0.
    pub exit: Option<i64>,
    /// Whether the answer is incomplete.
    pub cut: bool,
    /// The number of the first turn in its conversation; that turn may have been cleared.
    pub talk: u64,
    /// The terminal on which it was asked, if on any.
    pub terminal: Option<Terminal>,
    /// When something was last added to it.
    pub time: String,
    /// The index of its last record.
    pub(super) last_record: usize,
}

impl RecordedTurn {
    /// Whether a model may see it: it did not fail, its calls and results match, and it has an answer, even an
    /// interrupted one.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        (self.exit.is_none() || self.cut) && self.turn.is_answered() && self.turn.is_paired()
    }
}

impl Turn {
    /// The turn without system messages, which models never see.
    #[must_use]
    pub fn spoken(mut self) -> Self {
        self.messages.retain(|message| message.role != Role::System);
        self
    }

    /// Whether it ends with an answer.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        is_answered(&self.messages)
    }

    /// Whether every call is followed by exactly one result, and every result belongs to a call.
    #[must_use]
    pub fn is_paired(&self) -> bool {
        let mut open = BTreeSet::new();
        for message in &self.messages {
            if message.tool_calls.iter().any(|call| !open.insert(call.id.as_str())) {
                return false;
            }
            let is_result = message.role == Role::Tool;
            if is_result && !message.tool_call_id.as_deref().is_some_and(|id| open.remove(id)) {
                return false;
            }
        }
        open.is_empty()
    }

    /// The ids of the calls that have no result yet, in order.
    #[must_use]
    pub fn open_calls(&self) -> Vec<&str> {
        let results: BTreeSet<&str> =
            self.messages.iter().filter_map(|message| message.tool_call_id.as_deref()).collect();
        let calls = self.messages.iter().flat_map(|message| &message.tool_calls);
        calls.map(|call| call.id.as_str()).filter(|id| !results.contains(id)).collect()
    }

    /// The name of the tool that returned a result in this turn: from the call or, if there was no call, from
    /// the result.
    #[must_use]
    pub fn tool_of<'a>(&'a self, result: &'a Message) -> Option<&'a str> {
        let id = result.tool_call_id.as_deref();
        let call = self.messages.iter().flat_map(|message| &message.tool_calls);
        let called = call.into_iter().find(|call| Some(call.id.as_str()) == id);
        called.map(|call| call.name.as_str()).or(result.name.as_deref())
    }
}

impl History {
    /// The numbers of all turns.
    #[must_use]
    pub fn numbers(&self) -> BTreeSet<u64> {
        let number = |record: &LogRecord| match record {
            LogRecord::Messages { turn, .. } => Some(*turn),
            LogRecord::Summary(_) | LogRecord::Undo(_) | LogRecord::Cleared { .. } => None,
        };
        self.records.iter().filter_map(number).collect()
    }

    /// All turns, by number.
    #[must_use]
    pub fn turns(&self) -> Vec<RecordedTurn> {
        self.turns_where(|_| true)
    }

    /// Some turns, by number.
    #[must_use]
    pub fn turns_where(&self, is_wanted: impl Fn(u64) -> bool) -> Vec<RecordedTurn> {
        let messages = self.records.iter().filter_map(|record| match record {
            LogRecord::Messages { turn, said, .. } if is_wanted(*turn) => {
                Some((*turn, said.messages.clone()))
            }
            _ => None,
        });
        with_messages(self.turns_without_messages(), messages, &is_wanted)
    }

    /// Moves some turns out of the history, by number: their texts take most of the memory.
    pub(super) fn take_turns(&mut self, is_wanted: impl Fn(u64) -> bool) -> Vec<RecordedTurn> {
        let turns = self.turns_without_messages();
        let messages = self.records.iter_mut().filter_map(|record| match record {
            LogRecord::Messages { turn, said, .. } => Some((*turn, std::mem::take(&mut said.messages))),
            _ => None,
        });
        with_messages(turns, messages, &is_wanted)
    }

    /// All turns, by number, with everything but their messages.
    pub(super) fn turns_without_messages(&self) -> Vec<RecordedTurn> {
        let mut turns: BTreeMap<u64, RecordedTurn> = BTreeMap::new();
        for (place, record) in self.records.iter().enumerate() {
            let LogRecord::Messages { turn: number, said, time } = record else { continue };
            let turn = turns.entry(*number).or_insert_with(|| RecordedTurn {
                turn: Turn { number: *number, messages: Vec::new() },
                exit: None,
                cut: false,
                talk: 0,
                terminal: None,
                time: String::new(),
                last_record: place,
            });
            turn.last_record = place;
            turn.exit = turn.exit.or(said.exit.filter(|exit| *exit != 0));
            turn.cut |= said.cut;
            turn.time.clone_from(time);
            turn.terminal = turn.terminal.take().or_else(|| said.terminal.clone());
            turn.talk = match said.talk {
                InTalk::Last => turn.talk,
                InTalk::New => *number,
                InTalk::Of(talk) => talk,
            };
        }
        let mut talk = 1;
        for turn in turns.values_mut() {
            if turn.talk == 0 {
                turn.talk = talk;
            }
            talk = turn.talk;
        }
        turns.into_values().collect()
    }

    /// The summaries that have not been undone, the latest last.
    #[must_use]
    pub fn summaries(&self) -> Vec<&Summary> {
        self.placed_summaries().into_iter().map(|(_, summary)| summary).collect()
    }

    /// The summaries that have not been undone, each with the index of its record.
    pub(super) fn placed_summaries(&self) -> Vec<(usize, &Summary)> {
        let mut summaries = Vec::new();
        for (place, record) in self.records.iter().enumerate() {
            match record {
                LogRecord::Summary(summary) => summaries.push((place, summary)),
                LogRecord::Undo(turns) => remove_last(&mut summaries, *turns),
                LogRecord::Messages { .. } | LogRecord::Cleared { .. } => {}
            }
        }
        summaries
    }
}

/// The turns that are wanted, each with its messages.
fn with_messages(
    mut turns: Vec<RecordedTurn>,
    messages: impl Iterator<Item = (u64, Vec<Message>)>,
    is_wanted: impl Fn(u64) -> bool,
) -> Vec<RecordedTurn> {
    turns.retain(|turn| is_wanted(turn.turn.number));
    for (number, messages) in messages {
        if let Ok(at) = turns.binary_search_by_key(&number, |turn| turn.turn.number) {
            turns[at].turn.messages.extend(messages);
        }
    }
    turns
}

fn remove_last(summaries: &mut Vec<(usize, &Summary)>, turns: Turns) {
    if let Some(at) = summaries.iter().rposition(|(_, summary)| summary.turns == turns) {
        summaries.remove(at);
    }
}
