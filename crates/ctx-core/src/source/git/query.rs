//! The meaning of a `git:` entry.

use std::fmt;
use std::path::{Component, Path};
use std::str::FromStr;

/// How many commits a log has by default.
const DEFAULT_LOG: u32 = 10;

/// The parsed text after `git:`: `diff main.. -- src`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitQuery {
    /// The kind of changes.
    pub what: What,
    /// The paths to which the changes are limited, as git matches them; all paths if empty.
    pub paths: Vec<String>,
}

/// The kind of changes in a [`GitQuery`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The work tree compared with the index, or the changes in a range.
    Diff(Option<RevisionRange>),
    /// The index compared with the last commit.
    Staged,
    /// Everything that differs from the last commit, including untracked files.
    Changes,
    /// A commit: its message and its files.
    Show(String),
    /// Commit messages, the newest first.
    Log {
        /// The maximum number.
        most: u32,
        /// The commits to list; by default, those up to `HEAD`.
        range: Option<RevisionRange>,
    },
}

/// A revision or two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RevisionRange {
    /// `REV`.
    One(String),
    /// `FROM..TO`, `FROM...TO`; an empty side is `HEAD`.
    Two {
        /// Left of the dots.
        from: String,
        /// Right of the dots.
        to: String,
        /// Whether there are three dots, for changes since the two diverged.
        since_parting: bool,
    },
}

/// Why a query is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// An unknown word.
    #[error(
        "'git:{0}' is not known; use git:diff, git:staged, git:changes, git:show or git:log; a revision follows in the same quotes: 'git:diff HEAD~3'"
    )]
    Unknown(String),
    /// A quotation mark is not closed.
    #[error("a quotation mark is not closed")]
    Quotes,
    /// An option in place of a revision.
    #[error("'{0}' is not a revision; options for git are not allowed")]
    Option(String),
    /// Too many words.
    #[error("'{0}' is one word too many; paths go after '--'")]
    Surplus(String),
    /// A path that may lead out of the directory that the entry is confined to.
    #[error("a project's files may only name paths below its own directory, and '{0}' may be elsewhere")]
    Elsewhere(String),
    /// Not a valid number.
    #[error("'{0}' is not a number of commits from 1 to 100000")]
    Number(String),
}

impl GitQuery {
    /// This query, limited to the current directory.
    ///
    /// # Errors
    /// If a path may lead out of it.
    pub fn confined(&self) -> Result<Self, QueryError> {
        let leads_out = |path: &&String| {
            let parts = Path::new(path.as_str()).components();
            let mut others = parts.filter(|part| !matches!(part, Component::Normal(_) | Component::CurDir));
            path.starts_with(':') || others.next().is_some()
        };
        if let Some(path) = self.paths.iter().find(leads_out) {
            return Err(QueryError::Elsewhere(path.clone()));
        }
        let paths = if self.paths.is_empty() { vec![".".to_owned()] } else { self.paths.clone() };
        Ok(Self { what: self.what.clone(), paths })
    }
}

impl What {
    /// Whether files in the work tree are compared, which git would filter.
    pub(super) fn reads_files(&self) -> bool {
        match self {
            Self::Diff(None | Some(RevisionRange::One(_))) | Self::Changes => true,
            Self::Diff(Some(RevisionRange::Two { .. })) | Self::Staged | Self::Show(_) | Self::Log { .. } => {
                false
            }
        }
    }
}

impl FromStr for GitQuery {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Self, QueryError> {
        let words = shlex::split(text).ok_or(QueryError::Quotes)?;
        let mut words = words.into_iter();
        let name = words.next().unwrap_or_default();
        let before: Vec<String> = words.by_ref().take_while(|word| word != "--").collect();
        let paths: Vec<String> = words.collect();
        let mut before = before.into_iter();
        let what = match name.as_str() {
            "diff" => What::Diff(before.next().map(|word| word.parse()).transpose()?),
            "staged" => What::Staged,
            "changes" => What::Changes,
            "show" => What::Show(revision(&before.next().unwrap_or_else(|| "HEAD".to_owned()))?),
            "log" => log(&mut before)?,
            _ => return Err(QueryError::Unknown(name)),
        };
        match before.next() {
            Some(word) if word.starts_with('-') => Err(QueryError::Option(word)),
            Some(word) => Err(QueryError::Surplus(word)),
            None => Ok(Self { what, paths }),
        }
    }
}

/// Whether a path only excludes, as git reads it: `:!a`, `:(top,exclude)a`.
pub(super) fn excludes(path: &str) -> bool {
    let Some(magic) = path.strip_prefix(':') else { return false };
    match magic.strip_prefix('(').and_then(|words| words.split_once(')')) {
        Some((words, _)) => words.split(',').any(|word| word == "exclude"),
        None => magic.chars().take_while(|char| "/!^".contains(*char)).any(|char| char != '/'),
    }
}

fn log(words: &mut impl Iterator<Item = String>) -> Result<What, QueryError> {
    let mut next = words.next();
    let mut most = DEFAULT_LOG;
    if let Some(digits) = next.as_deref().and_then(|word| word.strip_prefix('-')) {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number {
            return Err(QueryError::Option(format!("-{digits}")));
        }
        most = match digits.parse() {
            Ok(number @ 1..=100_000) => number,
            Ok(_) | Err(_) => return Err(QueryError::Number(digits.to_owned())),
        };
        next = words.next();
    }
    Ok(What::Log { most, range: next.map(|word| word.parse()).transpose()? })
}

