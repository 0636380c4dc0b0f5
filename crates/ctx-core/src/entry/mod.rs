//! Entries: the lines that a person stores, with their attributes.

pub mod alternatives;
pub mod braces;
pub mod component;
pub mod escape;
pub mod form;
pub mod pattern;
pub mod positions;
pub mod tag;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Where an entry comes from. Global entries come first in a block, session entries last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The list that is part of every profile.
    Global,
    /// The list of one named profile.
    Profile,
    /// Named on the command line for one block, and not kept.
    Session,
}

/// What a person can say about an entry besides its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributes {
    /// Free words to select entries by.
    pub tags: Vec<String>,
    /// Never trimmed, whatever the budget.
    pub pin: bool,
    /// Whether the ignore rules hold for this entry.
    pub ignore: bool,
    /// What the user allows of secrets.
    pub secrets: SecretAllowance,
    /// Whether hidden characters are left as they are.
    pub hidden: bool,
    /// What older versions wrote for `secrets`: a literal entry may have a name that suggests secrets.
    pub force: bool,
}

/// What an entry allows of secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum SecretAllowance {
    /// Neither names nor contents.
    #[default]
    Nothing,
    /// Names that suggest secrets; contents are redacted as ever.
    Names,
    /// Contents too: they are left as they are.
    Contents,
}

impl SecretAllowance {
    /// The word for it in a stored entry, if there is one.
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Names => Some("name"),
            Self::Contents => Some("allow"),
        }
    }
}

/// The word for what is allowed of hidden characters in a stored entry.
pub const ALLOW: &str = "allow";

impl Default for Attributes {
    fn default() -> Self {
        Self {
            tags: Vec::new(),
            pin: false,
            ignore: true,
            secrets: SecretAllowance::Nothing,
            hidden: false,
            force: false,
        }
    }
}

/// One stored line: a file path, a directory path, a glob pattern or an exclusion, as given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The text as the person wrote it; an exclusion starts with `!`.
    pub path: String,
    /// What the person says about it.
    pub attributes: Attributes,
    /// Keys that this version does not know; kept when the entry is rewritten.
    pub unknown: Map<String, Value>,
}

impl Entry {
    /// An entry without attributes.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), attributes: Attributes::default(), unknown: Map::new() }
    }

    /// Whether this entry takes away instead of adding.
    #[must_use]
    pub fn is_exclusion(&self) -> bool {
        self.path.starts_with('!')
    }

    fn is_plain(&self) -> bool {
        self.attributes == Attributes::default() && self.unknown.is_empty()
    }
}

/// Who wrote an entry, which decides how far it may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The user, in a store of their own, or the program itself.
    User,
    /// The user, on the command line.
    CommandLine,
    /// Whoever wrote a list of paths: it may name what lies in the tree and nothing else.
    List,
}

/// An entry and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopedEntry {
    /// The list that holds it.
    pub scope: Scope,
    /// Who wrote it.
    pub author: Author,
    /// The entry.
    pub entry: Entry,
}

impl ScopedEntry {
    /// An entry of the user's own store.
    #[must_use]
    pub fn stored(scope: Scope, entry: Entry) -> Self {
        Self { scope, author: Author::User, entry }
    }

    /// An entry that was typed on the command line, for one block.
    #[must_use]
    pub fn typed(entry: Entry) -> Self {
        Self { scope: Scope::Session, author: Author::CommandLine, entry }
    }

    /// A line of a list of paths, for one block.
    #[must_use]
    pub fn listed(entry: Entry) -> Self {
        Self { scope: Scope::Session, author: Author::List, entry }
    }
}

#[derive(Serialize)]
struct Detailed {
    path: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "is_false")]
    pin: bool,
    #[serde(skip_serializing_if = "is_true")]
    ignore: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    secrets: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<&'static str>,
    #[serde(skip_serializing_if = "is_false")]
    force: bool,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_plain() {
            return serializer.serialize_str(&self.path);
        }
        let Attributes { tags, pin, ignore, secrets, hidden, force } = self.attributes.clone();
        let (secrets, hidden) = (secrets.word(), hidden.then_some(ALLOW));
        let (path, unknown) = (self.path.clone(), self.unknown.clone());
        Detailed { path, tags, pin, ignore, secrets, hidden, force, unknown }.serialize(serializer)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
fn is_true(value: &bool) -> bool {
    *value
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_without_attributes_is_a_plain_string() {
        assert_eq!(serde_json::to_string(&Entry::new("docs/**")).unwrap(), "\"docs/**\"");
    }

    #[test]
    fn attributes_and_unknown_keys_survive_a_round_trip() {
        let text = r#"{"path":"src/lib.rs","tags":["api"],"pin":true,"secrets":"name","hidden":"allow","later":{"a":1}}"#;
        let entry: Entry = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&entry).unwrap(), text);
    }
}
