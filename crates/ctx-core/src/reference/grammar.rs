//! Finds where text may refer to a file with `@`, and which paths it may mean. The caller checks what exists;
//! this module does not access the file system.

use crate::entry::lines::Ranged;
use crate::entry::pattern::{MAX_LENGTH, has_wildcards};
use crate::entry::{DeclarationName, Lines, NamedPart};
use ctx_outline::Language;
use ctx_search::is_ideographic;

/// A reference may begin after one of these, at the start, and after white space.
const OPENING: &str = "([{<\"'`,、（［｛＜【「『《〈〔〖〘〚｢“‘";

/// Characters that may follow a path without being part of it.
const TRAILING: &str = ".,;:!?)]}>\"'`。．，、；：！？）］｝＞】」』》〉〕〗〙〛｣”’";

/// The most characters that are removed from the end of a path.
const MOST_TRAILING: usize = 32;

/// The most words of a path with blanks that other words follow.
const MOST_WORDS: usize = 8;

/// A possible reference in text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention<'a> {
    /// The offset of the `@`.
    pub at: usize,
    /// Whether a backslash before the `@` escapes it.
    pub escaped: bool,
    /// The text after the `@`.
    form: MentionForm<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MentionForm<'a> {
    /// `{path}`, `"path"`, `'path'`: the text between the braces or quotes.
    Marked(&'a str),
    /// The text up to white space, and the length of the part before the next possible reference; the text up to the
    /// next one or the end of the line, which may begin with a path with blanks; and where the mention begins its line,
    /// also the whole line.
    Bare { text: &'a str, before_next: usize, rest: &'a str, line: Option<&'a str> },
}

/// A path that a mention may refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidatePath {
    /// The path, without backslashes before its spaces.
    pub path: String,
    /// The lines that follow it, if any.
    pub lines: Option<Lines>,
    /// The name of something in the file that follows it, if any; it makes sense only if the path is a file.
    pub name: Option<DeclarationName>,
    /// The offset after the mention.
    pub end: usize,
}

/// Finds the possible references in text, in order. `is_code` returns whether an offset is in code.
pub fn mentions<'a>(text: &'a str, is_code: impl Fn(usize) -> bool) -> impl Iterator<Item = Mention<'a>> {
    let ats = memchr::memchr_iter(b'@', text.as_bytes());
    let mut places = ats.filter(move |at| !is_code(*at) && may_begin(text, *at)).peekable();
    let is_escaped = |at: usize| text[..at].ends_with('\\');
    let mention = move || {
        let at = places.next()?;
        let next = places.peek().map_or(text.len(), |next| *next - usize::from(is_escaped(*next)));
        let form = MentionForm::of(&text[at + 1..], next - at - 1, begins_line(text, at));
        Some(form.map(|form| Mention { at, escaped: is_escaped(at), form }))
    };
    std::iter::from_fn(mention).flatten()
}

/// Whether the `@` at this offset, with or without a backslash before it, may begin a reference.
fn may_begin(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let before = before.strip_suffix('\\').unwrap_or(before);
    let is_open = |char: char| char.is_whitespace() || OPENING.contains(char);
    before.chars().next_back().is_none_or(is_open)
}

/// Whether only the marker of a list is before this offset on its line.
fn begins_line(text: &str, at: usize) -> bool {
    let start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |end| end + 1);
    matches!(text[start..at].trim(), "" | "-" | "*" | "+")
}

impl<'a> MentionForm<'a> {
    fn of(text: &'a str, before_next: usize, begins_line: bool) -> Option<Self> {
        let mark = match text.chars().next()? {
            '{' => Some('}'),
            quote @ ('"' | '\'') => Some(quote),
            _ => None,
        };
        if let Some(mark) = mark {
            let rest = &text[1..];
            let line = line_of(rest);
            return line.find(mark).filter(|end| *end > 0).map(|end| Self::Marked(&line[..end]));
        }
        let end = bare_end(text);
        let line = line_of(text).trim_end();
        let rest = line.get(..before_next).unwrap_or(line);
        let line = Some(line).filter(|line| begins_line && line.len() > end && !has_wildcards(line));
        (end > 0).then(|| Self::Bare { text: &text[..end], before_next: before_next.min(end), rest, line })
    }
}

/// The text up to the end of its first line, no longer than any path can be.
fn line_of(text: &str) -> &str {
    let near = &text[..boundary(text, MAX_LENGTH)];
    &near[..memchr::memchr2(b'\n', b'\r', near.as_bytes()).unwrap_or(near.len())]
}

