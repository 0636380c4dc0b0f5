//! JSON web tokens, signed or encrypted.

use super::bytes::{Alphabet, Quality, starts_word};
use super::rules::{Body, Secret, SecretKind, Site};

/// The base 64 of the beginning of a JSON object: `{"`, `{ `, `{` and a line ending.
pub(super) const OBJECTS: [&[u8]; 4] = [b"eyJ", b"eyA", b"ewo", b"ew0"];

/// The shortest header or payload.
const SHORTEST: usize = 8;

const SIGNATURE: Body = Body::from(16, Alphabet::URL_SAFE, Quality::Mixed);

/// A header, a payload and a signature, found by the dot before the payload.
pub(super) fn signed(site: &Site<'_>) -> Option<Secret> {
    let before = site.before();
    let word = Alphabet::URL_SAFE.run_back(before, before.len());
    let from = before.len() - word;
    let starts = |offset: usize| starts_object(&before[offset..]) && starts_word(&before[..offset]);
    let start = site.floor + (from..before.len()).find(|&offset| starts(offset))?;
    let secret = signed_at_start(&site.text[start..])?;
    Some(Secret { range: start..start + secret.range.end, ..secret })
}

/// The signed JSON web token at the very start of `text`.
pub(super) fn signed_at_start(text: &[u8]) -> Option<Secret> {
    let part = |text: &[u8]| {
        let length = Alphabet::URL_SAFE.run(text, text.len());
        (length >= SHORTEST && starts_object(text) && text.get(length) == Some(&b'.')).then_some(length + 1)
    };
    let header = part(text)?;
    let payload = part(&text[header..])?;
    let signature = SIGNATURE.length(&text[header + payload..])?;
    Some(Secret { kind: SecretKind::JWT, range: 0..header + payload + signature })
}

fn starts_object(text: &[u8]) -> bool {
    OBJECTS.iter().any(|object| text.starts_with(object))
}

/// A header, an encrypted key (or none), a nonce, the ciphertext and its tag, found by the first name in the
/// header.
pub(super) fn encrypted(site: &Site<'_>) -> Option<Secret> {
    const LONGEST_HEADER: usize = 4096;
    const NONCE: usize = 12;
    let before = site.before();
    // Otherwise, a row of headers would be read again for each header.
    let is_inside = matches!(before, [.., before, b'-' | b'_'] if Alphabet::URL_SAFE.has(*before));
    (starts_word(before) && !is_inside).then_some(())?;
    let text = &site.text[site.start..];
    let mut at = memchr::memchr(b'.', &text[..text.len().min(LONGEST_HEADER)])?;
    let is_header = Alphabet::URL_SAFE.run(text, at) == at;
    is_header.then_some(())?;
    // The parts before the ciphertext have a length limit, since many headers may precede one ciphertext.
    for (shortest, longest) in [(0, LONGEST_HEADER), (NONCE, 64), (1, usize::MAX)] {
        let length = Alphabet::URL_SAFE.run(&text[at + 1..], longest);
        (length >= shortest && text.get(at + 1 + length) == Some(&b'.')).then_some(())?;
        at += 1 + length;
    }
    let tag = SIGNATURE.length(&text[at + 1..])?;
    Some(site.secret(site.start..site.start + at + 1 + tag))
}
