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
    let first = text.char_indices().map(|(at, _)| at).find(|&at| is_certain(text, at))?;
    let last = text.char_indices().rev().map(|(at, _)| at).find(|&at| is_certain(text, at))?;
    Some((first, last))
}

/// Whether there is a certain boundary at `at`, a place between two characters.
pub(super) fn is_certain(text: &str, at: usize) -> bool {
    let text = text.as_bytes();
    let next = character(text, at).class;
    let byte = text.get(at).copied();
    match class_before(text, at) {
        Class::Upper | Class::Lower | Class::Caseless => {
            !(next.is_letter() || next == Class::Mark || next == Class::End || byte == Some(b'\''))
        }
        Class::Number => !matches!(next, Class::Number | Class::End),
        Class::Newline => !(next.is_space() || next == Class::End || byte == Some(b'/')),
        Class::Other | Class::Mark => matches!(next, Class::Number | Class::Space),
        Class::Space | Class::End => false,
    }
}
