//! Finds the longest prefix of text within a limit, counts the prefixes that end with a line, and saves
//! counts for text that is measured more than once.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::memchr_iter;

use super::boundary::{floor, is_certain};
use super::encoding::{Encoding, Pieces};
use super::merge::Walk;
use super::pattern::Piece;

/// Pieces longer than this, in bytes, are merged only as far as the limit.
const SHORT: usize = 64;

/// How many possible ends of a prefix are tried.
const TRIES: u64 = 16;

/// Pieces of at least this many bytes aren't merged again for each prefix.
const LONG: usize = 1024;

/// The number of bytes between two positions with a saved count.
const STEP: usize = 4096;

/// Line ends within a longer piece are skipped, since each would need a count from the beginning of the piece.
const LONGEST_SPLIT: usize = 64;

/// A prefix of text, with its count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beginning {
    /// The byte offset of its end.
    pub at: usize,
    /// How many tokens it has on its own.
    pub tokens: u64,
}

/// Saved counts for text that is measured more than once.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// Certain boundaries, ascending, with the number of tokens before each.
    marks: Vec<Beginning>,
    /// The merges of long pieces, or of prefixes of them, by where they begin.
    long: BTreeMap<usize, Walk>,
}

impl Known {
    pub(super) fn of<E: Encoding>(text: &str, most: u64) -> Self {
        let bytes = text.as_bytes();
        let mut known = Self::default();
        let mut now = Beginning { at: 0, tokens: 0 };
        let mut step = STEP;
        E::with_recent(bytes.len(), |recent| {
            while now.at < bytes.len() && now.tokens <= most {
                if now.at >= step && is_certain(text, now.at) {
                    known.marks.push(now);
                    step = now.at + STEP;
                }
                let piece = Piece { start: now.at, end: E::piece_end(bytes, now.at) };
                now.tokens += if piece.len() < LONG {
                    E::piece_tokens(bytes, piece, recent)
                } else {
                    let walk = Walk::through(E::vocabulary(), piece.of(bytes), most - now.tokens);
                    let tokens = walk.tokens();
                    known.long.insert(piece.start, walk);
                    tokens
                };
                now.at = piece.end;
            }
        });
        known
    }

    /// The last saved prefix that satisfies `belongs`, which all shorter ones must satisfy, too.
    fn last_mark(&self, belongs: impl Fn(&Beginning) -> bool) -> Beginning {
        let next = self.marks.partition_point(belongs);
        next.checked_sub(1).map_or(Beginning { at: 0, tokens: 0 }, |last| self.marks[last])
    }

    pub(super) fn tokens_of<E: Encoding>(&self, text: &str, other: &str, shared: usize) -> u64 {
        let bytes = other.as_bytes();
        let Beginning { mut at, mut tokens } = self.last_mark(|mark| mark.at < shared);
        E::with_recent(STEP, |recent| {
            while at < bytes.len() {
                let piece = Piece { start: at, end: E::piece_end(bytes, at) };
                at = piece.end;
                let long = if piece.len() < LONG { None } else { self.long.get(&piece.start) };
                tokens += match long {
                    None => E::piece_tokens(bytes, piece, recent),
                    Some(walk) => {
                        let same = shared.min(piece.start + walk.end()).min(piece.end);
                        let begin = &text.as_bytes()[piece.start..same];
                        walk.tokens_with(E::vocabulary(), begin, &bytes[same..piece.end])
                    }
                };
            }
        });
        tokens
    }
}

