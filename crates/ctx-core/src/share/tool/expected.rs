//! What a value of a file should have been, and how one is named that was left out.

use serde_json::Value;

/// How much of a value is shown, in characters.
const SHOWN: usize = 100;

/// What the value of a key must be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Expected {
    Text,
    List,
    Object,
}

impl Expected {
    /// What is said of a key or value that is something else.
    pub(super) fn not(self, what: &str) -> String {
        let expected = match self {
            Self::Text => "a text",
            Self::List => "a list",
            Self::Object => "an object",
        };
        format!("{} (not {expected})", clipped(what))
    }
}

/// Whether a value says nothing.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(keys) => keys.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The beginning of a text, for messages.
pub(super) fn clipped(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
