//! How large a budget a question needs.

use super::Plan;
use super::beside::is_beside;
use super::best::Best;
use super::listed::is_of_built_in;
use crate::budget::Priority;

/// Roughly how many tokens a block takes without its documents.
const FRAME: u64 = 200;

/// A budget, and what it has room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeededRoom {
    /// The tokens of the budget.
    pub tokens: u64,
    /// What fits in it.
    pub of: RoomFor,
}

/// What a budget has room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoomFor {
    /// What the question names or pins, and what is on the list in every question.
    Named,
    /// What is on the list in every question.
    List,
    /// What answers the question best.
    Best,
}

impl Plan {
    /// A larger budget that leaves whole what a question names and what is on the list in every question or, if that is
    /// whole, what answers best; `None` without a question, or if all of it is whole.
    #[must_use]
    pub fn needed_room(&self) -> Option<NeededRoom> {
        self.request.looked_through.as_ref()?;
        let (mut pinned, mut beside, mut named, mut referenced) = (0, 0, 0, 0);
        // The built-in list has a share of its own.
        let mut listed = [0, 0];
        for entry in &self.crowded_out {
            listed[usize::from(self.request.entries[entry.id.0].is_built_in())] += entry.tokens;
        }
        for item in &self.items {
            let tokens = item.tokens(self.request.measure.counter);
            if item.source.selected_by.pin {
                pinned += tokens;
            } else if is_beside(item) {
                beside += tokens;
            } else if item.source.selected_by.in_every_question.is_some() {
                listed[usize::from(is_of_built_in(&self.request, item))] += tokens;
            } else if !self.only_competes(item) {
                named += tokens;
                referenced += if item.priority == Priority::Referenced { tokens } else { 0 };
            }
        }
        let around = FRAME + self.prompt_tokens();
        let [own, built_in] = listed;
        let listed = own + built_in;
        let all = pinned + beside + listed + named + around;
        let shares = (beside * 2).max(own * 4).max(built_in * 4).max(referenced * 2);
        let tokens = shares.max(all);
        let is_larger = |room: &NeededRoom| self.limit.is_none_or(|limit| room.tokens > limit);
        let of = if pinned + beside + named > 0 { RoomFor::Named } else { RoomFor::List };
        let best = || {
            let best = Best::of(self).filter(|best| best.is_cut())?;
            Some(NeededRoom {
                tokens: tokens + best.tokens(self.request.measure.counter)?,
                of: RoomFor::Best,
            })
        };
        let asked = Some(NeededRoom { tokens, of }).filter(|_| pinned + beside + listed + named > 0);
        asked.filter(is_larger).or_else(best).filter(is_larger)
    }
}
