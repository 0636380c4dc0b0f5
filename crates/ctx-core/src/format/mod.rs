//! From selected documents to the bytes of a block.
//!
//! A block is a sequence of segments: pieces of the frame and, between them, the documents' bodies. Only
//! [`Frame::segments`] knows the sequence. [`Frame::write`] prints it, and `budget` counts its pieces.

mod around;
mod json;
mod language;
mod markdown;
mod messages;
mod name;
mod style;
mod text;
mod xml;

#[cfg(test)]
pub(crate) mod tests;

use std::borrow::Cow;
use std::io;

pub use around::{Around, PrintedPrompt, Sections};
pub use name::{Change, Format};
pub use style::{Frame, PrintedDocument};

pub use crate::forgery::{Hazards, Id, LabelNumbers};
use crate::history::{Chat, Message, Said, joined, written};
use style::{Style, as_it_is, followed, missing_newline, prompt_section, trimmed};

impl Format {
    fn style(self) -> &'static Style {
        match self {
            Self::Text => &text::STYLE,
            Self::Markdown => &markdown::STYLE,
            Self::Xml => &xml::STYLE,
            Self::Json => &json::STYLE,
            Self::Messages => &messages::STYLE,
        }
    }

    /// Whether `text` may contain something that looks like a part of the frame, for any labels. This is a
    /// quick check, so that most documents don't need a thorough one.
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
        (self.style().body)(text)
    }
}

impl<'a> Frame<'a> {
    /// The text before the first document.
    pub fn opening(&self) -> String {
        (self.format.style().opening)(self)
    }

    /// The text that joins a document, which may be the first one, to the text before it.
    pub fn joint(&self, is_first: bool) -> String {
        (self.format.style().joint)(self, is_first)
    }

    /// The text before a document's body.
    pub fn before(&self, document: &PrintedDocument<'_>) -> String {
        (self.format.style().before)(self, document)
    }

    /// The text after a document's body.
    pub fn after(&self, document: &PrintedDocument<'_>) -> String {
        (self.format.style().after)(self, document)
    }

    /// The text after the last document, including the prompt if there is one.
    pub fn closing(&self) -> String {
        (self.format.style().closing)(self)
    }

    /// Everything that is printed if there are no documents: instruction, conversation and prompt, if any; the
    /// tree, if it has files by name only; and the names of files that are gone.
    pub fn alone(&self) -> String {
        if self.around.tree_alone || self.around.has_gone() {
            self.without_documents()
        } else {
            (self.format.style().alone)(self)
        }
    }

    /// The block around `documents`, piece by piece. Without documents, only the rest is printed, which may be
    /// nothing.
    pub fn segments<'d>(
        self,
        documents: impl IntoIterator<Item = PrintedDocument<'d>>,
    ) -> impl Iterator<Item = Cow<'d, str>> {
        let mut documents = documents.into_iter().enumerate().peekable();
        let (opening, closing) = match documents.peek() {
            Some(_) => (Some(self.opening()), Some(self.closing())),
            None => (None, Some(self.alone())),
        };
        let inner = documents.flat_map(move |(index, document)| self.document(index, document));
        opening.into_iter().map(Cow::Owned).chain(inner).chain(closing.into_iter().map(Cow::Owned))
    }

    fn document<'d>(&self, index: usize, document: PrintedDocument<'d>) -> [Cow<'d, str>; 3] {
        let mut before = self.joint(index == 0);
        if self.format.is_numbered() {
            before.push_str(&(index + 1).to_string());
        }
        before.push_str(&self.before(&document));
        [Cow::Owned(before), self.format.body(document.text), Cow::Owned(self.after(&document))]
    }

    /// Where each of `documents` is in the block, with its frame: its first byte, and the byte after its last.
    pub fn ranges<'d>(
        self,
        documents: impl Iterator<Item = PrintedDocument<'d>>,
    ) -> impl Iterator<Item = [u64; 2]> {
        documents.enumerate().scan(self.opening().len() as u64, move |end, (index, document)| {
            let start = *end;
            *end += self.document(index, document).iter().map(|segment| segment.len() as u64).sum::<u64>();
            Some([start, *end])
        })
    }

    /// The block without documents, but with the tree.
    fn without_documents(&self) -> String {
        let opening = self.opening();
        let end = if opening.ends_with('\n') { "\n" } else { "" };
        format!("{}{end}{}", opening.trim_end_matches('\n'), self.closing())
    }

    /// Prints the block around `documents`.
    ///
    /// # Errors
    /// The error from `out`.
    pub fn write<'d>(
        self,
        out: &mut impl io::Write,
        documents: impl IntoIterator<Item = PrintedDocument<'d>>,
    ) -> io::Result<()> {
        self.segments(documents).try_for_each(|segment| out.write_all(segment.as_bytes()))
    }
}

