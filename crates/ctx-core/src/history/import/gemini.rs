//! A session of the Gemini CLI, or the history that it passes to its model.
//!
//! A history is an array of contents with parts, as in Google's API, or a saved conversation with one under
//! `history`. A session has messages with their tool calls, as one object or, in later versions, as one
//! record per line.

use serde_json::{Map, Value};

use super::ImportedValue;
use super::conversation::Transcript;
use super::conversation::wrong;
use crate::history::message::{Role, as_text, string};
use crate::words::WrongText;

/// How the program introduces itself to its model, and the reply it puts in the model's mouth.
const INTRODUCTION: [&str; 2] =
    ["This is the Gemini CLI. We are setting up the context", "Got it. Thanks for"];

pub(super) fn read(entries: Vec<ImportedValue>, conversation: &mut Transcript) -> Result<(), WrongText> {
    let records = match <[ImportedValue; 1]>::try_from(entries) {
        Ok([ImportedValue { value: Value::Object(mut object), line }]) => {
            match object.shift_remove("messages").or_else(|| object.shift_remove("history")) {
                Some(Value::Array(values)) => {
                    values.into_iter().map(|value| ImportedValue { value, line: None }).collect()
                }
                Some(_) | None => vec![ImportedValue { value: Value::Object(object), line }],
            }
        }
        Ok([entry]) => vec![entry],
        Err(entries) => lasting(entries),
    };
    for record in records {
        let line = record.line;
        said(record.value, conversation).map_err(|reason| wrong(line, &reason))?;
    }
    Ok(())
}

/// The records of a session that remain valid at its end: later ones replace earlier ones with the same id,
/// or undo everything from an earlier one on.
fn lasting(entries: Vec<ImportedValue>) -> Vec<ImportedValue> {
    let mut records: Vec<ImportedValue> = Vec::new();
    for mut entry in entries {
        let place = |records: &[ImportedValue], id: &str| {
            records.iter().position(|known| known.text("id") == Some(id))
        };
        if let Some(id) = entry.text("$rewindTo") {
            let at = place(&records, id).unwrap_or(0);
            records.truncate(at);
        } else if let Some(set) = entry.value.get_mut("$set") {
            if let Some(Value::Array(messages)) = set.get_mut("messages").map(Value::take) {
                records =
                    messages.into_iter().map(|value| ImportedValue { value, line: entry.line }).collect();
            }
        } else if entry.value.get("sessionId").is_some() {
            // The name and start time of the session.
        } else {
            match entry.text("id").and_then(|id| place(&records, id)) {
                Some(at) => records[at] = entry,
                None => records.push(entry),
            }
        }
    }
    records
}

fn said(value: Value, conversation: &mut Transcript) -> Result<(), String> {
    let Value::Object(mut map) = value else { return Err("not an object".to_owned()) };
    if let Some(role) = string(map.shift_remove("role")) {
        let role = match role.as_str() {
            "model" => Role::Assistant,
            "user" | "function" | "tool" => Role::User,
            "system" => Role::System,
            role => return Err(format!("content with the role '{role}'")),
        };
        return parts(role, map.shift_remove("parts").unwrap_or_default(), conversation);
    }
    match string(map.shift_remove("type")).as_deref() {
        Some("user") => parts(Role::User, map.shift_remove("content").unwrap_or_default(), conversation),
        Some("gemini") => gemini(map, conversation),
        Some("info" | "error" | "warning") => {
            conversation.left_out.notes += 1;
            Ok(())
        }
        Some(kind) => Err(format!("a message of the type '{kind}'")),
        None => Err("neither content nor a message".to_owned()),
    }
}

