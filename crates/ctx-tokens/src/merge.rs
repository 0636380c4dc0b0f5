//! Byte-pair merging of a piece that isn't a token itself. Of all neighbouring parts that merge to a token,
//! the pair whose token has the lowest rank merges first (of several such pairs, the leftmost), until none
//! are left.
//!
//! A long piece is merged window by window, in time linear in its length. A sequence of tokens is the merge
//! of its bytes if and only if every two neighbours are the merge of theirs. So a window begins with the last
//! trusted token of the previous window. If it produces that token again, the two join into one merge. If
//! not, that token was wrong: the previous window is merged again, and it and the following ones are made
//! longer and trust less of their end, until no window has failed for a while.

mod parts;

use super::vocabulary::Vocabulary;
use parts::{AT_ONCE, ends_into};

/// The number of tokens in a piece.
pub(super) fn count(vocabulary: &Vocabulary, piece: &[u8]) -> u64 {
    if piece.len() <= AT_ONCE {
        parts::of_64(vocabulary, piece).count() as u64
    } else {
        Walk::through(vocabulary, piece, u64::MAX).tokens()
    }
}

/// Calls `found` with the end of each token of a piece.
pub(super) fn for_each_end(vocabulary: &Vocabulary, piece: &[u8], found: impl FnMut(usize)) {
    if piece.len() <= AT_ONCE {
        parts::of_64(vocabulary, piece).ends().for_each(found);
    } else {
        Walk::through(vocabulary, piece, u64::MAX).ends(vocabulary, piece).into_iter().for_each(found);
    }
}

/// The number of bytes at the end of the shortest window whose tokens aren't trusted.
const MARGIN: usize = 10;

/// The minimum length of a window, as a multiple of its first token's length.
const TIMES_KNOWN: usize = 4;

/// After this many windows without a failure, shorter ones are tried again.
const CALM: u32 = 32;

/// How many windows are cached; most repetitive text has fewer distinct windows.
const KEPT: usize = 16;

/// Where a window begins: `at`, with the token that ends at `known`.
#[derive(Debug, Clone, Copy)]
struct Start {
    at: usize,
    known: usize,
    /// The number of tokens up to `known`.
    tokens: u64,
}

#[cfg(test)]
thread_local! {
    /// The total number of bytes in the windows that this thread has merged.
    pub(super) static MERGED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The most recently merged windows. The same ones occur again and again in a repetitive piece.
#[derive(Debug, Default)]
struct Windows<'p> {
    kept: Vec<Merged<'p>>,
    /// The window to replace next.
    oldest: usize,
}

#[derive(Debug, Default)]
struct Merged<'p> {
    window: &'p [u8],
    /// The end of each of its tokens.
    ends: Vec<usize>,
}

impl<'p> Windows<'p> {
    /// The end of each token of a window.
    fn ends(&mut self, vocabulary: &Vocabulary, window: &'p [u8]) -> &[usize] {
        let known = self.kept.iter().position(|kept| kept.window == window);
        let index = known.unwrap_or_else(|| self.merge(vocabulary, window));
        &self.kept[index].ends
    }

    fn merge(&mut self, vocabulary: &Vocabulary, window: &'p [u8]) -> usize {
        #[cfg(test)]
        MERGED.set(MERGED.get() + window.len());
        let index = self.oldest;
        self.oldest = (index + 1) % KEPT;
        if index == self.kept.len() {
            self.kept.push(Merged::default());
        }
        let merged = &mut self.kept[index];
        merged.window = window;
        ends_into(vocabulary, window, &mut merged.ends);
        index
    }
}

/// The merge of a long piece or of a prefix of it, with the starts of its windows.
#[derive(Debug, Clone)]
pub(super) struct Walk {
    starts: Vec<Start>,
    tokens: u64,
    /// Where the last token ends.
    end: usize,
}

