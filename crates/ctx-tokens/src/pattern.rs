//! The common parts of the two patterns: runs of characters, contractions, white space.
//!
//! Each pattern is an ordered choice, written out by hand. The functions take the whole text and an offset in it,
//! and return the offset where the match ends.

use super::classes::{Class, character};

/// A part `start..end` of the text that is merged to tokens on its own.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Piece {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Piece {
    /// The length of the piece in bytes.
    #[inline]
    pub(super) fn len(self) -> usize {
        self.end - self.start
    }

    /// Its first `len` bytes.
    #[inline]
    pub(super) fn up_to(self, len: usize) -> Self {
        Self { end: self.start + len, ..self }
    }

    /// The bytes of the piece in `text`.
    #[inline]
    pub(super) fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start..self.end]
    }
}

/// The end of the run of characters from `at` whose class satisfies `belongs`.
#[inline]
pub(super) fn run(text: &[u8], mut at: usize, belongs: impl Fn(Class) -> bool) -> usize {
    let mut block_end = at + REPEATED;
    loop {
        let next = character(text, at);
        if !belongs(next.class) {
            return at;
        }
        at += next.len;
        if at >= block_end {
            at += copies_after(text, at);
            block_end = at + REPEATED;
        }
    }
}

/// `\p{N}{1,3}` from a number at `at`.
#[inline]
pub(super) fn number(text: &[u8], mut at: usize) -> usize {
    for _ in 0..3 {
        let next = character(text, at);
        if next.class != Class::Number {
            break;
        }
        at += next.len;
    }
    at
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `at`, if it matches.
#[inline]
pub(super) fn contraction(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at) != Some(&b'\'') {
        return None;
    }
    let second = text.get(at + 1)?.to_ascii_lowercase();
    let third = text.get(at + 2).map_or(0, u8::to_ascii_lowercase);
    match (second, third) {
        (b's' | b't' | b'm' | b'd', _) => Some(at + 2),
        (b'r' | b'v', b'e') | (b'l', b'l') => Some(at + 3),
        // To a case-insensitive pattern, the long s of U+017F is an s.
        (0xc5, 0xbf) => Some(at + 3),
        _ => None,
    }
}

/// ` ?[^\s\p{L}\p{N}]+` and any bytes after it that satisfy `tail`, if the pattern matches at `at`.
#[inline]
pub(super) fn symbols(text: &[u8], at: usize, tail: impl Fn(u8) -> bool) -> Option<usize> {
    let start = if text.get(at) == Some(&b' ') { at + 1 } else { at };
    let mut end = run(text, start, Class::is_symbol);
    if end == start {
        return None;
    }
    while text.get(end).is_some_and(|&byte| tail(byte)) {
        end += 1;
    }
    Some(end)
}

/// White space from `at` up to the end of its run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space {
    start: usize,
    /// The start of the last character of the run.
    last: usize,
    /// The end of the run.
    pub(super) end: usize,
    /// The end of the last line break in the run.
    newline: Option<usize>,
}

impl Space {
    /// The run of white space from `at`.
    #[inline]
    pub(super) fn at(text: &[u8], at: usize) -> Self {
        let mut space = Self { start: at, last: at, end: at, newline: None };
        let mut block_end = at + REPEATED;
        loop {
            let next = character(text, space.end);
            if !next.class.is_space() {
                return space;
            }
            let spaces = word(text, space.end).map_or(0, |word| equal(word, b' '));
            if spaces > 1 {
                space.end += spaces;
                space.last = space.end - 1;
                continue;
            }
            space.last = space.end;
            space.end += next.len;
            if next.class == Class::Newline {
                space.newline = Some(space.end);
            }
            if space.end >= block_end {
                space.skip(copies_after(text, space.end), next.len);
                block_end = space.end + REPEATED;
            }
        }
    }

