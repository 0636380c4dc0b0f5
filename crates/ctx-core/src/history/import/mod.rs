//! Conversations out of the files of other programs.
//!
//! Each source is a reader of its own that says to a [`Transcript`] what was said. What a history cannot
//! hold is counted there.

mod claude;
mod codex;
mod conversation;
mod gemini;
mod llm;

pub use conversation::{ImportError, OmittedCounts};
use conversation::{ImportedValue, Transcript, entries};

use super::{Addition, Message};
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
        ChatSource::Messages => messages,
        ChatSource::Llm => llm::read,
        ChatSource::Claude => claude::read,
        ChatSource::Codex => codex::read,
        ChatSource::Gemini => gemini::read,
    };
    read(entries, &mut conversation)?;
    let (messages, left_out) = conversation.finished();
    Ok(Imported { addition: Addition::of(messages), left_out })
}

/// Messages in OpenAI's form.
fn messages(entries: Vec<ImportedValue>, conversation: &mut Transcript) -> Result<(), ImportError> {
    for entry in entries {
        let line = entry.line;
        // A history that was printed as JSON has them under this key, and so has what is sent to a server.
        let messages = match entry.value.get("messages") {
            Some(serde_json::Value::Array(messages)) => messages.clone(),
            Some(_) | None => vec![entry.value],
        };
        for message in messages {
            let message = Message::read(message, &mut conversation.left_out.attachments)
                .map_err(|reason| ImportError { line, reason })?;
            conversation.push(message);
        }
    }
    Ok(())
}
