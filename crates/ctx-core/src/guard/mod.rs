//! Protects the user and the model from what documents may contain: secrets, hidden text, and embedded data.

mod clean_text;
mod data;
mod lines;
mod marks;
pub mod names;
mod reveal;
pub mod secrets;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use serde_json::{Map, Value};

use crate::entry::{Allowance, Allowed, Lines};
use crate::hidden::hidden_characters;
use crate::words::{WrongText, counted};

pub(crate) use clean_text::TextBuilder;
pub use clean_text::{CleanText, Replaced, Replacement};
pub use data::LONGEST_KEPT as LONGEST_DATA_KEPT;
pub use lines::cut;
pub use marks::without_marks;
pub use reveal::reveal;
use secrets::redact_marking;

/// What was found while strings were made safe, one string after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings(Vec<Replaced>);

/// Some lines of a text that is safe to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanLines {
    /// Their text.
    pub text: CleanText,
    /// Which lines of the original text they are.
    pub lines: Lines,
}

/// The text of a document without embedded data, then as [`clean`] makes it.
#[must_use]
pub fn clean_document(text: String, allowed: Allowed) -> CleanText {
    cleaned(without_data(text, allowed), allowed)
}

/// Removes the secrets from decoded text, then makes its hidden characters visible.
#[must_use]
pub fn clean(text: String, allowed: Allowed) -> CleanText {
    cleaned(text.into(), allowed)
}

fn without_data(text: String, allowed: Allowed) -> CleanText {
    let text = CleanText::from(text);
    if allowed.has(Allowance::Data) { text } else { data::omit(&text).unwrap_or(text) }
}

/// The length of a text without the embedded data that documents do not have.
#[must_use]
pub fn length_without_data(text: &str) -> usize {
    data::length_without(text)
}

fn cleaned(text: CleanText, allowed: Allowed) -> CleanText {
    let may_hide = hidden_characters(&text).next().is_some();
    let text = without_secrets(text, allowed, may_hide, false);
    // A character may have been kept only because of a neighbour that was then redacted.
    let may_show = !allowed.has(Allowance::Hidden) && (may_hide || !text.replacements().is_empty());
    if may_show { revealed(text, allowed, false) } else { text }
}

impl Findings {
    /// What was found in a text.
    #[must_use]
    pub fn of(text: &CleanText) -> Self {
        Self(text.replaced().copied().collect())
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Everything that was found.
    pub fn iter(&self) -> impl Iterator<Item = &Replaced> {
        self.0.iter()
    }

    /// Makes `text` safe, and adds what was found in it to these findings.
    pub fn clean(&mut self, text: String) -> String {
        let text = clean(text, Allowed::default());
        self.0.extend(text.replaced());
        text.into_string()
    }

    /// Makes every string in a JSON value safe, and adds what was found.
    pub fn clean_value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.clean(text)),
            Value::Array(values) => values.into_iter().map(|value| self.clean_value(value)).collect(),
            Value::Object(map) => Value::Object(self.clean_map(map)),
            value @ (Value::Null | Value::Bool(_) | Value::Number(_)) => value,
        }
    }

    /// Makes every key and string in a JSON object safe, and adds what was found.
    pub fn clean_map(&mut self, map: Map<String, Value>) -> Map<String, Value> {
        map.into_iter().map(|(key, value)| (self.clean(key), self.clean_value(value))).collect()
    }
}

/// `2 secrets redacted (github-token), 1 hidden character made visible (U+202E)`.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut secrets, mut characters) = (0, 0);
        let (mut kinds, mut codes) = (BTreeSet::new(), BTreeSet::new());
        for replaced in &self.0 {
            match *replaced {
                Replaced::Secret(kind) => {
                    secrets += 1;
                    kinds.insert(kind.name());
                }
                Replaced::Hidden { char, count } => {
                    characters += count;
                    codes.insert(format!("U+{:04X}", u32::from(char)));
                }
                // Only documents lose their embedded data.
                Replaced::Data { .. } => {}
            }
        }
        let listed = |names: Vec<String>| names.join(", ");
        if secrets > 0 {
            let kinds = listed(kinds.into_iter().map(str::to_owned).collect());
            write!(f, "{} redacted ({kinds})", counted(secrets, "secret"))?;
        }
        if characters > 0 {
            let comma = if secrets > 0 { ", " } else { "" };
            let codes = listed(codes.into_iter().collect());
            write!(f, "{comma}{} made visible ({codes})", counted(characters, "hidden character"))?;
        }
        Ok(())
    }
}

