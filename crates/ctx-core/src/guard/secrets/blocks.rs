//! Secrets with an inner structure: private key blocks and JSON web tokens.

use super::bytes::{Alphabet, Quality, starts_word};
use super::kind::Kind;
use super::rules::{Body, MAX_TOKEN, Secret, Site};

/// The longest private key block that is replaced, in bytes.
pub const MAX_BLOCK: usize = 32 * 1024;

const DASHES: &[u8] = b"-----";

/// `-----BEGIN … PRIVATE KEY-----` to the `-----END` that goes with it.
///
/// The key may be wrapped in a string literal, quoted, or indented. Without an end it goes as far as
/// there are lines of base 64. Code that only names the boundaries is left alone.
pub(super) fn private_key(site: &Site<'_>) -> Option<Secret> {
    let label_end = label_of_private_key(site)?;
    let rest = &site.text[label_end..site.text.len().min(label_end + MAX_BLOCK)];
    let length = key_length(rest)?;
    Some(Secret { kind: Kind::PrivateKey, range: site.start + 1 - DASHES.len()..label_end + length })
}

/// Where the line `-----BEGIN … PRIVATE KEY-----` ends.
fn label_of_private_key(site: &Site<'_>) -> Option<usize> {
    const LABEL: Alphabet = Alphabet::UPPER_ALNUM.or(Alphabet::of(b" "));
    site.before().ends_with(&DASHES[1..]).then_some(())?;
    let after = site.after();
    let (label, rest) = after.split_at(LABEL.run(after, 48));
    let is_private = label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK");
    (is_private && rest.starts_with(DASHES)).then(|| site.end + label.len() + DASHES.len())
}

/// The length of the key that follows the first line, with its last line.
fn key_length(bytes: &[u8]) -> Option<usize> {
    /// A piece of base 64 so long is key, not prose.
    const LINE: usize = 32;
    /// So much base 64 between the boundaries is a key, however it is wrapped.
    const BLOCK: usize = 48;
    let (mut at, mut base64, mut has_digit) = (0, 0, false);
    let (mut last_full_line, mut unfinished) = (None, None);
    while at < bytes.len() {
        let gap = gap(&bytes[at..]);
        let follows_key = last_full_line == Some(at);
        at += gap;
        let run = Alphabet::BASE64.run(&bytes[at..], bytes.len());
        if run > 0 {
            let piece = &bytes[at..at + run];
            at += run;
            base64 += run;
            has_digit |= piece.iter().any(u8::is_ascii_digit);
            if run >= LINE && Quality::Mixed.accepts(&piece[..LINE]) {
                (last_full_line, unfinished) = (Some(at), Some(at));
            } else if follows_key && ends_line(bytes.get(at).copied()) {
                unfinished = Some(at);
            }
        } else if let Some(rest) = bytes[at..].strip_prefix(b"-----END ") {
            let finished = unfinished.is_some() || base64 >= BLOCK && has_digit;
            return finished.then(|| at + 9 + end_of_last_line(rest));
        } else if bytes[at..].starts_with(DASHES) || !bytes.get(at).is_some_and(may_stand_in_header) {
            break;
        } else {
            at += 1;
        }
    }
    unfinished
}

fn end_of_last_line(label: &[u8]) -> usize {
    let name = Alphabet::UPPER_ALNUM.or(Alphabet::of(b" ")).run(label, 48);
    name + Alphabet::of(b"-").run(&label[name..], DASHES.len())
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

fn ends_line(next: Option<u8>) -> bool {
    matches!(next, None | Some(b'\r' | b'\n' | b'\\' | b'"' | b'\''))
}

fn may_stand_in_header(byte: &u8) -> bool {
    matches!(byte, b'-' | b':' | b'.' | b'_' | b'@')
}

/// A header, a payload and a signature, found by the dot before the payload.
pub(super) fn jwt(site: &Site<'_>) -> Option<Secret> {
    const MAX_HEADER: usize = 1024;
    let before = site.before();
    let word = Alphabet::URL_SAFE.run_back(before, MAX_HEADER);
    let from = before.len() - word;
    let offset = memchr::memmem::find_iter(&before[from..], b"eyJ")
        .find(|offset| starts_word(&before[..from + offset]))?;
    let start = site.floor + from + offset;
    let secret = jwt_at_start(&site.text[start..])?;
    Some(Secret { range: start..start + secret.range.end, ..secret })
}

/// The signed JSON web token at the very start of `text`.
pub(super) fn jwt_at_start(text: &[u8]) -> Option<Secret> {
    const SIGNATURE: Body =
        Body { alphabet: Alphabet::URL_SAFE, min: 16, max: 1024, quality: Quality::Mixed };
    const SHORTEST: usize = 8;
    let part = |text: &[u8]| {
        let length = Alphabet::URL_SAFE.run(text, MAX_TOKEN / 2);
        (length >= SHORTEST && text.starts_with(b"eyJ") && text.get(length) == Some(&b'.'))
            .then_some(length + 1)
    };
    let header = part(text)?;
    let payload = part(&text[header..])?;
    let signature = SIGNATURE.length(&text[header + payload..])?;
    Some(Secret { kind: Kind::Jwt, range: 0..header + payload + signature })
}
