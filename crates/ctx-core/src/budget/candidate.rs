//! The documents that may be printed, and how the block is laid out.

use super::error::{DocumentCost, FramePart};
use crate::format::{Around, Change, Format, Frame, Id, PrintedDocument};
use crate::models::Counter;
use ctx_outline::{Headed, Lines};
use ctx_tokens::Measure;

/// A document that may be printed.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// What it is called: one line, not empty.
    pub label: &'a str,
    /// Its text.
    pub text: &'a str,
    /// How much it matters that it is printed.
    pub priority: Priority,
    /// Of a document that the prompt refers to: whether it would be here without the prompt, so that it is one of the
    /// stored ones where it has no room as a reference.
    pub is_stored_too: bool,
    /// The measure of `text` by the counter's tokenizer.
    pub measure: Measure,
    /// Whether the text may hold something that could be taken for a part of the frame: what
    /// `crate::format::Format::may_collide` says, or `true`.
    pub may_collide: bool,
    /// Its outline, if it has one.
    pub outline: Option<CandidateOutline<'a>>,
    /// Its passages, where the trim rule ranks them.
    pub passages: Option<Passages<'a>>,
    /// Whether its text was not read, since it is hardly ever printed: then `text` is empty, and `measure` has its bytes
    /// alone. Only for [`Trim::Relevant`](super::Trim::Relevant).
    pub unread: bool,
    /// How it differs from what the reader has, in a block of changes.
    pub change: Option<Change>,
}

/// A document reduced to what it declares.
#[derive(Debug, Clone, Copy)]
pub struct CandidateOutline<'a> {
    /// Its text.
    pub text: &'a str,
    /// The measure of the text.
    pub measure: Measure,
    /// Whether it is certain that the whole document is not printed: others were dropped before,
    /// which the rule does only when every document is reduced to its outline.
    pub is_needed: bool,
}

/// A document that can be shown by passages.
#[derive(Debug, Clone, Copy)]
pub struct Passages<'a> {
    /// The text whose lines the passages are. Where the document is not all of a file, this is.
    pub text: &'a str,
    /// The passages, in order; together they are the text.
    pub parts: &'a [ScoredLines],
    /// The lines that the outline has, if there is one; not needed of a document that was not read.
    pub outline: Option<&'a [Lines]>,
    /// The declarations, by the line that they begin at; not needed of a document that was not read.
    pub declared: &'a [Headed],
    /// What of it may be shown.
    pub showing: Showing,
}

/// What of a document may be shown, as far as the budget has room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Showing {
    /// What its outline has.
    Outline,
    /// What its outline has, then everything.
    OutlineFirst,
    /// Its passages, each with the heads of the declarations around it.
    Passages,
}

/// A passage and how much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoredLines {
    /// Its lines, from 1.
    pub lines: Lines,
    /// How much it matters, in millionths.
    pub score: i64,
    /// How many bytes its lines have.
    pub bytes: u32,
    /// How many bytes those of its lines have that the outline keeps; `None` where the document has no outline.
    pub outlined: Option<u32>,
}

/// How much it matters that a document is printed, the least first. Those of a lower priority are dropped before one of a
/// higher priority is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Priority {
    /// A list keeps it.
    #[default]
    Stored,
    /// The command line names it among what competes: of a file that does not fit at least the best passage is shown. Only
    /// for [`Trim::Relevant`](super::Trim::Relevant).
    Shown,
    /// The prompt refers to it.
    Referenced,
    /// The command line asks for it without naming it.
    Asked,
    /// The command line names it: it is shortened where it does not fit and the rule shortens, and never dropped.
    Named,
    /// It is printed whole.
    Pinned,
}

impl Priority {
    /// Whether something of it is always printed.
    #[must_use]
    pub fn is_kept(self) -> bool {
        match self {
            Self::Shown | Self::Named | Self::Pinned => true,
            Self::Stored | Self::Referenced | Self::Asked => false,
        }
    }
}

/// How the block is to be laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout<'a> {
    /// The layout.
    pub format: Format,
    /// Whether boundaries and labels carry ids even if no document could forge them.
    pub guard: bool,
    /// What there is beside the documents.
    pub around: Around<'a>,
}

/// What documents are fitted into.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// How it is laid out.
    pub layout: Layout<'a>,
    /// What counts.
    pub counter: Counter,
    /// The most tokens that it may have; `None` without a cap.
    pub limit: Option<u64>,
    /// How many threads may count at once.
    pub threads: usize,
}

impl<'a> Layout<'a> {
    /// What is printed around the documents.
    pub(super) fn frame(&self, id: Option<Id>) -> Frame<'a> {
        Frame { format: self.format, around: self.around, id }
    }

    /// What is never dropped, beside documents.
    pub(super) fn parts(&self) -> Vec<FramePart> {
        let Around { tree, instruction, chat, .. } = self.around;
        let gone = self.around.has_gone().then_some(FramePart::Gone);
        let tree = tree.map(|_| FramePart::Tree);
        let instruction = instruction.map(|_| FramePart::Instruction);
        gone.into_iter().chain(tree).chain(instruction).chain(chat.map(|_| FramePart::LastTurn)).collect()
    }
}

impl<'a> Candidate<'a> {
    /// Whether a part of it is worth room, where passages are ranked.
    pub(super) fn matters(&self) -> bool {
        self.passages.is_none_or(|passages| passages.parts.iter().any(|part| part.score > 0))
    }

    /// The candidate at the next lower level of detail.
    pub(super) fn outlined(&self) -> Option<Self> {
        let CandidateOutline { text, measure, .. } = self.outline?;
        let change = self.in_part();
        Some(Candidate { text, measure, may_collide: true, outline: None, passages: None, change, ..*self })
    }

    pub(super) fn document(&self) -> PrintedDocument<'a> {
        PrintedDocument { label: self.label, text: self.text, change: self.change }
    }

    /// How it is marked where only a part of it is printed.
    pub(super) fn in_part(&self) -> Option<Change> {
        self.change.map(|_| Change::Part)
    }

    pub(super) fn tokens(&self, counter: Counter) -> u64 {
        counter.tokens_of(&self.measure)
    }

    pub(super) fn cost(&self, counter: Counter) -> DocumentCost {
        DocumentCost { label: self.label.to_owned(), tokens: self.tokens(counter) }
    }
}
