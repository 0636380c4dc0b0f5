//! The array of messages for OpenAI's API and everything compatible with it.
//!
//! The documents are one user message, in the form of a text block. What the user writes next continues that
//! message, since some APIs do not allow two messages of one role in a row. A summary is not the user's own
//! words, so a line separates it from the text that follows: the label of a turn, or, between the boundaries of a
//! conversation, the one that ends it.

use std::borrow::Cow;

use super::json::{escaped, quoted};
use super::{Frame, Id, PrintedDocument, Style, text, trimmed};
use crate::history::{Chat, Message, Role, joined};

pub(super) static STYLE: Style = Style { opening, joint, before, body, after, closing, alone, begins };

fn opening(frame: &Frame<'_>) -> String {
    let system = frame.around.instruction.map(|text| format!("{},\n", system(text))).unwrap_or_default();
    format!("[\n{system}{{\"role\":\"user\",\"content\":\"{}", escaped(&text::opening(frame)))
}

fn joint(frame: &Frame<'_>, is_first: bool) -> String {
    escaped(&text::joint(frame, is_first))
}

fn before(frame: &Frame<'_>, document: &PrintedDocument<'_>) -> String {
    escaped(&text::before(frame, document))
}

fn body(text: &str) -> Cow<'_, str> {
    Cow::Owned(escaped(text))
}

fn after(frame: &Frame<'_>, document: &PrintedDocument<'_>) -> String {
    escaped(&text::after(frame, document))
}

fn closing(frame: &Frame<'_>) -> String {
    let end = text::end(frame);
    let documents = Message::text(Role::User, end.trim_end());
    let mut messages = joined(std::iter::once(documents).chain(said(frame))).into_iter();
    let content = messages.next().and_then(|first| first.content).unwrap_or_default();
    let rest: String = messages.map(|message| format!(",\n{}", message.to_value())).collect();
    format!("{}\"}}{rest}\n]\n", escaped(&content))
}

fn alone(frame: &Frame<'_>) -> String {
    let messages = joined(said(frame)).into_iter().map(|message| message.to_value().to_string());
    let all: Vec<String> = frame.around.instruction.map(system).into_iter().chain(messages).collect();
    if all.is_empty() { String::new() } else { format!("[\n{}\n]\n", all.join(",\n")) }
}

fn begins(block: &str) -> bool {
    let is_system = |line: &&str| line.starts_with("{\"role\":\"system\",\"content\":\"");
    let Some(lines) = block.strip_prefix('[') else { return false };
    let mut lines = lines.lines().skip(1).skip_while(is_system);
    let content = lines.next().and_then(|line| line.strip_prefix("{\"role\":\"user\",\"content\":\""));
    content.and_then(|content| content.split("\\n").next()).is_some_and(text::begins)
}

fn system(instruction: &str) -> String {
    format!("{{\"role\":\"system\",\"content\":{}}}", quoted(instruction))
}

/// The conversation so far, and the prompt.
fn said<'a>(frame: &Frame<'a>) -> impl Iterator<Item = Message> + 'a {
    let prompt = frame.around.prompt_text().map(trimmed).filter(|prompt| !prompt.is_empty());
    let prompt = prompt.map(|prompt| Message::text(Role::User, prompt));
    let id = frame.id;
    frame.around.chat.into_iter().flat_map(move |chat| conversation(&chat, id)).chain(prompt)
}

/// The conversation so far, between boundaries if no turn follows the summary.
fn conversation(chat: &Chat<'_>, id: Option<Id>) -> Vec<Message> {
    let mut messages = chat.messages(id);
    if let Some(told) = messages.last_mut().filter(|_| chat.turns.is_empty()) {
        let content = told.content.take().unwrap_or_default();
        told.content = Some(text::history(&format!("{content}\n"), id).trim_end().to_owned());
    }
    messages
}
