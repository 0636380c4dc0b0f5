//! Shell scripts: a function ends at the bracket with the same indentation as its name.

use crate::Kind;
use crate::lines::{LineStarts, indent_of};
use crate::outline::Findings;
use std::collections::HashMap;
use std::ops::Range;

/// A function whose end hasn't been found yet.
struct OpenFunction {
    indent: usize,
    /// The index of its declaration.
    place: usize,
    /// The line after its opening line, counted from 0.
    body: usize,
    /// `}` or `)`; `None` until a bracket on a line of its own has been read.
    bracket: Option<u8>,
    /// How many of its brackets are open.
    depth: isize,
}

/// The end of a here-document.
#[derive(PartialEq, Eq, Hash)]
struct HereDocument<'t> {
    mark: &'t [u8],
    /// Whether tabs may precede the mark.
    may_be_indented: bool,
}

/// The beginning of a function on a line.
struct Header {
    name: Range<usize>,
    bracket: Option<u8>,
    /// How many of its brackets are open after the line.
    depth: isize,
    /// Whether it ends on the same line.
    is_closed: bool,
}

/// The offsets of the bytes in a line that aren't escaped, quoted, or part of a comment or an arithmetic
/// expression.
struct Unquoted<'t> {
    line: &'t [u8],
    at: usize,
    /// Whether something on the line was opened but not closed; nothing after it counts as quoted.
    is_unclosed: bool,
}

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let mut findings = Findings::new(text, lines);
    let (mut open, mut comment): (Option<OpenFunction>, usize) = (None, 0);
    let mut ends: Option<HashMap<HereDocument<'t>, usize>> = None;
    let mut here: Option<HereDocument<'t>> = None;
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
        // Only the last here-document that begins on a line matters, since the others end before it. One
        // without an end doesn't count.
        here = here_documents(line)
            .filter(|document| {
                ends.get_or_insert_with(|| last_ends(text, lines))
                    .get(document)
                    .is_some_and(|end| *end > number)
            })
            .last();
        let header = header(rest);
        let indent = indent_of(line);
        // A function at the same indentation means that the end of the open one was missed.
        open = open.filter(|function| header.is_none() || function.indent != indent);
        if let Some(function) = &mut open {
            if let Some(end) = function.meets(line, number) {
                findings.omit(function.body, end);
                findings.end_declaration(function.place, number);
                open = None;
            }
        } else if let Some(header) = header {
            let name = range.start + line.len() - rest.len();
            let name = &text[name + header.name.start..name + header.name.end];
            let place = findings.declare(name, Kind::Function, comment, number);
            let Header { bracket, depth, .. } = header;
            let function = OpenFunction { indent, place, body: number + 1, bracket, depth };
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
    findings
}

impl OpenFunction {
    /// The line after its body, if this line ends the function.
    fn meets(&mut self, line: &[u8], number: usize) -> Option<usize> {
        let rest = line.trim_ascii_start();
        let Some(bracket) = self.bracket else {
            self.bracket = rest.first().copied().and_then(closing);
            self.body = number + 1;
            self.depth = self.bracket.map_or(0, |bracket| depth(rest, bracket));
            // Anything that isn't a bracket is the whole body: a command such as `[[ … ]]`, or a statement.
            return (self.bracket.is_none() && !rest.is_empty()).then_some(number);
        };
        if indent_of(line) == self.indent && rest.first() == Some(&bracket) {
            return Some(number);
        }
        self.depth += depth(rest, bracket);
        // `echo last; }`: parentheses aren't counted, since `case` has unpaired ones.
        let is_end =
            self.depth <= 0 && [&b" }"[..], b";}"].iter().any(|end| rest.trim_ascii_end().ends_with(end));
        (bracket == b'}' && is_end).then_some(number)
    }
}

impl HereDocument<'_> {
    fn ends_with(&self, line: &[u8]) -> bool {
        let line = if self.may_be_indented { without_tabs(line) } else { line };
        line.trim_ascii_end() == self.mark
    }
}

