//! The pattern language: the meaning of an entry's text.
//!
//! A pattern consists of `{a,b}` alternatives in the syntax of the `glob` crate: `?` and `*` within a
//! component, `**` as a whole component, `[a-z]`, `[!a-z]`. Two rules are stricter: a name that begins with a
//! dot is matched only by a component that begins with a dot (`*.rs` does not match `.rs`), and a pattern
//! that ends in a slash matches directories, and thus the files directly in them.

use super::braces::{self, class_end};
use super::component::{Component, Token};
use super::positions::Components;
pub use super::target_error::{MAX_COMPONENTS, MAX_LENGTH, MAX_PATTERNS, MAX_RANGES, TargetError};
use crate::fs::Notation;

/// The meaning of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// One path, as given.
    Literal(String),
    /// The files that a pattern matches, by its alternatives; at least one.
    Pattern(Vec<Glob>),
    /// What to exclude from patterns and directories: the text after the `!`. If it matches a directory,
    /// everything below is excluded too, as in a `.gitignore`. It also matches names with a leading dot, since
    /// excluding too much is safer than excluding too little.
    Exclusion(Vec<Glob>),
}

/// One alternative of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    /// The directories before the first wildcard, as given: ``, `src/app`, `..`, `~/notes`, `/`.
    pub directory: String,
    /// The rest; never empty.
    pub components: Components,
}

/// Parses the text of an entry. An existing path with wildcard characters is literal anyway, but that depends
/// on the file system: see `crate::select`.
///
/// # Errors
/// If the text cannot be an entry, whether the path exists or not.
pub fn parse(text: &str) -> Result<Target, TargetError> {
    match text.strip_prefix('!') {
        Some(rest) => check(rest).and_then(|()| exclusion(rest)).map(Target::Exclusion),
        None => {
            check(text)?;
            if has_wildcards(text) {
                globs(text).map(Target::Pattern)
            } else {
                Ok(Target::Literal(text.to_owned()))
            }
        }
    }
}

/// Why `text` cannot be an entry, as [`parse`] would report it. Each alternative uses up one of those that
/// are `left`. When none is left, patterns are not examined, since a list from somebody else can contain
/// millions.
pub fn flaw(text: &str, left: &mut usize) -> Option<TargetError> {
    if *left == 0 && has_wildcards(text) {
        return None;
    }
    let alternatives = match parse(text) {
        Ok(Target::Literal(_)) => 0,
        Ok(Target::Pattern(globs) | Target::Exclusion(globs)) => globs.len(),
        Err(error) => return Some(error),
    };
    *left = left.saturating_sub(alternatives);
    None
}

