//! One ignore file: read safely, and parsed as in git.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::fs::names::last_name;
use crate::fs::{Notation, contents, read_small, real};
use crate::git::wildmatch::{Case, Wild};
use crate::read::marks::unmarked;
use crate::report::{Notice, NoticeKind, ReasonCode};
use crate::words::{grouped, quoted, some_of};

const MAX_BYTES: u64 = 1 << 20;
const MAX_LINE: usize = 4096;
const MAX_BRACES: usize = 64;

/// The rules of one file, in order.
#[derive(Debug)]
pub struct RuleFile {
    path: PathBuf,
    /// Whether git also reads it.
    is_of_git: bool,
    /// The first line with a NUL.
    cut: Option<u32>,
    case: Case,
    rules: Vec<IgnoreRule>,
    /// The rules for exactly one file name, by that name; folded if case is ignored.
    by_name: HashMap<Box<[u8]>, Vec<usize>>,
    /// The rules for exactly one path, by that path; folded if case is ignored.
    by_path: HashMap<Box<[u8]>, Vec<usize>>,
    /// All other rules.
    others: Vec<usize>,
}

#[derive(Debug)]
struct IgnoreRule {
    line: u32,
    text: Box<[u8]>,
    negated: bool,
    only_directories: bool,
    matcher: Matcher,
}

#[derive(Debug)]
enum Matcher {
    /// The last component, exactly.
    Name(Box<[u8]>),
    /// The end of the last component.
    NameEnd(Box<[u8]>),
    /// The last component, with wildcards.
    NameWild(Wild),
    /// The path from the ignore file's directory: plain text, followed by wildcards.
    Path { plain: Box<[u8]>, wild: Option<Wild> },
}

/// The rule that decided whether a path is excluded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DecidedBy {
    /// The ignore file.
    pub file: PathBuf,
    /// The line number in that file, counted from 1.
    pub line: u32,
    /// The pattern as written on that line, with invalid UTF-8 replaced.
    pub pattern: String,
    /// Whether the rule re-includes the path.
    pub negated: bool,
}

/// A file that affects the rules but cannot be read safely; the directory it applies to is left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnsafeFile {
    /// The file, or the variable that stands for one.
    pub path: PathBuf,
    /// Why it cannot.
    pub why: UnsafeBecause,
}

impl UnsafeFile {
    /// A file of rules that the system does not let us read, or that is not regular or too large.
    #[must_use]
    pub fn unread(path: PathBuf, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::FileTooLarge => UnsafeBecause::TooLarge,
            io::ErrorKind::InvalidInput => UnsafeBecause::NotRegular,
            _ if is_of_a_link(error) => UnsafeBecause::Link,
            _ => UnsafeBecause::Unreadable,
        };
        Self { path, why }
    }

    /// The same file, by its path from this directory if it is in it.
    #[must_use]
    pub fn seen_from(&self, directory: &Path) -> Self {
        let path = self.path.strip_prefix(directory).unwrap_or(&self.path);
        Self { path: path.to_owned(), ..self.clone() }
    }

    /// The line that is at fault, counted from 1, if it is one.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        match self.why {
            UnsafeBecause::LongLine(line) | UnsafeBecause::Braces(line) => Some(line),
            UnsafeBecause::Unreadable
            | UnsafeBecause::NotRegular
            | UnsafeBecause::Link
            | UnsafeBecause::TooLarge
            | UnsafeBecause::Slow
            | UnsafeBecause::OfGit => None,
        }
    }

    /// Whether it is the `.gitignore` of the directory that its path is seen from.
    #[must_use]
    pub fn is_gitignore_at_the_top(&self) -> bool {
        self.path == Path::new(".gitignore")
    }

    /// The code for everything that is left out because of it.
    #[must_use]
    pub fn code(&self) -> ReasonCode {
        match self.why {
            UnsafeBecause::Unreadable
            | UnsafeBecause::NotRegular
            | UnsafeBecause::Link
            | UnsafeBecause::TooLarge
            | UnsafeBecause::LongLine(_)
            | UnsafeBecause::Braces(_)
            | UnsafeBecause::Slow => ReasonCode::UnsafeIgnoreFile,
            UnsafeBecause::OfGit => ReasonCode::UnsafeGitConfiguration,
        }
    }
}

