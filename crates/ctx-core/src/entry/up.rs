//! Names that are looked up in every directory from the root of the tree down to the current one.

use std::path::{Component, Path};
use std::str::FromStr;

/// What follows `up:`: names of files, of which the first counts that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpNames(Vec<String>);

/// Why a text is no names to look up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum UpError {
    /// There is none, or an empty one between two bars.
    #[error("a file name is missing")]
    Empty,
    /// It is absolute, or has `..` or `~` in it.
    #[error("only names in a directory can be looked up through the tree")]
    NoName,
    /// It has wildcard characters.
    #[error("patterns cannot be looked up through the tree")]
    Pattern,
}

impl UpNames {
    /// The names, the first one that is there counts.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl FromStr for UpNames {
    type Err = UpError;

    fn from_str(text: &str) -> Result<Self, UpError> {
        text.split('|').map(name).collect::<Result<Vec<String>, UpError>>().map(Self)
    }
}

fn name(text: &str) -> Result<String, UpError> {
    if text.is_empty() {
        return Err(UpError::Empty);
    }
    if super::pattern::has_wildcards(text) {
        return Err(UpError::Pattern);
    }
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    let is_sound =
        Path::new(text).components().all(is_name) && !text.starts_with('~') && !text.ends_with('/');
    if is_sound { Ok(text.to_owned()) } else { Err(UpError::NoName) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_separated_by_bars() {
        let names: UpNames = "AGENTS.override.md|.claude/CLAUDE.md".parse().unwrap();
        assert_eq!(names.iter().collect::<Vec<_>>(), ["AGENTS.override.md", ".claude/CLAUDE.md"]);
    }

    #[test]
    fn what_is_no_name_in_a_directory_is_refused() {
        for (text, error) in [
            ("", UpError::Empty),
            ("a||b", UpError::Empty),
            ("a|", UpError::Empty),
            ("/a", UpError::NoName),
            ("../a", UpError::NoName),
            ("a/../b", UpError::NoName),
            ("~/a", UpError::NoName),
            ("a/", UpError::NoName),
            (".", UpError::NoName),
            ("*.md", UpError::Pattern),
        ] {
            assert_eq!(text.parse::<UpNames>(), Err(error), "{text}");
        }
    }
}
