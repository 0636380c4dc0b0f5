//! The longest prefix within a limit.

use super::boundary::is_certain;
use super::encoding::Encoding;
use super::merge;
use super::pattern::Piece;

/// The end of a prefix of at most `limit` tokens; see [`super::Tokenizer::prefix_within`].
///
/// A prefix that ends with a piece splits as the text does but for white space at its end, and one
/// that ends with a token of a piece but for the rest of the piece: so a prefix is counted again
/// from the last certain boundary on, and shortened until it is within the limit.
pub(super) fn prefix_within<E: Encoding>(text: &str, limit: u64) -> usize {
    let bytes = text.as_bytes();
    let mut certain = Reached { at: 0, tokens: 0 };
    let mut now = certain;
    E::with_recent(text.len(), |recent| {
        while now.at < bytes.len() {
            if is_certain(text, now.at) {
                certain = now;
            }
            let piece = Piece { start: now.at, end: E::piece_end(bytes, now.at) };
            let tokens = now.tokens + E::piece_tokens(bytes, piece, recent);
            if tokens > limit {
                break;
            }
            now = Reached { at: piece.end, tokens };
        }
    });
    if now.at == bytes.len() {
        return now.at;
    }
    let room = limit - certain.tokens;
    within_piece::<E>(bytes, now, limit)
        .into_iter()
        .map(|end| floor(text, end))
        .find(|&end| end > certain.at && E::at_most(&bytes[certain.at..end], room).is_some())
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
    let room = limit - before.tokens;
    let longest = E::vocabulary().longest() as u64;
    let near = usize::try_from(room.saturating_add(1).saturating_mul(longest)).unwrap_or(usize::MAX);
    let piece = &text[before.at..end.min(before.at.saturating_add(near))];
    let walk = merge::Walk::through(E::vocabulary(), piece);
    let ends = walk.last_ends(E::vocabulary(), piece, room, TRIES as u64);
    let places = ends.into_iter().rev().take(TRIES).map(|end| before.at + end);
    places.chain([before.at]).collect()
}
