//! The parts of a layout, and the documents and frames that they print.

use std::borrow::Cow;

use super::{Around, Change, Format, Id};
use ctx_outline::Lines;

/// A document as it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrintedDocument<'a> {
    /// The document's label: one line, not empty.
    pub label: &'a str,
    /// From which line to which it is printed, if its label has to say so.
    pub lines: Option<Lines>,
    /// The document's text.
    pub text: &'a str,
    /// How it differs from what the reader has, in a block of changes.
    pub change: Option<Change>,
}

impl<'a> PrintedDocument<'a> {
    /// Its label as printed: `src/undo.rs`, or `src/undo.rs:120-188` for a part of it.
    pub(super) fn printed_label(&self) -> Cow<'a, str> {
        match self.lines {
            None => Cow::Borrowed(self.label),
            Some(Lines { first, last }) if first == last => Cow::Owned(format!("{}:{first}", self.label)),
            Some(Lines { first, last }) => Cow::Owned(format!("{}:{first}-{last}", self.label)),
        }
    }
}

/// Everything that determines the frame around the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The format.
    pub format: Format,
    /// The parts of the block other than documents.
    pub around: Around<'a>,
    /// The id that boundaries and labels carry, if any.
    pub id: Option<Id>,
}

impl Frame<'_> {
    /// The same frame, but no prompt follows it.
    #[must_use]
    pub fn without_prompt(self) -> Self {
        Self { around: Around { prompt: None, ..self.around }, ..self }
    }
}

/// What a layout prints around the documents. A block consists of the opening; for each document the joint, its
/// number if documents are numbered, the text before the body, the body, and the text after it; and the closing,
/// in which the instruction, the conversation and the prompt follow.
pub(super) struct Style {
    pub(super) opening: fn(&Frame<'_>) -> String,
    /// The text that joins a document, which may be the first one, to the text before it.
    pub(super) joint: fn(&Frame<'_>, bool) -> String,
    pub(super) before: fn(&Frame<'_>, &PrintedDocument<'_>) -> String,
    pub(super) body: fn(&str) -> Cow<'_, str>,
    pub(super) after: fn(&Frame<'_>, &PrintedDocument<'_>) -> String,
    pub(super) closing: fn(&Frame<'_>) -> String,
    /// Everything that is printed if there are no documents.
    pub(super) alone: fn(&Frame<'_>) -> String,
    /// Whether a text begins like a block with documents.
    pub(super) begins: fn(&str) -> bool,
}

/// The body of a document in a layout that changes nothing in it.
pub(super) fn as_it_is(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// A prompt without leading blank lines or trailing newlines: exactly one blank line precedes it, and the
/// output ends in exactly one newline.
pub(super) fn trimmed(prompt: &str) -> &str {
    let blank = prompt.len() - prompt.trim_start().len();
    let lines = prompt[..blank].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    prompt[lines..].trim_end_matches(['\n', '\r'])
}

/// A prompt as the last part of the output.
pub(super) fn prompt_section(around: &Around<'_>) -> Option<String> {
    around.prompt_text().map(trimmed).filter(|prompt| !prompt.is_empty()).map(|prompt| format!("{prompt}\n"))
}

/// The parts that follow the documents, with one blank line before each.
pub(super) fn followed(sections: &[String]) -> String {
    sections.iter().map(|section| format!("\n{section}")).collect()
}

/// The newline that `text` lacks at its end, if any. Empty text needs none.
pub(super) fn missing_newline(text: &str) -> &'static str {
    if text.is_empty() || text.ends_with('\n') { "" } else { "\n" }
}
