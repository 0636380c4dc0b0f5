//! Byte-pair merging of a piece that is not a token of its own: of all adjacent parts whose
//! concatenation is a token the pair with the lowest rank becomes one, the leftmost of equals,
//! until no pair is left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::vocabulary::{NO_RANK, Vocabulary};

/// The longest piece in bytes that is merged at once.
const AT_ONCE: usize = 128;

/// The first window of a longer piece.
const FIRST_WINDOW: usize = 96;

/// Bytes at the end of a window whose tokens are not trusted.
const MARGIN: usize = 24;

/// The number of tokens of `text[start..end]`.
pub(super) fn count(vocabulary: &Vocabulary, text: &[u8], start: usize, end: usize) -> u64 {
    if end - start <= AT_ONCE {
        Short::merge(vocabulary, text, start, end).count as u64
    } else {
        long(vocabulary, text, start, end).len() as u64
    }
}

/// The end of each token of `text[start..end]`.
pub(super) fn ends(vocabulary: &Vocabulary, text: &[u8], start: usize, end: usize) -> Vec<usize> {
    if end - start <= AT_ONCE {
        Short::merge(vocabulary, text, start, end).ends().collect()
    } else {
        long(vocabulary, text, start, end)
    }
}

/// A piece of at most [`AT_ONCE`] bytes in parts.
///
/// A part is known by its first byte. A pair's key is its rank and its place, so that the least key
/// is the pair to merge.
struct Short {
    start: usize,
    end: usize,
    count: usize,
    lens: [u8; AT_ONCE],
}

impl Short {
    fn merge(vocabulary: &Vocabulary, text: &[u8], start: usize, end: usize) -> Self {
        let len = end - start;
        let mut keys = [u32::MAX; AT_ONCE];
        let mut lens = [1_u8; AT_ONCE];
        let mut before = [0_u8; AT_ONCE];
        let key = |from: usize, to: usize| {
            let rank = vocabulary.rank(text, start + from, start + to);
            if rank == NO_RANK { u32::MAX } else { rank << 8 | from as u32 }
        };
        for at in 0..len - 1 {
            keys[at] = key(at, at + 2);
            before[at + 1] = at as u8;
        }
        let mut count = len;
        loop {
            let least = keys[..len - 1].iter().copied().fold(u32::MAX, u32::min);
            if least == u32::MAX {
                return Self { start, end, count, lens };
            }
            let at = (least & 0xff) as usize;
            let merged = at + usize::from(lens[at]);
            let next = merged + usize::from(lens[merged]);
            lens[at] = (next - at) as u8;
            keys[merged] = u32::MAX;
            keys[at] = u32::MAX;
            if next < len {
                before[next] = at as u8;
                keys[at] = key(at, next + usize::from(lens[next]));
            }
            if at > 0 {
                let previous = usize::from(before[at]);
                keys[previous] = key(previous, next);
            }
            count -= 1;
        }
    }

    fn ends(&self) -> impl Iterator<Item = usize> {
        let mut at = self.start;
        std::iter::from_fn(move || {
            (at < self.end).then(|| {
                at += usize::from(self.lens[at - self.start]);
                at
            })
        })
    }
}

/// How far a long piece is merged: a window begins at `at`, with the token that ends at `known`
/// (at `at` where no token is known), the last of the first `tokens`.
#[derive(Debug, Clone, Copy)]
struct Reached {
    at: usize,
    known: usize,
    tokens: usize,
    /// The size of the window that begins here.
    size: usize,
}

/// Merges a long piece window by window.
///
/// A sequence of tokens is the merge of its bytes exactly if each two neighbours are the merge of
/// theirs. So a window begins with the last trusted token of the window before: if it yields that
/// token again, the two join to one merge; if not, the window before is merged again at twice the
/// size, and in the end the whole piece at once.
fn long(vocabulary: &Vocabulary, text: &[u8], start: usize, end: usize) -> Vec<usize> {
    let origin = Reached { at: start, known: start, tokens: 0, size: FIRST_WINDOW };
    let mut now = origin;
    let mut previous: Option<Reached> = None;
    let mut ends = Vec::new();
    loop {
        if let Some(before) = previous
            && repeats(text, before, now, end)
        {
            let step = now.at - before.at;
            for index in before.tokens..now.tokens {
                ends.push(ends[index] + step);
            }
            previous = Some(Reached { size: before.size, ..now });
            now.at += step;
            now.known += step;
            now.tokens = ends.len();
            continue;
        }
        let stop = end.min(now.at + now.size);
        let window = merge(vocabulary, text, now.at, stop);
        if now.known > now.at && window[0] != now.known {
            now = match previous.take() {
                Some(before) => Reached { size: before.size * 2, ..before },
                None => Reached { size: end - start, ..origin },
            };
            ends.truncate(now.tokens);
            continue;
        }
        let fresh = usize::from(now.known > now.at);
        if stop == end {
            ends.extend(&window[fresh..]);
            return ends;
        }
        let trusted = window.iter().take_while(|&&token| token + MARGIN <= stop).count();
        if trusted < 2 {
            now.size *= 2;
            continue;
        }
        ends.extend(&window[fresh..trusted]);
        previous = Some(now);
        let (at, known) = (window[trusted - 2], window[trusted - 1]);
        let size = FIRST_WINDOW.max(2 * (known - at) + MARGIN);
        now = Reached { at, known, tokens: ends.len(), size };
    }
}

/// Whether the window at `now` has the bytes of the one `before`, and so its tokens.
fn repeats(text: &[u8], before: Reached, now: Reached, end: usize) -> bool {
    before.known > before.at
        && now.known - now.at == before.known - before.at
        && now.at + before.size < end
        && text[before.at..before.at + before.size] == text[now.at..now.at + before.size]
}

fn merge(vocabulary: &Vocabulary, text: &[u8], start: usize, end: usize) -> Vec<usize> {
    if end - start <= AT_ONCE {
        Short::merge(vocabulary, text, start, end).ends().collect()
    } else {
        at_length(vocabulary, text, start, end)
    }
}

/// Merges a piece of any length at once, in O(n log n).
fn at_length(vocabulary: &Vocabulary, text: &[u8], start: usize, end: usize) -> Vec<usize> {
    let len = end - start;
    // The length of the part that begins at a place (0 inside a part) and of the one before it.
    let mut lens = vec![1_usize; len];
    let mut lens_before = vec![1_usize; len];
    let pair = |from: usize, to: usize| {
        let rank = vocabulary.rank(text, start + from, start + to);
        (rank != NO_RANK).then_some(Pair { rank, from, to })
    };
    let mut pairs: BinaryHeap<Reverse<Pair>> =
        (0..len - 1).filter_map(|at| pair(at, at + 2)).map(Reverse).collect();
    while let Some(Reverse(Pair { from, to, .. })) = pairs.pop() {
        let merged = from + lens[from];
        let stale = lens[from] == 0 || merged >= to || merged + lens[merged] != to;
        if stale {
            continue;
        }
        lens[from] = to - from;
        lens[merged] = 0;
        if to < len {
            lens_before[to] = to - from;
            pairs.extend(pair(from, to + lens[to]).map(Reverse));
        }
        if from > 0 {
            pairs.extend(pair(from - lens_before[from], to).map(Reverse));
        }
    }
    let mut ends = Vec::new();
    let mut at = 0;
    while at < len {
        at += lens[at];
        ends.push(start + at);
    }
    ends
}

/// Two neighbouring parts, `from..to` together, that may become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    rank: u32,
    from: usize,
    to: usize,
}