impl fmt::Display for UnsafeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = Notation::HERE.shown(&self.path);
        write!(f, "{}: ", self.code().describe())?;
        match self.why {
            UnsafeBecause::Unreadable | UnsafeBecause::OfGit => write!(f, "'{path}'"),
            UnsafeBecause::NotRegular => write!(f, "'{path}' is not a regular file"),
            UnsafeBecause::Link => write!(f, "'{path}' is a link"),
            UnsafeBecause::TooLarge => write!(f, "'{path}' is over {} MiB", MAX_BYTES >> 20),
            UnsafeBecause::LongLine(line) => {
                write!(f, "'{path}:{line}' is over {} bytes", grouped(MAX_LINE as u64))
            }
            UnsafeBecause::Braces(line) => write!(f, "'{path}:{line}' has over {MAX_BRACES} '{{'"),
            UnsafeBecause::Slow => write!(f, "'{path}' takes too long to apply"),
        }
    }
}

impl std::error::Error for UnsafeFile {}

/// Whether opening failed because links are not followed there.
#[cfg(unix)]
fn is_of_a_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// Whether opening failed because links are not followed there; unknown here.
#[cfg(not(unix))]
fn is_of_a_link(_: &io::Error) -> bool {
    false
}

/// Why a file that affects the rules cannot be read safely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnsafeBecause {
    /// It is a file of rules that the system does not let us read.
    Unreadable,
    /// It is a pipe, a directory or the like in place of a file of rules.
    NotRegular,
    /// It is a link in place of a file of rules; git follows none.
    Link,
    /// It is a file of rules, and too large.
    TooLarge,
    /// This line of it is too long.
    LongLine(u32),
    /// This line of it has too many braces.
    Braces(u32),
    /// Applying its rules takes too long.
    Slow,
    /// It is a file or variable of git's configuration.
    OfGit,
}

/// A line of an ignore file of which only the beginning counts, as in git.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CutLine {
    /// The ignore file.
    pub file: PathBuf,
    /// The number of its first line with a NUL, counted from 1.
    pub line: u32,
}

impl CutLine {
    /// The same line, with the file by its path from this directory if it is in it.
    #[must_use]
    pub fn seen_from(&self, directory: &Path) -> Self {
        let file = self.file.strip_prefix(directory).unwrap_or(&self.file);
        Self { file: file.to_owned(), line: self.line }
    }
}

/// Reports lines of which ctx applies only the beginning; `None` if there are none.
#[must_use]
pub fn cut_lines<'a>(lines: impl IntoIterator<Item = &'a CutLine>) -> Option<Notice> {
    let lines: Vec<String> = lines.into_iter().map(quoted).collect();
    let text = format!("ignore rules with a NUL character end there, as in git: {}", some_of(&lines));
    (!lines.is_empty()).then(|| Notice::note(NoticeKind::IgnoreFiles, text))
}

impl fmt::Display for CutLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", Notation::HERE.shown(&self.file), self.line)
    }
}

/// A decision, borrowed from its file.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    file: &'a RuleFile,
    rule: &'a IgnoreRule,
}

impl Decision<'_> {
    /// Whether the path is excluded.
    #[must_use]
    pub fn ignores(self) -> bool {
        !self.rule.negated
    }

    /// Whether it is a rule of this file.
    #[must_use]
    pub fn is_of(self, file: &RuleFile) -> bool {
        std::ptr::eq(self.file, file)
    }

    /// The name of the file.
    #[must_use]
    pub fn file_name(&self) -> &OsStr {
        self.file.path.file_name().unwrap_or_default()
    }

    /// Whether it is a rule for directories only, or for a file that marks its directory.
    #[must_use]
    pub fn is_for_directories(self) -> bool {
        self.rule.only_directories
    }

    /// Its pattern as written, without a slash at the end.
    #[must_use]
    pub fn pattern(&self) -> &[u8] {
        self.rule.text.strip_suffix(b"/").unwrap_or(&self.rule.text)
    }

    /// Whether it is a rule of a file that git does not read.
    #[must_use]
    pub fn is_unknown_to_git(self) -> bool {
        !self.file.is_of_git
    }

    /// The decision as an owned value.
    #[must_use]
    pub fn to_owned(self) -> DecidedBy {
        DecidedBy {
            file: self.file.path.clone(),
            line: self.rule.line,
            pattern: String::from_utf8_lossy(&self.rule.text).into_owned(),
            negated: self.rule.negated,
        }
    }
}

