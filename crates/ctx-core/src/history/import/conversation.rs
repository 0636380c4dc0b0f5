//! A conversation being read: the values of the file, and the messages so far.

use std::collections::VecDeque;
use std::fmt;

use serde_json::Value;

use super::super::message::{Message, Role, ToolCall, as_text, text_of};
use crate::words::{WrongText, counted};

/// The parts of a file that a history cannot contain, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OmittedCounts {
    /// Images and other files.
    pub attachments: usize,
    /// The model's reasoning.
    pub reasoning: usize,
    /// Text that the program itself put into the conversation.
    pub notes: usize,
    /// Messages to and from agents that the model started.
    pub subagents: usize,
    /// Messages after a prompt that was rewritten.
    pub abandoned: usize,
    /// Everything else.
    pub others: usize,
}

impl OmittedCounts {
    /// Whether nothing was left out.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for OmittedCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = [
            (self.attachments, counted(self.attachments, "attachment")),
            (self.reasoning, format!("{} of reasoning", counted(self.reasoning, "piece"))),
            (self.notes, format!("{} of the program itself", counted(self.notes, "message"))),
            (self.subagents, format!("{} of subagents", counted(self.subagents, "message"))),
            (self.abandoned, format!("{} of a rewritten prompt", counted(self.abandoned, "message"))),
            (self.others, format!("{} of another kind", counted(self.others, "item"))),
        ];
        let shown = shown.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text);
        f.write_str(&shown.collect::<Vec<_>>().join(", "))
    }
}

/// The conversation in a file, as far as it has been read.
#[derive(Debug, Default)]
pub struct Transcript {
    /// The messages.
    pub messages: Vec<Message>,
    /// What a history cannot contain.
    pub left_out: OmittedCounts,
    /// Calls that were given an id here, until their results arrive.
    waiting: VecDeque<ToolCall>,
    made_up: usize,
}

impl Transcript {
    /// Adds a message, unchanged.
    pub(super) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Adds a message with only text.
    pub(super) fn say(&mut self, role: Role, text: impl Into<String>) {
        self.messages.push(Message::text(role, text));
    }

    /// Adds a call. Consecutive calls, and the model's text just before them, become one message.
    pub(super) fn call(&mut self, id: Option<String>, name: &str, arguments: Value) {
        let is_named = id.is_some();
        let id = id.unwrap_or_else(|| self.new_id());
        let call = ToolCall { id, name: name.to_owned(), arguments: as_text(arguments) };
        if !is_named {
            self.waiting.push_back(call.clone());
        }
        match self.messages.last_mut() {
            Some(last) if last.role == Role::Assistant => last.tool_calls.push(call),
            Some(_) | None => self.messages.push(Message::calls(vec![call])),
        }
    }

    /// Adds the result of a call. A result without an id belongs to the first waiting call of that tool.
    pub(super) fn result(&mut self, id: Option<String>, name: Option<&str>, text: String) {
        let id = id.unwrap_or_else(|| {
            let is_asked = |call: &ToolCall| name.is_none_or(|name| name == call.name);
            let at = self.waiting.iter().position(is_asked);
            at.and_then(|at| self.waiting.remove(at)).map_or_else(|| self.new_id(), |call| call.id)
        });
        self.messages.push(Message::result(id, name.map(str::to_owned), text));
    }

    /// The text of a message's content, without other parts.
    pub(super) fn text_of(&mut self, content: Value) -> Result<String, String> {
        text_of(content, &mut self.left_out.attachments)
    }

    fn new_id(&mut self) -> String {
        self.made_up += 1;
        format!("call-{}", self.made_up)
    }
}

/// The error for a file that its source would not have written. If the file has one value per line, `line` is
/// the line, counted from 1.
pub(super) fn wrong(line: Option<usize>, reason: &str) -> WrongText {
    let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
    WrongText::new(format!("{line}{reason}"))
}

/// A value of the file and its line, if it has a separate one.
pub(super) struct ImportedValue {
    pub(super) value: Value,
    pub(super) line: Option<usize>,
}

impl ImportedValue {
    pub(super) fn error(&self, reason: &str) -> WrongText {
        wrong(self.line, reason)
    }

    /// The string for a key.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.value.get(key).and_then(Value::as_str)
    }

    pub(super) fn is(&self, key: &str) -> bool {
        self.value.get(key) == Some(&Value::Bool(true))
    }
}

/// Parses an array, one object, or one object per line.
pub(super) fn entries(text: &str) -> Result<Vec<ImportedValue>, WrongText> {
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str(text) {
        Ok(Value::Array(values)) => {
            return Ok(values.into_iter().map(|value| ImportedValue { value, line: None }).collect());
        }
        Ok(value @ Value::Object(_)) => return Ok(vec![ImportedValue { value, line: None }]),
        Ok(_) | Err(_) => {}
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parsed = lines.map(|(at, line)| {
        let line_number = Some(at + 1);
        let error = |reason: &str| wrong(line_number, reason);
        match serde_json::from_str(line) {
            Ok(value @ Value::Object(_)) => Ok(ImportedValue { value, line: line_number }),
            Ok(_) => Err(error("not an object")),
            Err(problem) => Err(error(&problem.to_string())),
        }
    });
    parsed.collect()
}
