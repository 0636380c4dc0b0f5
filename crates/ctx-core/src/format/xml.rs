//! `<documents>` with a `<source>` and a `<document_content>` each, as Anthropic's guide recommends.
//!
//! Contents stand as they are, so that a model reads code and not entities; every content is
//! followed by one line end of the block's own, so that it parses back to the byte.

use super::hazard::Hazards;
use super::line::seen;
use super::{Document, Frame, Joint, Style, after_blank_line, missing_newline};

pub(super) struct Xml;

const ELEMENTS: [&str; 4] = ["documents", "document", "document_content", "source"];

impl Style for Xml {
    fn opening(&self, frame: &Frame<'_>) -> String {
        let id = suffix(frame);
        match frame.tree {
            Some(tree) => {
                format!(
                    "<documents{id}>\n<tree{id}>\n{}{}</tree{id}>\n",
                    escaped(tree),
                    missing_newline(tree)
                )
            }
            None => format!("<documents{id}>\n"),
        }
    }

    fn joint(&self, frame: &Frame<'_>, joint: Joint) -> String {
        match joint {
            Joint::First | Joint::Between => format!("<document{} index=\"", suffix(frame)),
        }
    }

    fn before(&self, frame: &Frame<'_>, document: &Document<'_>) -> String {
        let id = suffix(frame);
        let label = escaped(document.label);
        format!("\">\n<source{id}>{label}</source{id}>\n<document_content{id}>\n")
    }

    fn after(&self, frame: &Frame<'_>, _: &Document<'_>) -> String {
        let id = suffix(frame);
        format!("\n</document_content{id}>\n</document{id}>\n")
    }

    fn closing(&self, frame: &Frame<'_>, prompt: Option<&str>) -> String {
        format!("</documents{}>\n", suffix(frame)) + &after_blank_line(prompt)
    }
}

fn suffix(frame: &Frame<'_>) -> String {
    frame.id.map(|id| format!("-{id}")).unwrap_or_default()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Finds what a reader would take for the closing elements of the block.
pub(super) fn hazards(text: &str) -> Hazards {
    let closes = |at: usize| {
        // `<` is in no name, so no part of a text is read twice.
        let mut rest = seen(&text[at + 1..]).peekable();
        let slash = rest.next_if_eq(&'/');
        let is_name = |char: &char| char.is_ascii_lowercase() || *char == '_';
        let name: String = std::iter::from_fn(|| rest.next_if(is_name)).collect();
        slash.is_some() && ELEMENTS.contains(&&*name) && rest.next() == Some('>')
    };
    Hazards { boundary: memchr::memchr_iter(b'<', text.as_bytes()).any(closes), labels: Vec::new() }
}
