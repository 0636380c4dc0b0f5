//! Lines as a reader sees them: in lower case, without white space or invisible characters, and with
//! look-alikes turned into ASCII.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::RangeInclusive;

use foldhash::fast::RandomState;

use super::look_alike::{folded, unified};

/// Whether a reader cannot see a character: white space, controls, format characters, and characters that fonts
/// leave blank.
pub(super) fn is_blank(char: char) -> bool {
    match char {
        '!'..='~' => false,
        '\0'..=' ' => true,
        // Braille without dots, for which fonts draw nothing.
        '\u{2800}' => true,
        _ => {
            let after = BLANKS.partition_point(|range| *range.start() <= char);
            after > 0 && BLANKS[after - 1].contains(&char)
        }
    }
}

/// `[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{White_Space}]` of Unicode 16.0, from the `regex`
/// crate. A test compares the two and prints the correct table.
const BLANKS: &[RangeInclusive<char>] = &[
    '\u{0000}'..='\u{0020}',
    '\u{007F}'..='\u{00A0}',
    '\u{00AD}'..='\u{00AD}',
    '\u{034F}'..='\u{034F}',
    '\u{0600}'..='\u{0605}',
    '\u{061C}'..='\u{061C}',
    '\u{06DD}'..='\u{06DD}',
    '\u{070F}'..='\u{070F}',
    '\u{0890}'..='\u{0891}',
    '\u{08E2}'..='\u{08E2}',
    '\u{115F}'..='\u{1160}',
    '\u{1680}'..='\u{1680}',
    '\u{17B4}'..='\u{17B5}',
    '\u{180B}'..='\u{180F}',
    '\u{2000}'..='\u{200F}',
    '\u{2028}'..='\u{202F}',
    '\u{205F}'..='\u{206F}',
    '\u{3000}'..='\u{3000}',
    '\u{3164}'..='\u{3164}',
    '\u{FE00}'..='\u{FE0F}',
    '\u{FEFF}'..='\u{FEFF}',
    '\u{FFA0}'..='\u{FFA0}',
    '\u{FFF0}'..='\u{FFFB}',
    '\u{110BD}'..='\u{110BD}',
    '\u{110CD}'..='\u{110CD}',
    '\u{13430}'..='\u{1343F}',
    '\u{1BCA0}'..='\u{1BCA3}',
    '\u{1D173}'..='\u{1D17A}',
    '\u{E0000}'..='\u{E0FFF}',
];

/// Whether, to a reader, a line begins at `at`.
pub(super) fn starts_line(text: &str, at: usize) -> bool {
    up_to_seen(&text[..at]).chars().next_back().is_none_or(ends_line)
}

/// `text` without trailing invisible characters, back to the last line end at most.
fn up_to_seen(mut text: &str) -> &str {
    while let Some(char) = text.chars().next_back().filter(|char| !ends_line(*char)) {
        let blank = is_blank(char).then_some(char.len_utf8());
        let Some(length) = ending_sequence(text).or(blank) else { break };
        text = &text[..text.len() - length];
    }
    text
}

/// The longest sequence that a terminal interprets as a command, in bytes.
const LONGEST_SEQUENCE: usize = 64;

/// The length of a terminal command, which is not shown, at the end of `text`.
fn ending_sequence(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    matches!(bytes.last(), Some(b'@'..=b'~' | 0x07)).then_some(())?;
    let near = &bytes[bytes.len().saturating_sub(LONGEST_SEQUENCE)..];
    let lengths = memchr::memchr2_iter(0x1b, 0xc2, near).map(|start| near.len() - start);
    lengths.into_iter().find(|length| sequence(&bytes[bytes.len() - length..]) == Some(*length))
}

/// The length of a terminal command at the start of `bytes`: `ESC [ 31 m`, `ESC ] 0 ; x BEL`.
fn sequence(bytes: &[u8]) -> Option<usize> {
    let bytes = &bytes[..bytes.len().min(LONGEST_SEQUENCE)];
    let control = |from: usize| {
        let parameters = bytes[from..].iter().take_while(|byte| (0x20..0x40).contains(*byte)).count();
        let last = bytes.get(from + parameters).filter(|byte| (0x40..0x7f).contains(*byte));
        last.map(|_| from + parameters + 1)
    };
    match bytes {
        [0x1b, b'[', ..] => control(2),
        // The same as a single character, U+009B.
        [0xc2, 0x9b, ..] => control(2),
        [0x1b, b']' | b'P' | b'X' | b'^' | b'_', ..] => {
            let end = bytes.iter().position(|byte| *byte == 0x07).map(|bell| bell + 1);
            end.or_else(|| Some(memchr::memmem::find(bytes, b"\x1b\\")? + 2))
        }
        [0x1b, b'(' | b')' | b'*' | b'+' | b'#' | b'%', _, ..] => Some(3),
        [..] => None,
    }
}

/// The rest of the line from `at`, without trailing invisible characters.
pub(super) fn line_at(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    up_to_seen(&rest[..rest.find(ends_line).unwrap_or(rest.len())])
}

fn ends_line(char: char) -> bool {
    matches!(char, '\n' | '\r' | '\u{0B}' | '\u{0C}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The visible characters of `text`, in lower case, with look-alikes turned into ASCII.
pub(super) fn seen(text: &str) -> impl Iterator<Item = char> {
    unblanked(text).flat_map(folded)
}

/// The visible characters of `text`.
pub(super) fn unblanked(text: &str) -> impl Iterator<Item = char> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = from_seen(rest);
        let char = rest.chars().next()?;
        rest = &rest[char.len_utf8()..];
        Some(char)
    })
}

