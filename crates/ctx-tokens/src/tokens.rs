//! The tokens themselves: from a text to the numbers that a model is given, and back.

use super::encoding::Encoding;
use super::error::Error;
use super::special;

/// The bytes that tokens stand for; see [`super::Tokenizer::decode`].
pub(super) fn decode<E: Encoding>(tokens: &[u32]) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(tokens.len() * 4);
    for &token in tokens {
        match (E::places().slot(token), special::of_number(E::special(), token)) {
            (Some(slot), _) => E::vocabulary().extend_with(slot, &mut bytes),
            (None, Some(special)) => bytes.extend_from_slice(special.text.as_bytes()),
            (None, None) => return Err(Error::UnknownToken(token)),
        }
    }
    Ok(bytes)
}

/// The tokens of a text in which special tokens may be written out; see [`super::Tokenizer::encode_with_special`].
pub(super) fn encode_with_special<E: Encoding>(text: &str) -> Vec<u32> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some((before, found)) = special::next(E::special(), rest) {
        E::encode(before.as_bytes(), &mut tokens);
        tokens.push(found.number);
        rest = &rest[before.len() + found.text.len()..];
    }
    E::encode(rest.as_bytes(), &mut tokens);
    tokens
}
