//! What base 64 stands for.

/// The bytes that the base 64 at the start of `text` stands for, at most `longest`.
pub(super) fn decoded(text: &[u8], longest: usize) -> Vec<u8> {
    decoded_between(text, longest, |_| 0)
}

/// The same with `gap`, the length of what does not count at the start of a text, between any two characters.
pub(super) fn decoded_between(text: &[u8], longest: usize, gap: fn(&[u8]) -> usize) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(longest.min(text.len()));
    let (mut at, mut bits, mut held) = (0, 0_u32, 0);
    while decoded.len() < longest {
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
