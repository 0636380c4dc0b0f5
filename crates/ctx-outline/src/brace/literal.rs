//! Comments, strings and other literals in the languages with braces.

use crate::Language;
use crate::lines::{is_word, line_end};

/// What begins at an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Literal {
    /// A comment that ends before the offset.
    Comment(usize),
    /// A string, character or regular expression that ends before the offset.
    Text(usize),
    /// Neither.
    None,
}

/// The form of a string after its opening quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StringForm {
    pub(super) quote: u8,
    /// How many quotes close it.
    pub(super) quotes: usize,
    /// How many `#` follow the closing quotes.
    pub(super) hashes: usize,
    /// Whether a backslash escapes the next byte.
    pub(super) escapes: bool,
    /// Whether it may contain newlines.
    pub(super) multiline: bool,
    /// Whether two quotes in a row stand for one.
    pub(super) doubled: bool,
    /// The start of code inside it, if any: `${`, `\(`, or `{`, where `{{` stands for a brace.
    pub(super) hole: &'static [u8],
}

/// Code in a string after a dollar sign.
pub(super) const DOLLAR_HOLE: &[u8] = b"${";

/// A string without code in it.
pub(super) const NO_HOLE: &[u8] = b"";

/// A string on one line with escapes.
pub(super) fn quoted(quote: u8) -> StringForm {
    StringForm { quote, quotes: 1, hashes: 0, escapes: true, multiline: false, doubled: false, hole: NO_HOLE }
}

/// Reads the literals in a source file. A literal that isn't closed extends to the end of its line, or of the
/// file.
pub(super) struct LiteralReader<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) language: Language,
    /// No regular expression begins before this offset, because one on this line isn't closed.
    no_regex_before: usize,
}

