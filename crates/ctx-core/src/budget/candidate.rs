//! The documents that can be printed, and the layout of the block.

use super::error::{DocumentCost, FramePart};
use crate::format::{Around, Change, Format, Frame, Id, PrintedDocument};
use crate::guard::CleanText;
use crate::models::Counter;
use ctx_outline::{Headed, Lines};
use ctx_tokens::Measure;

/// A document that can be printed.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Its label: one line, not empty.
    pub label: &'a str,
    /// From which line to which it is printed, if its label has to say so.
    pub lines: Option<Lines>,
    /// Its text.
    pub text: &'a CleanText,
    /// How important it is to print it.
    pub priority: Priority,
    /// For a document that the prompt refers to: whether it would be included, or compete, without the prompt. If so,
    /// it is shortened or treated as a stored document when there is no room for it as a reference.
    pub is_stored_too: bool,
    /// The measure of `text` by the counter's tokenizer.
    pub measure: Measure,
    /// Whether the text may contain something that looks like a part of the frame: the result of
    /// `crate::format::Format::may_collide`, or `true`.
    pub may_collide: bool,
    /// Its outline, if it has one.
    pub outline: Option<&'a Outline>,
    /// Its passages, if the trim rule ranks them.
    pub passages: Option<Passages<'a>>,
    /// Whether its text was not read because it is very unlikely to be printed. In that case `text` is empty,
    /// and `measure` contains only the number of its bytes. Only for
    /// [`Trim::Relevant`](super::Trim::Relevant).
    pub unread: bool,
    /// How it differs from what the reader has, in a block of changes.
    pub change: Option<Change>,
}

/// A document reduced to its declarations, ready to be printed instead of its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// Its text.
    pub text: CleanText,
    /// The lines of the whole text that it keeps, counted from the first.
    pub kept: Vec<Lines>,
    /// The measure of the text.
    pub measure: Measure,
    /// Whether it is certain that the document is not printed whole, because others were dropped earlier: the
    /// rule drops documents only once all are reduced to their outlines.
    pub is_needed: bool,
}

/// A document that can be shown as passages.
#[derive(Debug, Clone, Copy)]
pub struct Passages<'a> {
    /// The text that the passages are taken from. If the document is only part of a file, so is this text.
    pub text: &'a CleanText,
    /// How many lines of the file come before the text.
    pub before: usize,
    /// Whether the label may say which lines are printed, so that no marker has to.
    pub is_labelled: bool,
    /// The passages, in order; together they make up the text.
    pub parts: &'a [ScoredLines],
    /// The lines of the outline, if there is one; not needed for an unread document.
    pub outline: Option<&'a [Lines]>,
    /// The declarations, by their first line; not needed for an unread document.
    pub declared: &'a [Headed],
    /// How much of it may be shown.
    pub showing: Showing,
}

/// How much of a document may be shown, as far as the budget allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Showing {
    /// The lines of its outline.
    Outline,
    /// The lines of its outline, then everything.
    OutlineFirst,
    /// Its passages, each with the heads of the declarations around it.
    Passages,
    /// The same, but only those with a score.
    Chosen,
}

/// A passage and its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoredLines {
    /// Its lines, counted from 1.
    pub lines: Lines,
    /// Its score, in millionths.
    pub score: i64,
    /// The size of its lines, in bytes.
    pub bytes: u32,
    /// The size of its lines in the outline, in bytes; `None` if the document has no outline.
    pub outlined: Option<u32>,
}

/// One line of more bytes than this comes after all other passages.
const OVERLONG: u32 = 1_000;

impl ScoredLines {
    /// Whether it is a single line that is longer than any that people write.
    pub(super) fn is_overlong(&self) -> bool {
        self.lines.first == self.lines.last && self.bytes > OVERLONG
    }
}

/// How important it is to print a document, from least to most. Documents of a lower priority are dropped before
/// any of a higher priority is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Priority {
    /// It is on a list.
    #[default]
    Stored,
    /// The command line names it among files that compete. If it does not fit, at least its best passage is shown.
    /// Only for [`Trim::Relevant`](super::Trim::Relevant).
    Shown,
    /// A passage that a searched entry found within its share. If there is no room for all of them, they compete
    /// like stored documents.
    Found,
    /// The prompt refers to it.
    Referenced,
    /// The command line asks for it without naming it.
    Asked,
    /// The command line names it. It is never dropped, but the rule may shorten it if it does not fit.
    Named,
    /// It is printed whole.
    Pinned,
}

impl Priority {
    /// Whether at least part of the document is always printed.
    #[must_use]
    pub fn is_kept(self) -> bool {
        match self {
            Self::Shown | Self::Named | Self::Pinned => true,
            Self::Stored | Self::Found | Self::Referenced | Self::Asked => false,
        }
    }
}

/// The layout of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout<'a> {
    /// The format.
    pub format: Format,
    /// Whether boundaries and labels carry ids even if no document could forge them.
    pub guard: bool,
    /// The parts of the block other than documents.
    pub around: Around<'a>,
}

/// The block that documents are fitted into.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// Its layout.
    pub layout: Layout<'a>,
    /// What counts the tokens.
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

    /// The parts other than documents that are never dropped.
    pub(super) fn parts(&self) -> Vec<FramePart> {
        let Around { tree, instruction, chat, prompt, .. } = self.around.in_budget();
        let gone = self.around.has_gone().then_some(FramePart::Gone);
        let tree = tree.map(|_| FramePart::Tree);
        let instruction = instruction.map(|_| FramePart::Instruction);
        let chat = chat.map(|_| FramePart::LastTurn);
        let prompt = prompt.map(|_| FramePart::Prompt);
        gone.into_iter().chain(tree).chain(instruction).chain(chat).chain(prompt).collect()
    }
}

impl<'a> Candidate<'a> {
    /// Whether any part of the document is worth printing, if passages are ranked.
    pub(super) fn matters(&self) -> bool {
        self.passages.is_none_or(|passages| passages.parts.iter().any(|part| part.score > 0))
    }

    /// Its passages, if it has any: an empty document has none.
    pub(super) fn some_passages(&self) -> Option<Passages<'a>> {
        self.passages.filter(|passages| !passages.parts.is_empty())
    }

    /// The candidate at the next lower level of detail.
    pub(super) fn outlined(&self) -> Option<Self> {
        let Outline { text, measure, .. } = self.outline?;
        let change = self.in_part();
        Some(Candidate {
            text,
            measure: *measure,
            may_collide: true,
            outline: None,
            passages: None,
            change,
            ..*self
        })
    }

    pub(super) fn document(&self) -> PrintedDocument<'a> {
        PrintedDocument { label: self.label, lines: self.lines, text: self.text, change: self.change }
    }

    /// How it is marked if only part of it is printed.
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
