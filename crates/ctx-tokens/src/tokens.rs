//! Tokens as numbers: from text to the numbers that a model gets, and back.

use std::fmt;

use super::encoding::Encoding;
use super::vocabulary::{NOWHERE, Special};

/// An error from this crate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no tokenizer with this name, or its feature is off.
    UnknownTokenizer(String),
    /// No token has this number.
    UnknownToken(u32),
    /// The tokens stand for bytes that aren't UTF-8, such as part of an emoji.
    NotUtf8,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTokenizer(name) => write!(f, "unknown tokenizer '{name}'"),
            Self::UnknownToken(number) => write!(f, "no token has the number {number}"),
            Self::NotUtf8 => f.write_str("the tokens are not UTF-8 text"),
        }
    }
}

impl std::error::Error for Error {}

/// The bytes that tokens stand for; see [`super::Tokenizer::decode`].
pub(super) fn decode<E: Encoding>(tokens: &[u32]) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(tokens.len() * 4);
    for &token in tokens {
        let slot = E::places().get(token as usize).filter(|slot| **slot != NOWHERE);
        if let Some(&slot) = slot {
            E::vocabulary().extend_with(slot as usize, &mut bytes);
        } else {
            let special = E::special().iter().find(|special| special.number == token);
            let special = special.ok_or(Error::UnknownToken(token))?;
            bytes.extend_from_slice(special.text.as_bytes());
        }
    }
    Ok(bytes)
}

/// The tokens of `text`, with special tokens in it recognised; see [`super::Tokenizer::encode_with_special`].
pub(super) fn encode_with_special<E: Encoding>(text: &str) -> Vec<u32> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some((before, found)) = next_special(E::special(), rest) {
        E::encode(before.as_bytes(), &mut tokens);
        tokens.push(found.number);
        rest = &rest[before.len() + found.text.len()..];
    }
    E::encode(rest.as_bytes(), &mut tokens);
    tokens
}

/// The first special token in `text`, and the text before it.
fn next_special<'t>(all: &[Special], text: &'t str) -> Option<(&'t str, Special)> {
    let starts = memchr::memmem::find_iter(text.as_bytes(), b"<|");
    let at = |at: usize| {
        let found = all.iter().copied().find(|special| text[at..].starts_with(special.text))?;
        Some((&text[..at], found))
    };
    starts.into_iter().find_map(at)
}
