//! `--- CONTEXT FILES BEGIN ---`, `[label]` before each document, `--- CONTEXT FILES END ---`.

use memchr::memchr2_iter;

use super::hazard::{Hazards, Labels};
use super::line::{line_at, seen, starts_line};
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

/// Finds the lines of `text` that a reader would take for a boundary or a label.
pub(super) fn hazards(text: &str, labels: &Labels<'_>) -> Hazards {
    let mut hazards = Hazards::default();
    for line in suspects(text) {
        hazards.boundary |= is_boundary(line);
        hazards.labels.extend(inside_brackets(line).and_then(|label| labels.find(label)));
    }
    hazards.labels.sort_unstable();
    hazards.labels.dedup();
    hazards
}

/// Whether `text` has a line that may be a boundary or a label.
pub(super) fn may_collide(text: &str) -> bool {
    suspects(text).any(|line| is_boundary(line) || inside_brackets(line).is_some())
}

/// The lines that begin as a boundary or a label does.
fn suspects(text: &str) -> impl Iterator<Item = &str> {
    let starts = memchr2_iter(b'[', b'-', text.as_bytes()).filter(|at| starts_line(text, *at));
    starts.map(|at| line_at(text, at))
}

fn is_boundary(line: &str) -> bool {
    [BEGIN, END].into_iter().any(|boundary| seen(line).eq(seen(boundary)))
}

fn inside_brackets(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.strip_suffix(']')
}
