//! Ruby: a body ends at the `end` with the same indentation as its `def`.

use crate::Kind;
use crate::lines::{LineStarts, begins_with_end, indent_of, is_blank, is_word, next_word, word_end};
use crate::outline::Findings;
use std::ops::Range;

/// Classes and modules nested deeper than this have no end of their own.
const MAX_DEPTH: usize = 64;
/// The most lines that a parameter list can span.
const MAX_HEAD_LINES: usize = 50;

/// After this many heredocs without an end, the scanner stops looking for more, to keep the work linear.
const MAX_ENDLESS_HEREDOCS: usize = 8;

/// A class, module or block whose lines are being read.
struct OpenBlock {
    indent: usize,
    line: usize,
    content: Content,
}

/// The contents between an opening line and its `end`.
enum Content {
    /// The members of the declaration with this index.
    Members(usize),
    /// A block of code that has declared nothing so far, with the mark of the omissions before it.
    Code(usize),
    /// A block of code with declarations.
    Declarations,
}

struct RubyScanner<'t, 's> {
    text: &'t str,
    bytes: &'t [u8],
    lines: &'s LineStarts,
    findings: Findings<'t>,
    open: Vec<OpenBlock>,
    /// The first line of the comment directly above, if any.
    comment: Option<usize>,
    /// How many heredocs without an end have been found.
    endless_heredocs: usize,
}

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let mut scanner = RubyScanner {
        text,
        bytes: text.as_bytes(),
        lines,
        findings: Findings::new(text, lines),
        open: Vec::new(),
        comment: None,
        endless_heredocs: 0,
    };
    let mut line = 0;
    while line < lines.count() {
        let content = &scanner.bytes[lines.bytes(line)];
        if content.starts_with(b"__END__") {
            break;
        }
        line = scanner.read(line);
    }
    scanner.findings
}

impl RubyScanner<'_, '_> {
    fn content(&self, line: usize) -> &[u8] {
        &self.bytes[self.lines.bytes(line)]
    }

    /// Reads the line with everything that belongs to it, and returns the next line.
    fn read(&mut self, line: usize) -> usize {
        let range = self.lines.bytes(line);
        let indent = indent_of(&self.bytes[range.clone()]);
        let start = range.start + indent;
        if is_blank(&self.bytes[range.clone()]) {
            self.comment = None;
            return line + 1;
        }
        if self.bytes[start] == b'#' {
            self.comment = self.comment.or(Some(line));
            return line + 1;
        }
        if self.bytes[range.clone()].starts_with(b"=begin") {
            return self.block_comment_end(line);
        }
        let first_line = self.comment.take().unwrap_or(line);
        let mut word = next_word(self.bytes, start);
        let second = next_word(self.bytes, word.end);
        if !word.is_empty() && &self.bytes[second.clone()] == b"def" {
            word = second;
        }
        match &self.bytes[word.clone()] {
            b"def" => return self.method(first_line, line, indent, word.end),
            b"class" | b"module"
                if self.bytes.get(word.end).is_some_and(|byte| matches!(byte, b' ' | b'\t')) =>
            {
                self.container(first_line, line, indent, word);
            }
            b"end" => self.close(line, indent),
            _ if opens_block(&self.bytes[range.clone()]) => self.block(line, indent),
            first if first.first().is_some_and(u8::is_ascii_uppercase) => {
                self.constant(first_line, line, word)
            }
            _ => {}
        }
        self.after_heredocs(line)
    }

    fn block_comment_end(&mut self, line: usize) -> usize {
        self.comment = None;
        let end = (line + 1..self.lines.count()).find(|line| self.content(*line).starts_with(b"=end"));
        end.map_or(self.lines.count(), |line| line + 1)
    }

    fn container(&mut self, first_line: usize, line: usize, indent: usize, keyword: Range<usize>) {
        let kind = if &self.bytes[keyword.clone()] == b"class" { Kind::Type } else { Kind::Module };
        self.note_declaration();
        let mut name = next_word(self.bytes, keyword.end);
        while self.bytes[name.end..].starts_with(b"::") {
            name.end = word_end(self.bytes, name.end + 2);
        }
        let place = self.findings.declare(&self.text[name], kind, first_line, line);
        if !ends_on_line(self.content(line)) && self.open.len() < MAX_DEPTH {
            self.open.push(OpenBlock { indent, line, content: Content::Members(place) });
        }
    }

    fn close(&mut self, line: usize, indent: usize) {
        while let Some(open) = self.open.pop_if(|open| open.indent >= indent) {
            match open.content {
                Content::Members(place) => self.findings.end_declaration(place, line),
                Content::Code(mark) if open.indent == indent => {
                    self.findings.forget_omitted_after(mark);
                    self.findings.omit(open.line + 1, line);
                }
                Content::Code(_) | Content::Declarations => {}
            }
        }
    }

    /// Notes the block that `do` opens at the end of the line. A block with arguments inside a class or another
    /// block is omitted, unless it declares something: `it "adds" do`, but not `included do`.
    fn block(&mut self, line: usize, indent: usize) {
        let words =
            self.content(line).split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        let content = if self.open.is_empty() || words.take(3).count() < 3 {
            Content::Declarations
        } else {
            Content::Code(self.findings.omitted_mark())
        };
        if self.open.len() < MAX_DEPTH {
            self.open.push(OpenBlock { indent, line, content });
        }
    }

    /// Notes that the blocks around the line declare something.
    fn note_declaration(&mut self) {
        for open in &mut self.open {
            if matches!(open.content, Content::Code(_)) {
                open.content = Content::Declarations;
            }
        }
    }