    /// Skips `copies` bytes that repeat the last block of the run. The last character of the block has `len`
    /// bytes.
    fn skip(&mut self, copies: usize, len: usize) {
        self.newline = self.newline.map(|end| if self.end - end < REPEATED { end + copies } else { end });
        self.end += copies;
        self.last = self.end - len;
    }

    /// `\s*[\r\n]+|\s+(?!\S)|\s+`
    #[inline]
    pub(super) fn piece_end(self, text: &[u8]) -> usize {
        match self.newline {
            Some(newline) => newline,
            None if self.end == text.len() || self.last == self.start => self.end,
            None => self.last,
        }
    }
}

/// The size of a block in text that may repeat itself: a multiple of the lengths of most strings that people
/// repeat to draw lines. A result for one block holds for every copy that follows, so a long run only takes a
/// comparison of bytes, without examining each character.
pub(super) const REPEATED: usize = 192;

/// How many bytes, starting at `at`, are copies of the preceding block.
#[inline(never)]
pub(super) fn copies_after(text: &[u8], at: usize) -> usize {
    let Some(block) = text[..at].last_chunk::<REPEATED>() else { return 0 };
    REPEATED * text[at..].as_chunks::<REPEATED>().0.iter().take_while(|next| *next == block).count()
}

/// How many bytes before `at` are copies of the block that starts there.
#[inline(never)]
pub(super) fn copies_before(text: &[u8], at: usize) -> usize {
    let Some(block) = text[at..].first_chunk::<REPEATED>() else { return 0 };
    REPEATED
        * text[..at].as_rchunks::<REPEATED>().1.iter().rev().take_while(|previous| *previous == block).count()
}

// Eight bytes of ASCII at once: each of the following functions returns how many bytes at the start of a word
// belong to a class. Bytes outside ASCII belong to none.

const ONES: u64 = u64::MAX / 255;
const TOP: u64 = ONES << 7;

/// The eight bytes from `at`, the first in the lowest byte.
#[inline]
pub(super) fn word(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(at..)?.first_chunk()?))
}

/// Capital letters.
#[inline]
pub(super) fn capitals(word: u64) -> usize {
    leading(within(word, b'A', b'Z'))
}

/// Small letters.
#[inline]
pub(super) fn smalls(word: u64) -> usize {
    leading(within(word, b'a', b'z'))
}

/// Letters.
#[inline]
pub(super) fn ascii_letters(word: u64) -> usize {
    leading(within(word | (ONES << 5), b'a', b'z'))
}

/// Bytes that are `byte`.
#[inline]
fn equal(word: u64, byte: u8) -> usize {
    (word ^ (ONES * u64::from(byte))).trailing_zeros() as usize / 8
}

/// The word without its first `count` bytes, eight at most.
#[inline]
pub(super) fn skip(word: u64, count: usize) -> u64 {
    word >> (4 * count) >> (4 * count)
}

/// The top bit of each byte from `first` to `last`.
#[inline]
fn within(word: u64, first: u8, last: u8) -> u64 {
    let low = word & !TOP;
    let from = low + ONES * u64::from(0x80 - first);
    let beyond = low + ONES * u64::from(0x7f - last);
    from & !beyond & !word & TOP
}

#[inline]
fn leading(tops: u64) -> usize {
    (!tops & TOP).trailing_zeros() as usize / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_found_on_both_sides_up_to_the_first_difference() {
        let text = format!("x{}y", "=-".repeat(500)).into_bytes();
        assert_eq!(copies_after(&text, 1 + REPEATED), 4 * REPEATED);
        assert_eq!(copies_before(&text, 1001 - REPEATED), 4 * REPEATED);
        assert_eq!(copies_after(&text, REPEATED), 0, "its block begins with the x");
        assert_eq!(copies_before(&text, 1002 - REPEATED), 0, "its block ends with the y");
        assert_eq!(
            (copies_after(&text, 9), copies_before(&text, text.len() - 9)),
            (0, 0),
            "there is no whole block"
        );
    }
}
