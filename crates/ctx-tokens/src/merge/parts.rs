//! Merges a piece, or part of one, in one go, and finds where its tokens end.
//!
//! Up to 4,096 bytes, a tree over the positions of the bytes has the smallest pair at its root. Anything
//! longer is merged with a heap, in O(n log n).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::Vocabulary;

/// The longest piece in bytes that is merged in one go.
pub(super) const AT_ONCE: usize = 64;

/// Replaces `ends` with the end of each token in part of a piece that is merged in one go.
pub(super) fn ends_into(vocabulary: &Vocabulary, part: &[u8], ends: &mut Vec<usize>) {
    ends.clear();
    match part.len() {
        0..=64 => ends.extend(of_64(vocabulary, part).ends()),
        65..=512 => ends.extend(of_512(vocabulary, part).ends()),
        513..=4096 => ends.extend(of_4096(vocabulary, part).ends()),
        _ => ends_by_heap(vocabulary, part, ends),
    }
}

/// A piece of at most `MOST` bytes in parts, each identified by the position of its first byte.
pub(super) struct Parts<const MOST: usize> {
    len: usize,
    count: usize,
    /// The length of the part that begins at a position.
    lens: [u16; MOST],
}

/// The key of a part that does not merge with the next.
const NO_KEY: u32 = u32::MAX;

/// The number of bits for the position in a key.
const PLACE_BITS: u32 = 12;

/// The number of children of a node.
const ARITY: usize = 8;

/// For each position, the rank of the token that its part and the next one merge to, and the position itself.
/// The smallest key merges next.
struct Keys<const MOST: usize, const INNER: usize> {
    keys: [u32; MOST],
    /// The smallest keys of eight positions each, then of eight of these each, and so on up to the children
    /// of the root.
    inner: [u32; INNER],
}

impl<const MOST: usize, const INNER: usize> Keys<MOST, INNER> {
    #[inline]
    fn set(&mut self, place: usize, merged: Option<u32>) {
        self.keys[place] = merged.map_or(NO_KEY, |merged| merged << PLACE_BITS | place as u32);
    }

    /// Whether the part at a position merges with the next to the token of this rank.
    #[inline]
    fn has(&self, place: usize, rank: u32) -> bool {
        self.keys[place] >> PLACE_BITS == rank
    }

    /// Updates the smallest keys after the keys from position `first` to `last` were set.
    #[inline]
    fn refresh(&mut self, first: usize, last: usize) {
        let (mut first, mut last) = (first / ARITY, last / ARITY);
        for (node, least) in (first..).zip(&mut self.inner[first..=last]) {
            *least = least_of(&self.keys, node);
        }
        let (mut level, mut nodes) = (0, MOST / ARITY);
        while nodes > ARITY {
            (first, last) = (first / ARITY, last / ARITY);
            let (below, above) = self.inner[level..].split_at_mut(nodes);
            for (node, least) in (first..).zip(&mut above[first..=last]) {
                *least = least_of(below, node);
            }
            level += nodes;
            nodes /= ARITY;
        }
    }

    #[inline]
    fn least(&self) -> u32 {
        least_of(&self.inner[INNER - ARITY..], 0)
    }
}

/// The smallest of a node's children.
#[inline]
fn least_of(keys: &[u32], node: usize) -> u32 {
    let Some(&[a, b, c, d, e, f, g, h]) = keys[node * ARITY..].first_chunk::<ARITY>() else {
        return NO_KEY;
    };
    (a.min(b).min(c.min(d))).min(e.min(f).min(g.min(h)))
}

/// The parts of a piece of at most 64 bytes.
pub(super) fn of_64(vocabulary: &Vocabulary, piece: &[u8]) -> Parts<64> {
    Parts::merge::<8>(vocabulary, piece)
}

/// The parts of a piece of at most 512 bytes.
fn of_512(vocabulary: &Vocabulary, piece: &[u8]) -> Parts<512> {
    Parts::merge::<{ 64 + 8 }>(vocabulary, piece)
}

