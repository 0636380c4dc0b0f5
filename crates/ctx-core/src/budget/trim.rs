//! What is dropped or shortened when a block is over budget.

use crate::words::known;
use std::fmt;
use std::str::FromStr;

/// What is dropped or shortened when a block is over budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Trim {
    /// The file with the most tokens, again and again.
    #[default]
    Largest,
    /// Each file that does not fit beside those before it.
    FirstFit,
    /// The ends of the files, all at the same length.
    Truncate,
    /// The file with the most tokens is replaced by its outline, and dropped only if outlines do not fit.
    Outline,
    /// What matters least for the query: passages and files below a rank.
    Relevant,
    /// Nothing: being over budget is an error.
    Fail,
}

impl Trim {
    /// All rules, in the order in which they are documented.
    pub const ALL: [Self; 6] =
        [Self::Largest, Self::FirstFit, Self::Truncate, Self::Outline, Self::Relevant, Self::Fail];

    /// Whether the rule shortens what must be kept, where that does not fit.
    #[must_use]
    pub fn shortens(self) -> bool {
        match self {
            Self::Truncate | Self::Outline => true,
            Self::Largest | Self::FirstFit | Self::Relevant | Self::Fail => false,
        }
    }
}

impl fmt::Display for Trim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Largest => "largest",
            Self::FirstFit => "first-fit",
            Self::Truncate => "truncate",
            Self::Outline => "outline",
            Self::Relevant => "relevant",
            Self::Fail => "fail",
        })
    }
}

impl FromStr for Trim {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        known(&Self::ALL, "trim rule", text)
    }
}
