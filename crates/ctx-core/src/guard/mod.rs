//! What protects a person and a model from what others wrote: secrets and hidden text.

mod findings;
mod head;
pub mod hidden;
mod lines;
pub mod names;
pub mod secrets;
#[cfg(test)]
mod tests;

use std::ops::Range;

use serde_json::{Map, Value};

use crate::entry::{Allowance, Allowed, Lines};

pub use findings::Findings;
pub use head::{head, is_untouched};
use hidden::hidden_characters;
use lines::CutLines;
pub use lines::{LineRange, PastTheEnd, cut};
use secrets::{Marking, Redacted, SecretFinding, redact_marking};

/// A text that is safe to print, and what was wrong with it.
///
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// The text.
    pub text: String,
    /// The secrets that it held, by line, and the hidden characters, by code point.
    pub found: Findings,
}

impl Cleaned {
    /// A text that is known to hold nothing to clean.
    #[must_use]
    pub fn unchanged(text: String) -> Self {
        Self { text, found: Findings::default() }
    }
}

/// Takes the secrets out of a decoded text, then makes its hidden characters visible.
#[must_use]
pub fn clean(text: String, allowed: Allowed) -> Cleaned {
    let may_hide = hidden_characters(&text).next().is_some();
    let (text, secrets) = if allowed.has(Allowance::Secrets) {
        (text, Vec::new())
    } else {
        without_secrets(text, may_hide, Marking::Once)
    };
    // A character may owe its place to a neighbour that was redacted.
    let may_show = !allowed.has(Allowance::Hidden) && (may_hide || !secrets.is_empty());
    let revealed = may_show.then(|| hidden::reveal(&text)).flatten();
    match revealed {
        Some(revealed) => {
            Cleaned { text: revealed.text, found: Findings { secrets, hidden: revealed.found } }
        }
        None => Cleaned { text, found: Findings { secrets, hidden: Vec::new() } },
    }
}

impl Findings {
    /// A text made safe; what was found in it is added.
    pub fn clean(&mut self, text: String) -> String {
        let cleaned = clean(text, Allowed::default());
        self.secrets.extend(cleaned.found.secrets);
        self.hidden.extend(cleaned.found.hidden);
        cleaned.text
    }

    /// The same for every text of a value.
    pub fn clean_value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.clean(text)),
            Value::Array(values) => values.into_iter().map(|value| self.clean_value(value)).collect(),
            Value::Object(map) => Value::Object(self.clean_map(map)),
            value @ (Value::Null | Value::Bool(_) | Value::Number(_)) => value,
        }
    }

    /// The same for every key and text of an object.
    pub fn clean_map(&mut self, map: Map<String, Value>) -> Map<String, Value> {
        map.into_iter().map(|(key, value)| (self.clean(key), self.clean_value(value))).collect()
    }
}

/// Does the same with some lines of a text. Secrets are looked for in all of it, so that one that begins
/// before the lines is none the less replaced; each line of one that reaches over several has its own marker.
///
/// # Errors
/// If the text ends before the first of the lines.
pub fn clean_lines(text: String, lines: Lines, allowed: Allowed) -> Result<CleanedLines, PastTheEnd> {
    let may_hide = hidden_characters(&text).next().is_some();
    let (text, secrets) = if allowed.has(Allowance::Secrets) {
        (text, Vec::new())
    } else {
        without_secrets(text, may_hide, Marking::EachLine)
    };
    let CutLines { text, range } = cut(&text, lines)?;
    let is_in_range = |finding: &SecretFinding| {
        finding.line as u64 <= range.last && finding.last_line as u64 >= range.first
    };
    let secrets: Vec<SecretFinding> = secrets.into_iter().filter(is_in_range).collect();
    let revealed = if allowed.has(Allowance::Hidden) { None } else { hidden::reveal(text) };
    let cleaned = match revealed {
        Some(revealed) => {
            Cleaned { text: revealed.text, found: Findings { secrets, hidden: revealed.found } }
        }
        None => Cleaned { text: text.to_owned(), found: Findings { secrets, hidden: Vec::new() } },
    };
    Ok(CleanedLines { cleaned, range: Some(range) })
}

fn without_secrets(text: String, may_hide: bool, marking: Marking) -> (String, Vec<SecretFinding>) {
    /// What one replacement uncovers, the next round takes; no honest text needs a second one.
    const ROUNDS: usize = 4;
    let mut redaction = Redacted { text, found: Vec::new() };
    let mut again = may_hide;
    for _ in 0..ROUNDS {
        again = again && redaction.apply(|text| redact_through_hidden(text, marking));
        redaction.apply(|text| redact_marking(text, marking));
        if !again {
            break;
        }
    }
    redaction.found.sort_by_key(|finding| finding.line);
    (redaction.text, redaction.found)
}

impl Redacted {
    /// Redacts further, and says whether there was anything to redact.
    fn apply(&mut self, redact: impl Fn(&str) -> Option<Self>) -> bool {
        let Some(redacted) = redact(&self.text) else { return false };
        self.text = redacted.text;
        self.found.extend(redacted.found);
        true
    }
}

/// Redacts what is a secret for a reader who does not see the hidden characters in it.
fn redact_through_hidden(text: &str, marking: Marking) -> Option<Redacted> {
    let mut visible = String::with_capacity(text.len());
    let mut end = 0;
    for hidden in unseen(text) {
        visible.push_str(&text[end..hidden.start]);
        end = hidden.end;
    }
    visible.push_str(&text[end..]);
    let mut secrets = secrets::find(&visible);
    let mut position = Position { hidden: unseen(text).peekable(), removed: 0 };
    for secret in &mut secrets {
        secret.range.start = position.before(secret.range.start + 1) - 1;
        secret.range.end = position.before(secret.range.end);
    }
    (!secrets.is_empty()).then(|| secrets::replace(text, &secrets, marking))
}

/// What a terminal does not show of a text, in order: hidden characters, and the sequences that set its colours.
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

/// The length of what follows the introducer of a control sequence.
fn sequence(bytes: &[u8]) -> Option<usize> {
    const MOST: usize = 32;
    let end = bytes.iter().take(MOST).position(|byte| !(0x20..0x40).contains(byte))?;
    (0x40..0x7f).contains(&bytes[end]).then_some(end + 1)
}

/// Translates offsets in a text without its hidden characters, in rising order, to the text with them.
struct Position<I: Iterator<Item = Range<usize>>> {
    hidden: std::iter::Peekable<I>,
    removed: usize,
}

impl<I: Iterator<Item = Range<usize>>> Position<I> {
    /// The offset behind the byte that ends at `visible` (which is at least 1).
    fn before(&mut self, visible: usize) -> usize {
        while let Some(hidden) = self.hidden.next_if(|hidden| hidden.start - self.removed < visible) {
            self.removed += hidden.len();
        }
        visible + self.removed
    }
}

/// Some lines of a text that are safe to print, and what was wrong with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanedLines {
    /// The text of the lines, and what was found in them.
    pub cleaned: Cleaned,
    /// Which lines they are; `None` if they are all.
    pub range: Option<LineRange>,
}

impl From<Cleaned> for CleanedLines {
    fn from(cleaned: Cleaned) -> Self {
        Self { cleaned, range: None }
    }
}
