//! Secrets inside texts, known by their shape and replaced by `[REDACTED:<kind>]`.
//!
//! One pass: a vectorised search for the anchors of all rules, and a hand-written check where one is
//! found. A documented example key (`AKIA…EXAMPLE`) has the shape of a secret and is replaced too;
//! what a person writes in place of a secret (`xxxx…`, `$TOKEN`, `<password>`) is left alone.

mod blocks;
mod bytes;
mod context;
mod kind;
mod rules;
#[cfg(test)]
pub(crate) mod tests;

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::packed::{Config, Searcher};
use aho_corasick::{AhoCorasick, MatchKind, Span};

pub use blocks::MAX_BLOCK;
pub use kind::Kind;
pub use rules::MAX_TOKEN;
use rules::{RULES, Secret, Site};

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    /// The text, a marker in the place of each secret.
    pub text: String,
    /// What was replaced, in the order of the text; never empty.
    pub found: Vec<Finding>,
}

/// A secret that was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// What it is for.
    pub kind: Kind,
    /// The line on which it starts, from 1, in the text as it was.
    pub line: usize,
}

/// Replaces the secrets in a text; `None` if there is none.
#[must_use]
pub fn redact(text: &str) -> Option<Redacted> {
    let secrets = find(text);
    (!secrets.is_empty()).then(|| replace(text, &secrets))
}

/// The secrets in a text, in order, none overlapping another.
pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut secrets = Vec::new();
    scan(text.as_bytes(), Span { start: 0, end: text.len() }, 0, &mut secrets);
    secrets
}

/// Puts markers in the places of `secrets`, which must be in order and apart.
pub(super) fn replace(text: &str, secrets: &[Secret]) -> Redacted {
    let mut redacted = String::with_capacity(text.len());
    let mut found = Vec::with_capacity(secrets.len());
    let (mut end, mut line) = (0, 1);
    for secret in secrets {
        let Range { start, end: next } = secret.range;
        line += count_lines(&text[end..start]);
        found.push(Finding { kind: secret.kind, line });
        redacted.push_str(&text[end..start]);
        redacted.push_str(secret.kind.marker());
        line += count_lines(&text[start..next]);
        end = next;
    }
    redacted.push_str(&text[end..]);
    Redacted { text: redacted, found }
}

fn count_lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// Appends the secrets whose anchors lie in `span`; nothing before `floor` is looked at.
fn scan(text: &[u8], mut span: Span, mut floor: usize, secrets: &mut Vec<Secret>) {
    let text = &text[..span.end];
    while let Some((rule, anchor)) = ANCHORS.find(text, span) {
        let site = Site { text, floor, start: anchor.start, end: anchor.end };
        span.start = anchor.start + 1;
        let Some(secret) = RULES[rule].check(&site) else { continue };
        if secret.range.start > anchor.end {
            scan(text, Span { start: anchor.end, end: secret.range.start }, floor, secrets);
        }
        floor = secret.range.end;
        span.start = floor;
        secrets.push(secret);
    }
}

static ANCHORS: LazyLock<Anchors> = LazyLock::new(Anchors::new);

/// The search for all anchors at once: vectorised where the processor can do it.
enum Anchors {
    Packed(Searcher),
    Automaton(Box<AhoCorasick>),
    /// A set of constants that no automaton could be built from does not exist; the plain search
    /// keeps the promise nevertheless.
    Plain,
}

impl Anchors {
    fn new() -> Self {
        let anchors = || RULES.iter().map(|rule| rule.anchor);
        let packed = Config::new().heuristic_pattern_limits(false).builder().extend(anchors()).build();
        if let Some(searcher) = packed {
            return Self::Packed(searcher);
        }
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(anchors())
            .map_or(Self::Plain, |automaton| Self::Automaton(Box::new(automaton)))
    }

    /// The first anchor in `span`, with the number of its rule.
    fn find(&self, text: &[u8], span: Span) -> Option<(usize, Span)> {
        match self {
            Self::Packed(searcher) => {
                searcher.find_in(text, span).map(|found| (found.pattern().as_usize(), found.span()))
            }
            Self::Automaton(automaton) => automaton
                .find(aho_corasick::Input::new(text).span(span))
                .map(|found| (found.pattern().as_usize(), found.span())),
            Self::Plain => find_plainly(text, span),
        }
    }
}

fn find_plainly(text: &[u8], span: Span) -> Option<(usize, Span)> {
    let first = |(number, rule): (usize, &rules::Rule)| {
        let start = span.start + memchr::memmem::find(&text[span], rule.anchor.as_bytes())?;
        Some((number, Span { start, end: start + rule.anchor.len() }))
    };
    RULES.iter().enumerate().filter_map(first).min_by_key(|(_, found)| found.start)
}
