//! Messages in the format of OpenAI's API and everything compatible with it.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::guard::Findings;
use crate::named::named;

named! {
    /// Who speaks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Role read as "role" {
        /// The user.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// Whoever set up the conversation.
        System = "system",
        /// A tool that the model called.
        Tool = "tool",
    }
}

/// A call to a tool by the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The id that its result refers to.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments: JSON, as the model wrote it.
    pub arguments: String,
}

/// A message; in JSON, its keys are in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The call that this result belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The name of the tool, or of another speaker in the role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The text; absent in a message that only calls tools.
    pub content: Option<String>,
    /// The tools that the model calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Keys that this version does not know.
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

impl ToolCall {
    fn clean(self, found: &mut Findings) -> Self {
        Self {
            id: found.clean(self.id),
            name: found.clean(self.name),
            arguments: found.clean(self.arguments),
        }
    }
}

impl Message {
    /// The message with every part made safe.
    pub(super) fn clean(self, found: &mut Findings) -> Self {
        Self {
            role: self.role,
            content: self.content.map(|text| found.clean(text)),
            tool_calls: self.tool_calls.into_iter().map(|call| call.clean(found)).collect(),
            tool_call_id: self.tool_call_id.map(|text| found.clean(text)),
            name: self.name.map(|text| found.clean(text)),
            other: found.clean_map(self.other),
        }
    }

    /// A message with only text.
    #[must_use]
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            content: Some(text.into()),
            tool_calls: Vec::new(),
            tool_call_id: None,
            name: None,
            other: Map::new(),
        }
    }

    /// A message in which the model calls tools.
    #[must_use]
    pub fn calls(tool_calls: Vec<ToolCall>) -> Self {
        Self { content: None, tool_calls, ..Self::text(Role::Assistant, "") }
    }

    /// The result of a call.
    #[must_use]
    pub fn result(call: impl Into<String>, name: Option<String>, text: impl Into<String>) -> Self {
        Self { tool_call_id: Some(call.into()), name, ..Self::text(Role::Tool, text) }
    }

    /// Whether it is a model's final answer: text, without calls.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        self.role == Role::Assistant && self.tool_calls.is_empty() && !self.is_blank()
    }

    /// Whether it has no text, or only white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.content.as_deref().is_none_or(|text| text.trim().is_empty())
    }

    /// Whether the next message is more text from the same speaker.
    pub(crate) fn continues_with(&self, next: &Self) -> bool {
        let is_text = |message: &Self| message.tool_calls.is_empty() && message.tool_call_id.is_none();
        self.role == next.role && self.name == next.name && is_text(self) && is_text(next)
    }

    /// Appends the text of the next message, with a blank line between them.
    fn join(&mut self, next: Self) {
        let texts = [self.content.take(), next.content];
        self.content = Some(texts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"));
        self.other.extend(next.other);
    }

    /// Reads a message; parts of its content that are not text are counted but not kept.
    ///
    /// # Errors
    /// If the value is not a message; the error explains why.
    pub(super) fn read(value: Value, left_out: &mut usize) -> Result<Self, String> {
        let Value::Object(mut map) = value else { return Err("a message is not an object".to_owned()) };
        let role = match string(map.shift_remove("role")) {
            Some(role) if role == "developer" => Role::System,
            Some(role) => role.parse()?,
            None => return Err("a message has no role".to_owned()),
        };
        let content = match map.shift_remove("content") {
            None | Some(Value::Null) => None,
            Some(content) => Some(text_of(content, left_out)?),
        };
        let calls = match map.shift_remove("tool_calls") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(calls)) => calls.into_iter().map(ToolCall::read).collect::<Result<_, _>>()?,
            Some(_) => return Err("the tool calls of a message are not an array".to_owned()),
        };
        Ok(Self {
            role,
            content,
            tool_calls: calls,
            tool_call_id: string(map.shift_remove("tool_call_id")),
            name: string(map.shift_remove("name")),
            other: map,
        })
    }

    /// The message as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl ToolCall {
    fn read(value: Value) -> Result<Self, String> {
        let Value::Object(mut map) = value else { return Err("a tool call is not an object".to_owned()) };
        let id = string(map.shift_remove("id")).ok_or("a tool call has no id")?;
        let (called, arguments) = match map.shift_remove("custom") {
            Some(custom) => (custom, "input"),
            None => (map.shift_remove("function").unwrap_or_default(), "arguments"),
        };
        let Value::Object(mut called) = called else { return Err("a tool call has no function".to_owned()) };
        Ok(Self {
            id,
            name: string(called.shift_remove("name")).ok_or("a tool call has no name")?,
            arguments: called.shift_remove(arguments).map(as_text).unwrap_or_default(),
        })
    }
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let function = json!({"name": self.name, "arguments": self.arguments});
        json!({"id": self.id, "type": "function", "function": function}).serialize(serializer)
    }
}

/// The messages, with consecutive ones from the same speaker joined.
#[must_use]
pub fn joined(messages: impl IntoIterator<Item = Message>) -> Vec<Message> {
    let mut joined: Vec<Message> = Vec::new();
    for message in messages {
        match joined.last_mut() {
            Some(last) if last.continues_with(&message) => last.join(message),
            Some(_) | None => joined.push(message),
        }
    }
    joined
}

/// The text of a string, of `null`, or of parts, some of which are text.
pub(super) fn text_of(content: Value, left_out: &mut usize) -> Result<String, String> {
    match content {
        Value::String(text) => Ok(text),
        Value::Null => Ok(String::new()),
        Value::Array(parts) => {
            let mut texts = Vec::new();
            for part in parts {
                match part {
                    Value::String(text) => texts.push(text),
                    Value::Object(mut part) => match part.shift_remove("text") {
                        Some(Value::String(text)) => texts.push(text),
                        Some(_) | None => *left_out += 1,
                    },
                    _ => return Err("a part of a message is neither text nor an object".to_owned()),
                }
            }
            Ok(texts.join("\n"))
        }
        _ => Err("the content of a message is neither text nor an array".to_owned()),
    }
}

/// A string unchanged, anything else as JSON.
pub(super) fn as_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        value => value.to_string(),
    }
}

/// The text of a string.
pub(super) fn string(value: Option<Value>) -> Option<String> {
    match value {
        Some(Value::String(text)) => Some(text),
        Some(_) | None => None,
    }
}
