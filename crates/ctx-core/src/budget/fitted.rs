//! What was decided: what fits, at which level, and why the rest does not.

use super::amount::Trim;
use super::candidate::{Candidate, Layout};
use super::draft::BlockDraft;
use crate::format::{Frame, Id, PrintedDocument};
use crate::report::{Reason, ReasonCode};

/// What became of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Nothing is decided yet, or nothing fits.
    Undecided,
    /// It is printed whole.
    Included {
        /// The tokens of its text.
        tokens: u64,
    },
    /// Its outline is printed.
    Outlined {
        /// The tokens of the outline.
        tokens: u64,
    },
    /// It is printed in part.
    Truncated {
        /// The tokens of the text that is printed.
        tokens: u64,
        /// The text that is printed, the line that says what is missing included.
        text: String,
        /// How many of its lines are missing, one that was cut inside included.
        omitted_lines: u64,
    },
    /// It is not printed, since the reader has it as it would be.
    Unchanged,
    /// It is not printed.
    Dropped {
        /// What decided so.
        reason: DropReason,
    },
    /// Its name is everything that is wanted of it, or everything that there is in place of an outline.
    Listed(ReasonCode),
    /// It cannot or must not be read.
    Skipped(Reason),
}

/// Why a candidate is not printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DropReason {
    /// The block was over budget, and it was the largest.
    Largest,
    /// Its share of the budget was too small to show any of it.
    NoShare,
    /// Others matter more.
    Rank,
    /// The command line asks for others, and they need the room.
    AskedFor,
    /// The prompt refers to it, and what it refers to before has the room that references get.
    Reference,
}

/// What fits, and why the rest does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    /// What became of each candidate, in their order.
    pub fates: Vec<Fate>,
    /// The id that boundaries and labels carry, if they need one.
    pub id: Option<Id>,
    /// The tokens of the block as printed, frame included, without a prompt; 0 without a block.
    pub block_tokens: u64,
    /// The sum of the tokens of the texts that are printed.
    pub document_tokens: u64,
}

impl Fate {
    /// The document as it is printed, if it is.
    pub(super) fn document<'a>(&'a self, candidate: &'a Candidate<'a>) -> Option<PrintedDocument<'a>> {
        match self {
            Self::Included { .. } => Some(candidate.document()),
            Self::Outlined { .. } => candidate.outlined().map(|outline| outline.document()),
            Self::Truncated { text, .. } => {
                Some(PrintedDocument { label: candidate.label, text, change: candidate.in_part() })
            }
            Self::Undecided | Self::Unchanged | Self::Dropped { .. } | Self::Listed(_) | Self::Skipped(_) => {
                None
            }
        }
    }

    pub(super) fn printed_tokens(&self) -> u64 {
        match self {
            Self::Included { tokens } | Self::Outlined { tokens } | Self::Truncated { tokens, .. } => *tokens,
            Self::Undecided | Self::Unchanged | Self::Dropped { .. } | Self::Listed(_) | Self::Skipped(_) => {
                0
            }
        }
    }
}

impl DropReason {
    /// Why a document is dropped by a rule that drops some.
    #[must_use]
    pub fn by(trim: Trim) -> Self {
        match trim {
            Trim::Largest | Trim::Outline => Self::Largest,
            Trim::Truncate => Self::NoShare,
            Trim::Relevant => Self::Rank,
        }
    }
}

impl Fitted {
    /// What comes of no candidates at all.
    #[must_use]
    pub fn nothing() -> Self {
        Self { fates: Vec::new(), id: None, block_tokens: 0, document_tokens: 0 }
    }

    /// The documents of the block, in order; `candidates` are those that were fitted.
    pub fn documents<'a>(
        &'a self,
        candidates: &'a [Candidate<'a>],
    ) -> impl Iterator<Item = PrintedDocument<'a>> + Clone {
        candidates.iter().zip(&self.fates).filter_map(|(candidate, outcome)| outcome.document(candidate))
    }

    /// What stands around the documents; `layout` is the one that they were fitted to.
    #[must_use]
    pub fn frame<'a>(&self, layout: &Layout<'a>) -> Frame<'a> {
        layout.frame(self.id)
    }

    /// The block's tokens less the documents'. Counts do not simply add, so this can be negative.
    #[cfg(test)]
    #[must_use]
    pub fn frame_tokens(&self) -> i64 {
        let signed = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        signed(self.block_tokens) - signed(self.document_tokens)
    }

    /// The same decision about `count` candidates, of which those at `places` were fitted and the others are dropped.
    pub(super) fn among(self, count: usize, places: &[usize], reason: DropReason) -> Self {
        let mut fates = vec![Fate::Dropped { reason }; count];
        for (place, outcome) in places.iter().zip(self.fates) {
            fates[*place] = outcome;
        }
        Self { fates, ..self }
    }

    pub(super) fn new(fates: Vec<Fate>, draft: &mut BlockDraft<'_>) -> Self {
        let document_tokens = fates.iter().map(Fate::printed_tokens).sum();
        Self { fates, id: draft.id(), block_tokens: draft.tokens(), document_tokens }
    }
}
