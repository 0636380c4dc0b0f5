//! The layout of the embedded tables, shared by the program, which reads them in place, and by the
//! generator (`examples/make_token_tables`), which writes them.
//!
//! A vocabulary consists of four perfect hash tables. Three contain the tokens by length: a **short** one (1
//! to 7 bytes) is its own key in a `u64`, a **middle** one (8 to 15) is its own key in a `u128`, and a
//! **long** one is in a string that all long tokens share. The fourth contains the **pairs** of tokens that
//! merge: each token of more than two bytes has only one, the last two parts of its own merge. The hash of a
//! key selects a bucket, and the bucket's pilot sends each of its keys to a separate slot. A slot contains
//! the key, so a lookup is one comparison and never wrong. Most of the pairs that are looked up don't merge.
//! A filter with one bit per hash is small enough to stay in the cache, and often makes it unnecessary to
//! look at the table.
//!
//! The file contains eleven `u32` (see [`Header`]); the ranks of the 256 bytes (3 bytes each); the row of each
//! byte (see [`ByteRow`]) and the ranks in all rows ([`NO_RANK`] for none); the pilots (`u16`) of the short,
//! middle and long tokens and the pairs; their slots in the same order; the filter for the pairs; and the
//! string with the long tokens. A separate file contains the ranks of the tokens in the short, middle and long
//! slots, 3 bytes each, in that order, so that programs that only count don't link it.
//!
//! All numbers are little-endian.

/// The longest token of the short table in bytes.
pub const SHORT_MAX: usize = 7;
/// The longest token of the middle table in bytes.
pub const MIDDLE_MAX: usize = 15;
/// The size of the [`Header`] in bytes.
pub const HEADER_BYTES: usize = 44;
/// The rank of two bytes that aren't a token.
pub const NO_RANK: u32 = 0xff_ffff;

/// The size of a [`ByteRow`] in bytes.
pub const ROW_BYTES: usize = 4;
/// The size of a slot of the pairs in bytes.
pub const PAIR_BYTES: usize = 7;

/// The size of the filter for pairs in bytes.
pub const FILTER_BYTES: usize = 1 << (FILTER_BITS_LOG2 - 3);

const FILTER_BITS_LOG2: u32 = 20;

/// The number of bits for each rank in a pair.
const RANK_BITS: u32 = 18;
const PAIR_BITS: u32 = 2 * RANK_BITS;
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
const MIX_LOW: u64 = 0xa076_1d64_78bd_642f;
const MIX_HIGH: u64 = 0xe703_7ed1_a0b4_28db;

/// How many entries each part of a vocabulary's file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The table of tokens of 1 to 7 bytes.
    pub short: Shape,
    /// The table of tokens of 8 to 15 bytes.
    pub middle: Shape,
    /// The table of tokens of 16 bytes or more.
    pub long: Shape,
    /// The table of pairs.
    pub pairs: Shape,
    /// The number of ranks in the rows of the bytes.
    pub byte_pairs: u32,
    /// The length in bytes of the string with the long tokens.
    pub text: u32,
    /// The length in bytes of the longest token.
    pub longest: u32,
}

/// The size of one perfect hash table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The number of pilots.
    pub buckets: u32,
    /// The number of keys.
    pub slots: u32,
}

impl Shape {
    /// The bucket of a hash.
    #[inline]
    pub const fn bucket(self, hash: u64) -> usize {
        (((hash >> 32) * self.buckets as u64) >> 32) as usize
    }

    /// The slot of a hash whose bucket has this pilot.
    #[inline]
    pub const fn slot(self, hash: u64, pilot: u16) -> usize {
        let mixed = (hash ^ (pilot as u64).wrapping_mul(MIX_LOW)).wrapping_mul(MIX);
        (((mixed >> 32) * self.slots as u64) >> 32) as usize
    }
}

/// The key of a short token: its bytes, and its length in the last byte, so that it is unambiguous.
#[inline]
pub const fn short_key(padded: u64, len: usize) -> u64 {
    (padded & (u64::MAX >> (64 - 8 * len))) | (len as u64) << 56
}

/// The key of a token in the middle table, built in the same way.
#[inline]
pub const fn middle_key(padded: u128, len: usize) -> u128 {
    (padded & (u128::MAX >> (128 - 8 * len))) | (len as u128) << 120
}

