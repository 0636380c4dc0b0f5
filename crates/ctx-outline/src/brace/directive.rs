//! Preprocessor directives, whose branches may each open the same brace.

use super::conditionals::Directive;
use super::{BraceScanner, Head};
use crate::Language;
use crate::words::is_word;

impl BraceScanner<'_, '_> {
    pub(super) fn has_directives(&self) -> bool {
        matches!(self.language, Language::C | Language::Cpp | Language::CSharp)
            || (self.language == Language::Swift && self.directive_at(self.at) != Directive::Other)
    }

    /// Reads the directive that begins here, outside of bodies.
    pub(super) fn directive(&mut self) {
        let first_line = self.line();
        let directive = self.directive_at(self.at);
        let end = self.directive_end(self.at);
        self.at = end;
        if let Some(open) = self.conditionals.follow(directive, self.frames.len()) {
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

    pub(super) fn directive_at(&self, at: usize) -> Directive {
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

    /// The offset after the directive that begins at `at`: its newline, unless a backslash or a comment hides it.
    pub(super) fn directive_end(&self, mut at: usize) -> usize {
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
