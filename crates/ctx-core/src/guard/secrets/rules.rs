//! How a rule decides at an anchor.
//!
//! Every rule decides on the basis of its anchor, the text before it, and its body up to a limit. The
//! *fewest* bytes that the body needs may be enough to decide; the rest is only included, however long it is.
//! A longer body has more digits and different bytes, so replacing a secret further right never turns a
//! rejected candidate into an accepted one. That is why one pass is enough.

use std::fmt;
use std::ops::Range;

use super::bytes::{Alphabet, Quality, ends_word, starts_alone, starts_word};
use super::escape::{Escape, decoded};

/// The kind of a secret, as far as its shape shows. Each row of the table has its own, with a stable name in kebab
/// case, as in `[REDACTED:<name>]`: `github-token`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretKind(pub(in crate::guard) &'static str);

impl SecretKind {
    /// Signed or encrypted JSON web tokens; header values are searched for them.
    pub(super) const JWT: Self = Self("jwt");
    /// Private keys, which may extend over several lines.
    pub(super) const PRIVATE_KEY: Self = Self("private-key");
    /// Bitcoin's private keys, which their checksum shows.
    pub(super) const WALLET_KEY: Self = Self("bitcoin-private-key");

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// The text that replaces a secret of this kind.
    #[must_use]
    pub fn marker(self) -> String {
        format!("[REDACTED:{}]", self.0)
    }
}

impl fmt::Display for SecretKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

/// An anchor that was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'t> {
    pub(super) text: &'t [u8],
    /// Where the last secret ended. Rules must not look before this.
    pub(super) floor: usize,
    /// The anchor.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The kind of secret being searched for.
    pub(super) kind: SecretKind,
    /// Finds the token at the very start of the text, if its prefix is known.
    pub(super) known: fn(&[u8]) -> Option<Secret>,
}

impl<'t> Site<'t> {
    pub(super) fn before(&self) -> &'t [u8] {
        &self.text[self.floor..self.start]
    }

    pub(super) fn after(&self) -> &'t [u8] {
        &self.text[self.end..]
    }

    /// A secret from the anchor's start to `length` bytes after its end.
    pub(super) fn with_anchor(&self, length: usize) -> Secret {
        self.secret(self.start..self.end + length)
    }

    /// A secret of `length` bytes, starting `offset` bytes after the anchor's end.
    pub(super) fn behind_anchor(&self, offset: usize, length: usize) -> Secret {
        self.secret(self.end + offset..self.end + offset + length)
    }

    /// A secret of the kind being searched for.
    pub(super) fn secret(&self, range: Range<usize>) -> Secret {
        Secret { kind: self.kind, range }
    }
}

/// A secret that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::guard) struct Secret {
    pub(super) kind: SecretKind,
    pub(in crate::guard) range: Range<usize>,
}

/// The text after an anchor.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// The anchor is the prefix of a token.
    Token(Body),
    /// The same for a prefix that is common in base 64.
    Lone(Body),
    /// The anchor is the beginning of a known token in base 64.
    Encoded,
    /// The body directly follows the anchor, which stays.
    Value(Body),
    /// The anchor is a name to which the body is assigned, in any language.
    Assigned(Body),
    /// Anything else.
    Custom(fn(&Site<'_>) -> Option<Secret>),
}

/// The part of a token after its prefix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body {
    pub(super) alphabet: Alphabet,
    /// The minimum length in bytes. This many bytes are enough to decide.
    pub(super) min: usize,
    /// Whether it must end there, at the end of a word.
    pub(super) exact: bool,
    pub(super) quality: Quality,
}

impl Body {
    /// This many bytes or more.
    pub(super) const fn from(min: usize, alphabet: Alphabet, quality: Quality) -> Self {
        Self { alphabet, min, exact: false, quality }
    }

    /// Exactly this many bytes.
    pub(super) const fn of(min: usize, alphabet: Alphabet, quality: Quality) -> Self {
        Self { alphabet, min, exact: true, quality }
    }

    /// The length of the body at the start of `bytes`, if it matches.
    pub(super) fn length(&self, bytes: &[u8]) -> Option<usize> {
        let plain = bytes.get(..self.min).filter(|head| head.iter().all(|&b| self.alphabet.has(b)));
        let head = match plain {
            Some(head) => (self.quality.accepts(head) || self.accepts_whole(bytes)).then_some(self.min)?,
            None => self.escaped_head(bytes)?,
        };
        let rest = &bytes[head..];
        if self.exact {
            ends_word(rest).then_some(head)
        } else {
            Some(head + self.alphabet.escaped_run(rest))
        }
    }