/// Adds a message of a session: the model's text, and the tools that it called, with their results.
fn gemini(mut message: Map<String, Value>, conversation: &mut Transcript) -> Result<(), String> {
    let thoughts = message.shift_remove("thoughts");
    conversation.left_out.reasoning += thoughts.as_ref().and_then(Value::as_array).map_or(0, Vec::len);
    let calls = match message.shift_remove("toolCalls") {
        Some(Value::Array(calls)) => calls,
        Some(_) | None => Vec::new(),
    };
    let content = message.shift_remove("content").unwrap_or_default();
    let is_silent = content.as_str().is_some_and(str::is_empty) || content.is_null();
    if !is_silent || calls.is_empty() {
        parts(Role::Assistant, content, conversation)?;
    }
    for call in &calls {
        let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
        conversation.call(id(call), name, call.get("args").cloned().unwrap_or_default());
    }
    for mut call in calls {
        let (id, name) = (id(&call), string(call.get("name").cloned()));
        let text = match call.get_mut("result").map(Value::take) {
            Some(Value::Array(results)) => responses(results, conversation),
            Some(Value::String(text)) => text,
            Some(Value::Object(result)) => responses(vec![Value::Object(result)], conversation),
            Some(_) | None => string(call.get_mut("status").map(Value::take)).unwrap_or_default(),
        };
        conversation.result(id, name.as_deref(), text);
    }
    Ok(())
}

/// The results of one call as one string.
fn responses(results: Vec<Value>, conversation: &mut Transcript) -> String {
    let mut texts = Vec::new();
    for mut result in results {
        if let Some(response) = result.get_mut("functionResponse") {
            texts.push(response_text(response.get_mut("response").map(Value::take).unwrap_or_default()));
        } else if let Some(text) = string(result.get_mut("text").map(Value::take)) {
            texts.push(text);
        } else {
            conversation.left_out.attachments += 1;
        }
    }
    texts.join("\n")
}

/// Adds the parts of a `content` value, which is text, one part, or several.
fn parts(role: Role, parts: Value, conversation: &mut Transcript) -> Result<(), String> {
    let parts = match parts {
        Value::Array(parts) => parts,
        part @ (Value::String(_) | Value::Object(_)) => vec![part],
        Value::Null => Vec::new(),
        _ => return Err("content without parts".to_owned()),
    };
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    let mut has_response = false;
    for part in parts {
        let mut part = match part {
            Value::String(text) => {
                texts.push(text);
                continue;
            }
            Value::Object(part) => part,
            _ => return Err("a part that is neither text nor an object".to_owned()),
        };
        let mut either = |one: &str, other: &str| part.shift_remove(one).or_else(|| part.shift_remove(other));
        if let Some(call) = either("functionCall", "tool_code") {
            calls.push(call);
        } else if let Some(mut response) = either("functionResponse", "tool_response") {
            has_response = true;
            let name = string(response.get("name").cloned());
            let key = if response.get("response").is_some() { "response" } else { "content" };
            let text = response_text(response.get_mut(key).map(Value::take).unwrap_or_default());
            conversation.result(id(&response), name.as_deref(), text);
        } else if part.get("thought") == Some(&Value::Bool(true)) {
            conversation.left_out.reasoning += 1;
        } else if let Some(text) = string(part.shift_remove("text")) {
            texts.push(text);
        } else {
            conversation.left_out.attachments += 1;
        }
    }
    let text = texts.concat();
    if INTRODUCTION.iter().any(|note| text.starts_with(note)) {
        conversation.left_out.notes += 1;
    } else if !text.is_empty() || (calls.is_empty() && !has_response) {
        conversation.say(role, text);
    }
    for mut call in calls {
        let name = string(call.get("name").cloned()).unwrap_or_default();
        let arguments = call.get_mut("args").map(Value::take).unwrap_or_default();
        conversation.call(id(&call), &name, arguments);
    }
    Ok(())
}

/// A tool's response: only the text, if it contains nothing else.
fn response_text(response: Value) -> String {
    match response {
        Value::Object(mut object) if object.len() == 1 => match object.shift_remove("output") {
            Some(output) => as_text(output),
            None => Value::Object(object).to_string(),
        },
        Value::Null => String::new(),
        response => as_text(response),
    }
}

fn id(value: &Value) -> Option<String> {
    string(value.get("id").cloned())
}
