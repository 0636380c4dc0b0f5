//! The longest prefix within a limit.

use std::borrow::Cow;

use super::boundary::{floor, is_certain};
use super::encoding::Encoding;
use super::known::{Known, Reached};
use super::merge::Walk;
use super::pattern::Piece;
use super::recent::Recent;

/// The end of a prefix of at most `limit` tokens; see [`super::Tokenizer::prefix_within`].
pub(super) fn prefix_within<E: Encoding>(text: &str, limit: u64) -> usize {
    prefix_from::<E>(text, limit, &Known::default())
}

/// The same with the help of what is known of the text.
///
/// A prefix that ends with a piece splits as the text does but for white space at its end, and one
/// that ends with a token of a piece but for the rest of the piece: so a prefix is counted again
/// from the last certain boundary on, unless it ends with a single piece, and shortened until it is
/// within the limit.
pub(super) fn prefix_from<E: Encoding>(text: &str, limit: u64, known: &Known) -> usize {
    let bytes = text.as_bytes();
    let mut certain = known.before_tokens(limit);
    let mut now = certain;
    let mut over = None;
    E::with_recent(text.len(), |recent| {
        while now.at < bytes.len() {
            if is_certain(text, now.at) {
                certain = now;
            }
            let piece = Piece { start: now.at, end: E::piece_end(bytes, now.at) };
            let part = Part::of::<E>(bytes, piece, limit - now.tokens, known, recent);
            let tokens = now.tokens + part.tokens();
            if tokens > limit || part.is_cut(piece) {
                over = Some(part);
                break;
            }
            now = Reached { at: piece.end, tokens };
        }
    });
    let Some(part) = over else { return now.at };
    let room = limit - now.tokens;
    let fits = |end: usize| {
        let alone = E::piece_end(&bytes[..end], now.at) == end;
        match &part {
            Part::Long { piece, walk } if alone => {
                walk.tokens_with(E::vocabulary(), &bytes[piece.start..end], &[]) <= room
            }
            Part::Long { .. } | Part::Short { .. } => {
                E::at_most(&bytes[certain.at..end], limit - certain.tokens).is_some()
            }
        }
    };
    part.ends::<E>(bytes, room)
        .map(|end| floor(text, end))
        .find(|&end| end > now.at && fits(end))
        .or_else(|| {
            Some(now.at).filter(|&end| E::at_most(&bytes[certain.at..end], limit - certain.tokens).is_some())
        })
        .unwrap_or(certain.at)
}

/// The merge of a piece, or of a beginning of one that has more tokens than are asked for.
enum Part<'k> {
    Short { piece: Piece, tokens: u64 },
    Long { piece: Piece, walk: Cow<'k, Walk> },
}

impl<'k> Part<'k> {
    fn of<E: Encoding>(text: &[u8], piece: Piece, room: u64, known: &'k Known, recent: &mut Recent) -> Self {
        if piece.len() <= SHORT {
            return Self::Short { piece, tokens: E::piece_tokens(text, piece, recent) };
        }
        if let Some((piece, walk)) = known.walk(piece.start) {
            return Self::Long { piece, walk: Cow::Borrowed(walk) };
        }
        let walk = Walk::through(E::vocabulary(), piece.of(text), room);
        Self::Long { piece: piece.up_to(walk.end()), walk: Cow::Owned(walk) }
    }

    fn tokens(&self) -> u64 {
        match self {
            Self::Short { tokens, .. } => *tokens,
            Self::Long { walk, .. } => walk.tokens(),
        }
    }

    /// Whether it is only a beginning of `piece`.
    fn is_cut(&self, whole: Piece) -> bool {
        match self {
            Self::Short { piece, .. } | Self::Long { piece, .. } => piece.end < whole.end,
        }
    }

    /// Where the last tokens within `room` end, the longest first.
    fn ends<E: Encoding>(&self, text: &[u8], room: u64) -> impl Iterator<Item = usize> {
        let (piece, ends) = match self {
            Self::Short { piece, .. } => {
                let walk = Walk::through(E::vocabulary(), piece.of(text), u64::MAX);
                (piece, walk.last_ends(E::vocabulary(), piece.of(text), room, TRIES))
            }
            Self::Long { piece, walk } => {
                (piece, walk.last_ends(E::vocabulary(), piece.of(text), room, TRIES))
            }
        };
        let start = piece.start;
        ends.into_iter().rev().take(TRIES as usize).map(move |end| start + end)
    }
}

/// How many ends of a prefix are tried.
const TRIES: u64 = 16;

/// The longest piece in bytes that is counted like any other.
const SHORT: usize = 64;
