//! From measured documents to a selection that fits.
//!
//! The cap is hard: the tokens of the block as printed never exceed the limit. Every decision is based on the
//! exact tokens of a whole block. A draft keeps them up to date while candidates come and go, so a decision costs
//! only the few bytes around a seam, not a recount.
//!
//! Deciding is separate from measuring: a [`Candidate`] is already measured, and candidates that are certain
//! to be dropped are neither scanned nor laid out.

mod amount;
mod candidate;
mod cascade;
mod chat;
mod cut;
mod draft;
mod error;
mod fitted;
mod fitting;
mod harmless;
mod largest;
mod ledger;
mod node;
mod relevant;
mod search;
mod step;
mod truncate;
mod values;

#[cfg(test)]
mod tests;

pub use amount::{Budget, Trim};
pub use candidate::{Block, Candidate, Layout, Outline, Passages, Priority, ScoredLines, Showing};
pub use chat::{FittedBeside, ShownChat, fit_beside, room_for, within_share};
pub(crate) use cut::next_lines;
pub use error::{DocumentCost, FitError, FramePart};
pub use fitted::{DropReason, Fate, Fitted, Truncated};
pub(crate) use fitting::least_units;
pub use relevant::{VIEWS, to_be_read};

use draft::BlockDraft;
use fitting::Fitting;
use node::Edges;

use crate::models::Counter;

/// Decides which of `candidates` are printed, and how, so that the block stays within its limit.
///
/// Priorities are fitted one by one, the highest first: what fits stays whole, the rule applies to the first that does not
/// fit, and those below it are dropped.
///
/// # Errors
/// If there are candidates but none fits, or if those that must not be dropped exceed the limit on their own.
pub fn fit(candidates: &[Candidate<'_>], block: &Block<'_>, trim: Trim) -> Result<Fitted, FitError> {
    let edges = Edges::default();
    Fitting { candidates, class: Priority::Shown, trim, block: *block, edges: &edges }.fit()
}

/// Includes all candidates without counting anything, for a block that has no cap and whose cost is not
/// needed. The counts in the result are 0.
#[must_use]
pub fn take_all(candidates: &[Candidate<'_>], layout: &Layout<'_>) -> Fitted {
    let edges = Edges::default();
    let block = Block { layout: *layout, counter: Counter::default(), limit: None, threads: 1 };
    let draft = BlockDraft::new(candidates.into(), block, &edges, 0..candidates.len());
    let fates = vec![Fate::Included { tokens: 0 }; candidates.len()];
    Fitted { fates, id: draft.id(), block_tokens: 0, document_tokens: 0 }
}
