//! Extracts lines from text.

use std::ops::Range;

use crate::entry::Lines;
use crate::words::{WrongText, grouped};

/// The error for text that ends at line `last`, before the first requested line.
fn past_the_end(last: u64) -> WrongText {
    WrongText::new(format!("starts after the last line, {}", grouped(last)))
}

/// Extracts lines from `text`, as far as it has them.
///
/// # Errors
/// If the text ends before the first of these lines.
pub fn cut(text: &str, lines: Lines) -> Result<&str, WrongText> {
    range(text, lines).map(|range| &text[range])
}

/// The bytes of lines of `text`, as far as it has them.
///
/// # Errors
/// If the text ends before the first of these lines.
pub(super) fn range(text: &str, lines: Lines) -> Result<Range<usize>, WrongText> {
    let mut start = None;
    let mut end = text.len();
    let mut last = 0;
    let mut at = 0;
    while at < text.len() {
        let line_end =
            memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length + 1);
        last += 1;
        if last == lines.first {
            start = Some(at);
        }
        at = line_end;
        if Some(last) == lines.last {
            end = at;
            break;
        }
    }
    let start = start.ok_or_else(|| past_the_end(last))?;
    Ok(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Allowance, Allowed};
    use crate::guard::clean_lines;

    fn lines(text: &str) -> Lines {
        text.parse().unwrap()
    }

    #[test]
    fn lines_are_cut_up_to_the_end_of_the_text() {
        let text = "one\ntwo\r\n\nfour";
        for (range, expected, last) in [
            ("1", "one\n", 1),
            ("2-3", "two\r\n\n", 3),
            ("3-99", "\nfour", 4),
            ("1-", text, 4),
            ("4", "four", 4),
        ] {
            assert_eq!(cut(text, lines(range)), Ok(expected), "{range}");
            let cleaned = clean_lines(text.to_owned(), lines(range), Allowed::default()).unwrap();
            assert_eq!(cleaned.lines.last, Some(last), "{range}");
        }
        assert_eq!(cut(text, lines("5-6")), Err(past_the_end(4)));
        assert_eq!(cut("", lines("1")), Err(past_the_end(0)));
        assert_eq!(cut("a\n", lines("2")), Err(past_the_end(1)));
    }

    #[test]
    fn secret_that_begins_before_the_lines_is_replaced_on_each_of_them() {
        let key = format!(
            "-----BEGIN {0} KEY-----\n{1}\n{1}\n{1}\n-----END {0} KEY-----",
            "RSA PRIVATE", "MIIEpAIBAAKCAQEAvRWzO3wqzXk3mhg4hbRvF8nQ1sJ0gY2f5d7e9c1b3a5f7e9d"
        );
        let text = format!("a\n{key}\nb\nc\n");
        let told = |range: &str| {
            let found = clean_lines(text.clone(), lines(range), Allowed::default()).unwrap();
            let secrets = found.text.replacements().len();
            (found.text.into_string(), secrets)
        };
        let marker = "[REDACTED:private-key]\n";
        assert_eq!(told("4-5"), (marker.repeat(2), 1));
        assert_eq!(told("6-7"), (format!("{marker}b\n"), 1));
        assert_eq!(told("7-8"), ("b\nc\n".to_owned(), 0));
        let allowed = Allowed::from_iter([Allowance::Secrets]);
        assert!(clean_lines(text, lines("2"), allowed).unwrap().text.starts_with("-----BEGIN"));
    }

    #[test]
    fn hidden_characters_on_other_lines_are_not_counted() {
        let text = "a\u{202e}\nb\u{202e}\u{200b}\n".to_owned();
        let found = clean_lines(text, lines("1"), Allowed::default()).unwrap();
        assert_eq!((found.text.as_str(), found.text.replacements().len()), ("a<U+202E>\n", 1));
    }
}