impl RuleFile {
    /// Reads a file that was opened without blocking.
    ///
    /// # Errors
    /// If it is not regular, is too large, or contains an overlong line or one with too many braces.
    pub fn read(opened: io::Result<File>, path: PathBuf, case: Case) -> Result<Self, UnsafeFile> {
        match opened.and_then(|file| contents(file, MAX_BYTES)) {
            Ok(text) => Self::parse(&text, path, case),
            Err(error) => Err(UnsafeFile::unread(path, &error)),
        }
    }

    /// Like [`RuleFile::read`] for a file that git does not read: a link to a file below `base` is followed, since
    /// people link the ignore files of different tools to each other. A link that leads nowhere has no rules.
    ///
    /// # Errors
    /// The errors of [`RuleFile::read`].
    pub fn read_linked(
        opened: io::Result<File>,
        path: PathBuf,
        base: &Path,
        case: Case,
    ) -> Result<Self, UnsafeFile> {
        if !opened.as_ref().is_err_and(is_of_a_link) {
            return Self::read(opened, path, case);
        }
        match real(&path) {
            Ok(target) if target.starts_with(base) => match read_small(&target, MAX_BYTES) {
                Ok(text) => Self::parse(&text, path, case),
                Err(error) => Err(UnsafeFile::unread(path, &error)),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::parse(b"", path, case),
            Ok(_) | Err(_) => Err(UnsafeFile { path, why: UnsafeBecause::Link }),
        }
    }

    /// Parses the contents of an ignore file, which git treats as bytes: a comment may be in any encoding. Only
    /// UTF-16, which git does not understand, is decoded. A NUL ends its line, as in git.
    ///
    /// # Errors
    /// If a line is overlong or has too many braces.
    pub fn parse(text: &[u8], path: PathBuf, case: Case) -> Result<Self, UnsafeFile> {
        let mut rules: Vec<IgnoreRule> = Vec::new();
        let mut cut = None;
        for (number, line) in (1..).zip(unmarked(text).split(|byte| *byte == b'\n')) {
            if line.len() > MAX_LINE {
                return Err(UnsafeFile { path, why: UnsafeBecause::LongLine(number) });
            }
            if line.iter().filter(|byte| **byte == b'{').count() > MAX_BRACES {
                return Err(UnsafeFile { path, why: UnsafeBecause::Braces(number) });
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let nul = line.iter().position(|byte| *byte == 0);
            cut = cut.or(nul.map(|_| number));
            rules.extend(IgnoreRule::parse(&line[..nul.unwrap_or(line.len())], number, case));
        }
        Ok(Self { cut, ..Self::indexed(path, rules, case) })
    }

    /// This file, marked as one that git does not read.
    #[must_use]
    pub fn unknown_to_git(self) -> Self {
        Self { is_of_git: false, ..self }
    }

    /// Keeps only the last of equal rules, and indexes rules by name, so that the cost per path does not grow
    /// with the length of the file.
    fn indexed(path: PathBuf, mut rules: Vec<IgnoreRule>, case: Case) -> Self {
        let mut said = HashSet::new();
        let mut is_last: Vec<bool> = rules.iter().rev().map(|rule| said.insert(rule.text.clone())).collect();
        rules.retain(|_| is_last.pop().unwrap_or(true));
        let mut by_name: HashMap<Box<[u8]>, Vec<usize>> = HashMap::new();
        let mut by_path: HashMap<Box<[u8]>, Vec<usize>> = HashMap::new();
        let mut others = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            match &rule.matcher {
                Matcher::Name(name) => by_name.entry(name.clone()).or_default().push(index),
                Matcher::Path { plain, wild: None } => {
                    by_path.entry(folded(plain, case).into()).or_default().push(index);
                }
                Matcher::NameEnd(_) | Matcher::NameWild(_) | Matcher::Path { .. } => others.push(index),
            }
        }
        Self { path, is_of_git: true, cut: None, case, rules, by_name, by_path, others }
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The first line that counts only up to its NUL.
    #[must_use]
    pub fn cut_line(&self) -> Option<CutLine> {
        self.cut.map(|line| CutLine { file: self.path.clone(), line })
    }

    /// Whether the file contains no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The file's decision on a path relative to its directory: its last matching rule. Adds the number of
    /// comparisons to `steps`.
    #[must_use]
    pub fn decide(&self, relative: &[u8], is_directory: bool, steps: &mut u64) -> Option<Decision<'_>> {
        let name = last_name(relative);
        let mut matches =
            |index: &usize| self.rules[*index].matches(relative, name, is_directory, self.case, steps);
        let mut last = |indices: &[usize]| indices.iter().rev().copied().find(&mut matches);
        let by_name = self.by_name.get(&*folded(name, self.case)).and_then(|indices| last(indices));
        let by_path = self.by_path.get(&*folded(relative, self.case)).and_then(|indices| last(indices));
        let exact = by_name.max(by_path);
        let later = self.others.partition_point(|index| Some(*index) < exact);
        let rule = last(&self.others[later..]).max(exact)?;
        Some(Decision { file: self, rule: &self.rules[rule] })
    }
}

/// Reads a file that may be a link, and `/dev/null` as an empty file; `None` if it does not exist.
///
/// # Errors
/// If it exists and cannot be read.
pub fn read_own(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match read_small(path, MAX_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(_) if real(path).is_ok_and(|real| real == Path::new("/dev/null")) => Ok(Some(Vec::new())),
        Err(error) => Err(error),
    }
}

impl IgnoreRule {
    fn parse(line: &[u8], number: u32, case: Case) -> Option<Self> {
        let text = without_trailing_spaces(line);
        if text.is_empty() || text.starts_with(b"#") {
            return None;
        }
        let (negated, pattern) = match text.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (only_directories, pattern) = match pattern.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let matcher = Matcher::new(pattern, case);
        Some(Self { line: number, text: text.into(), negated, only_directories, matcher })
    }