/// Whether the text contains one of `* ? [ {`.
#[must_use]
pub fn has_wildcards(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

fn check(text: &str) -> Result<(), TargetError> {
    if text.is_empty() {
        return Err(TargetError::Empty);
    }
    if text.len() > MAX_LENGTH {
        return Err(TargetError::TooLong);
    }
    if text.contains('\0') {
        return Err(TargetError::Nul);
    }
    if !has_wildcards(text) {
        Notation::HERE.check(&Notation::HERE.slashed(text))?;
    }
    match text.strip_prefix('~') {
        Some(rest) if !rest.is_empty() && !is_separator(rest.chars().next()) => Err(TargetError::OtherHome),
        Some(_) | None => Ok(()),
    }
}

fn is_separator(c: Option<char>) -> bool {
    c.is_some_and(std::path::is_separator)
}

/// The pattern for `text`, with or without wildcards.
///
/// # Errors
/// See [`TargetError`].
pub fn globs(text: &str) -> Result<Vec<Glob>, TargetError> {
    check(text)?;
    let alternatives = braces::expand(&Notation::HERE.slashed(text))?;
    let glob = |one: &String| Glob::new(one, one.ends_with('/'));
    alternatives.iter().map(glob).collect()
}

/// The pattern of an exclusion, which may name a directory with or without a final slash.
///
/// # Errors
/// See [`TargetError`].
pub fn exclusion(text: &str) -> Result<Vec<Glob>, TargetError> {
    Ok(alternatives(text)?.into_iter().map(|(_, glob)| glob).collect())
}

/// The alternatives of the pattern of an exclusion, each with its text.
///
/// # Errors
/// See [`TargetError`].
pub fn alternatives(text: &str) -> Result<Vec<(String, Glob)>, TargetError> {
    check(text)?;
    if !has_wildcards(text) {
        return Ok(vec![(text.to_owned(), Glob::literal(text))]);
    }
    let alternatives = braces::expand(&Notation::HERE.slashed(text))?.into_iter();
    alternatives.map(|one| Glob::new(&one, false).map(|glob| (one, glob))).collect()
}

/// The pattern that matches exactly this path, whatever its characters.
#[must_use]
pub fn escape(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for char in path.chars() {
        match char {
            '*' | '?' | '[' | ']' | '{' | '}' => pattern.extend(['[', char, ']']),
            plain => pattern.push(plain),
        }
    }
    pattern
}

/// The pattern for everything below a directory.
#[must_use]
pub fn below(directory: &str) -> String {
    format!("{}/**", escape(directory.trim_end_matches(std::path::is_separator)))
}

impl Glob {
    /// The glob for `text`; with `files_in`, it matches directories, and thus the files directly in them.
    fn new(text: &str, files_in: bool) -> Result<Self, TargetError> {
        let root = Notation::HERE.root(text);
        let mut parts = split(&text[root.len()..])?;
        parts.dedup_by(|later, earlier| *later == Component::Recursive && *earlier == *later);
        if files_in && parts.last() != Some(&Component::Recursive) {
            parts.push(Component::Any);
        }
        let literal = parts.iter().take_while(|part| matches!(part, Component::Literal(_))).count();
        let directories = literal.min(parts.len().saturating_sub(1));
        let components: Vec<Component> = parts[directories..].into();
        let parent = |component: &Component| *component == Component::Literal(Box::from(*b".."));
        if components.iter().any(parent) && components.len() > 1 {
            return Err(TargetError::ParentAfterWildcard);
        }
        let components = Components::new(components)
            .filter(|all| all.len() <= MAX_COMPONENTS)
            .ok_or(TargetError::TooManyComponents)?;
        let names: Vec<_> = parts[..directories].iter().filter_map(Component::literal).collect();
        let names = names.join("/");
        let may_be_home = root.is_empty() && names.starts_with('~') && !text.starts_with('~');
        let directory = if may_be_home { format!("./{names}") } else { format!("{root}{names}") };
        Ok(Self { directory, components })
    }

    /// The glob that matches exactly this path, whatever its characters.
    #[must_use]
    pub fn literal(path: &str) -> Self {
        let path = Notation::HERE.slashed(path);
        let (directory, name) = Notation::HERE.split_last(&path);
        Self::below(directory.to_owned(), Component::Literal(name.as_bytes().into()))
    }

    /// The glob for one component below `directory`.
    #[must_use]
    pub fn below(directory: String, component: Component) -> Self {
        Self { directory, components: Components::one(component) }
    }

    /// Whether it matches in all directories below, whatever their names: `**`, `*/**`, `**/*.md`.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let first = self.components.iter().find(|component| **component != Component::Any);
        first.is_some_and(Component::is_recursive)
    }

    /// Whether it matches the path, relative to [`Glob::directory`] and with `/` as the separator.
    #[must_use]
    pub fn matches(&self, path: &[u8]) -> bool {
        self.components.matches(path)
    }
}

/// Splits at the slashes outside classes; `.` and empty components are dropped.
fn split(text: &str) -> Result<Vec<Component>, TargetError> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at <= text.len() {
        match text.as_bytes().get(at) {
            Some(b'[') => at += class_end(&text[at..]).ok_or(TargetError::UnclosedBracket)?,
            Some(b'/') | None => {
                let part = &text[start..at];
                if !part.is_empty() && part != "." {
                    parts.push(component(part)?);
                }
                at += 1;
                start = at;
            }
            Some(_) => at += 1,
        }
    }
    Ok(parts)
}

fn component(text: &str) -> Result<Component, TargetError> {
    if text == "**" {
        return Ok(Component::Recursive);
    }
    if !has_wildcards(text) {
        Notation::HERE.check(text)?;
        return Ok(Component::Literal(text.as_bytes().into()));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'*' => {
                match text[at..].bytes().take_while(|byte| *byte == b'*').count() {
                    1 => tokens.push(Token::Run),
                    2 => return Err(TargetError::PartialRecursion),
                    _ => return Err(TargetError::TooManyStars),
                }
                at += 1;
            }
            b'?' => {
                tokens.push(Token::One);
                at += 1;
            }
            b'[' => {
                let end = class_end(&text[at..]).ok_or(TargetError::UnclosedBracket)?;
                let class = &text[at + 1..at + end - 1];
                match only_character(class) {
                    Some(character) => tokens.extend(character.bytes().map(Token::Byte)),
                    None => tokens.push(Token::Class(class.to_owned())),
                }
                at += end;
            }
            plain => {
                tokens.push(Token::Byte(*plain));
                at += 1;
            }
        }
    }
    Component::new(tokens).ok_or(TargetError::UnclosedBracket)
}

/// The only character of a class such as `[{]`, which is equivalent to the character itself. Not a dot, since
/// a leading one must be written plainly, nor a slash, which no name contains.
fn only_character(class: &str) -> Option<&str> {
    let is_one = class.chars().count() == 1 && !matches!(class, "." | "/");
    is_one.then_some(class)
}

#[cfg(test)]
mod tests;