impl Iterator for Unquoted<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            let at = self.at;
            let byte = *self.line.get(at)?;
            let before = at.checked_sub(1).map(|before| self.line[before]);
            let is_word = before.is_none_or(|byte| byte.is_ascii_whitespace() || b";|&()".contains(&byte));
            let rest = &self.line[at + 1..];
            let end = match byte {
                b'#' if is_word => Some(rest.len()),
                b'\\' => Some(1),
                _ if self.is_unclosed => None,
                b'\'' | b'"' => self.quoted(byte, byte == b'"' || before == Some(b'$')),
                b'(' if rest.starts_with(b"(") => {
                    self.closed(rest.windows(2).position(|pair| pair == b"))"), 2)
                }
                b'[' if before == Some(b'$') => self.closed(rest.iter().position(|byte| *byte == b']'), 1),
                _ => None,
            };
            self.at = at + 1 + end.unwrap_or(0);
            if end.is_none() {
                return Some(at);
            }
        }
    }
}

impl<'t> Unquoted<'t> {
    fn of(line: &'t [u8]) -> Self {
        Self { line, at: 0, is_unclosed: false }
    }

    /// How many bytes from here to the end of the quote.
    fn quoted(&mut self, quote: u8, has_escapes: bool) -> Option<usize> {
        let mut is_escaped = false;
        let end = self.line[self.at + 1..].iter().position(|byte| {
            let is_end = *byte == quote && !is_escaped;
            is_escaped = has_escapes && *byte == b'\\' && !is_escaped;
            is_end
        });
        self.closed(end, 1)
    }

    fn closed(&mut self, end: Option<usize>, length: usize) -> Option<usize> {
        self.is_unclosed |= end.is_none();
        end.map(|end| end + length)
    }
}

/// How many more of the brackets a line opens than it closes.
fn depth(line: &[u8], bracket: u8) -> isize {
    let of = |at: usize| match line[at] {
        byte if closing(byte) == Some(bracket) => 1,
        byte if byte == bracket => -1,
        _ => 0,
    };
    Unquoted::of(line).map(of).sum()
}

fn without_tabs(line: &[u8]) -> &[u8] {
    &line[line.iter().take_while(|byte| **byte == b'\t').count()..]
}

/// The last line that would end each here-document.
fn last_ends<'t>(text: &'t str, lines: &LineStarts) -> HashMap<HereDocument<'t>, usize> {
    let of_line = |number: usize| {
        let line = text.as_bytes()[lines.bytes(number)].trim_ascii_end();
        [(line, false), (without_tabs(line), true)]
            .map(|(mark, may_be_indented)| (HereDocument { mark, may_be_indented }, number))
    };
    (0..lines.count()).flat_map(of_line).collect()
}

fn closing(byte: u8) -> Option<u8> {
    match byte {
        b'{' => Some(b'}'),
        b'(' => Some(b')'),
        _ => None,
    }
}

/// `name() {`, `function name {` and similar; offsets are relative to the line without its indentation.
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
    // `[[ … ]]`, or a single command, is a body of one line.
    let depth = bracket.map_or(0, |bracket| depth(body, bracket));
    let is_closed = match bracket {
        Some(_) => depth <= 0,
        None => !(body.is_empty() || body.starts_with(b"#")),
    };
    Some(Header { name: start..end, bracket, depth, is_closed })
}

fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'-' | b'.' | b':' | b'@' | b'+')
}

/// The name that an unindented line assigns to.
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

/// The here-documents that begin on a line.
fn here_documents(line: &[u8]) -> impl Iterator<Item = HereDocument<'_>> {
    let mut unquoted = Unquoted::of(if line.windows(2).any(|pair| pair == b"<<") { line } else { b"" });
    std::iter::from_fn(move || {
        loop {
            let at = unquoted.find(|at| line[*at..].starts_with(b"<<"))?;
            let rest = &line[at + 2..];
            // `<<<` is followed by a word.
            let is_word = rest.starts_with(b"<");
            let may_be_indented = rest.starts_with(b"-");
            let rest = rest[usize::from(may_be_indented || is_word)..].trim_ascii_start();
            let mark = mark(rest);
            unquoted.at = line.len() - rest.len();
            if let Some(mark) = mark.filter(|mark| !mark.is_empty() && !is_word) {
                return Some(HereDocument { mark, may_be_indented });
            }
        }
    })
}

/// The word that `text` begins with, without quotes around the whole word.
fn mark(text: &[u8]) -> Option<&[u8]> {
    let quote = text.first().copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let text = &text[usize::from(quote.is_some() || text.starts_with(b"\\"))..];
    let ends = |byte: &u8| match quote {
        Some(quote) => *byte == quote,
        None => byte.is_ascii_whitespace() || b";|&<>()".contains(byte),
    };
    let end = text.iter().position(ends).or(quote.is_none().then_some(text.len()))?;
    Some(&text[..end])
}

