//! From bytes to text.

use std::borrow::Cow;
use std::fmt;

use encoding_rs::{ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use super::guess::{self, Guess};
use super::{Unreadable, magic};
use crate::entry::value::TextEncoding;

/// How far to look for a NUL, in bytes.
pub(super) const BINARY_PREFIX: usize = 8 * 1024;

/// Decoded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedText<'a> {
    /// The text, without a byte-order mark; borrowed if decoding changes nothing.
    pub text: Cow<'a, str>,
    /// How it was encoded.
    pub encoding: Encoding,
    /// Whether something could not be decoded and became U+FFFD.
    pub lossy: bool,
    /// The length before decoding, in bytes.
    pub bytes: u64,
}

/// An encoding of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 with a byte-order mark.
    Utf8Bom,
    /// UTF-16, little-endian, by its byte-order mark.
    Utf16Le,
    /// UTF-16, big-endian, by its byte-order mark.
    Utf16Be,
    /// UTF-8 whose characters outside of the basic plane are written as two, as Java and Oracle do.
    Cesu8,
    /// Another one, by its bytes.
    Guessed(Guess),
    /// Another one, as the user says.
    Said(TextEncoding),
    /// The JSON of a Jupyter notebook, whose cells are the text.
    Notebook,
}

impl Encoding {
    /// Whether the bytes tell it, without a mark, and it is not UTF-8.
    #[must_use]
    pub const fn is_guessed(self) -> bool {
        matches!(self, Self::Guessed(_) | Self::Cesu8)
    }

    /// Whether it is a guess that may well be wrong.
    #[must_use]
    pub fn is_unsure(self) -> bool {
        matches!(self, Self::Guessed(Guess { is_sure: false, .. }))
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Utf8 => "UTF-8",
            Self::Utf8Bom => "UTF-8 with a byte-order mark",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Cesu8 => "CESU-8",
            Self::Guessed(guess) => guess.encoding.name(),
            Self::Said(said) => said.name(),
            Self::Notebook => "Jupyter notebook",
        };
        match name.strip_prefix("windows-") {
            Some(number) => f.pad(&format!("Windows-{number}")),
            None => f.pad(name),
        }
    }
}

/// What the user says about the encoding of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaidEncoding {
    /// The encoding.
    pub encoding: TextEncoding,
    /// Whether it is said of this very text, not of many, some of which may be UTF-8.
    pub is_of_one: bool,
}

/// Decodes bytes according to their byte-order mark, as the user says, as UTF-8, or as they look.
///
/// A file with the magic number of a known format is binary, and so is one with a NUL in the first 8 KiB or,
/// if it is not UTF-8, anywhere, unless it looks like UTF-16. UTF-32 is not recognised.
///
/// # Errors
///
/// Only `Unreadable::Binary`.
pub fn decode(bytes: &[u8], said: Option<SaidEncoding>) -> Result<DecodedText<'_>, Unreadable> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => Err(Unreadable::Binary),
        [0xff, 0xfe, rest @ ..] => Ok(decode_as(bytes, rest, Encoding::Utf16Le, UTF_16LE)),
        [0xfe, 0xff, rest @ ..] => Ok(decode_as(bytes, rest, Encoding::Utf16Be, UTF_16BE)),
        [0xef, 0xbb, 0xbf, rest @ ..] => decode_unmarked(bytes, rest, Encoding::Utf8Bom, None),
        rest => decode_unmarked(bytes, rest, Encoding::Utf8, said),
    }
}

/// Whether a file that begins with these bytes is certainly not text; otherwise, that depends on the rest.
pub(super) fn begins_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(BINARY_PREFIX)];
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => true,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => false,
        _ => magic::is_binary(bytes) || has_nul(head) && guess::utf_16(head).is_none(),
    }
}

fn decode_as<'a>(
    bytes: &[u8],
    rest: &'a [u8],
    encoding: Encoding,
    decoder: &'static encoding_rs::Encoding,
) -> DecodedText<'a> {
    let (text, lossy) = decoder.decode_without_bom_handling(rest);
    text_of(text, encoding, lossy, bytes)
}

fn decode_unmarked<'a>(
    bytes: &[u8],
    rest: &'a [u8],
    encoding: Encoding,
    said: Option<SaidEncoding>,
) -> Result<DecodedText<'a>, Unreadable> {
    let as_said = |SaidEncoding { encoding, .. }| {
        let (text, lossy) = encoding.decode(rest);
        text_of(text, Encoding::Said(encoding), lossy, bytes)
    };
    if let Some(said) = said.filter(|said| said.is_of_one) {
        return Ok(as_said(said));
    }
    let is_binary = magic::is_binary(rest);
    if is_binary || has_nul(&rest[..rest.len().min(BINARY_PREFIX)]) {
        let is_right = |said: &SaidEncoding| {
            let makes_sense = |decoder| guess::in_utf_16(rest, decoder).is_some();
            !is_binary && said.encoding.utf_16().is_some_and(makes_sense)
        };
        if let Some(said) = said.filter(is_right) {
            return Ok(as_said(said));
        }
        let utf_16 = guess::utf_16(rest).filter(|_| !is_binary).ok_or(Unreadable::Binary)?;
        let encoding = Encoding::Guessed(Guess { encoding: utf_16, is_sure: true });
        return Ok(decode_as(bytes, rest, encoding, utf_16));
    }
    if let Ok(text) = simdutf8::basic::from_utf8(rest) {
        if let Some(text) = guess::iso_2022_jp(rest) {
            let encoding = Encoding::Guessed(Guess { encoding: ISO_2022_JP, is_sure: true });
            return Ok(text_of(text, encoding, false, bytes));
        }
        return Ok(text_of(Cow::Borrowed(text), encoding, false, bytes));
    }
    if has_nul(rest) {
        return Err(Unreadable::Binary);
    }
    if let Some(said) = said {
        return Ok(as_said(said));
    }
    if let Some((text, lossy)) = guess::cesu_8(rest) {
        return Ok(text_of(text.into(), Encoding::Cesu8, lossy, bytes));
    }
    let guess = guess::guess(rest);
    let encoding = if guess.encoding == UTF_8 { encoding } else { Encoding::Guessed(guess) };
    Ok(decode_as(bytes, rest, encoding, guess.encoding))
}

fn has_nul(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_some()
}

fn text_of<'a>(text: Cow<'a, str>, encoding: Encoding, lossy: bool, bytes: &[u8]) -> DecodedText<'a> {
    DecodedText { text, encoding, lossy, bytes: bytes.len() as u64 }
}
