//! Lines as a reader sees them: in lower case, without white space or invisible characters, and with
//! look-alikes turned into ASCII.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::RangeInclusive;

use foldhash::fast::RandomState;
use memchr::{memchr, memchr2_iter, memmem};

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

/// A mark by which a line of the block is found: one of two bytes, after these letters at the most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    pub(crate) bytes: [u8; 2],
    pub(crate) after: &'static str,
}

/// The lines of `text` with one of these marks after nothing but its letters and punctuation, then those with
/// something that is not ASCII or a terminal command.
pub(crate) fn lines_with(text: &str, marks: impl Iterator<Item = Mark>) -> impl Iterator<Item = &str> {
    let marked = marks.flat_map(move |mark| {
        let [one, other] = mark.bytes;
        let places = memchr2_iter(one, other, text.as_bytes());
        places.filter_map(move |at| mark.line_start(text.as_bytes(), at)).map(|start| &text[start..])
    });
    marked
        .map(|rest| &rest[..rest.bytes().position(ends_ascii_line).unwrap_or(rest.len())])
        .chain(foreign_lines(text))
}

impl Mark {
    /// Where the line starts that has the mark at `at`; `None` if anything but its letters and punctuation is
    /// before it, or another mark.
    fn line_start(self, bytes: &[u8], at: usize) -> Option<usize> {
        let plain = |byte: u8| unified(char::from(byte.to_ascii_lowercase()));
        let mut letters = self.after.bytes().rev().map(plain).peekable();
        let before = bytes[..at].iter().rposition(|&byte| {
            let is_letter = letters.next_if_eq(&plain(byte)).is_some();
            !is_letter && (byte.is_ascii_alphanumeric() || is_foreign(byte) || ends_ascii_line(byte))
                || self.bytes.contains(&byte)
        });
        let is_start = before.is_none_or(|before| ends_ascii_line(bytes[before]));
        (is_start && letters.peek().is_none()).then_some(before.map_or(0, |before| before + 1))
    }
}

/// The lines with something that is not ASCII or a terminal command.
fn foreign_lines(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut from = 0;
    let lines = std::iter::from_fn(move || {
        let at = next_foreign(bytes, from)?;
        let start = bytes[from..at].iter().rposition(|byte| ends_ascii_line(*byte));
        let start = start.map_or(from, |end| from + end + 1);
        let end = bytes[at..].iter().position(|byte| ends_ascii_line(*byte));
        from = end.map_or(bytes.len(), |length| at + length);
        Some(&text[start..from])
    });
    lines.flat_map(|line| line.split(['\u{85}', '\u{2028}', '\u{2029}']))
}

/// The offset of the first byte at or after `from` that is not ASCII or begins a terminal command.
fn next_foreign(bytes: &[u8], from: usize) -> Option<usize> {
    /// How many bytes are examined at once.
    const CHUNK: usize = 64;
    let rest = &bytes[from..];
    let is_any = |chunk: &[u8]| chunk.iter().fold(false, |any, byte| any | is_foreign(*byte));
    let chunk = rest.chunks(CHUNK).position(is_any)? * CHUNK;
    let in_chunk = rest[chunk..].iter().position(|byte| is_foreign(*byte))?;
    Some(from + chunk + in_chunk)
}

fn ends_ascii_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | 0x0b | 0x0c)
}

/// Whether a byte is not ASCII or begins a terminal command, so that it takes longer to find out what is seen.
pub(crate) fn is_foreign(byte: u8) -> bool {
    !byte.is_ascii() || byte == ESCAPE
}

/// The first character of a terminal command.
const ESCAPE: u8 = 0x1b;

/// The longest sequence that a terminal interprets as a command, in bytes.
const LONGEST_SEQUENCE: usize = 64;

/// The length of a terminal command at the start of `bytes`: `ESC [ 31 m`, `ESC ] 0 ; x BEL`.
fn sequence(bytes: &[u8]) -> Option<usize> {
    let bytes = &bytes[..bytes.len().min(LONGEST_SEQUENCE)];
    let control = |from: usize| {
        let parameters = bytes[from..].iter().take_while(|byte| (0x20..0x40).contains(*byte)).count();
        let last = bytes.get(from + parameters).filter(|byte| (0x40..0x7f).contains(*byte));
        last.map(|_| from + parameters + 1)
    };
    match bytes {
        [ESCAPE, b'[', ..] => control(2),
        // The same as a single character, U+009B.
        [0xc2, 0x9b, ..] => control(2),
        [ESCAPE, b']' | b'P' | b'X' | b'^' | b'_', ..] => {
            let bell = memchr(0x07, bytes).map(|at| at + 1);
            let terminator = memmem::find(bytes, b"\x1b\\").map(|at| at + 2);
            bell.into_iter().chain(terminator).min()
        }
        [ESCAPE, b'(' | b')' | b'*' | b'+' | b'#' | b'%', _, ..] => Some(3),
        [..] => None,
    }
}

