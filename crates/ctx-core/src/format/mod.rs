//! From selected documents to the bytes of a block.
//!
//! A block is a sequence of segments: pieces of frame and, between them, the documents' bodies.
//! [`Frame::segments`] is the only place that knows the sequence. It is what [`Frame::write`]
//! prints; the pieces it is made of are what `budget` counts.

mod around;
mod hazard;
mod id;
mod json;
mod language;
mod line;
mod markdown;
mod messages;
mod text;
mod xml;

#[cfg(test)]
pub mod parse;
#[cfg(test)]
pub mod parse_around;
#[cfg(test)]
mod tests;

use crate::history::Said;
use crate::words::one_of;
use std::borrow::Cow;
use std::fmt;
use std::io;
use std::str::FromStr;

pub use around::{Around, Sections};
pub use hazard::{Hazards, Labels};
pub use id::Id;

/// How a block is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// `--- CONTEXT FILES BEGIN ---`, then `[label]` before each document.
    #[default]
    Text,
    /// A label and a fenced code block for each document.
    Markdown,
    /// `<documents>`, as Anthropic's guide recommends.
    Xml,
    /// One JSON object.
    Json,
    /// The array of messages that OpenAI's interface takes.
    Messages,
}

/// A document as it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'a> {
    /// What the document is called: one line, not empty.
    pub label: &'a str,
    /// The document's text.
    pub text: &'a str,
}

/// Everything that decides the frame around the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The layout.
    pub format: Format,
    /// What there is beside the documents.
    pub around: Around<'a>,
    /// The id that boundaries and labels carry, if they carry one.
    pub id: Option<Id>,
}

/// What a layout prints around the documents. The block is: the opening; for each document the
/// joint, its number where documents are numbered, what stands before the body, the body, and what
/// stands after it; the closing, in which instruction, conversation and prompt follow the documents.
trait Style {
    fn opening(&self, frame: &Frame<'_>) -> String;
    fn joint(&self, frame: &Frame<'_>, joint: Joint) -> String;
    fn before(&self, frame: &Frame<'_>, document: &Document<'_>) -> String;
    fn after(&self, frame: &Frame<'_>, document: &Document<'_>) -> String;
    fn closing(&self, frame: &Frame<'_>, prompt: Option<&str>) -> String;

    fn body<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }

    /// Everything that is printed where there are no documents.
    fn alone(&self, frame: &Frame<'_>, prompt: Option<&str>) -> String;
}

/// Where two parts of a block meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// The opening and the first document.
    First,
    /// A document and the next one.
    Between,
}

impl Format {
    /// All formats, in the order in which they are documented.
    pub const ALL: [Self; 5] = [Self::Text, Self::Markdown, Self::Xml, Self::Json, Self::Messages];

    fn style(self) -> &'static dyn Style {
        match self {
            Self::Text => &text::Text,
            Self::Markdown => &markdown::Markdown,
            Self::Xml => &xml::Xml,
            Self::Json => &json::Json,
            Self::Messages => &messages::Messages,
        }
    }

    /// Whether the format has a place for ids; where escaping makes forgery impossible it has none.
    #[must_use]
    pub fn carries_ids(self) -> bool {
        match self {
            Self::Text | Self::Markdown | Self::Xml | Self::Messages => true,
            Self::Json => false,
        }
    }

    /// Whether the joint before each document ends with its number, counted from 1.
    pub fn is_numbered(self) -> bool {
        match self {
            Self::Xml => true,
            Self::Text | Self::Markdown | Self::Json | Self::Messages => false,
        }
    }

    /// Whether `text` may hold something that could be taken for a part of the frame, whatever the
    /// labels are. One quick look at the text alone, so that most texts need no second one.
    #[must_use]
    pub fn may_collide(self, text: &str, sections: Sections) -> bool {
        match self {
            Self::Text | Self::Messages => text::may_collide(text, sections),
            Self::Xml => xml::hazards(text, sections).boundary,
            Self::Markdown | Self::Json => false,
        }
    }

    /// A document's text as this format prints it.
    pub fn body(self, text: &str) -> Cow<'_, str> {
        self.style().body(text)
    }
}

impl<'a> Frame<'a> {
    /// What stands before the first document.
    pub fn opening(&self) -> String {
        self.format.style().opening(self)
    }

    /// What joins a document to what stands before it.
    pub fn joint(&self, joint: Joint) -> String {
        self.format.style().joint(self, joint)
    }

    /// What stands before a document's body.
    pub fn before(&self, document: &Document<'_>) -> String {
        self.format.style().before(self, document)
    }

    /// What stands after a document's body.
    pub fn after(&self, document: &Document<'_>) -> String {
        self.format.style().after(self, document)
    }

    /// What stands after the last document, the prompt included if there is one.
    pub fn closing(&self, prompt: Option<&str>) -> String {
        self.format.style().closing(self, prompt)
    }

    /// Everything that is printed where there are no documents: instruction, conversation and prompt, if there are any, and the tree if it has
    /// names that are all there is of files.
    pub fn alone(&self, prompt: Option<&str>) -> String {
        if self.around.tree_alone {
            self.without_documents(prompt)
        } else {
            self.format.style().alone(self, prompt)
        }
    }

