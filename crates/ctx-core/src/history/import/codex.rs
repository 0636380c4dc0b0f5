//! A rollout of Codex: one item per line, including items of OpenAI's responses.

use serde_json::Value;

use super::ImportedValue;
use super::conversation::Transcript;
use super::conversation::wrong;
use crate::history::message::{Role, string};
use crate::words::WrongText;

/// Text that the program itself puts in the user's messages.
const NOTES: [&str; 5] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<user_shell_command>",
];

pub(super) fn read(entries: Vec<ImportedValue>, conversation: &mut Transcript) -> Result<(), WrongText> {
    let mut known = false;
    for entry in &entries {
        let item = match entry.text("type") {
            Some("response_item") => entry.value.get("payload").ok_or_else(|| entry.error("no payload"))?,
            // Messages for the user, settings, and replacements for earlier items.
            Some("session_meta" | "event_msg" | "turn_context" | "compacted") => {
                known = true;
                continue;
            }
            // Rollouts of earlier versions contain the items directly.
            Some(_) => &entry.value,
            None if entry.value.get("record_type").is_some() || entry.value.get("timestamp").is_some() => {
                known = true;
                continue;
            }
            None => return Err(entry.error("an item without a type")),
        };
        known |= self::item(item, conversation).map_err(|reason| entry.error(&reason))?;
    }
    if known || entries.is_empty() { Ok(()) } else { Err(wrong(None, "not an item of a Codex rollout")) }
}

/// Adds an item, and returns whether it has a type.
fn item(item: &Value, conversation: &mut Transcript) -> Result<bool, String> {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let value = |key: &str| item.get(key).cloned().unwrap_or_default();
    let id = string(item.get("call_id").cloned());
    match text("type") {
        Some("message") => message(text("role"), value("content"), conversation)?,
        Some("function_call") => conversation.call(id, text("name").unwrap_or_default(), value("arguments")),
        Some("custom_tool_call") => conversation.call(id, text("name").unwrap_or_default(), value("input")),
        Some("local_shell_call") => conversation.call(id, "shell", value("action")),
        Some("function_call_output" | "custom_tool_call_output") => {
            let output = output(value("output"), conversation)?;
            conversation.result(id, None, output);
        }
        Some("reasoning") => conversation.left_out.reasoning += 1,
        Some("ghost_snapshot" | "compaction" | "compaction_summary") => conversation.left_out.notes += 1,
        Some(_) => conversation.left_out.others += 1,
        None => return Ok(false),
    }
    Ok(true)
}

fn message(role: Option<&str>, content: Value, conversation: &mut Transcript) -> Result<(), String> {
    let role = match role {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("developer" | "system") => Role::System,
        Some(role) => return Err(format!("a message with the role '{role}'")),
        None => return Err("a message without a role".to_owned()),
    };
    let text = conversation.text_of(content)?;
    if role == Role::User && NOTES.iter().any(|note| text.trim_start().starts_with(note)) {
        conversation.left_out.notes += 1
    } else {
        conversation.say(role, text)
    }
    Ok(())
}

/// The output of a tool: text, parts, or text inside JSON with metadata from the shell.
fn output(output: Value, conversation: &mut Transcript) -> Result<String, String> {
    match output {
        Value::String(text) => match serde_json::from_str::<Value>(&text) {
            Ok(Value::Object(mut inner)) => match inner.shift_remove("output") {
                Some(Value::String(printed)) if inner.contains_key("metadata") => Ok(printed),
                Some(_) | None => Ok(text),
            },
            Ok(_) | Err(_) => Ok(text),
        },
        Value::Object(mut object) => conversation.text_of(object.shift_remove("content").unwrap_or_default()),
        parts => conversation.text_of(parts),
    }
}
