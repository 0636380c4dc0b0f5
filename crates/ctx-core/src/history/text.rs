//! A history as text: a label and a text for each thing that was said.

use std::borrow::Cow;
use std::fmt;

use crate::models::Counter;

use super::message::{Message, Role};
use super::record::{Summary, Turns};
use super::turns::Turn;
use crate::format::Id;
use crate::select::Label;
use crate::words::grouped;

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said<'a> {
    /// Who says it, and in which turn.
    pub voice: Voice<'a>,
    /// The text.
    pub text: &'a str,
}

/// Who says something; written out, it is a label on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Voice<'a> {
    /// A summary of turns.
    Summary(Turns),
    /// Nobody: turns that are not shown.
    Omission {
        /// How many.
        turns: usize,
    },
    /// Somebody, in plain words.
    Speaker {
        /// The number of the turn.
        turn: u64,
        /// The role.
        role: Role,
    },
    /// The model, calling a tool.
    Call {
        /// The number of the turn.
        turn: u64,
        /// The tool.
        tool: Cow<'a, str>,
    },
    /// A tool, with its result.
    Result {
        /// The number of the turn.
        turn: u64,
        /// The tool, if it is known.
        tool: Option<Cow<'a, str>>,
    },
    /// Nobody: how a turn ended.
    End {
        /// The number of the turn.
        turn: u64,
        /// In words.
        how: String,
    },
}

impl fmt::Display for Voice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Summary(turns) => write!(f, "turns {}-{}: summary", turns.from, turns.to),
            Self::Omission { turns: 1 } => f.write_str("… 1 earlier turn omitted …"),
            Self::Omission { turns } => write!(f, "… {} earlier turns omitted …", grouped(*turns as u64)),
            Self::Speaker { turn, role } => write!(f, "turn {turn}: {role}"),
            Self::Call { turn, tool } => write!(f, "turn {turn}: assistant calls {tool}"),
            Self::Result { turn, tool: Some(tool) } => write!(f, "turn {turn}: result of {tool}"),
            Self::Result { turn, tool: None } => write!(f, "turn {turn}: result"),
            Self::End { turn, how } => write!(f, "turn {turn}: {how}"),
        }
    }
}

impl Said<'_> {
    /// The label in its brackets and the text, each on lines of its own; the last line may lack its end.
    #[must_use]
    pub fn labelled(&self, id: Option<Id>) -> String {
        let Self { voice, text } = self;
        let newline = if text.is_empty() { "" } else { "\n" };
        match id {
            Some(id) => format!("[{id} {voice}]{newline}{text}"),
            None => format!("[{voice}]{newline}{text}"),
        }
    }
}

impl Summary {
    /// The summary with its label.
    #[must_use]
    pub fn said(&self) -> Said<'_> {
        Said { voice: Voice::Summary(self.turns), text: &self.content }
    }

    /// What it takes in a history, in tokens.
    #[must_use]
    pub fn tokens(&self, counter: &Counter) -> u64 {
        counter.tokens(&written(&[self.said()], None))
    }
}

impl Turn {
    /// What was said in the turn, in order.
    #[must_use]
    pub fn said(&self) -> Vec<Said<'_>> {
        self.messages.iter().flat_map(|message| self.said_in(message)).collect()
    }

    fn said_in<'a>(&'a self, message: &'a Message) -> Vec<Said<'a>> {
        let turn = self.number;
        let voice = match message.role {
            Role::Tool => Voice::Result { turn, tool: self.tool_of(message).map(one_line) },
            role @ (Role::User | Role::Assistant | Role::System) => Voice::Speaker { turn, role },
        };
        let text = message.content.as_deref();
        let text = text.filter(|_| message.tool_calls.is_empty() || !message.is_blank());
        let calls = message.tool_calls.iter().map(|call| Said {
            voice: Voice::Call { turn, tool: one_line(&call.name) },
            text: &call.arguments,
        });
        text.map(|text| Said { voice, text }).into_iter().chain(calls).collect()
    }

    /// What it takes in a history, in tokens.
    #[must_use]
    pub fn tokens(&self, counter: &Counter) -> u64 {
        counter.tokens(&written(&self.said(), None))
    }
}

/// What was said, a blank line between the texts.
pub(crate) fn written(said: &[Said<'_>], id: Option<Id>) -> String {
    let mut written = String::new();
    for (at, said) in said.iter().enumerate() {
        if at > 0 {
            written.push('\n');
        }
        written.push_str(&said.labelled(id));
        if !written.ends_with('\n') {
            written.push('\n');
        }
    }
    written
}

fn one_line(name: &str) -> Cow<'_, str> {
    Cow::Owned(Label::new(name.as_bytes()).as_str().to_owned())
}
