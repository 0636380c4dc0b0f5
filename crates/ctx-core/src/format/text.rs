//! `--- CONTEXT FILES BEGIN ---`, `[label]` before each document, `--- CONTEXT FILES END ---`; then the
//! instruction, and the conversation between `--- CHAT HISTORY BEGIN ---` and `--- CHAT HISTORY END ---`.

use super::around::{Around, Sections};
use super::name::{Change, GONE, marks};
use super::{Frame, Id, PrintedDocument, Style, as_it_is, followed, missing_newline, prompt_section};
use crate::forgery::{
    Hazards, LabelNumbers, Mark, bracketed, is_foreign, lines_with, opens_label, reads, seen, unified,
};
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

pub(super) static STYLE: Style =
    Style { opening, joint, before, body: as_it_is, after, closing, alone, begins };

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
    label_line(frame.id, &document.printed_label(), document.change.map(Change::name))
}

pub(super) fn after(_: &Frame<'_>, document: &PrintedDocument<'_>) -> String {
    missing_newline(document.text).to_owned()
}

fn closing(frame: &Frame<'_>) -> String {
    end(frame) + &followed(&sections(frame))
}

fn alone(frame: &Frame<'_>) -> String {
    sections(frame).join("\n")
}

pub(super) fn begins(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let id_of =
        |of| line.strip_prefix("--- ")?.strip_prefix(of)?.strip_prefix(" BEGIN ")?.strip_suffix("---");
    [FILES, CHANGES]
        .into_iter()
        .filter_map(id_of)
        .any(|id| id.is_empty() || id.strip_suffix(' ').is_some_and(Id::is_id))
}

/// The boundary after the documents.
pub(super) fn end(frame: &Frame<'_>) -> String {
    boundary(files(frame), "END", frame.id)
}

/// What was said, between the boundaries of a conversation.
pub(super) fn history(said: &str, id: Option<Id>) -> String {
    boundary(HISTORY, "BEGIN", id) + said + &boundary(HISTORY, "END", id)
}

/// The sections after the documents.
fn sections(frame: &Frame<'_>) -> Vec<String> {
    let Around { instruction, chat, .. } = frame.around;
    let instruction = instruction.map(|text| {
        let id = frame.id.map(|id| format!(" [{id}]")).unwrap_or_default();
        format!("{INSTRUCTION}{id}: {text}{}", missing_newline(text))
    });
    let chat = chat.map(|chat| conversation(&chat.said(), frame.id));
    instruction.into_iter().chain(chat).chain(prompt_section(&frame.around)).collect()
}

/// The messages, between their boundaries.
pub(super) fn conversation(said: &[Said<'_>], id: Option<Id>) -> String {
    history(&written(said, id), id)
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
    let mut hazards = Hazards::default();
    for line in suspects(text, sections) {
        let label = bracketed(line);
        hazards.boundary |= is_boundary(line, label.as_deref(), sections);
        hazards.labels.extend(label.iter().flat_map(|label| labels.find(label)));
    }
    hazards.labels.sort_unstable();
    hazards.labels.dedup();
    hazards
}

/// Whether `text` has a line that may be a boundary, a label or another line of the block.
pub(super) fn may_collide(text: &str, sections: Sections) -> bool {
    suspects(text, sections).any(|line| {
        let label = bracketed(line);
        label.is_some() || is_boundary(line, None, sections)
    })
}

/// The lines that may be a line of the block, found by a bracket or the rarest letter of each kind.
fn suspects(text: &str, sections: Sections) -> impl Iterator<Item = &str> {
    let marks = [
        Some(Mark { bytes: [b'['; 2], after: "" }),
        Some(Mark { bytes: *b"xX", after: "CONTE" }),
        sections.chat.then_some(Mark { bytes: *b"yY", after: "CHATHISTOR" }),
        sections.instruction.then_some(Mark { bytes: *b"wW", after: "FOLLO" }),
    ];
    let may_begin = |line: &&str| {
        let first = line.bytes().position(|byte| byte.is_ascii_alphanumeric() || is_foreign(byte));
        let (lead, rest) = line.split_at(first.unwrap_or(line.len()));
        let is_known = |byte: u8| b"cCfF".contains(&byte) || is_foreign(byte);
        opens_label(lead) || rest.bytes().next().is_some_and(is_known)
    };
    lines_with(text, marks.into_iter().flatten()).filter(may_begin)
}

/// Whether a line, with the label that it shows, is a line of the block. As a conversation grows, the answer
/// must not change, so the labels of any turn count.
fn is_boundary(line: &str, label: Option<&str>, sections: Sections) -> bool {
    let is_one_of = |beginning: &str, boundaries: &[&str]| {
        reads(&mut seen(line), beginning) && boundaries.iter().any(|boundary| is_like(line, boundary))
    };
    is_one_of(FILES, &FILE_BOUNDARIES)
        || sections.instruction && instructs(line)
        || sections.chat && (is_one_of(HISTORY, &HISTORY_BOUNDARIES) || label.is_some_and(is_voice))
        || sections.changes && label.is_some_and(is_marked)
}

/// Whether a reader would take a line for a boundary, with any id or without one.
fn is_like(line: &str, boundary: &str) -> bool {
    let mut seen = seen(line);
    let is_of_id = |char: char| char.is_ascii_digit() || ['0', '1'].map(unified).contains(&unified(char));
    reads(&mut seen, boundary) && seen.all(|char| is_of_id(char) || !char.is_alphanumeric())
}

/// Whether a reader would take a line for the start of an instruction.
fn instructs(line: &str) -> bool {
    let mut seen = seen(line);
    reads(&mut seen, INSTRUCTION)
        && seen.take_while(|char| !char.is_alphanumeric()).any(|char| matches!(char, ':' | '['))
}

/// Whether a reader would take what is in brackets for the label of a message.
fn is_voice(label: &str) -> bool {
    let after = |word: &str| {
        let rest = label.strip_prefix(word)?;
        let digits = rest.trim_start_matches(|char: char| char.is_ascii_digit());
        (digits.len() < rest.len()).then_some(digits)
    };
    after("turn").is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        || after("turns").is_some_and(|rest| rest.starts_with('-'))
        || after("").is_some_and(|rest| rest.starts_with("earlierturn"))
}

/// Whether a reader would take what is in brackets for the label of a file that has changed or is gone, whatever
/// its name: the reader may have it from an earlier block.
fn is_marked(label: &str) -> bool {
    let ends = |mark: &str| label.strip_suffix(mark).is_some_and(|rest| rest.ends_with(':'));
    marks().any(ends)
}
