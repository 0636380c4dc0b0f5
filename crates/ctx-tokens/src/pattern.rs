//! What the two patterns have in common: runs of characters, contractions, white space.
//!
//! Each pattern is an ordered choice, written out by hand. The functions take the whole text and an
//! offset in it, and give the offset where the match ends.

use super::classes::{Class, character};
use super::repeats::{self, BLOCK};
use super::swar;

/// A part `start..end` of a text that is merged to tokens on its own.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Piece {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Piece {
    /// The bytes of the piece.
    #[inline]
    pub(super) fn len(self) -> usize {
        self.end - self.start
    }

    /// Its first `len` bytes.
    #[inline]
    pub(super) fn up_to(self, len: usize) -> Self {
        Self { end: self.start + len, ..self }
    }

    /// The piece in its text.
    #[inline]
    pub(super) fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start..self.end]
    }
}

/// The end of the run of characters from `at` whose class satisfies `belongs`.
#[inline]
pub(super) fn run(text: &[u8], mut at: usize, belongs: impl Fn(Class) -> bool) -> usize {
    let mut block_end = at + BLOCK;
    loop {
        let next = character(text, at);
        if !belongs(next.class) {
            return at;
        }
        at += next.len;
        if at >= block_end {
            at += repeats::after(text, at);
            block_end = at + BLOCK;
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

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `at`, if it is there.
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
        // The long s of U+017F is an s to a pattern without case.
        (0xc5, 0xbf) => Some(at + 3),
        _ => None,
    }
}

/// ` ?[^\s\p{L}\p{N}]+` and a tail of the bytes that satisfy `tail`, if it is at `at`.
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
        let mut block_end = at + BLOCK;
        loop {
            let next = character(text, space.end);
            if !next.class.is_space() {
                return space;
            }
            let spaces = swar::word(text, space.end).map_or(0, |word| swar::equal(word, b' '));
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
                space.skip(repeats::after(text, space.end), next.len);
                block_end = space.end + BLOCK;
            }
        }
    }

    /// Adds copies of the last block of the run; its last character has `len` bytes.
    fn skip(&mut self, copies: usize, len: usize) {
        self.newline = self.newline.map(|end| if self.end - end < BLOCK { end + copies } else { end });
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
