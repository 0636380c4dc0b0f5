//! Lua: a function ends at the `end` that matches its `function`.

use crate::Kind;
use crate::lines::{LineCursor, LineStarts, is_word, line_end, next_word, string_end, word_end};
use crate::outline::Findings;
use std::ops::Range;

struct LuaScanner<'t, 's> {
    text: &'t str,
    bytes: &'t [u8],
    cursor: LineCursor<'s>,
    findings: Findings<'t>,
    /// The last word of the statement so far, which names an anonymous function.
    name: Range<usize>,
    /// The first line of the comment right above, and the line after it.
    comment: Range<usize>,
}

/// What begins at an offset.
enum Token {
    Space,
    Comment,
    Word,
    Other,
}

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let mut scanner = LuaScanner {
        text,
        bytes: text.as_bytes(),
        cursor: LineCursor::new(lines),
        findings: Findings::new(text, lines),
        name: 0..0,
        comment: 0..0,
    };
    let mut at = 0;
    while at < scanner.bytes.len() {
        let (token, end) = token(scanner.bytes, at);
        match token {
            Token::Word if &scanner.bytes[at..end] == b"function" => {
                at = scanner.function(at, end);
                continue;
            }
            Token::Word => scanner.word(at, end),
            Token::Comment => scanner.note_comment(at, end),
            Token::Other if matches!(scanner.bytes[at], b',' | b';' | b'{' | b'(' | b')') => {
                scanner.name = 0..0
            }
            Token::Other | Token::Space => {}
        }
        at = end;
    }
    scanner.findings
}

impl LuaScanner<'_, '_> {
    fn word(&mut self, at: usize, end: usize) {
        if !matches!(&self.bytes[at..end], b"local" | b"return") {
            self.name = at..end;
        }
    }

    fn note_comment(&mut self, at: usize, end: usize) {
        let line = self.cursor.advance_to(at);
        let first = if self.comment.end == line { self.comment.start } else { line };
        let last = self.cursor.advance_to(end.saturating_sub(1));
        self.comment = first..last + 1;
    }

    /// Reads the function whose keyword is at `at`, and returns the offset after it.
    fn function(&mut self, at: usize, end: usize) -> usize {
        let opened = self.cursor.advance_to(at);
        let mut name = next_word(self.bytes, end);
        while matches!(self.bytes.get(name.end), Some(b'.' | b':')) {
            name = name.end + 1..word_end(self.bytes, name.end + 1);
        }
        if name.is_empty() {
            name = self.name.clone();
        }
        let mut depth = 1_usize;
        let mut next = end;
        let mut head_end = None;
        while next < self.bytes.len() {
            let (token, end) = token(self.bytes, next);
            match (token, &self.bytes[next..end]) {
                (Token::Word, b"function" | b"if" | b"do" | b"repeat") => depth += 1,
                (Token::Word, b"end" | b"until") => depth -= 1,
                (Token::Other, b")") if head_end.is_none() => head_end = Some(next),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            next = end;
        }
        let head_line = self.cursor.advance_to(head_end.unwrap_or(at).max(at));
        let mut closed = self.cursor.advance_to(next);
        if next >= self.bytes.len() {
            closed += 1;
        }
        self.findings.omit(head_line + 1, closed);
        if !name.is_empty() {
            let first = if self.comment.end == opened && !self.comment.is_empty() {
                self.comment.start
            } else {
                opened
            };
            self.findings.declare(&self.text[name], Kind::Function, first, closed);
        }
        self.name = 0..0;
        (next + 3).min(self.bytes.len())
    }
}

/// The token at `at` and the offset after it.
fn token(bytes: &[u8], at: usize) -> (Token, usize) {
    match bytes[at] {
        b' ' | b'\t' | b'\r' | b'\n' => (Token::Space, at + 1),
        b'-' if bytes.get(at + 1) == Some(&b'-') => {
            let end = long_bracket_end(bytes, at + 2).unwrap_or_else(|| line_end(bytes, at));
            (Token::Comment, end)
        }
        b'[' => match long_bracket_end(bytes, at) {
            Some(end) => (Token::Other, end),
            None => (Token::Other, at + 1),
        },
        quote @ (b'"' | b'\'') => (Token::Other, string_end(bytes, at + 1, quote)),
        byte if is_word(byte) => (Token::Word, word_end(bytes, at)),
        _ => (Token::Other, at + 1),
    }
}

/// The offset after the long bracket `[[…]]` or `[==[…]==]` that begins at `at`, if one does.
fn long_bracket_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'[') {
        return None;
    }
    let level = bytes[at + 1..].iter().take(255).take_while(|byte| **byte == b'=').count();
    if bytes.get(at + 1 + level) != Some(&b'[') {
        return None;
    }
    let mut next = at + 2 + level;
    while next < bytes.len() {
        if bytes[next] == b']' {
            let found = bytes[next + 1..].iter().take(level).take_while(|byte| **byte == b'=').count();
            if found == level && bytes.get(next + 1 + level) == Some(&b']') {
                return Some(next + 2 + level);
            }
            next += found;
        }
        next += 1;
    }
    Some(bytes.len())
}