    fn matches(&self, path: &[u8], name: &[u8], is_directory: bool, case: Case, steps: &mut u64) -> bool {
        *steps += 1;
        if self.only_directories && !is_directory {
            return false;
        }
        match &self.matcher {
            Matcher::Name(text) => case.same(text, name),
            Matcher::NameEnd(text) => {
                name.len().checked_sub(text.len()).is_some_and(|start| case.same(text, &name[start..]))
            }
            Matcher::NameWild(wild) => wild.matches_counted(name, steps),
            Matcher::Path { plain, wild } => {
                let Some((start, rest)) = path.split_at_checked(plain.len()) else { return false };
                case.same(plain, start)
                    && match wild {
                        Some(wild) => wild.matches_counted(rest, steps),
                        None => rest.is_empty(),
                    }
            }
        }
    }
}

impl Matcher {
    fn new(pattern: &[u8], case: Case) -> Self {
        let anchored = pattern.contains(&b'/');
        let pattern = pattern.strip_prefix(b"/").unwrap_or(pattern);
        let special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'\\');
        let plain = pattern.iter().position(special);
        if anchored {
            let (plain, rest) = pattern.split_at(plain.unwrap_or(pattern.len()));
            let wild = (!rest.is_empty()).then(|| Wild::new(rest, case));
            return Self::Path { plain: plain.into(), wild };
        }
        match (plain, pattern) {
            (None, _) => Self::Name(folded(pattern, case).into()),
            (Some(0), [b'*', end @ ..]) if !end.iter().any(special) => Self::NameEnd(end.into()),
            (Some(_), _) => Self::NameWild(Wild::new(pattern, case)),
        }
    }
}

/// Bytes as keys, so that those that count as the same are equal.
fn folded(bytes: &[u8], case: Case) -> Cow<'_, [u8]> {
    match case {
        Case::Sensitive => Cow::Borrowed(bytes),
        Case::Ignored => Cow::Owned(bytes.iter().map(|byte| case.fold(*byte)).collect()),
    }
}

