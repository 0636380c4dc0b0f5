//! The meaning of an entry that is not a path.

use super::command::{Command, CommandLimits, Words, WordsError};
use super::git::{GitQuery, QueryError};
use crate::entry::{self, Entry, UpError, up_names};
use crate::store::ProfileName;

/// The meaning of an entry that is not a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextSource {
    /// `git:WHAT`.
    Git(GitQuery),
    /// `cmd:WORDS`.
    Command(Words),
    /// `todo:NAME`.
    Todo(ProfileName),
}

/// Why the text of an entry is invalid for its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KindError {
    /// `!git:…`.
    #[error("only paths and patterns can be excluded")]
    Excluded,
    /// After `up:`.
    #[error(transparent)]
    Up(#[from] UpError),
    /// After `git:`.
    #[error(transparent)]
    Git(#[from] QueryError),
    /// After `cmd:`.
    #[error(transparent)]
    Command(#[from] WordsError),
    /// After `todo:`.
    #[error("no to-do list has this name: {}", ProfileName::RULE)]
    Todo,
}

impl TextSource {
    /// The meaning of an entry's text; `None` if it stands for files.
    ///
    /// # Errors
    /// If it begins like a kind but is invalid.
    pub fn of(text: &str) -> Result<Option<Self>, KindError> {
        let kind = entry::Kind::of(text);
        let rest = kind.prefix().map_or(text, |prefix| &text[prefix.len()..]);
        match kind {
            entry::Kind::Up => Ok(up_names(rest).map(|_| None)?),
            entry::Kind::Git => Ok(Some(Self::Git(rest.parse()?))),
            entry::Kind::Command => Ok(Some(Self::Command(rest.parse()?))),
            entry::Kind::Todo => rest.parse().map(|name| Some(Self::Todo(name))).map_err(|_| KindError::Todo),
            entry::Kind::Exclusion if is_of_a_kind(&text[1..]) => Err(KindError::Excluded),
            entry::Kind::Exclusion | entry::Kind::Path | entry::Kind::StandardInput => Ok(None),
        }
    }
}

impl TextSource {
    /// Whether it means something else in another directory of the same tree.
    #[must_use]
    pub fn depends_on_directory(&self) -> bool {
        match self {
            Self::Git(query) => !query.paths.is_empty(),
            Self::Command(_) => true,
            Self::Todo(_) => false,
        }
    }
}

/// Whether the text of an entry begins like one that is not a path; `./git:x` is a path.
#[must_use]
pub fn is_of_a_kind(text: &str) -> bool {
    entry::Kind::of(text).prefix().is_some()
}

/// The command of an entry, if it is one.
///
/// # Errors
/// If its words are invalid.
pub fn command_of(entry: &Entry) -> Result<Option<Command>, KindError> {
    match TextSource::of(&entry.path)? {
        Some(TextSource::Command(words)) => {
            Ok(Some(Command { words, limits: CommandLimits::of(&entry.attributes) }))
        }
        Some(TextSource::Git(_) | TextSource::Todo(_)) | None => Ok(None),
    }
}
