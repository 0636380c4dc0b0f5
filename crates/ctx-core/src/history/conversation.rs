//! The history that a block continues.

use super::curated::{CleanedPart, Curated};
use super::record::Summary;
use super::turns::Turn;
use crate::store::ProfileName;

/// What a block may show of a history.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// What the history is called.
    pub name: ProfileName,
    /// The last summary, if there is one.
    pub summary: Option<Summary>,
    /// The turns after it, oldest first, without messages of the system.
    pub turns: Vec<Turn>,
    /// The parts of it in which there were secrets or hidden characters.
    pub cleaned: Vec<CleanedPart>,
    /// The most tokens that it takes before its beginning moves.
    pub share: u64,
}

impl Conversation {
    /// What is used of a history.
    #[must_use]
    pub fn new(name: ProfileName, curated: Curated, share: u64) -> Self {
        let turns = curated.turns.into_iter().map(Turn::spoken).collect();
        Self { name, summary: curated.summary, turns, cleaned: curated.cleaned, share }
    }

    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.summary.is_none() && self.turns.is_empty()
    }
}
