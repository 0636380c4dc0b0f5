//! Conversations out of the files of other programs.
//!
//! Each source is a reader of its own that says to a [`Transcript`] what was said. What a history cannot
//! hold is counted there.

mod claude;
mod codex;
mod conversation;
mod entry;
mod gemini;
mod llm;
mod messages;

use std::fmt;
use std::str::FromStr;

pub use conversation::OmittedCounts;
use conversation::Transcript;
pub use entry::ImportError;
use entry::{ImportedValue, entries};

use super::Addition;
use crate::words::known;

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatSource {
    /// Messages in OpenAI's form, as an array or a line each.
    Messages,
    /// What `llm logs --json` prints.
    Llm,
    /// A transcript of Claude Code.
    Claude,
    /// A rollout of Codex.
    Codex,
    /// A session or a history of the Gemini CLI.
    Gemini,
}

impl ChatSource {
    /// All sources, in the order in which they are documented.
    pub const ALL: [Self; 5] = [Self::Messages, Self::Llm, Self::Claude, Self::Codex, Self::Gemini];
}

impl fmt::Display for ChatSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Messages => "messages",
            Self::Llm => "llm",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        })
    }
}

impl FromStr for ChatSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        known(&Self::ALL, "source", text)
    }
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// What can be appended.
    pub addition: Addition,
    /// What a history cannot hold.
    pub left_out: OmittedCounts,
}

/// Reads a file.
///
/// # Errors
/// When it is not what the source writes.
pub fn read(source: ChatSource, text: &str) -> Result<Imported, ImportError> {
    let entries = entries(text)?;
    let mut conversation = Transcript::default();
    let read = match source {
        ChatSource::Messages => messages::read,
        ChatSource::Llm => llm::read,
        ChatSource::Claude => claude::read,
        ChatSource::Codex => codex::read,
        ChatSource::Gemini => gemini::read,
    };
    read(entries, &mut conversation)?;
    let (messages, left_out) = conversation.finished();
    Ok(Imported { addition: Addition::of(messages), left_out })
}
