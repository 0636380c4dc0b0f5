//! An encoding: a pattern that splits text into pieces, and the vocabulary that merges them.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Range;
use std::thread::LocalKey;

use super::merge;
use super::pattern::Piece;
use super::recent::Recent;
use super::vocabulary::{Special, Vocabulary};

/// How many bytes are examined together to find where pieces begin.
pub(super) const BLOCK: usize = 64;

/// A pattern and its vocabulary.
pub(super) trait Encoding: Sized {
    /// The tokens.
    fn vocabulary() -> &'static Vocabulary;

    /// The ranks of the tokens in its slots, one after another: see [`super::layout`].
    fn ranks() -> &'static [[u8; 3]];

    /// The slot of each token, by number; computed once, see [`super::vocabulary::places`].
    fn places() -> &'static [u32];

    /// The tokens that don't stand for text.
    fn special() -> &'static [Special];

    /// The end of the piece that begins at `at`, which is before the end of the text.
    fn piece_end(text: &[u8], at: usize) -> usize;

    /// Where pieces certainly begin in a block, if one begins at its first byte. The default is only that
    /// byte, for encodings without a quick way to find more.
    fn piece_starts(_block: &[u8; BLOCK]) -> u64 {
        1
    }

    /// The number of pieces in `text`.
    fn count_pieces(text: &[u8]) -> u64 {
        Pieces::<Self>::of(text).count() as u64
    }

    /// Whether `text` has more than `limit` pieces, each of which is at least one token.
    fn has_more_pieces(text: &[u8], limit: u64) -> bool {
        let first = usize::try_from(limit).unwrap_or(usize::MAX);
        Pieces::<Self>::of(text).nth(first).is_some()
    }

    /// The cache of this thread.
    fn recent() -> &'static LocalKey<Cell<Recent>>;

    /// The number of tokens in `text`.
    fn count(text: &[u8]) -> u64 {
        Self::with_recent(text.len(), |recent| Self::count_beyond(text, u64::MAX, recent))
    }

    /// The number of tokens in `text`, if it is at most `limit`.
    fn at_most(text: &[u8], limit: u64) -> Option<u64> {
        let least = text.len().div_ceil(Self::vocabulary().longest()) as u64;
        if least > limit {
            return None;
        }
        let tokens = Self::with_recent(text.len(), |recent| Self::count_beyond(text, limit, recent));
        (tokens <= limit).then_some(tokens)
    }

    /// Lends the cache of this thread for `len` bytes of text.
    fn with_recent<T>(len: usize, work: impl FnOnce(&mut Recent) -> T) -> T {
        let mut recent = Self::recent().take().ready_for(len);
        let result = work(&mut recent);
        Self::recent().set(recent);
        result
    }

    /// The number of tokens in `text` or, if it exceeds `limit`, in a prefix that already has more.
    fn count_beyond(text: &[u8], limit: u64, recent: &mut Recent) -> u64 {
        let mut unknown = [Piece::default(); BATCH];
        let mut waiting = 0;
        let mut tokens = 0;
        let mut pieces = Pieces::<Self>::of(text);
        while tokens <= limit
            && let Some(piece) = pieces.next()
        {
            if let Some(known) = recent.get(text, piece) {
                tokens += known;
                continue;
            }
            unknown[waiting] = piece;
            waiting += 1;
            if waiting == BATCH {
                tokens += Self::look_up(text, &unknown, recent);
                waiting = 0;
            }
        }
        tokens + Self::look_up(text, &unknown[..waiting], recent)
    }

    /// Calls `found` with each piece of `text` and its number of tokens, until it returns `false`.
    fn for_each_piece(text: &[u8], mut found: impl FnMut(Range<usize>, u64) -> bool) {
        Self::with_recent(text.len(), |recent| {
            let mut pieces = Pieces::<Self>::of(text);
            while let Some(piece) = pieces.next()
                && found(piece.start..piece.end, Self::piece_tokens(text, piece, recent))
            {}
        });
    }

    /// Adds the tokens of `text` to `tokens`.
    fn encode(text: &[u8], tokens: &mut Vec<u32>) {
        for piece in Pieces::<Self>::of(text) {
            push(Self::vocabulary(), Self::ranks(), text, piece, tokens);
        }
    }

    /// The number of tokens in one piece.
    fn piece_tokens(text: &[u8], piece: Piece, recent: &mut Recent) -> u64 {
        let known = recent.get(text, piece);
        known.unwrap_or_else(|| Self::look_up(text, &[piece], recent))
    }

    /// The number of tokens in at most [`BATCH`] pieces. Pieces in the vocabulary are looked up together, so
    /// that the waits for memory overlap.
    fn look_up(text: &[u8], pieces: &[Piece], recent: &mut Recent) -> u64 {
        let mut single = [false; BATCH];
        for (single, piece) in single.iter_mut().zip(pieces) {
            *single = Self::vocabulary().contains(text, *piece);
        }
        let count = |(&piece, single): (&Piece, bool)| {
            let tokens = if single { 1 } else { merge::count(Self::vocabulary(), piece.of(text)) };
            recent.keep(text, piece, tokens);
            tokens
        };
        pieces.iter().zip(single).map(count).sum()
    }
}

/// Adds the tokens of a piece.
#[inline]
fn push(vocabulary: &Vocabulary, ranks: &[[u8; 3]], text: &[u8], piece: Piece, tokens: &mut Vec<u32>) {
    if let Some(token) = vocabulary.rank(ranks, text, piece) {
        tokens.push(token);
        return;
    }
    let mut start = piece.start;
    merge::for_each_end(vocabulary, piece.of(text), |end| {
        let end = piece.start + end;
        // Every part that a merge leaves is a token.
        tokens.extend(vocabulary.rank(ranks, text, Piece { start, end }));
        start = end;
    });
}

/// How many pieces are looked up together.
const BATCH: usize = 16;

/// The pieces of the text, found one block at a time if possible.
pub(super) struct Pieces<'t, E> {
    text: &'t [u8],
    /// Where the next piece begins.
    at: usize,
    /// Where the last examined block begins.
    block: usize,
    /// The ends of pieces in it that haven't been returned yet.
    ends: u64,
    encoding: PhantomData<E>,
}

impl<'t, E: Encoding> Pieces<'t, E> {
    pub(super) fn of(text: &'t [u8]) -> Self {
        Self { text, at: 0, block: 0, ends: 0, encoding: PhantomData }
    }

    /// Examines the block at the current place, and returns whether a piece certainly ends in it.
    #[inline]
    fn look(&mut self) -> bool {
        let block = self.text[self.at..].first_chunk::<BLOCK>();
        let starts = block.map_or(1, E::piece_starts);
        self.block = self.at;
        self.ends = starts & (starts - 1);
        self.ends != 0
    }
}

impl<E: Encoding> Iterator for Pieces<'_, E> {
    type Item = Piece;

    #[inline]
    fn next(&mut self) -> Option<Piece> {
        let start = self.at;
        self.at = if self.ends != 0 || start < self.text.len() && self.look() {
            let end = self.block + self.ends.trailing_zeros() as usize;
            self.ends &= self.ends - 1;
            end
        } else if start < self.text.len() {
            E::piece_end(self.text, start)
        } else {
            return None;
        };
        Some(Piece { start, end: self.at })
    }
}
