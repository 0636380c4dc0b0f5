//! The meaning of an entry that is not a path.

use super::git::{GitQuery, QueryError};
use crate::command::Words;
use crate::dependency::DependencyName;
use crate::entry::{self, up_names};
use crate::store::ProfileName;
use crate::words::WrongText;

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

impl TextSource {
    /// The meaning of an entry's text; `None` if it stands for files.
    ///
    /// # Errors
    /// If the text has the prefix of a kind but is invalid.
    pub fn of(text: &str) -> Result<Option<Self>, WrongText> {
        let kind = entry::Kind::of(text);
        let rest = kind.prefix().map_or(text, |prefix| &text[prefix.len()..]);
        match kind {
            entry::Kind::Up => Ok(up_names(rest).map(|_| None)?),
            entry::Kind::Git => match rest.parse() {
                Ok(query) => Ok(Some(Self::Git(query))),
                Err(error) => Err(WrongText::new(QueryError::to_string(&error))),
            },
            entry::Kind::Command => Ok(Some(Self::Command(rest.parse()?))),
            entry::Kind::Todo => match rest.parse() {
                Ok(name) => Ok(Some(Self::Todo(name))),
                Err(_) => {
                    let rule = ProfileName::RULE;
                    Err(WrongText::new(format!("no to-do list has this name: {rule}")))
                }
            },
            entry::Kind::Exclusion if is_of_a_kind(&text[1..]) => {
                Err(WrongText::new("only paths and patterns can be excluded"))
            }
            entry::Kind::Dependency => Ok(DependencyName::parse(rest).map(|_| None)?),
            entry::Kind::Exclusion | entry::Kind::Path | entry::Kind::StandardInput => Ok(None),
        }
    }
}

impl TextSource {
    /// Whether its meaning depends on the directory in the tree.
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
