//! The labels of files in the output.

use std::fmt::{self, Write};

use crate::entry::{DeclarationName, Kind, Lines, NamedPart};
use crate::guard::secrets::redact;
use crate::hidden::hidden_characters;

/// The printable name of a file, on one line; different files have different names.
///
/// Newlines, carriage returns, tabs, and characters that count as hidden in documents become `\n`, `\r`, `\t`
/// or `\u{…}`, and bytes that are not UTF-8 become `\xNN`. A backslash is doubled only in a name that would
/// otherwise look escaped, so plain names stay the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(Box<str>);

/// The form of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LabelStyle {
    /// Relative to the work root; outside it `~/…` or absolute.
    #[default]
    Root,
    /// Absolute.
    Absolute,
}

impl LabelStyle {
    /// Whether labels need the absolute path.
    pub(super) fn needs_absolute(self) -> bool {
        match self {
            Self::Root => false,
            Self::Absolute => true,
        }
    }

    /// The label of a file: its name in messages, or its absolute path.
    pub(crate) fn label(self, called: Box<[u8]>, absolute: Option<Box<[u8]>>) -> Label {
        match (self, absolute) {
            (Self::Absolute, Some(absolute)) => Label::of(absolute),
            (Self::Root | Self::Absolute, _) => Label::of(as_path(called)),
        }
    }
}

/// The path, written differently if it looks like another kind of label, so that no file has the label of a
/// command's output, standard input or a turn of a conversation.
fn as_path(path: Box<[u8]>) -> Box<[u8]> {
    // A file whose path begins like a dependency has been told from one before.
    let mut others = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Dependency);
    let begins = |kind: Kind| kind.prefix().is_some_and(|prefix| path.starts_with(prefix.as_bytes()));
    if others.any(begins) || &*path == b"stdin" || may_be_a_turn(&path) {
        [b"./", &*path].concat().into()
    } else {
        path
    }
}

/// Whether a path begins like the labels `turn 3: user`, `turns 1-3: summary` and `… 4 earlier turns omitted`.
fn may_be_a_turn(path: &[u8]) -> bool {
    let starts =
        |word: &str| path.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
    starts("turn ") || starts("turns ") || starts("…")
}

impl Label {
    /// The label of a path given as bytes.
    #[must_use]
    pub fn new(path: &[u8]) -> Self {
        Self::of(path.into())
    }

    /// Like [`Label::new`], but reuses the path's memory if nothing has to be escaped.
    pub(super) fn of(path: Box<[u8]>) -> Self {
        match String::from_utf8(path.into()) {
            Ok(text) if text.bytes().all(is_harmless) || !needs_escape(&text) => Self(text.into()),
            Ok(text) => Self(escape(text.as_bytes()).into()),
            Err(error) => Self(escape(error.as_bytes()).into()),
        }
    }

    /// This label with a marker in place of each secret, since labels are in the block.
    #[must_use]
    pub(crate) fn without_secrets(self) -> Self {
        redact(&self.0).map_or(self, |redacted| Self(redacted.into_string().into()))
    }

    /// Whether it contains the marker of a secret.
    pub(crate) fn is_redacted(&self) -> bool {
        self.0.contains("[REDACTED:")
    }

    /// The label of some lines of the file: `src/a.rs:10-40`.
    #[must_use]
    pub fn with_lines(&self, lines: Lines) -> Self {
        Self(format!("{}:{lines}", self.0).into())
    }

    /// The label of something in the file: `src/a.rs#parse_header`.
    #[must_use]
    pub(crate) fn with_name(&self, name: &DeclarationName) -> Self {
        Self::of(NamedPart::written(&self.0, name).into_bytes().into())
    }

    /// This label with a number, for another document with the same label: `git:show HEAD x (2)`.
    pub(crate) fn with_number(&self, number: usize) -> Self {
        Self(format!("{} ({number})", self.0).into())
    }

