//! Entries: the items that users store, with their attributes.

mod attributes;
pub mod braces;
mod code_page;
pub mod component;
mod declaration;
mod encoding;
pub mod foreign;
pub mod form;
mod kind;
pub mod lines;
pub mod lists;
pub mod pattern;
pub mod positions;
pub mod rooted;
mod target_error;
pub mod value;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::fs::Notation;
use crate::named::named;
use crate::world::World;

pub use attributes::{Allowance, Allowed, Attribute, Attributes, Bound, UsedOutput};
pub use declaration::{DeclarationName, NamedPart};
pub use kind::{DEPENDENCY, Kind, up_names};
pub use lines::Lines;
pub use value::{LevelOfDetail, Share};

named! {
    /// The scope of an entry. Global entries come first in a block, session entries last.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Scope {
        /// The list that is part of every profile.
        Global = "global",
        /// A named profile of the user's.
        Profile = "profile",
        /// A named profile of the project's.
        Project = "project",
        /// Named on the command line for one block, and not stored.
        Session = "session",
        /// Referred to in the prompt, for one block.
        Prompt = "prompt",
    }
}

impl Scope {
    /// Whether its entries are not stored.
    #[must_use]
    pub fn is_for_one_block(self) -> bool {
        match self {
            Self::Global | Self::Profile | Self::Project => false,
            Self::Session | Self::Prompt => true,
        }
    }
}

/// One stored item: a file path, a directory path, a glob pattern or an exclusion, as given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The text as the user wrote it; an exclusion starts with `!`.
    pub path: String,
    /// Its attributes.
    pub attributes: Attributes,
    /// Keys that this version does not know; kept when the entry is rewritten.
    pub unknown: Map<String, Value>,
}

impl Entry {
    /// An entry without attributes.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), attributes: Attributes::default(), unknown: Map::new() }
    }

    /// An entry for files that another tool reads. If the tool reads them whether git ignores them or not, ignore
    /// rules do not apply.
    pub fn of_tool(path: impl Into<String>) -> Self {
        const READ_ANYWAY: [&str; 2] = [".amazonq/rules/", ".kiro/steering/"];
        let mut entry = Self::new(path);
        let path = entry.path.trim_start_matches("../").trim_start_matches("./");
        if path.contains('*') && READ_ANYWAY.iter().any(|rules| path.starts_with(rules)) {
            entry.attributes.allow = Allowed::from_iter([Allowance::Ignored]);
        }
        entry
    }

    /// Whether this entry excludes files instead of adding them.
    #[must_use]
    pub fn is_exclusion(&self) -> bool {
        self.path.starts_with('!')
    }

    /// Its name in messages: its text, with its lines or what it names in the file, as in `src/a.rs:10-40` and
    /// `src/a.rs#parse_header`.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        match (self.attributes.lines, &self.attributes.name) {
            (Some(lines), _) => Cow::Owned(format!("{}:{lines}", self.path)),
            (None, Some(name)) => Cow::Owned(NamedPart::written(&self.path, name)),
            (None, None) => Cow::Borrowed(&self.path),
        }
    }

    /// Whether it is a path, a pattern or an exclusion that depends on the directory.
    #[must_use]
    pub fn is_relative(&self) -> bool {
        let path = self.path.strip_prefix('!').unwrap_or(&self.path);
        let is_path = matches!(self.kind(), Kind::Path | Kind::Exclusion);
        is_path && !path.starts_with('~') && Notation::HERE.root(&Notation::HERE.slashed(path)).is_empty()
    }

    /// Its kind, from its text.
    #[must_use]
    pub fn kind(&self) -> Kind {
        Kind::of(&self.path)
    }

    /// The first attribute that does not apply to its kind, as the user writes it.
    #[must_use]
    pub fn misapplied(&self) -> Option<&'static str> {
        let kind = self.kind();
        let misapplied = self.attributes.given().find(|attribute| !attribute.applies_to(kind));
        let has_ignored = self.attributes.allow.has(Allowance::Ignored);
        let lifts_nothing = has_ignored && !matches!(kind, Kind::Path | Kind::Git | Kind::Dependency);
        misapplied.map(Attribute::name).or(lifts_nothing.then_some("allow ignored"))
    }

    fn is_plain(&self) -> bool {
        self.attributes == Attributes::default() && self.unknown.is_empty()
    }
}

/// Who wrote an entry, which determines what it may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The user, in their own store, or the program itself.
    User,
    /// The user, on the command line.
    CommandLine,
    /// The author of a list of paths, who may only name files in the tree.
    List,
    /// The author of a project's files, or of a store in the tree: see [`crate::select::bound`].
    Project,
    /// The author of the prompt, who may only name files in the tree, and no secrets.
    Prompt,
}

impl Author {
    /// Whether nothing outside the tree may be named, in any form.
    #[must_use]
    pub fn stays_in_tree(self) -> bool {
        match self {
            Self::User | Self::CommandLine => false,
            Self::List | Self::Prompt | Self::Project => true,
        }
    }
}

/// The list of an entry, and its author.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provenance {
    /// The list that contains it.
    pub scope: Scope,
    /// Who wrote it.
    pub author: Author,
}

/// An entry and its provenance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopedEntry {
    /// The list that contains it.
    pub scope: Scope,
    /// Who wrote it.
    pub author: Author,
    /// The entry.
    pub entry: Entry,
    /// The exact bytes of the path, if the text of the entry is only its name in messages: a name that is not
    /// UTF-8, or one whose characters are all literal.
    pub exact: Option<PathBuf>,
}