#[cfg(test)]
mod tests {
    use crate::{Language, outline};

    const BODY: &str = "    echo first of the lines of a body\n    echo second of the lines of a body\n";

    /// The outline as printed, with `…` for each omitted body.
    fn outlined(text: &str) -> String {
        outline(text, Language::Shell).render_with(|_| "…".to_owned())
    }

    /// The outline of a function whose body begins with `lines`, followed by a second function.
    fn with_lines(lines: &str) -> String {
        outlined(&format!("usage() {{\n{lines}{BODY}}}\nmain() {{\n{BODY}}}\nmain\n"))
    }

    const BOTH: &str = "usage() {\n…\n}\nmain() {\n…\n}\nmain\n";

    #[test]
    fn lookalikes_of_here_documents_are_ignored() {
        for line in [
            "    echo \"feed it with <<EOF and end it\"\n",
            "    echo 'feed it with <<EOF and end it'\n",
            "    echo $'it\\'s <<EOF and ends'\n",
            "    echo a # like <<HERE\n",
            "    echo $[1<<n] $((1<<n))\n",
            "    (( x = 1<<n ))\n",
            "    tr a b <<<EOF\n",
            "    echo \\<<EOF\n",
            "    cat <<EOF\n",
            "    echo \"a text\n    with <<TWO lines\"\n",
        ] {
            assert_eq!(with_lines(line), BOTH, "{line}");
            // They are also ignored if a word that would end a here-document is on a line of its own.
            let is_never_one = !line.contains("cat") && !line.contains("TWO");
            let marked = format!("{line}}}\nEOF\nHERE\nn\nother() {{\n");
            let expected = "usage() {\n…\n}\nEOF\nHERE\nn\nother() {\n…\n}\nmain() {\n…\n}\nmain\n";
            let body = BODY.repeat(2);
            assert!(!is_never_one || with_lines(&format!("{body}{marked}")) == expected, "{line}");
        }
    }

    #[test]
    fn any_word_can_end_a_here_document() {
        for (mark, end) in [
            ("END-OF-TEXT", "END-OF-TEXT"),
            ("'END OF TEXT'", "END OF TEXT"),
            ("\"a.b\"", "a.b"),
            ("\\EOF", "EOF"),
            ("- é!", "\té!"),
            ("EOF;", "EOF"),
            ("EOF|wc", "EOF"),
            ("1 <<EOF", "EOF"),
        ] {
            assert_eq!(with_lines(&format!("    cat <<{mark}\n}}\nother() {{\n{end}\n")), BOTH, "{mark}");
        }
    }

    #[test]
    fn function_ends_at_the_end_of_its_last_line() {
        assert_eq!(
            outlined(&format!("f() {{ echo a\n{BODY}    echo b; }}\nmain() {{\n{BODY}}}\nmain\n")),
            "f() { echo a\n…\n    echo b; }\nmain() {\n…\n}\nmain\n"
        );
        let groups = format!("    a || {{\n    b; }}\n    {{ c; }}\n{BODY}");
        assert_eq!(with_lines(&groups), BOTH);
        for closed in ["f() { a; } # what it does", "f() { a; } >&2", "f() ( a; ) >&2", "f() { echo '{'; }"] {
            assert_eq!(
                outlined(&format!("{closed}\n{BODY}main() {{\n{BODY}{BODY}}}\n")),
                format!("{closed}\n{BODY}main() {{\n…\n}}\n")
            );
        }
    }

    #[test]
    fn unclosed_function_is_kept_whole() {
        assert_eq!(
            outlined(&format!("f() {{\n{BODY}    }}\ng() (\n{BODY}\nmain() {{\n{BODY}{BODY}}}\nmain\n")),
            format!("f() {{\n{BODY}    }}\ng() (\n{BODY}\nmain() {{\n…\n}}\nmain\n")
        );
        let text = format!("main() {{\n{BODY}}}\nf() {{\n{BODY}main\n");
        assert_eq!(outlined(&text), format!("main() {{\n…\n}}\nf() {{\n{BODY}main\n"));
    }
}
