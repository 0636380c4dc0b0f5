//! The output of `llm logs --json`: one object for each response, the oldest first.

use serde_json::Value;

use super::ImportedValue;
use super::conversation::Transcript;
use crate::history::message::Role;
use crate::words::WrongText;

pub(super) fn read(entries: Vec<ImportedValue>, conversation: &mut Transcript) -> Result<(), WrongText> {
    let mut system = String::new();
    for entry in &entries {
        let (Some(prompt), Some(response)) = (entry.value.get("prompt"), entry.text("response")) else {
            return Err(entry.error("neither a prompt nor a response from 'llm logs --json'"));
        };
        let prompt = prompt.as_str().unwrap_or_default();
        let told = entry.text("system").unwrap_or_default();
        if !told.is_empty() && told != system {
            conversation.say(Role::System, told);
            system = told.to_owned();
        }
        let is_from_server = |item: &&Value| item.get("server_executed") == Some(&Value::Bool(true));
        let (from_server, results): (Vec<&Value>, Vec<&Value>) =
            items(entry, "tool_results").iter().partition(is_from_server);
        for result in results.iter().copied() {
            say_result(result, conversation);
        }
        if !prompt.is_empty() || results.is_empty() {
            conversation.say(Role::User, prompt);
        }
        let calls = items(entry, "tool_calls");
        if !response.is_empty() || calls.is_empty() {
            conversation.say(Role::Assistant, response);
        }
        for call in calls {
            let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
            let arguments = call.get("arguments").cloned().unwrap_or_default();
            conversation.call(id(call), name, arguments);
        }
        for result in from_server {
            say_result(result, conversation);
        }
        conversation.left_out.attachments += items(entry, "attachments").len()
            + items(entry, "prompt_fragments").len()
            + items(entry, "system_fragments").len();
        conversation.left_out.reasoning += usize::from(entry.text("reasoning").is_some());
    }
    Ok(())
}

fn say_result(result: &Value, conversation: &mut Transcript) {
    let output = result.get("output").and_then(Value::as_str).unwrap_or_default();
    conversation.result(id(result), result.get("name").and_then(Value::as_str), output.to_owned());
}

fn id(item: &Value) -> Option<String> {
    item.get("tool_call_id").and_then(Value::as_str).map(str::to_owned)
}

fn items<'a>(entry: &'a ImportedValue, key: &str) -> &'a [Value] {
    entry.value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
