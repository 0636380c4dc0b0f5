//! What a model is shown of a history, cleaned: the last summary, and the turns after it.

use crate::models::Counter;

use super::chat::Chat;
use super::ends::head_and_tail;
use super::file::History;
use super::message::{Message, Role, joined};
use super::record::Summary;
use super::text::Said;
use super::turns::{RecordedTurn, Turn};
use crate::format::absent_id;
use crate::guard::Findings;

/// The longest result of a tool that is kept whole, in tokens.
pub const LONGEST_RESULT: u64 = 2_000;

/// A part of a history in which there was something to make safe.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanedPart {
    /// The turn; none for the summary.
    pub turn: Option<u64>,
    /// What there was.
    pub found: Findings,
}

/// The part of a history that is used, without secrets and with hidden characters made visible.
///
/// Turns that failed, that have no answer, or in which a call lacks its result or a result its call are left
/// out. Messages of the system are in it; they are shown to people, and left out of blocks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curated {
    /// What stands for all turns before the others.
    pub summary: Option<Summary>,
    /// The turns after it, by their numbers.
    pub turns: Vec<Turn>,
    /// How many turns after the summary were left out.
    pub left_out: usize,
    /// The parts of it in which there were secrets or hidden characters.
    pub cleaned: Vec<CleanedPart>,
}

impl Curated {
    /// The history as messages. The summary is a user message that begins with a label that no other text can
    /// imitate; consecutive messages of one role are joined.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        let chat = self.chat();
        joined(chat.messages(absent_id(&chat.said())))
    }

    fn chat(&self) -> Chat<'_> {
        Chat { summary: self.summary.as_ref(), omitted: 0, turns: &self.turns }
    }

    /// Everything that was said, the summary first.
    #[must_use]
    pub fn said(&self) -> Vec<Said<'_>> {
        self.chat().said()
    }

    /// What it takes, in tokens.
    #[must_use]
    pub fn tokens(&self, counter: &Counter) -> u64 {
        let turns: u64 = self.turns.iter().map(|turn| turn.tokens(counter)).sum();
        turns + self.summary.as_ref().map_or(0, |summary| summary.tokens(counter))
    }
}

impl History {
    /// All messages of all turns, as they are stored.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        self.turns().into_iter().flat_map(|turn| turn.turn.messages).collect()
    }

    /// The part of it that is used; results of tools that are long keep their beginning and their end.
    #[must_use]
    pub fn curated(&self, counter: &Counter) -> Curated {
        let mut cleaned = Vec::new();
        let all = self.turns();
        let beginning = all.iter().rev().find(|turn| turn.begins).map_or(1, |turn| turn.turn.number);
        let last = self.placed_summaries().pop().filter(|(_, summary)| summary.turns.to >= beginning);
        let summary = last.map(|(_, summary)| {
            let mut found = Findings::default();
            let content = found.clean(summary.content.clone());
            cleaned.push(CleanedPart { turn: None, found });
            Summary { content, ..summary.clone() }
        });
        // A turn that was still open when it was summarised is not in the summary.
        let is_later = |turn: &RecordedTurn| {
            let is_open = last.is_none_or(|(place, summary)| {
                turn.turn.number > summary.turns.to || turn.last_record > place
            });
            is_open && turn.turn.number >= beginning
        };
        let later: Vec<RecordedTurn> = all.into_iter().filter(is_later).collect();
        let all = later.len();
        let turns: Vec<Turn> = later
            .into_iter()
            .filter(RecordedTurn::is_complete)
            .map(|turn| {
                let ShownTurn { turn, found } = shown(turn.turn, counter);
                cleaned.push(CleanedPart { turn: Some(turn.number), found });
                turn
            })
            .collect();
        cleaned.retain(|part| !part.found.is_empty());
        Curated { summary, left_out: all - turns.len(), turns, cleaned }
    }

    /// The turns up to one, as if there were no summary.
    #[must_use]
    pub fn originals(&self, to: u64, counter: &Counter) -> Vec<Turn> {
        let turns = self.turns().into_iter();
        let complete = turns.filter(|turn| turn.turn.number <= to && turn.is_complete());
        complete.map(|turn| shown(turn.turn, counter).turn).collect()
    }
}

/// A turn as it is shown, and what had to be done to what a model sees of it.
struct ShownTurn {
    turn: Turn,
    found: Findings,
}

fn shown(turn: Turn, counter: &Counter) -> ShownTurn {
    let mut found = Findings::default();
    let shown = |message: Message| {
        let message = match message.role {
            Role::System => message.clean(&mut Findings::default()),
            Role::User | Role::Assistant | Role::Tool => message.clean(&mut found),
        };
        match (message.role, &message.content) {
            (Role::Tool, Some(text)) => {
                let content = Some(head_and_tail(text, LONGEST_RESULT, counter).into_owned());
                Message { content, ..message }
            }
            (Role::User | Role::Assistant | Role::System | Role::Tool, _) => message,
        }
    };
    let messages = turn.messages.into_iter().map(shown).collect();
    ShownTurn { turn: Turn { number: turn.number, messages }, found }
}
