//! Bitcoin's private keys in wallet import format, wherever they stand: the checksum in each tells it from all other
//! words.

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::bytes::{Alphabet, ends_word, starts_word};

/// The lengths of the keys in characters; the longer ones are those of compressed public keys.
const LONG: usize = 52;
const SHORT: usize = 51;

/// The number of bytes that a long key encodes: a version, the number, a one, and the checksum.
const BYTES: usize = 38;
const CHECKSUM: usize = 4;

const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// The keys in `text`, from left to right.
pub(super) fn keys(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    // At least one of these places is in each key.
    let mut places = (SHORT - 1..text.len()).step_by(SHORT);
    let mut floor = 0;
    std::iter::from_fn(move || {
        let key = places.by_ref().find_map(|place| key_at(text, place).filter(|key| key.start >= floor))?;
        floor = key.end;
        Some(key)
    })
}

/// The key that contains this place.
fn key_at(text: &[u8], place: usize) -> Option<Range<usize>> {
    let end = place + Alphabet::ALNUM.run(&text[place..], LONG);
    if end == place || !ends_word(&text[end..]) {
        return None;
    }
    [LONG, SHORT].into_iter().find_map(|length| {
        let start = end.checked_sub(length)?;
        let is_key = matches!(text[start], b'K' | b'L' | b'5')
            && starts_word(&text[..start])
            && has_checksum(&text[start..end]);
        is_key.then_some(start..end)
    })
}

/// Whether a word encodes a private key of Bitcoin and the beginning of its double hash.
fn has_checksum(word: &[u8]) -> bool {
    let mut bytes = [0_u8; BYTES];
    let bytes = &mut bytes[..if word.len() == LONG { BYTES } else { BYTES - 1 }];
    for character in word {
        let Some(digit) = DIGITS.iter().position(|digit| digit == character) else { return false };
        let mut carry = digit;
        for byte in bytes.iter_mut().rev() {
            carry += usize::from(*byte) * DIGITS.len();
            *byte = (carry & 0xff) as u8;
            carry >>= u8::BITS;
        }
    }
    let (key, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
    key[0] == 0x80 && Sha256::digest(Sha256::digest(key)).starts_with(checksum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of a number, in wallet import format.
    fn key(seed: u8, is_compressed: bool) -> String {
        let mut bytes = vec![0x80];
        bytes.extend(Sha256::digest([seed]));
        bytes.extend(is_compressed.then_some(1));
        let checksum = Sha256::digest(Sha256::digest(&bytes));
        bytes.extend(&checksum[..CHECKSUM]);
        let mut word = Vec::new();
        while bytes.iter().any(|byte| *byte > 0) {
            let mut rest = 0;
            for byte in &mut bytes {
                let number = rest * 256 + usize::from(*byte);
                *byte = (number / DIGITS.len()) as u8;
                rest = number % DIGITS.len();
            }
            word.push(DIGITS[rest]);
        }
        word.reverse();
        String::from_utf8(word).unwrap()
    }

    #[test]
    fn keys_are_found_by_their_checksum_without_a_name() {
        for seed in 0..40 {
            for (is_compressed, starts) in [(false, &["5"][..]), (true, &["K", "L"])] {
                let key = key(seed, is_compressed);
                assert!(starts.iter().any(|start| key.starts_with(start)), "{key}");
                for (before, after) in
                    [("", ""), ("sent ", ".\n"), ("{\"a\":\"\\n", "\"}"), ("k=", "_"), ("\u{e4}", "\u{e4}")]
                {
                    let shift = " ".repeat(usize::from(seed));
                    let text = format!("{shift}{before}{key}{after}");
                    let found: Vec<&str> = keys(text.as_bytes()).map(|range| &text[range]).collect();
                    assert_eq!(found, [key.as_str()], "{text}");
                }
            }
        }
        let two = format!("{} {}", key(1, true), key(2, false));
        assert_eq!(keys(two.as_bytes()).count(), 2);
    }

    #[test]
    fn words_without_the_checksum_are_no_keys() {
        let key = key(7, true);
        let other = if key.ends_with('2') { '3' } else { '2' };
        let (head, tail) = (&key[..LONG - 1], &key[1..]);
        for text in [format!("{head}{other}"), format!("{key}a"), format!("x{key}"), head.into(), tail.into()]
        {
            assert_eq!(keys(text.as_bytes()).count(), 0, "{text}");
        }
    }
}
