//! The conversations in a history of questions, one of which goes on.

use std::collections::{BTreeMap, BTreeSet};

use super::file::History;
use super::record::{KeptText, LogRecord, Terminal};
use super::{Message, Role};
use crate::entry::Entry;
use crate::guard::Findings;

/// A conversation in a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Talk {
    /// The number of its first turn, which may have been cleared.
    pub number: u64,
    /// The number of its first turn that is still there.
    pub first: u64,
    /// The number of its last turn.
    pub last: u64,
    /// When something was last added to it.
    pub time: String,
    /// The terminal of its last turn, if that was asked on any.
    pub terminal: Option<Terminal>,
}

/// What the questions of a conversation were about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject {
    /// The files, each once, as entries relative to the work root.
    pub files: Vec<Entry>,
    /// What limited the search of the last question that named something, as entries relative to the work root.
    pub within: Vec<Entry>,
    /// The texts that cannot be read again, each with the number of its turn.
    pub texts: Vec<(u64, KeptText)>,
}

impl History {
    /// What the questions of these turns were about.
    pub(super) fn subject(&self, turns: &BTreeSet<u64>) -> Subject {
        let mut subject = Subject::default();
        for record in &self.records {
            let LogRecord::Messages { turn, said, .. } = record else { continue };
            if turns.contains(turn) {
                let is_new = |file: &&Entry| !subject.files.contains(file);
                let new: Vec<Entry> = said.about.iter().filter(is_new).cloned().collect();
                subject.files.extend(new);
                if !said.within.is_empty() {
                    subject.within.clone_from(&said.within);
                }
                subject.texts.extend(said.texts.iter().map(|text| (*turn, text.clone())));
            }
        }
        subject
    }

    /// The conversations, the latest first.
    #[must_use]
    pub fn talks(&self) -> Vec<Talk> {
        let mut talks: BTreeMap<u64, Talk> = BTreeMap::new();
        for turn in self.turns_without_messages() {
            let number = turn.turn.number;
            let talk = talks.entry(turn.talk).or_insert_with(|| Talk {
                number: turn.talk,
                first: number,
                last: number,
                time: String::new(),
                terminal: None,
            });
            (talk.last, talk.time, talk.terminal) = (number, turn.time, turn.terminal);
        }
        let mut talks: Vec<Talk> = talks.into_values().collect();
        talks.sort_by_key(|talk| std::cmp::Reverse(talk.last));
        talks
    }

    /// The conversation that a turn belongs to.
    #[must_use]
    pub fn talk_of(&self, turn: u64) -> Option<u64> {
        self.turns_without_messages()
            .into_iter()
            .find(|known| known.turn.number == turn)
            .map(|known| known.talk)
    }

    /// The user's message in a turn, without secrets.
    #[must_use]
    pub fn question(&self, number: u64) -> String {
        let messages = self.records.iter().filter_map(|record| match record {
            LogRecord::Messages { turn, said, .. } if *turn == number => Some(&said.messages),
            _ => None,
        });
        let is_question = |message: &&Message| message.role == Role::User;
        let asked = messages.flatten().find(is_question).and_then(|message| message.content.clone());
        Findings::default().clean(asked.unwrap_or_default())
    }
}