impl<'t> LiteralReader<'t> {
    pub(super) fn new(text: &'t str, language: Language) -> Self {
        Self { bytes: text.as_bytes(), language, no_regex_before: 0 }
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    pub(super) fn before(&self, at: usize) -> u8 {
        at.checked_sub(1).map_or(0, |at| self.byte(at))
    }

    pub(super) fn begins(&self, at: usize, prefix: &[u8]) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(prefix))
    }

    /// What begins at `at`, outside literals.
    pub(super) fn at(&mut self, at: usize) -> Literal {
        match self.byte(at) {
            b'/' => self.slash(at),
            b'#' if self.language == Language::Php && self.byte(at + 1) != b'[' => {
                Literal::Comment(self.line_end(at))
            }
            b'<' if self.language == Language::Php && self.begins(at, b"<<<") => self.heredoc(at),
            b'\'' => self.apostrophe(at),
            b'"' => {
                let (form, start) = self.double_quote(at);
                Literal::Text(self.string_end(form, start))
            }
            b'`' => self.backtick(at),
            _ => Literal::None,
        }
    }

    /// The offset of the next newline, or the end of the text.
    pub(super) fn line_end(&self, at: usize) -> usize {
        line_end(self.bytes, at)
    }

    fn slash(&mut self, at: usize) -> Literal {
        match self.byte(at + 1) {
            b'/' => Literal::Comment(self.line_comment_end(at)),
            b'*' => Literal::Comment(self.block_comment_end(at + 2)),
            _ if matches!(self.language, Language::JavaScript | Language::TypeScript) => self.regex(at),
            _ => Literal::None,
        }
    }

    fn line_comment_end(&self, at: usize) -> usize {
        let end = self.line_end(at);
        match self.language {
            Language::Php => {
                let tag = self.bytes[at..end].windows(2).position(|pair| pair == b"?>");
                tag.map_or(end, |length| at + length)
            }
            _ => end,
        }
    }

    pub(super) fn block_comment_end(&self, mut at: usize) -> usize {
        let nests =
            matches!(self.language, Language::Rust | Language::Kotlin | Language::Swift | Language::Scala);
        let mut depth = 1_usize;
        while at < self.bytes.len() {
            let pair = (self.bytes[at], self.byte(at + 1));
            if pair == (b'*', b'/') {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            } else if nests && pair == (b'/', b'*') {
                depth += 1;
                at += 2;
            } else {
                at += 1;
            }
        }
        at
    }

    /// The regular expression at `at`, if it ends on its line and the text before it isn't the operand of a
    /// division.
    fn regex(&mut self, at: usize) -> Literal {
        if at < self.no_regex_before || !self.regex_may_begin(at) {
            return Literal::None;
        }
        let mut in_class = false;
        let mut next = at + 1;
        while next < self.bytes.len() {
            match self.bytes[next] {
                b'\n' => break,
                b'\\' => next += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => return Literal::Text(next + 1),
                _ => {}
            }
            next += 1;
        }
        self.no_regex_before = next;
        Literal::None
    }

    fn regex_may_begin(&self, at: usize) -> bool {
        let before = &self.bytes[..at];
        let Some(last) = before.iter().rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) else {
            return true;
        };
        match before[last] {
            b')' | b']' | b'}' | b'"' | b'\'' | b'`' | b'<' => false,
            byte if is_word(byte) => {
                let start =
                    (0..=last).rev().take(12).take_while(|at| is_word(before[*at])).last().unwrap_or(last);
                matches!(
                    &before[start..=last],
                    b"return"
                        | b"typeof"
                        | b"case"
                        | b"in"
                        | b"of"
                        | b"delete"
                        | b"void"
                        | b"throw"
                        | b"new"
                        | b"do"
                        | b"else"
                        | b"await"
                        | b"yield"
                        | b"instanceof"
                )
            }
            _ => true,
        }
    }

    fn apostrophe(&self, at: usize) -> Literal {
        match self.language {
            Language::Rust | Language::Scala => self.character_or_lifetime(at),
            Language::Swift => Literal::None,
            Language::C | Language::Cpp if self.separates_digits(at) => Literal::None,
            Language::Php => {
                Literal::Text(self.string_end(StringForm { multiline: true, ..quoted(b'\'') }, at + 1))
            }
            _ => Literal::Text(self.string_end(quoted(b'\''), at + 1)),
        }
    }

    fn character_or_lifetime(&self, at: usize) -> Literal {
        let first = self.byte(at + 1);
        if first == b'\\' {
            let rest = &self.bytes[(at + 3).min(self.bytes.len())..(at + 14).min(self.bytes.len())];
            return rest
                .iter()
                .position(|byte| *byte == b'\'')
                .map_or(Literal::None, |length| Literal::Text(at + 4 + length));
        }
        let length = match first {
            0xf0.. => 4,
            0xe0.. => 3,
            0xc0.. => 2,
            _ => 1,
        };
        match self.byte(at + 1 + length) {
            b'\'' => Literal::Text(at + 2 + length),
            _ => Literal::None,
        }
    }

    /// Whether the apostrophe at `at` is in a number, as in `1'000`.
    fn separates_digits(&self, at: usize) -> bool {
        if !is_word(self.before(at)) {
            return false;
        }
        let start = (0..at)
            .rev()
            .take(32)
            .take_while(|at| is_word(self.bytes[*at]) || self.bytes[*at] == b'\'')
            .last();
        start.is_some_and(|start| self.bytes[start].is_ascii_digit())
    }

    fn backtick(&self, at: usize) -> Literal {
        let form = quoted(b'`');
        match self.language {
            Language::JavaScript | Language::TypeScript => Literal::Text(
                self.string_end(StringForm { multiline: true, hole: DOLLAR_HOLE, ..form }, at + 1),
            ),
            Language::Go => {
                Literal::Text(self.string_end(StringForm { multiline: true, escapes: false, ..form }, at + 1))
            }
            Language::Php => Literal::Text(self.string_end(StringForm { multiline: true, ..form }, at + 1)),
            _ => Literal::None,
        }
    }

    fn heredoc(&self, at: usize) -> Literal {
        let mut start = at + 3;
        while matches!(self.byte(start), b' ' | b'\t' | b'"' | b'\'') {
            start += 1;
        }
        let length = self.bytes[start..].iter().take_while(|byte| is_word(**byte)).count();
        if length == 0 || self.byte(start).is_ascii_digit() {
            return Literal::None;
        }
        let label = &self.bytes[start..start + length];
        let mut line = self.line_end(start) + 1;
        while line < self.bytes.len() {
            let indent = self.bytes[line..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let end = line + indent + length;
            if self.begins(line + indent, label) && !is_word(self.byte(end)) {
                return Literal::Text(end);
            }
            line = self.line_end(line + indent) + 1;
        }
        Literal::Text(self.bytes.len())
    }
}
