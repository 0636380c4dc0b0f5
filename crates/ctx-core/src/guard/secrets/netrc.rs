//! Logins in the form of `.netrc`: `machine HOST login NAME password …`, on one line or on several.

use super::bytes::Alphabet;
use super::rules::{Secret, Site};

/// The password, if a machine and a login stand before it.
pub(super) fn password(site: &Site<'_>) -> Option<Secret> {
    const NEAR: usize = 256;
    const SHORTEST: usize = 4;
    let before = site.before();
    is_login(&before[before.len().saturating_sub(NEAR)..]).then_some(())?;
    let blanks = Alphabet::of(b" \t").run(site.after(), 8);
    let text = &site.after()[blanks..];
    let length = text.iter().position(|&b| b <= b' ' || b"\"'\\<&%".contains(&b)).unwrap_or(text.len());
    let password = &text[..length];
    let is_made_up = length < SHORTEST
        || password.iter().all(|b| b.is_ascii_uppercase() || *b == b'_')
        // A variable or a template.
        || password.starts_with(b"$")
        || password.starts_with(b"{")
        || password.starts_with(b"[")
        || password.eq_ignore_ascii_case(b"password")
        || password == b"string";
    (!is_made_up).then(|| site.behind_anchor(blanks, length))
}

/// Whether `text` ends with `machine HOST login NAME`, or with `default login NAME`.
fn is_login(text: &[u8]) -> bool {
    let mut words = words(text).into_iter().rev();
    let mut has_login = false;
    loop {
        let (Some(value), Some(name)) = (words.next(), words.next()) else { return false };
        match name {
            b"login" | b"account" if is_name(value) => has_login = true,
            name => return has_login && name.ends_with(b"machine"),
        }
        if words.clone().next().is_some_and(|word| word.ends_with(b"default")) {
            return true;
        }
    }
}

/// Whether a word is the name of a user, and not what prose has between "login" and "password".
fn is_name(word: &[u8]) -> bool {
    const PROSE: [&[u8]; 14] = [
        b"a", b"an", b"and", b"as", b"by", b"for", b"its", b"my", b"or", b"the", b"this", b"via", b"with",
        b"your",
    ];
    !PROSE.contains(&word)
}

/// The words of a text; blanks and line ends may be escaped.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let mut words = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < text.len() {
        let blank = match text[at..] {
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            [b'%', b'2', b'0', ..] | [b'%', b'0', _, ..] => 3,
            [0..=b' ', ..] => 1,
            [..] => 0,
        };
        if blank > 0 && start < at {
            words.push(&text[start..at]);
        }
        at += blank.max(1);
        start = if blank > 0 { at } else { start };
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}
