//! How large a budget a question needs.

use super::Plan;
use super::beside::is_beside;
use super::best::Best;

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
        let (mut pinned, mut beside, mut named) = (0, 0, 0);
        let mut listed: u64 = self.crowded_out.iter().map(|entry| entry.tokens).sum();
        for item in &self.items {
            let tokens = item.tokens(self.request.measure.counter);
            if item.source.selected_by.pin {
                pinned += tokens;
            } else if is_beside(item) {
                beside += tokens;
            } else if item.source.selected_by.in_every_question {
                listed += tokens;
            } else if !self.only_competes(item) {
                named += tokens;
            }
        }
        let around = FRAME + self.prompt_tokens();
        let all = pinned + beside + listed + named + around;
        let tokens = (beside * 2).max(listed * 4).max(all);
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
