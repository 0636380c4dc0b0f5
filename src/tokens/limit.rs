//! Counting that stops at a limit.

use super::boundary::is_certain;
use super::encoding::Encoding;
use super::merge;

/// The tokens of `text` if they are at most `limit`.
pub(super) fn at_most<E: Encoding>(text: &str, limit: u64) -> Option<u64> {
    let text = text.as_bytes();
    let longest = E::vocabulary().longest() as u64;
    let mut tokens = 0;
    let mut at = 0;
    while at < text.len() {
        let least = ((text.len() - at) as u64).div_ceil(longest);
        if tokens + least > limit {
            return None;
        }
        let end = E::piece_end(text, at);
        tokens += E::piece_tokens(text, at, end);
        at = end;
    }
    Some(tokens).filter(|&tokens| tokens <= limit)
}

/// The end of a prefix of at most `limit` tokens; see [`super::Tokenizer::prefix_within`].
///
/// A prefix that ends with a piece splits as the text does but for white space at its end, and one
/// that ends with a token of a piece but for the rest of the piece: so a prefix is counted again
/// from the last certain boundary on, and shortened until it is within the limit.
pub(super) fn prefix_within<E: Encoding>(text: &str, limit: u64) -> usize {
    let bytes = text.as_bytes();
    let mut certain = Reached { at: 0, tokens: 0 };
    let mut now = certain;
    while now.at < bytes.len() {
        if is_certain(text, now.at) {
            certain = now;
        }
        let end = E::piece_end(bytes, now.at);
        let tokens = now.tokens + E::piece_tokens(bytes, now.at, end);
        if tokens > limit {
            break;
        }
        now = Reached { at: end, tokens };
    }
    if now.at == bytes.len() {
        return now.at;
    }
    let room = limit - certain.tokens;
    within_piece::<E>(bytes, now, limit)
        .into_iter()
        .map(|end| floor(text, end))
        .find(|&end| end > certain.at && at_most::<E>(&text[certain.at..end], room).is_some())
        .unwrap_or(certain.at)
}

/// The last place between two characters up to `at`.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// A place in the text and the tokens before it.
#[derive(Debug, Clone, Copy)]
struct Reached {
    at: usize,
    tokens: u64,
}

/// How many ends of a prefix are tried.
const TRIES: usize = 16;

/// Where a prefix may end, the longest first: after the last tokens within the limit of the piece
/// that exceeds it, or before that piece.
fn within_piece<E: Encoding>(text: &[u8], before: Reached, limit: u64) -> Vec<usize> {
    let end = E::piece_end(text, before.at);
    let room = usize::try_from(limit - before.tokens).unwrap_or(usize::MAX);
    let longest = E::vocabulary().longest();
    let near = room.saturating_add(1).saturating_mul(longest);
    let end = end.min(before.at.saturating_add(near));
    let ends = merge::ends(E::vocabulary(), text, before.at, end);
    let mut places: Vec<usize> = ends.into_iter().take(room).rev().take(TRIES).chain([before.at]).collect();
    places.dedup();
    places
}
