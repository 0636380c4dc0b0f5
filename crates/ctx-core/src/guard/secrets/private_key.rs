//! Private keys: armoured blocks, however they are wrapped, and their base 64.

use super::bytes::{Alphabet, Quality, starts_word};
use super::kind::Kind;
use super::rules::{Body, Secret, Site};

/// What a marker begins with: a key that surrounds one was refused before.
const MARKER: &[u8] = b"[REDACTED:";

/// What follows the beginning of a key without boundaries.
const MORE: Body = Body::from(24, Alphabet::BASE64, Quality::Mixed);

/// A piece of base 64 so long is key, not prose.
const LINE: usize = 32;

/// `-----BEGIN … PRIVATE KEY-----` to the `-----END` that goes with it.
///
/// Whatever stands between goes too if base 64 is in it: signs of comments, quotes, the time of a log.
/// Without an end it goes as far as there are lines of base 64. Code that only names the boundaries is
/// left alone.
pub(super) fn block(site: &Site<'_>) -> Option<Secret> {
    let before = site.before();
    let dashes = Alphabet::of(b"-").run_back(before, before.len());
    let label = label(site.after()).filter(|label| label.is_private)?;
    (dashes > 0).then_some(())?;
    let rest = &site.after()[label.length..];
    let length = closed(rest, end_of_block).or_else(|| open(rest))?;
    Some(Secret { kind: Kind::PrivateKey, range: site.start - dashes..site.end + label.length + length })
}

/// The words of a boundary.
struct Label {
    /// With the dashes behind it.
    length: usize,
    is_private: bool,
}

/// The label behind `BEGIN` or `END`, whose blanks may be written in other ways.
fn label(bytes: &[u8]) -> Option<Label> {
    const LONGEST: usize = 96;
    const WORDS: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b" +%_&;#\\."));
    let length = WORDS.run(bytes, LONGEST);
    let words = &bytes[..length];
    let dashes = Alphabet::of(b"-").run(&bytes[length..], 5);
    let has = |word: &str| memchr::memmem::find(words, word.as_bytes()).is_some();
    (dashes > 1 && !words.first()?.is_ascii_alphanumeric()).then(|| Label {
        length: length + dashes,
        is_private: (has("PRIVATE") || has("SECRET")) && has("KEY"),
    })
}

/// The length of what is closed by the first end that `find_end` sees before another beginning, if base
/// 64 is in it.
fn closed(bytes: &[u8], find_end: impl Fn(&[u8]) -> Option<Closing>) -> Option<usize> {
    let closing = find_end(bytes)?;
    let inside = &bytes[..closing.start];
    (has_key(inside) && memchr::memmem::find(inside, MARKER).is_none()).then_some(closing.end)
}

/// Where a block closes.
struct Closing {
    start: usize,
    end: usize,
}

fn end_of_block(bytes: &[u8]) -> Option<Closing> {
    for start in memchr::memchr_iter(b'-', bytes) {
        let rest = &bytes[start..];
        let rest = rest.strip_prefix(b"- ").or_else(|| rest.strip_prefix(b"-")).unwrap_or(rest);
        if rest.starts_with(b"BEGIN") {
            return None;
        }
        if let Some(label) = rest.strip_prefix(b"END").and_then(label) {
            return Some(Closing { start, end: bytes.len() - rest.len() + 3 + label.length });
        }
    }
    None
}

/// Whether base 64 of a key is in `bytes`.
fn has_key(bytes: &[u8]) -> bool {
    /// A piece so long may be a line of a narrow key, or a long name.
    const PIECE: usize = 16;
    /// So much base 64, with nothing else but what parts lines, is a key, however it is wrapped.
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
        at += gap;
        if run + gap == 0 {
            others += 1;
            at += 1;
        }
    }
    pieces >= LINE || base64 >= BLOCK && has_digit && others == 0
}

fn is_random(piece: &[u8]) -> bool {
    let has = |set: Alphabet| piece.iter().any(|&b| set.has(b));
    has(Alphabet::UPPER)
        && has(Alphabet::LOWER)
        && has(Alphabet::of(b"0123456789+/"))
        && Quality::Mixed.accepts(piece)
}

