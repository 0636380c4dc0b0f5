//! Secrets inside texts, known by their shape and replaced by `[REDACTED:<kind>]`.
//!
//! One pass: a search for the anchors of all rules, and a hand-written check where one is
//! found. What a person writes in place of a secret (`xxxx…`, `$TOKEN`, `<password>`, `AKIA…EXAMPLE`) is left
//! alone.

mod anchors;
mod boundary;
mod bytes;
mod discord;
mod escape;
mod header;
mod jwt;
mod key_end;
mod prefixed;
mod private_key;
mod rules;
mod table;
#[cfg(test)]
pub mod tests;
mod trigrams;
mod url;

use std::ops::Range;

use anchors::{Anchors, prefixes};
use rules::Secret;
pub use rules::SecretKind;
use trigrams::Anchor;

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    /// The text, a marker in the place of each secret.
    pub text: String,
    /// What was replaced, in the order of the text; never empty.
    pub found: Vec<SecretFinding>,
}

/// A secret that was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SecretFinding {
    /// What it is for.
    pub kind: SecretKind,
    /// The line on which it starts, from 1, in the text as it was.
    pub line: usize,
    /// The line on which it ends.
    pub last_line: usize,
}

/// Replaces the secrets in a text; `None` if there is none.
#[must_use]
pub fn redact(text: &str) -> Option<Redacted> {
    redact_marking(text, false)
}

/// The same; a secret that reaches over several lines is marked once, or on each of them, so that the lines after it keep
/// their numbers.
pub(super) fn redact_marking(text: &str, mark_each_line: bool) -> Option<Redacted> {
    let secrets = find(text);
    (!secrets.is_empty()).then(|| replace(text, &secrets, mark_each_line))
}

/// The secrets in a text, in order, none overlapping another.
pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut secrets = Vec::new();
    scan(text.as_bytes(), 0..text.len(), 0, &mut secrets);
    secrets
}

/// Puts markers in the places of `secrets`, which must be in order and apart.
pub(super) fn replace(text: &str, secrets: &[Secret], mark_each_line: bool) -> Redacted {
    let mut redacted = String::with_capacity(text.len());
    let mut found = Vec::with_capacity(secrets.len());
    let (mut end, mut line) = (0, 1);
    for secret in secrets {
        let Range { start, end: next } = secret.range;
        line += count_lines(&text[end..start]);
        let line_ends = count_lines(&text[start..next]);
        found.push(SecretFinding { kind: secret.kind, line, last_line: line + line_ends });
        redacted.push_str(&text[end..start]);
        redacted.push_str(&secret.kind.marker());
        if mark_each_line {
            for _ in 0..line_ends {
                redacted.push('\n');
                redacted.push_str(&secret.kind.marker());
            }
        }
        line += line_ends;
        end = next;
    }
    redacted.push_str(&text[end..]);
    Redacted { text: redacted, found }
}

fn count_lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// Whether there is no secret in the first lines of a text, whatever follows them.
pub(super) fn has_none(head: &str) -> bool {
    let text = head.as_bytes();
    let mut anchors = Anchors::new(text);
    let mut from = 0;
    while let Some(Anchor { prefix, range: anchor }) = anchors.next(from) {
        from = anchor.start + 1;
        let prefix = &prefixes()[prefix];
        if prefix.may_begin_block(&text[anchor.start..]) || prefix.check(text, 0, anchor.start).is_some() {
            return false;
        }
    }
    // The end of a key may follow, or the name of a value.
    key_end::lines_before(text).is_none() && !rules::may_end_in_value(text)
}

/// Appends the secrets whose anchors are in `range`; nothing before `floor` is looked at.
fn scan(text: &[u8], range: Range<usize>, mut floor: usize, secrets: &mut Vec<Secret>) {
    let text = &text[..range.end];
    let mut anchors = Anchors::new(text);
    let mut from = range.start;
    while let Some(Anchor { prefix, range: anchor }) = anchors.next(from) {
        from = anchor.start + 1;
        let Some(secret) = prefixes()[prefix].check(text, floor, anchor.start) else { continue };
        if secret.range.start > anchor.end {
            scan(text, anchor.end..secret.range.start, floor, secrets);
        }
        floor = secret.range.end;
        from = from.max(floor);
        secrets.push(secret);
    }
}
