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

pub use conversation::OmittedCounts;
use conversation::Transcript;
pub use entry::ImportError;
use entry::{ImportedValue, entries};

use super::Addition;
use crate::named::named;

named! {
    /// Whose file it is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ChatSource read as "source" {
        /// Messages in OpenAI's form, as an array or a line each.
        Messages = "messages",
        /// What `llm logs --json` prints.
        Llm = "llm",
        /// A transcript of Claude Code.
        Claude = "claude",
        /// A rollout of Codex.
        Codex = "codex",
        /// A session or a history of the Gemini CLI.
        Gemini = "gemini",
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
