//! `--- CONTEXT FILES BEGIN ---`, `[label]` before each document, `--- CONTEXT FILES END ---`; then the
//! instruction, and the conversation between `--- CHAT HISTORY BEGIN ---` and `--- CHAT HISTORY END ---`.

use memchr::memchr2_iter;

use super::around::{Around, Sections};
use super::line::{Hazards, LabelNumbers, foreign_starts, line_at, mixed_up, seen, starts_line};
use super::look_alike::{folded, unified};
use super::name::{Change, GONE, marks};
use super::{Frame, Id, PrintedDocument, Style, as_it_is, followed, missing_newline, prompt_section};
use crate::history::{Said, written};

const FILES: &str = "CONTEXT FILES";
const CHANGES: &str = "CONTEXT FILES CHANGED";
const HISTORY: &str = "CHAT HISTORY";
const FILE_BOUNDARIES: [&str; 4] = [
    "--- CONTEXT FILES BEGIN ---",
    "--- CONTEXT FILES END ---",
    "--- CONTEXT FILES CHANGED BEGIN ---",
    "--- CONTEXT FILES CHANGED END ---",
];
const HISTORY_BOUNDARIES: [&str; 2] = ["--- CHAT HISTORY BEGIN ---", "--- CHAT HISTORY END ---"];
const INSTRUCTION: &str = "Follow this instruction";

pub(super) static STYLE: Style = Style { opening, joint, before, body: as_it_is, after, closing, alone };

pub(super) fn opening(frame: &Frame<'_>) -> String {
    let mut opening = boundary(files(frame), "BEGIN", frame.id);
    let gone = frame.around.gone.into_iter().flatten();
    opening.extend(gone.map(|label| label_line(frame.id, label, Some(GONE))));
    if frame.around.has_gone() {
        opening.push('\n');
    }
    if let Some(tree) = frame.around.tree {
        opening.push_str(tree);
        opening.push_str(missing_newline(tree));
        opening.push('\n');
    }
    opening
}

pub(super) fn joint(_: &Frame<'_>, is_first: bool) -> String {
    if is_first { String::new() } else { "\n".to_owned() }
}

pub(super) fn before(frame: &Frame<'_>, document: &PrintedDocument<'_>) -> String {
    label_line(frame.id, document.label, document.change.map(Change::name))
}

pub(super) fn after(_: &Frame<'_>, document: &PrintedDocument<'_>) -> String {
    missing_newline(document.text).to_owned()
}

fn closing(frame: &Frame<'_>, prompt: Option<&str>) -> String {
    end(frame) + &followed(&sections(frame, prompt))
}

fn alone(frame: &Frame<'_>, prompt: Option<&str>) -> String {
    sections(frame, prompt).join("\n")
}

/// The boundary after the documents.
pub(super) fn end(frame: &Frame<'_>) -> String {
    boundary(files(frame), "END", frame.id)
}

/// The boundary after a conversation.
pub(super) fn history_end(id: Option<Id>) -> String {
    boundary(HISTORY, "END", id)
}

/// The sections after the documents.
fn sections(frame: &Frame<'_>, prompt: Option<&str>) -> Vec<String> {
    let Around { instruction, chat, .. } = frame.around;
    let instruction = instruction.map(|text| {
        let id = frame.id.map(|id| format!(" [{id}]")).unwrap_or_default();
        format!("{INSTRUCTION}{id}: {text}{}", missing_newline(text))
    });
    let chat = chat.map(|chat| conversation(&chat.said(), frame.id));
    instruction.into_iter().chain(chat).chain(prompt_section(prompt)).collect()
}

