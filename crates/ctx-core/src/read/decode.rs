//! From bytes to text.

use std::borrow::Cow;
use std::fmt;

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::{Unreadable, magic};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 with a byte-order mark.
    Utf8Bom,
    /// UTF-16, little-endian, by its byte-order mark.
    Utf16Le,
    /// UTF-16, big-endian, by its byte-order mark.
    Utf16Be,
    /// Any other eight-bit encoding.
    Windows1252,
    /// The JSON of a Jupyter notebook, whose cells are the text.
    Notebook,
}

impl Encoding {
    /// Whether the user should be told, because the encoding is a guess.
    #[must_use]
    pub const fn is_guess(self) -> bool {
        match self {
            Self::Windows1252 => true,
            Self::Utf8 | Self::Utf8Bom | Self::Utf16Le | Self::Utf16Be | Self::Notebook => false,
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Utf8 => "UTF-8",
            Self::Utf8Bom => "UTF-8 with a byte-order mark",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Windows1252 => "Windows-1252",
            Self::Notebook => "Jupyter notebook",
        })
    }
}

/// Decodes bytes according to their byte-order mark, as UTF-8, or else as Windows-1252.
///
/// A file with the magic number of a known format is binary, and so is one with a NUL in the first 8 KiB or,
/// if it is not UTF-8, anywhere. UTF-16 is full of NULs; UTF-32 is not recognised.
///
/// # Errors
///
/// Only `Unreadable::Binary`.
pub fn decode(bytes: &[u8]) -> Result<DecodedText<'_>, Unreadable> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => Err(Unreadable::Binary),
        [0xff, 0xfe, rest @ ..] => Ok(decode_utf16(bytes, rest, Encoding::Utf16Le, UTF_16LE)),
        [0xfe, 0xff, rest @ ..] => Ok(decode_utf16(bytes, rest, Encoding::Utf16Be, UTF_16BE)),
        [0xef, 0xbb, 0xbf, rest @ ..] => decode_8bit(bytes, rest, Encoding::Utf8Bom),
        rest => decode_8bit(bytes, rest, Encoding::Utf8),
    }
}

/// Whether a file that begins with these bytes is certainly not text; otherwise, that depends on the rest.
pub(super) fn begins_binary(bytes: &[u8]) -> bool {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => true,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => false,
        _ => magic::is_binary(bytes) || has_nul(&bytes[..bytes.len().min(BINARY_PREFIX)]),
    }
}

fn decode_utf16<'a>(
    bytes: &[u8],
    rest: &'a [u8],
    encoding: Encoding,
    decoder: &'static encoding_rs::Encoding,
) -> DecodedText<'a> {
    let (text, lossy) = decoder.decode_without_bom_handling(rest);
    text_of(text, encoding, lossy, bytes)
}

fn decode_8bit<'a>(bytes: &[u8], rest: &'a [u8], encoding: Encoding) -> Result<DecodedText<'a>, Unreadable> {
    if magic::is_binary(rest) || has_nul(&rest[..rest.len().min(BINARY_PREFIX)]) {
        return Err(Unreadable::Binary);
    }
    if let Ok(text) = simdutf8::basic::from_utf8(rest) {
        return Ok(text_of(Cow::Borrowed(text), encoding, false, bytes));
    }
    if has_nul(rest) {
        return Err(Unreadable::Binary);
    }
    let (text, lossy) = WINDOWS_1252.decode_without_bom_handling(rest);
    Ok(text_of(text, Encoding::Windows1252, lossy, bytes))
}

fn has_nul(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_some()
}

fn text_of<'a>(text: Cow<'a, str>, encoding: Encoding, lossy: bool, bytes: &[u8]) -> DecodedText<'a> {
    DecodedText { text, encoding, lossy, bytes: bytes.len() as u64 }
}
