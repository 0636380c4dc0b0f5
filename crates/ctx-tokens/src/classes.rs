//! The classes of characters that the encodings' patterns distinguish.

/// A character's class in the patterns; [`Class::End`] stands for the end of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Class {
    /// Not a letter, mark, number or white space.
    Other,
    /// `\p{Lu}` and `\p{Lt}`.
    Upper,
    /// `\p{Ll}`.
    Lower,
    /// `\p{Lm}` and `\p{Lo}`.
    Caseless,
    /// `\p{M}`.
    Mark,
    /// `\p{N}`.
    Number,
    /// `\s`, except for the two below.
    Space,
    /// Carriage return and line feed.
    Newline,
    /// No character.
    End,
}

/// A character's class, and its length in bytes (0 at the end of the text).
#[derive(Debug, Clone, Copy)]
pub(super) struct Character {
    pub(super) class: Class,
    pub(super) len: usize,
}

const BLOCK: usize = 128;
const BLOCKS: usize = 0x11_0000 / BLOCK;
static TABLE: &[u8] = include_bytes!("tables/classes.bin");

/// The classes of the ASCII characters; the other bytes have no meaning.
pub(super) static ASCII: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = of_code(byte);
        byte += 1;
    }
    classes
};

impl Class {
    /// `\p{L}`.
    #[inline]
    pub(super) fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Caseless)
    }

    /// `\s`.
    #[inline]
    pub(super) fn is_space(self) -> bool {
        matches!(self, Self::Space | Self::Newline)
    }

    /// `[^\s\p{L}\p{N}]`.
    #[inline]
    pub(super) fn is_symbol(self) -> bool {
        matches!(self, Self::Other | Self::Mark)
    }
}

/// The character that begins at `at`, which must be a character boundary in valid UTF-8.
#[inline]
pub(super) fn character(text: &[u8], at: usize) -> Character {
    match text.get(at) {
        None => Character { class: Class::End, len: 0 },
        Some(&byte) if byte < 0x80 => Character { class: ASCII[usize::from(byte)], len: 1 },
        Some(&byte) => beyond_ascii(text, at, byte),
    }
}

/// The class of the character that ends at `end` (of the end of the text if there is none).
pub(super) fn class_before(text: &[u8], end: usize) -> Class {
    let start = text[..end].iter().rposition(|&byte| byte & 0xc0 != 0x80);
    start.map_or(Class::End, |start| character(text, start).class)
}

fn beyond_ascii(text: &[u8], at: usize, first: u8) -> Character {
    let tail = |index: usize| usize::from(text.get(at + index).map_or(0, |byte| byte & 0x3f));
    let first = usize::from(first);
    let (code, len) = if first < 0xe0 {
        ((first & 0x1f) << 6 | tail(1), 2)
    } else if first < 0xf0 {
        ((first & 0x0f) << 12 | tail(1) << 6 | tail(2), 3)
    } else {
        ((first & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4)
    };
    Character { class: of_code(code), len }
}

const fn of_code(code: usize) -> Class {
    let block = TABLE[code / BLOCK] as usize;
    match TABLE[BLOCKS + block * BLOCK + code % BLOCK] {
        1 => Class::Upper,
        2 => Class::Lower,
        3 => Class::Caseless,
        4 => Class::Mark,
        5 => Class::Number,
        6 => Class::Space,
        7 => Class::Newline,
        _ => Class::Other,
    }
}
