//! The one list that a plan carries from selection to account.

use super::Relevance;
use crate::account::Tally;
use crate::budget::{Candidate, CandidateOutline, FitError, Outcome, Priority};
use crate::entry::LevelOfDetail;
use crate::guard::LineRange;
use crate::index::FileId;
use crate::read::Encoding;
use crate::report::{Reason, ReasonCode};
use crate::select::Reference;
use crate::source::Source;
use ctx_tokens::Measure;

/// A source, what came of reading it, and what was decided.
#[derive(Debug, Clone)]
pub struct Item {
    /// Where the document comes from.
    pub source: Source,
    /// What came of reading it.
    pub reading: Reading,
    /// How much it matters that it is printed.
    pub priority: Priority,
    /// What was decided; absent if there was nothing to decide, or nothing fits.
    pub outcome: Option<Outcome>,
}

/// What came of reading a source.
#[derive(Debug, Clone)]
pub enum Reading {
    /// It can be printed.
    Document(Document),
    /// It can be ranked; its text is not at hand.
    Known(Known),
    /// It is certain to be dropped; its text was not kept, perhaps not even read.
    Dropped {
        /// The length of the file or text.
        bytes: u64,
    },
    /// Its name is everything that is wanted of it, or everything that there is in place of an outline.
    Listed {
        /// The length of the file.
        bytes: u64,
        /// Why.
        because: ReasonCode,
    },
    /// It cannot or must not be read.
    Skipped(Reason),
}

impl Reading {
    /// The bytes of the whole text, or of the file if it was not read to the end.
    pub(super) fn whole_bytes(&self) -> Option<u64> {
        match self {
            Self::Document(document) => Some(match document.level {
                LevelOfDetail::Full => document.text.len() as u64,
                LevelOfDetail::Name | LevelOfDetail::Outline => document.bytes,
            }),
            Self::Known(Known { bytes, .. }) | Self::Dropped { bytes } | Self::Listed { bytes, .. } => {
                Some(*bytes)
            }
            Self::Skipped(_) => None,
        }
    }
}

/// A text that can be printed, and what had to be done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The text as it is counted, hashed and printed.
    pub text: String,
    /// How much of the file the text is: never its name alone.
    pub level: LevelOfDetail,
    /// Its measure; all 0 if nobody needs it.
    pub measure: Measure,
    /// Whether it may hold something that could be taken for a part of the frame.
    pub may_collide: bool,
    /// The length of what was read.
    pub bytes: u64,
    /// How its bytes were encoded.
    pub encoding: Encoding,
    /// Whether something could not be decoded and is U+FFFD now.
    pub lossy: bool,
    /// Secrets that were found, by kind.
    pub secrets: Vec<Tally>,
    /// Hidden characters that were found, by code point.
    pub hidden: Vec<Tally>,
    /// Which lines of the file it is, if not all.
    pub lines: Option<LineRange>,
    /// Its outline, where the trim rule can use one.
    pub outline: Option<Box<Outline>>,
    /// Its passages, where they are ranked.
    pub relevance: Option<Box<Relevance>>,
}

/// What a source file declares, ready to be printed in the place of its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The text.
    pub text: String,
    /// Its measure.
    pub measure: Measure,
    /// Whether the text itself is certain not to be printed: other documents were dropped.
    pub is_needed: bool,
}

/// What is known of a file without its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Its length.
    pub bytes: u64,
    /// Where its words are, if they are in an index.
    pub(super) place: Option<IndexedFile>,
    /// Its passages, and how much they matter.
    pub relevance: Box<Relevance>,
}

impl Known {
    /// The document that the same file turns out to be, with the rank that it has; `None` if it is another text.
    pub(super) fn read_again(&self, reading: Reading) -> Option<Reading> {
        let Reading::Document(mut document) = reading else { return None };
        let relevance = document.relevance.take()?.ranked_as(&self.relevance)?;
        document.relevance = Some(Box::new(relevance));
        Some(Reading::Document(document))
    }
}

/// A place in one of the indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexedFile {
    pub(super) index: usize,
    pub(super) file: FileId,
}