/// The length of a key that has no end: its headers, and its lines of base 64.
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
    // The last line is a short one, parted from the others as they are.
    let rest = &bytes[end..];
    let gap = if rest.starts_with(separator) { separator.len() } else { gap(rest) };
    let last = Alphabet::BASE64.run(&rest[gap..], LINE * 4);
    Some(if gap > 0 && last > 0 && ends_line(rest.get(gap + last).copied()) { end + gap + last } else { end })
}

/// Whether nothing but headers and what parts lines is in `bytes`, or nothing much.
fn may_precede_key(bytes: &[u8]) -> bool {
    const SEPARATOR: usize = 100;
    const HEADER: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b"-:._@,+/="));
    bytes.len() <= SEPARATOR
        || bytes.split(|&b| b == b'\n').all(|line| {
            let is_header =
                memchr::memmem::find(line, b": ").is_some() || !line.iter().any(u8::is_ascii_alphanumeric);
            let mut at = 0;
            while at < line.len() {
                let plain = gap(&line[at..]) + HEADER.run(&line[at + gap(&line[at..])..], line.len());
                if plain == 0 {
                    return is_header;
                }
                at += plain;
            }
            true
        })
}

/// The length of what stands between two lines: line ends, written out or escaped, with quotes, signs
/// of comments and indentation.
fn gap(bytes: &[u8]) -> usize {
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
        Some(Closing { start: end, end })
    };
    let mut length = closed(rest, end).or_else(|| open(rest))?;
    while rest[..length].last().is_some_and(|&byte| !Alphabet::BASE64.has(byte)) {
        length -= 1;
    }
    let start = gap(rest);
    (start < length).then(|| site.behind_anchor(Kind::PrivateKey, number + start, length - start))
}

/// The base 64 of a block, by what `--BEGIN ` becomes in each of its three positions.
pub(super) fn encoded_block(site: &Site<'_>) -> Option<Secret> {
    const DASHES: &[u8] = b"LS0t";
    let decoded = decoded(&site.text[site.start..]);
    let begin = memchr::memmem::find(&decoded, b"BEGIN")? + b"BEGIN".len();
    label(&decoded[begin..]).filter(|label| label.is_private)?;
    // Of the dashes: `LS0t` is three of them.
    let dashes = (1..=2).take_while(|count| site.before().ends_with(&DASHES.repeat(*count))).count();
    Some(wrapped(site, dashes * DASHES.len()))
}

/// The base 64 of a key without boundaries, by what every such key begins with.
pub(super) fn bare(site: &Site<'_>) -> Option<Secret> {
    (starts_word(site.before()) && MORE.length(site.after()).is_some()).then(|| wrapped(site, 0))
}

/// The same for a key whose length comes first: `MII`, three characters, the anchor.
pub(super) fn bare_after_length(site: &Site<'_>) -> Option<Secret> {
    const LENGTH: usize = 6;
    let before = site.before();
    let is_sequence = before[before.len().checked_sub(LENGTH)?..].starts_with(b"MII");
    (is_sequence && MORE.length(site.after()).is_some()).then(|| wrapped(site, LENGTH))
}

/// Base 64 that may be wrapped into lines, from `length` bytes before the anchor, or from where their word starts.
fn wrapped(site: &Site<'_>, length: usize) -> Secret {
    let before = &site.before()[..site.before().len() - length];
    let word = if starts_word(before) { 0 } else { Alphabet::ALNUM.run_back(before, before.len()) };
    let start = site.start - length - word;
    Secret { kind: Kind::PrivateKey, range: start..site.end + wrapped_run(site.after()) }
}

/// The bytes that the base 64 at the start of `text` stands for: enough for the longest label.
fn decoded(text: &[u8]) -> Vec<u8> {
    const LONGEST: usize = 80;
    let mut decoded = Vec::with_capacity(LONGEST);
    let (mut at, mut bits, mut held) = (0, 0_u32, 0);
    while decoded.len() < LONGEST {
        at += gap(&text[at..]);
        let Some(sextet) = text.get(at).and_then(|&byte| sextet(byte)) else { break };
        bits = bits << 6 | u32::from(sextet);
        held += 6;
        at += 1;
        if held >= 8 {
            held -= 8;
            decoded.extend((bits >> held).to_le_bytes().first());
        }
    }
    decoded
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        0..=0xff => None,
    }
}

/// The length of base 64 that may be wrapped into lines.
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
