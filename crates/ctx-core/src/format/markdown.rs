//! A label and a fenced code block for each document.
//!
//! The label is a code span and the fence is longer than any run of backticks inside, so that
//! neither can be closed from within.

use super::language::language;
use super::line::{line_at, seen, starts_line};
use super::{Document, Frame, Joint, Style, after_blank_line, missing_newline};

pub(super) struct Markdown;

impl Style for Markdown {
    fn opening(&self, frame: &Frame<'_>) -> String {
        let block = |tree| {
            let fence = fence(tree);
            format!("{fence}text\n{tree}{}{fence}\n\n", missing_newline(tree))
        };
        frame.tree.map(block).unwrap_or_default()
    }

    fn joint(&self, _: &Frame<'_>, joint: Joint) -> String {
        match joint {
            Joint::First => String::new(),
            Joint::Between => "\n".to_owned(),
        }
    }

    fn before(&self, frame: &Frame<'_>, document: &Document<'_>) -> String {
        let label = match frame.id {
            Some(id) => code_span(&format!("{id} {}", document.label)),
            None => code_span(document.label),
        };
        format!("{label}\n\n{}{}\n", fence(document.text), language(document.label))
    }

    fn after(&self, _: &Frame<'_>, document: &Document<'_>) -> String {
        format!("{}{}\n", missing_newline(document.text), fence(document.text))
    }

    fn closing(&self, _: &Frame<'_>, prompt: Option<&str>) -> String {
        after_blank_line(prompt)
    }
}

fn fence(text: &str) -> String {
    "`".repeat(longest_run(text).max(longest_fence(text)).max(2) + 1)
}

/// The most backticks on a line of nothing else that a reader would see.
fn longest_fence(text: &str) -> usize {
    let lines = memchr::memchr_iter(b'`', text.as_bytes()).filter(|at| starts_line(text, *at));
    let fences = lines.map(|at| line_at(text, at)).filter(|line| seen(line).all(|char| char == '`'));
    fences.map(|line| seen(line).count()).max().unwrap_or(0)
}

/// CommonMark takes one blank away at both ends of a code span that has one at both, unless it is
/// blank altogether; so a label with a blank or a backtick at an end gets one more at both.
fn code_span(label: &str) -> String {
    let ticks = "`".repeat(longest_run(label) + 1);
    let blank = label.bytes().all(|byte| byte == b' ');
    let pad = if !blank && (label.starts_with([' ', '`']) || label.ends_with([' ', '`'])) { " " } else { "" };
    format!("{ticks}{pad}{label}{pad}{ticks}")
}

fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    let mut last = None;
    for at in memchr::memchr_iter(b'`', text.as_bytes()) {
        run = if last.is_some_and(|last: usize| last + 1 == at) { run + 1 } else { 1 };
        last = Some(at);
        longest = longest.max(run);
    }
    longest
}
