//! The languages with braces: one scanner, with a table of words and openings for each.

mod body;
mod head;
mod keyword;
mod literal;
mod opening;
mod statement;
mod string;
mod token;

use crate::lines::{LineCursor, LineStarts};
use crate::outline::Findings;
use crate::{Kind, Language};
use head::{Block, Head, Last, declared};
use keyword::Keyword;
use literal::LiteralReader;
use opening::{Opening, opening};
use std::ops::Range;

/// Blocks nested deeper than this are kept without being examined.
const MAX_DEPTH: usize = 200;

/// An open bracket, and the statement that it is part of.
struct Frame {
    block: Block,
    /// The head of the statement around the bracket.
    around: Head,
    /// Whether the statement continues after the closing bracket.
    inner: bool,
    /// The index of the declaration that ends with the closing bracket.
    declaration: Option<usize>,
    /// The keyword of every statement in `var (…)`.
    group: Option<Keyword>,
}

/// Conditions nested deeper than this aren't followed.
const MAX_CONDITIONS: usize = 64;

/// What a directive means for the lines after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Directive {
    If,
    /// `#else`, `#elif` and the like.
    Else,
    EndIf,
    /// `#define` of a macro with parameters.
    DefineFunction,
    Other,
}

impl Directive {
    /// How many brackets are open after the directive, if `open` are open before it; `None` for an `#else`
    /// without a known `#if`. `conditions` contains the number open at each `#if`, since each branch may open
    /// the same brace.
    fn follow(self, conditions: &mut Vec<usize>, open: usize) -> Option<usize> {
        match self {
            Self::If if conditions.len() < MAX_CONDITIONS => conditions.push(open),
            Self::Else => return conditions.last().copied(),
            Self::EndIf => {
                conditions.pop();
            }
            Self::If | Self::DefineFunction | Self::Other => {}
        }
        Some(open)
    }
}

pub(crate) struct BraceScanner<'t, 's> {
    text: &'t str,
    bytes: &'t [u8],
    language: Language,
    lines: &'s LineStarts,
    cursor: LineCursor<'s>,
    literals: LiteralReader<'t>,
    at: usize,
    /// Whether a newline precedes the current token.
    fresh: bool,
    head: Head,
    block: Block,
    group: Option<Keyword>,
    frames: Vec<Frame>,
    /// How many brackets are open beyond the deepest frame.
    deeper: usize,
    /// The lines of the comment directly above the statement; otherwise an empty range.
    doc: Range<usize>,
    /// How many frames were open at each `#if`.
    conditions: Vec<usize>,
    /// The head of the previous statement, if it was a type without a block.
    type_head: Option<Head>,
    /// The offset after the previous token.
    token_end: usize,
    findings: Findings<'t>,
}

