//! The lines around an armoured block: `-----BEGIN … PRIVATE KEY-----`, however its dashes and spaces are
//! written.

use super::bytes::Alphabet;
use super::escape::Escape;

pub(super) const BEGIN: &[u8] = b"BEGIN";
pub(super) const END: &[u8] = b"END";

/// The label after `BEGIN` or `END`, including the dashes after it.
pub(super) fn label(bytes: &[u8]) -> Option<&[u8]> {
    const LONGEST: usize = 96;
    const WORDS: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b" +%_&;#\\."));
    let is_word = |at: &usize| WORDS.has(bytes[*at]) && dash(&bytes[*at..]).is_none();
    let length = (0..bytes.len().min(LONGEST)).take_while(is_word).count();
    let first = bytes[..length].first()?;
    let (mut end, mut dashes) = (length, 0);
    while let Some(length) = dash(&bytes[end..]).filter(|_| dashes < 5) {
        end += length;
        dashes += 1;
    }
    (dashes > 1 && !first.is_ascii_alphanumeric()).then(|| &bytes[..end])
}

/// Whether a label is that of a private key.
pub(super) fn is_private(label: &[u8]) -> bool {
    let has = |word: &str| memchr::memmem::find(label, word.as_bytes()).is_some();
    (has("PRIVATE") || has("SECRET")) && has("KEY")
}

/// The length of the dash at the start of `bytes`, which may be escaped.
fn dash(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'-', ..] => Some(1),
        [..] => Escape::at_start(bytes).filter(|escape| escape.byte == b'-').map(|escape| escape.length),
    }
}

/// The length in bytes of the dashes at the end of `before`.
pub(super) fn dashes_before(before: &[u8]) -> usize {
    let mut start = before.len();
    while let Some(length) = last_dash(&before[..start]) {
        start -= length;
    }
    before.len() - start
}

fn last_dash(before: &[u8]) -> Option<usize> {
    /// `-`, `%2D`, `\x2d`, `&#45;`, `\u002d`.
    const LENGTHS: std::ops::RangeInclusive<usize> = 1..=6;
    LENGTHS
        .filter(|length| *length <= before.len())
        .find(|length| dash(&before[before.len() - length..]) == Some(*length))
}

/// The length in bytes of the dashes before `BEGIN` or `END`, including an optional space between them.
pub(super) fn opening_dashes(before: &[u8]) -> usize {
    let blank = usize::from(before.ends_with(b" "));
    match dashes_before(&before[..before.len() - blank]) {
        0 => 0,
        dashes => dashes + blank,
    }
}