/// The messages, between their boundaries.
pub(super) fn conversation(said: &[Said<'_>], id: Option<Id>) -> String {
    boundary(HISTORY, "BEGIN", id) + &written(said, id) + &history_end(id)
}

/// The name of the documents in the boundaries.
fn files(frame: &Frame<'_>) -> &'static str {
    if frame.around.gone.is_some() { CHANGES } else { FILES }
}

fn label_line(id: Option<Id>, label: &str, mark: Option<&str>) -> String {
    let id = id.map(|id| format!("{id} ")).unwrap_or_default();
    let mark = mark.map(|mark| format!(": {mark}")).unwrap_or_default();
    format!("[{id}{label}{mark}]\n")
}

fn boundary(of: &str, which: &str, id: Option<Id>) -> String {
    match id {
        Some(id) => format!("--- {of} {which} {id} ---\n"),
        None => format!("--- {of} {which} ---\n"),
    }
}

/// Finds the lines of `text` that a reader would take for a boundary, a label or another line of the block.
pub(super) fn hazards(text: &str, labels: &LabelNumbers<'_>, sections: Sections) -> Hazards {
    let mut hazards = Hazards { boundary: instructs(text, sections), labels: Vec::new() };
    for line in suspects(text) {
        hazards.boundary |= is_boundary(line, sections);
        hazards.labels.extend(inside_brackets(line).and_then(|label| labels.find(label)));
    }
    hazards.labels.sort_unstable();
    hazards.labels.dedup();
    hazards
}

/// Whether `text` has a line that may be a boundary, a label or another line of the block.
pub(super) fn may_collide(text: &str, sections: Sections) -> bool {
    suspects(text).any(|line| is_boundary(line, sections) || inside_brackets(line).is_some())
        || instructs(text, sections)
}

/// The lines that begin like a boundary or a label.
fn suspects(text: &str) -> impl Iterator<Item = &str> {
    let starts = memchr2_iter(b'[', b'-', text.as_bytes()).filter(|at| starts_line(text, *at));
    starts.chain(foreign_starts(text, &['[', '-'])).map(|at| line_at(text, at))
}

/// Whether a line is a boundary of the block, or the label of any turn: as a conversation grows, the answer must
/// not change.
fn is_boundary(line: &str, sections: Sections) -> bool {
    let is_one_of = |boundaries: &[&str]| boundaries.iter().any(|boundary| is_like(line, boundary));
    is_one_of(&FILE_BOUNDARIES)
        || sections.chat && (is_one_of(&HISTORY_BOUNDARIES) || inside_brackets(line).is_some_and(is_voice))
        || sections.changes && inside_brackets(line).is_some_and(is_marked)
}

/// Whether a reader would take a line for a boundary, with any id or without one.
fn is_like(line: &str, boundary: &str) -> bool {
    let mut seen = mixed_up(line);
    let mut words = mixed_up(boundary.trim_end_matches('-'));
    let is_of_id = |char: &char| char.is_ascii_digit() || *char == unified('0') || *char == unified('1');
    words.all(|char| seen.next() == Some(char)) && seen.skip_while(is_of_id).eq(['-'])
}

/// Whether a reader would take `[label]` for the label of a message.
fn is_voice(label: &str) -> bool {
    let text: String = seen(label).collect();
    // The words are also compared as a reader sees them: an ellipsis looks like three dots.
    let after = |word: &str| {
        let rest = text.strip_prefix(seen(word).collect::<String>().as_str())?;
        let digits = rest.trim_start_matches(|char: char| char.is_ascii_digit());
        (digits.len() < rest.len()).then_some(digits)
    };
    after("turn").is_some_and(|rest| rest.starts_with(':'))
        || after("turns").is_some_and(|rest| rest.starts_with('-'))
        || after("…").is_some_and(|rest| rest.starts_with("earlierturn"))
}

/// Whether a reader would take bracketed text for the label of a file that has changed or is gone, whatever
/// its name: the reader may have it from an earlier block.
fn is_marked(label: &str) -> bool {
    let seen: String = seen(label).collect();
    let ends = |mark: &str| seen.strip_suffix(mark).is_some_and(|rest| rest.ends_with(':'));
    marks().any(ends)
}

/// Whether a line begins like the label of an instruction.
fn instructs(text: &str, sections: Sections) -> bool {
    let begins = |at: usize| {
        let mut rest = mixed_up(&text[at..]);
        let mut words = mixed_up(INSTRUCTION);
        words.all(|char| rest.next() == Some(char)) && matches!(rest.next(), Some(':' | '['))
    };
    let starts = || memchr2_iter(b'F', b'f', text.as_bytes()).filter(|at| starts_line(text, *at));
    sections.instruction && starts().chain(foreign_starts(text, &['f'])).any(begins)
}

fn inside_brackets(line: &str) -> Option<&str> {
    let is = |seen: char| move |char: char| folded(char).eq([seen]);
    line.strip_prefix(is('['))?.strip_suffix(is(']'))
}
