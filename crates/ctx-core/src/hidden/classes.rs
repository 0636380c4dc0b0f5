//! Which characters are hidden, and which of them have a use.

use super::ranges;

/// The class of a character, for hiding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Visible, or white space that may stay.
    Visible,
    /// Invisible, without a use that a reader would miss.
    Hidden,
    /// The carriage return, which on a terminal hides what is before it, unless the line ends there.
    Return,
    /// Part of the flag of a country's subdivision, or hidden.
    FlagTag,
    /// The zero-width non-joiner.
    NonJoiner,
    /// The zero-width joiner.
    Joiner,
    /// The zero-width space, which separates words without a visible space.
    WordBreak,
    /// A directional mark.
    DirectionMark,
    /// Selects between the looks of an emoji.
    EmojiSelector,
    /// Selects between the shapes of a sign or letter.
    ShapeSelector,
    /// Selects between the shapes of an ideograph.
    IdeographSelector,
    /// Selects between the shapes of a Mongolian letter.
    MongolianSelector,
}

/// Whether a character that starts with these bytes may be invisible.
///
/// For continuation bytes the answer is no; for a few visible characters it is yes.
pub(super) fn may_be_hidden(first: u8, second: Option<u8>) -> bool {
    match first {
        b'\t' | b'\n' | 0x0c => false,
        b'\r' => second != Some(b'\n'),
        0..=0x1f | 0x7f => true,
        0xc2 => matches!(second, Some(0x80..=0x9f | 0xad)),
        0xcd => second == Some(0x8f),
        0xd8 => second == Some(0x9c),
        0xe1 => matches!(second, Some(0x85 | 0x9e | 0xa0)),
        0xe2 => matches!(second, Some(0x80 | 0x81)),
        0xe3 => second == Some(0x85),
        0xef => matches!(second, Some(0xb8 | 0xbb | 0xbe | 0xbf)),
        0xf0 => matches!(second, Some(0x9b | 0x9d)),
        0xf3 => second == Some(0xa0),
        0x20..=0x7e | 0x80..=0xff => false,
    }
}

/// Classifies a character. [`may_be_hidden`] must be true for every hidden one.
pub(super) fn class(char: char) -> Class {
    match char {
        '\t' | '\n' | '\u{0C}' => Class::Visible,
        '\r' => Class::Return,
        '\u{200C}' => Class::NonJoiner,
        '\u{200D}' => Class::Joiner,
        '\u{200B}' => Class::WordBreak,
        '\u{61C}' | '\u{200E}' | '\u{200F}' => Class::DirectionMark,
        // Variation selectors 1 to 14, 15 and 16, 17 to 256, and those for Mongolian with its vowel separator.
        '\u{FE00}'..='\u{FE0D}' => Class::ShapeSelector,
        '\u{FE0E}' | '\u{FE0F}' => Class::EmojiSelector,
        '\u{E0100}'..='\u{E01EF}' => Class::IdeographSelector,
        '\u{180B}'..='\u{180F}' => Class::MongolianSelector,
        char if untagged(char).is_some() => Class::FlagTag,
        char if is_in(ranges::UNSEEN, char) => Class::Hidden,
        _ => Class::Visible,
    }
}

/// The ASCII character that a tag character invisibly represents.
pub(super) fn untagged(tag: char) -> Option<char> {
    const TAGS: u32 = 0xE0000;
    let ascii = u32::from(tag).checked_sub(TAGS).and_then(char::from_u32)?;
    (' '..='\u{7F}').contains(&ascii).then_some(ascii)
}

/// Whether joiners after this letter change how the word looks, as in cursive and Indic scripts.
pub(super) fn needs_joiners(char: char) -> bool {
    is_in(ranges::JOINING, char) && class(char) == Class::Visible
}

/// Whether words in a character's script may have an invisible separator.
pub(super) fn parts_words_unseen(char: char) -> bool {
    is_in(ranges::UNSPACED, char) && class(char) == Class::Visible
}

/// Whether a character is written from right to left.
pub(super) fn is_right_to_left(char: char) -> bool {
    is_in(ranges::RIGHT_TO_LEFT, char) && class(char) == Class::Visible
}

/// Whether one of the first fourteen variation selectors selects between the shapes of a character: mathematical
/// signs, letters of Myanmar, Phags-pa and Manichaean, ideographs and their punctuation.
pub(super) fn has_shapes(char: char) -> bool {
    is_ideograph(char) || is_in(ranges::SHAPED, char)
}

/// Whether a character takes part in emoji sequences, not counting the keys of keycaps.
pub(super) fn is_emoji(char: char) -> bool {
    is_in(ranges::EMOJI, char)
}

/// Whether a character is a Chinese, Japanese or Korean ideograph.
pub(super) fn is_ideograph(char: char) -> bool {
    is_in(ranges::IDEOGRAPH, char)
}

/// Whether a character is a Mongolian letter.
pub(super) fn is_mongolian(char: char) -> bool {
    is_in(ranges::MONGOLIAN, char)
}

/// Whether one of the sorted ranges contains the character.
fn is_in(ranges: &[(char, char)], char: char) -> bool {
    let before = ranges.partition_point(|&(_, last)| last < char);
    ranges.get(before).is_some_and(|&(first, _)| first <= char)
}
