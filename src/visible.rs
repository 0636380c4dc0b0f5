//! Text made safe for a terminal: nothing that moves its cursor or is invisible.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use ctx_core::guard::secrets::redact;
use ctx_core::words::is_unseen;

/// The longest argument that clap's errors quote whole, in characters.
const LONGEST_ARGUMENT: usize = 200;

/// `text` without its secrets, since nobody expects one in the name of a file or command in a message.
fn without_secrets(text: &str) -> Cow<'_, str> {
    redact(text).map_or(Cow::Borrowed(text), |redacted| Cow::Owned(redacted.into_string()))
}

/// A message without its middle, if it is too long.
fn shortened(message: &str, longest: usize) -> Cow<'_, str> {
    let length = message.chars().count();
    if length <= longest {
        return Cow::Borrowed(message);
    }
    let (head, tail) = (longest / 2, length - longest / 2 + 1);
    let at = |place| message.char_indices().nth(place).map_or(message.len(), |(at, _)| at);
    Cow::Owned(format!("{}…{}", &message[..at(head)], &message[at(tail)..]))
}

fn push_visible(line: &mut String, char: char) {
    match char {
        '\n' => line.push_str("\\n"),
        '\r' => line.push_str("\\r"),
        '\t' => line.push_str("\\t"),
        char if is_unseen(char) => {
            let _ = write!(line, "\\u{{{:x}}}", u32::from(char));
        }
        char => line.push(char),
    }
}

/// How many columns a text takes on a terminal.
pub fn width(text: &str) -> usize {
    if is_plain(text) { text.len() } else { text.width() }
}

/// Whether a text has only ASCII characters, and none that moves the cursor.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// A name or message made safe to show: on one line, without anything that moves a terminal's cursor or hides
/// text, and without secrets.
pub fn visible(text: &str) -> String {
    escaped(&without_secrets(text))
}

/// `text` as in [`visible`], without its middle if it is too long.
pub fn visible_within(text: &str, longest: usize) -> String {
    escaped(&shortened(&without_secrets(text), longest))
}

/// `text` as in [`visible`], but with its secrets.
pub fn escaped(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut line = String::with_capacity(text.len());
    text.chars().for_each(|char| push_visible(&mut line, char));
    line
}

/// Text of a document made safe for a terminal: line breaks, tabs and secrets stay, but nothing moves the cursor or is
/// invisible.
pub fn visible_lines(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' | '\t' => shown.push(char),
            char => push_visible(&mut shown, char),
        }
    }
    shown
}

/// A value as JSON on several lines, without anything that moves a terminal's cursor or is invisible.
///
/// # Errors
/// If the value cannot be written as JSON.
pub fn json(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(value).map(|text| with_escapes(text) + "\n")
}

/// A value as in [`json`], but without secrets, for data about files, commands and entries.
///
/// # Errors
/// As [`json`].
pub fn visible_json(value: &impl Serialize) -> serde_json::Result<String> {
    let text = json(value)?;
    if redact(&text).is_none() {
        return Ok(text);
    }
    json(&without_secrets_in(serde_json::to_value(value)?))
}

/// Only secrets in a single string count, not those that depend on another string, such as a name before a
/// value.
fn without_secrets_in(value: Value) -> Value {
    let safe = |text: String| without_secrets(&text).into_owned();
    match value {
        Value::String(text) => Value::String(safe(text)),
        Value::Array(values) => values.into_iter().map(without_secrets_in).collect(),
        Value::Object(map) => {
            map.into_iter().map(|(key, value)| (safe(key), without_secrets_in(value))).collect()
        }
        value @ (Value::Null | Value::Bool(_) | Value::Number(_)) => value,
    }
}

/// The same JSON with escapes for invisible characters and those that move the cursor. JSON contains such
/// characters only in strings.
fn with_escapes(text: String) -> String {
    const DELETE: char = '\u{7f}';
    if text.is_ascii() && !text.contains(DELETE) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            char if char != '\n' && (char.is_control() || is_unseen(char)) => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let _ = write!(shown, "\\u{unit:04x}");
                }
            }
            char => shown.push(char),
        }
    }
    shown
}

/// An argument made safe for errors: visible, and without its middle if it is long.
pub fn argument(text: &str) -> String {
    visible_within(text, LONGEST_ARGUMENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctx_core::select::Label;

    const LONGEST: usize = 500;

    #[test]
    fn a_message_cannot_move_the_cursor() {
        assert_eq!(visible("a\x1b[2Jb\nc\u{202e}"), "a\\u{1b}[2Jb\\nc\\u{202e}");
    }

    #[test]
    fn json_escapes_hidden_characters() {
        let text = "a\u{9b}2J\u{202e}\u{e0041}\u{7f}\n\u{1b}é";
        let written = json(&[text]).unwrap();
        assert_eq!(written, "[\n  \"a\\u009b2J\\u202e\\udb40\\udc41\\u007f\\n\\u001bé\"\n]\n");
        assert_eq!(serde_json::from_str::<[String; 1]>(&written).unwrap(), [text]);
    }

    #[test]
    fn messages_escape_the_same_characters_as_labels() {
        for char in '\0'..=char::MAX {
            let text = char.to_string();
            let is_escaped = Label::new(text.as_bytes()).as_str() != text && char != '\\';
            assert_eq!(visible(&text) != text, is_escaped, "{char:?}");
        }
    }

    #[test]
    fn a_long_message_is_cut() {
        assert_eq!(shortened(&"é".repeat(LONGEST), LONGEST), "é".repeat(LONGEST));
        let cut = shortened(&"é".repeat(LONGEST + 1), LONGEST).into_owned();
        assert_eq!(cut.chars().count(), LONGEST);
        assert!(cut.starts_with("éé") && cut.contains('…') && cut.ends_with("éé"));
    }
}
