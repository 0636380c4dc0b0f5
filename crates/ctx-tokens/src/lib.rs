#![doc = include_str!("../README.md")]
//!
//! ## Certain boundaries
//!
//! Counts add across a **certain boundary**: a place in a text that no piece can cross, whatever comes before
//! or after the text (between a letter and a space, say). [`Tokenizer::measure`] finds the first and the last one.

mod blocks;
mod boundary;
mod cl100k;
mod classes;
mod counter;
mod encoding;
mod factor;
mod known;
mod layout;
mod limit;
mod masks;
mod merge;
mod o200k;
mod outline;
mod pattern;
mod recent;
mod repeats;
mod ruler;
mod swar;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::fmt;
use std::str::FromStr;

pub use boundary::counts_apart_after_line_end;
pub use counter::Counter;
pub use factor::Factor;
pub use outline::LineEnd;
pub use ruler::Ruler;

use encoding::{Cl100kBase, Encoding, O200kBase};

/// How tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tokenizer {
    /// OpenAI's `o200k_base`, exact.
    #[default]
    O200k,
    /// OpenAI's `cl100k_base`, exact.
    Cl100k,
    /// Bytes / 4, rounded up: an estimate.
    Bytes4,
}

/// What is known of a text that takes part in a concatenation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    /// The tokens of the text alone.
    pub tokens: u64,
    /// The length of the text in bytes.
    pub bytes: u64,
    /// The part of the text whose tokens are the same in every concatenation, if there is one.
    pub core: Option<Core>,
}

/// `text[start..end]` lies between two certain boundaries (which may be the same place).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Core {
    /// Byte offset of the first certain boundary.
    pub start: usize,
    /// Byte offset of the last certain boundary.
    pub end: usize,
    /// The tokens of `text[start..end]`.
    pub tokens: u64,
}

impl Tokenizer {
    /// Every tokenizer, the default first.
    pub const ALL: [Self; 3] = [Self::O200k, Self::Cl100k, Self::Bytes4];

    /// The tokens of `text` alone; special tokens count as plain text.
    #[must_use]
    pub fn count(self, text: &str) -> u64 {
        match self {
            Self::O200k => O200kBase::count(text.as_bytes()),
            Self::Cl100k => Cl100kBase::count(text.as_bytes()),
            Self::Bytes4 => quarter(text.len() as u64),
        }
    }

    /// The pieces into which `text` is split before each is merged to tokens; the part of
    /// [`Self::count`] that a benchmark wants to see apart.
    #[must_use]
    pub fn count_pieces(self, text: &str) -> u64 {
        match self {
            Self::O200k => O200kBase::count_pieces(text.as_bytes()),
            Self::Cl100k => Cl100kBase::count_pieces(text.as_bytes()),
            Self::Bytes4 => self.count(text),
        }
    }

    /// The tokens of `text` if they are at most `limit`, without reading far beyond it.
    #[must_use]
    pub fn at_most(self, text: &str, limit: u64) -> Option<u64> {
        match self {
            Self::O200k => O200kBase::at_most(text.as_bytes(), limit),
            Self::Cl100k => Cl100kBase::at_most(text.as_bytes(), limit),
            Self::Bytes4 => Some(self.count(text)).filter(|&tokens| tokens <= limit),
        }
    }

    /// Whether every text that begins with `head` is certain to have more than `limit` tokens.
    #[must_use]
    pub fn surely_more(self, head: &str, limit: u64) -> bool {
        let certain = boundary::first_and_last(head).map_or("", |(start, end)| &head[start..end]);
        match self {
            Self::O200k => O200kBase::has_more_pieces(certain.as_bytes(), limit),
            Self::Cl100k => Cl100kBase::has_more_pieces(certain.as_bytes(), limit),
            Self::Bytes4 => self.count(head) > limit,
        }
    }

    /// A byte offset between two characters such that the text before it has at most `limit`
    /// tokens, and not many fewer if there is enough text.
    #[must_use]
    pub fn prefix_within(self, text: &str, limit: u64) -> usize {
        match self {
            Self::O200k => limit::prefix_within::<O200kBase>(text, limit),
            Self::Cl100k => limit::prefix_within::<Cl100kBase>(text, limit),
            Self::Bytes4 => {
                let bytes = usize::try_from(limit.saturating_mul(4)).unwrap_or(usize::MAX);
                boundary::floor(text, bytes)
            }
        }
    }

    /// The line ends of `text`, each with the tokens before it: all that have at most `limit`, and
    /// the next one unless its line is longer than the limit. The end of the text counts as one.
    #[must_use]
    pub fn line_ends(self, text: &str, limit: u64) -> Vec<LineEnd> {
        match self {
            Self::O200k => outline::line_ends::<O200kBase>(text, limit),
            Self::Cl100k => outline::line_ends::<Cl100kBase>(text, limit),
            Self::Bytes4 => outline::line_ends_by_length(text, limit, quarter),
        }
    }

    /// Where the core of [`Self::measure`] begins, if there is one; counts nothing.
    #[must_use]
    pub fn first_boundary(self, text: &str) -> Option<usize> {
        match self {
            Self::O200k | Self::Cl100k => boundary::first(text),
            Self::Bytes4 => None,
        }
    }

    /// Whether `text` adds more than `limit` tokens to every concatenation, as far as its core says;
    /// does not read far beyond the limit.
    #[must_use]
    pub fn core_exceeds(self, text: &str, limit: u64) -> bool {
        let core = match self {
            Self::O200k | Self::Cl100k => boundary::first_and_last(text),
            Self::Bytes4 => None,
        };
        core.is_some_and(|(start, end)| self.at_most(&text[start..end], limit).is_none())
    }

    /// Counts `text` and finds its certain boundaries.
    #[must_use]
    pub fn measure(self, text: &str) -> Measure {
        let bytes = text.len() as u64;
        let ends = match self {
            Self::O200k | Self::Cl100k => boundary::first_and_last(text),
            Self::Bytes4 => None,
        };
        let Some((start, end)) = ends else {
            return Measure { tokens: self.count(text), bytes, core: None };
        };
        let core = Core { start, end, tokens: self.count(&text[start..end]) };
        let around = self.count(&text[..start]) + self.count(&text[end..]);
        Measure { tokens: core.tokens + around, bytes, core: Some(core) }
    }

    /// Whether counts are an estimate, to be shown with `~`.
    #[must_use]
    pub fn is_estimate(self) -> bool {
        match self {
            Self::O200k | Self::Cl100k => false,
            Self::Bytes4 => true,
        }
    }
}

/// A quarter of `bytes`, rounded up.
fn quarter(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

impl Tokenizer {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::O200k => "o200k",
            Self::Cl100k => "cl100k",
            Self::Bytes4 => "bytes4",
        }
    }
}

impl fmt::Display for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tokenizer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|tokenizer| tokenizer.name() == text);
        found.ok_or_else(|| format!("unknown tokenizer '{text}': use o200k, cl100k or bytes4"))
    }
}
