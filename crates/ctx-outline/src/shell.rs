//! Shell scripts: a function ends at the bracket that is indented as its name is.

use crate::Kind;
use crate::lines::{LineStarts, indent_of};
use crate::outline::Findings;
use std::ops::Range;

/// A function whose end was not seen yet.
struct OpenFunction {
    indent: usize,
    /// The place of its declaration.
    place: usize,
    /// The line, from 0, after the one that opens it.
    body: usize,
    /// `}` or `)`; unknown while the bracket is to come on a line of its own.
    bracket: Option<u8>,
}

/// What ends a here-document.
struct HereDocument<'t> {
    mark: &'t [u8],
    /// Whether tabs may stand before the mark.
    may_be_indented: bool,
}

/// A function as it begins on a line.
struct Header {
    name: Range<usize>,
    bracket: Option<u8>,
    /// Whether it ends on the same line.
    is_closed: bool,
}

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let mut findings = Findings::new(text, lines);
    let (mut open, mut here, mut comment): (Option<OpenFunction>, Option<HereDocument<'t>>, usize) =
        (None, None, 0);
    for number in 0..lines.count() {
        let range = lines.bytes(number);
        let line = &text.as_bytes()[range.clone()];
        if let Some(document) = &here {
            if document.ends_with(line) {
                here = None;
            }
            comment = number + 1;
            continue;
        }
        let rest = line.trim_ascii_start();
        if rest.starts_with(b"#") {
            continue;
        }
        here = here_document(line);
        if let Some(function) = &mut open {
            if function.meets(line, number) {
                findings.omit(function.body, number);
                findings.end_declaration(function.place, number);
                open = None;
            }
        } else if let Some(header) = header(rest) {
            let indent = indent_of(line);
            let name = range.start + line.len() - rest.len();
            let name = &text[name + header.name.start..name + header.name.end];
            let place = findings.declare(name, Kind::Function, comment, number);
            let function = OpenFunction { indent, place, body: number + 1, bracket: header.bracket };
            open = (!header.is_closed).then_some(function);
        } else if let Some(name) = assigned(line) {
            findings.declare(
                &text[range.start + name.start..range.start + name.end],
                Kind::Value,
                comment,
                number,
            );
        }
        comment = number + 1;
    }
    if let Some(function) = open.filter(|function| function.bracket.is_some()) {
        findings.omit(function.body, lines.count());
        findings.end_declaration(function.place, lines.count().saturating_sub(1));
    }
    findings
}

impl OpenFunction {
    /// Whether a line ends the function.
    fn meets(&mut self, line: &[u8], number: usize) -> bool {
        let rest = line.trim_ascii_start();
        let Some(bracket) = self.bracket else {
            self.bracket = rest.first().copied().and_then(closing);
            self.body = number + 1;
            // What is no bracket is all of it, a command such as `[[ … ]]` or a statement.
            return self.bracket.is_none() && !rest.is_empty();
        };
        indent_of(line) == self.indent && rest.first() == Some(&bracket)
    }
}

impl HereDocument<'_> {
    fn ends_with(&self, line: &[u8]) -> bool {
        let tabs = line.iter().take_while(|byte| **byte == b'\t').count();
        let line = if self.may_be_indented { &line[tabs..] } else { line };
        line.trim_ascii_end() == self.mark
    }
}

fn closing(byte: u8) -> Option<u8> {
    match byte {
        b'{' => Some(b'}'),
        b'(' => Some(b')'),
        _ => None,
    }
}

/// `name() {`, `function name {` and the like; offsets are those of the line without its indentation.
fn header(line: &[u8]) -> Option<Header> {
    let word = line
        .strip_prefix(b"function")
        .filter(|rest| rest.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')));
    let start = word.map_or(0, |rest| line.len() - rest.trim_ascii_start().len());
    let is_in_name = |byte: &&u8| is_in_name(**byte);
    let end = start + line[start..].iter().take_while(is_in_name).count();
    let after = line[end..].trim_ascii();
    let brackets =
        after.strip_prefix(b"(").map(<[u8]>::trim_ascii_start).and_then(|rest| rest.strip_prefix(b")"));
    if start == end || brackets.is_none() && word.is_none() {
        return None;
    }
    let body = brackets.unwrap_or(after).trim_ascii_start();
    let bracket = body.first().copied().and_then(closing);
    // `[[ … ]]`, or a command alone, is a body of one line.
    let is_closed = match bracket {
        Some(bracket) => body.contains(&bracket) && body.trim_ascii_end().ends_with(&[bracket]),
        None => !(body.is_empty() || body.starts_with(b"#")),
    };
    Some(Header { name: start..end, bracket, is_closed })
}

fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'-' | b'.' | b':' | b'@' | b'+')
}

/// The name that a line sets which is not indented.
fn assigned(line: &[u8]) -> Option<Range<usize>> {
    let prefixes: [&[u8]; 4] = [b"export ", b"readonly ", b"declare ", b"typeset "];
    let mut start = prefixes.iter().find(|prefix| line.starts_with(prefix)).map_or(0, |prefix| prefix.len());
    while line.get(start) == Some(&b'-') {
        start += line[start..].iter().take_while(|byte| **byte != b' ' && **byte != b'\n').count();
        start += line[start..].iter().take_while(|byte| **byte == b' ').count();
    }
    let is_in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let end = start + line[start..].iter().take_while(is_in_name).count();
    let is_set = line.get(end) == Some(&b'=') || line[end..].starts_with(b"+=");
    (is_set && end > start && !line[start].is_ascii_digit()).then_some(start..end)
}

/// The here-document that begins after a line: the last one, since the others end before it does.
fn here_document(line: &[u8]) -> Option<HereDocument<'_>> {
    let at = line.windows(2).rposition(|pair| pair == b"<<")?;
    let before = &line[..at];
    // `<<<` gives a word, `$((1 << 2))` a number.
    let is_other = before.ends_with(b"<") || before.windows(2).any(|pair| pair == b"((");
    let rest = &line[at + 2..];
    let may_be_indented = rest.starts_with(b"-");
    let rest = rest[usize::from(may_be_indented)..].trim_ascii_start();
    let quote = rest.first().copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'\\'));
    let rest = &rest[usize::from(quote.is_some())..];
    let end = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let is_quoted = quote.is_none_or(|quote| quote == b'\\' || rest.get(end) == Some(&quote));
    let is_mark = end > 0 && is_quoted && !rest[0].is_ascii_digit() && !is_other;
    is_mark.then_some(HereDocument { mark: &rest[..end], may_be_indented })
}
