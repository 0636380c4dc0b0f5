//! Elixir: a body ends at the `end` with the same indentation as its `def`, or with the lines that are indented
//! deeper.

use crate::Kind;
use crate::lines::{LineStarts, begins_with_end, indent_of, is_blank, next_word};
use crate::outline::Findings;
use std::ops::Range;

/// The most lines that a parameter list can span.
const MAX_HEAD_LINES: usize = 50;

/// After this many heredocs without an end, the scanner stops looking for more, to keep the work linear.
const MAX_ENDLESS_HEREDOCS: usize = 8;

/// Attributes that describe the declaration below them.
const ABOVE: [&[u8]; 7] = [b"deprecated", b"dialyzer", b"doc", b"impl", b"since", b"spec", b"typedoc"];

/// Attributes that declare nothing that has a name.
const SETTINGS: [&[u8]; 13] = [
    b"after_compile",
    b"after_verify",
    b"before_compile",
    b"behaviour",
    b"compile",
    b"derive",
    b"enforce_keys",
    b"external_resource",
    b"moduledoc",
    b"on_definition",
    b"on_load",
    b"optional_callbacks",
    b"vsn",
];

/// A function whose clauses are being read.
struct Clauses {
    name: Range<usize>,
    /// The index of its declaration.
    place: usize,
}

struct ElixirScanner<'t, 's> {
    text: &'t str,
    bytes: &'t [u8],
    lines: &'s LineStarts,
    findings: Findings<'t>,
    /// The first line of the comments and attributes directly above, if any.
    above: Option<usize>,
    /// The function that was read last, to which the next clause may belong.
    clauses: Option<Clauses>,
    /// Whether the lines are in a `quote` in a function.
    is_quoted: bool,
    /// How many heredocs without an end have been found.
    endless_heredocs: usize,
}

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let mut scanner = ElixirScanner {
        text,
        bytes: text.as_bytes(),
        lines,
        findings: Findings::new(text, lines),
        above: None,
        clauses: None,
        is_quoted: false,
        endless_heredocs: 0,
    };
    let mut line = 0;
    while line < lines.count() {
        line = scanner.read(line);
    }
    scanner.findings
}

impl ElixirScanner<'_, '_> {
    fn content(&self, line: usize) -> &[u8] {
        &self.bytes[self.lines.bytes(line)]
    }

    /// Reads the line with everything that belongs to it, and returns the next line.
    fn read(&mut self, line: usize) -> usize {
        let range = self.lines.bytes(line);
        let indent = indent_of(&self.bytes[range.clone()]);
        let start = range.start + indent;
        if is_blank(&self.bytes[range]) {
            self.above = None;
            return line + 1;
        }
        match self.bytes[start] {
            b'#' => {
                self.above = self.above.or(Some(line));
                return line + 1;
            }
            b'@' => return self.attribute(line, indent, start + 1),
            _ => {}
        }
        let first_line = self.above.take().unwrap_or(line);
        let word = next_word(self.bytes, start);
        match &self.bytes[word.clone()] {
            b"def" | b"defp" | b"defmacro" | b"defmacrop" | b"defguard" | b"defguardp" | b"defdelegate"
            | b"defn" | b"defnp" => return self.function(first_line, line, indent, word.end),
            b"defmodule" | b"defprotocol" | b"defimpl" => self.module(first_line, line, indent, word),
            b"end" => {
                self.clauses = None;
                self.findings.close(indent, line);
            }
            _ => {}
        }
        self.after_heredoc(line)
    }

    /// Reads the attribute whose name is at `at`.
    fn attribute(&mut self, line: usize, indent: usize, at: usize) -> usize {
        let first_line = self.above.unwrap_or(line);
        let next = self.after_heredoc(line);
        let next = self.after_deeper(next, indent);
        let name = next_word(self.bytes, at);
        let is_set = self.bytes.get(name.end).is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        let word = &self.bytes[name.clone()];
        let declared = match word {
            b"type" | b"typep" | b"opaque" => Some((Kind::Type, next_word(self.bytes, name.end))),
            b"callback" | b"macrocallback" => Some((Kind::Function, self.function_name(name.end))),
            _ if !is_set || SETTINGS.contains(&word) => None,
            _ if ABOVE.contains(&word) => {
                self.above = Some(first_line);
                return next;
            }
            _ => Some((Kind::Value, name)),
        };
        self.above = None;
        if let Some((kind, name)) = declared {
            self.clauses = None;
            self.findings.declare(&self.text[name], kind, first_line, next - 1);
        }
        next
    }

    fn module(&mut self, first_line: usize, line: usize, indent: usize, keyword: Range<usize>) {
        let is_implementation = &self.bytes[keyword.clone()] == b"defimpl";
        let kind = if is_implementation { Kind::Implementation } else { Kind::Module };
        let mut name = next_word(self.bytes, keyword.end);
        while self.bytes.get(name.end) == Some(&b'.') {
            name.end = next_word(self.bytes, name.end + 1).end;
        }
        self.clauses = None;
        self.findings.declare(&self.text[name], kind, first_line, line);
        if opens_body(self.content(line)) {
            self.findings.open_last(indent);
        }
    }

