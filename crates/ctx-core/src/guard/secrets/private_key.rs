//! Private keys: armoured blocks, wrapped in any way, and their base 64.

use std::ops::Range;

use super::boundary::{BEGIN, END, dashes_before, is_private, label, opening_dashes};
use super::bytes::{Alphabet, Quality, starts_word};
use super::escape::decoded_between;
use super::rules::{Body, Secret, Site};

/// The beginning of a marker. If there is one inside a key, the key was already rejected in an earlier pass.
const MARKER: &[u8] = b"[REDACTED:";

/// The text after the beginning of a key without boundaries.
const MORE: Body = Body::from(24, Alphabet::BASE64, Quality::Mixed);

/// A piece of base 64 this long is a key, not prose.
pub(super) const LINE: usize = 32;

/// `-----BEGIN … PRIVATE KEY-----` to the matching `-----END`.
///
/// Everything between them is replaced if it contains base 64: comment signs, quotes, log timestamps. Without an
/// end, it extends over all lines of base 64. Code that only mentions the boundaries is left alone.
pub(super) fn block(site: &Site<'_>) -> Option<Secret> {
    let before = site.before();
    let dashes = dashes_before(before);
    let label = label(site.after()).filter(|label| is_private(label))?;
    (dashes > 0).then_some(())?;
    let rest = &site.after()[label.len()..];
    let length = closed(rest, end_of_block).or_else(|| open(rest)).or_else(|| narrow(rest))?;
    Some(site.secret(site.start - dashes..site.end + label.len() + length))
}

/// The length of a block up to and including the end that `find_end` finds, if there is base 64 before that
/// end.
fn closed(bytes: &[u8], find_end: impl Fn(&[u8]) -> Option<Range<usize>>) -> Option<usize> {
    let closing = find_end(bytes)?;
    let inside = &bytes[..closing.start];
    (has_key(inside) && memchr::memmem::find(inside, MARKER).is_none()).then_some(closing.end)
}

/// The first end before another beginning.
fn end_of_block(bytes: &[u8]) -> Option<Range<usize>> {
    let is_bounded = |at: &usize| opening_dashes(&bytes[..*at]) > 0;
    let next = memchr::memmem::find_iter(bytes, BEGIN).find(is_bounded).unwrap_or(bytes.len());
    memchr::memmem::find_iter(&bytes[..next], END).filter(is_bounded).find_map(|at| {
        let label = label(&bytes[at + END.len()..])?;
        Some(at - opening_dashes(&bytes[..at])..at + END.len() + label.len())
    })
}

/// Whether `bytes` contain the base 64 of a key.
fn has_key(bytes: &[u8]) -> bool {
    /// A piece this long may be a line of a narrow key, or a long name.
    const PIECE: usize = 16;
    /// This much base 64, with only line separators in it, is a key, however it is wrapped.
    const BLOCK: usize = 48;
    let mut pieces = 0;
    let (mut base64, mut has_digit, mut others) = (0, false, 0);
    let mut at = 0;
    while at < bytes.len() {
        let run = Alphabet::BASE64.run(&bytes[at..], bytes.len());
        let piece = &bytes[at..at + run];
        base64 += run;
        has_digit |= piece.iter().any(u8::is_ascii_digit);
        if run >= PIECE && is_random(piece) {
            pieces += run;
        }
        at += run;
        let gap = gap(&bytes[at..]);
        // Words of prose have spaces between them.
        others += usize::from(gap > 0 && bytes[at..at + gap].iter().all(|byte| *byte == b' '));
        at += gap;
        if run + gap == 0 {
            others += 1;
            at += 1;
        }
    }
    pieces >= LINE || base64 >= BLOCK && has_digit && others == 0
}

pub(super) fn is_random(piece: &[u8]) -> bool {
    let has = |set: Alphabet| piece.iter().any(|&b| set.has(b));
    has(Alphabet::UPPER)
        && has(Alphabet::LOWER)
        && has(Alphabet::of(b"0123456789+/"))
        && Quality::Mixed.accepts(piece)
}

/// The length of a key without an end: its headers, and its lines of base 64.
fn open(bytes: &[u8]) -> Option<usize> {
    const HEADERS: usize = 1024;
    const SEPARATOR: usize = 160;
    let mut end: Option<usize> = None;
    let mut separator: &[u8] = &[];
    let mut at = 0;
    loop {
        let from = end.unwrap_or(0);
        let longest = if end.is_none() { HEADERS } else { SEPARATOR };
        if at - from > longest
            || at >= bytes.len()
            || bytes[at..].starts_with(b"--")
            || bytes[at..].starts_with(MARKER)
        {
            break;
        }
        let run = Alphabet::BASE64.run(&bytes[at..], bytes.len());
        if run >= LINE && Quality::Mixed.accepts(&bytes[at..at + LINE]) {
            if end.is_none() && !may_precede_key(&bytes[..at]) {
                return None;
            }
            separator = &bytes[from..at];
            end = Some(at + run);
        }
        at += run.max(1);
    }
    let end = end?;
    // The last line is shorter, separated in the same way.
    let rest = &bytes[end..];
    let gap = if rest.starts_with(separator) { separator.len() } else { gap(rest) };
    let last = Alphabet::BASE64.run(&rest[gap..], LINE * 4);
    Some(if gap > 0 && last > 0 && ends_line(rest.get(gap + last).copied()) { end + gap + last } else { end })
}

