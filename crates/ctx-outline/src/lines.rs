//! Lines of text, and the words and strings that many languages share.

use std::ops::Range;

/// Where each line begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineStarts {
    starts: Vec<usize>,
    length: usize,
}

impl LineStarts {
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 24 + 1);
        starts.push(0);
        let (words, rest) = bytes.as_chunks::<8>();
        for (index, word) in words.iter().enumerate() {
            let mut found = newlines(*word);
            while found != 0 {
                starts.push(8 * index + found.trailing_zeros() as usize / 8 + 1);
                found &= found - 1;
            }
        }
        let in_rest = (8 * words.len()..).zip(rest).filter(|(_, byte)| **byte == b'\n');
        starts.extend(in_rest.map(|(at, _)| at + 1));
        starts.pop_if(|last| *last == bytes.len());
        Self { starts, length: bytes.len() }
    }

    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The offset of the first byte of `line`, counted from 0; the length of the text after the last line.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.length)
    }

    /// The bytes of `line`, including its newline.
    pub(crate) fn bytes(&self, line: usize) -> Range<usize> {
        self.start(line)..self.start(line + 1)
    }

    pub(crate) fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }
}

/// The offset of the first newline.
pub(crate) fn newline(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    let in_words = words.iter().enumerate().find_map(|(index, word)| {
        let found = newlines(*word);
        (found != 0).then(|| 8 * index + found.trailing_zeros() as usize / 8)
    });
    in_words.or_else(|| rest.iter().position(|byte| *byte == b'\n').map(|at| 8 * words.len() + at))
}

/// A mask with the top bit set for each of these bytes that is a newline.
fn newlines(bytes: [u8; 8]) -> u64 {
    const LOW: u64 = u64::MAX / 255 * 0x7f;
    let other = u64::from_le_bytes(bytes) ^ (u64::MAX / 255 * b'\n' as u64);
    !(((other & LOW) + LOW) | other | LOW)
}

/// Finds the line that contains each of several offsets, which must be passed in ascending order.
pub(crate) struct LineCursor<'s> {
    lines: &'s LineStarts,
    line: usize,
}

impl<'s> LineCursor<'s> {
    pub(crate) fn new(lines: &'s LineStarts) -> Self {
        Self { lines, line: 0 }
    }

    pub(crate) fn advance_to(&mut self, at: usize) -> usize {
        while self.line + 1 < self.lines.count() && self.lines.start(self.line + 1) <= at {
            self.line += 1;
        }
        self.line
    }
}

/// How many spaces and tabs `line` begins with.
pub(crate) fn indent_of(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Whether `line` contains only white space.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// Whether `byte` may be in an identifier. All bytes of non-ASCII characters may.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The end of the word that begins at `at`; `at` itself if there is none.
pub(crate) fn word_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_word(**byte)).count()
}

/// The word that begins at `at`, after any spaces and tabs; empty if there is none.
pub(crate) fn next_word(bytes: &[u8], at: usize) -> Range<usize> {
    let start = at + bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    start..word_end(bytes, start)
}

/// Whether a line begins with the word `end`, rather than a name such as `end?` or a key `end:`.
pub(crate) fn begins_with_end(line: &[u8]) -> bool {
    let content = line.trim_ascii_start();
    content.starts_with(b"end")
        && !content.get(3).is_some_and(|byte| is_word(*byte) || matches!(byte, b'?' | b'!' | b':'))
}

/// The offset of the next newline at or after `at`, or the end of the text.
pub(crate) fn line_end(bytes: &[u8], at: usize) -> usize {
    newline(&bytes[at..]).map_or(bytes.len(), |length| at + length)
}

/// The offset after a string on one line whose text begins at `at`, or the offset of the newline that ends it. A
/// backslash escapes the next byte.
pub(crate) fn string_end(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// The offset after the string whose opening quote is at `at`: on one line, or between triple quotes on several. A
/// backslash escapes the next byte if `escapes` is set.
pub(crate) fn maybe_triple_string_end(bytes: &[u8], at: usize, escapes: bool) -> usize {
    let quote = bytes[at];
    let triple = bytes[at..].starts_with(&[quote; 3]);
    let mut next = at + if triple { 3 } else { 1 };
    while next < bytes.len() {
        match bytes[next] {
            b'\\' if escapes => next += 1,
            b'\n' if !triple => return next,
            byte if byte == quote && !triple => return next + 1,
            byte if byte == quote && bytes[next..].starts_with(&[quote; 3]) => return next + 3,
            _ => {}
        }
        next += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_begin_after_every_newline_that_is_followed_by_text() {
        for bytes in [
            "",
            "\n",
            "a",
            "a\n",
            "\n\n\n",
            "12345678\n",
            "\u{8a}\n\u{a0a}\n\x0b\t\n\n12\n456789\n\nx",
            "1234567\n\n",
        ] {
            let mut expected: Vec<usize> = bytes.split_inclusive('\n').map(str::len).collect();
            let mut at = 0;
            expected.iter_mut().for_each(|length| at += std::mem::replace(length, at));
            assert_eq!(LineStarts::of(bytes).starts, expected, "{bytes:?}");
        }
    }
}