/// Whether a text begins like something that was printed earlier: a block with documents, an account, or the passages of
/// a search as JSON. In Markdown, a block looks like any other text.
pub fn begins_output(text: &str) -> bool {
    Format::ALL.into_iter().any(|format| (format.style().begins)(text)) || begins_report(text)
}

/// Whether a text begins like an account or the passages of a search as JSON, however they are indented.
fn begins_report(text: &str) -> bool {
    /// So many characters contain every key that is looked for.
    const HEAD: usize = 4_000;
    if !text.trim_ascii_start().starts_with('{') {
        return false;
    }
    let head: String = text.chars().take(HEAD).filter(|char| !char.is_ascii_whitespace()).collect();
    let begins = |start: &str, key: &str| head.starts_with(start) && head.contains(key);
    begins(r#"{"version":1,"profile":"#, r#","budget_covers_prompt":"#)
        || begins(r#"{"version":1,"query":"#, r#","passages":[{"path":"#)
}

/// The messages, under labels that nothing in them can imitate.
pub fn transcript(said: &[Said<'_>]) -> String {
    written(said, absent_id(said))
}

/// The messages, between boundaries that nothing in them can imitate.
pub fn conversation(said: &[Said<'_>]) -> String {
    text::conversation(said, absent_id(said))
}

impl Hazards {
    /// What `text` contains that looks like a part of the frame in `format`.
    pub fn of(format: Format, text: &str, labels: &LabelNumbers<'_>, sections: Sections) -> Self {
        match format {
            Format::Text | Format::Messages => text::hazards(text, labels, sections),
            Format::Xml => xml::hazards(text, sections),
            Format::Markdown | Format::Json => Self::default(),
        }
    }

    /// What the parts other than documents contain that looks like a part of the frame.
    pub fn of_frame(format: Format, around: &Around<'_>, labels: &LabelNumbers<'_>) -> Vec<Self> {
        let texts = around.open_texts(format).into_iter();
        let prompt = around.prompt_text().map(|prompt| Self::of_prompt(format, prompt, labels));
        texts.map(|text| Self::of(format, text, labels, around.sections())).chain(prompt).collect()
    }

    /// What the prompt contains that looks like a part of the frame, even of one that this block does not have:
    /// the prompt comes last, so it could add a conversation, for example.
    fn of_prompt(format: Format, prompt: &str, labels: &LabelNumbers<'_>) -> Self {
        match format {
            Format::Markdown => Self { boundary: markdown::is_imitated(prompt), labels: Vec::new() },
            Format::Xml => Self { boundary: xml::is_imitated(prompt), labels: Vec::new() },
            Format::Text | Format::Messages | Format::Json => Self::of(format, prompt, labels, Sections::ALL),
        }
    }
}

/// A conversation as messages. Its summary is a user message that begins with a label that no other text can imitate.
/// Consecutive messages with the same role are joined.
#[must_use]
pub fn messages(chat: &Chat<'_>) -> Vec<Message> {
    joined(chat.messages(absent_id(&chat.said())))
}

/// The id for the labels and boundaries of a conversation in which a message imitates one.
fn absent_id(said: &[Said<'_>]) -> Option<Id> {
    let sections = Sections { chat: true, ..Sections::default() };
    let is_forged = |said: &Said<'_>| text::hazards(said.text, &LabelNumbers::default(), sections).boundary;
    said.iter().any(is_forged).then(|| {
        let labels: Vec<String> = said.iter().map(|said| said.voice.to_string()).collect();
        let texts = said.iter().map(|said| said.text).chain(labels.iter().map(String::as_str));
        Id::absent_from(texts)
    })
}