/// The parts of a piece of at most 4096 bytes.
fn of_4096(vocabulary: &Vocabulary, piece: &[u8]) -> Parts<4096> {
    Parts::merge::<{ 512 + 64 + 8 }>(vocabulary, piece)
}

impl<const MOST: usize> Parts<MOST> {
    fn merge<const INNER: usize>(vocabulary: &Vocabulary, piece: &[u8]) -> Self {
        let len = piece.len();
        let mut lens = [1_u16; MOST];
        let mut before = [0_u16; MOST];
        let mut ranks = [0_u32; MOST];
        let mut keys = Keys { keys: [NO_KEY; MOST], inner: [NO_KEY; INNER] };
        for (rank, &byte) in ranks.iter_mut().zip(piece) {
            *rank = vocabulary.byte(byte);
        }
        for (at, pair) in piece.windows(2).enumerate() {
            keys.set(at, vocabulary.byte_pair([pair[0], pair[1]]));
            before[at + 1] = at as u16;
        }
        keys.refresh(0, len.saturating_sub(1));
        let mut count = len;
        loop {
            let key = keys.least();
            if key == NO_KEY {
                return Self { len, count, lens };
            }
            let rank = key >> PLACE_BITS;
            let mut at = (key & ((1 << PLACE_BITS) - 1)) as usize;
            let first = usize::from(before[at]);
            // A run of pairs that merge to the same token is merged in one go.
            let last = loop {
                let right = at + usize::from(lens[at]);
                let next = right + usize::from(lens[right]);
                ranks[at] = rank;
                lens[at] = (next - at) as u16;
                keys.set(right, None);
                count -= 1;
                if at > 0 {
                    let previous = usize::from(before[at]);
                    keys.set(previous, vocabulary.pair(ranks[previous], rank));
                }
                if next == len {
                    keys.set(at, None);
                    break right;
                }
                before[next] = at as u16;
                if !keys.has(next, rank) {
                    keys.set(at, vocabulary.pair(rank, ranks[next]));
                    break right;
                }
                at = next;
            };
            keys.refresh(first, last);
        }
    }

    /// The number of parts.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Where each part ends.
    pub(super) fn ends(&self) -> impl Iterator<Item = usize> {
        let mut at = 0;
        std::iter::from_fn(move || {
            (at < self.len).then(|| {
                at += usize::from(self.lens[at]);
                at
            })
        })
    }
}

/// Two neighbouring parts, together `from..to`, that merge unless one has merged before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    merged: u32,
    from: usize,
    to: usize,
}

/// Adds the end of each token of `piece`.
fn ends_by_heap(vocabulary: &Vocabulary, piece: &[u8], ends: &mut Vec<usize>) {
    let len = piece.len();
    let mut ranks: Vec<u32> = piece.iter().map(|&byte| vocabulary.byte(byte)).collect();
    // The length of the part that begins at a position (0 inside a part) and of the one before it.
    let mut lens = vec![1_usize; len];
    let mut lens_before = vec![1_usize; len];
    let pair = |ranks: &[u32], from: usize, right: usize, to: usize| {
        let merged = vocabulary.pair(ranks[from], ranks[right])?;
        Some(Reverse(Pair { merged, from, to }))
    };
    let mut pairs: BinaryHeap<Reverse<Pair>> = (0..len - 1)
        .filter_map(|from| {
            let merged = vocabulary.byte_pair([piece[from], piece[from + 1]])?;
            Some(Reverse(Pair { merged, from, to: from + 2 }))
        })
        .collect();
    while let Some(Reverse(Pair { merged, from, to })) = pairs.pop() {
        let right = from + lens[from];
        let stale = lens[from] == 0 || right >= to || right + lens[right] != to;
        if stale {
            continue;
        }
        ranks[from] = merged;
        lens[from] = to - from;
        lens[right] = 0;
        if to < len {
            lens_before[to] = to - from;
            pairs.extend(pair(&ranks, from, to, to + lens[to]));
        }
        if from > 0 {
            pairs.extend(pair(&ranks, from - lens_before[from], from, to));
        }
    }
    let mut at = 0;
    while at < len {
        at += lens[at];
        ends.push(at);
    }
}
