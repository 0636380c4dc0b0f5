//! Secrets in text, recognised by their shape and replaced by `[REDACTED:<kind>]`.
//!
//! One pass: a search for the anchors of all rules, and a hand-written check at each one; and a look at words that are as
//! long as a key with a checksum. Placeholders that people
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
mod wallet;

use std::ops::Range;

use super::{CleanText, Replaced, TextBuilder};
use anchors::{Anchors, prefixes};
use rules::Secret;
pub use rules::SecretKind;
use trigrams::Anchor;

/// Replaces the secrets in `text`; `None` if there are none.
#[must_use]
pub fn redact(text: &str) -> Option<CleanText> {
    let secrets = find(text);
    (!secrets.is_empty()).then(|| replaced(&CleanText::from(text.to_owned()), &secrets, false))
}

/// Like [`redact`], but a secret that extends over several lines is marked once, or on each line so that
/// later lines keep their numbers.
pub(super) fn redact_marking(text: &CleanText, mark_each_line: bool) -> Option<CleanText> {
    let secrets = find(text);
    (!secrets.is_empty()).then(|| replaced(text, &secrets, mark_each_line))
}

/// The text without these secrets, and without those that are only recognised once these are gone.
fn replaced(text: &CleanText, secrets: &[Secret], mark_each_line: bool) -> CleanText {
    /// How often the result is searched again.
    const ROUNDS: usize = 3;
    let mut text = replace(text, secrets, mark_each_line);
    // What is before a marker may be a secret of its own, now that it ends there.
    for _ in 0..ROUNDS {
        let secrets = find(&text);
        if secrets.is_empty() {
            break;
        }
        text = replace(&text, &secrets, mark_each_line);
    }
    text
}

/// The secrets in `text`, in order, without overlaps.
pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut secrets = Vec::new();
    scan(text.as_bytes(), 0..text.len(), 0, &mut secrets);
    for range in wallet::keys(text.as_bytes()) {
        let place = secrets.partition_point(|secret| secret.range.end <= range.start);
        if secrets.get(place).is_none_or(|next| next.range.start >= range.end) {
            secrets.insert(place, Secret { kind: SecretKind::WALLET_KEY, range });
        }
    }
    secrets
}

/// Replaces `secrets` with markers; they must be in order and not overlap.
pub(super) fn replace(text: &CleanText, secrets: &[Secret], mark_each_line: bool) -> CleanText {
    let mut redacted = TextBuilder::of(text, text.len());
    let mut end = 0;
    for secret in secrets {
        redacted.keep(end..secret.range.start);
        end = secret.range.end;
        let marker = secret.kind.marker();
        let line_ends = if mark_each_line { count_lines(&text[secret.range.clone()]) } else { 0 };
        let written = vec![marker; line_ends + 1].join("\n");
        redacted.replace(Replaced::Secret(secret.kind), &written);
    }
    redacted.keep(end..text.len());
    redacted.finish()
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
    key_end::lines_before(text).is_none()
        && wallet::keys(text).next().is_none()
        && !rules::may_end_in_value(text)
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