impl Item {
    /// An item that is still to be read or decided upon.
    #[must_use]
    pub fn new(mut source: Source, reading: Reading) -> Self {
        if let Reading::Document(Document { lines: Some(range), .. }) = &reading {
            source.end_at(*range);
        }
        let priority = source.brought.priority();
        Self { source, reading, priority, outcome: None }
    }

    /// The document, if there is one.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        if let Reading::Document(document) = &self.reading { Some(document) } else { None }
    }

    /// Why it was skipped, if it was.
    #[must_use]
    pub fn skipped(&self) -> Option<&Reason> {
        if let Reading::Skipped(reason) = &self.reading { Some(reason) } else { None }
    }

    /// What is known of it while its text is not at hand.
    pub(super) fn known(&self) -> Option<&Known> {
        if let Reading::Known(known) = &self.reading { Some(known) } else { None }
    }

    pub(super) fn known_mut(&mut self) -> Option<&mut Known> {
        if let Reading::Known(known) = &mut self.reading { Some(known) } else { None }
    }

    /// How much its passages matter, where they are ranked.
    #[must_use]
    pub fn relevance(&self) -> Option<&Relevance> {
        match &self.reading {
            Reading::Document(document) => document.relevance.as_deref(),
            Reading::Known(known) => Some(&known.relevance),
            Reading::Dropped { .. } | Reading::Listed { .. } | Reading::Skipped(_) => None,
        }
    }

    pub(super) fn relevance_mut(&mut self) -> Option<&mut Relevance> {
        match &mut self.reading {
            Reading::Document(document) => document.relevance.as_deref_mut(),
            Reading::Known(known) => Some(&mut known.relevance),
            Reading::Dropped { .. } | Reading::Listed { .. } | Reading::Skipped(_) => None,
        }
    }

    /// What may be printed of it.
    #[must_use]
    pub fn candidate(&self) -> Option<Candidate<'_>> {
        if let Some(known) = self.known() {
            return Some(self.unread(known));
        }
        let document = self.document()?;
        Some(Candidate {
            label: self.source.label.as_str(),
            text: &document.text,
            priority: self.priority,
            is_stored_too: self.source.brought.reference == Some(Reference::Also),
            measure: document.measure,
            may_collide: document.may_collide,
            outline: document.outline.as_ref().map(|outline| {
                let Outline { text, measure, is_needed } = &**outline;
                CandidateOutline { text, measure: *measure, is_needed: *is_needed }
            }),
            passages: document.relevance.as_ref().map(|relevance| relevance.passages(&document.text)),
            unread: false,
        })
    }

    fn unread<'i>(&'i self, known: &'i Known) -> Candidate<'i> {
        Candidate {
            label: self.source.label.as_str(),
            text: "",
            priority: self.priority,
            is_stored_too: false,
            measure: Measure { tokens: 0, bytes: known.bytes, core: None },
            may_collide: false,
            outline: None,
            passages: Some(known.relevance.passages("")),
            unread: true,
        }
    }

    /// The text that is printed of it, if it is printed.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        let document = self.document()?;
        match (&self.outcome, &document.outline) {
            (Some(Outcome::Truncated { text, .. }), _) => Some(text),
            (Some(Outcome::Outlined { .. }), Some(outline)) => Some(&outline.text),
            (
                Some(Outcome::Included { .. } | Outcome::Outlined { .. } | Outcome::Dropped { .. }) | None,
                _,
            ) => Some(&document.text),
        }
    }

    /// Whether its name alone is printed, in the tree.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        matches!(self.reading, Reading::Listed { .. })
    }

    /// Whether it is kept, whatever is dropped.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.priority >= Priority::Named
    }

    /// Whether something of it is in the block, or in the one that does not fit.
    #[must_use]
    pub fn is_printed(&self, error: Option<&FitError>) -> bool {
        match (&self.outcome, error) {
            (Some(Outcome::Included { .. } | Outcome::Outlined { .. } | Outcome::Truncated { .. }), _) => {
                true
            }
            (Some(Outcome::Dropped { .. }), _) => false,
            (None, Some(error)) => self.document().is_some() && error.needs(self.is_kept()),
            (None, None) => false,
        }
    }
}
