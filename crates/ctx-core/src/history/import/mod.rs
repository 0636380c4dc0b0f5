//! Conversations out of the files of other programs.
//!
//! Each source is a reader of its own that says to a [`Conversation`] what was said. What a history cannot
//! hold is counted there.

mod claude;
mod codex;
mod conversation;
mod gemini;
mod llm;
mod messages;

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use conversation::Conversation;
pub use conversation::LeftOut;

use super::Addition;
use crate::words::one_of;

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
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

impl Source {
    /// All sources, in the order in which they are documented.
    pub const ALL: [Self; 5] = [Self::Messages, Self::Llm, Self::Claude, Self::Codex, Self::Gemini];
}

impl fmt::Display for Source {
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

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|source| source.to_string() == text);
        found.ok_or_else(|| format!("unknown source '{text}': use {}", one_of(&Self::ALL)))
    }
}

/// Why a file is not what its source writes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct ImportError {
    /// The line, from 1, where the file has one value a line.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// What can be appended.
    pub addition: Addition,
    /// What a history cannot hold.
    pub left_out: LeftOut,
}

/// Reads a file.
///
/// # Errors
/// When it is not what the source writes.
pub fn read(source: Source, text: &str) -> Result<Imported, ImportError> {
    let entries = entries(text)?;
    let mut conversation = Conversation::default();
    let read = match source {
        Source::Messages => messages::read,
        Source::Llm => llm::read,
        Source::Claude => claude::read,
        Source::Codex => codex::read,
        Source::Gemini => gemini::read,
    };
    read(entries, &mut conversation)?;
    let (messages, left_out) = conversation.finished();
    Ok(Imported { addition: Addition::of(messages), left_out })
}

/// A value of the file and the line on which it stands, if it has a line of its own.
struct Entry {
    value: Value,
    line: Option<usize>,
}

impl Entry {
    fn error(&self, reason: impl Into<String>) -> ImportError {
        ImportError { line: self.line, reason: reason.into() }
    }

    /// The string under a key.
    fn text(&self, key: &str) -> Option<&str> {
        self.value.get(key).and_then(Value::as_str)
    }

    fn is(&self, key: &str) -> bool {
        self.value.get(key) == Some(&Value::Bool(true))
    }
}

/// The elements of an array, one object, or one object a line.
fn entries(text: &str) -> Result<Vec<Entry>, ImportError> {
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str(text) {
        Ok(Value::Array(values)) => {
            return Ok(values.into_iter().map(|value| Entry { value, line: None }).collect());
        }
        Ok(value @ Value::Object(_)) => return Ok(vec![Entry { value, line: None }]),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | Err(_) => {}
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parsed = lines.map(|(at, line)| {
        let line_number = Some(at + 1);
        let error = |reason: String| ImportError { line: line_number, reason };
        match serde_json::from_str(line) {
            Ok(value @ Value::Object(_)) => Ok(Entry { value, line: line_number }),
            Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                Err(error("not an object".to_owned()))
            }
            Err(problem) => Err(error(problem.to_string())),
        }
    });
    parsed.collect()
}
