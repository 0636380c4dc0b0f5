//! The reasons why a block can't be printed, as messages.

use super::Trim;
use crate::report::ReasonCode;
use crate::words::{all_of, grouped, some_of};
use crate::words::{figure, tokens};

/// A document and its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentCost {
    /// Its name.
    pub label: String,
    /// The tokens of its text.
    pub tokens: u64,
}

/// Why a block can't be printed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// Documents were selected, but none fits.
    #[error(
        "nothing fits in {}: {} '{}', needs {}",
        tokens(*limit, false),
        if *is_passage { "the best passage, in" } else { "even the smallest file," },
        nearest.label,
        figure(*needed, *estimated)
    )]
    NothingFits {
        /// The limit, in tokens.
        limit: u64,
        /// The document with the fewest tokens, or the one with the best passage.
        nearest: DocumentCost,
        /// Whether the best match is a passage.
        is_passage: bool,
        /// The tokens of a block with only that document or passage.
        needed: u64,
        /// Whether the counts are estimates.
        estimated: bool,
    },
    /// The pinned and named documents, which must be kept, exceed the limit on their own.
    #[error(
        "{} need {} tokens{}, but the budget is {}: {}",
        all_of(std::iter::once("the files you pinned or named").chain(beside.iter().map(|part| part.name()))),
        figure(least.unwrap_or(*needed), *estimated),
        if least.is_some() { " even in part" } else { "" },
        grouped(*limit),
        some_of(&pinned.iter().map(|cost| cost.named(*estimated)).collect::<Vec<_>>())
    )]
    PinnedOver {
        /// The limit, in tokens.
        limit: u64,
        /// How many tokens a block with those documents takes.
        needed: u64,
        /// The tokens of the smallest block that the rule can make from those documents, if it shortens named
        /// ones.
        least: Option<u64>,
        /// Those documents, in their order.
        pinned: Vec<DocumentCost>,
        /// What else is in the block and never dropped.
        beside: Vec<FramePart>,
        /// The requested rule, if some of the documents are only named and another rule can shorten them enough.
        named_under: Option<Trim>,
        /// Whether the counts are estimates.
        estimated: bool,
    },
    /// The frame around the documents exceeds the limit on its own.
    #[error(
        "{} alone {} {} tokens, but the budget is {}",
        all_of(parts.iter().map(|part| part.name())),
        if parts.len() == 1 { "needs" } else { "need" },
        figure(*needed, *estimated),
        grouped(*limit)
    )]
    FrameOver {
        /// What it consists of.
        parts: Vec<FramePart>,
        /// The limit, in tokens.
        limit: u64,
        /// The tokens of a block of these parts without documents.
        needed: u64,
        /// Whether the counts are estimates.
        estimated: bool,
    },
    /// A document has to be read before deciding what fits: see `Candidate::unread`.
    #[error("a file that has to be read was not")]
    Unread,
}

/// A part of the block that is not a document and is never dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FramePart {
    /// The names of files that are gone.
    Gone,
    /// The directory tree.
    Tree,
    /// The instruction.
    Instruction,
    /// The last turn of the conversation.
    LastTurn,
    /// The user's message to the model.
    Prompt,
}

impl FramePart {
    /// The part in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gone => "the names of files that are gone",
            Self::Tree => "the directory tree",
            Self::Instruction => "the instruction",
            Self::LastTurn => "the last turn",
            Self::Prompt => "the prompt",
        }
    }
}

impl FitError {
    /// Whether a document, pinned or not, is part of the block that does not fit.
    #[must_use]
    pub fn needs(&self, pin: bool) -> bool {
        match self {
            Self::NothingFits { .. } | Self::Unread | Self::FrameOver { .. } => false,
            Self::PinnedOver { .. } => pin,
        }
    }

    /// How many tokens the smallest block takes that could be printed; `None` if that is unknown.
    #[must_use]
    pub fn needed(&self) -> Option<u64> {
        match self {
            Self::NothingFits { needed, .. } | Self::FrameOver { needed, .. } => Some(*needed),
            Self::PinnedOver { needed, least, .. } => Some(least.unwrap_or(*needed)),
            Self::Unread => None,
        }
    }

    /// The code of the reason.
    #[must_use]
    pub fn code(&self) -> ReasonCode {
        match self {
            Self::NothingFits { .. } => ReasonCode::NothingFits,
            Self::Unread => ReasonCode::Unread,
            Self::PinnedOver { .. } => ReasonCode::PinnedOverBudget,
            Self::FrameOver { parts, .. } if *parts == [FramePart::Tree] => ReasonCode::TreeOverBudget,
            Self::FrameOver { .. } => ReasonCode::FrameOverBudget,
        }
    }

    /// The same error, for a caller that knows whether the counts are estimates for the current model.
    #[must_use]
    pub fn with_estimates(mut self, are_estimates: bool) -> Self {
        match &mut self {
            Self::NothingFits { estimated, .. }
            | Self::PinnedOver { estimated, .. }
            | Self::FrameOver { estimated, .. } => *estimated = are_estimates,
            Self::Unread => {}
        }
        self
    }
}

impl DocumentCost {
    fn named(&self, estimated: bool) -> String {
        format!("'{}' ({})", self.label, figure(self.tokens, estimated))
    }
}
