//! One JSON object, with a line for each document.

use std::borrow::Cow;

use serde_json::Value;

use super::around::Around;
use super::{Frame, PrintedDocument, Style};
use crate::history::{Chat, Message, Turn};

pub(super) static STYLE: Style = Style { opening, joint, before, body, after, closing, alone, begins };

fn opening(frame: &Frame<'_>) -> String {
    let labels = |gone: &[String]| gone.iter().map(|label| quoted(label)).collect::<Vec<_>>().join(",");
    let gone = frame.around.gone.map(|gone| format!("\"gone\":[{}],\n", labels(gone)));
    let tree = frame.around.tree.map(|tree| format!("\"tree\":{},\n", quoted(tree)));
    format!("{{{}{}\"documents\":[", gone.unwrap_or_default(), tree.unwrap_or_default())
}

fn joint(_: &Frame<'_>, is_first: bool) -> String {
    if is_first { "\n" } else { ",\n" }.to_owned()
}

fn before(_: &Frame<'_>, document: &PrintedDocument<'_>) -> String {
    let status = document.change.map(|change| format!("\"status\":\"{change}\",")).unwrap_or_default();
    format!("{{\"path\":{},{status}\"content\":\"", quoted(&document.printed_label()))
}

fn body(text: &str) -> Cow<'_, str> {
    Cow::Owned(escaped(text))
}

fn after(_: &Frame<'_>, _: &PrintedDocument<'_>) -> String {
    "\"}".to_owned()
}

fn closing(frame: &Frame<'_>) -> String {
    format!("\n]{}}}\n", keys(frame))
}

fn alone(frame: &Frame<'_>) -> String {
    if frame.around.is_printed_alone() || frame.around.prompt.is_some() {
        format!("{{\"documents\":[]{}}}\n", keys(frame))
    } else {
        String::new()
    }
}

fn begins(text: &str) -> bool {
    let Some(keys) = text.strip_prefix('{') else { return false };
    let is_of_frame = |line: &&str| line.starts_with("\"gone\":[") || line.starts_with("\"tree\":\"");
    let mut lines = keys.lines().skip_while(is_of_frame);
    lines.next() == Some("\"documents\":[")
        && lines.next().is_some_and(|line| line.starts_with("{\"path\":\""))
}

/// The keys after the documents.
fn keys(frame: &Frame<'_>) -> String {
    let Around { instruction, chat, .. } = frame.around;
    let instruction = instruction.map(|text| format!(",\"instruction\":{}", quoted(text)));
    let chat = chat.map(|chat| format!(",\"history\":[\n{}\n]", messages(&chat).join(",\n")));
    let prompt = frame.around.prompt_text().map(|prompt| format!(",\"prompt\":{}", quoted(prompt)));
    instruction.into_iter().chain(chat).chain(prompt).collect()
}

/// The messages of a conversation, each with its turn.
fn messages(chat: &Chat<'_>) -> Vec<String> {
    let told = chat.told(None);
    let told = told.iter().map(Message::to_value);
    let of_turn = |turn: &Turn| {
        let number = turn.number;
        let numbered = move |message: &Message| {
            let mut value = message.to_value();
            value["turn"] = number.into();
            value
        };
        turn.messages.iter().map(numbered).collect::<Vec<_>>()
    };
    told.chain(chat.turns.iter().flat_map(of_turn)).map(|value| value.to_string()).collect()
}

pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Text as it is written between the quotes of a JSON string.
pub(super) fn escaped(text: &str) -> String {
    let quoted = quoted(text);
    quoted[1..quoted.len() - 1].to_owned()
}
