//! The decision: what fits, at which level, and why the rest does not.

use super::amount::Trim;
use super::candidate::{Candidate, Layout};
use super::draft::BlockDraft;
use crate::format::{Frame, Id, PrintedDocument};
use crate::guard::CleanText;
use crate::report::{Reason, ReasonCode};
use ctx_outline::Lines;

/// What happened to a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Not decided yet, or nothing fits, so there is no block.
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
    /// It is printed in part. Few documents are, and there may be very many documents.
    Truncated(Box<Truncated>),
    /// It is not printed, because the reader already has it.
    Unchanged,
    /// It is not printed.
    Dropped {
        /// The reason.
        reason: DropReason,
    },
    /// Only its name is requested, or it has no outline.
    Listed(ReasonCode),
    /// It cannot or must not be read.
    Skipped(Reason),
}

/// The part of a document that is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truncated {
    /// The tokens of the printed text.
    pub tokens: u64,
    /// The printed text, including the marker line.
    pub text: CleanText,
    /// How many of its lines are missing, including one that was cut in the middle.
    pub omitted_lines: u64,
    /// From which line to which it is printed, if its label says so.
    pub lines: Option<Lines>,
    /// The lines that are printed as a whole, counted from the first line of the text that was cut.
    pub kept: Vec<Lines>,
}

/// Why a candidate is not printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DropReason {
    /// The block was over budget, and this candidate was the largest.
    Largest,
    /// Its share of the budget was too small to show any of it.
    NoShare,
    /// Others matter more.
    Rank,
    /// Nothing in it answers the question, so it is not printed even if there is room.
    Unmatched,
    /// The command line asks for other documents, which need the room.
    AskedFor,
    /// The prompt refers to it, but earlier references take all the room for references.
    Reference,
}

impl From<DropReason> for Reason {
    fn from(reason: DropReason) -> Self {
        let text = match reason {
            DropReason::Largest => "over budget; the largest files go first",
            DropReason::Rank => "over budget, and others matter more",
            DropReason::Unmatched => return ReasonCode::Unmatched.into(),
            DropReason::AskedFor => "over budget, and the files you named need the room",
            DropReason::Reference => "the references in the prompt may use only half the budget",
            DropReason::NoShare => "its share of the budget is too small to show any of it",
        };
        Self::new(ReasonCode::OverBudget, text)
    }
}

/// What fits, and why the rest does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    /// What happened to each candidate, in order.
    pub fates: Vec<Fate>,
    /// The id that boundaries and labels carry, if they need one.
    pub id: Option<Id>,
    /// The tokens of the block as printed, including the frame, without a prompt; 0 without a block.
    pub block_tokens: u64,
    /// The sum of the printed documents' tokens.
    pub document_tokens: u64,
}

impl Fate {
    /// The printed form of the document; `None` if it is not printed.
    pub(super) fn document<'a>(&'a self, candidate: &'a Candidate<'a>) -> Option<PrintedDocument<'a>> {
        match self {
            Self::Included { .. } => Some(candidate.document()),
            Self::Outlined { .. } => candidate.outlined().map(|outline| outline.document()),
            Self::Truncated(part) => {
                let (label, change) = (candidate.label, candidate.in_part());
                Some(PrintedDocument { label, lines: part.lines, text: &part.text, change })
            }
            Self::Undecided | Self::Unchanged | Self::Dropped { .. } | Self::Listed(_) | Self::Skipped(_) => {
                None
            }
        }
    }

    pub(super) fn printed_tokens(&self) -> u64 {
        match self {
            Self::Included { tokens } | Self::Outlined { tokens } => *tokens,
            Self::Truncated(part) => part.tokens,
            Self::Undecided | Self::Unchanged | Self::Dropped { .. } | Self::Listed(_) | Self::Skipped(_) => {
                0
            }
        }
    }
}

impl DropReason {
    /// Why a rule drops a document.
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
    /// The result for no candidates.
    #[must_use]
    pub fn nothing() -> Self {
        Self { fates: Vec::new(), id: None, block_tokens: 0, document_tokens: 0 }
    }

    /// The documents of the block, in order; `candidates` are the ones that were fitted.
    pub fn documents<'a>(
        &'a self,
        candidates: &'a [Candidate<'a>],
    ) -> impl Iterator<Item = PrintedDocument<'a>> + Clone {
        candidates.iter().zip(&self.fates).filter_map(|(candidate, outcome)| outcome.document(candidate))
    }

    /// The frame around the documents; `layout` is the one they were fitted to.
    #[must_use]
    pub fn frame<'a>(&self, layout: &Layout<'a>) -> Frame<'a> {
        layout.frame(self.id)
    }

    /// The block's tokens minus the documents'. It can be negative, since counts do not simply add up.
    #[cfg(test)]
    #[must_use]
    pub fn frame_tokens(&self) -> i64 {
        let signed = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        signed(self.block_tokens) - signed(self.document_tokens)
    }

    /// The same decision for `count` candidates, of which those at `places` were fitted; the others are dropped.
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
