//! The items that a plan carries from selection to account.

use super::relevance::Relevance;
use crate::budget::next_lines;
use crate::budget::{
    Candidate, DropReason, Fate, FitError, Outline, Passages, Priority, ScoredLines, Showing,
};
use crate::entry;
use crate::format::Change;
use crate::guard::CleanText;
use crate::models::Counter;
use crate::read::Encoding;
use crate::report::{Reason, ReasonCode};
use crate::select::PromptReference;
use crate::source::Source;
use ctx_outline::Lines;
use ctx_search::{Query, Ranked, Scan};
use ctx_tokens::Measure;
use std::ops::Range;

/// Used for a file whose passages are unknown.
const NOTHING: Passages<'static> = Passages {
    text: CleanText::EMPTY,
    before: 0,
    is_labelled: false,
    parts: &[],
    outline: None,
    declared: &[],
    showing: Showing::Passages,
};

/// A source, the result of reading it, and what happened to it.
#[derive(Debug, Clone)]
pub struct Item {
    /// The source of the document.
    pub source: Source,
    /// Its text, if available.
    pub document: Option<Box<Document>>,
    /// The data it is ranked by while its text is not available.
    pub(crate) known: Option<Box<KnownFile>>,
    /// What its document was, if it is certain to be dropped and its text was not kept.
    pub(crate) counted: Option<Box<CountedText>>,
    /// The bytes of the whole text, or of the file if it was not read to the end; `None` if unknown.
    pub(crate) whole_bytes: Option<u64>,
    /// How important it is to print it.
    pub priority: Priority,
    /// What happened to it.
    pub fate: Fate,
    /// How it differs from what the reader has, if known.
    pub change: Option<Change>,
}

/// There may be a million items, so what few of them have is behind a pointer.
const _: () = assert!(size_of::<Item>() <= 192 && size_of::<Reading>() <= 32);

/// The result of reading a source.
#[derive(Debug, Clone)]
pub(crate) enum Reading {
    /// It can be printed.
    Document(Box<Document>),
    /// It can be ranked, but its text is not available.
    Known(Box<KnownFile>),
    /// It is certain to be dropped; its text was not kept, and perhaps not even read.
    Dropped { bytes: u64 },
    /// It is certain to be dropped; its text was counted, but not kept.
    Counted { bytes: u64, text: Box<CountedText> },
    /// Only its name is requested.
    Listed { bytes: u64, because: ReasonCode },
    /// It cannot or must not be read.
    Skipped(Reason),
}

/// What the account tells about a document that is certain to be dropped. There may be a million of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CountedText {
    /// The tokens of its text.
    pub(crate) tokens: u64,
    /// See [`Document::bytes`].
    pub(crate) bytes: u64,
    /// The SHA-256 of its text, for a complete account.
    pub(crate) sha256: Option<Box<[u8; 32]>>,
}

/// Text that can be printed, and what had to be done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The text that is counted, hashed and printed. It knows what was replaced in it.
    pub text: CleanText,
    /// The lines that the text keeps of its file, if it is only the outline.
    pub outlined: Option<Vec<Lines>>,
    /// Its measure; all 0 if it is not needed.
    pub measure: Measure,
    /// Whether it may contain something that looks like a part of the frame.
    pub may_collide: bool,
    /// The number of bytes read or, if it is not the whole file, the number of bytes in its lines.
    pub bytes: u64,
    /// How its bytes were decoded.
    pub encoding: Encoding,
    /// Whether something could not be decoded and became U+FFFD.
    pub lossy: bool,
    /// Its lines in the file, unless it is the whole file.
    pub lines: Option<entry::Lines>,
    /// Its outline, if the trim rule can use one.
    pub outline: Option<Box<Outline>>,
    /// Its passages, if they are ranked.
    pub relevance: Option<Box<Relevance>>,
}

impl Document {
    /// Whether an account needs only its tokens, bytes and hash if it is dropped.
    pub(crate) fn is_plain(&self) -> bool {
        let is_read_as_it_is = self.encoding == Encoding::Utf8 && !self.lossy;
        let is_untouched = self.text.replacements().is_empty() && self.text.omitted_data().is_none();
        is_read_as_it_is && is_untouched && self.lines.is_none() && self.relevance.is_none()
    }

    /// The bytes of its whole text, or of its file if it is an outline.
    pub(crate) fn whole_bytes(&self) -> u64 {
        if self.outlined.is_some() { self.bytes } else { self.text.len() as u64 }
    }

    /// How many lines of its file come before it.
    pub(crate) fn lines_before(&self) -> usize {
        self.lines.map_or(0, |lines| usize::try_from(lines.before()).unwrap_or_default())
    }

    /// Some of its lines, counted from the first line of the document.
    pub(crate) fn excerpt(&self, lines: Lines) -> &str {
        &self.text[bytes(&self.text, lines)]
    }

