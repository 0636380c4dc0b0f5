//! What gives way when a block is over budget.

use crate::words::one_of;
use std::fmt;
use std::str::FromStr;

/// What gives way when a block is over budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Trim {
    /// The file with the most tokens, again and again.
    #[default]
    Largest,
    /// Each file that does not fit beside those before it.
    FirstFit,
    /// The ends of the files, all at the same length.
    Truncate,
    /// Nothing: being over budget is an error.
    Fail,
}

impl Trim {
    /// All rules, in the order in which they are documented.
    pub const ALL: [Self; 4] = [Self::Largest, Self::FirstFit, Self::Truncate, Self::Fail];
}

impl fmt::Display for Trim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Largest => "largest",
            Self::FirstFit => "first-fit",
            Self::Truncate => "truncate",
            Self::Fail => "fail",
        })
    }
}

impl FromStr for Trim {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|trim| trim.to_string() == text)
            .ok_or_else(|| format!("unknown trim rule '{text}': use {}", one_of(&Self::ALL)))
    }
}