impl<'t, 's> BraceScanner<'t, 's> {
    pub(crate) fn new(text: &'t str, lines: &'s LineStarts, language: Language) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            language,
            lines,
            cursor: LineCursor::new(lines),
            literals: LiteralReader::new(text, language),
            at: 0,
            fresh: true,
            head: Head::empty(),
            block: Block::Items,
            group: None,
            frames: Vec::new(),
            deeper: 0,
            doc: 0..0,
            conditions: Vec::new(),
            type_head: None,
            token_end: 0,
            findings: Findings::new(text, lines),
        }
    }

    pub(crate) fn scan(mut self) -> Findings<'t> {
        if self.language == Language::Php {
            self.at = self.after_markup(0);
        }
        while self.at < self.bytes.len() {
            self.step();
        }
        let last = self.lines.count().saturating_sub(1);
        self.finish(last);
        while let Some(frame) = self.frames.pop() {
            if let Some(place) = frame.declaration {
                self.findings.end_declaration(place, last);
            }
        }
        self.findings
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn line(&mut self) -> usize {
        self.cursor.advance_to(self.at)
    }

    /// Notes that a token of the statement begins here.
    fn begin(&mut self) {
        if self.head.is_empty() {
            let line = self.line();
            let documented = self.doc.end > 0 && (line..=line + 1).contains(&self.doc.end);
            self.head.first_line = if documented { self.doc.start } else { line };
            self.doc = 0..0;
            if let Some(keyword) = self.group {
                self.head.keyword = Some(keyword);
                self.head.expects_name = true;
            }
        }
    }

    /// Ends the statement on `line`, and adds what it declares without a block, if anything.
    fn finish(&mut self, line: usize) {
        if self.head.is_empty() || self.deeper > 0 {
            return;
        }
        let head = std::mem::replace(&mut self.head, Head::empty());
        let declares = matches!(self.block, Block::Items | Block::Members | Block::Cases | Block::Signatures);
        let declared = if declares { declared(self.language, self.block, &head) } else { None };
        if let Some(declared) = declared {
            self.findings.declare(&self.text[declared.name], declared.kind, head.first_line, line);
        }
        self.type_head = (declares && head.is(Keyword::Type)).then_some(head);
    }

    /// Opens a bracket.
    fn open(&mut self, bracket: u8) {
        if self.deeper > 0 {
            self.deeper += 1;
            self.at += 1;
            return;
        }
        self.begin();
        let opening = match bracket {
            b'{' => opening(self.language, self.block, &self.head, &self.bytes[self.head.last_word.clone()]),
            b'(' if self.head.last == Last::Arrow && self.arrow_body() => Opening::Body,
            b'(' => Opening::Inner(Block::Parens),
            _ => Opening::Inner(Block::Brackets),
        };
        if self.frames.len() >= MAX_DEPTH && opening != Opening::Body {
            self.deeper += 1;
            self.at += 1;
            return;
        }
        match opening {
            Opening::Body => self.body(),
            Opening::Block(block) => self.push(block, false),
            Opening::Inner(block) => self.push(block, true),
        }
    }

    /// Whether parentheses after an arrow are a function's body.
    fn arrow_body(&self) -> bool {
        match self.language {
            Language::JavaScript => true,
            Language::TypeScript => {
                !self.head.is(Keyword::Alias)
                    && (self.head.assign || matches!(self.block, Block::Parens | Block::Data | Block::Items))
            }
            _ => false,
        }
    }

    fn push(&mut self, block: Block, inner: bool) {
        let parens = block == Block::Parens;
        if parens && self.head.before_parens.is_none() && !self.head.attribute {
            self.head.before_parens = match self.head.last {
                Last::Word => Some(self.head.last_word.clone()),
                Last::Other(b'>') => self.head.before_angle.clone(),
                // `operator=(…)`
                _ => {
                    Some(self.head.last_word.clone()).filter(|word| &self.bytes[word.clone()] == b"operator")
                }
            };
        }
        let declaration = if inner { None } else { self.declare_container() };
        let grouped = parens && self.language == Language::Go && self.head.name.is_none();
        let group = if grouped { self.head.keyword.filter(|keyword| keyword.kind().is_some()) } else { None };
        let group = group.filter(|keyword| *keyword != Keyword::Function);
        let block = if group.is_some() { Block::Items } else { block };
        self.frames.push(Frame {
            block: std::mem::replace(&mut self.block, block),
            around: std::mem::replace(&mut self.head, Head::empty()),
            inner,
            declaration,
            group: std::mem::replace(&mut self.group, group),
        });
        self.at += 1;
    }

    fn declare_container(&mut self) -> Option<usize> {
        let property =
            self.language == Language::CSharp && self.head.keyword.is_none() && self.head.words > 1;
        let kind = if property { Kind::Value } else { self.head.keyword?.kind()? };
        let name = if property { Some(self.head.last_word.clone()) } else { self.head.declared_name() };
        let name = name.unwrap_or(0..0);
        let line = self.line();
        Some(self.findings.declare(&self.text[name], kind, self.head.first_line, line))
    }

    /// Closes a bracket.
    fn close(&mut self, bracket: u8) {
        let line = self.line();
        if self.deeper > 0 {
            self.deeper -= 1;
            self.at += 1;
            return;
        }
        if self.frames.is_empty() {
            self.finish(line);
            self.at += 1;
            return;
        }
        // A brace closes the parentheses that were left open in its block.
        let parens = |block: Block| matches!(block, Block::Parens | Block::Brackets);
        if bracket == b'}' {
            while parens(self.block) && !self.frames.is_empty() {
                self.pop(line, 0);
            }
        } else if !parens(self.block) && self.group.is_none() {
            self.at += 1;
            return;
        }
        self.pop(line, bracket);
        self.at += 1;
    }

    /// Resumes the statement that the innermost bracket is part of.
    fn pop(&mut self, line: usize, bracket: u8) {
        self.finish(line);
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.block = frame.block;
        self.group = frame.group;
        if let Some(place) = frame.declaration {
            self.findings.end_declaration(place, line);
        }
        if !frame.inner {
            self.doc = 0..0;
            return;
        }
        self.head = frame.around;
        if bracket == b')' {
            self.head.parens |= !self.head.attribute;
            self.head.attribute = false;
        }
        self.head.last = Last::Close(bracket);
    }
}
