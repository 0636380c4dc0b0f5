//! What a model is shown of a history, cleaned: the last summary, and the turns after it.

use ctx_tokens::Counter;

use super::chat::Chat;
use super::ends::head_and_tail;
use super::file::History;
use super::message::{Message, Role, cleaned, joined};
use super::record::Summary;
use super::turns::{RecordedTurn, Turn};

/// The longest result of a tool that is kept whole, in tokens.
pub const LONGEST_RESULT: u64 = 2_000;

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
}

impl Curated {
    /// It as messages, the summary a message of the user that begins with its label; what one and the same
    /// says in a row is one message.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        joined(Chat { summary: self.summary.as_ref(), omitted: 0, turns: &self.turns }.messages(None))
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
        let summary = self
            .summaries()
            .last()
            .map(|summary| Summary { content: cleaned(summary.content.clone()), ..(*summary).clone() });
        let first = summary.as_ref().map_or(1, |summary| summary.turns.to + 1);
        let later: Vec<RecordedTurn> =
            self.turns().into_iter().filter(|turn| turn.turn.number >= first).collect();
        let all = later.len();
        let turns: Vec<Turn> = later
            .into_iter()
            .filter(RecordedTurn::is_complete)
            .map(|turn| shown(turn.turn, counter))
            .collect();
        Curated { summary, left_out: all - turns.len(), turns }
    }

    /// The turns up to one, as if there were no summary.
    #[must_use]
    pub fn originals(&self, to: u64, counter: &Counter) -> Vec<Turn> {
        let turns = self.turns().into_iter();
        let complete = turns.filter(|turn| turn.turn.number <= to && turn.is_complete());
        complete.map(|turn| shown(turn.turn, counter)).collect()
    }
}

fn shown(turn: Turn, counter: &Counter) -> Turn {
    let shown = |message: Message| {
        let message = message.cleaned();
        match (message.role, &message.content) {
            (Role::Tool, Some(text)) => {
                let content = Some(head_and_tail(text, LONGEST_RESULT, counter).into_owned());
                Message { content, ..message }
            }
            (Role::User | Role::Assistant | Role::System | Role::Tool, _) => message,
        }
    };
    Turn { number: turn.number, messages: turn.messages.into_iter().map(shown).collect() }
}
