//! Parses the parts around the documents, to prove that no text in them can be taken for another part.

use super::parse::{Parsed, ended, unpadded};
use crate::format::{Around, Format, Id};
use crate::history::{Chat, Message, Role, Said};

/// A parsed instruction and conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedAround {
    /// The text of the instruction.
    pub instruction: Option<String>,
    /// Labels and strings, or roles and contents.
    pub said: Vec<Parsed>,
}

impl ParsedAround {
    /// The expected result of parsing a block with these parts.
    pub fn expected(format: Format, around: &Around<'_>) -> Self {
        let text = |text: &str| match format {
            Format::Text | Format::Markdown => ended(text),
            Format::Xml | Format::Json | Format::Messages => text.to_owned(),
        };
        let said = around.chat.iter().flat_map(|chat| match format {
            Format::Text | Format::Markdown | Format::Xml => chat
                .said()
                .iter()
                .map(|said| Parsed { label: said.voice.to_string(), text: text(said.text) })
                .collect(),
            Format::Json => of_messages(chat.told(None).into_iter().chain(spoken(chat))),
            Format::Messages => {
                let told = Chat { turns: &[], ..*chat }.said().into_iter();
                let told =
                    told.map(|said| Parsed { label: said.voice.to_string(), text: said.text.to_owned() });
                told.chain(of_messages(spoken(chat).into_iter())).collect()
            }
        });
        Self { instruction: around.instruction.map(text), said: said.collect() }
    }

    /// Parses what follows the documents in a block.
    pub fn read(format: Format, id: Option<Id>, around: &Around<'_>, block: &str, documents: bool) -> Self {
        match format {
            Format::Text => of_text(id, around, block, documents),
            Format::Markdown => of_markdown(id, around, block),
            Format::Xml => of_xml(id, around, block, documents),
            Format::Json => {
                let value: serde_json::Value = serde_json::from_str(block).expect("JSON");
                let messages = value["history"].as_array().cloned().unwrap_or_default();
                Self {
                    instruction: value["instruction"].as_str().map(str::to_owned),
                    said: messages.iter().map(of_value).collect(),
                }
            }
            Format::Messages => of_array(id, around, block, documents),
        }
    }
}

/// All messages of the shown turns.
fn spoken(chat: &Chat<'_>) -> Vec<Message> {
    chat.turns.iter().flat_map(|turn| turn.messages.clone()).collect()
}

fn of_messages(messages: impl Iterator<Item = Message>) -> Vec<Parsed> {
    messages.map(|message| of_value(&message.to_value())).collect()
}

fn of_value(value: &serde_json::Value) -> Parsed {
    let content = value["content"].as_str().unwrap_or_default();
    let calls = &value["tool_calls"];
    Parsed {
        label: value["role"].as_str().expect("a role").to_owned() + &calls.to_string(),
        text: content.to_owned(),
    }
}

