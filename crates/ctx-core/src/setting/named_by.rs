//! Who chooses names, as a person writes it.

use std::str::FromStr;

use crate::command::Words;
use crate::words::WrongText;

/// Who chooses names for a question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum NamedBy {
    /// The program that answers the question, if it may run twice.
    #[default]
    Auto,
    /// Nobody.
    Nobody,
    /// This program.
    Program(Words),
}

impl NamedBy {
    /// The words for the first two.
    pub const WORDS: [&str; 2] = ["auto", "none"];
}

impl FromStr for NamedBy {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Self, WrongText> {
        match text {
            "auto" => Ok(Self::Auto),
            "none" => Ok(Self::Nobody),
            program => program.parse().map(Self::Program),
        }
    }
}