/// The last character boundary up to `most`.
fn boundary(text: &str, most: usize) -> usize {
    let most = most.min(text.len());
    (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The length of a mention without quotes: up to white space other than escaped spaces, but no longer than
/// any path can be.
fn bare_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices() {
        if char.is_whitespace() && !(escaped && char == ' ') || at > MAX_LENGTH {
            return at;
        }
        escaped = char == '\\';
    }
    text.len()
}

impl Mention<'_> {
    /// The paths that may be meant, the longest first.
    pub fn candidates(&self) -> impl Iterator<Item = CandidatePath> {
        let begin = self.at + 1;
        let span = |text: &str, end| CandidatePath { path: text.to_owned(), lines: None, name: None, end };
        let spans: Vec<CandidatePath> = match self.form {
            MentionForm::Marked(text) => vec![span(text, begin + text.len() + 2)],
            MentionForm::Bare { text, before_next, .. } => {
                let before_next = &text[..before_next];
                let shorter = (before_next.len() < text.len()).then(|| shortened(before_next));
                // What would be reported as missing has to be missing.
                let reported = self.looks_like_path().filter(|path| path.len() < before_next.len());
                let all = shortened(text).chain(shorter.into_iter().flatten());
                let all = all.chain(before_words(before_next)).chain(reported);
                all.map(|text| span(text, begin + text.len())).collect()
            }
        };
        let is_marked = matches!(self.form, MentionForm::Marked(_));
        let named = self.named();
        let spans =
            spans.into_iter().filter(|span| span.path.len() <= MAX_LENGTH).flat_map(move |mut span| {
                if !is_marked {
                    span.path = span.path.replace("\\ ", " ");
                }
                let ranged = Ranged::of(&span.path).map(|Ranged { path, lines }| CandidatePath {
                    path: path.to_owned(),
                    lines: Some(lines),
                    name: None,
                    end: span.end,
                });
                [span].into_iter().chain(ranged)
            });
        spans.chain(named)
    }

    /// The whole line as a path with blanks, if nothing else is on it.
    #[must_use]
    pub fn whole_line(&self) -> Option<CandidatePath> {
        let MentionForm::Bare { line: Some(line), .. } = self.form else { return None };
        Some(self.of_words(line))
    }

    /// The paths with blanks that other words may follow: up to each word that ends like the name of a file.
    pub fn with_blanks(&self) -> impl Iterator<Item = CandidatePath> {
        let (first, rest) = match self.form {
            MentionForm::Bare { text, rest, .. } => (text.len(), rest),
            MentionForm::Marked(_) => (0, ""),
        };
        let blanks = rest.match_indices(' ').map(|(at, _)| at).chain([rest.len()]);
        let ends = blanks.filter(move |end| *end > first).take(MOST_WORDS - 1);
        let words = ends.map(|end| rest[..end].trim_end_matches(|char| TRAILING.contains(char)));
        let is_path = |words: &&str| words.rsplit(' ').next().is_some_and(is_known) && !has_wildcards(words);
        words.filter(is_path).map(|words| self.of_words(words))
    }

    fn of_words(&self, words: &str) -> CandidatePath {
        CandidatePath { path: words.to_owned(), lines: None, name: None, end: self.at + 1 + words.len() }
    }

    /// The paths that end before a `#`, each with the name after it. Digits after it are just text.
    fn named(&self) -> Vec<CandidatePath> {
        let begin = self.at + 1;
        let is_lines =
            |text: &str| Ranged::is_fragment(text.trim_end_matches(|char| TRAILING.contains(char)));
        let is_number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
        match self.form {
            MentionForm::Marked(text) | MentionForm::Bare { text, .. } if is_lines(text) => Vec::new(),
            MentionForm::Marked(text) => {
                let end = begin + text.len() + 2;
                let candidate = |NamedPart { path, name }: NamedPart<'_>| CandidatePath {
                    path: path.to_owned(),
                    lines: None,
                    name: Some(name),
                    end,
                };
                NamedPart::each(text).map(candidate).collect()
            }
            MentionForm::Bare { text, before_next, .. } => {
                let candidate = |(at, _): (usize, &str)| {
                    let name = bare_name(&text[at + 1..before_next]);
                    let (end, name) =
                        if is_number(name) { (at, None) } else { (at + 1 + name.len(), Some(name)) };
                    let name = name.map(str::parse).transpose().ok()?;
                    let path = text[..at].replace("\\ ", " ");
                    (at > 0).then_some(CandidatePath { path, lines: None, name, end: begin + end })
                };
                text[..before_next].match_indices('#').filter_map(candidate).collect()
            }
        }
    }

    /// The mentioned path, for messages, if it looks so much like one that it is worth reporting as missing:
    /// it contains a `/`, or has the extension of a text or source file.
    #[must_use]
    pub fn looks_like_path(&self) -> Option<&str> {
        let text = match self.form {
            MentionForm::Marked(text) => text,
            MentionForm::Bare { text, before_next, .. } => {
                let text = before_next_word(&text[..before_next]);
                let cut = text.find(|char: char| "\"'`<>(){}[]|&=\\,;".contains(char) || !is_plain(char));
                text[..cut.unwrap_or(text.len())].trim_end_matches(|char| TRAILING.contains(char))
            }
        };
        let path = Ranged::of(text).map_or(text, |ranged| ranged.path);
        let path = path.split_once('#').map_or(path, |(path, _)| path);
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_path = path.contains('/') && path.chars().any(char::is_alphanumeric);
        (is_path || is_known(name)).then_some(text)
    }
}

