//! `--- CONTEXT FILES BEGIN ---`, `[label]` before each document, `--- CONTEXT FILES END ---`.

use memchr::{memchr2, memmem};

use super::hazard::{Hazards, Labels};
use super::{Document, Frame, Id, Joint, Style, after_blank_line, missing_newline};

pub(super) struct Text;

const BEGIN: &str = "--- CONTEXT FILES BEGIN ---";
const END: &str = "--- CONTEXT FILES END ---";
const BOUNDARY: &str = "--- CONTEXT FILES ";

impl Style for Text {
    fn opening(&self, frame: &Frame<'_>) -> String {
        let mut opening = boundary("BEGIN", frame.id);
        if let Some(tree) = frame.tree {
            opening.push_str(tree);
            opening.push_str(missing_newline(tree));
            opening.push('\n');
        }
        opening
    }

    fn joint(&self, _: &Frame<'_>, joint: Joint) -> String {
        match joint {
            Joint::First => String::new(),
            Joint::Between => "\n".to_owned(),
        }
    }

    fn before(&self, frame: &Frame<'_>, document: &Document<'_>) -> String {
        match frame.id {
            Some(id) => format!("[{id} {}]\n", document.label),
            None => format!("[{}]\n", document.label),
        }
    }

    fn after(&self, _: &Frame<'_>, document: &Document<'_>) -> String {
        missing_newline(document.text).to_owned()
    }

    fn closing(&self, frame: &Frame<'_>, prompt: Option<&str>) -> String {
        boundary("END", frame.id) + &after_blank_line(prompt)
    }
}

fn boundary(which: &str, id: Option<Id>) -> String {
    match id {
        Some(id) => format!("{BOUNDARY}{which} {id} ---\n"),
        None => format!("{BOUNDARY}{which} ---\n"),
    }
}

/// Finds the lines of `text` that equal a boundary or a label. A carriage return ends a line too,
/// and blanks at the end of a line do not count: neither makes a difference that a model would see.
pub(super) fn hazards(text: &str, labels: &Labels<'_>) -> Hazards {
    let mut boundary = false;
    for at in memmem::find_iter(text.as_bytes(), BOUNDARY) {
        boundary |= starts_line(text, at) && [BEGIN, END].contains(&line_at(text, at));
    }
    let mut held = Vec::new();
    let at_start = text.starts_with('[').then_some(0);
    let after_feed = memmem::find_iter(text.as_bytes(), "\n[").map(|at| at + 1);
    let after_return = memmem::find_iter(text.as_bytes(), "\r[").map(|at| at + 1);
    for at in at_start.into_iter().chain(after_feed).chain(after_return) {
        let label = line_at(text, at).strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        held.extend(label.and_then(|label| labels.find(label)));
    }
    held.sort_unstable();
    held.dedup();
    Hazards { boundary, labels: held }
}

/// Whether `text` has a line that may be a boundary or a label.
pub(super) fn may_collide(text: &str) -> bool {
    let bytes = text.as_bytes();
    let bracketed = |at: usize| line_at(text, at).ends_with(']');
    text.starts_with('[') && bracketed(0)
        || memmem::find(bytes, BOUNDARY.as_bytes()).is_some()
        || memchr::memchr_iter(b'[', bytes).any(|at| starts_line(text, at) && bracketed(at))
}

fn starts_line(text: &str, at: usize) -> bool {
    at == 0 || matches!(text.as_bytes()[at - 1], b'\n' | b'\r')
}

fn line_at(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let end = memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
    rest[..end].trim_end()
}
