//! How much of a file a block may have.

use crate::words::known;
use std::fmt;
use std::str::FromStr;

/// How much of a file a block may have, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LevelOfDetail {
    /// Its name, in the tree in front.
    Name,
    /// What it declares.
    Outline,
    /// All of it.
    #[default]
    Full,
}

impl LevelOfDetail {
    /// All levels, the most detailed first.
    pub const ALL: [Self; 3] = [Self::Full, Self::Outline, Self::Name];
}

impl fmt::Display for LevelOfDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "name",
            Self::Outline => "outline",
            Self::Full => "full",
        })
    }
}

impl FromStr for LevelOfDetail {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        known(&Self::ALL, "level of detail", text)
    }
}
