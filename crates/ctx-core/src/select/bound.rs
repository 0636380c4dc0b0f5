//! What a project's files may contain, since others may have written them.
//!
//! The same applies to a store in the tree that an option or the environment names. What an attribute may do
//! is in its row of the table in `attributes.rs`, what a setting may do in `Setting::bound`. Anything that
//! neither lists is never allowed.

use crate::entry::{Attribute, Author, Bound, Entry, Kind, ScopedEntry, braces};
use crate::fs::Notation;
use crate::guard::{CleanText, secrets};

/// Why an entry of a project's files is not used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Forbidden {
    /// An absolute path.
    #[error("a project's files may not name an absolute path")]
    Absolute,
    /// `~` or `~/…`.
    #[error("a project's files may not name a path in the home directory")]
    Home,
    /// `..` anywhere.
    #[error("a project's files may not name a path with '..'")]
    Parent,
    /// An attribute that a project may not set.
    #[error("a project's files may not set \"{0}\"")]
    Attribute(String),
}

impl ScopedEntry {
    /// Why the entry's author may not use it; `None` if it is allowed.
    #[must_use]
    pub fn forbidden(&self) -> Option<Forbidden> {
        match self.author {
            Author::Project => path(&self.entry.path).or_else(|| attribute(&self.entry)),
            Author::User | Author::CommandLine | Author::List | Author::Prompt => None,
        }
    }
}

/// Whether an entry may lead out of the tree by the way its path is written. An exclusion adds nothing.
#[must_use]
pub fn may_lead_outside(text: &str) -> bool {
    Kind::of(text) != Kind::Exclusion && path(text).is_some()
}

/// What is wrong with the path of an entry, or with one of its alternatives.
fn path(text: &str) -> Option<Forbidden> {
    match Kind::of(text) {
        Kind::Path | Kind::Exclusion | Kind::StandardInput => {}
        // What follows their prefix is not a path.
        Kind::Up | Kind::Git | Kind::Command | Kind::Todo | Kind::Dependency => return None,
    }
    let text = text.strip_prefix('!').unwrap_or(text);
    // Text that is not a valid pattern gets its own error.
    let alternatives = braces::expand(text).unwrap_or_default();
    [text].into_iter().chain(alternatives.iter().map(AsRef::as_ref)).find_map(one_path)
}

fn one_path(text: &str) -> Option<Forbidden> {
    let slashed = Notation::HERE.slashed(text);
    if !Notation::HERE.root(&slashed).is_empty() {
        Some(Forbidden::Absolute)
    } else if slashed == "~" || slashed.starts_with("~/") {
        Some(Forbidden::Home)
    } else {
        slashed.split('/').any(|name| name == "..").then_some(Forbidden::Parent)
    }
}

/// The first attribute that is never allowed, or unknown.
fn attribute(entry: &Entry) -> Option<Forbidden> {
    let mut given = entry.attributes.given();
    let never = given.find(|attribute| attribute.bound() == Bound::Never).map(Attribute::name);
    let key = never.or(entry.unknown.keys().map(String::as_str).next())?;
    // The name is printed.
    let redacted = secrets::redact(key).map(CleanText::into_string);
    Some(Forbidden::Attribute(redacted.unwrap_or_else(|| key.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Provenance, Scope};

    fn forbidden(text: &str) -> Option<Forbidden> {
        let entry = serde_json::from_str(text).unwrap();
        let list = Provenance { scope: Scope::Profile, author: Author::Project };
        ScopedEntry::from_list(list, entry).forbidden()
    }

    #[test]
    fn paths_outside_the_project_are_forbidden_however_they_are_written() {
        for (text, error) in [
            ("/etc/passwd", Forbidden::Absolute),
            ("!/etc/**", Forbidden::Absolute),
            ("{a,/etc/passwd}", Forbidden::Absolute),
            ("{,}/etc/passwd", Forbidden::Absolute),
            ("~", Forbidden::Home),
            ("~/notes/*.md", Forbidden::Home),
            ("{a,~}/x", Forbidden::Home),
            ("..", Forbidden::Parent),
            ("a/../../b", Forbidden::Parent),
            ("a/.{.,x}/b", Forbidden::Parent),
            ("{..,a}/*", Forbidden::Parent),
            ("!../x", Forbidden::Parent),
        ] {
            assert_eq!(forbidden(&format!("{text:?}")), Some(error), "{text}");
        }
        for text in ["a", "a/..b/c", "**/*.rs", "!*.log", "git:diff main..topic", "cmd:cat ../x", "a{b"] {
            assert_eq!(forbidden(&format!("{text:?}")), None, "{text}");
        }
    }

    #[test]
    fn attributes_that_the_table_does_not_allow_are_forbidden() {
        for key in [
            r#""allow":["ignored"]"#,
            r#""allow":["secret-names"]"#,
            r#""allow":["secrets"]"#,
            r#""allow":["hidden"]"#,
            r#""secrets":"name""#,
            r#""root":"x""#,
            r#""later":1"#,
        ] {
            let told = forbidden(&format!("{{\"path\":\"a\",{key}}}"));
            assert!(matches!(told, Some(Forbidden::Attribute(_))), "{key}");
        }
        for entry in [
            r#"{"path":"a","tags":["x"],"pin":true,"allow":[]}"#,
            r#"{"path":"a","off":true}"#,
            r#"{"path":"cmd:a","timeout":"60s","max_output":"1k","exit":"zero","ttl":"5m"}"#,
        ] {
            assert_eq!(forbidden(entry), None, "{entry}");
        }
    }

    #[test]
    fn secret_in_the_name_of_an_attribute_is_redacted() {
        let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2eF4hJ6");
        let told = forbidden(&format!("{{\"path\":\"a\",\"{token}\":1}}"));
        assert_eq!(told, Some(Forbidden::Attribute("[REDACTED:github-token]".to_owned())));
    }
}