/// The end of a prefix of at most `limit` tokens, using the saved counts of the text; see
/// [`super::Tokenizer::prefix_within`].
///
/// A prefix that ends with a piece splits as the text does, except for white space at its end. One that ends with
/// a token inside a piece splits as the text does, except for the rest of that piece. So a prefix is counted again
/// from the last fixed boundary, unless it ends with a single piece, and is shortened until it is within the
/// limit.
pub(super) fn prefix_within<E: Encoding>(text: &str, limit: u64, known: &Known) -> usize {
    let bytes = text.as_bytes();
    let mut certain = known.last_mark(|mark| mark.tokens <= limit);
    let mut now = certain;
    // The piece that crosses the limit and, if it is long, its merge up to the limit.
    let mut over = None;
    E::with_recent(text.len(), |recent| {
        while now.at < bytes.len() {
            if is_certain(text, now.at) {
                certain = now;
            }
            let piece = Piece { start: now.at, end: E::piece_end(bytes, now.at) };
            let walk = (piece.len() > SHORT).then(|| match known.long.get(&piece.start) {
                Some(walk) => Cow::Borrowed(walk),
                None => Cow::Owned(Walk::through(E::vocabulary(), piece.of(bytes), limit - now.tokens)),
            });
            let tokens = match &walk {
                None => E::piece_tokens(bytes, piece, recent),
                Some(walk) => walk.tokens(),
            };
            let tokens = now.tokens + tokens;
            if tokens > limit || walk.as_ref().is_some_and(|walk| walk.end() < piece.len()) {
                over = Some((piece, walk));
                break;
            }
            now = Beginning { at: piece.end, tokens };
        }
    });
    let Some((piece, walk)) = over else { return now.at };
    let room = limit - now.tokens;
    let fits_from_certain =
        |end: usize| E::at_most(&bytes[certain.at..end], limit - certain.tokens).is_some();
    let fits = |end: usize| match &walk {
        Some(walk) if E::piece_end(&bytes[..end], now.at) == end => {
            walk.tokens_with(E::vocabulary(), &bytes[piece.start..end], &[]) <= room
        }
        Some(_) | None => fits_from_certain(end),
    };
    let whole;
    let merge = match &walk {
        Some(walk) => walk.as_ref(),
        None => {
            whole = Walk::through(E::vocabulary(), piece.of(bytes), u64::MAX);
            &whole
        }
    };
    let merged = piece.up_to(merge.end());
    let ends = merge.last_ends(E::vocabulary(), merged.of(bytes), room, TRIES);
    ends.into_iter()
        .rev()
        .take(TRIES as usize)
        .map(|end| floor(text, piece.start + end))
        .find(|&end| end > now.at && fits(end))
        .or_else(|| Some(now.at).filter(|&end| fits_from_certain(end)))
        .unwrap_or(certain.at)
}

/// The line ends of `text` up to the first with more than `limit` tokens; see
/// [`super::Tokenizer::line_ends`].
///
/// A prefix splits as the text does up to its last piece, which may be only part of one of the text's pieces.
pub(super) fn line_ends<E: Encoding>(text: &str, limit: u64) -> Vec<Beginning> {
    let bytes = text.as_bytes();
    let mut ends: Vec<Beginning> = Vec::new();
    let is_within = |ends: &[Beginning]| ends.last().is_none_or(|end| end.tokens <= limit);
    // A longer prefix can have one token fewer. In that case its count replaces that of the shorter one.
    let add = |ends: &mut Vec<Beginning>, at: usize, tokens: u64| {
        if is_within(ends) {
            while ends.pop_if(|end| end.tokens > tokens).is_some() {}
            ends.push(Beginning { at, tokens });
        }
    };
    let mut tokens = 0_u64;
    let mut pieces = Pieces::<E>::of(bytes);
    E::with_recent(text.len(), |recent| {
        // Stops at the first line end beyond the limit, or after twice as many tokens as the limit.
        while is_within(&ends)
            && tokens <= limit.saturating_mul(2)
            && let Some(piece) = pieces.next()
        {
            if piece.len() <= LONGEST_SPLIT {
                for newline in memchr_iter(b'\n', &bytes[piece.start..piece.end - 1]) {
                    let end = piece.start + newline + 1;
                    let in_piece = E::count_beyond(&bytes[piece.start..end], u64::MAX, recent);
                    add(&mut ends, end, tokens + in_piece);
                }
            }
            tokens += E::piece_tokens(bytes, piece, recent);
            if piece.end == bytes.len() || bytes[piece.end - 1] == b'\n' {
                add(&mut ends, piece.end, tokens);
            }
        }
    });
    ends
}
