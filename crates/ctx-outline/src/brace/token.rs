//! Reads the tokens of statements outside function bodies.

use super::BraceScanner;
use super::head::{Block, Head, Last};
use super::keyword::{Keyword, continues_statement, keyword};
use super::literal::Literal;
use crate::Language;
use crate::lines::{is_blank, is_word};

impl BraceScanner<'_, '_> {
    /// Reads one token.
    pub(super) fn step(&mut self) {
        let byte = self.bytes[self.at];
        match byte {
            b'\n' => {
                self.fresh = true;
                self.at += 1;
                return;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                self.at += 1;
                return;
            }
            b'#' if self.fresh && self.has_directives() => {
                self.directive();
                return;
            }
            _ => {}
        }
        let only_in_php = matches!(byte, b'#' | b'<') && self.language == Language::Php;
        if matches!(byte, b'/' | b'"' | b'\'' | b'`') || only_in_php {
            match self.literals.at(self.at) {
                Literal::Comment(end) => {
                    self.comment(end);
                    return;
                }
                Literal::Text(end) => {
                    self.maybe_new_statement(b"");
                    self.begin();
                    self.head.last = Last::Text;
                    self.head.attribute = false;
                    self.at = end.min(self.bytes.len());
                    self.token_end = self.at;
                    self.fresh = false;
                    return;
                }
                Literal::None => {}
            }
        }
        if is_word(byte) || byte == b'$' || byte == b'`' {
            self.word();
        } else {
            self.punctuation(byte);
        }
        self.token_end = self.at;
        self.fresh = false;
    }

    fn comment(&mut self, end: usize) {
        let (start, line) = (self.at, self.line());
        let fresh = self.fresh;
        self.at = end.min(self.bytes.len());
        if !self.head.is_empty() || !fresh {
            return;
        }
        let end_line = self.lines.line_of(self.at.saturating_sub(1)) + 1;
        let first_line = if self.doc.end == line { self.doc.start } else { line };
        self.doc = first_line..end_line;
        let behind = self.at..self.lines.bytes(end_line - 1).end.max(self.at);
        if only_inherits(&self.bytes[start..self.at]) && is_blank(&self.bytes[behind]) {
            self.findings.omit(line, end_line);
        }
    }

    /// Ends the statement before a token that begins with `word`, if a newline can end it.
    fn maybe_new_statement(&mut self, word: &[u8]) {
        let newlines_count = match self.language {
            Language::Kotlin | Language::Swift | Language::Scala | Language::Go => true,
            Language::JavaScript | Language::TypeScript => self.block != Block::Data,
            _ => false,
        };
        let in_block = !matches!(self.block, Block::Parens | Block::Brackets);
        if self.fresh && newlines_count && in_block && self.head.may_end() && !continues_statement(word) {
            if self.head.last == Last::Other(b'*') && self.language != Language::Go {
                return;
            }
            self.finish(self.lines.line_of(self.token_end.saturating_sub(1)));
        }
    }

    fn word(&mut self) {
        let start = self.at;
        let bytes = self.bytes;
        let rest = &bytes[start + 1..];
        let length = if bytes[start] == b'`' {
            let quoted = rest.iter().position(|byte| matches!(byte, b'`' | b'\n'));
            quoted.map_or(rest.len(), |at| at + usize::from(rest[at] == b'`'))
        } else {
            rest.iter().position(|byte| !is_word(*byte) && *byte != b'$').unwrap_or(rest.len())
        };
        let end = start + 1 + length;
        let word = &bytes[start..end];
        self.maybe_new_statement(word);
        self.begin();
        self.at = end;
        let head = &mut self.head;
        if head.attribute {
            if matches!(head.last, Last::Other(b'@') | Last::Dot | Last::Other(b':')) {
                head.last = Last::Word;
                return;
            }
            head.attribute = false;
        }
        let after_word = head.last == Last::Word;
        let after_dot = head.last == Last::Dot;
        head.last = Last::Word;
        if head.angles > 0 {
            return;
        }
        head.words += 1;
        let previous = std::mem::replace(&mut head.last_word, start..end);
        if !after_dot
            && let Some(keyword) = keyword(self.language, word)
            && self.is_keyword(keyword, end)
        {
            self.take_keyword(keyword);
            return;
        }
        let head = &mut self.head;
        if head.expects_name {
            head.name = Some(start..end);
            head.expects_name = false;
        } else if after_word
            && head.name.as_ref() == Some(&previous)
            && self.language == Language::Cpp
            && word != b"final"
        {
            head.name = Some(start..end);
        } else if head.is(Keyword::Implementation) && matches!(word, b"for") {
            head.expects_name = self.language == Language::Rust;
        }
    }