impl Walk {
    /// Merges as much of a piece as is needed for more than `limit` tokens.
    pub(super) fn through(vocabulary: &Vocabulary, piece: &[u8], limit: u64) -> Self {
        let mut starts = vec![Start { at: 0, known: 0, tokens: 0 }];
        let mut windows = Windows::default();
        let mut doublings = 0_u32;
        let mut calm = 0;
        while let Some(&Start { at, known, tokens }) = starts.last() {
            let size = (AT_ONCE << doublings).max(TIMES_KNOWN * (known - at));
            let stop = piece.len().min(at.saturating_add(size));
            let ends = windows.ends(vocabulary, &piece[at..stop]);
            if known > at && ends[0] != known - at {
                starts.pop();
                doublings += 1;
                calm = 0;
                continue;
            }
            if tokens > limit {
                return Self { starts, tokens, end: known };
            }
            let fresh = usize::from(known > at);
            if stop == piece.len() {
                let tokens = tokens + (ends.len() - fresh) as u64;
                return Self { starts, tokens, end: stop };
            }
            let trusted = stop - at - (MARGIN << doublings);
            let trusted = ends.partition_point(|&end| end <= trusted);
            if trusted < 2 {
                doublings += 1;
                continue;
            }
            starts.push(Start {
                at: at + ends[trusted - 2],
                known: at + ends[trusted - 1],
                tokens: tokens + (trusted - fresh) as u64,
            });
            calm += 1;
            if calm == CALM {
                doublings = doublings.saturating_sub(1);
                calm = 0;
            }
        }
        unreachable!("the first window has no token to fail with")
    }

    /// The number of tokens.
    pub(super) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Where the last token ends: at the end of the piece, unless the limit came first.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// The ends of all tokens of `piece`, of which this is the merge. Each stretch between two starts is merged
    /// separately.
    pub(super) fn ends(&self, vocabulary: &Vocabulary, piece: &[u8]) -> Vec<usize> {
        let mut all = Vec::new();
        let mut ends = Vec::new();
        let stops = self.starts.iter().skip(1).map(|start| start.known).chain([piece.len()]);
        for (start, stop) in self.starts.iter().zip(stops) {
            ends_into(vocabulary, &piece[start.at..stop], &mut ends);
            let fresh = usize::from(start.known > start.at);
            all.extend(ends[fresh..].iter().map(|end| start.at + end));
        }
        all
    }

    /// The ends of the tokens of `piece`, of which this is the merge, up to the token with the number `last`.
    /// Includes at least the last `some` of these ends, if there are that many.
    pub(super) fn last_ends(
        &self,
        vocabulary: &Vocabulary,
        piece: &[u8],
        last: u64,
        some: u64,
    ) -> Vec<usize> {
        let first = self.starts.partition_point(|start| start.tokens + some <= last).saturating_sub(1);
        let from = self.starts[first];
        let stop =
            self.starts.iter().find(|start| start.tokens >= last).map_or(piece.len(), |start| start.known);
        let before = from.tokens - u64::from(from.known > from.at);
        let mut ends = Vec::new();
        ends_into(vocabulary, &piece[from.at..stop], &mut ends);
        ends.truncate(usize::try_from(last - before).unwrap_or(usize::MAX));
        ends.iter_mut().for_each(|end| *end += from.at);
        ends
    }

    /// The number of tokens in `begin`, a prefix of the merged piece, and `tail` together.
    pub(super) fn tokens_with(&self, vocabulary: &Vocabulary, begin: &[u8], tail: &[u8]) -> u64 {
        let mut ends = Vec::new();
        let mut after = self.starts.partition_point(|start| start.known + AT_ONCE <= begin.len()).max(1);
        let mut back = 1;
        loop {
            let Start { at, known, tokens } = self.starts[after - 1];
            ends_into(vocabulary, &[&begin[at..], tail].concat(), &mut ends);
            if known == at || ends.first() == Some(&(known - at)) {
                return tokens + ends.len() as u64 - u64::from(known > at);
            }
            after = after.saturating_sub(back).max(1);
            back *= 2;
        }
    }
}