/// The bytes that follow a byte in a token of two bytes: from the first to the last, each has a rank.
#[derive(Debug, Clone, Copy)]
pub struct ByteRow {
    /// Where the row's ranks start among those of all rows.
    pub start: u16,
    /// The first byte that follows.
    pub first: u8,
    /// The last byte that follows; before the first if there is none.
    pub last: u8,
}

impl ByteRow {
    /// A row as the file has it.
    #[allow(dead_code, reason = "only the generator writes")]
    pub const fn written(self) -> [u8; ROW_BYTES] {
        let [low, high] = self.start.to_le_bytes();
        [low, high, self.first, self.last]
    }

    /// A row of the file.
    #[inline]
    #[allow(dead_code, reason = "only the program reads")]
    pub const fn read([low, high, first, last]: [u8; ROW_BYTES]) -> Self {
        Self { start: u16::from_le_bytes([low, high]), first, last }
    }

    /// Where the rank is of this row's byte and the byte that follows, if the row goes that far.
    #[inline]
    #[allow(dead_code, reason = "only the program reads")]
    pub const fn index(self, following: u8) -> Option<usize> {
        if self.first <= following && following <= self.last {
            Some(self.start as usize + (following - self.first) as usize)
        } else {
            None
        }
    }
}

/// The slot of the pair that merges into the token of this rank, or an empty slot if there is none.
#[allow(dead_code, reason = "only the generator writes")]
pub const fn pair_slot(pair: Option<u64>, merged: u32) -> [u8; PAIR_BYTES] {
    let slot = match pair {
        Some(key) => key | (merged as u64) << PAIR_BITS,
        None => u64::MAX,
    };
    let [a, b, c, d, e, f, g, _] = slot.to_le_bytes();
    [a, b, c, d, e, f, g]
}

/// The key of a pair of tokens, given by their ranks.
#[inline]
pub const fn pair_key(left: u32, right: u32) -> u64 {
    left as u64 | (right as u64) << RANK_BITS
}

/// The rank in a slot, if the slot has this key.
#[inline]
#[allow(dead_code, reason = "only the program reads")]
pub const fn pair_merged([a, b, c, d, e, f, g]: [u8; PAIR_BYTES], key: u64) -> Option<u32> {
    let slot = u64::from_le_bytes([a, b, c, d, e, f, g, 0]);
    if slot & ((1 << PAIR_BITS) - 1) == key { Some((slot >> PAIR_BITS) as u32) } else { None }
}

/// Whether the filter may contain a pair with this hash.
#[inline]
#[allow(dead_code, reason = "only the program reads")]
pub const fn filter_has(filter: &[u8; FILTER_BYTES], hash: u64) -> bool {
    let bit = hash >> (64 - FILTER_BITS_LOG2);
    filter[(bit >> 3) as usize] & 1 << (bit & 7) != 0
}

/// Sets the filter's bit for a pair with this hash.
#[allow(dead_code, reason = "only the generator writes")]
pub const fn add_to_filter(filter: &mut [u8; FILTER_BYTES], hash: u64) {
    let bit = hash >> (64 - FILTER_BITS_LOG2);
    filter[(bit >> 3) as usize] |= 1 << (bit & 7);
}

/// The hash of a key of the short table or of the pairs.
#[inline]
pub const fn short_hash(key: u64) -> u64 {
    fold(key, MIX)
}

/// The hash of a key of the middle table.
#[inline]
pub const fn middle_hash(key: u128) -> u64 {
    fold(key as u64 ^ MIX_LOW, (key >> 64) as u64 ^ MIX_HIGH)
}

/// The hash of a long token.
pub fn long_hash(token: &[u8]) -> u64 {
    let (words, rest) = token.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let hash = words
        .iter()
        .fold(token.len() as u64, |hash, &word| fold(hash ^ u64::from_le_bytes(word) ^ MIX_LOW, MIX_HIGH));
    fold(hash ^ u64::from_le_bytes(last), MIX)
}

#[inline]
const fn fold(a: u64, b: u64) -> u64 {
    let product = (a as u128) * (b as u128);
    (product as u64) ^ ((product >> 64) as u64)
}
