//! Finds the ends of function bodies, and handles preprocessor directives, whose branches may each open the same
//! brace.

use std::ops::Range;

use super::head::{Last, function};
use super::literal::Literal;
use super::{BraceScanner, Directive, Head};
use crate::Kind;
use crate::Language;
use crate::lines::{indent_of, is_word};

impl BraceScanner<'_, '_> {
    /// Reads the body opened by the bracket at the current offset, and ends the statement.
    pub(super) fn body(&mut self) {
        let opened = self.line();
        let head_line = &self.bytes[self.lines.bytes(self.head.first_line)];
        let end = self.block_end(self.at, indent_of(head_line));
        self.at = end.min(self.bytes.len());
        let closed = if self.at < self.bytes.len() { self.line() } else { self.lines.count() };
        self.findings.omit(opened + 1, closed);
        self.declare_function(closed);
        if self.bytes.get(self.at).is_some_and(|byte| matches!(byte, b'}' | b')')) {
            self.at += 1;
        }
        self.after_body();
    }

    fn after_body(&mut self) {
        self.head = Head::empty();
        self.doc = 0..0;
        self.fresh = false;
    }

    fn declare_function(&mut self, last_line: usize) {
        if self.deeper == 0
            && let Some(declared) = function(self.language, &self.head)
        {
            self.findings.declare(&self.text[declared.name], declared.kind, self.head.first_line, last_line);
        }
    }

    /// The offset of the bracket that closes the one at `open`. The function begins at indentation `indent`: a
    /// closing bracket further to the left ends it as well.
    fn block_end(&mut self, open: usize, indent: usize) -> usize {
        let (opening, closing) = if self.bytes[open] == b'(' { (b'(', b')') } else { (b'{', b'}') };
        let directives =
            matches!(self.language, Language::C | Language::Cpp | Language::CSharp | Language::Swift);
        let mut conditions = Vec::new();
        let mut depth = 0_usize;
        let mut at = open;
        while let Some(length) = self.bytes[at..].iter().position(|byte| MATTERS[usize::from(*byte)]) {
            at += length;
            let byte = self.bytes[at];
            if byte == opening {
                depth += 1;
            } else if byte == closing {
                depth -= 1;
                if depth == 0 || self.indent_before(at).is_some_and(|found| found < indent) {
                    return at;
                }
            } else if directives && byte == b'#' && self.indent_before(at).is_some() {
                let directive = self.directive_at(at);
                if directive == Directive::Other && self.language == Language::Swift {
                    at += 1;
                    continue;
                }
                match directive.follow(&mut conditions, depth) {
                    Some(open) => depth = open.max(1),
                    // The `#if` is outside this body, so the other branch has its own function head.
                    None if !self.conditions.is_empty() => return at,
                    None => {}
                }
                at = self.directive_end(at);
                continue;
            } else if begins_literal(byte) {
                match self.literals.at(at) {
                    Literal::Comment(end) | Literal::Text(end) => {
                        at = end.max(at + 1);
                        continue;
                    }
                    Literal::None => {}
                }
            } else if byte == b'?' && self.language == Language::Php && self.bytes.get(at + 1) == Some(&b'>')
            {
                at = self.after_markup(at + 2);
                continue;
            }
            at += 1;
        }
        self.bytes.len()
    }

    /// The indentation of the line around `at`, if only white space precedes `at` on it.
    fn indent_before(&self, at: usize) -> Option<usize> {
        let before = &self.bytes[..at];
        let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        (blanks == at || before[at - blanks - 1] == b'\n').then_some(blanks)
    }

    /// Reads a function body that is an expression after `=` or `=>`.
    pub(super) fn expression_body(&mut self) {
        let next = self.bytes[self.at..].iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        let next = next.map_or(0, |length| self.bytes[self.at + length]);
        if next == b'{' {
            self.head.last = Last::Assign;
            return;
        }
        let opened = self.line();
        let indent = indent_of(&self.bytes[self.lines.bytes(self.head.first_line)]);
        let end = self.expression_end(self.at, indent);
        self.at = end;
        let last = self.cursor.advance_to(end.saturating_sub(1).max(self.lines.start(opened)));
        let last_line = &self.bytes[self.lines.bytes(last)];
        let closes = matches!(last_line.trim_ascii_start().first(), Some(b'}' | b')' | b']'))
            && indent_of(last_line) <= indent;
        self.findings.omit(opened + 1, if closes { last } else { last + 1 });
        self.declare_function(last);
        self.after_body();
        self.fresh = true;
    }

