//! Python: bodies end where the indentation does. Code that runs only if the file is the main program counts
//! as a body, too.

use crate::Kind;
use crate::lines::{LineCursor, LineStarts, indent_of, line_end, maybe_triple_string_end, next_word};
use crate::outline::Findings;

/// A logical line, which brackets and strings may extend over several lines of the text.
struct Statement {
    /// The offset of its first non-blank byte.
    start: usize,
    /// The offset of the newline that ends it.
    end: usize,
    indent: usize,
    first_line: usize,
    last_line: usize,
}

struct PythonScanner<'t, 's> {
    text: &'t str,
    bytes: &'t [u8],
    cursor: LineCursor<'s>,
    findings: Findings<'t>,
    /// The first line of the decorators and comments right above the statement.
    above: Option<usize>,
    last_line: usize,
}

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let mut scanner = PythonScanner {
        text,
        bytes: text.as_bytes(),
        cursor: LineCursor::new(lines),
        findings: Findings::new(text, lines),
        above: None,
        last_line: 0,
    };
    let mut at = 0;
    let mut next = scanner.statement(&mut at);
    while let Some(statement) = next {
        next = scanner.read(&statement, &mut at);
    }
    scanner.findings.close(0, scanner.last_line);
    scanner.findings
}

impl PythonScanner<'_, '_> {
    /// Reads the next logical line from `at`, moves `at` past it, and notes comments above it.
    fn statement(&mut self, at: &mut usize) -> Option<Statement> {
        loop {
            let line = *at;
            let indent = indent_of(&self.bytes[line..]);
            let start = line + indent;
            match self.bytes.get(start)? {
                b'\n' | b'\r' | 0x0c => {
                    *at = (line_end(self.bytes, start) + 1).min(self.bytes.len());
                    self.above = None;
                }
                b'#' => {
                    self.above = self.above.or(Some(self.cursor.advance_to(start)));
                    *at = (line_end(self.bytes, start) + 1).min(self.bytes.len());
                }
                _ => {
                    let first_line = self.cursor.advance_to(start);
                    let end = logical_end(self.bytes, start);
                    *at = (end + 1).min(self.bytes.len());
                    let last_line = self.cursor.advance_to(end.saturating_sub(1));
                    return Some(Statement { start, end, indent, first_line, last_line });
                }
            }
        }
    }

    /// Reads one statement, with its body if it is a function, and returns the next one.
    fn read(&mut self, statement: &Statement, at: &mut usize) -> Option<Statement> {
        let above = self.above.take();
        let first_line = above.unwrap_or(statement.first_line);
        self.findings.close(statement.indent, self.last_line);
        self.last_line = statement.last_line;
        let mut word = next_word(self.bytes, statement.start);
        if &self.bytes[word.clone()] == b"async" {
            word = next_word(self.bytes, word.end);
        }
        match &self.bytes[word.clone()] {
            b"def" => {
                let name = next_word(self.bytes, word.end);
                let place =
                    self.findings.declare(&self.text[name], Kind::Function, first_line, statement.last_line);
                return self.body(statement, Some(place), at);
            }
            b"if" if is_main(&self.bytes[statement.start..statement.end]) => {
                return self.body(statement, None, at);
            }
            b"class" => {
                let name = next_word(self.bytes, word.end);
                self.findings.declare(&self.text[name], Kind::Type, first_line, statement.last_line);
                self.findings.open_last(statement.indent);
            }
            b"" if self.bytes[statement.start] == b'@' => self.above = Some(first_line),
            _ if statement.indent == 0 => self.value(statement, word.end),
            _ => {}
        }
        let above = self.above;
        let next = self.statement(at);
        self.above = above.or(self.above);
        next
    }

    /// Declares the variable that a statement such as `NAME = …` or `NAME: TYPE = …` in a module assigns.
    fn value(&mut self, statement: &Statement, name_end: usize) {
        let after = next_word(self.bytes, name_end).start;
        let assigned = match self.bytes.get(after) {
            Some(b'=') => self.bytes.get(after + 1) != Some(&b'='),
            Some(b':') => self.bytes[after..statement.end].contains(&b'='),
            _ => false,
        };
        if assigned {
            let name = &self.text[statement.start..name_end];
            self.findings.declare(name, Kind::Value, statement.first_line, statement.last_line);
        }
    }

    /// Omits the body of the function whose head is `head`, except for the first paragraph of its documentation.
    fn body(&mut self, head: &Statement, place: Option<usize>, at: &mut usize) -> Option<Statement> {
        self.above = None;
        let mut from = head.last_line + 1;
        let mut end = from;
        let mut first = true;
        loop {
            // Comments to the left of the body belong to the next statement.
            let next = self.statement(at);
            let inside = next.as_ref().filter(|next| next.indent > head.indent);
            let Some(statement) = inside else {
                self.findings.omit(from, end);
                if let Some(place) = place {
                    self.findings.end_declaration(place, end.saturating_sub(1));
                }
                self.last_line = self.last_line.max(end.saturating_sub(1));
                return next;
            };
            self.above = None;
            if first && is_string(self.bytes, statement.start) {
                let lines = paragraph_lines(&self.text[statement.start..statement.end]);
                from = statement.first_line + lines;
            }
            first = false;
            end = statement.last_line + 1;
        }
    }
}

/// Whether the statement at `at` is a string.
fn is_string(bytes: &[u8], at: usize) -> bool {
    let prefix = bytes[at..]
        .iter()
        .take(2)
        .take_while(|byte| matches!(byte, b'r' | b'R' | b'u' | b'U' | b'b' | b'B'))
        .count();
    matches!(bytes.get(at + prefix), Some(b'"' | b'\''))
}

/// How many lines of a string come before the end of its first paragraph.
fn paragraph_lines(text: &str) -> usize {
    let opening = text.lines().take_while(|line| !line.contains(char::is_alphanumeric)).count();
    let paragraph = text.lines().skip(opening).take_while(|line| !line.trim().is_empty()).count();
    opening + paragraph
}

/// Whether a statement begins the code that runs only if the file is the main program.
fn is_main(statement: &[u8]) -> bool {
    statement.strip_prefix(b"if").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"__name__"))
}

/// The offset of the newline that ends the logical line at `at`, or the end of the text.
fn logical_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' if depth == 0 => return at,
            // What looks like a definition inside brackets shows that the bracket was never closed.
            b'\n' if begins_definition(bytes, at + 1) => return at,
            b'\\' => at += if bytes.get(at + 1) == Some(&b'\r') { 2 } else { 1 },
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'#' => {
                at = line_end(bytes, at);
                continue;
            }
            b'"' | b'\'' => {
                at = maybe_triple_string_end(bytes, at, true);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn begins_definition(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..];
    rest.starts_with(b"def ") || rest.starts_with(b"class ") || rest.starts_with(b"async def ")
}
