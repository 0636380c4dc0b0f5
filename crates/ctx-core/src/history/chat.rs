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

    /// The same as messages; what is no message is one of the user that begins with its label.
    #[must_use]
    pub fn messages(&self, id: Option<Id>) -> Vec<Message> {
        let told = self.summary.iter().map(|summary| summary.said()).chain(self.omission());
        let told = told.map(|said| Message::text(Role::User, said.labelled(id)));
        told.chain(self.turns.iter().flat_map(|turn| turn.messages.iter().cloned())).collect()
    }
}