impl FromStr for RevisionRange {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Self, QueryError> {
        let side = |side: &str| if side.is_empty() { Ok("HEAD".to_owned()) } else { revision(side) };
        revision(text)?;
        let two = |from: &str, to: &str, since_parting| {
            Ok(Self::Two { from: side(from)?, to: side(to)?, since_parting })
        };
        if let Some((from, to)) = text.split_once("...") {
            return two(from, to, true);
        }
        match text.split_once("..") {
            Some((from, to)) => two(from, to, false),
            None => Ok(Self::One(text.to_owned())),
        }
    }
}

fn revision(text: &str) -> Result<String, QueryError> {
    if text.starts_with('-') { Err(QueryError::Option(text.to_owned())) } else { Ok(text.to_owned()) }
}

impl fmt::Display for RevisionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(revision) => f.write_str(revision),
            Self::Two { from, to, since_parting } => {
                write!(f, "{from}{}{to}", if *since_parting { "..." } else { ".." })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> GitQuery {
        text.parse().unwrap()
    }

    fn two(from: &str, to: &str, since_parting: bool) -> RevisionRange {
        RevisionRange::Two { from: from.into(), to: to.into(), since_parting }
    }

    #[test]
    fn confined_query_only_names_paths_below_the_directory() {
        let confined = |text: &str| text.parse::<GitQuery>().unwrap().confined();
        assert_eq!(confined("log -3").unwrap().paths, ["."]);
        assert_eq!(confined("diff -- src ./a").unwrap().paths, ["src", "./a"]);
        for path in ["..", "src/../../x", "/etc", ":/", ":(top)x", ":!x"] {
            let error = QueryError::Elsewhere(path.to_owned());
            assert_eq!(confined(&format!("show -- '{path}'")), Err(error), "{path}");
        }
    }

    #[test]
    fn every_form_of_query_is_parsed() {
        let log = |most, range| What::Log { most, range };
        for (text, what) in [
            ("diff", What::Diff(None)),
            ("diff main", What::Diff(Some(RevisionRange::One("main".into())))),
            ("diff main..", What::Diff(Some(two("main", "HEAD", false)))),
            ("diff ..v1", What::Diff(Some(two("HEAD", "v1", false)))),
            ("diff a...b", What::Diff(Some(two("a", "b", true)))),
            ("staged", What::Staged),
            ("changes", What::Changes),
            ("show", What::Show("HEAD".into())),
            ("show 'HEAD^{/a b}'", What::Show("HEAD^{/a b}".into())),
            ("log", log(10, None)),
            ("log -3", log(3, None)),
            ("log -3 a..b", log(3, Some(two("a", "b", false)))),
            ("log a", log(10, Some(RevisionRange::One("a".into())))),
        ] {
            assert_eq!(parsed(text), GitQuery { what: what.clone(), paths: Vec::new() }, "{text}");
            let paths = vec!["-x".to_owned(), "a b".to_owned()];
            assert_eq!(parsed(&format!("{text} -- -x 'a b'")), GitQuery { what, paths }, "{text}");
        }
    }

    #[test]
    fn exclude_only_paths_are_recognised() {
        for path in [":!a", ":^a", ":/!a", ":(exclude)a", ":(top,exclude)a"] {
            assert!(excludes(path), "{path}");
        }
        for path in ["a", "!a", ":a", ":/a!", ":(top)a", ":(attr:exclude)a", "a:!b"] {
            assert!(!excludes(path), "{path}");
        }
    }

    #[test]
    fn invalid_queries_are_refused_with_a_reason() {
        for (text, message) in [
            (
                "",
                "'git:' is not known; use git:diff, git:staged, git:changes, git:show or git:log; a revision follows in the same quotes: 'git:diff HEAD~3'",
            ),
            (
                "status",
                "'git:status' is not known; use git:diff, git:staged, git:changes, git:show or git:log; a revision follows in the same quotes: 'git:diff HEAD~3'",
            ),
            ("diff --ext-diff", "'--ext-diff' is not a revision; options for git are not allowed"),
            ("diff a..-b", "'-b' is not a revision; options for git are not allowed"),
            ("diff a --output=x", "'--output=x' is not a revision; options for git are not allowed"),
            ("show -p", "'-p' is not a revision; options for git are not allowed"),
            ("log -n", "'-n' is not a revision; options for git are not allowed"),
            ("log -3 --all", "'--all' is not a revision; options for git are not allowed"),
            ("log -0", "'0' is not a number of commits from 1 to 100000"),
            ("log -99999999999", "'99999999999' is not a number of commits from 1 to 100000"),
            ("staged --cached", "'--cached' is not a revision; options for git are not allowed"),
            ("diff a b", "'b' is one word too many; paths go after '--'"),
            ("changes src", "'src' is one word too many; paths go after '--'"),
            ("diff -- 'a", "a quotation mark is not closed"),
        ] {
            assert_eq!(text.parse::<GitQuery>().unwrap_err().to_string(), message, "{text}");
        }
    }
}