/// The global list while there is no `global.json`.
pub const BUILT_IN_GLOBAL: [&str; 4] =
    ["~/.aws/amazonq/rules/**/*.md", "AmazonQ.md", ".amazonq/rules/**/*.md", "up:AGENTS.md"];

/// Whether an entry with this text is one of the built-in global ones, which need not match anything.
#[must_use]
pub fn is_built_in(scope: Scope, path: &str) -> bool {
    scope == Scope::Global && BUILT_IN_GLOBAL.contains(&path)
}

impl ScopedEntry {
    /// Whether it is one of the built-in global ones, with any attributes.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        is_built_in(self.scope, &self.entry.path)
    }

    /// The directory or file with the sources of a dependency, if it was found as one.
    #[must_use]
    pub fn dependency(&self) -> Option<&Path> {
        let path = self.exact.as_deref().filter(|path| path.has_root());
        path.filter(|_| self.entry.path.starts_with(DEPENDENCY))
    }

    /// An entry of the user's own store.
    #[must_use]
    pub fn stored(scope: Scope, entry: Entry) -> Self {
        Self { scope, author: Author::User, entry, exact: None }
    }

    /// An entry of a stored list.
    #[must_use]
    pub fn from_list(list: Provenance, entry: Entry) -> Self {
        let Provenance { scope, author } = list;
        Self { scope, author, entry, exact: None }
    }

    /// The world that the entry's path is relative to: a stored entry is always relative to the work root.
    /// `at_root` is [`World::at_root`].
    #[must_use]
    pub fn base<'a>(&self, world: &'a World, at_root: &'a World) -> &'a World {
        if self.scope.is_for_one_block() { world } else { at_root }
    }

    /// An entry typed on the command line, for one block.
    #[must_use]
    pub fn typed(entry: Entry) -> Self {
        Self { scope: Scope::Session, author: Author::CommandLine, entry, exact: None }
    }

    /// Everything below a directory, which is searched because nothing more specific was named; `called` is its
    /// name in messages.
    #[must_use]
    pub fn whole(called: impl Into<String>, directory: PathBuf) -> Self {
        let entry = Entry::new(called);
        Self { scope: Scope::Session, author: Author::User, entry, exact: Some(directory) }
    }

    /// Whether it is searched because nothing more specific was named: see [`ScopedEntry::whole`].
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.scope == Scope::Session && self.author == Author::User
    }

    /// What a prompt refers to, for one block.
    #[must_use]
    pub fn referenced(entry: Entry) -> Self {
        Self { scope: Scope::Prompt, author: Author::Prompt, entry, exact: None }
    }

    /// What an earlier prompt of the conversation referred to, for one block.
    #[must_use]
    pub fn resumed(entry: Entry) -> Self {
        Self { scope: Scope::Session, ..Self::referenced(entry) }
    }

    /// A line of a list of paths, for one block.
    #[must_use]
    pub fn listed(entry: Entry) -> Self {
        Self { scope: Scope::Session, author: Author::List, entry, exact: None }
    }

    /// The exact bytes of a path in a list, for one block; `called` is its name in messages.
    #[must_use]
    pub fn listed_path(called: impl Into<String>, path: PathBuf) -> Self {
        Self { exact: Some(path), ..Self::listed(Entry::new(called)) }
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_plain() {
            return serializer.serialize_str(&self.path);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        for attribute in Attribute::ALL {
            if let Some(value) = self.attributes.value(attribute) {
                map.serialize_entry(attribute.name(), &value)?;
            }
        }
        for (key, value) in &self.unknown {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_without_attributes_is_a_plain_string() {
        assert_eq!(serde_json::to_string(&Entry::new("docs/**")).unwrap(), "\"docs/**\"");
    }

    #[test]
    fn attribute_for_another_kind_of_entry_is_misapplied() {
        for (text, attribute) in [
            (r#"{"path":"a.rs","ttl":"5m"}"#, Some("ttl")),
            (r#"{"path":"git:diff","as":"name"}"#, Some("as")),
            (r#"{"path":"!a.rs","off":true}"#, None),
            (r#"{"path":"!a.rs","pin":true}"#, Some("pin")),
            (r#"{"path":"git:diff","allow":["ignored"]}"#, None),
            (r#"{"path":"cmd:make","allow":["ignored"]}"#, Some("allow ignored")),
            (r#"{"path":"cmd:make","allow":["secrets"]}"#, None),
            (r#"{"path":"cmd:make","ttl":"5m","exit":"zero"}"#, None),
        ] {
            let entry: Entry = serde_json::from_str(text).unwrap();
            assert_eq!(entry.misapplied(), attribute, "{text}");
        }
    }

    #[test]
    fn attributes_and_unknown_keys_survive_a_round_trip() {
        let text = r#"{"path":"src/lib.rs","tags":["api"],"pin":true,"allow":["secret-names","hidden"],"as":"outline","search":true,"share":"30%","off":true,"later":{"a":1}}"#;
        let entry: Entry = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&entry).unwrap(), text);
        let text = r#"{"path":"a.rs","lines":"10-40"}"#;
        let entry: Entry = serde_json::from_str(text).unwrap();
        assert_eq!(
            (entry.name(), serde_json::to_string(&entry).unwrap()),
            ("a.rs:10-40".into(), text.to_owned())
        );
        let text = r#"{"path":"cmd:make","timeout":"120s","max_output":"64k","exit":"zero","ttl":"5m"}"#;
        let entry: Entry = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&entry).unwrap(), text);
    }
}
