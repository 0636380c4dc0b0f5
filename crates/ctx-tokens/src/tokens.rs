//! The tokens themselves: from a text to the numbers that a model is given, and back.

use super::encoding::Encoding;
use super::error::Error;
use super::merge;
use super::pattern::Piece;
use super::special;
use super::vocabulary::{Ranks, Vocabulary, rank};

/// Adds the tokens of a piece.
#[inline]
pub(super) fn push(vocabulary: &Vocabulary, ranks: Ranks, text: &[u8], piece: Piece, tokens: &mut Vec<u32>) {
    if let Some(token) = vocabulary.rank(ranks, text, piece) {
        tokens.push(token);
        return;
    }
    let mut start = piece.start;
    merge::for_each_end(vocabulary, piece.of(text), |end| {
        let end = piece.start + end;
        // Whatever a merge leaves is a token.
        tokens.extend(vocabulary.rank(ranks, text, Piece { start, end }));
        start = end;
    });
}

/// The slot of each token, by its number; made at the first call that decodes, in about a millisecond.
#[derive(Debug)]
pub(super) struct Places(Vec<u32>);

/// In the place of a slot: no token has this number.
const NOWHERE: u32 = u32::MAX;

impl Places {
    pub(super) fn of(ranks: Ranks) -> Self {
        let mut places = vec![NOWHERE; ranks.len()];
        for (slot, &token) in (0..).zip(ranks) {
            if let Some(place) = places.get_mut(rank(token) as usize) {
                *place = slot;
            }
        }
        Self(places)
    }

    fn slot(&self, token: u32) -> Option<usize> {
        let slot = *self.0.get(token as usize)?;
        (slot != NOWHERE).then_some(slot as usize)
    }
}

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
