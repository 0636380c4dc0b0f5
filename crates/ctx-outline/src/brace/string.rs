//! Strings: how they begin and end in each language, and the code inside them.

use super::literal::{DOLLAR_HOLE, LiteralReader, NO_HOLE, StringForm, quoted};
use crate::Language;
use crate::lines::is_word;
use std::ops::ControlFlow;

/// A string, and the code in it that is being read.
struct StringLevel {
    form: StringForm,
    /// How many brackets are open in that code; `None` in the string's own text.
    open: Option<usize>,
}

/// Strings inside strings beyond this depth are read as plain text.
const MAX_NESTING: usize = 32;

impl LiteralReader<'_> {
    /// The form of the string whose opening quote is at `at`, and where its text begins.
    pub(super) fn double_quote(&self, at: usize) -> (StringForm, usize) {
        let plain = quoted(b'"');
        let tripled = self.begins(at, b"\"\"\"");
        let triple = StringForm { quotes: 3, multiline: true, ..plain };
        match self.language {
            Language::Rust => self.rust_string(at),
            Language::Cpp if self.before(at) == b'R' => (StringForm { quotes: 0, ..plain }, at),
            Language::Java if tripled => (triple, at + 3),
            Language::Kotlin if tripled => {
                (StringForm { escapes: false, hole: DOLLAR_HOLE, ..triple }, at + 3)
            }
            Language::Kotlin => (StringForm { hole: DOLLAR_HOLE, ..plain }, at + 1),
            Language::Scala => {
                let hole = if is_word(self.before(at)) { DOLLAR_HOLE } else { NO_HOLE };
                if tripled {
                    (StringForm { escapes: false, hole, ..triple }, at + 3)
                } else {
                    (StringForm { hole, ..plain }, at + 1)
                }
            }
            Language::Swift => {
                let hashes = self.hashes_before(at);
                let form = if tripled { triple } else { plain };
                let hole = if hashes == 0 { b"\\(" } else { NO_HOLE };
                (StringForm { hashes, escapes: hashes == 0, hole, ..form }, at + form.quotes)
            }
            Language::Php => (StringForm { multiline: true, ..plain }, at + 1),
            Language::CSharp => self.c_sharp_string(at),
            _ => (plain, at + 1),
        }
    }

    fn hashes_before(&self, at: usize) -> usize {
        self.bytes[..at].iter().rev().take(255).take_while(|byte| **byte == b'#').count()
    }

    fn rust_string(&self, at: usize) -> (StringForm, usize) {
        let hashes = self.hashes_before(at);
        let raw = at > hashes && self.byte(at - hashes - 1) == b'r';
        let prefix = at.checked_sub(hashes + 2).map_or(0, |at| self.byte(at));
        let form = StringForm { multiline: true, ..quoted(b'"') };
        if raw && (!is_word(prefix) || matches!(prefix, b'b' | b'c')) {
            return (StringForm { escapes: false, hashes, ..form }, at + 1);
        }
        (form, at + 1)
    }

    fn c_sharp_string(&self, at: usize) -> (StringForm, usize) {
        let plain = quoted(b'"');
        let prefix = [self.before(at), self.before(at.saturating_sub(1))];
        let hole = if prefix[0] == b'$' || prefix == [b'@', b'$'] { b"{" } else { NO_HOLE };
        let quotes = self.bytes[at..].iter().take(255).take_while(|byte| **byte == b'"').count();
        if prefix[0] == b'@' || prefix == [b'$', b'@'] {
            return (StringForm { escapes: false, multiline: true, doubled: true, hole, ..plain }, at + 1);
        }
        match quotes {
            0..=2 => (StringForm { hole, ..plain }, at + 1),
            _ => (StringForm { quotes, escapes: false, multiline: true, ..plain }, at + quotes),
        }
    }

    /// The offset after the C++ raw string whose quote is at `at`: `R"name(…)name"`.
    fn raw_string_end(&self, at: usize) -> usize {
        let delimiter = &self.bytes[(at + 1).min(self.bytes.len())..(at + 18).min(self.bytes.len())];
        let Some(length) = delimiter.iter().position(|byte| *byte == b'(') else {
            return at + 1;
        };
        let name = &delimiter[..length];
        let mut next = at + 2 + length;
        while next < self.bytes.len() {
            if self.bytes[next] == b')' && self.begins(next + 1, name) && self.byte(next + 1 + length) == b'"'
            {
                return next + 2 + length;
            }
            next += 1;
        }
        next
    }

    /// The offset after the end of a string whose text begins at `at`.
    pub(super) fn string_end(&self, form: StringForm, mut at: usize) -> usize {
        if form.quotes == 0 {
            return self.raw_string_end(at);
        }
        if form.quotes == 1 && form.hashes == 0 && !form.doubled {
            match self.plain_text_end(form, at) {
                ControlFlow::Break(end) => return end,
                ControlFlow::Continue(hole) => at = hole,
            }
        }
        let mut levels = vec![StringLevel { form, open: None }];
        while let Some(level) = levels.last_mut() {
            if at >= self.bytes.len() {
                return self.bytes.len();
            }
            at = match level.open {
                None => {
                    let nested = levels.len() < MAX_NESTING;
                    self.string_step(&mut levels, at, nested)
                }
                Some(_) => self.hole_step(&mut levels, at),
            };
        }
        at
    }

    /// The offset after a string that ends with one quote, or the offset of the first code in it. Most
    /// strings contain no code.
    fn plain_text_end(&self, form: StringForm, mut at: usize) -> ControlFlow<usize, usize> {
        while let Some(byte) = self.bytes.get(at) {
            if form.hole.first() == Some(byte) && self.begins(at, form.hole) {
                return ControlFlow::Continue(at);
            }
            match byte {
                b'\\' if form.escapes => at += 1,
                b'\n' if !form.multiline => return ControlFlow::Break(at),
                _ if *byte == form.quote => return ControlFlow::Break(at + 1),
                _ => {}
            }
            at += 1;
        }
        ControlFlow::Break(self.bytes.len())
    }

    /// Continues reading the text of the innermost string.
    fn string_step(&self, levels: &mut Vec<StringLevel>, at: usize, may_nest: bool) -> usize {
        let Some(level) = levels.last_mut() else { return at };
        let form = level.form;
        let byte = self.bytes[at];
        let begins_hole = form.hole.first() == Some(&byte) && self.begins(at, form.hole);
        if begins_hole && form.hole == b"{" && self.byte(at + 1) == b'{' {
            return at + 2;
        }
        if begins_hole && may_nest {
            level.open = Some(0);
            return at + form.hole.len();
        }
        if byte == b'\\' && form.escapes {
            return at + 2;
        }
        if byte == b'\n' && !form.multiline {
            levels.pop();
            return at;
        }
        if byte != form.quote {
            return at + 1;
        }
        if form.doubled && self.byte(at + 1) == form.quote {
            return at + 2;
        }
        let quotes = self.bytes[at..].iter().take(255).take_while(|byte| **byte == form.quote).count();
        if quotes < form.quotes {
            return at + quotes;
        }
        // If the string's text ends in quotes, they come before the closing ones.
        let end = at + if form.quotes == 1 { 1 } else { quotes };
        let hashes = self.bytes[end..].iter().take(form.hashes).take_while(|byte| **byte == b'#').count();
        if hashes == form.hashes {
            levels.pop();
        }
        end + hashes
    }

    /// Continues reading the code inside the innermost string.
    fn hole_step(&self, levels: &mut Vec<StringLevel>, at: usize) -> usize {
        let may_nest = levels.len() < MAX_NESTING;
        let Some(level) = levels.last_mut() else { return at };
        let depth = level.open.unwrap_or(0);
        let opening = level.form.hole.last().copied().unwrap_or_default();
        let closing = if opening == b'(' { b')' } else { b'}' };
        match self.bytes[at] {
            byte if byte == opening => level.open = Some(depth + 1),
            byte if byte == closing => level.open = depth.checked_sub(1),
            b'\n' if !level.form.multiline && level.form.hole == b"{" => {
                levels.pop();
            }
            b'/' if self.byte(at + 1) == b'*' => return self.block_comment_end(at + 2),
            b'/' if self.byte(at + 1) == b'/' && level.form.multiline => return self.line_end(at),
            b'"' if may_nest => {
                let (form, start) = self.double_quote(at);
                levels.push(StringLevel { form, open: None });
                return start;
            }
            b'\'' if may_nest && matches!(self.language, Language::JavaScript | Language::TypeScript) => {
                levels.push(StringLevel { form: quoted(b'\''), open: None });
            }
            b'`' if may_nest && matches!(self.language, Language::JavaScript | Language::TypeScript) => {
                let form = StringForm { multiline: true, hole: DOLLAR_HOLE, ..quoted(b'`') };
                levels.push(StringLevel { form, open: None });
            }
            _ => {}
        }
        at + 1
    }
}