/// The length of a key without an end whose lines are shorter than any program writes them: all have the same
/// width except the last, and the same separators.
fn narrow(bytes: &[u8]) -> Option<usize> {
    const NARROWEST: usize = 4;
    const SHORTEST: usize = 48;
    let separator = &bytes[..gap(bytes)];
    let width = Alphabet::BASE64.run(&bytes[separator.len()..], LINE);
    let breaks_lines = separator.iter().any(|byte| matches!(byte, b'\n' | b'\\'));
    ((NARROWEST..LINE).contains(&width) && breaks_lines).then_some(())?;
    let (mut at, mut key) = (0, Vec::new());
    loop {
        let line = bytes[at..].strip_prefix(separator).unwrap_or_default();
        let length = Alphabet::BASE64.run(line, width + 1);
        if length == 0 || length > width {
            break;
        }
        // The first lines are enough to decide.
        if key.len() < SHORTEST {
            key.extend_from_slice(&line[..length]);
        }
        at += separator.len() + length;
        if length < width {
            break;
        }
    }
    (key.len() >= SHORTEST && is_random(&key)).then_some(at)
}

/// Whether `bytes` are short, or contain only headers and line separators.
fn may_precede_key(bytes: &[u8]) -> bool {
    const SEPARATOR: usize = 100;
    const HEADER: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b"-:._@,+/="));
    bytes.len() <= SEPARATOR
        || bytes.split(|&b| b == b'\n').all(|line| {
            let mut at = 0;
            while at < line.len() {
                let plain = gap(&line[at..]) + HEADER.run(&line[at + gap(&line[at..])..], line.len());
                if plain == 0 {
                    return is_header(line);
                }
                at += plain;
            }
            true
        })
}

/// Whether a line before those of a key is a header, `Version: …`, or contains no words.
pub(super) fn is_header(line: &[u8]) -> bool {
    memchr::memmem::find(line, b": ").is_some() || !line.iter().any(u8::is_ascii_alphanumeric)
}

/// The length of the text between two lines: newlines, plain or escaped, with quotes, comment signs and
/// indentation.
pub(super) fn gap(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += match bytes[at..] {
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            [b'+', b' ' | b'\r' | b'\n', ..] => 1,
            [b'\r' | b'\n' | b'\t' | b' ' | b'\\' | b'"' | b'\'' | b',' | b'#' | b'*' | b'>' | b'|', ..] => 1,
            [..] => return at,
        };
    }
}

/// The private lines of a `PuTTY` key file.
pub(super) fn putty(site: &Site<'_>) -> Option<Secret> {
    const NUMBER: Alphabet = Alphabet::DIGIT.or(Alphabet::of(b" "));
    let number = NUMBER.run(site.after(), 12);
    let rest = &site.after()[number..];
    let end = |bytes: &[u8]| {
        let end = memchr::memmem::find(bytes, b"Private-")?;
        Some(end..end)
    };
    let mut length = closed(rest, end).or_else(|| open(rest))?;
    while rest[..length].last().is_some_and(|&byte| !Alphabet::BASE64.has(byte)) {
        length -= 1;
    }
    let start = gap(rest);
    (start < length).then(|| site.behind_anchor(number + start, length - start))
}

/// The base 64 of a block, found by the encodings of `--BEGIN ` in its three positions.
pub(super) fn encoded_block(site: &Site<'_>) -> Option<Secret> {
    const DASHES: &[u8] = b"LS0t";
    const LONGEST_LABEL: usize = 80;
    let decoded = decoded_between(&site.text[site.start..], LONGEST_LABEL, gap);
    let begin = memchr::memmem::find(&decoded, b"BEGIN")? + b"BEGIN".len();
    label(&decoded[begin..]).filter(|label| is_private(label))?;
    // The dashes: `LS0t` is base 64 for three.
    let dashes = (1..=2).take_while(|count| site.before().ends_with(&DASHES.repeat(*count))).count();
    Some(wrapped(site, dashes * DASHES.len()))
}

/// The base 64 of a key without boundaries, found by the common beginning of such keys.
pub(super) fn bare(site: &Site<'_>) -> Option<Secret> {
    (starts_word(site.before()) && MORE.length(site.after()).is_some()).then(|| wrapped(site, 0))
}

/// The base 64 of a key without boundaries whose length comes first: `MII`, three characters, the anchor.
pub(super) fn bare_after_length(site: &Site<'_>) -> Option<Secret> {
    const LENGTH: usize = 6;
    let before = site.before();
    let is_sequence = before[before.len().checked_sub(LENGTH)?..].starts_with(b"MII");
    (is_sequence && MORE.length(site.after()).is_some()).then(|| wrapped(site, LENGTH))
}

/// Base 64, possibly wrapped into lines, from `length` bytes before the anchor, or from the start of their word.
fn wrapped(site: &Site<'_>, length: usize) -> Secret {
    let before = &site.before()[..site.before().len() - length];
    let word = if starts_word(before) { 0 } else { Alphabet::ALNUM.run_back(before, before.len()) };
    let start = site.start - length - word;
    site.secret(start..site.end + wrapped_run(site.after()))
}

/// The length of base 64, possibly wrapped into lines.
fn wrapped_run(bytes: &[u8]) -> usize {
    let mut end = Alphabet::BASE64.escaped_run(bytes);
    let mut separator: &[u8] = &[];
    loop {
        let rest = &bytes[end..];
        let gap = gap(rest);
        let line = Alphabet::BASE64.run(&rest[gap..], rest.len());
        let is_whole = line >= LINE && Quality::Mixed.accepts(&rest[gap..gap + LINE]);
        let is_last = line > 0 && separator.len() == gap && ends_line(rest.get(gap + line).copied());
        if gap == 0 || bytes[..end].ends_with(b"=") || !is_whole && !is_last {
            return end;
        }
        end += gap + line;
        if !is_whole {
            return end;
        }
        separator = &rest[..gap];
    }
}

fn ends_line(next: Option<u8>) -> bool {
    matches!(next, None | Some(b'\r' | b'\n' | b'\\' | b'"' | b'\''))
}
