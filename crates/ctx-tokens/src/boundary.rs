//! Certain boundaries: places where no piece of either pattern can cross, whatever precedes or
//! follows the text, and before which the text splits as if it ended there.
//!
//! Between two characters there is one if the first is
//! - a letter, and the second neither letter, mark nor apostrophe: a word ends;
//! - a number, and the second none: a group of digits ends;
//! - a line break, and the second neither white space nor `/`: a line ends;
//! - a symbol or mark, and the second a number or white space within the line.
//!
//! White space within the line never comes first: the end of the text and a character other than
//! white space split it differently.

use super::classes::{Class, character, class_before};

/// The first and the last certain boundary of `text`.
pub(super) fn first_and_last(text: &str) -> Option<(usize, usize)> {
    Some((first(text)?, last(text)?))
}

/// The first certain boundary of `text`.
pub(super) fn first(text: &str) -> Option<usize> {
    first_from(text, 0)
}

/// The first certain boundary of `text` from about a place on.
pub(super) fn first_from(text: &str, at: usize) -> Option<usize> {
    (at..text.len()).filter(|&at| text.is_char_boundary(at)).find(|&at| is_certain(text, at))
}

/// The last certain boundary of `text`.
pub(super) fn last(text: &str) -> Option<usize> {
    text.char_indices().rev().map(|(at, _)| at).find(|&at| is_certain(text, at))
}

/// Whether there is a certain boundary before `text` in every concatenation that puts it behind a line end.
#[must_use]
pub fn counts_apart_after_line_end(text: &str) -> bool {
    let first = character(text.as_bytes(), 0).class;
    !(first.is_space() || first == Class::End || text.starts_with('/'))
}

/// Whether there is a certain boundary at `at`, a place between two characters.
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