    /// The offset at which the expression at `at` ends: after its semicolon, before the bracket around it or,
    /// if newlines end statements, at the end of its last line that is indented by more than `indent`.
    fn expression_end(&mut self, mut at: usize, indent: usize) -> usize {
        let by_indent = self.language != Language::CSharp;
        let mut depth = 0_usize;
        while at < self.bytes.len() {
            let byte = self.bytes[at];
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => return at,
                b')' | b']' | b'}' => depth -= 1,
                b';' if depth == 0 => return at + 1,
                b'\n' if by_indent && depth == 0 => {
                    let rest = &self.bytes[at..];
                    let next = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
                    let Some(next) = next.map(|length| at + length) else {
                        return at + 1;
                    };
                    if self.indent_before(next).is_some_and(|found| found <= indent)
                        && !self.continues_expression(next)
                    {
                        return at + 1;
                    }
                    at = next;
                    continue;
                }
                _ if begins_literal(byte) => match self.literals.at(at) {
                    Literal::Comment(end) | Literal::Text(end) => {
                        at = end.max(at + 1);
                        continue;
                    }
                    Literal::None => {}
                },
                _ => {}
            }
            at += 1;
        }
        self.bytes.len()
    }

    /// Whether the line at `at` continues the expression before it.
    fn continues_expression(&self, at: usize) -> bool {
        let rest = &self.bytes[at..];
        let length = rest.iter().take(8).take_while(|byte| is_word(**byte)).count();
        matches!(rest[0], b'.' | b'?' | b')' | b'{') && rest[0] != b')'
            || matches!(&rest[..length], b"else" | b"catch" | b"finally" | b"yield")
    }

    /// The offset after the next `<?php` or `<?=` from `at`.
    pub(super) fn after_markup(&self, at: usize) -> usize {
        let rest = &self.bytes[at.min(self.bytes.len())..];
        let tag = rest.windows(2).position(|pair| pair == b"<?");
        tag.map_or(self.bytes.len(), |length| {
            let start = at + length + 2;
            start
                + self.bytes[start..]
                    .iter()
                    .take(3)
                    .take_while(|byte| is_word(**byte) || **byte == b'=')
                    .count()
        })
    }

    /// Forgets the innermost bracket, which another branch of a condition opens again.
    fn drop_frame(&mut self, line: usize) {
        self.pop(line, b'}');
        self.head = Head::empty();
    }

    pub(super) fn has_directives(&self) -> bool {
        matches!(self.language, Language::C | Language::Cpp | Language::CSharp)
            || (self.language == Language::Swift && self.directive_at(self.at) != Directive::Other)
    }

    /// Reads the directive that begins here, outside bodies.
    pub(super) fn directive(&mut self) {
        let first_line = self.line();
        let directive = self.directive_at(self.at);
        let end = self.directive_end(self.at);
        if let Some(name) = self.macro_at(self.at, end) {
            let last_line = self.lines.line_of(end.saturating_sub(1));
            self.findings.declare(&self.text[name], Kind::Macro, first_line, last_line);
        }
        self.at = end;
        if let Some(open) = directive.follow(&mut self.conditions, self.frames.len()) {
            while self.frames.len() > open {
                self.drop_frame(first_line);
            }
        }
        match directive {
            Directive::Else => self.head = Head::empty(),
            Directive::DefineFunction => {
                let end_line = self.lines.line_of(end.saturating_sub(1)) + 1;
                self.findings.omit(first_line + 1, end_line);
            }
            Directive::If | Directive::EndIf | Directive::Other => {}
        }
    }

    fn directive_at(&self, at: usize) -> Directive {
        let rest = &self.bytes[at + 1..];
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let rest = &rest[blanks..];
        let length = rest.iter().take(12).take_while(|byte| byte.is_ascii_alphabetic()).count();
        match &rest[..length] {
            b"if" | b"ifdef" | b"ifndef" => Directive::If,
            b"else" | b"elif" | b"elseif" | b"elifdef" | b"elifndef" => Directive::Else,
            b"endif" => Directive::EndIf,
            b"define" => {
                let name =
                    rest[length..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count() + length;
                let after = rest[name..].iter().find(|byte| !is_word(**byte));
                if after == Some(&b'(') { Directive::DefineFunction } else { Directive::Other }
            }
            _ => Directive::Other,
        }
    }

    /// The name to which the directive of C from `at` to `end` gives a meaning: `LIMIT` in `#define LIMIT 3`.
    fn macro_at(&self, at: usize, end: usize) -> Option<Range<usize>> {
        if !matches!(self.language, Language::C | Language::Cpp) {
            return None;
        }
        let rest = self.text[at..end].strip_prefix('#')?.trim_start().strip_prefix("define")?;
        let name = rest.trim_start_matches([' ', '\t']);
        let start = end - name.len();
        let length = name.bytes().take_while(|byte| is_word(*byte)).count();
        let is_given = rest.len() > name.len() && !name[length..].trim().is_empty();
        (length > 0 && is_given).then_some(start..start + length)
    }

    /// The offset after the directive that begins at `at`: its newline, unless a backslash or a comment hides it.
    fn directive_end(&self, mut at: usize) -> usize {
        if self.language == Language::Swift {
            return self.literals.line_end(at);
        }
        while at < self.bytes.len() {
            match (self.bytes[at], self.bytes.get(at + 1)) {
                (b'\n', _) => return at,
                (b'\\', Some(b'\r')) => at += 3,
                (b'\\', _) => at += 2,
                (b'/', Some(b'/')) => return self.literals.line_end(at),
                (b'/', Some(b'*')) => at = self.literals.block_comment_end(at + 2),
                _ => at += 1,
            }
        }
        self.bytes.len()
    }
}

/// The bytes with a meaning in a function body: brackets, and the first bytes of literals, directives and markup.
/// Most bytes have none.
static MATTERS: [bool; 256] = {
    let mut matters = [false; 256];
    let mut byte = 0_u8;
    loop {
        matters[byte as usize] = begins_literal(byte) || matches!(byte, b'(' | b')' | b'{' | b'}' | b'?');
        match byte.checked_add(1) {
            Some(next) => byte = next,
            None => break matters,
        }
    }
};

/// Whether a literal or a comment may begin with `byte`.
const fn begins_literal(byte: u8) -> bool {
    matches!(byte, b'/' | b'"' | b'\'' | b'`' | b'#' | b'<')
}
