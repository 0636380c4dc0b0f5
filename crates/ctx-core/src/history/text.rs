//! A history as text: a label and a text for each thing that was said.

use std::fmt::Write as _;

use ctx_tokens::Counter;

use super::curated::Curated;
use super::message::{Message, Role};
use super::record::Summary;
use super::turns::Turn;
use crate::format::Id;
use crate::select::Label;

const BOUNDARY: &str = "--- CHAT HISTORY";

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said<'a> {
    /// What it is called, on one line.
    pub label: String,
    /// The text.
    pub text: &'a str,
}

impl Summary {
    /// The summary with its label.
    #[must_use]
    pub fn said(&self) -> Said<'_> {
        let label = format!("turns {}-{}: summary", self.turns.from, self.turns.to);
        Said { label, text: &self.content }
    }

    /// What it takes in a history, in tokens.
    #[must_use]
    pub fn tokens(&self, counter: &Counter) -> u64 {
        counter.tokens(&people(&[self.said()]))
    }
}

impl Turn {
    /// What was said in the turn, in order.
    #[must_use]
    pub fn said(&self) -> Vec<Said<'_>> {
        self.messages.iter().flat_map(|message| self.said_in(message)).collect()
    }

    fn said_in<'a>(&'a self, message: &'a Message) -> Vec<Said<'a>> {
        let number = self.number;
        let label = match message.role {
            Role::Tool => match self.tool_of(message) {
                Some(tool) => format!("turn {number}: result of {}", one_line(tool)),
                None => format!("turn {number}: result"),
            },
            Role::User | Role::Assistant | Role::System => format!("turn {number}: {}", message.role),
        };
        let text = message.content.as_deref();
        let text = text.filter(|_| message.tool_calls.is_empty() || !message.is_blank());
        let calls = message.tool_calls.iter().map(|call| Said {
            label: format!("turn {number}: assistant calls {}", one_line(&call.name)),
            text: &call.arguments,
        });
        text.map(|text| Said { label, text }).into_iter().chain(calls).collect()
    }

    /// What it takes in a history, in tokens.
    #[must_use]
    pub fn tokens(&self, counter: &Counter) -> u64 {
        counter.tokens(&people(&self.said()))
    }
}

impl Curated {
    /// All that was said, the summary first.
    #[must_use]
    pub fn said(&self) -> Vec<Said<'_>> {
        let turns = self.turns.iter().flat_map(Turn::said);
        self.summary.iter().map(Summary::said).chain(turns).collect()
    }

    /// What it takes, in tokens.
    #[must_use]
    pub fn tokens(&self, counter: &Counter) -> u64 {
        let turns: u64 = self.turns.iter().map(|turn| turn.tokens(counter)).sum();
        turns + self.summary.as_ref().map_or(0, |summary| summary.tokens(counter))
    }
}

/// What was said, for people to read.
#[must_use]
pub fn people(said: &[Said<'_>]) -> String {
    written(said, None)
}

/// What was said, between boundaries that nothing in it can imitate.
#[must_use]
pub fn block(said: &[Said<'_>]) -> String {
    let texts = said.iter().map(|said| said.text);
    let id = texts.clone().any(imitates).then(|| {
        let labels = said.iter().map(|said| said.label.as_str());
        Id::absent_from(texts.chain(labels))
    });
    let boundary = |which: &str| match id {
        Some(id) => format!("{BOUNDARY} {which} {id} ---\n"),
        None => format!("{BOUNDARY} {which} ---\n"),
    };
    boundary("BEGIN") + &written(said, id) + &boundary("END")
}

fn written(said: &[Said<'_>], id: Option<Id>) -> String {
    let mut written = String::new();
    for (at, said) in said.iter().enumerate() {
        if at > 0 {
            written.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = match id {
            Some(id) => writeln!(written, "[{id} {}]", said.label),
            None => writeln!(written, "[{}]", said.label),
        };
        written.push_str(said.text);
        if !said.text.is_empty() && !said.text.ends_with('\n') {
            written.push('\n');
        }
    }
    written
}

/// Whether a reader could take a line of the text for a boundary or a label.
fn imitates(text: &str) -> bool {
    text.split(['\n', '\r']).any(|line| {
        let line = line.trim().to_ascii_lowercase();
        line.starts_with("[turn") && line.ends_with(']') || line.starts_with(&BOUNDARY.to_ascii_lowercase())
    })
}

fn one_line(name: &str) -> String {
    Label::new(name.as_bytes()).as_str().to_owned()
}
