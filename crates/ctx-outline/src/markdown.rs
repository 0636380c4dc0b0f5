//! Markdown: headings, with the first lines of each section.

use crate::Kind;
use crate::lines::{LineStarts, indent_of, is_blank};
use crate::outline::Findings;

/// How many non-blank lines are kept at the beginning of a section.
const FIRST_LINES: usize = 3;

struct MarkdownScanner<'t, 's> {
    text: &'t str,
    lines: &'s LineStarts,
    findings: Findings<'t>,
    /// The first omitted line of the current section.
    omit_from: Option<usize>,
    kept: usize,
}

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let mut scanner =
        MarkdownScanner { text, lines, findings: Findings::new(text, lines), omit_from: None, kept: 0 };
    // The characters that opened the current code block.
    let mut fence: Option<&[u8]> = None;
    for line in front_matter(text, lines)..lines.count() {
        let bytes = scanner.line(line);
        if let Some(open) = fence {
            if closes(bytes, open) {
                fence = None;
            }
            scanner.omit_from = scanner.omit_from.or(Some(line));
            continue;
        }
        if is_blank(bytes) {
            continue;
        }
        fence = opens_fence(bytes);
        if fence.is_some() {
            scanner.omit_from = scanner.omit_from.or(Some(line));
        } else if let Some(level) = heading_level(bytes) {
            scanner.section(level, line, line);
        } else if let Some(level) = scanner.underlined(line) {
            scanner.section(level, line - 1, line);
        } else if scanner.omit_from.is_none() {
            scanner.kept += 1;
            if scanner.kept > FIRST_LINES {
                scanner.omit_from = Some(line);
            }
        }
    }
    scanner.close(0, lines.count());
    scanner.findings
}

impl<'t> MarkdownScanner<'t, '_> {
    fn line(&self, line: usize) -> &'t [u8] {
        &self.text.as_bytes()[self.lines.bytes(line)]
    }

    /// Begins the section whose heading ends on the line `last`.
    fn section(&mut self, level: usize, first: usize, last: usize) {
        self.close(level, first);
        let title = self.text[self.lines.bytes(first)].trim().trim_matches('#').trim();
        self.findings.declare(title, Kind::Section, first, last);
        self.findings.open_last(level);
        self.kept = 0;
    }

    /// Ends the sections of `level` and below before the line `end`.
    fn close(&mut self, level: usize, end: usize) {
        let mut last = end;
        while last > 0 && is_blank(self.line(last - 1)) {
            last -= 1;
        }
        if let Some(first) = self.omit_from.take() {
            self.findings.omit(first, last.max(first));
        }
        self.findings.close(level, last.saturating_sub(1));
    }

    /// The level of the heading on the line above, if `line` underlines it.
    fn underlined(&self, line: usize) -> Option<usize> {
        let underline = self.line(line).trim_ascii();
        let byte = *underline.first()?;
        let level = match byte {
            b'=' => 1,
            b'-' => 2,
            _ => return None,
        };
        let above = self.line(line.checked_sub(1)?);
        let first = above.trim_ascii().first()?;
        let paragraph =
            first.is_ascii_alphanumeric() || *first >= 0x80 || matches!(first, b'[' | b'`' | b'_');
        let alone = line < 2 || is_blank(self.line(line - 2));
        (underline.len() > 1 && underline.iter().all(|found| *found == byte) && paragraph && alone)
            .then_some(level)
    }
}

/// The first line after the front matter.
fn front_matter(text: &str, lines: &LineStarts) -> usize {
    let is_mark = |line: usize| text[lines.bytes(line)].trim_end() == "---";
    if lines.count() == 0 || !is_mark(0) {
        return 0;
    }
    (1..lines.count().min(100)).find(|line| is_mark(*line)).map_or(0, |line| line + 1)
}

fn heading_level(line: &[u8]) -> Option<usize> {
    let indent = indent_of(line);
    let rest = &line[indent..];
    let level = rest.iter().take(7).take_while(|byte| **byte == b'#').count();
    let spaced = rest.get(level).is_none_or(u8::is_ascii_whitespace);
    (indent < 4 && (1..=6).contains(&level) && spaced).then_some(level)
}

/// The characters that open a code block on a line, such as three backticks; `None` if it opens none.
fn opens_fence(line: &[u8]) -> Option<&[u8]> {
    let rest = line.trim_ascii_start();
    let byte = *rest.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = rest.iter().take_while(|found| **found == byte).count();
    let code_span = byte == b'`' && rest[length..].contains(&b'`');
    (length >= 3 && !code_span).then_some(&rest[..length])
}

fn closes(line: &[u8], fence: &[u8]) -> bool {
    let rest = line.trim_ascii();
    rest.len() >= fence.len() && rest.iter().all(|byte| *byte == fence[0])
}