    /// Whether the whole body is accepted although its first `min` bytes are not, such as a number before a
    /// random part.
    fn accepts_whole(&self, bytes: &[u8]) -> bool {
        const BOUND: usize = 96;
        !self.exact && self.quality.accepts(&bytes[..self.alphabet.run(bytes, BOUND.max(self.min))])
    }

    /// The length of the first `min` bytes if some of them are escaped.
    fn escaped_head(&self, bytes: &[u8]) -> Option<usize> {
        self.alphabet.is_escaped().then_some(())?;
        let (mut at, mut head) = (0, Vec::new());
        while head.len() < self.min {
            let unit = match *bytes.get(at)? {
                byte if self.alphabet.has(byte) => Escape { byte, length: 1 },
                _ => Escape::at_start(&bytes[at..]).filter(|escape| self.alphabet.has(escape.byte))?,
            };
            head.push(unit.byte);
            at += unit.length;
        }
        self.quality.accepts(&head).then_some(at)
    }
}

/// One anchor.
#[derive(Debug, Clone, Copy)]
pub(super) struct SecretRule {
    pub(super) anchor: &'static str,
    pub(super) kind: SecretKind,
    pub(super) shape: &'static Shape,
}

impl SecretRule {
    pub(super) fn check(&self, site: &Site<'_>) -> Option<Secret> {
        match *self.shape {
            Shape::Token(body) if starts_word(site.before()) => {
                Some(site.with_anchor(body.length(site.after())?))
            }
            Shape::Lone(body) if starts_alone(site.before()) => {
                Some(site.with_anchor(body.length(site.after())?))
            }
            Shape::Token(_) | Shape::Lone(_) => None,
            Shape::Encoded => encoded_token(site),
            Shape::Value(body) => Some(site.behind_anchor(0, body.length(site.after())?)),
            Shape::Assigned(body) => assigned(site, &body),
            Shape::Custom(check) => check(site),
        }
    }
}

/// The base 64 of a token, as in a Kubernetes secret. The whole word that decodes to it is replaced.
fn encoded_token(site: &Site<'_>) -> Option<Secret> {
    const WORD: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b"+/"));
    // In bytes; longer than the minimum length of any kind of token.
    const LONGEST: usize = 512;
    let before = site.before();
    let is_inside = match *before {
        [.., before, b'+'] => before != b'\n',
        [.., b'/'] => true,
        [..] => false,
    };
    (starts_word(before) && !is_inside).then_some(())?;
    let text = &site.text[site.start..];
    let word = WORD.run(text, text.len());
    let kind = (site.known)(&decoded(&text[..word], LONGEST))?.kind;
    let length = word + Alphabet::of(b"=").run(&text[word..], 2);
    // The text that ended the word may have been replaced.
    (!text[length..].starts_with(b"[REDACTED:"))
        .then(|| Secret { kind, range: site.start..site.start + length })
}

/// The characters in names of values.
const NAME: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b"_-"));

/// The longest part of a name on either side of an anchor.
const LONGEST_NAME: usize = 24;

/// The value assigned to the name at the anchor, or the value of the field before the one with the name.
fn assigned(site: &Site<'_>, body: &Body) -> Option<Secret> {
    let offset = assignment(site.after());
    let length = offset.and_then(|offset| body.length(&site.after()[offset..]));
    if let Some((offset, length)) = offset.zip(length) {
        return Some(site.behind_anchor(offset, length));
    }
    let is_replaced = |offset: usize| {
        let value = &site.after()[offset.saturating_sub(1)..];
        value.starts_with(b"[REDACTED:") || value[1.min(value.len())..].starts_with(b"[REDACTED:")
    };
    // If this name's value was already replaced, the value of the field before is not taken for it.
    if offset.is_some_and(is_replaced) { None } else { value_before(site, body) }
}

/// The value in the field before the one with the name at the anchor, as in `- value: …` followed by `name: X` on
/// the next line, or in `{"value": "…", "name": "X"}`.
fn value_before(site: &Site<'_>, body: &Body) -> Option<Secret> {
    const QUOTES: Alphabet = Alphabet::of(b" \t\"'\\:=");
    const BETWEEN: Alphabet = Alphabet::of(b" \t\r\n\"',\\");
    const LONGEST: usize = 512;
    let without = |text: &'_ [u8], alphabet: Alphabet, most: usize| {
        let length = alphabet.run_back(text, most);
        (length > 0).then_some(text.len() - length)
    };
    let before = site.before();
    let name = &before[..before.len() - NAME.run_back(before, LONGEST_NAME)];
    let key = without_word(&name[..without(name, QUOTES, 8)?], b"name")?;
    let value = &key[..without(key, BETWEEN, 64)?];
    let start = without(value, body.alphabet, LONGEST)?;
    without_word(&value[..without(&value[..start], QUOTES, 8)?], b"value")?;
    let whole = body.length(&value[start..]).is_some_and(|length| length == value.len() - start);
    whole.then(|| site.secret(site.floor + start..site.floor + value.len()))
}

