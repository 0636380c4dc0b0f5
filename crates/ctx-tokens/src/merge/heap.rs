//! Merging of a piece of any length at once, in O(n log n).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::Vocabulary;

/// Two neighbouring parts, `from..to` together, that merge unless one of them has before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    merged: u32,
    from: usize,
    to: usize,
}

/// Adds the end of each token of `piece`.
pub(super) fn ends_into(vocabulary: &Vocabulary, piece: &[u8], ends: &mut Vec<usize>) {
    let len = piece.len();
    let mut ranks: Vec<u32> = piece.iter().map(|&byte| vocabulary.byte(byte)).collect();
    // The length of the part that begins at a place (0 inside a part) and of the one before it.
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
