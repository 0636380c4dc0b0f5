//! The layout of the embedded tables, shared by the program, which reads them in place, and by the
//! generator (`examples/make_token_tables`), which writes them.
//!
//! A vocabulary is three perfect hash tables, by the length of a token: a **short** one (1 to 7
//! bytes) is its own key in a `u64`, a **middle** one (8 to 15) in a `u128`, a **long** one lies in
//! a common text. The hash of a key names a bucket, the bucket's pilot sends each of its keys to a
//! slot of its own; a slot holds the key, so that a lookup is one comparison and never wrong.
//!
//! The file: eight `u32` (see [`Header`]), then the pilots (`u16`) of the three tables, then the
//! keys and the ranks of the short, of the middle, the entries of the long, the text of the long.
//! All numbers are little-endian.

/// The longest token of the short table in bytes.
pub const SHORT_MAX: usize = 7;
/// The longest token of the middle table in bytes.
pub const MIDDLE_MAX: usize = 15;
/// Bytes of a rank.
pub const RANK_BYTES: usize = 3;
/// Bytes of the [`Header`].
pub const HEADER_BYTES: usize = 32;

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
    /// The table of tokens from 16 bytes.
    pub long: Shape,
    /// Bytes of the text of the long tokens.
    pub text: u32,
    /// Bytes of the longest token.
    pub longest: u32,
}

/// The size of one perfect hash table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Pilots.
    pub buckets: u32,
    /// Keys.
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

/// The key of a token of the middle table, likewise.
#[inline]
pub const fn middle_key(padded: u128, len: usize) -> u128 {
    (padded & (u128::MAX >> (128 - 8 * len))) | (len as u128) << 120
}

/// The hash of a key of the short table.
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