/// The name at the beginning of a text that goes on: `parse_header` in `parse_header()` and `parse_header's`.
fn bare_name(text: &str) -> &str {
    let is_part = |char: char| char.is_alphanumeric() || "_-.:/#".contains(char);
    let end = text.find(|char| !is_part(char)).unwrap_or(text.len());
    text[..end].trim_end_matches(|char: char| !char.is_alphanumeric() && char != '_')
}

/// The text, then the text without its last character, and so on, as long as that is one of [`TRAILING`].
fn shortened(text: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(text), |text| {
        let last = text.chars().next_back().filter(|last| TRAILING.contains(*last))?;
        Some(&text[..text.len() - last.len_utf8()]).filter(|rest| !rest.is_empty())
    })
    .take(MOST_TRAILING + 1)
}

/// The most places in one mention where a sentence may go on.
const MOST_CONTINUED: usize = 64;

/// The text before each place where a sentence may go on that is written without spaces, the longest first: `a.txt` in
/// `a.txtを要約`. What goes on as a path does is not another word.
fn before_words(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.char_indices().filter(|(at, char)| begins_word(&text[..*at], *char));
    let starts: Vec<usize> = starts.map(|(at, _)| at).take(MOST_CONTINUED).collect();
    let goes_on = |after: &str| {
        let mut dots = after.match_indices('.');
        after.contains('/')
            || dots.any(|(at, _)| after[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    starts
        .into_iter()
        .rev()
        .filter(move |at| is_known_path(&text[..*at]) || !goes_on(&text[*at..]))
        .map(|at| &text[..at])
}

/// Whether a word may begin with this character after a path: between scripts, and at the particles of Japanese.
fn begins_word(before: &str, char: char) -> bool {
    let is_hiragana = |char: char| ('\u{3041}'..='\u{309f}').contains(&char);
    let Some(last) = before.chars().next_back().filter(|last| last.is_alphanumeric()) else { return false };
    let is_particle = is_hiragana(char) && !is_hiragana(last);
    is_particle || is_ideographic(char) && !is_ideographic(last)
}

/// The text up to the first place where a sentence goes on after the name of a text or source file.
fn before_next_word(text: &str) -> &str {
    let mut starts = text.char_indices().filter(|(at, char)| begins_word(&text[..*at], *char));
    starts.find(|(at, _)| is_known_path(&text[..*at])).map_or(text, |(at, _)| &text[..at])
}

fn is_known_path(path: &str) -> bool {
    is_known(path.rsplit('/').next().unwrap_or(path))
}

fn is_plain(char: char) -> bool {
    char.is_ascii() && !char.is_ascii_control() || char.is_alphanumeric()
}

/// Whether a file with this name is a text or source file, going by its extension.
fn is_known(name: &str) -> bool {
    /// Extensions of text files for which there is no scanner.
    const OTHERS: [&str; 21] = [
        "adoc", "bat", "cfg", "conf", "csv", "diff", "htm", "html", "ini", "ipynb", "jsonl", "log", "patch",
        "pl", "proto", "ps1", "rst", "sql", "svg", "txt", "xml",
    ];
    /// A name with one of these extensions is more likely a domain.
    const DOMAINS: [&str; 2] = ["ru", "sc"];
    let Some((_, extension)) = name.rsplit_once('.') else { return false };
    let is_source = Language::of_path(name).is_some() && !DOMAINS.contains(&extension);
    is_source || OTHERS.contains(&extension)
}

impl CandidatePath {
    /// Whether the text is specific enough to mean a directory or a pattern.
    #[must_use]
    pub fn has_slash(&self) -> bool {
        self.path.contains('/')
    }

    /// Whether it means only part of a file.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.lines.is_some() || self.name.is_some()
    }

    /// Whether it may be a pattern.
    #[must_use]
    pub fn may_be_pattern(&self) -> bool {
        !self.is_partial() && self.has_slash() && has_wildcards(&self.path)
    }
}