    /// Has only those parts printed that have a score; together, the parts make up its text.
    pub(crate) fn show_only(&mut self, parts: Vec<ScoredLines>) {
        let known = self.relevance.take();
        self.relevance = Some(Box::new(Relevance::of_parts(known.as_deref(), parts)));
    }

    /// The same lines as a text of their own, which knows what was replaced in them.
    pub(crate) fn part(&self, lines: Lines) -> CleanText {
        self.text.part(bytes(&self.text, lines))
    }
}

/// The bytes of lines of `text`.
fn bytes(text: &str, lines: Lines) -> Range<usize> {
    let mut rest = text;
    if lines.first > 1 {
        next_lines(&mut rest, lines.first - 1);
    }
    let start = text.len() - rest.len();
    start..start + next_lines(&mut rest, lines.count()).len()
}

/// The data about a file without its text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownFile {
    /// Its length.
    pub(crate) bytes: u64,
    /// The words of the query that it contains, until it is ranked.
    pub(crate) scan: Scan,
    /// Its passages and their scores; unknown for a file that hardly matters.
    pub(crate) relevance: Option<Box<Relevance>>,
}

impl KnownFile {
    /// The document of the same file, read again, with its existing rank; `None` if the text has changed.
    pub(crate) fn read_again(&self, reading: Reading, query: Option<&Query>) -> Option<Reading> {
        let Reading::Document(mut document) = reading else { return None };
        let mut relevance = document.relevance.take()?;
        match &self.relevance {
            Some(ranked) => *relevance = relevance.ranked_as(ranked)?,
            None => {
                relevance.take(&Ranked::default(), query);
                relevance.rank = usize::MAX;
            }
        }
        document.relevance = Some(relevance);
        Some(Reading::Document(document))
    }
}

impl Item {
    /// An item that has yet to be read or decided on.
    #[must_use]
    pub(crate) fn new(source: Source, reading: Reading) -> Self {
        let (priority, fate) = (Priority::of(&source.selected_by), Fate::Undecided);
        let (document, known, counted, whole_bytes, change) = (None, None, None, None, None);
        let mut item = Self { source, document, known, counted, whole_bytes, priority, fate, change };
        item.take(reading);
        item
    }

    /// The tokens of its document; 0 without one.
    pub(crate) fn tokens(&self, counter: Counter) -> u64 {
        match (&self.document, &self.counted) {
            (Some(document), _) => counter.tokens_of(&document.measure),
            (None, counted) => counted.as_ref().map_or(0, |counted| counted.tokens),
        }
    }

    /// Whether its tokens are known, although its text may not have been kept.
    pub(crate) fn has_tokens(&self) -> bool {
        self.document.is_some() || self.counted.is_some()
    }

    /// The bytes that were read to make its document, if it was made.
    pub(crate) fn bytes_read(&self) -> Option<u64> {
        let of_document = self.document.as_ref().map(|document| document.bytes);
        of_document.or_else(|| self.counted.as_ref().map(|counted| counted.bytes))
    }

    /// Stores the result of reading it.
    pub(crate) fn take(&mut self, reading: Reading) {
        (self.document, self.known, self.counted, self.whole_bytes) = (None, None, None, None);
        match reading {
            Reading::Document(document) => {
                if let Some(lines) = document.lines {
                    self.source.end_at(lines);
                }
                self.whole_bytes = Some(document.whole_bytes());
                self.document = Some(document);
            }
            Reading::Known(known) => {
                self.whole_bytes = Some(known.bytes);
                self.known = Some(known);
            }
            Reading::Dropped { bytes } => {
                self.whole_bytes = Some(bytes);
                self.fate = Fate::Dropped { reason: DropReason::Largest };
            }
            Reading::Counted { bytes, text } => {
                (self.whole_bytes, self.counted) = (Some(bytes), Some(text));
            }
            Reading::Listed { bytes, because } => {
                self.whole_bytes = Some(bytes);
                self.fate = Fate::Listed(because);
            }
            Reading::Skipped(reason) => self.fate = Fate::Skipped(reason),
        }
    }

    /// Why it was skipped, if it was.
    #[must_use]
    pub fn skipped(&self) -> Option<&Reason> {
        if let Fate::Skipped(reason) = &self.fate { Some(reason) } else { None }
    }

    /// The ranking of its passages, if they are ranked.
    #[must_use]
    pub fn relevance(&self) -> Option<&Relevance> {
        let of_document = self.document.as_ref().and_then(|document| document.relevance.as_deref());
        of_document.or_else(|| self.known.as_ref().and_then(|known| known.relevance.as_deref()))
    }

    /// The words of the query that it contains, until it is ranked.
    pub(crate) fn scan(&self) -> Option<&Scan> {
        match &self.known {
            Some(known) => Some(&known.scan),
            None => self.relevance().map(|relevance| &relevance.scan),
        }
    }

    pub(crate) fn relevance_mut(&mut self) -> Option<&mut Relevance> {
        let of_document = self.document.as_mut().and_then(|document| document.relevance.as_deref_mut());
        of_document.or_else(|| self.known.as_mut().and_then(|known| known.relevance.as_deref_mut()))
    }