/// The same as [`clean_document`] for some lines of `text`. The whole text is searched for secrets, so that one that
/// begins before the lines is replaced too. If a secret extends over several lines, each line gets its own
/// marker.
///
/// # Errors
/// If the text ends before the first of the lines.
pub fn clean_lines(text: String, lines: Lines, allowed: Allowed) -> Result<CleanLines, WrongText> {
    let text = without_data(text, allowed);
    let may_hide = hidden_characters(&text).next().is_some();
    let text = without_secrets(text, allowed, may_hide, true);
    let text = text.part(lines::range(&text, lines)?);
    // The text may end before the last of them.
    let count = text.split_inclusive('\n').count() as u64;
    let lines = Lines { last: Some(lines.first + count - 1), ..lines };
    let text = if allowed.has(Allowance::Hidden) { text } else { revealed(text, allowed, true) };
    Ok(CleanLines { text, lines })
}

/// The text with its hidden characters made visible, and without the secrets that they joined to other text.
fn revealed(text: CleanText, allowed: Allowed, mark_each_line: bool) -> CleanText {
    match reveal(&text) {
        Some(revealed) => without_secrets(revealed, allowed, false, mark_each_line),
        None => text,
    }
}

/// Removes the secrets from `text` unless they are allowed; `may_hide` is set if it may contain hidden
/// characters.
fn without_secrets(mut text: CleanText, allowed: Allowed, may_hide: bool, mark_each_line: bool) -> CleanText {
    /// If one replacement uncovers a secret, the next round removes it. No ordinary text needs a second
    /// round.
    const ROUNDS: usize = 4;
    if allowed.has(Allowance::Secrets) {
        return text;
    }
    let mut again = may_hide;
    for _ in 0..ROUNDS {
        let through_hidden = if again { redact_through_hidden(&text, mark_each_line) } else { None };
        again = through_hidden.is_some();
        text = through_hidden.unwrap_or(text);
        text = redact_marking(&text, mark_each_line).unwrap_or(text);
        if !again {
            break;
        }
    }
    text
}

/// Redacts what a reader who does not see the hidden characters would take for a secret.
fn redact_through_hidden(text: &CleanText, mark_each_line: bool) -> Option<CleanText> {
    let mut visible = String::with_capacity(text.len());
    let mut end = 0;
    for hidden in unseen(text) {
        visible.push_str(&text[end..hidden.start]);
        end = hidden.end;
    }
    visible.push_str(&text[end..]);
    let mut secrets = secrets::find(&visible);
    let (mut hidden, mut removed) = (unseen(text).peekable(), 0);
    // Where the byte before `end` in the visible text ends in the original; `end` is at least 1 and ascends.
    let mut end_in_text = |end: usize| {
        while let Some(hidden) = hidden.next_if(|hidden| hidden.start - removed < end) {
            removed += hidden.len();
        }
        end + removed
    };
    for secret in &mut secrets {
        secret.range.start = end_in_text(secret.range.start + 1) - 1;
        secret.range.end = end_in_text(secret.range.end);
    }
    (!secrets.is_empty()).then(|| secrets::replace(text, &secrets, mark_each_line))
}

/// The parts of `text` that a terminal does not show, in order: hidden characters, and colour sequences.
fn unseen(text: &str) -> impl Iterator<Item = Range<usize>> {
    hidden_characters(text).map(|hidden| {
        let end = hidden.end();
        let introduces = match hidden.char {
            '\u{1b}' => text[end..].starts_with('['),
            '\u{9b}' => true,
            _ => false,
        };
        let parameters = if hidden.char == '\u{1b}' { end + 1 } else { end };
        let length = introduces.then(|| sequence(&text.as_bytes()[parameters..])).flatten();
        hidden.at..length.map_or(end, |length| parameters + length)
    })
}

/// The length of a control sequence after its introducer.
fn sequence(bytes: &[u8]) -> Option<usize> {
    const MOST: usize = 32;
    let end = bytes.iter().take(MOST).position(|byte| !(0x20..0x40).contains(byte))?;
    (0x40..0x7f).contains(&bytes[end]).then_some(end + 1)
}

/// The first lines of `text`, at most `most` bytes; `None` if the first line is longer.
#[must_use]
pub fn head(text: &str, most: usize) -> Option<&str> {
    let end = memchr::memrchr(b'\n', &text.as_bytes()[..most.min(text.len())])? + 1;
    Some(&text[..end])
}

/// Whether [`clean_document`] leaves these [first lines](head) of the text unchanged, whatever follows.
///
/// Only private keys extend over several lines, and no secret begins before its anchor's line, except for a
/// key without its beginning and a value whose name is on the next line.
#[must_use]
pub fn is_untouched(head: &str, allowed: Allowed) -> bool {
    let (allows_hidden, allows_secrets) = (allowed.has(Allowance::Hidden), allowed.has(Allowance::Secrets));
    // Hidden characters may be inside a secret.
    (allows_hidden && allows_secrets || hidden_characters(head).next().is_none())
        && (allows_secrets || secrets::has_none(head))
        && (allowed.has(Allowance::Data) || !data::may_be_in(head))
}
