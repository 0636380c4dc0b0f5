//! Certain boundaries: positions that no piece of either pattern can cross, whatever precedes or follows the
//! text, and before which the text splits as if it ended there.
//!
//! There is one between two characters if the first is
//! - a letter, and the second isn't a letter, mark or apostrophe: a word ends;
//! - a number, and the second isn't: a group of digits ends;
//! - a line break, and the second isn't white space or `/`: a line ends;
//! - a symbol or mark, and the second a number or white space within the line.
//!
//! There is none after white space within the line, which splits differently before the end of the text than
//! before other characters.

use super::classes::{Class, character, class_before};
use super::pattern::{REPEATED, copies_after, copies_before};

/// The first and the last fixed boundary of `text`.
pub(super) fn first_and_last(text: &str) -> Option<(usize, usize)> {
    Some((first(text)?, last(text)?))
}

/// The first fixed boundary of `text`.
pub(super) fn first(text: &str) -> Option<usize> {
    first_from(text, 0)
}

/// The first fixed boundary of `text` at or after an offset.
pub(super) fn first_from(text: &str, at: usize) -> Option<usize> {
    let mut at = (at..text.len()).find(|&at| text.is_char_boundary(at))?;
    let mut block_end = at + REPEATED;
    while at < text.len() {
        if is_certain(text, at) {
            return Some(at);
        }
        let mut copies = 0;
        if at >= block_end {
            copies = copies_after(text.as_bytes(), at);
            block_end = at + copies + REPEATED;
        }
        at += if copies > 0 { copies } else { character(text.as_bytes(), at).len };
    }
    None
}

/// The last fixed boundary of `text`.
pub(super) fn last(text: &str) -> Option<usize> {
    let mut at = text.len();
    let mut block_start = at.saturating_sub(REPEATED);
    while at > 0 {
        let mut copies = 0;
        if at <= block_start {
            copies = copies_before(text.as_bytes(), at);
            block_start = (at - copies).saturating_sub(REPEATED);
        }
        at = if copies > 0 { at - copies } else { floor(text, at - 1) };
        if is_certain(text, at) {
            return Some(at);
        }
    }
    None
}

/// Whether there is a fixed boundary before `text` whenever it follows a newline.
fn counts_apart_after_line_end(text: &str) -> bool {
    let first = character(text.as_bytes(), 0).class;
    !(first.is_space() || first == Class::End || text.starts_with('/'))
}

/// Whether there is a fixed boundary at `at`, a position between two characters.
pub(super) fn is_certain(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let next = character(bytes, at).class;
    match class_before(bytes, at) {
        Class::Upper | Class::Lower | Class::Caseless => {
            !(next.is_letter() || next == Class::Mark || next == Class::End || bytes[at] == b'\'')
        }
        Class::Number => !matches!(next, Class::Number | Class::End),
        Class::Newline => counts_apart_after_line_end(&text[at..]),
        Class::Other | Class::Mark => matches!(next, Class::Number | Class::Space),
        Class::Space | Class::End => false,
    }
}

/// The last position between two characters up to `at`.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_of_repetitive_text_match_a_search_by_character() {
        let units =
            ["=", "a", "A", "中", "\u{3000}", "\u{301}", " ", "\n", "=-", "A中", "ab", "\r\n", "a1", "'"];
        for unit in units {
            for (head, tail) in [("", ""), ("x 1", ""), ("", "x 1"), ("1\n", " ."), ("=", "1"), ("中", "\n")]
            {
                for length in [100, 191, 192, 193, 500, 1000] {
                    let text = format!("{head}{}{tail}", unit.repeat(length));
                    let certain = |at: &usize| is_certain(&text, *at);
                    let mut places = text.char_indices().map(|(at, _)| at);
                    assert_eq!(
                        first(&text),
                        places.clone().find(certain),
                        "{head:?} {unit:?} {length} {tail:?}"
                    );
                    assert_eq!(last(&text), places.rfind(certain), "{head:?} {unit:?} {length} {tail:?}");
                }
            }
        }
    }
}