    fn punctuation(&mut self, byte: u8) {
        match byte {
            b'{' | b'(' | b'[' => {
                if byte == b'[' && self.block == Block::Members {
                    self.maybe_new_statement(b"");
                }
                self.open(byte);
                return;
            }
            b'}' | b')' | b']' => {
                self.close(byte);
                return;
            }
            b'@' | b'#' => self.maybe_new_statement(b""),
            b'*' if self.block == Block::Members => self.maybe_new_statement(b""),
            b';' => {
                self.semicolon();
                return;
            }
            b',' if self.comma() => return,
            b'?' if self.language == Language::Php && self.peek(1) == b'>' => {
                let line = self.line();
                self.finish(line);
                self.at = self.after_markup(self.at + 2);
                return;
            }
            _ => {}
        }
        self.begin();
        if self.head.angles > 0 || (byte == b'<' && self.takes_angles()) {
            self.angle(byte);
            return;
        }
        let next = self.peek(1);
        let (last, length) = match (byte, next) {
            (b'=', b'>') | (b'-', b'>') => (Last::Arrow, 2),
            (b'=', b'=') | (b'!' | b'<' | b'>', b'=') => (Last::Other(byte), 2),
            (b':', b':') | (b'?', b'.') => (Last::Dot, 2),
            (b'=', _) => (Last::Assign, 1),
            (b'.', _) => (Last::Dot, 1),
            _ => (Last::Other(byte), 1),
        };
        self.at += length;
        let after_word = self.head.last == Last::Word;
        if byte == b'<' && after_word && self.head.before_angle.is_none() {
            self.head.before_angle = Some(self.head.last_word.clone());
        }
        match last {
            Last::Other(byte) if byte != b':' => {
                self.head.last = last;
                self.head.attribute = byte == b'@' && self.language != Language::CSharp;
            }
            _ => self.note(last, after_word),
        }
    }

    /// Notes an operator in the head.
    fn note(&mut self, last: Last, after_word: bool) {
        let head = &mut self.head;
        let word = head.last_word.clone();
        if head.attribute && !matches!(last, Last::Dot | Last::Other(b':')) {
            head.attribute = false;
        }
        head.last = last;
        match last {
            Last::Assign => {
                if !head.assign && head.before_parens.is_none() {
                    head.before_assign = head.before_type.clone().or(Some(word));
                }
                head.assign = true;
            }
            // The name of the instance: `class Name { self =>`
            Last::Arrow
                if self.language == Language::Scala
                    && self.block == Block::Members
                    && head.keyword.is_none() =>
            {
                self.head = Head::empty();
            }
            Last::Arrow => head.arrow = true,
            Last::Other(b':') => {
                let label = matches!(
                    &self.bytes[word.clone()],
                    b"public" | b"private" | b"protected" | b"signals" | b"slots"
                );
                if label
                    && after_word
                    && matches!(self.language, Language::C | Language::Cpp)
                    && head.words <= 2
                {
                    self.head = Head::empty();
                    return;
                }
                if self.block == Block::Members
                    && self.language == Language::TypeScript
                    && head.before_type.is_none()
                    && head.words > 0
                    && !head.assign
                {
                    head.before_type = Some(word.clone());
                }
                if self.block == Block::Data && !head.parens && head.before_assign.is_none() && after_word {
                    head.before_assign = Some(word);
                }
                head.colon |= head.parens || matches!(self.language, Language::TypeScript | Language::Scala);
            }
            Last::Start | Last::Word | Last::Text | Last::Dot | Last::Close(_) | Last::Other(_) => {}
        }
        if last == Last::Assign && self.language == Language::Scala && self.head.is(Keyword::Function)
            || last == Last::Assign && self.language == Language::Kotlin && self.is_kotlin_function()
            || last == Last::Arrow && self.language == Language::CSharp && self.is_c_sharp_member()
        {
            self.expression_body();
        }
    }

    fn is_kotlin_function(&self) -> bool {
        self.head.parens && matches!(self.head.keyword, Some(Keyword::Function | Keyword::Accessor))
    }

    fn is_c_sharp_member(&self) -> bool {
        !self.head.assign && matches!(self.block, Block::Items | Block::Members)
    }

    fn takes_angles(&self) -> bool {
        let after_keyword = self.head.last == Last::Word && self.head.expects_name;
        match self.head.keyword {
            Some(Keyword::Template) => self.head.last == Last::Word && self.head.words == 1,
            Some(Keyword::Implementation) => self.language == Language::Rust && after_keyword,
            Some(Keyword::Function) => self.language == Language::Kotlin && after_keyword,
            _ => false,
        }
    }

    fn angle(&mut self, byte: u8) {
        match (byte, self.peek(1)) {
            (b'<', _) => self.head.angles += 1,
            (b'-' | b'=', b'>') => self.at += 1,
            (b'>', _) => self.head.angles -= 1,
            _ => {}
        }
        self.head.last = Last::Other(byte);
        self.at += 1;
    }

    fn semicolon(&mut self) {
        if !matches!(self.block, Block::Parens | Block::Brackets) {
            let line = self.line();
            self.finish(line);
            if self.block == Block::Cases {
                self.block = Block::Members;
            }
        }
        self.at += 1;
    }

    /// Ends the statement if a comma ends it, and returns whether it does.
    fn comma(&mut self) -> bool {
        let separates = matches!(self.block, Block::Parens | Block::Brackets | Block::Data | Block::Cases);
        if separates
            && self.head.angles == 0
            && !(self.block == Block::Cases && self.head.is(Keyword::Function))
        {
            self.head = Head::empty();
            self.at += 1;
            return true;
        }
        false
    }
}

/// Whether a comment only refers to the documentation of the method it overrides.
fn only_inherits(comment: &[u8]) -> bool {
    let is_frame = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'*' | b'{' | b'}');
    let Some(first) = comment.iter().position(|byte| !is_frame(byte)) else { return false };
    let last = comment.iter().rposition(|byte| !is_frame(byte)).unwrap_or(first);
    comment[first..=last].eq_ignore_ascii_case(b"@inheritdoc")
}
