//! Text made safe for a terminal: nothing that moves its cursor or is invisible.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use ctx_core::guard::secrets::redact;
use ctx_core::words::{is_plain, is_unseen};

/// The longest argument that clap's errors quote whole, in characters.
const LONGEST_ARGUMENT: usize = 200;

/// How many bytes of JSON are made safe at a time.
const AT_A_TIME: usize = 64 * 1024;

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

/// Writes a value as JSON on several lines, without anything that moves a terminal's cursor or is invisible.
///
/// # Errors
/// Errors from writing to `out`.
pub fn write_json(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    write_lines(out, value, |text| Cow::Borrowed(text))
}

/// A value as in [`write_json`].
///
/// # Errors
/// If the value cannot be written as JSON.
pub fn json(value: &impl Serialize) -> io::Result<String> {
    let mut written = Vec::new();
    write_json(&mut written, value)?;
    String::from_utf8(written).map_err(io::Error::other)
}

/// Writes a value as in [`write_json`], but without secrets, for data about files, commands and entries.
///
/// # Errors
/// As [`write_json`].
pub fn write_visible_json(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    write_lines(out, value, without_secrets_in_strings)
}

fn write_lines(
    out: &mut impl Write,
    value: &impl Serialize,
    safe: fn(&str) -> Cow<'_, str>,
) -> io::Result<()> {
    let mut lines = BufWriter::with_capacity(AT_A_TIME, SafeLines { out, pending: Vec::new(), safe });
    serde_json::to_writer_pretty(&mut lines, value)?;
    writeln!(lines)?;
    lines.flush()
}

/// Writes JSON a few lines at a time instead of keeping all of it, since it may be very long.
struct SafeLines<'o, W> {
    out: &'o mut W,
    pending: Vec<u8>,
    /// What makes lines safe.
    safe: fn(&str) -> Cow<'_, str>,
}

impl<W: Write> SafeLines<'_, W> {
    /// Writes what is pending up to the end of a line.
    fn write_until(&mut self, end: usize) -> io::Result<()> {
        let text = str::from_utf8(&self.pending[..end]).map_err(io::Error::other)?;
        self.out.write_all(with_escapes(&(self.safe)(text)).as_bytes())?;
        self.pending.drain(..end);
        Ok(())
    }
}

impl<W: Write> Write for SafeLines<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let before = self.pending.len();
        self.pending.extend_from_slice(bytes);
        // Strings contain no line ends, so each is made safe whole.
        if let Some(last) = memchr::memrchr(b'\n', bytes) {
            self.write_until(before + last + 1)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_until(self.pending.len())
    }
}

/// Lines of JSON without the secrets in their strings. Only secrets in a single string count, not those that depend on
/// another string, such as a name before a value.
fn without_secrets_in_strings(lines: &str) -> Cow<'_, str> {
    if redact(lines).is_none() {
        return Cow::Borrowed(lines);
    }
    let (mut safe, mut rest) = (String::with_capacity(lines.len()), lines);
    while let Some(start) = rest.find('"') {
        let (before, string) = rest.split_at(start);
        let (string, after) = string.split_at(string_end(string));
        safe.push_str(before);
        match serde_json::from_str::<String>(string) {
            Ok(text) => safe.push_str(&Value::from(without_secrets(&text)).to_string()),
            Err(_) => safe.push_str(string),
        }
        rest = after;
    }
    safe.push_str(rest);
    Cow::Owned(safe)
}

/// Where a string of JSON ends that begins `text`.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    let ends = |byte: u8| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    };
    text.bytes().skip(1).position(ends).map_or(text.len(), |place| place + 2)
}

/// The same JSON with escapes for invisible characters and those that move the cursor. JSON contains such
/// characters only in strings.
fn with_escapes(text: &str) -> Cow<'_, str> {
    const DELETE: char = '\u{7f}';
    if text.is_ascii() && !text.contains(DELETE) {
        return Cow::Borrowed(text);
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
    Cow::Owned(shown)
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
    fn json_of_any_length_has_no_secrets_and_everything_else() {
        let secret = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
        let name = |number: usize| match number % 997 {
            0 => format!("{secret}\"\\{number}"),
            _ => format!("{number}\\\"é\n"),
        };
        let values: Vec<(String, usize)> = (0..9_000).map(|number| (name(number), number)).collect();
        let mut written = Vec::new();
        write_visible_json(&mut written, &values).unwrap();
        assert!(written.len() > 2 * AT_A_TIME);
        let read: Vec<(String, usize)> = serde_json::from_slice(&written).unwrap();
        let expected = values.iter().map(|(name, number)| (without_secrets(name).into_owned(), *number));
        assert_eq!(read, expected.collect::<Vec<_>>());
        assert_eq!(written, json(&read).unwrap().into_bytes());
        assert!(!String::from_utf8(written).unwrap().contains(&secret));
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
