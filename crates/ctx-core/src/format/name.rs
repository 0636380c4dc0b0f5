//! The names of the formats.

use std::fmt;
use std::str::FromStr;

use crate::words::known;

/// How a block is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// `--- CONTEXT FILES BEGIN ---`, then `[label]` before each document.
    #[default]
    Text,
    /// A label and a fenced code block for each document.
    Markdown,
    /// `<documents>`, as Anthropic's guide recommends.
    Xml,
    /// One JSON object.
    Json,
    /// The array of messages that OpenAI's interface takes.
    Messages,
}

impl Format {
    /// All formats, in the order in which they are documented.
    pub const ALL: [Self; 5] = [Self::Text, Self::Markdown, Self::Xml, Self::Json, Self::Messages];

    /// Whether the format has a place for ids; where escaping makes forgery impossible it has none.
    #[must_use]
    pub fn carries_ids(self) -> bool {
        match self {
            Self::Text | Self::Markdown | Self::Xml | Self::Messages => true,
            Self::Json => false,
        }
    }

    /// Whether documents are printed without escapes, so that a block has the tokens of their middles.
    #[must_use]
    pub fn prints_texts_as_they_are(self) -> bool {
        match self {
            Self::Text | Self::Markdown | Self::Xml => true,
            Self::Json | Self::Messages => false,
        }
    }

    /// Whether the joint before each document ends with its number, counted from 1.
    pub fn is_numbered(self) -> bool {
        match self {
            Self::Xml => true,
            Self::Text | Self::Markdown | Self::Json | Self::Messages => false,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Xml => "xml",
            Self::Json => "json",
            Self::Messages => "messages",
        })
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        known(&Self::ALL, "format", text)
    }
}
