//! The part of a conversation that a block shows.

use super::message::{Message, Role};
use super::record::Summary;
use super::text::{Said, Voice};
use super::turns::Turn;
use crate::format::Id;

/// The last summary, if it is shown, and turns up to the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chat<'a> {
    /// What is reported of the turns before all others.
    pub summary: Option<&'a Summary>,
    /// How many turns after the summary are not shown: the oldest.
    pub omitted: usize,
    /// The turns that are shown.
    pub turns: &'a [Turn],
}

impl<'a> Chat<'a> {
    /// What was said, in order, with a line for the turns that are not shown.
    #[must_use]
    pub fn said(&self) -> Vec<Said<'a>> {
        self.before_turns().chain(self.turns.iter().flat_map(|turn| turn.said())).collect()
    }

    /// The summary, and the line for the turns that are not shown.
    fn before_turns(&self) -> impl Iterator<Item = Said<'a>> {
        let omission = Said { voice: Voice::Omission { turns: self.omitted }, text: "" };
        let summary = self.summary.iter().map(|summary| summary.said());
        summary.chain((self.omitted > 0).then_some(omission))
    }

    /// The conversation as messages. The summary and the line for omitted turns become user messages that begin with
    /// their labels. A user message right after another one begins with its label too, so that the two stay apart; if
    /// there is an id, every user message does.
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
    /// A message that begins with its label.
    fn labelled(&self, message: &Message, id: Option<Id>) -> Message {
        let voice = Voice::Speaker { turn: self.number, role: message.role };
        let said = Said { voice, text: message.content.as_deref().unwrap_or_default() };
        Message { content: Some(said.labelled(id)), ..message.clone() }
    }
}
