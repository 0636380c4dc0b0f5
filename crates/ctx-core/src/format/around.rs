//! The parts of a block other than its documents.

use std::borrow::Cow;

use super::Format;
use crate::history::Chat;

/// The parts of a block that are not documents. They belong to the frame: they cost tokens, and no rule drops
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Around<'a> {
    /// A directory tree, printed in front of the documents.
    pub tree: Option<&'a str>,
    /// Whether the tree is printed even without documents, because some files are in it by name only.
    pub tree_alone: bool,
    /// The instruction to the model, printed after the documents.
    pub instruction: Option<&'a str>,
    /// The conversation so far, printed last.
    pub chat: Option<Chat<'a>>,
    /// In a block of changes, the labels of files that the reader has but that no longer exist, printed
    /// first.
    pub gone: Option<&'a [String]>,
    /// The user's message to the model, printed last.
    pub prompt: Option<PrintedPrompt<'a>>,
}

/// The user's message to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrintedPrompt<'a> {
    /// The message.
    pub text: &'a str,
    /// Whether the budget covers it.
    pub is_in_budget: bool,
}

/// Which of the parts that a document could imitate are in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sections {
    /// It has an instruction.
    pub instruction: bool,
    /// It has a conversation.
    pub chat: bool,
    /// Its documents are marked with how they have changed.
    pub changes: bool,
}

impl Sections {
    /// All of them.
    pub(super) const ALL: Self = Self { instruction: true, chat: true, changes: true };

    /// Whether something is printed even without documents.
    #[must_use]
    pub fn any(self) -> bool {
        self.instruction || self.chat
    }
}

impl<'a> Around<'a> {
    /// The parts that are present.
    #[must_use]
    pub fn sections(&self) -> Sections {
        Sections {
            instruction: self.instruction.is_some(),
            chat: self.chat.is_some(),
            changes: self.gone.is_some(),
        }
    }

    /// Whether any files are gone.
    #[must_use]
    pub fn has_gone(&self) -> bool {
        self.gone.is_some_and(|labels| !labels.is_empty())
    }

    /// Whether something is printed even without documents.
    #[must_use]
    pub fn is_printed_alone(&self) -> bool {
        self.sections().any()
    }

    /// The prompt's text.
    #[must_use]
    pub fn prompt_text(&self) -> Option<&'a str> {
        self.prompt.map(|prompt| prompt.text)
    }

    /// The parts that count towards the budget.
    #[must_use]
    pub fn in_budget(self) -> Self {
        Self { prompt: self.prompt.filter(|prompt| prompt.is_in_budget), ..self }
    }

    /// All strings printed for these parts, including labels. The block's id must not occur in any of them.
    #[must_use]
    pub fn strings(&self) -> Vec<Cow<'a, str>> {
        let said = self.chat.iter().flat_map(Chat::said);
        let said = said.flat_map(|said| [said.voice.to_string().into(), Cow::Borrowed(said.text)]);
        let gone = self.gone.into_iter().flatten().map(String::as_str);
        let texts = self.tree.into_iter().chain(self.instruction).chain(gone).chain(self.prompt_text());
        texts.map(Cow::Borrowed).chain(said).collect()
    }

    /// The strings, other than the prompt, that `format` does not escape, so that they could imitate another part.
    pub(super) fn open_texts(&self, format: Format) -> Vec<&'a str> {
        let said = self.chat.iter().flat_map(Chat::said).map(|said| said.text);
        match format {
            Format::Text | Format::Messages => {
                self.tree.into_iter().chain(self.instruction).chain(said).collect()
            }
            Format::Xml => self.instruction.into_iter().chain(said).collect(),
            Format::Markdown | Format::Json => Vec::new(),
        }
    }
}