    /// The block around `documents`, piece by piece, and after it the prompt. Without documents what is left is
    /// printed alone, perhaps nothing.
    pub fn segments<'d>(
        self,
        documents: impl IntoIterator<Item = Document<'d>>,
        prompt: Option<&str>,
    ) -> impl Iterator<Item = Cow<'d, str>> {
        let mut documents = documents.into_iter().enumerate().peekable();
        let (opening, closing) = match documents.peek() {
            Some(_) => (Some(self.opening()), Some(self.closing(prompt))),
            None => (None, Some(self.alone(prompt))),
        };
        let inner = documents.flat_map(move |(index, document)| self.document(index, document));
        opening.into_iter().map(Cow::Owned).chain(inner).chain(closing.into_iter().map(Cow::Owned))
    }

    fn document<'d>(&self, index: usize, document: Document<'d>) -> [Cow<'d, str>; 3] {
        let mut before = self.joint(if index == 0 { Joint::First } else { Joint::Between });
        if self.format.is_numbered() {
            before.push_str(&(index + 1).to_string());
        }
        before.push_str(&self.before(&document));
        [Cow::Owned(before), self.format.body(document.text), Cow::Owned(self.after(&document))]
    }

    /// Where each of `documents` is in the block with its frame: its first byte, and the byte after its last.
    pub fn ranges<'d>(self, documents: impl Iterator<Item = Document<'d>>) -> impl Iterator<Item = [u64; 2]> {
        documents.enumerate().scan(self.opening().len() as u64, move |end, (index, document)| {
            let start = *end;
            *end += self.document(index, document).iter().map(|segment| segment.len() as u64).sum::<u64>();
            Some([start, *end])
        })
    }

    /// The block without documents, but with the tree.
    fn without_documents(&self, prompt: Option<&str>) -> String {
        let opening = self.opening();
        let end = if opening.ends_with('\n') { "\n" } else { "" };
        format!("{}{end}{}", opening.trim_end_matches('\n'), self.closing(prompt))
    }

    /// Prints the block around `documents`, and after it the prompt.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write<'d>(
        self,
        out: &mut impl io::Write,
        documents: impl IntoIterator<Item = Document<'d>>,
        prompt: Option<&str>,
    ) -> io::Result<()> {
        self.segments(documents, prompt).try_for_each(|segment| out.write_all(segment.as_bytes()))
    }
}

/// A prompt without the blank lines before it and the line ends after it: exactly one blank line
/// stands between, and the output ends in exactly one line end.
fn trimmed(prompt: &str) -> &str {
    let blank = prompt.len() - prompt.trim_start().len();
    let lines = prompt[..blank].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    prompt[lines..].trim_end_matches(['\n', '\r'])
}

/// A prompt as the last part of what is printed.
fn prompt_section(prompt: Option<&str>) -> Option<String> {
    prompt.map(trimmed).filter(|prompt| !prompt.is_empty()).map(|prompt| format!("{prompt}\n"))
}

/// Parts as they follow the documents, one blank line before each.
fn followed(sections: &[String]) -> String {
    sections.iter().map(|section| format!("\n{section}")).collect()
}

/// What was said, between boundaries that nothing in it can imitate.
pub fn conversation(said: &[Said<'_>]) -> String {
    text::conversation(said, absent_id(said))
}

impl Hazards {
    /// What `text` holds that could be taken for a part of the frame in `format`.
    pub fn of(format: Format, text: &str, labels: &Labels<'_>, sections: Sections) -> Self {
        match format {
            Format::Text | Format::Messages => text::hazards(text, labels, sections),
            Format::Xml => xml::hazards(text, sections),
            Format::Markdown | Format::Json => Self::default(),
        }
    }

    /// What the parts of the frame that are texts of others hold themselves.
    pub fn of_frame(format: Format, around: &Around<'_>, labels: &Labels<'_>) -> Vec<Self> {
        let texts = around.open_texts(format).into_iter();
        texts.map(|text| Self::of(format, text, labels, around.sections())).collect()
    }
}

/// The id that labels and boundaries of a conversation carry where something that was said imitates one.
pub fn absent_id(said: &[Said<'_>]) -> Option<Id> {
    let sections = Sections { instruction: false, chat: true };
    let is_forged = |said: &Said<'_>| text::hazards(said.text, &Labels::default(), sections).boundary;
    said.iter().any(is_forged).then(|| {
        let labels: Vec<String> = said.iter().map(|said| said.voice.to_string()).collect();
        let texts = said.iter().map(|said| said.text).chain(labels.iter().map(String::as_str));
        Id::absent_from(texts)
    })
}

/// The line end that `text` lacks. An empty text has no line to end.
fn missing_newline(text: &str) -> &'static str {
    if text.is_empty() || text.ends_with('\n') { "" } else { "\n" }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Xml => "xml",
            Self::Json => "json",
            Self::Messages => "messages",
        })
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|format| format.to_string() == text)
            .ok_or_else(|| format!("unknown format '{text}': use {}", one_of(&Self::ALL)))
    }
}