fn of_text(id: Option<Id>, around: &Around<'_>, block: &str, documents: bool) -> ParsedAround {
    let mark = id.map(|id| format!("{id} ")).unwrap_or_default();
    let lines: Vec<&str> = block.split_inclusive('\n').collect();
    let at = |line: String| lines.iter().position(|other| **other == *line);
    let start = if documents {
        at(format!("--- CONTEXT FILES END {mark}---\n")).expect("the end of the documents") + 1
    } else {
        0
    };
    let begin = at(format!("--- CHAT HISTORY BEGIN {mark}---\n"));
    assert_eq!(begin.is_some(), around.chat.is_some(), "{block:?}");
    let mut before = lines[start..begin.unwrap_or(lines.len())].concat();
    if documents && !before.is_empty() {
        before.remove(0);
    }
    if begin.is_some() && around.instruction.is_some() {
        assert_eq!(before.pop(), Some('\n'));
    }
    let opening = format!("Follow this instruction{}: ", id.map(|id| format!(" [{id}]")).unwrap_or_default());
    let instruction =
        around.instruction.map(|_| before.strip_prefix(&opening).expect("the instruction").to_owned());
    let Some(begin) = begin else { return ParsedAround { instruction, said: Vec::new() } };
    assert_eq!(lines.last(), Some(&format!("--- CHAT HISTORY END {mark}---\n").as_str()));
    let labels: Vec<String> =
        around.chat.iter().flat_map(|chat| chat.said()).map(|said| said.voice.to_string()).collect();
    let mut said: Vec<Parsed> = Vec::new();
    for line in &lines[begin + 1..lines.len() - 1] {
        let next = labels.get(said.len()).filter(|label| **line == format!("[{mark}{label}]\n"));
        match (next, said.last_mut()) {
            (Some(label), last) => {
                if let Some(Parsed { text, .. }) = last {
                    assert_eq!(text.pop(), Some('\n'), "a blank line is between texts");
                }
                said.push(Parsed { label: label.clone(), text: String::new() });
            }
            (None, Some(Parsed { text, .. })) => text.push_str(line),
            (None, None) => panic!("a label, not {line:?}"),
        }
    }
    ParsedAround { instruction, said }
}

fn of_markdown(id: Option<Id>, around: &Around<'_>, block: &str) -> ParsedAround {
    let mark = |words: &str| format!("## {words}{}\n", id.map(|id| format!(" [{id}]")).unwrap_or_default());
    let mut lines = block.split_inclusive('\n');
    let mut parsed = ParsedAround::default();
    let mut label: Option<String> = None;
    let (mut in_instruction, mut in_chat) = (false, false);
    while let Some(line) = lines.next() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        let bare = line.trim_end_matches('\n');
        if line == mark("Follow this instruction") {
            in_instruction = true;
        } else if line == mark("Chat history") {
            (in_instruction, in_chat, label) = (false, true, None);
        } else if ticks > 0 && bare.len() > 2 * ticks && bare.ends_with(&"`".repeat(ticks)) {
            // A label without text stands for omitted turns.
            parsed
                .said
                .extend(label.take().filter(|_| in_chat).map(|label| Parsed { label, text: String::new() }));
            let span = unpadded(&bare[ticks..bare.len() - ticks]);
            label =
                Some(id.map_or(span, |id| span.strip_prefix(&format!("{id} ")).expect("the id")).to_owned());
        } else if ticks >= 3 {
            let fence = format!("{}\n", "`".repeat(ticks));
            let text: String = lines.by_ref().take_while(|line| *line != fence).collect();
            match label.take() {
                Some(label) if in_chat => parsed.said.push(Parsed { label, text }),
                None if in_instruction => parsed.instruction = Some(text),
                Some(_) | None => {}
            }
        }
    }
    assert_eq!(in_chat, around.chat.is_some());
    parsed
}

fn of_xml(id: Option<Id>, around: &Around<'_>, block: &str, documents: bool) -> ParsedAround {
    let id = id.map(|id| format!("-{id}")).unwrap_or_default();
    let mut rest = if documents {
        block.split_once(&format!("</documents{id}>\n")).expect("the end of the documents").1
    } else {
        block
    };
    let mut parsed = ParsedAround::default();
    let opening = format!("<instruction{id}>\n");
    if let Some(text) = rest.trim_start_matches('\n').strip_prefix(&opening) {
        let (text, after) = text.split_once(&format!("\n</instruction{id}>\n")).expect("the end");
        (parsed.instruction, rest) = (Some(text.to_owned()), after);
    }
    let mut labels = around.chat.iter().flat_map(|chat| chat.said()).map(|said| said.voice.to_string());
    if let Some(mut chat) = rest.trim_start_matches('\n').strip_prefix(&format!("<chat_history{id}>\n")) {
        while chat != format!("</chat_history{id}>\n") {
            let (opening, message) = chat.split_once(">\n").expect("a message");
            assert!(opening.starts_with(&format!("<message{id} ")), "{opening}");
            let (text, after) = message.split_once(&format!("\n</message{id}>\n")).expect("the end");
            let label = labels.next().expect("a label");
            let text = if opening.contains("omission") { "" } else { text };
            parsed.said.push(Parsed { label, text: text.to_owned() });
            chat = after;
        }
    }
    parsed
}

