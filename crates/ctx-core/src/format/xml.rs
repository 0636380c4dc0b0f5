//! `<documents>` with a `<source>` and a `<document_content>` for each, as Anthropic's guide recommends.
//!
//! Contents are printed unescaped, so that a model reads code and not entities. One newline follows the
//! contents of each document, so that they parse back byte for byte.

use super::around::{Around, Sections};
use super::name::GONE;
use super::{Frame, Id, PrintedDocument, Style, as_it_is, followed, missing_newline, prompt_section};
use crate::forgery::{Hazards, folded, from_seen, unified};
use crate::history::{Said, Turns, Voice};

const ELEMENTS: [&str; 4] = ["documents", "document", "document_content", "source"];
const INSTRUCTION_ELEMENT: &str = "instruction";
const CHAT_ELEMENTS: [&str; 2] = ["chat_history", "message"];

pub(super) static STYLE: Style =
    Style { opening, joint, before, body: as_it_is, after, closing, alone, begins };

fn opening(frame: &Frame<'_>) -> String {
    let id = suffix(frame);
    let gone = |label: &String| {
        let label = escaped(label);
        format!("<document{id} status=\"{GONE}\">\n<source{id}>{label}</source{id}>\n</document{id}>\n")
    };
    let gone: String = frame.around.gone.into_iter().flatten().map(gone).collect();
    let tree = frame
        .around
        .tree
        .map(|tree| format!("<tree{id}>\n{}{}</tree{id}>\n", escaped(tree), missing_newline(tree)));
    format!("<documents{id}>\n{gone}{}", tree.unwrap_or_default())
}

fn joint(frame: &Frame<'_>, _: bool) -> String {
    format!("<document{} index=\"", suffix(frame))
}

fn before(frame: &Frame<'_>, document: &PrintedDocument<'_>) -> String {
    let id = suffix(frame);
    let label = escaped(&document.printed_label());
    let status = document.change.map(|change| format!(" status=\"{change}\"")).unwrap_or_default();
    format!("\"{status}>\n<source{id}>{label}</source{id}>\n<document_content{id}>\n")
}

fn after(frame: &Frame<'_>, _: &PrintedDocument<'_>) -> String {
    let id = suffix(frame);
    format!("\n</document_content{id}>\n</document{id}>\n")
}

fn closing(frame: &Frame<'_>) -> String {
    format!("</documents{}>\n", suffix(frame)) + &followed(&sections(frame))
}

fn alone(frame: &Frame<'_>) -> String {
    sections(frame).join("\n")
}

fn begins(text: &str) -> bool {
    let mut lines = text.lines();
    let line = lines.next().unwrap_or_default();
    let Some(id) = line.strip_prefix("<documents").and_then(|rest| rest.strip_suffix('>')) else {
        return false;
    };
    let is_next = |line: &str| {
        let of = |element: &str| line.strip_prefix(element).and_then(|rest| rest.strip_prefix(id));
        let is_document = |rest: &str| rest.starts_with(" index=\"") || rest.starts_with(" status=\"");
        of("<document").is_some_and(is_document) || of("<tree") == Some(">")
    };
    (id.is_empty() || id.strip_prefix('-').is_some_and(Id::is_id)) && lines.next().is_some_and(is_next)
}

/// The sections after the documents.
fn sections(frame: &Frame<'_>) -> Vec<String> {
    let Around { instruction, chat, .. } = frame.around;
    let id = suffix(frame);
    let instruction = instruction.map(|text| format!("<instruction{id}>\n{text}\n</instruction{id}>\n"));
    let chat = chat.map(|chat| {
        let message = |said: Said<'_>| {
            let label = said.voice.to_string();
            let text = if matches!(said.voice, Voice::Omission { .. }) { &label } else { said.text };
            format!("<message{id} {}>\n{text}\n</message{id}>\n", attributes(&said.voice))
        };
        let messages: String = chat.said().into_iter().map(message).collect();
        format!("<chat_history{id}>\n{messages}</chat_history{id}>\n")
    });
    instruction.into_iter().chain(chat).chain(prompt_section(&frame.around)).collect()
}

fn attributes(voice: &Voice<'_>) -> String {
    match voice {
        Voice::Summary(Turns { from, to }) => format!("turns=\"{from}-{to}\" role=\"summary\""),
        Voice::Omission { .. } => "role=\"omission\"".to_owned(),
        Voice::Speaker { turn, role } => format!("turn=\"{turn}\" role=\"{role}\""),
        Voice::Call { turn, tool } => {
            format!("turn=\"{turn}\" role=\"assistant\" calls=\"{}\"", attribute(tool))
        }
        Voice::Result { turn, tool: Some(tool) } => {
            format!("turn=\"{turn}\" role=\"tool\" name=\"{}\"", attribute(tool))
        }
        Voice::Result { turn, tool: None } => format!("turn=\"{turn}\" role=\"tool\""),
        Voice::End { turn, how } => format!("turn=\"{turn}\" role=\"end\" how=\"{}\"", attribute(how)),
    }
}

fn attribute(text: &str) -> String {
    escaped(text).replace('"', "&quot;")
}