    /// Omits the body of the function whose keyword ends at `after`.
    fn function(&mut self, first_line: usize, line: usize, indent: usize, after: usize) -> usize {
        let name = self.function_name(after);
        let (head_last, has_body) = self.head(line, indent);
        let mut next = head_last + 1;
        if has_body {
            while next < self.lines.count() && !self.is_end(next, indent) {
                let is_quoted = self.quotes_functions(next);
                next = if is_quoted { self.quoted(next) } else { self.after_heredoc(next) };
            }
            next = next.min(self.lines.count());
            self.findings.omit(head_last + 1, next);
            next = (next + 1).min(self.lines.count());
        } else {
            next = self.after_heredoc(head_last);
            next = self.after_deeper(next, indent);
            self.findings.omit(head_last + 1, next);
        }
        self.clause(name, first_line, next - 1);
        next
    }

    /// Whether the line begins a `quote` with functions in it, outside any other.
    fn quotes_functions(&self, line: usize) -> bool {
        let content = self.content(line);
        let indent = indent_of(content);
        let is_quote = content[indent..].starts_with(b"quote") && opens_body(content);
        !self.is_quoted && is_quote && {
            let mut body = (line + 1..self.lines.count()).take_while(|line| !self.is_end(*line, indent));
            body.any(|line| self.content(line).trim_ascii_start().starts_with(b"def"))
        }
    }

    /// Reads the functions in the `quote` at this line, and returns the line of its `end`. Outlines omit all of it.
    fn quoted(&mut self, line: usize) -> usize {
        let indent = indent_of(self.content(line));
        let (clauses, omitted) = (self.clauses.take(), self.findings.omitted_mark());
        self.is_quoted = true;
        let mut next = line + 1;
        while next < self.lines.count() && !self.is_end(next, indent) {
            next = self.read(next);
        }
        self.is_quoted = false;
        self.findings.forget_omitted_after(omitted);
        (self.clauses, self.above) = (clauses, None);
        next
    }

    /// Adds the lines to the function above if they are another clause of it: it has the same name, and no documentation or
    /// specification of its own.
    fn clause(&mut self, name: Range<usize>, first_line: usize, last: usize) {
        let has_attributes = self.content(first_line).trim_ascii_start().starts_with(b"@");
        let continued = self
            .clauses
            .take()
            .filter(|open| !has_attributes && self.text[open.name.clone()] == self.text[name.clone()]);
        let place = match continued {
            Some(open) => {
                self.findings.end_declaration(open.place, last);
                open.place
            }
            None => self.findings.declare(&self.text[name.clone()], Kind::Function, first_line, last),
        };
        self.clauses = Some(Clauses { name, place });
    }

    /// The name after a keyword: `name`, `name?`, `name!`.
    fn function_name(&self, after: usize) -> Range<usize> {
        let mut name = next_word(self.bytes, after);
        name.end += usize::from(matches!(self.bytes.get(name.end), Some(b'?' | b'!')));
        name
    }

    /// The last line of a function's head, and whether a body up to an `end` follows.
    fn head(&self, line: usize, indent: usize) -> (usize, bool) {
        let limit = self.lines.count().min(line + MAX_HEAD_LINES);
        for last in line..limit {
            let content = self.content(last);
            if last > line && (is_blank(content) || indent_of(content) <= indent) {
                return (last - 1, false);
            }
            if opens_body(content) {
                return (last, true);
            }
            if content.windows(4).any(|part| part == b"do: ") || content.trim_ascii_end().ends_with(b"do:") {
                return (last, false);
            }
        }
        (limit - 1, false)
    }

    fn is_end(&self, line: usize, indent: usize) -> bool {
        let content = self.content(line);
        indent_of(content) <= indent && begins_with_end(content)
    }

    /// The first line from `line` on that isn't indented deeper than `indent`, or is blank.
    fn after_deeper(&mut self, mut line: usize, indent: usize) -> usize {
        while line < self.lines.count() {
            let content = self.content(line);
            if is_blank(content) || indent_of(content) <= indent && !closes(content) {
                break;
            }
            line = self.after_heredoc(line);
        }
        line
    }

    /// The line after `line` and the heredoc that begins at its end, if one does.
    fn after_heredoc(&mut self, line: usize) -> usize {
        let content = self.content(line).trim_ascii_end();
        let Some(marker) = content.last_chunk::<3>().filter(|end| matches!(*end, b"\"\"\"" | b"'''")) else {
            return line + 1;
        };
        let is_one_line = content.windows(3).filter(|part| *part == marker).count() > 1;
        if is_one_line || self.endless_heredocs >= MAX_ENDLESS_HEREDOCS {
            return line + 1;
        }
        let mut rest = line + 1..self.lines.count();
        match rest.find(|line| self.content(*line).trim_ascii_start().starts_with(marker)) {
            Some(end) => end + 1,
            // Without an end, it isn't a heredoc.
            None => {
                self.endless_heredocs += 1;
                line + 1
            }
        }
    }
}

/// Whether a line ends in `do`, which a comment may follow.
fn opens_body(line: &[u8]) -> bool {
    let ends_in_do = |content: &[u8]| {
        let before = content.trim_ascii_end().strip_suffix(b"do");
        before.is_some_and(|before| before.ends_with(b" ") || before.trim_ascii().is_empty())
    };
    let comment = line.windows(2).rposition(|pair| pair == b" #");
    ends_in_do(line) || comment.is_some_and(|at| ends_in_do(&line[..at]))
}

/// Whether a line begins with a closing bracket.
fn closes(line: &[u8]) -> bool {
    line.trim_ascii_start().first().is_some_and(|byte| matches!(byte, b')' | b']' | b'}'))
}