fn of_array(id: Option<Id>, around: &Around<'_>, block: &str, documents: bool) -> ParsedAround {
    let mark = id.map(|id| format!("{id} ")).unwrap_or_default();
    let value: serde_json::Value = serde_json::from_str(block).expect("JSON");
    let mut messages = value.as_array().cloned().expect("an array");
    let mut parsed = ParsedAround::default();
    if messages.first().is_some_and(|first| first["role"] == "system") {
        parsed.instruction = messages.remove(0)["content"].as_str().map(str::to_owned);
    }
    let mut said: Vec<Parsed> = messages.iter().map(of_value).collect();
    if documents {
        let end = format!("\n--- CONTEXT FILES END {mark}---");
        let first = said.remove(0);
        let mut found = first.text.match_indices(&end).map(|(at, _)| &first.text[at + end.len()..]);
        let after = found.find(|after| after.is_empty() || after.starts_with('\n')).expect("the boundary");
        if let Some(text) = after.strip_prefix("\n\n") {
            said.insert(0, Parsed { label: first.label, text: text.to_owned() });
        }
    }
    let Some(chat) = around.chat else { return parsed };
    let label = |voice: &dyn std::fmt::Display| format!("[{mark}{voice}]");
    let told: Vec<Said<'_>> = Chat { turns: &[], ..chat }.said();
    if !told.is_empty() {
        let mut first = said.remove(0);
        if chat.turns.is_empty() {
            let begin = format!("--- CHAT HISTORY BEGIN {mark}---\n");
            first.text = first.text.strip_prefix(&begin).expect("the boundary").to_owned();
        }
        let mut lines: Vec<String> = told.iter().map(|said| label(&said.voice)).collect();
        lines.push(match chat.turns.first() {
            Some(turn) => label(&format!("turn {}: user", turn.number)),
            None => format!("--- CHAT HISTORY END {mark}---"),
        });
        let mut texts = after_lines(&first.text, &lines);
        let last = texts.pop().expect("the last part");
        if chat.turns.is_empty() {
            assert_eq!(last, "")
        } else {
            said.insert(0, Parsed { label: first.label, text: last })
        }
        let blank = if chat.turns.is_empty() { "\n" } else { "\n\n" };
        for (said, text) in told.iter().zip(texts) {
            let text = text.strip_suffix(blank).unwrap_or_default().to_owned();
            parsed.said.push(Parsed { label: said.voice.to_string(), text });
        }
    }
    let messages =
        chat.turns.iter().flat_map(|turn| turn.messages.iter().map(move |message| (turn, message.role)));
    for (at, ((turn, role), parsed)) in messages.zip(&mut said).enumerate() {
        let is_split = at == 0 && !told.is_empty();
        if role == Role::User && id.is_some() && !is_split {
            let text = parsed.text.strip_prefix(&label(&format!("turn {}: user", turn.number)));
            parsed.text =
                text.map(|text| text.strip_prefix('\n').unwrap_or(text)).expect("a label").to_owned();
        }
    }
    parsed.said.append(&mut said);
    parsed
}

/// The text after each of `lines`, up to the next such line.
fn after_lines(text: &str, lines: &[String]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        match (lines.get(texts.len()), texts.last_mut()) {
            (Some(next), _) if line.trim_end_matches('\n') == next => texts.push(String::new()),
            (_, Some(last)) => last.push_str(line),
            (_, None) => panic!("{:?}, not {line:?}", lines.first()),
        }
    }
    assert_eq!(texts.len(), lines.len(), "{text:?}");
    texts
}
