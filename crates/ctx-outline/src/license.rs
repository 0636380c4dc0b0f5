use crate::lines::{LineStarts, is_blank};
use std::ops::Range;

/// A notice begins within as many lines.
const MAX_LINES_BEFORE: usize = 5;
/// A notice is no longer than this.
const MAX_LINES: usize = 300;

/// The lines, counted from 0, of the comment that a text begins with, if it speaks of the text's license.
pub(crate) fn license_notice(text: &str, lines: &LineStarts) -> Option<Range<usize>> {
    let content = |line: usize| {
        let content = &text.as_bytes()[lines.bytes(line)];
        content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content).trim_ascii()
    };
    let opens = |line: &usize| is_comment(content(*line));
    let first = (0..lines.count().min(MAX_LINES_BEFORE)).find(opens)?;
    let is_preamble = |line: usize| {
        content(line).starts_with(b"#region")
            || is_blank(content(line))
            || content(line).starts_with(b"<?")
            || content(line).starts_with(b"#!")
    };
    if !(0..first).all(is_preamble) {
        return None;
    }
    let limit = lines.count().min(first + MAX_LINES);
    let end = if content(first).starts_with(b"/*") {
        (first..limit).find(|line| content(*line).ends_with(b"*/"))? + 1
    } else {
        (first..limit).find(|line| !is_comment(content(*line))).unwrap_or(limit)
    };
    let notice = &text[lines.start(first)..lines.start(end)];
    mentions_license(notice.as_bytes()).then_some(first..end)
}

fn is_comment(line: &[u8]) -> bool {
    // These document the code.
    if line.starts_with(b"///") || line.starts_with(b"//!") {
        return false;
    }
    let marks: [&[u8]; 4] = [b"//", b"/*", b"# ", b"--"];
    marks.iter().any(|mark| line.starts_with(mark)) || line == b"#"
}

fn mentions_license(notice: &[u8]) -> bool {
    let mentions = |word: &[u8]| notice.windows(word.len()).any(|found| found.eq_ignore_ascii_case(word));
    mentions(b"copyright") || mentions(b"license")
}
