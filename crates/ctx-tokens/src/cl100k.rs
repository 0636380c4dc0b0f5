//! The pattern of `cl100k_base`:
//!
//! ```text
//!   '(?i:[sdmt]|ll|ve|re)
//! | [^\r\n\p{L}\p{N}]?+\p{L}++
//! | \p{N}{1,3}+
//! |  ?[^\s\p{L}\p{N}]++[\r\n]*+
//! | \s++$
//! | \s*[\r\n]
//! | \s+(?!\S)
//! | \s
//! ```

use super::classes::{Class, character};
use super::pattern::{Space, contraction, number, run, symbols};
use super::swar;

/// The end of the piece that begins at `at`, which must lie before the end of the text.
#[inline]
pub(super) fn piece_end(text: &[u8], at: usize) -> usize {
    let first = character(text, at);
    match first.class {
        Class::Upper | Class::Lower | Class::Caseless => return letters(text, at),
        Class::Number => return number(text, at),
        Class::Other | Class::Mark | Class::Space => {
            if let Some(end) = contraction(text, at) {
                return end;
            }
            let letters = at + first.len;
            let end = self::letters(text, letters);
            if end > letters {
                return end;
            }
        }
        Class::Newline | Class::End => {}
    }
    symbols(text, at, |byte| matches!(byte, b'\r' | b'\n')).unwrap_or_else(|| {
        let space = Space::at(text, at);
        if space.end == text.len() { space.end } else { space.piece_end(text) }
    })
}

/// `\p{L}*`
#[inline]
fn letters(text: &[u8], at: usize) -> usize {
    if let Some(word) = swar::word(text, at) {
        let len = swar::letters(word);
        if len < 8 && (swar::skip(word, len) as u8) < 0x80 {
            return at + len;
        }
    }
    any_letters(text, at)
}

#[cold]
fn any_letters(text: &[u8], at: usize) -> usize {
    run(text, at, Class::is_letter)
}
