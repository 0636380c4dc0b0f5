//! Counting: how many tokens a text has, and how many a concatenation of texts has.
//!
//! Counts do not simply add: `]\n//` is one piece for the tokenizer, so `[label]` before `// code`
//! counts otherwise than the two apart. They do add across a **certain boundary**: a place in a
//! text where no piece can cross whatever stands before or after the text (between a letter and a
//! space, say). [`Tokenizer::measure`] finds the first and the last one, so that a concatenation is
//! counted exactly by counting only the few bytes around its seams.

use std::fmt;
use std::str::FromStr;

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
    /// The tokens of `text` alone; special tokens count as plain text.
    #[must_use]
    pub fn count(self, text: &str) -> u64 {
        match self {
            Self::O200k | Self::Cl100k | Self::Bytes4 => (text.len() as u64).div_ceil(4),
        }
    }

    /// Counts `text` and finds its certain boundaries.
    #[must_use]
    pub fn measure(self, text: &str) -> Measure {
        Measure { tokens: self.count(text), bytes: text.len() as u64, core: None }
    }

    /// The tokens of the concatenation of `parts`, each with its measure by this tokenizer.
    #[must_use]
    pub fn count_joined(self, parts: &[(&str, Measure)]) -> u64 {
        let whole: String = parts.iter().map(|(text, _)| *text).collect();
        self.count(&whole)
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

impl fmt::Display for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::O200k => "o200k",
            Self::Cl100k => "cl100k",
            Self::Bytes4 => "bytes4",
        })
    }
}

impl FromStr for Tokenizer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "o200k" => Ok(Self::O200k),
            "cl100k" => Ok(Self::Cl100k),
            "bytes4" => Ok(Self::Bytes4),
            other => Err(format!("unknown tokenizer '{other}': use o200k, cl100k or bytes4")),
        }
    }
}
