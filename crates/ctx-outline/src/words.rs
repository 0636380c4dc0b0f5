use std::ops::Range;

use crate::lines::newline;

/// Whether `byte` may be in an identifier. All bytes of characters beyond ASCII may.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The end of the word that begins at `at`, which is `at` itself where none does.
pub(crate) fn word_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_word(**byte)).count()
}

/// The next word at or after `at` with only blanks before it.
pub(crate) fn next_word(bytes: &[u8], at: usize) -> Range<usize> {
    let start = at + bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    start..word_end(bytes, start)
}

/// The offset of the next newline at or after `at`, or the end of the text.
pub(crate) fn line_end(bytes: &[u8], at: usize) -> usize {
    newline(&bytes[at..]).map_or(bytes.len(), |length| at + length)
}
