//! Formats numbers, names and system errors for all messages.

use std::borrow::Cow;
use std::fmt::Display;
use std::io;
use std::time::SystemTime;

use crate::hidden::hidden_characters;

/// The reason why text from the user is invalid.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
#[error("{0}")]
pub struct WrongText(Cow<'static, str>);

impl WrongText {
    /// An error with this message.
    #[must_use]
    pub fn new(words: impl Into<Cow<'static, str>>) -> Self {
        Self(words.into())
    }
}

/// A number with a comma between thousands: `51,204`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 file`, `2 files`. `word` is singular and has a regular plural.
#[must_use]
pub fn counted(count: usize, word: &str) -> String {
    let plural = match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if word.ends_with("ch") || word.ends_with(['s', 'x']) => format!("{word}es"),
        _ => format!("{word}s"),
    };
    format!("{} {}", grouped(count as u64), if count == 1 { word } else { &plural })
}

/// The line in place of omitted text, without its newline: `[… 1 line omitted …]`.
#[must_use]
pub fn omitted(count: u64, word: &str) -> String {
    let what = usize::try_from(count)
        .map_or_else(|_| format!("{} {word}s", grouped(count)), |count| counted(count, word));
    format!("[… {what} omitted …]")
}

/// The line in place of omitted lines, without its newline: `[… lines 3-12 omitted …]`.
#[must_use]
pub fn omitted_lines(first: usize, last: usize) -> String {
    if first == last {
        format!("[… line {first} omitted …]")
    } else {
        format!("[… lines {first}-{last} omitted …]")
    }
}

/// A size for people, in full units: `150 kB`.
#[must_use]
pub fn size(bytes: usize) -> String {
    match bytes.div_ceil(1_000) as u64 {
        kilobytes @ 0..10_000 => format!("{} kB", grouped(kilobytes)),
        kilobytes => format!("{} MB", grouped(kilobytes.div_ceil(1_000))),
    }
}

/// A name in single quotes or, if it contains some, in double quotes.
#[must_use]
pub fn quoted(name: impl Display) -> String {
    let name = name.to_string();
    let is_clear_in_double = name.contains('\'') && !name.contains(['"', '$', '`', '\\', '!']);
    if is_clear_in_double { format!("\"{name}\"") } else { format!("'{name}'") }
}

/// The name that may have been meant: the nearest one, if it is only a few typos away.
#[must_use]
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let slips = |name: &'a str| (strsim::damerau_levenshtein(wanted, name), name);
    let most = (wanted.chars().count() / 3).clamp(1, 3);
    known.into_iter().map(slips).filter(|(slips, _)| *slips <= most).min().map(|(_, name)| name)
}

/// The first few names, and how many more there are: `'a', 'b', 'c' and 4 more`.
#[must_use]
pub fn some_of(names: &[String]) -> String {
    some_of_these(names, String::clone)
}

/// The same for what has yet to be named, since there may be very much of it.
#[must_use]
pub fn some_of_these<T>(these: &[T], name: impl Fn(&T) -> String) -> String {
    const NAMED: usize = 3;
    let named = these.iter().take(NAMED).map(name).collect::<Vec<String>>().join(", ");
    match these.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// All choices: `text, xml or json`.
#[must_use]
pub fn one_of(choices: impl IntoIterator<Item = impl Display>) -> String {
    joined(choices, "or")
}

/// The item of `all` that is displayed as `text`.
///
/// # Errors
/// If no item matches; the error lists all choices.
pub fn known<T: Copy + Display>(all: &[T], kind: &str, text: &str) -> Result<T, String> {
    let found = all.iter().find(|one| one.to_string() == text).copied();
    found.ok_or_else(|| format!("unknown {kind} '{text}': use {}", one_of(all)))
}

/// Formats a time for a record: in UTC, to the second.
#[must_use]
pub fn timestamp(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Decodes pairs of hexadecimal digits; `None` unless there are exactly `LENGTH` valid pairs.
pub(crate) fn from_hex<const LENGTH: usize>(digits: &[u8]) -> Option<[u8; LENGTH]> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let pairs = digits.chunks(2).map(|pair| Some(value(pair[0])? << 4 | value(*pair.get(1)?)?));
    pairs.collect::<Option<Vec<u8>>>()?.try_into().ok()
}

/// All items, the last two joined by `and`: `text, xml and json`.
#[must_use]
pub fn all_of(things: impl IntoIterator<Item = impl Display>) -> String {
    joined(things, "and")
}

fn joined(things: impl IntoIterator<Item = impl Display>, last_word: &str) -> String {
    let names: Vec<String> = things.into_iter().map(|thing| thing.to_string()).collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} {last_word} {last}", before.join(", ")),
        Some((only, _)) => only.clone(),
        None => String::new(),
    }
}

/// Whether messages escape a character: every control character, and every hidden character, which documents
/// show as a code point.
#[must_use]
pub fn is_unseen(char: char) -> bool {
    char.is_control()
        || (!char.is_ascii() && hidden_characters(char.encode_utf8(&mut [0; 4])).next().is_some())
}

/// Whether a text has only visible ASCII characters, each of which takes one column. There may be a million such names.
#[must_use]
pub fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The system's message for an error, in lower case, without the number and the full stop that Windows adds.
#[must_use]
pub fn cause(source: &io::Error) -> String {
    let text = source.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text).trim_end_matches('.');
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// A number that may be an estimate: `51,204` or `~51,204`.
#[must_use]
pub fn figure(number: u64, estimated: bool) -> String {
    format!("{}{}", if estimated { "~" } else { "" }, grouped(number))
}

/// A number of tokens, counted or estimated: `1 token`, `~51,204 tokens`.
#[must_use]
pub fn tokens(number: u64, estimated: bool) -> String {
    format!("{} {}", figure(number, estimated), if number == 1 { "token" } else { "tokens" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cause_is_lower_case_without_number_or_full_stop() {
        let cause = |text: &str| cause(&io::Error::other(text.to_owned()));
        assert_eq!(cause("No such file or directory (os error 2)"), "no such file or directory");
        assert_eq!(cause("Invalid name. (os error 123)"), "invalid name");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(51_204), "51,204");
        assert_eq!(grouped(1_000_000), "1,000,000");
    }

    #[test]
    fn long_list_of_names_is_shortened() {
        let names = ["a", "b", "c", "d", "e"].map(str::to_owned);
        assert_eq!(some_of(&names), "a, b, c and 2 more");
        assert_eq!(some_of(&names[..3]), "a, b, c");
        assert_eq!(some_of(&[]), "");
    }

    #[test]
    fn counted_nouns_are_pluralised() {
        assert_eq!(counted(1, "match"), "1 match");
        assert_eq!(counted(42, "match"), "42 matches");
        assert_eq!(counted(2, "entry"), "2 entries");
        assert_eq!(counted(2, "key"), "2 keys");
        assert_eq!(counted(1_204, "file"), "1,204 files");
    }

    #[test]
    fn figures_are_grouped_and_estimates_marked() {
        assert_eq!(figure(51_204, false), "51,204");
        assert_eq!(figure(51_204, true), "~51,204");
    }

    #[test]
    fn one_token_is_singular() {
        assert_eq!(tokens(1, false), "1 token");
        assert_eq!(tokens(1, true), "~1 token");
        assert_eq!(tokens(0, false), "0 tokens");
        assert_eq!(tokens(2_000, true), "~2,000 tokens");
    }
}