    /// This label with the lines `other` at its end instead of `lines`.
    pub(crate) fn with_other_lines(&self, lines: Lines, other: Lines) -> Self {
        Self(format!("{}:{other}", self.without_lines(lines)).into())
    }

    /// The label of the whole file, if this is the label of these lines.
    pub(crate) fn of_whole(&self, lines: Lines) -> Self {
        Self(self.without_lines(lines).into())
    }

    /// This label without these lines at its end.
    pub(crate) fn without_lines(&self, lines: Lines) -> &str {
        self.0.strip_suffix(&format!(":{lines}")).unwrap_or(&self.0)
    }

    /// Whether `text` can be a label: it is not empty, fits on one line and contains no hidden characters.
    pub(crate) fn is_one(text: &str) -> bool {
        !text.is_empty() && !text.contains(BREAKS) && hidden_characters(text).next().is_none()
    }

    /// The label as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_harmless(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_control() && byte != b'\\'
}

fn needs_escape(text: &str) -> bool {
    text.contains(BREAKS)
        || hidden_characters(text).next().is_some()
        || text.split('\\').skip(1).any(|rest| rest.is_empty() || looks_escaped(rest))
}

/// Ordinary layout in the contents of a file, but out of place in its name.
const BREAKS: [char; 4] = ['\n', '\r', '\t', '\u{0C}'];

/// Whether a backslash before `rest` would look like an escape. (If `rest` is empty, a second backslash or
/// the end of the name follows.)
fn looks_escaped(rest: &str) -> bool {
    rest.starts_with(['n', 'r', 't', 'x', 'u'])
}

fn escape(path: &[u8]) -> String {
    let mut escaped = String::with_capacity(path.len() + 16);
    for chunk in path.utf8_chunks() {
        let mut hidden = hidden_characters(chunk.valid()).peekable();
        for (at, c) in chunk.valid().char_indices() {
            let is_hidden = hidden.next_if(|hidden| hidden.at == at).is_some();
            match c {
                '\\' => escaped.push_str("\\\\"),
                '\n' => escaped.push_str("\\n"),
                '\r' => escaped.push_str("\\r"),
                '\t' => escaped.push_str("\\t"),
                unseen if is_hidden || BREAKS.contains(&unseen) => {
                    // Writing to a string cannot fail.
                    let _ = write!(escaped, "\\u{{{:x}}}", u32::from(unseen));
                }
                plain => escaped.push(plain),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(escaped, "\\x{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn label(path: &[u8]) -> String {
        Label::new(path).to_string()
    }

    #[test]
    fn plain_names_are_unchanged_and_others_are_escaped() {
        assert_eq!(label("docs/über uns.md".as_bytes()), "docs/über uns.md");
        assert_eq!(label(b"a\nb"), "a\\nb");
        assert_eq!(label(b"a\\q"), "a\\q");
        assert_eq!(label(b"a\\nb"), "a\\\\nb");
        assert_eq!(label(b"a\xffb"), "a\\xFFb");
        assert_eq!(label("a\u{202e}b".as_bytes()), "a\\u{202e}b");
        assert_eq!(label("a\u{3164}\u{34f}\u{fe01}b\u{0C}".as_bytes()), "a\\u{3164}\\u{34f}\\u{fe01}b\\u{c}");
        assert_eq!(label("👩‍🚀/می‌خواهم.md".as_bytes()), "👩‍🚀/می‌خواهم.md");
    }

    proptest! {
        #[test]
        fn different_names_have_different_labels(
            a in prop::collection::vec(prop::sample::select(b"\\nxu2F{}\n\t\xff\xe2\x80\xaea".to_vec()), 0..6),
            b in prop::collection::vec(prop::sample::select(b"\\nxu2F{}\n\t\xff\xe2\x80\xaea".to_vec()), 0..6),
        ) {
            prop_assert_eq!(a == b, label(&a) == label(&b));
            let breaks = ['\n', '\r', '\u{2028}', '\u{2029}'];
            prop_assert!(!label(&a).contains(breaks));
        }
    }
}
