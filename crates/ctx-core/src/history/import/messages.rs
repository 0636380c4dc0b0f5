//! Messages in OpenAI's form.

use super::conversation::Transcript;
use super::{ImportError, ImportedValue};
use crate::history::message::Message;

pub(super) fn read(entries: Vec<ImportedValue>, conversation: &mut Transcript) -> Result<(), ImportError> {
    for entry in entries {
        let line = entry.line;
        // A history that was printed as JSON has them under this key, and so has what is sent to a server.
        let messages = match entry.value.get("messages") {
            Some(serde_json::Value::Array(messages)) => messages.clone(),
            Some(_) | None => vec![entry.value],
        };
        for message in messages {
            let message = Message::read(message, &mut conversation.left_out.attachments)
                .map_err(|reason| ImportError { line, reason })?;
            conversation.push(message);
        }
    }
    Ok(())
}
