//! CSS, SCSS and Less: selectors are kept, and their properties are omitted.

use crate::Kind;
use crate::lines::{LineCursor, LineStarts, line_end, string_end};
use crate::outline::Findings;

/// Blocks nested deeper than this are omitted with the block that contains them.
const MAX_DEPTH: usize = 200;

/// An open block.
struct RuleFrame {
    /// The index of its declaration.
    place: usize,
    /// The first line, counted from 0, that doesn't belong to a nested block so far.
    next: usize,
}

struct CssScanner<'t, 's> {
    text: &'t str,
    cursor: LineCursor<'s>,
    findings: Findings<'t>,
    frames: Vec<RuleFrame>,
    /// How many blocks are open beyond the deepest frame.
    deeper: usize,
    /// Where the current selector or property begins, once some of it has been read.
    begin: Option<usize>,
    /// The first line of the comment above it.
    comment: Option<usize>,
    /// How many brackets of `#{…}` and `(…)` are open.
    inside: usize,
}

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let bytes = text.as_bytes();
    let mut scanner = CssScanner {
        text,
        cursor: LineCursor::new(lines),
        findings: Findings::new(text, lines),
        frames: Vec::new(),
        deeper: 0,
        begin: None,
        comment: None,
        inside: 0,
    };
    let mut at = 0;
    while at < bytes.len() {
        if let Some(end) = comment_end(bytes, at, scanner.inside) {
            scanner.note_comment(at);
            at = end;
            continue;
        }
        at = match bytes[at] {
            quote @ (b'"' | b'\'') => {
                scanner.begin.get_or_insert(at);
                string_end(bytes, at + 1, quote)
            }
            byte => {
                scanner.byte(byte, at);
                at + if byte == b'\\' { 2 } else { 1 }
            }
        };
    }
    let last = lines.count().saturating_sub(1);
    while let Some(frame) = scanner.frames.pop() {
        scanner.findings.end_declaration(frame.place, last);
    }
    scanner.findings
}

impl CssScanner<'_, '_> {
    fn note_comment(&mut self, at: usize) {
        if self.begin.is_none() && self.comment.is_none() {
            self.comment = Some(self.cursor.advance_to(at));
        }
    }

    fn byte(&mut self, byte: u8, at: usize) {
        let is_interpolation = byte == b'{' && self.text.as_bytes()[..at].ends_with(b"#");
        match byte {
            b'(' => self.inside += 1,
            b'{' if is_interpolation || self.inside > 0 => self.inside += 1,
            b')' | b'}' if self.inside > 0 => self.inside -= 1,
            b'{' => self.open(at),
            b'}' => self.close(at),
            b';' if self.inside == 0 => (self.begin, self.comment) = (None, None),
            byte if !byte.is_ascii_whitespace() => {
                self.begin.get_or_insert(at);
            }
            _ => {}
        }
    }

    fn open(&mut self, at: usize) {
        if self.frames.len() == MAX_DEPTH {
            self.deeper += 1;
            return;
        }
        let begin = self.begin.take().unwrap_or(at);
        let selector = self.text[begin..at].lines().next().unwrap_or_default();
        let line = self.cursor.advance_to(at);
        let begins = line - self.text[begin..at].matches('\n').count();
        let first = self.comment.take().unwrap_or(begins).min(begins);
        if let Some(frame) = self.frames.last_mut() {
            self.findings.omit(frame.next, first);
        }
        let place = match function_name(selector) {
            Some(name) => self.findings.declare(name, Kind::Function, first, line),
            None => {
                let name = selector.trim().trim_end_matches(',');
                self.findings.declare(name, Kind::Section, first, line)
            }
        };
        self.frames.push(RuleFrame { place, next: line + 1 });
    }

    fn close(&mut self, at: usize) {
        (self.begin, self.comment) = (None, None);
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let Some(frame) = self.frames.pop() else { return };
        let line = self.cursor.advance_to(at);
        self.findings.omit(frame.next, line);
        self.findings.end_declaration(frame.place, line);
        if let Some(around) = self.frames.last_mut() {
            around.next = line + 1;
        }
    }
}

/// The name of what `@mixin name($a)` or `@function name($a)` declares.
fn function_name(selector: &str) -> Option<&str> {
    let rest = selector.strip_prefix("@mixin ").or_else(|| selector.strip_prefix("@function "))?;
    rest.split(['(', ' ']).next()
}

/// The offset after the comment that begins at `at`, if any. The `//` in a URL doesn't begin one.
fn comment_end(bytes: &[u8], at: usize, inside: usize) -> Option<usize> {
    let is_apart =
        || at == 0 || bytes[at - 1].is_ascii_whitespace() || matches!(bytes[at - 1], b';' | b'{' | b'}');
    if bytes[at] != b'/' {
        return None;
    }
    match bytes.get(at + 1)? {
        b'*' => {
            let mut ends = bytes[at + 2..].windows(2);
            Some(ends.position(|pair| pair == b"*/").map_or(bytes.len(), |length| at + length + 4))
        }
        b'/' if inside == 0 && is_apart() => Some(line_end(bytes, at)),
        _ => None,
    }
}