/// Trailing spaces are ignored, unless a backslash precedes them.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b' ' => at += 1,
            b'\\' => {
                at += 2;
                end = at;
            }
            _ => {
                at += 1;
                end = at;
            }
        }
    }
    line.get(..end).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(rules: &[u8]) -> Result<RuleFile, UnsafeFile> {
        RuleFile::parse(rules, PathBuf::from("x/.gitignore"), Case::Sensitive)
    }

    fn ignored(rules: &str, path: &str, is_directory: bool) -> Option<bool> {
        let file = parse(rules.as_bytes()).unwrap();
        file.decide(path.as_bytes(), is_directory, &mut 0).map(Decision::ignores)
    }

    #[test]
    fn the_last_rule_that_matches_decides() {
        assert_eq!(ignored("*.log\n!keep.log\n", "a/keep.log", false), Some(false));
        assert_eq!(ignored("!keep.log\n*.log\n", "keep.log", false), Some(true));
        assert_eq!(ignored("/only\n", "a/only", false), None);
        assert_eq!(ignored("a/b\n", "x/a/b", false), None);
        assert_eq!(ignored("dir/\n", "dir", false), None);
        assert_eq!(ignored("dir/\n", "x/dir", true), Some(true));
    }

    #[test]
    fn lines_are_read_as_git_reads_them() {
        assert_eq!(ignored("a  \r\n", "a", false), Some(true));
        assert_eq!(ignored("a  \n", "a", false), Some(true));
        assert_eq!(ignored("a\\ \n", "a ", false), Some(true));
        assert_eq!(ignored("\\!a\n\\#b\n", "!a", false), Some(true));
        assert_eq!(ignored("# a\n", "# a", false), None);
        assert_eq!(ignored("\u{feff}a\n", "a", false), Some(true));
        assert_eq!(ignored("x{a,b}\n", "xa", false), None);
    }

    #[test]
    fn the_decision_names_its_line() {
        let file = parse(b"# c\n\n*.log\n").unwrap();
        let by = file.decide(b"a.log", false, &mut 0).unwrap().to_owned();
        assert_eq!((by.line, by.pattern.as_str(), by.file), (3, "*.log", PathBuf::from("x/.gitignore")));
    }

    #[test]
    fn rules_in_another_encoding_match_byte_by_byte() {
        let file = parse(b"# caf\xe9\n*.log\nna\xefve\n").unwrap();
        let decided = |name: &[u8]| file.decide(name, false, &mut 0).map(|by| by.to_owned().pattern);
        assert_eq!(decided(b"a.log").as_deref(), Some("*.log"));
        assert_eq!(decided(b"na\xefve").as_deref(), Some("na\u{fffd}ve"));
        assert_eq!(decided(b"nave"), None);
    }

    #[test]
    fn ignoring_case_only_affects_letters() {
        let rules = b"Name\n*.LOG\n/Dir/Sub\nX?z\n";
        let file = RuleFile::parse(rules, PathBuf::new(), Case::Ignored).unwrap();
        let ignored = |path: &str| file.decide(path.as_bytes(), false, &mut 0).is_some();
        assert!(ignored("nAME") && ignored("a.log") && ignored("dir/SUB") && ignored("xYZ"));
        assert!(!ignored("names") && !ignored("log") && !ignored("dir/subs") && !ignored("di"));
    }

    #[test]
    fn nul_ends_its_line_as_in_git() {
        let file = parse(b"a\nb\0c\n\0d\n").unwrap();
        let decides = |name: &str| file.decide(name.as_bytes(), false, &mut 0).is_some();
        assert!(decides("a") && decides("b") && !decides("bc") && !decides("d"));
        assert_eq!(file.cut_line().map(|cut| cut.line), Some(2));
        assert_eq!(parse(b"a\n").unwrap().cut_line(), None);
    }

    #[test]
    fn rules_in_utf_16_are_decoded() {
        let file = parse(b"\xff\xfea\0\r\0\n\0").unwrap();
        assert!(file.decide(b"a", false, &mut 0).is_some() && file.cut_line().is_none());
    }

    #[test]
    fn hostile_files_are_refused() {
        for (text, why) in [
            ("\n".to_owned() + &"{".repeat(65), UnsafeBecause::Braces(2)),
            ("a".repeat(4097), UnsafeBecause::LongLine(1)),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap_err().why, why);
        }
        assert!(parse("{".repeat(64).as_bytes()).is_ok());
    }
}
