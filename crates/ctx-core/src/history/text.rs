//! The part of a conversation that a block includes, as labelled text and as messages.

use std::borrow::Cow;
use std::fmt;

use crate::models::Counter;

use super::message::{Message, Role};
use super::record::{Summary, Turns};
use super::turns::Turn;
use crate::forgery::Id;
use crate::select::Label;
use crate::words::grouped;

/// A message with its speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said<'a> {
    /// The speaker, and the turn.
    pub voice: Voice<'a>,
    /// The text.
    pub text: &'a str,
}

/// The speaker of a message, displayed as a label on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Voice<'a> {
    /// A summary of turns.
    Summary(Turns),
    /// A placeholder for omitted turns.
    Omission {
        /// The number of omitted turns.
        turns: usize,
    },
    /// The user, the model or the system, with a plain message.
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
    /// A tool, returning its result.
    Result {
        /// The number of the turn.
        turn: u64,
        /// The tool, if it is known.
        tool: Option<Cow<'a, str>>,
    },
    /// A note at the end of a turn.
    End {
        /// The number of the turn.
        turn: u64,
        /// A description of how the turn ended.
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
    /// The label in brackets, with the text on the following lines. The last line may lack a newline.
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
    /// The summary as a message, with its label.
    #[must_use]
    pub fn said(&self) -> Said<'_> {
        Said { voice: Voice::Summary(self.turns), text: &self.content }
    }

    /// How many tokens the summary takes in a history.
    #[must_use]
    pub fn tokens(&self, counter: &Counter) -> u64 {
        counter.tokens(&written(&[self.said()], None))
    }
}

impl Turn {
    /// The messages of the turn, in order.
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

    /// How many tokens the turn takes in a history.
    #[must_use]
    pub fn tokens(&self, counter: &Counter) -> u64 {
        counter.tokens(&written(&self.said(), None))
    }
}

/// Formats messages under their labels, separated by blank lines.
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

/// The latest summary, if it is included, and the turns after it, up to the latest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chat<'a> {
    /// The summary of all earlier turns.
    pub summary: Option<&'a Summary>,
    /// How many of the oldest turns after the summary are omitted.
    pub omitted: usize,
    /// The turns that are shown.
    pub turns: &'a [Turn],
}

impl<'a> Chat<'a> {
    /// The messages, in order, with a line for the omitted turns.
    #[must_use]
    pub fn said(&self) -> Vec<Said<'a>> {
        self.before_turns().chain(self.turns.iter().flat_map(|turn| turn.said())).collect()
    }

    /// The summary, and the line for the omitted turns.
    fn before_turns(&self) -> impl Iterator<Item = Said<'a>> {
        let omission = Said { voice: Voice::Omission { turns: self.omitted }, text: "" };
        let summary = self.summary.iter().map(|summary| summary.said());
        summary.chain((self.omitted > 0).then_some(omission))
    }

    /// The conversation as messages. The summary and the line for omitted turns become user messages that
    /// begin with their labels. A user message right after another one begins with its label too, so that the
    /// two stay distinct. If there is an id, every user message does.
    #[must_use]
    pub fn messages(&self, id: Option<Id>) -> Vec<Message> {
        let mut messages = self.told(id);
        for turn in self.turns {
            for message in &turn.messages {
                let follows = messages.last().is_some_and(|last| last.continues_with(message));
                let is_labelled = message.role == Role::User && (id.is_some() || follows);
                messages.push(if is_labelled { turn.labelled(message, id) } else { message.clone() });
            }
        }
        messages
    }

    /// The summary and the line for omitted turns as user messages.
    #[must_use]
    pub fn told(&self, id: Option<Id>) -> Vec<Message> {
        self.before_turns().map(|said| Message::text(Role::User, said.labelled(id))).collect()
    }
}

impl Turn {
    /// The message, with its label in front of the text.
    fn labelled(&self, message: &Message, id: Option<Id>) -> Message {
        let voice = Voice::Speaker { turn: self.number, role: message.role };
        let said = Said { voice, text: message.content.as_deref().unwrap_or_default() };
        Message { content: Some(said.labelled(id)), ..message.clone() }
    }
}