fn suffix(frame: &Frame<'_>) -> String {
    frame.id.map(|id| format!("-{id}")).unwrap_or_default()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Finds what a reader would take for the closing elements of the block.
pub(super) fn hazards(text: &str, sections: Sections) -> Hazards {
    Hazards { boundary: has_tag(text, sections, Tags::Closing), labels: Vec::new() }
}

/// Whether a reader would take something in a prompt for an element of the block: what comes after the block could open
/// another one.
pub(super) fn is_imitated(prompt: &str) -> bool {
    has_tag(prompt, Sections::ALL, Tags::All)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tags {
    Closing,
    All,
}

fn has_tag(text: &str, sections: Sections, tags: Tags) -> bool {
    let elements = || {
        let instruction = sections.instruction.then_some(INSTRUCTION_ELEMENT);
        let chat = CHAT_ELEMENTS.into_iter().filter(|_| sections.chat);
        ELEMENTS.into_iter().chain(instruction).chain(chat)
    };
    let begins = |name: &str, element: &str| {
        let letters = name.chars().take(element.len());
        element.chars().map(unified).eq(letters)
    };
    let is = |name: &str, element: &str| name.len() == element.len() && begins(name, element);
    let is_tag = |at: usize| {
        // No name contains `<`, so no part of the text is read twice.
        let Some(open) = less_than(&text[at..]) else { return false };
        let mut seen = unescaped(&text[at + open..]).flat_map(folded).map(unified).peekable();
        let slash = seen.next_if_eq(&'/');
        let is_name = |char: &char| char.is_ascii_lowercase() || matches!(char, '_' | '-' | ':');
        let name: String = std::iter::from_fn(|| seen.next_if(is_name)).collect();
        let mut parts = name.split(':');
        let is_element = match seen.next() {
            Some('>' | '/') => {
                parts.next_back().is_some_and(|part| elements().any(|element| is(part, element)))
            }
            // The name runs into those of attributes.
            Some('=') => parts.any(|part| elements().any(|element| begins(part, element))),
            Some(_) | None => false,
        };
        (slash.is_some() || tags == Tags::All) && is_element
    };
    let starts = memchr::memchr2_iter(b'<', b'&', text.as_bytes()).chain(foreign_openings(text));
    starts.into_iter().any(is_tag)
}

/// The length of the `<` at the start of `text`, which may be escaped or a look-alike.
fn less_than(text: &str) -> Option<usize> {
    let is_open = |char: char| folded(char).eq(['<']);
    match text.chars().next().filter(|char| is_open(*char)) {
        Some(char) => Some(char.len_utf8()),
        None => Entity::at_start(text).filter(|entity| is_open(entity.char)).map(|entity| entity.length),
    }
}

/// The non-ASCII characters that look like `<`; a test takes them from the tables.
const OPENINGS: [&str; 23] = [
    "˂", "ᐸ", "ᚲ", "‹", "≮", "\u{2329}", "❬", "❮", "❰", "⟨", "⧼", "ⵦ", "〈", "く", "ㄑ", "㇛", "︿", "﹤",
    "＜", "𐌭", "𖫬", "𝈶", "𡿨",
];

/// The offsets of these characters.
fn foreign_openings(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let leads =
        memchr::memchr3_iter(0xcb, 0xe1, 0xe2, bytes).chain(memchr::memchr3_iter(0xe3, 0xef, 0xf0, bytes));
    leads.filter(|at| OPENINGS.iter().any(|opening| bytes[*at..].starts_with(opening.as_bytes())))
}

/// A character that is written as an entity.
struct Entity {
    char: char,
    /// In bytes.
    length: usize,
}

impl Entity {
    /// `&lt;`, `&#60;`, `&#x3C;`, `&sol;`.
    fn at_start(text: &str) -> Option<Self> {
        const LONGEST: usize = 10;
        let body = text.strip_prefix('&')?;
        let end = body.bytes().take(LONGEST).position(|byte| byte == b';')?;
        let name = body.get(..end)?;
        let char = match name.to_ascii_lowercase().as_str() {
            "lt" => '<',
            "gt" => '>',
            "sol" => '/',
            "lowbar" => '_',
            number => {
                let number = number.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(digits) => u32::from_str_radix(digits, 16),
                    None => number.parse(),
                };
                char::from_u32(code.ok()?)?
            }
        };
        Some(Self { char, length: end + 2 })
    }
}

/// The characters that a reader sees in `rest`, with entities resolved.
fn unescaped(mut rest: &str) -> impl Iterator<Item = char> {
    std::iter::from_fn(move || {
        let text = from_seen(rest);
        let plain = || text.chars().next().map(|char| Entity { char, length: char.len_utf8() });
        let Entity { char, length } = Entity::at_start(text).or_else(plain)?;
        rest = &text[length..];
        Some(char)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_that_looks_like_an_opening_bracket_is_searched_for() {
        let alike = ('\u{80}'..=char::MAX).filter(|char| folded(*char).eq(['<']));
        assert_eq!(alike.map(String::from).collect::<Vec<_>>(), OPENINGS);
    }
}
