//! Secrets in text, recognised by their shape and replaced by `[REDACTED:<kind>]`.
//!
//! One pass: a search for the anchors of all rules, and a hand-written check at each one. Placeholders that people
//! write instead of a secret (`xxxx…`, `$TOKEN`, `<password>`, `AKIA…EXAMPLE`) are left alone.

mod anchors;
mod boundary;
mod bytes;
mod discord;
mod escape;
mod header;
mod jwt;
mod key_end;
mod key_in_hunk;
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

/// Text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    /// The text, with a marker in place of each secret.
    pub text: String,
    /// The replaced secrets, in the order in which they occur; never empty.
    pub found: Vec<SecretFinding>,
}

/// A replaced secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SecretFinding {
    /// Its kind.
    pub kind: SecretKind,
    /// The line on which it starts, counted from 1, in the original text.
    pub line: usize,
    /// The line on which it ends.
    pub last_line: usize,
}

/// Replaces the secrets in `text`; `None` if there are none.
#[must_use]
pub fn redact(text: &str) -> Option<Redacted> {
    redact_marking(text, false)
}

/// Like [`redact`], but a secret that extends over several lines is marked once, or on each line so that
/// later lines keep their numbers.
pub(super) fn redact_marking(text: &str, mark_each_line: bool) -> Option<Redacted> {
    /// How often the result is searched again.
    const ROUNDS: usize = 3;
    let redact = |text: &str| {
        let secrets = find(text);
        (!secrets.is_empty()).then(|| replace(text, &secrets, mark_each_line))
    };
    let mut redaction = redact(text)?;
    // What is before a marker may be a secret of its own, now that it ends there.
    for _ in 0..ROUNDS {
        if !redaction.apply(redact) {
            break;
        }
        redaction.found.sort_by_key(|finding| finding.line);
    }
    Some(redaction)
}

/// The secrets in `text`, in order, without overlaps.
pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut secrets = Vec::new();
    scan(text.as_bytes(), 0..text.len(), 0, &mut secrets);
    secrets
}

/// Replaces `secrets` with markers; they must be in order and not overlap.
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

/// Whether the first lines of a document contain no secret, whatever follows.
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
    // The end of a key may follow, or the name for a value.
    key_end::lines_before(text).is_none() && !rules::may_end_in_value(text)
}

/// Appends the secrets with anchors in `range`, without looking before `floor`.
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
