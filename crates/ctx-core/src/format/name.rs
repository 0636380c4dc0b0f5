//! The names of the formats, and the marks of documents in a block of changes.

use crate::named::named;

named! {
    /// How to lay out a block.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Format read as "format" {
        /// `--- CONTEXT FILES BEGIN ---`, then `[label]` before each document.
        #[default]
        Text = "text",
        /// A label and a fenced code block for each document.
        Markdown = "markdown",
        /// `<documents>`, as Anthropic's guide recommends.
        Xml = "xml",
        /// One JSON object.
        Json = "json",
        /// The array of messages that OpenAI's API takes.
        Messages = "messages",
    }
}

impl Format {
    /// Whether the format can carry ids. It needs none if escaping makes forgery impossible.
    #[must_use]
    pub fn carries_ids(self) -> bool {
        match self {
            Self::Text | Self::Markdown | Self::Xml | Self::Messages => true,
            Self::Json => false,
        }
    }

    /// Whether its blocks can show what has changed since an earlier one.
    #[must_use]
    pub fn marks_changes(self) -> bool {
        match self {
            Self::Text | Self::Xml | Self::Json => true,
            Self::Markdown | Self::Messages => false,
        }
    }

    /// Whether documents are printed without escapes, so that the inner part of each has the same tokens in
    /// the block as on its own.
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

named! {
    /// How a document differs from what the reader has.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Change {
        /// The reader has a different version of it.
        Changed = "changed",
        /// The reader does not have it.
        New = "new",
        /// Only part of it is printed.
        Part = "part",
    }
}

/// The mark of a document that the reader has but that no longer exists.
pub(super) const GONE: &str = "gone";

/// Every mark, as in `: changed` after a label.
pub(super) fn marks() -> impl Iterator<Item = &'static str> {
    Change::ALL.into_iter().map(Change::name).chain([GONE])
}
