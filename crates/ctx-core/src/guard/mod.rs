//! Protects the user and the model from what documents may contain: secrets and hidden text.

pub mod hidden;
mod lines;
pub mod names;
pub mod secrets;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

use serde_json::{Map, Value};

use crate::entry::{Allowance, Allowed, Lines};
use crate::words::{WrongText, counted};

use hidden::{HiddenFinding, Revealed, hidden_characters};
pub use lines::cut;
use secrets::{Redacted, SecretFinding, redact_marking};

/// What was found while strings were made safe, one string after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// The replaced secrets.
    pub secrets: Vec<SecretFinding>,
    /// The hidden characters made visible, by code point.
    pub hidden: Vec<HiddenFinding>,
}

/// Text that is safe to print, and what was wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// The text.
    pub text: String,
    /// The secrets that it contained, by line, and the hidden characters, by code point.
    pub found: Findings,
    /// Which lines of the original text it contains; `None` for all.
    pub lines: Option<Lines>,
}

impl Cleaned {
    /// Text known to need no cleaning.
    #[must_use]
    pub fn unchanged(text: String) -> Self {
        Self { text, found: Findings::default(), lines: None }
    }

    /// Redacts secrets that were joined to other text by hidden characters which are now visible. `first` is the
    /// number of the text's first line.
    fn redact_uncovered(&mut self, allowed: Allowed, mark_each_line: bool, first: usize) {
        if self.found.hidden.is_empty() {
            return;
        }
        let (text, uncovered) =
            without_secrets(std::mem::take(&mut self.text), allowed, false, mark_each_line);
        self.text = text;
        let in_document = |finding: SecretFinding| SecretFinding {
            line: finding.line + first - 1,
            last_line: finding.last_line + first - 1,
            ..finding
        };
        self.found.secrets.extend(uncovered.into_iter().map(in_document));
        self.found.secrets.sort_by_key(|finding| finding.line);
    }
}

/// Removes the secrets from decoded text, then makes its hidden characters visible.
#[must_use]
pub fn clean(text: String, allowed: Allowed) -> Cleaned {
    let may_hide = hidden_characters(&text).next().is_some();
    let (text, secrets) = without_secrets(text, allowed, may_hide, false);
    // A character may have been kept only because of a neighbour that was then redacted.
    let may_show = !allowed.has(Allowance::Hidden) && (may_hide || !secrets.is_empty());
    let mut cleaned = revealed(text, secrets, may_show);
    cleaned.redact_uncovered(allowed, false, 1);
    cleaned
}

impl Findings {
    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty() && self.hidden.is_empty()
    }

    /// Makes `text` safe, and adds what was found in it to these findings.
    pub fn clean(&mut self, text: String) -> String {
        let cleaned = clean(text, Allowed::default());
        self.secrets.extend(cleaned.found.secrets);
        self.hidden.extend(cleaned.found.hidden);
        cleaned.text
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
        let mut kinds: Vec<&str> = self.secrets.iter().map(|secret| secret.kind.name()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut codes: Vec<String> =
            self.hidden.iter().map(|hidden| format!("U+{:04X}", u32::from(hidden.char))).collect();
        codes.sort_unstable();
        codes.dedup();
        let characters = self.hidden.iter().map(|hidden| hidden.count).sum();
        if !kinds.is_empty() {
            let secrets = counted(self.secrets.len(), "secret");
            write!(f, "{secrets} redacted ({})", kinds.join(", "))?;
        }
        let comma = if kinds.is_empty() { "" } else { ", " };
        if codes.is_empty() {
            return Ok(());
        }
        let characters = counted(characters, "hidden character");
        write!(f, "{comma}{characters} made visible ({})", codes.join(", "))
    }
}

/// The same as [`clean`] for some lines of `text`. The whole text is searched for secrets, so that one that
/// begins before the lines is replaced too. If a secret extends over several lines, each line gets its own
/// marker.
///
/// # Errors
/// If the text ends before the first of the lines.
pub fn clean_lines(text: String, lines: Lines, allowed: Allowed) -> Result<Cleaned, WrongText> {
    let may_hide = hidden_characters(&text).next().is_some();
    let (text, secrets) = without_secrets(text, allowed, may_hide, true);
    let text = cut(&text, lines)?;
    // The text may end before the last of them.
    let count = text.split_inclusive('\n').count() as u64;
    let lines = Lines { last: Some(lines.first + count - 1), ..lines };
    let is_in_range = |finding: &SecretFinding| {
        lines.last.is_none_or(|last| finding.line as u64 <= last) && finding.last_line as u64 >= lines.first
    };
    let secrets: Vec<SecretFinding> = secrets.into_iter().filter(is_in_range).collect();
    let mut cleaned = revealed(text, secrets, !allowed.has(Allowance::Hidden));
    cleaned.redact_uncovered(allowed, true, usize::try_from(lines.first).unwrap_or(usize::MAX));
    Ok(Cleaned { lines: Some(lines), ..cleaned })
}

/// The result for text without its secrets, with its hidden characters made visible if requested.
fn revealed(text: impl AsRef<str> + Into<String>, secrets: Vec<SecretFinding>, reveals: bool) -> Cleaned {
    let (text, hidden) = match reveals.then(|| hidden::reveal(text.as_ref())).flatten() {
        Some(Revealed { text, found }) => (text, found),
        None => (text.into(), Vec::new()),
    };
    Cleaned { text, found: Findings { secrets, hidden }, lines: None }
}

/// Removes the secrets from `text` unless they are allowed; `may_hide` is set if it may contain hidden
/// characters.
fn without_secrets(
    text: String,
    allowed: Allowed,
    may_hide: bool,
    mark_each_line: bool,
) -> (String, Vec<SecretFinding>) {
    /// If one replacement uncovers a secret, the next round removes it. No ordinary text needs a second
    /// round.
    const ROUNDS: usize = 4;
    if allowed.has(Allowance::Secrets) {
        return (text, Vec::new());
    }
    let mut redaction = Redacted { text, found: Vec::new() };
    let mut again = may_hide;
    for _ in 0..ROUNDS {
        again = again && redaction.apply(|text| redact_through_hidden(text, mark_each_line));
        redaction.apply(|text| redact_marking(text, mark_each_line));
        if !again {
            break;
        }
    }
    redaction.found.sort_by_key(|finding| finding.line);
    (redaction.text, redaction.found)
}

impl Redacted {
    /// Redacts further, and returns whether there was anything to redact.
    fn apply(&mut self, redact: impl Fn(&str) -> Option<Self>) -> bool {
        let Some(redacted) = redact(&self.text) else { return false };
        self.text = redacted.text;
        self.found.extend(redacted.found);
        true
    }
}

/// Redacts what a reader who does not see the hidden characters would take for a secret.
fn redact_through_hidden(text: &str, mark_each_line: bool) -> Option<Redacted> {
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

/// Whether [`clean`] leaves these [first lines](head) of the text unchanged, whatever follows.
///
/// Only private keys extend over several lines, and no secret begins before its anchor's line, except for a
/// key without its beginning and a value whose name is on the next line.
#[must_use]
pub fn is_untouched(head: &str, allowed: Allowed) -> bool {
    let (allows_hidden, allows_secrets) = (allowed.has(Allowance::Hidden), allowed.has(Allowance::Secrets));
    // Hidden characters may be inside a secret.
    (allows_hidden && allows_secrets || hidden_characters(head).next().is_none())
        && (allows_secrets || secrets::has_none(head))
}
