//! The kind of an entry, from its text alone.

use std::path::{Component, Path};

use super::pattern::has_wildcards;
use crate::named::named;
use crate::words::WrongText;

named! {
    /// The kind of an entry, from its text alone. Whether a path is a file, a directory or a pattern depends on
    /// the file system.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Kind {
        /// A path, a directory or a pattern.
        Path = "path",
        /// `!PATTERN`.
        Exclusion = "exclusion",
        /// `-`: the text on standard input, for one block.
        StandardInput = "stdin",
        /// `up:NAME|NAME`.
        Up = "up",
        /// `git:WHAT`.
        Git = "git",
        /// `cmd:WORDS`.
        Command = "command",
        /// `todo:NAME`.
        Todo = "todo",
        /// `dep:NAME`: the sources of a dependency, which are only searched.
        Dependency = "dependency",
    }
}

/// How an entry for a dependency begins: `dep:cargo:reqwest@0.12.4`.
pub const DEPENDENCY: &str = "dep:";

const EXCLUSION: char = '!';

impl Kind {
    /// The text of an entry whose contents the caller provides, such as standard input.
    pub const STANDARD_INPUT: &str = "-";

    /// The kind of an entry with this text; `./git:x` is a path.
    #[must_use]
    pub fn of(text: &str) -> Self {
        if text == Self::STANDARD_INPUT {
            return Self::StandardInput;
        }
        if text.starts_with(EXCLUSION) {
            return Self::Exclusion;
        }
        let begins = |kind: &Self| kind.prefix().is_some_and(|prefix| text.starts_with(prefix));
        Self::ALL.into_iter().find(begins).unwrap_or(Self::Path)
    }

    /// The prefix of entries of this kind, unless they are paths.
    #[must_use]
    pub fn prefix(self) -> Option<&'static str> {
        match self {
            Self::Path | Self::Exclusion | Self::StandardInput => None,
            Self::Up => Some("up:"),
            Self::Git => Some("git:"),
            Self::Command => Some("cmd:"),
            Self::Todo => Some("todo:"),
            Self::Dependency => Some(DEPENDENCY),
        }
    }

    /// The text after the prefix of this kind; `None` if `text` is of another kind.
    #[must_use]
    pub fn argument(self, text: &str) -> Option<&str> {
        let prefix = self.prefix().filter(|_| Self::of(text) == self)?;
        text.strip_prefix(prefix)
    }

    /// Whether entries of this kind provide text themselves, instead of selecting files.
    #[must_use]
    pub fn is_text(self) -> bool {
        match self {
            Self::Path | Self::Exclusion | Self::Up | Self::Dependency => false,
            Self::StandardInput | Self::Git | Self::Command | Self::Todo => true,
        }
    }
}

/// What can be wrong with the names after `up:`.
const WITHOUT_NAME: &str = "a file name is missing";
const NO_NAME: &str = "only a file name can be looked up through the tree";
const PATTERN: &str = "patterns cannot be looked up through the tree";

/// The text after `up:`: names of files to look up in every directory from the root of the tree down to the
/// current one. The first one that exists counts.
///
/// # Errors
/// If one of them is not a name in a directory.
pub fn up_names(text: &str) -> Result<Vec<String>, WrongText> {
    text.split('|').map(up_name).collect()
}

fn up_name(text: &str) -> Result<String, WrongText> {
    if text.is_empty() {
        return Err(WrongText::new(WITHOUT_NAME));
    }
    if has_wildcards(text) {
        return Err(WrongText::new(PATTERN));
    }
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    let is_sound =
        Path::new(text).components().all(is_name) && !text.starts_with('~') && !text.ends_with('/');
    if is_sound { Ok(text.to_owned()) } else { Err(WrongText::new(NO_NAME)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_is_determined_by_the_beginning_of_the_text() {
        for (text, kind) in [
            ("src/a.rs", Kind::Path),
            ("./git:x", Kind::Path),
            ("gitx", Kind::Path),
            ("", Kind::Path),
            ("!docs/**", Kind::Exclusion),
            ("!git:x", Kind::Exclusion),
            ("-", Kind::StandardInput),
            ("-x", Kind::Path),
            ("up:AGENTS.md", Kind::Up),
            ("git:diff", Kind::Git),
            ("cmd:", Kind::Command),
            ("todo:release", Kind::Todo),
            ("dep:npm:left-pad", Kind::Dependency),
        ] {
            assert_eq!(Kind::of(text), kind, "{text}");
        }
    }

    #[test]
    fn names_are_separated_by_bars() {
        let names = up_names("AGENTS.override.md|.claude/CLAUDE.md").unwrap();
        assert_eq!(names, ["AGENTS.override.md", ".claude/CLAUDE.md"]);
    }

    #[test]
    fn text_that_is_not_a_name_in_a_directory_is_refused() {
        for (text, error) in [
            ("", WITHOUT_NAME),
            ("a||b", WITHOUT_NAME),
            ("a|", WITHOUT_NAME),
            ("/a", NO_NAME),
            ("../a", NO_NAME),
            ("a/../b", NO_NAME),
            ("~/a", NO_NAME),
            ("a/", NO_NAME),
            (".", NO_NAME),
            ("*.md", PATTERN),
        ] {
            assert_eq!(up_names(text), Err(WrongText::new(error)), "{text}");
        }
    }
}
