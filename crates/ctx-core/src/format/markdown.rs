//! A label and a fenced code block for each document.
//!
//! The label is a code span, and the fence is longer than any run of backticks inside, so neither can be closed
//! from within. The prompt is not fenced, so ids tell the real labels from those that it imitates.

use super::around::Around;
use super::language::language;
use super::{Frame, Id, PrintedDocument, Style, as_it_is, followed, missing_newline, prompt_section};
use crate::forgery::{Mark, lines_with, reads, seen};
use crate::history::{Said, Voice};

const INSTRUCTION: &str = "Follow this instruction";
const HISTORY: &str = "Chat history";

pub(super) static STYLE: Style =
    Style { opening, joint, before, body: as_it_is, after, closing, alone, begins };

fn opening(frame: &Frame<'_>) -> String {
    let block = |tree| fenced(tree, "text") + "\n";
    frame.around.tree.map(block).unwrap_or_default()
}

fn joint(_: &Frame<'_>, is_first: bool) -> String {
    if is_first { String::new() } else { "\n".to_owned() }
}

fn before(frame: &Frame<'_>, document: &PrintedDocument<'_>) -> String {
    let label = label(frame.id, &document.printed_label());
    format!("{label}\n\n{}{}\n", fence(document.text), language(document.label))
}

fn after(_: &Frame<'_>, document: &PrintedDocument<'_>) -> String {
    format!("{}{}\n", missing_newline(document.text), fence(document.text))
}

fn closing(frame: &Frame<'_>) -> String {
    followed(&sections(frame))
}

fn alone(frame: &Frame<'_>) -> String {
    sections(frame).join("\n")
}

/// Never, since any Markdown may begin with a code span and a fence.
fn begins(_: &str) -> bool {
    false
}

/// The sections after the documents.
fn sections(frame: &Frame<'_>) -> Vec<String> {
    let Around { instruction, chat, .. } = frame.around;
    let instruction =
        instruction.map(|text| format!("{}\n{}", heading(INSTRUCTION, frame.id), fenced(text, "text")));
    let chat = chat.map(|chat| {
        let said: Vec<String> = chat.said().iter().map(|said| written(said, frame.id)).collect();
        format!("{}\n{}", heading(HISTORY, frame.id), said.join("\n"))
    });
    instruction.into_iter().chain(chat).chain(prompt_section(&frame.around)).collect()
}

/// Whether a reader would take a line of a prompt, which is not fenced, for a label or a heading of the block.
pub(super) fn is_imitated(prompt: &str) -> bool {
    let marks = [
        Mark { bytes: [b'`'; 2], after: "" },
        Mark { bytes: *b"wW", after: "FOLLO" },
        Mark { bytes: *b"yY", after: "CHATHISTOR" },
    ];
    lines_with(prompt, marks.into_iter()).any(|line| is_label(line) || is_heading(line))
}

/// Whether a line shows a code span, with at most punctuation around it.
fn is_label(line: &str) -> bool {
    let seen: Vec<char> = seen(line).collect();
    let is_word = |char: &char| char.is_alphanumeric();
    let Some(first) = seen.iter().position(is_word) else { return false };
    let last = seen.iter().rposition(is_word).unwrap_or(first);
    seen[..first].contains(&'`') && seen[last..].contains(&'`')
}

/// Whether a line shows nothing but the words of a heading, with any id or without one.
fn is_heading(line: &str) -> bool {
    [INSTRUCTION, HISTORY].into_iter().any(|words| {
        let mut seen = seen(line);
        reads(&mut seen, words) && seen.all(|char| char.is_ascii_digit() || !char.is_alphanumeric())
    })
}

fn heading(words: &str, id: Option<Id>) -> String {
    match id {
        Some(id) => format!("## {words} [{id}]\n"),
        None => format!("## {words}\n"),
    }
}

fn written(said: &Said<'_>, id: Option<Id>) -> String {
    let label = label(id, &said.voice.to_string());
    match said.voice {
        Voice::Omission { .. } => format!("{label}\n"),
        Voice::Summary(_)
        | Voice::Speaker { .. }
        | Voice::Call { .. }
        | Voice::Result { .. }
        | Voice::End { .. } => format!("{label}\n\n{}", fenced(said.text, "")),
    }
}

fn fenced(text: &str, language: &str) -> String {
    let fence = fence(text);
    format!("{fence}{language}\n{text}{}{fence}\n", missing_newline(text))
}

fn label(id: Option<Id>, label: &str) -> String {
    match id {
        Some(id) => code_span(&format!("{id} {label}")),
        None => code_span(label),
    }
}

fn fence(text: &str) -> String {
    "`".repeat(longest_run(text).max(longest_fence(text)).max(2) + 1)
}

/// The most backticks on a line that seems to contain nothing else.
fn longest_fence(text: &str) -> usize {
    let lines = lines_with(text, std::iter::once(Mark { bytes: [b'`'; 2], after: "" }));
    let fences = lines.filter(|line| seen(line).all(|char| char == '`'));
    fences.map(|line| seen(line).count()).max().unwrap_or(0)
}

/// CommonMark removes one space from each end of a code span that has one at both ends, unless it consists
/// only of spaces. So a label with a space or a backtick at an end gets a space added at both ends.
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
