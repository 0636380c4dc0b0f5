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
        let summary = self.summary.iter().map(|summary| summary.said());
        let turns = self.turns.iter().flat_map(|turn| turn.said());
        summary.chain(self.omission()).chain(turns).collect()
    }

    fn omission(&self) -> Option<Said<'a>> {
        (self.omitted > 0).then_some(Said { voice: Voice::Omission { turns: self.omitted }, text: "" })
    }

    /// The same as messages. What is no message is one of the user that begins with its label; so does what the
    /// user says directly after it, and with an id all that the user says.
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

    /// What is no message as messages of the user.
    #[must_use]
    pub fn told(&self, id: Option<Id>) -> Vec<Message> {
        let told = self.summary.iter().map(|summary| summary.said()).chain(self.omission());
        told.map(|said| Message::text(Role::User, said.labelled(id))).collect()
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