/// The visible characters of `text`, with those that a reader would confuse made equal: `l` and `1`, any run
/// of dashes.
pub(super) fn mixed_up(text: &str) -> impl Iterator<Item = char> {
    let mut last = None;
    seen(text).map(unified).filter(move |char| last.replace(*char) != Some('-') || *char != '-')
}

/// The offsets of non-ASCII characters that, to a reader, begin a line and look like one of `starts`.
pub(super) fn foreign_starts<'t>(text: &'t str, starts: &'static [char]) -> impl Iterator<Item = usize> + 't {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = next_foreign(text, from)?;
            let char = text[at..].chars().next()?;
            // Only one character per line is checked for whether it begins the line, since looking back from
            // each invisible one would take too long.
            if !is_blank(char) {
                from = at + text[at..].find(ends_line).unwrap_or(text.len() - at);
                return Some((at, char));
            }
            from = at + char.len_utf8();
        }
    })
    .filter(|(at, _)| starts_line(text, *at))
    .filter(|(_, char)| folded(*char).next().is_some_and(|seen| starts.contains(&seen)))
    .map(|(at, _)| at)
}

/// The offset of the first non-ASCII character at or after `from`.
fn next_foreign(text: &str, from: usize) -> Option<usize> {
    /// How many bytes are examined at once.
    const CHUNK: usize = 64;
    let rest = &text.as_bytes()[from..];
    let chunk = rest.chunks(CHUNK).position(|chunk| !chunk.is_ascii())? * CHUNK;
    let in_chunk = rest[chunk..].iter().position(|byte| !byte.is_ascii())?;
    Some(from + chunk + in_chunk)
}

/// `text` from its first visible character on.
pub(super) fn from_seen(mut text: &str) -> &str {
    while let Some(char) = text.chars().next().filter(|char| is_blank(*char)) {
        let sequence = match char {
            '\u{1b}' | '\u{9b}' => sequence(text.as_bytes()).filter(|length| text.is_char_boundary(*length)),
            _ => None,
        };
        text = &text[sequence.unwrap_or(char.len_utf8())..];
    }
    text
}

/// The characters of [`seen`] as a string.
pub(super) fn skeleton(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(seen(text).collect())
    }
}

/// The parts of a document that look like the block's own lines or elements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hazards {
    /// A boundary of the block.
    pub boundary: bool,
    /// The numbers of the labels that it contains, in ascending order without duplicates.
    pub labels: Vec<usize>,
}

/// The labels that documents may have, each with a number; similar-looking labels share one.
#[derive(Debug, Clone, Default)]
pub struct LabelNumbers<'a> {
    /// Keyed by the visible characters.
    numbers: HashMap<Cow<'a, str>, usize, RandomState>,
    /// The number of each given label.
    given: Vec<usize>,
}

impl<'a> LabelNumbers<'a> {
    /// The set of these labels.
    pub fn new(labels: impl Iterator<Item = &'a str>) -> Self {
        let mut numbers = HashMap::with_capacity_and_hasher(labels.size_hint().0, RandomState::default());
        let mut number = |label| {
            let next = numbers.len();
            *numbers.entry(skeleton(label)).or_insert(next)
        };
        let given = labels.map(&mut number).collect();
        Self { numbers, given }
    }

    /// The number of the label at this index.
    pub fn number(&self, place: usize) -> usize {
        self.given[place]
    }

    /// The number of a label, if it is in the set.
    pub fn find(&self, label: &str) -> Option<usize> {
        self.numbers.get(&*skeleton(label)).copied()
    }

    /// How many different numbers there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn terminal_escape_sequences_are_ignored() {
        let line = "\u{1b}[1;31m-\u{1b}[0m-\u{9b}7m-\u{1b}]0;title\u{7} End\u{1b}(B\u{1b}]8;;x\u{1b}\\";
        assert_eq!(skeleton(line), "---end");
        assert_eq!(skeleton("\u{1b}[\u{65e5}a\u{1b}"), "[\u{65e5}a");
        for (text, at) in
            [("a\n \u{1b}[31m-", 8), ("\u{9b}31m\u{1b}[0m\u{2800}[", 12), ("\u{1b}]0;x\u{7}-", 6)]
        {
            assert!(starts_line(text, at), "{text:?}");
        }
        assert!(!starts_line("[31m-", 4) && !starts_line("a\u{1b}[31m-", 6));
    }

    #[test]
    fn table_of_blanks_matches_unicode() {
        let class = r"\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{White_Space}";
        let class = Regex::new(&format!("[{class}]+")).unwrap();
        let is_braille_blank = |char| char == '\u{2800}';
        let all: String = ('\0'..=char::MAX).collect();
        let table: String = class
            .find_iter(&all)
            .map(|run| {
                let code = |char: Option<char>| u32::from(char.unwrap());
                let (start, end) = (run.as_str().chars().next(), run.as_str().chars().next_back());
                format!("    '\\u{{{:04X}}}'..='\\u{{{:04X}}}',\n", code(start), code(end))
            })
            .collect();
        let ours = BLANKS.iter().map(|range| {
            let (start, end) = (u32::from(*range.start()), u32::from(*range.end()));
            format!("    '\\u{{{start:04X}}}'..='\\u{{{end:04X}}}',\n")
        });
        assert_eq!(ours.collect::<String>(), table, "the table should be:\n{table}");
        for char in '\0'..=char::MAX {
            let is_expected = class.is_match(char.encode_utf8(&mut [0; 4])) || is_braille_blank(char);
            assert_eq!(is_blank(char), is_expected, "{char:?}");
        }
    }
}
