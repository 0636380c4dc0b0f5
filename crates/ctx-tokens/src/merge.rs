//! Byte-pair merging of a piece that is not a token of its own: of all neighbouring parts that
//! merge to a token those with the token of the lowest rank do, the leftmost of equals, until none
//! are left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::vocabulary::Vocabulary;

/// The longest piece in bytes that is merged in the least room.
const FEW: usize = 32;

/// The longest piece in bytes that is merged at once.
const AT_ONCE: usize = 64;

/// The first window of a longer piece.
const FIRST_WINDOW: usize = 64;

/// Bytes at the end of a window whose tokens are not trusted.
const MARGIN: usize = 10;

/// The number of tokens of a piece.
pub(super) fn count(vocabulary: &Vocabulary, piece: &[u8]) -> u64 {
    if piece.len() <= FEW {
        Short::<FEW>::merge(vocabulary, piece).count as u64
    } else if piece.len() <= AT_ONCE {
        Short::<AT_ONCE>::merge(vocabulary, piece).count as u64
    } else {
        long(vocabulary, piece).len() as u64
    }
}

/// The end of each token of a piece.
pub(super) fn ends(vocabulary: &Vocabulary, piece: &[u8]) -> Vec<usize> {
    if piece.len() <= AT_ONCE {
        Short::<AT_ONCE>::merge(vocabulary, piece).ends().collect()
    } else {
        long(vocabulary, piece)
    }
}

/// A piece of at most `MOST` bytes in parts, each known by the place of its first byte.
struct Short<const MOST: usize> {
    len: usize,
    count: usize,
    lens: [u8; MOST],
}

/// The key of a part that does not merge with the next.
const NO_KEY: i32 = i32::MAX;

impl<const MOST: usize> Short<MOST> {
    fn merge(vocabulary: &Vocabulary, piece: &[u8]) -> Self {
        let len = piece.len();
        let mut ranks = [0; MOST];
        let mut lens = [1_u8; MOST];
        let mut before = [0_u8; MOST];
        // The rank of what a part and the next merge to, and the place: the least key is next.
        let mut keys = [NO_KEY; MOST];
        let key =
            |at: usize, merged: Option<u32>| merged.map_or(NO_KEY, |merged| (merged << 8) as i32 | at as i32);
        for (at, &byte) in piece.iter().enumerate() {
            ranks[at] = vocabulary.byte(byte);
        }
        for (at, pair) in piece.windows(2).enumerate() {
            keys[at] = key(at, vocabulary.byte_pair([pair[0], pair[1]]));
            before[at + 1] = at as u8;
        }
        let mut count = len;
        loop {
            let least = keys.iter().copied().fold(NO_KEY, i32::min);
            if least == NO_KEY {
                return Self { len, count, lens };
            }
            let at = (least & 0xff) as usize;
            let right = at + usize::from(lens[at]);
            let next = right + usize::from(lens[right]);
            ranks[at] = (least >> 8) as u32;
            lens[at] = (next - at) as u8;
            keys[right] = NO_KEY;
            keys[at] = NO_KEY;
            if next < len {
                before[next] = at as u8;
                keys[at] = key(at, vocabulary.pair(ranks[at], ranks[next]));
            }
            if at > 0 {
                let previous = usize::from(before[at]);
                keys[previous] = key(previous, vocabulary.pair(ranks[previous], ranks[at]));
            }
            count -= 1;
        }
    }

    fn ends(&self) -> impl Iterator<Item = usize> {
        let mut at = 0;
        std::iter::from_fn(move || {
            (at < self.len).then(|| {
                at += usize::from(self.lens[at]);
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
fn long(vocabulary: &Vocabulary, piece: &[u8]) -> Vec<usize> {
    let origin = Reached { at: 0, known: 0, tokens: 0, size: FIRST_WINDOW };
    let mut now = origin;
    let mut previous: Option<Reached> = None;
    let mut ends = Vec::new();
    loop {
        if let Some(before) = previous
            && repeats(piece, before, now)
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
        let stop = piece.len().min(now.at + now.size);
        let mut window = merge(vocabulary, &piece[now.at..stop]);
        window.iter_mut().for_each(|end| *end += now.at);
        if now.known > now.at && window[0] != now.known {
            now = match previous.take() {
                Some(before) => Reached { size: before.size * 2, ..before },
                None => Reached { size: piece.len(), ..origin },
            };
            ends.truncate(now.tokens);
            continue;
        }
        let fresh = usize::from(now.known > now.at);
        if stop == piece.len() {
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
fn repeats(piece: &[u8], before: Reached, now: Reached) -> bool {
    before.known > before.at
        && now.known - now.at == before.known - before.at
        && now.at + before.size < piece.len()
        && piece[before.at..before.at + before.size] == piece[now.at..now.at + before.size]
}

fn merge(vocabulary: &Vocabulary, piece: &[u8]) -> Vec<usize> {
    if piece.len() <= AT_ONCE {
        Short::<AT_ONCE>::merge(vocabulary, piece).ends().collect()
    } else {
        at_length(vocabulary, piece)
    }
}

/// Merges a piece of any length at once, in O(n log n).
fn at_length(vocabulary: &Vocabulary, piece: &[u8]) -> Vec<usize> {
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
    let mut ends = Vec::new();
    let mut at = 0;
    while at < len {
        at += lens[at];
        ends.push(at);
    }
    ends
}

/// Two neighbouring parts, `from..to` together, that merge unless one of them has before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    merged: u32,
    from: usize,
    to: usize,
}