/// Whether the last non-blank line of `text` may be a field whose name is on the next one: see
/// `value_before`.
pub(super) fn may_end_in_value(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let line = &text[memchr::memrchr(b'\n', text).map_or(0, |end| end + 1)..];
    let is_field = |at: usize| separator(&line[at + b"alue".len()..]) > 0;
    ["alue", "ALUE"].iter().any(|word| memchr::memmem::find_iter(line, word).any(is_field))
}

/// `text` without `word` at its end, in any letter case.
fn without_word<'t>(text: &'t [u8], word: &[u8]) -> Option<&'t [u8]> {
    let (rest, end) = text.split_at_checked(text.len().checked_sub(word.len())?)?;
    end.eq_ignore_ascii_case(word).then_some(rest)
}

/// The length of the rest of a name, and of the text between it and its assigned value.
pub(super) fn assignment(bytes: &[u8]) -> Option<usize> {
    let name = NAME.run(bytes, LONGEST_NAME);
    let after = &bytes[name..];
    let value = value_behind(after);
    let rest = &after[value..];
    let between = match block_behind(rest) {
        0 => separator(rest),
        block => block,
    };
    (between > 0).then(|| name + value + between + call(&rest[between..]))
}

/// The length of the text before a value on the next line, as in YAML's `X: >-`, or in `X:` with `value: …` below
/// it; 0 if there is none.
fn block_behind(bytes: &[u8]) -> usize {
    const BLANKS: Alphabet = Alphabet::of(b" \t\r");
    let skip = |at: usize, alphabet: Alphabet, most: usize| at + alphabet.run(&bytes[at..], most);
    let mut at = skip(0, Alphabet::of(b"\"'"), 1);
    if bytes.get(at) != Some(&b':') {
        return 0;
    }
    at = skip(at + 1, BLANKS, 8);
    at = skip(skip(at, Alphabet::of(b"|>"), 1), Alphabet::of(b"-+123456789"), 2);
    at = skip(at, BLANKS, 8);
    if bytes.get(at) != Some(&b'\n') {
        return 0;
    }
    let indented = skip(at + 1, Alphabet::of(b" \t"), 64);
    let key = skip(indented, Alphabet::of(b"\"'"), 1);
    let is_value = bytes[key..].get(..b"value".len()).is_some_and(|word| word.eq_ignore_ascii_case(b"value"));
    let value = if is_value { separator(&bytes[key + b"value".len()..]) } else { 0 };
    match (indented - at - 1, value) {
        (0, _) => 0,
        (_, 0) => key,
        (_, value) => key + b"value".len() + value,
    }
}

/// The length of the start of a call that makes a value from a literal, such as `aws.String("`; 0 if there is
/// none.
fn call(bytes: &[u8]) -> usize {
    const PATH: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b"_.:&"));
    let path = PATH.run(bytes, 48);
    match bytes[path..] {
        [b'(', b'"' | b'\'' | b'`', ..] if path > 0 => path + 2,
        [..] => 0,
    }
}

/// The length of the text before a value that is named in a separate field, as in Kubernetes' `- name: X` followed
/// by `value: …` on the next line, or in `{"name": "X", "value": "…"}`; 0 if there is none.
fn value_behind(bytes: &[u8]) -> usize {
    const BETWEEN: Alphabet = Alphabet::of(b" \t\r\n\"',\\");
    const LONGEST: usize = 64;
    let mut at = 0;
    while at < LONGEST {
        at += match bytes[at..] {
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            [byte, ..] if BETWEEN.has(byte) => 1,
            [..] => break,
        };
    }
    let word = bytes.get(at..at + b"value".len());
    let is_value = at > 0 && word.is_some_and(|word| word.eq_ignore_ascii_case(b"value"));
    if is_value { at + b"value".len() } else { 0 }
}

/// The length of the text between a name and its value, on one line.
pub(super) fn separator(bytes: &[u8]) -> usize {
    const BETWEEN: Alphabet = Alphabet::of(b" \t\"'`\\:=>(),[|");
    const MAX: usize = 32;
    let mut at = 0;
    while at < MAX {
        at += match Escape::at_start(&bytes[at..]) {
            Some(escape) if BETWEEN.has(escape.byte) => escape.length,
            Some(_) | None if bytes.get(at).is_some_and(|&byte| BETWEEN.has(byte)) => 1,
            // A closing bracket after a quote, as in `environ['X'] = …`; a marker also ends with a bracket.
            Some(_) | None if matches!(bytes[..at], [.., b'"' | b'\'']) && bytes.get(at) == Some(&b']') => 1,
            Some(_) | None => break,
        };
    }
    at
}
