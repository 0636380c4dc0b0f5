//! The name of a declaration or a section, and how people write it after the path of a file.

use std::fmt;
use std::str::FromStr;

use super::pattern::MAX_LENGTH;
use crate::words::WrongText;

/// What separates a file from the name of something in it.
const MARK: char = '#';

/// What a declaration or a section of a file is called: `parse_header`, `Class.method`, `install`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeclarationName(String);

impl DeclarationName {
    /// The name as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DeclarationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for DeclarationName {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Self, WrongText> {
        let is_name = text.contains(char::is_alphanumeric)
            && !text.contains(char::is_control)
            && text.len() <= MAX_LENGTH;
        is_name
            .then(|| Self(text.trim().to_owned()))
            .ok_or(WrongText::new("not a name of anything in a file"))
    }
}

/// A path followed by the name of something in that file, such as `src/a.rs#parse_header`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPart<'a> {
    /// The path.
    pub path: &'a str,
    /// The name.
    pub name: DeclarationName,
}

impl<'a> NamedPart<'a> {
    /// What `text` may mean: split at its first `#`, at its second, and so on. The caller checks which of the
    /// paths is a file, and whether a file has the whole text as its name.
    pub fn each(text: &'a str) -> impl Iterator<Item = Self> {
        text.match_indices(MARK).filter_map(|(at, mark)| {
            let name = text[at + mark.len()..].parse().ok()?;
            (at > 0).then_some(Self { path: &text[..at], name })
        })
    }

    /// What `text` means if the first of its paths that is a file counts.
    pub fn of(text: &'a str, is_file: impl Fn(&str) -> bool) -> Option<Self> {
        Self::each(text).find(|part| is_file(part.path))
    }

    /// How it is written.
    #[must_use]
    pub fn written(path: &str, name: &DeclarationName) -> String {
        format!("{path}{MARK}{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_path_that_is_a_file_counts() {
        let split = |text| {
            let part = NamedPart::of(text, |path| ["a.rs", "c#/x.cs"].contains(&path))?;
            Some((part.path.to_owned(), part.name.to_string()))
        };
        let owned = |path: &str, name: &str| Some((path.to_owned(), name.to_owned()));
        assert_eq!(split("a.rs#B.c"), owned("a.rs", "B.c"));
        assert_eq!(split("a.rs#B#c"), owned("a.rs", "B#c"));
        assert_eq!(split("c#/x.cs#Main"), owned("c#/x.cs", "Main"));
        for text in ["a.rs", "a.rs#", "a.rs# ", "a.rs#!", "#a", "b.rs#x", "c#/x.cs"] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