/// The visible characters of `text`, in lower case, with look-alikes turned into ASCII.
pub(crate) fn seen(text: &str) -> impl Iterator<Item = char> {
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

/// `text` from its first visible character on.
pub(crate) fn from_seen(mut text: &str) -> &str {
    while let Some(char) = text.chars().next().filter(|char| is_blank(*char)) {
        let sequence = match char {
            '\u{1b}' | '\u{9b}' => sequence(text.as_bytes()).filter(|length| text.is_char_boundary(*length)),
            _ => None,
        };
        text = &text[sequence.unwrap_or(char.len_utf8())..];
    }
    text
}

/// Reads the letters and digits of `words` from visible characters, whatever is around and between them. A reader
/// guesses foreign letters that look like nothing in ASCII, if there are about as many others before them.
pub(crate) fn reads(seen: &mut impl Iterator<Item = char>, words: &str) -> bool {
    let letters = words.chars().filter(|char| char.is_alphanumeric());
    let mut guesses = 3;
    letters.map(|letter| unified(letter.to_ascii_lowercase())).all(|letter| {
        // Some punctuation looks like a letter.
        match seen.map(unified).find(|char| *char == letter || char.is_alphanumeric()) {
            Some(char) if char == letter => {
                guesses += 1;
                true
            }
            Some(char) if !char.is_ascii() && guesses > 0 => {
                guesses -= 1;
                true
            }
            Some(_) | None => false,
        }
    })
}

/// The characters of [`seen`] as a string.
fn skeleton(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(seen(text).collect())
    }
}

/// What a reader sees between the brackets around a whole line, which may have other punctuation around them.
pub(crate) fn bracketed(line: &str) -> Option<String> {
    if line.is_ascii() && !line.as_bytes().contains(&ESCAPE) {
        return in_brackets(line.trim()).map(|inner| skeleton(inner).into_owned());
    }
    let begins = seen(line).take_while(|char| !char.is_alphanumeric()).any(|char| char == '[');
    begins.then(|| in_brackets(&skeleton(line)).map(str::to_owned))?
}

fn in_brackets(line: &str) -> Option<&str> {
    let inner = between_marks(line);
    if inner.is_empty() {
        return line.strip_prefix('[')?.strip_suffix(']');
    }
    let start = line.find(char::is_alphanumeric)?;
    let (before, after) = (&line[..start], &line[start + inner.len()..]);
    (opens_label(before) && after.contains(']')).then_some(inner)
}

/// Whether a label may follow this punctuation; `#[` and `![` begin an attribute and an image.
pub(crate) fn opens_label(before: &str) -> bool {
    before.find('[').is_some_and(|at| !before[..at].ends_with(['#', '!']))
}

/// A text without the punctuation around it.
fn between_marks(seen: &str) -> &str {
    seen.trim_matches(|char: char| !char.is_alphanumeric())
}

/// A label without the lines at its end: `src/undo.rs` of `src/undo.rs:120-188`.
fn without_lines(label: &str) -> Option<&str> {
    let (label, lines) = label.rsplit_once(':')?;
    lines.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-').then_some(label)
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
    /// Keyed by the visible characters, without the punctuation around them.
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
            *numbers.entry(Self::key(label)).or_insert(next)
        };
        let given = labels.map(&mut number).collect();
        Self { numbers, given }
    }

    /// The number of the label at this index.
    pub fn number(&self, place: usize) -> usize {
        self.given[place]
    }

    fn key(label: &str) -> Cow<'_, str> {
        let seen = skeleton(label);
        match seen {
            seen if between_marks(&seen).is_empty() => seen,
            Cow::Borrowed(seen) => Cow::Borrowed(between_marks(seen)),
            Cow::Owned(seen) => Cow::Owned(between_marks(&seen).to_owned()),
        }
    }

    /// The numbers of the labels that a line in brackets may be taken for: of a whole document, and of a part of one.
    pub fn find(&self, bracketed: &str) -> impl Iterator<Item = usize> {
        let part_of = without_lines(bracketed).and_then(|label| self.numbers.get(&*Self::key(label)));
        self.numbers.get(bracketed).into_iter().chain(part_of).copied()
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
    }

    #[test]
    fn lines_end_wherever_a_reader_sees_an_end() {
        let bracket = Mark { bytes: [b'['; 2], after: "" };
        let lines = |text| lines_with(text, std::iter::once(bracket)).collect::<Vec<_>>();
        assert_eq!(
            lines("[a\n>[b[\r [[c\r\n[d\u{b}[e\u{c}[f\na[g"),
            ["[a", ">[b[", " [[c", "[d", "[e", "[f"]
        );
        assert_eq!(
            lines("a\u{85}b\u{2028}[c\u{2029}d\ne\nf\u{2027}\ng\u{1b}"),
            ["a", "b", "[c", "d", "f\u{2027}", "g\u{1b}"]
        );
    }

    #[test]
    fn a_mark_may_follow_its_letters() {
        let x = Mark { bytes: *b"xX", after: "CONTE" };
        let lines = |text| lines_with(text, std::iter::once(x)).collect::<Vec<_>>();
        assert_eq!(lines("context\n-- C0N-TEX\ntex\n"), ["context", "-- C0N-TEX"]);
        assert_eq!(lines("a context\nxconte\nconte\n"), [""; 0]);
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