    fn constant(&mut self, first_line: usize, line: usize, name: Range<usize>) {
        let after = next_word(self.bytes, name.end).start;
        if self.bytes[after..].starts_with(b"= ") {
            self.findings.declare(&self.text[name], Kind::Value, first_line, line);
        }
    }

    /// Omits the body of the method whose `def` ends at `after_def`.
    fn method(&mut self, first_line: usize, line: usize, indent: usize, after_def: usize) -> usize {
        self.note_declaration();
        let name = self.method_name(after_def);
        let head_last = self.head_last(line, name.end);
        let content = self.content(head_last);
        let whole = ends_on_line(content) || (head_last == line && self.is_endless(name.end));
        let mut next = self.after_heredocs(line).max(head_last + 1);
        let mut last = head_last;
        if !whole {
            let from = next;
            last = self.lines.count();
            while next < self.lines.count() {
                let content = self.content(next);
                if indent_of(content) <= indent && begins_with_end(content) {
                    last = next;
                    break;
                }
                next = self.after_heredocs(next);
            }
            self.findings.omit(from, last);
            next = last + 1;
        }
        self.findings.declare(&self.text[name], Kind::Function, first_line, last.min(self.lines.count() - 1));
        next
    }

    /// The name after `def`: `name`, `self.name=`, `[]`.
    fn method_name(&self, after_def: usize) -> Range<usize> {
        let mut name = next_word(self.bytes, after_def);
        while self.bytes.get(name.end) == Some(&b'.') {
            name = name.end + 1..word_end(self.bytes, name.end + 1);
        }
        if name.is_empty() {
            let operator = self.bytes[name.end..].iter().take(3);
            let length = operator.take_while(|byte| byte.is_ascii_punctuation() && **byte != b'(').count();
            return name.start..name.end + length;
        }
        let next = self.bytes.get(name.end + 1).copied().unwrap_or(b'\n');
        match self.bytes.get(name.end) {
            Some(b'?' | b'!') => name.end += 1,
            Some(b'=') if next == b'(' || is_word(next) => name.end += 1,
            _ => {}
        }
        name
    }

    /// The line with the last parameter of the method whose name ends at `at`.
    fn head_last(&self, line: usize, at: usize) -> usize {
        let mut depth = 0_usize;
        let mut from = at.min(self.lines.start(line + 1));
        let limit = self.lines.count().min(line + MAX_HEAD_LINES);
        for last in line..limit {
            for byte in &self.bytes[from..self.lines.start(last + 1)] {
                match byte {
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    b'#' => break,
                    _ => {}
                }
            }
            if depth == 0 {
                return last;
            }
            from = self.lines.start(last + 1);
        }
        line
    }

    /// Whether the method whose name ends at `at` is `def name = value`.
    fn is_endless(&self, at: usize) -> bool {
        let line = self.lines.line_of(at);
        let mut rest = &self.bytes[at..self.lines.start(line + 1).max(at)];
        if rest.first() == Some(&b'(') {
            let mut depth = 0_usize;
            let end = rest.iter().position(|byte| {
                match byte {
                    b'(' => depth += 1,
                    b')' => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            rest = &rest[end.map_or(rest.len(), |at| at + 1)..];
        }
        rest.trim_ascii_start().starts_with(b"= ")
    }

    /// The line after `line` and the heredocs that begin on it.
    fn after_heredocs(&mut self, line: usize) -> usize {
        let content = &self.bytes[self.lines.bytes(line)];
        let mut next = line + 1;
        if self.endless_heredocs >= MAX_ENDLESS_HEREDOCS || !content.windows(2).any(|pair| pair == b"<<") {
            return next;
        }
        for label in heredoc_labels(content) {
            let found = (next..self.lines.count()).find(|line| self.content(*line).trim_ascii() == label);
            // Without an end, it isn't a heredoc.
            match found {
                Some(line) => next = line + 1,
                None => {
                    self.endless_heredocs += 1;
                    break;
                }
            }
        }
        next
    }
}

/// The labels of the first heredocs that begin on a line.
fn heredoc_labels(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let starts = line.windows(2).enumerate().filter(|(_, pair)| *pair == b"<<").map(|(at, _)| at + 2);
    let labels = starts.filter_map(|start| {
        let mut at = start;
        let marked = matches!(line.get(at), Some(b'~' | b'-'));
        at += usize::from(marked);
        let quoted = matches!(line.get(at), Some(b'"' | b'\'' | b'`'));
        at += usize::from(quoted);
        let label = &line[at..word_end(line, at)];
        let first = label.first()?;
        (first.is_ascii_uppercase() || (marked && !first.is_ascii_digit())).then_some(label)
    });
    labels.take(4)
}

/// Whether a line ends in `do` or `do |names|`.
fn opens_block(line: &[u8]) -> bool {
    let mut content = line.trim_ascii_end();
    if let Some(names) = content.strip_suffix(b"|") {
        let start = names.iter().rposition(|byte| *byte == b'|').unwrap_or(0);
        content = names[..start].trim_ascii_end();
    }
    content.ends_with(b" do")
}

/// Whether the last word of a line is `end`.
fn ends_on_line(line: &[u8]) -> bool {
    let content = line.trim_ascii_end();
    let before = content.strip_suffix(b"end").and_then(<[u8]>::last);
    before.is_some_and(|byte| matches!(byte, b' ' | b';' | b'\t')) && content.trim_ascii_start() != b"end"
}
