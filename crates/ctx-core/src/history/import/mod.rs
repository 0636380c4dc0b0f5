//! Reads conversations from other programs' files.
//!
//! Each source has its own reader, which adds messages to a [`Transcript`]. The transcript counts what a history
//! cannot contain.

mod claude;
mod codex;
mod conversation;
mod gemini;
mod llm;

use conversation::{ImportedValue, entries};
pub use conversation::{OmittedCounts, Transcript};

use super::Message;
use crate::named::named;
use crate::words::WrongText;

named! {
    /// The program that wrote the file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ChatSource read as "source" {
        /// Messages in OpenAI's format, as an array or one per line.
        Messages = "messages",
        /// The output of `llm logs --json`.
        Llm = "llm",
        /// A transcript of Claude Code.
        Claude = "claude",
        /// A rollout of Codex.
        Codex = "codex",
        /// A session or a history of the Gemini CLI.
        Gemini = "gemini",
    }
}

/// Reads a file.
///
/// # Errors
/// If the file is not valid for its source.
pub fn read(source: ChatSource, text: &str) -> Result<Transcript, WrongText> {
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
    Ok(conversation)
}

/// Messages in OpenAI's format.
fn messages(entries: Vec<ImportedValue>, conversation: &mut Transcript) -> Result<(), WrongText> {
    for entry in entries {
        let line = entry.line;
        // A history printed as JSON has them under this key, and so does a request to a server.
        let messages = match entry.value.get("messages") {
            Some(serde_json::Value::Array(messages)) => messages.clone(),
            Some(_) | None => vec![entry.value],
        };
        for message in messages {
            let message = Message::read(message, &mut conversation.left_out.attachments)
                .map_err(|reason| conversation::wrong(line, &reason))?;
            conversation.push(message);
        }
    }
    Ok(())
}
