//! Turns without secrets and with their hidden characters made visible, and what that took.

use serde_json::{Map, Value};

use super::message::{Message, ToolCall};
use crate::guard::hidden::HiddenFinding;
use crate::guard::secrets::SecretFinding;
use crate::guard::{self, Policies};

/// What had to be done to texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cleaning {
    /// Secrets that were replaced.
    pub secrets: Vec<SecretFinding>,
    /// Hidden characters that were made visible, text by text.
    pub hidden: Vec<HiddenFinding>,
}

/// A part of a history to which something had to be done.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanedPart {
    /// The turn; none for the summary.
    pub turn: Option<u64>,
    /// What had to be done.
    pub cleaning: Cleaning,
}

impl Cleaning {
    /// Whether nothing had to be done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty() && self.hidden.is_empty()
    }

    pub(super) fn text(&mut self, text: String) -> String {
        let cleaned = guard::clean(text, Policies::default());
        self.secrets.extend(cleaned.secrets);
        self.hidden.extend(cleaned.hidden);
        cleaned.text
    }

    /// A message, cleaned everywhere.
    pub(super) fn message(&mut self, message: Message) -> Message {
        Message {
            role: message.role,
            content: message.content.map(|text| self.text(text)),
            tool_calls: message.tool_calls.into_iter().map(|call| self.call(call)).collect(),
            tool_call_id: message.tool_call_id.map(|text| self.text(text)),
            name: message.name.map(|text| self.text(text)),
            other: self.map(message.other),
        }
    }

    fn call(&mut self, call: ToolCall) -> ToolCall {
        let ToolCall { id, name, arguments } = call;
        ToolCall { id: self.text(id), name: self.text(name), arguments: self.text(arguments) }
    }

    fn map(&mut self, map: Map<String, Value>) -> Map<String, Value> {
        map.into_iter().map(|(key, value)| (self.text(key), self.value(value))).collect()
    }

    fn value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(values) => values.into_iter().map(|value| self.value(value)).collect(),
            Value::Object(map) => Value::Object(self.map(map)),
            value @ (Value::Null | Value::Bool(_) | Value::Number(_)) => value,
        }
    }
}