    /// Whether it is a passage found in a file.
    pub(crate) fn is_passage(&self) -> bool {
        self.source.selected_by.searched.is_some()
    }

    /// How many bytes of a command's output were cut.
    pub(crate) fn bytes_cut(&self) -> u64 {
        self.source.command.as_ref().map_or(0, |command| command.omitted)
    }

    /// How the printed part of it differs from what the reader has.
    pub(crate) fn printed_change(&self) -> Option<Change> {
        match self.fate {
            Fate::Outlined { .. } | Fate::Truncated(_) => self.change.map(|_| Change::Part),
            Fate::Undecided
            | Fate::Included { .. }
            | Fate::Unchanged
            | Fate::Dropped { .. }
            | Fate::Listed(_)
            | Fate::Skipped(_) => self.change,
        }
    }

    /// The part of it that may be printed, if any.
    #[must_use]
    pub fn candidate(&self) -> Option<Candidate<'_>> {
        if self.fate == Fate::Unchanged {
            return None;
        }
        if let Some(known) = &self.known {
            return Some(self.unread(known));
        }
        let document = self.document.as_ref()?;
        Some(Candidate {
            label: self.source.label.as_str(),
            lines: None,
            text: &document.text,
            priority: self.priority,
            is_stored_too: self.source.selected_by.reference == Some(PromptReference::Also),
            measure: document.measure,
            may_collide: document.may_collide,
            outline: document.outline.as_deref(),
            passages: document
                .relevance
                .as_ref()
                .map(|relevance| self.passages(relevance, &document.text, document.lines)),
            unread: false,
            change: self.change,
        })
    }

    /// What the budget needs to know about its passages. Only the label of a whole file may say which lines are printed:
    /// others have no lines, or say which ones they are from.
    fn passages<'i>(
        &self,
        relevance: &'i Relevance,
        text: &'i CleanText,
        lines: Option<entry::Lines>,
    ) -> Passages<'i> {
        let is_labelled = lines.is_none() && self.source.place().is_some();
        Passages { is_labelled, ..relevance.passages(text, lines) }
    }

    /// The candidate for a file that is only ranked. If the file was not worth cutting into passages, it is
    /// printed only if everything fits.
    fn unread<'i>(&'i self, known: &'i KnownFile) -> Candidate<'i> {
        Candidate {
            label: self.source.label.as_str(),
            lines: None,
            text: CleanText::EMPTY,
            priority: self.priority,
            is_stored_too: false,
            measure: Measure { tokens: 0, bytes: known.bytes, core: None },
            may_collide: false,
            outline: None,
            passages: Some(
                known
                    .relevance
                    .as_ref()
                    .map_or(NOTHING, |relevance| self.passages(relevance, CleanText::EMPTY, None)),
            ),
            unread: true,
            change: None,
        }
    }

    /// From which line to which it is printed, if its label has to say so.
    pub(crate) fn printed_lines(&self) -> Option<Lines> {
        if let Fate::Truncated(part) = &self.fate { part.lines } else { None }
    }

    /// The printed text, if it is printed.
    #[must_use]
    pub fn text(&self) -> Option<&CleanText> {
        let document = self.document.as_ref()?;
        match (&self.fate, &document.outline) {
            (Fate::Truncated(part), _) => Some(&part.text),
            (Fate::Outlined { .. }, Some(outline)) => Some(&outline.text),
            (
                Fate::Undecided
                | Fate::Included { .. }
                | Fate::Outlined { .. }
                | Fate::Unchanged
                | Fate::Dropped { .. }
                | Fate::Listed(_)
                | Fate::Skipped(_),
                _,
            ) => Some(&document.text),
        }
    }

    /// Whether its document is only the outline of a file.
    pub(crate) fn is_outline(&self) -> bool {
        self.document.as_ref().is_some_and(|document| document.outlined.is_some())
    }

    /// Whether only its name is printed, in the tree.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        matches!(self.fate, Fate::Listed(_))
    }

    /// Whether it is never dropped.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.priority.is_kept()
    }

    /// Whether part of it is in the block, or in the one that does not fit.
    #[must_use]
    pub fn is_printed(&self, error: Option<&FitError>) -> bool {
        match self.fate {
            Fate::Included { .. } | Fate::Outlined { .. } | Fate::Truncated(_) => true,
            Fate::Undecided => {
                self.document.is_some() && error.is_some_and(|error| error.needs(self.is_kept()))
            }
            Fate::Unchanged | Fate::Dropped { .. } | Fate::Listed(_) | Fate::Skipped(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_consists_of_whole_lines() {
        let text = "a\nbb\n\nccc";
        let excerpt = |first, last| &text[bytes(text, Lines { first, last })];
        assert_eq!(
            [excerpt(1, 1), excerpt(2, 3), excerpt(4, 4), excerpt(3, 9)],
            ["a\n", "bb\n\n", "ccc", "\nccc"]
        );
    }
}
