//! A transcript of Claude Code: one event per line, including messages in the format of Anthropic's API.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::ImportedValue;
use super::conversation::Transcript;
use super::conversation::wrong;
use crate::history::message::{Role, string};
use crate::words::WrongText;

/// Text that the program itself puts in the user's messages.
const NOTES: [&str; 4] =
    ["<command-name>", "<command-message>", "<local-command-stdout>", "<local-command-caveat>"];

pub(super) fn read(entries: Vec<ImportedValue>, conversation: &mut Transcript) -> Result<(), WrongText> {
    let mut known = false;
    let abandoned = abandoned(&entries);
    for (place, entry) in entries.iter().enumerate() {
        let kind = entry.text("type").ok_or_else(|| entry.error("an event without a type"))?;
        let is_user = match kind {
            "user" => true,
            "assistant" => false,
            // Titles, snapshots, hooks: not messages.
            _ => continue,
        };
        let content = entry.value.get("message").and_then(|message| message.get("content"));
        let content = content.ok_or_else(|| entry.error("an event without a message"))?;
        known = true;
        if entry.is("isSidechain") {
            conversation.left_out.subagents += 1;
        } else if abandoned.contains(&place) {
            conversation.left_out.abandoned += 1;
        } else if entry.is("isMeta") || entry.is("isCompactSummary") || is_note(content) {
            conversation.left_out.notes += 1;
        } else if is_user {
            user(content, conversation).map_err(|reason| entry.error(&reason))?;
        } else {
            assistant(content, conversation).map_err(|reason| entry.error(&reason))?;
        }
    }
    if known || entries.is_empty() {
        Ok(())
    } else {
        Err(wrong(None, "not a message of a Claude Code transcript"))
    }
}

/// The indices of messages after a prompt that was later rewritten: each event names the one that it follows,
/// and only the chain that leads to the last event was continued.
fn abandoned(entries: &[ImportedValue]) -> BTreeSet<usize> {
    // Where no event names its predecessor, they follow one another.
    if entries.iter().all(|entry| entry.value.get("parentUuid").is_none()) {
        return BTreeSet::new();
    }
    let places: HashMap<&str, usize> =
        (0..).zip(entries).filter_map(|(place, entry)| Some((entry.text("uuid")?, place))).collect();
    let parent = |place: usize| {
        let of = |key: &str| entries[place].text(key).and_then(|uuid| places.get(uuid)).copied();
        // An event after the program's own summary names its predecessor under another key.
        of("parentUuid").or_else(|| of("logicalParentUuid")).filter(|parent| *parent < place)
    };
    let chain = |place: usize| std::iter::successors(Some(place), |place| parent(*place));
    let is_said = |entry: &ImportedValue| matches!(entry.text("type"), Some("user" | "assistant"));
    let last = entries.iter().rposition(|entry| is_said(entry) && !entry.is("isSidechain"));
    let kept: BTreeSet<usize> = last.into_iter().flat_map(chain).collect();
    let is_prompt = |place: usize| {
        let content = entries[place].value.get("message").and_then(|message| message.get("content"));
        let is_result = |block: &Value| block.get("type").is_some_and(|kind| kind == "tool_result");
        let has_result = content.and_then(Value::as_array).is_some_and(|blocks| blocks.iter().any(is_result));
        entries[place].text("type") == Some("user") && entries[place].text("uuid").is_some() && !has_result
    };
    let is_abandoned = |place: &usize| {
        // Results of parallel calls are branches, too, but do not begin with a prompt.
        let branch: Vec<usize> = chain(*place).take_while(|place| !kept.contains(place)).collect();
        // An event whose parent is in another file begins a separate part.
        let begins = |first: usize| parent(first).is_some() || entries[first].text("parentUuid").is_none();
        branch.last().is_some_and(|first| is_prompt(*first) && begins(*first))
    };
    (0..entries.len()).filter(is_abandoned).collect()
}

fn is_note(content: &Value) -> bool {
    content.as_str().is_some_and(|text| NOTES.iter().any(|note| text.starts_with(note)))
}

/// The blocks of a message; plain text counts as one block.
fn blocks(content: &Value) -> Result<Vec<Value>, String> {
    match content {
        Value::String(text) => Ok(vec![serde_json::json!({"type": "text", "text": text})]),
        Value::Array(blocks) => Ok(blocks.clone()),
        _ => Err("the content of a message is neither text nor an array".to_owned()),
    }
}

fn user(content: &Value, conversation: &mut Transcript) -> Result<(), String> {
    let mut texts = Vec::new();
    let mut has_result = false;
    for mut block in blocks(content)? {
        match block.get("type").and_then(Value::as_str) {
            Some("text") => texts.extend(string(block.get_mut("text").map(Value::take))),
            Some("tool_result") => {
                has_result = true;
                let id = string(block.get_mut("tool_use_id").map(Value::take));
                let content = block.get_mut("content").map(Value::take).unwrap_or_default();
                let text = conversation.text_of(content)?;
                conversation.result(id, None, text);
            }
            Some(_) | None => conversation.left_out.attachments += 1,
        }
    }
    if !texts.is_empty() || !has_result {
        conversation.say(Role::User, texts.join("\n"));
    }
    Ok(())
}

fn assistant(content: &Value, conversation: &mut Transcript) -> Result<(), String> {
    for mut block in blocks(content)? {
        let mut taken = |key: &str| block.get_mut(key).map(Value::take);
        match string(taken("type")).as_deref() {
            Some("text") => {
                if let Some(text) = string(taken("text")) {
                    conversation.say(Role::Assistant, text);
                }
            }
            Some("tool_use") => {
                let name = string(taken("name")).unwrap_or_default();
                let id = string(taken("id"));
                conversation.call(id, &name, taken("input").unwrap_or_default());
            }
            Some("thinking" | "redacted_thinking") => conversation.left_out.reasoning += 1,
            Some(_) | None => conversation.left_out.others += 1,
        }
    }
    Ok(())
}
