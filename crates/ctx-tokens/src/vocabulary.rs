//! The vocabularies: embedded perfect hash tables, read in place (see [`super::layout`]).

use super::layout::{
    ByteRow, FILTER_BYTES, HEADER_BYTES, Header, MIDDLE_MAX, NO_RANK, PAIR_BYTES, ROW_BYTES, SHORT_MAX,
    Shape, filter_has, long_hash, middle_hash, middle_key, pair_key, pair_merged, short_hash, short_key,
};
use super::pattern::Piece;

/// The number of bytes that may be read from the start of a token without checking its length.
pub(super) const WINDOW: usize = 16;

/// The tokens of one encoding, and the pairs that merge.
pub(super) struct Vocabulary {
    bytes: &'static [[u8; 3]; 1 << 8],
    byte_rows: &'static [[u8; ROW_BYTES]; 1 << 8],
    byte_pairs: &'static [[u8; 3]],
    short: Table<8>,
    middle: Table<16>,
    long: Table<LONG_ENTRY>,
    pairs: Table<PAIR_BYTES>,
    filter: &'static [u8; FILTER_BYTES],
    text: &'static [u8],
    longest: usize,
}

/// A token that doesn't stand for text but marks, for example, the end of a document; from tiktoken's
/// `openai_public.py`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Special {
    /// Its written form.
    pub(super) text: &'static str,
    /// The number that a model gets.
    pub(super) number: u32,
}

/// The size in bytes of an entry of the long table: an offset in the string of long tokens, and a length.
const LONG_ENTRY: usize = 5;

struct Table<const SLOT: usize> {
    shape: Shape,
    pilots: &'static [[u8; 2]],
    slots: &'static [[u8; SLOT]],
}

impl<const SLOT: usize> Table<SLOT> {
    #[inline]
    fn slot(&self, hash: u64) -> [u8; SLOT] {
        self.slots[self.index(hash)]
    }

    #[inline]
    fn index(&self, hash: u64) -> usize {
        let pilot = u16::from_le_bytes(self.pilots[self.shape.bucket(hash)]);
        self.shape.slot(hash, pilot)
    }
}

impl Vocabulary {
    /// The length in bytes of the longest token.
    #[inline]
    pub(super) const fn longest(&self) -> usize {
        self.longest
    }

    /// Whether a piece is a token.
    #[inline]
    pub(super) fn contains(&self, text: &[u8], piece: Piece) -> bool {
        let len = piece.len();
        if len <= SHORT_MAX {
            let key = short_key(window(text, piece.start) as u64, len);
            u64::from_le_bytes(self.short.slot(short_hash(key))) == key
        } else if len <= MIDDLE_MAX {
            let key = middle_key(window(text, piece.start), len);
            u128::from_le_bytes(self.middle.slot(middle_hash(key))) == key
        } else {
            self.contains_long(piece.of(text))
        }
    }

    /// The rank of a byte as a token.
    #[inline]
    pub(super) fn byte(&self, byte: u8) -> u32 {
        rank(self.bytes[usize::from(byte)])
    }

    /// The rank of two bytes as a token.
    #[inline]
    pub(super) fn byte_pair(&self, [left, right]: [u8; 2]) -> Option<u32> {
        let row = ByteRow::read(self.byte_rows[usize::from(left)]);
        let rank = rank(self.byte_pairs[row.index(right)?]);
        (rank != NO_RANK).then_some(rank)
    }

    /// The rank of the token to which two neighbours merge, if they are more than two bytes together.
    #[inline]
    pub(super) fn pair(&self, left: u32, right: u32) -> Option<u32> {
        let key = pair_key(left, right);
        let hash = short_hash(key);
        if !filter_has(self.filter, hash) {
            return None;
        }
        pair_merged(self.pairs.slot(hash), key)
    }

    fn contains_long(&self, token: &[u8]) -> bool {
        token.len() <= self.longest && self.long_token(self.long.slot(long_hash(token))) == token
    }

    fn long_token(&self, slot: [u8; LONG_ENTRY]) -> &'static [u8] {
        let [a, b, c, d, len] = slot;
        let offset = u32::from_le_bytes([a, b, c, d]) as usize;
        &self.text[offset..offset + usize::from(len)]
    }

    /// The rank of a piece, if it is a token.
    #[inline]
    pub(super) fn rank(&self, ranks: &[[u8; 3]], text: &[u8], piece: Piece) -> Option<u32> {
        let len = piece.len();
        let (is_there, index) = if len <= SHORT_MAX {
            let key = short_key(window(text, piece.start) as u64, len);
            let index = self.short.index(short_hash(key));
            (u64::from_le_bytes(self.short.slots[index]) == key, index)
        } else if len <= MIDDLE_MAX {
            let key = middle_key(window(text, piece.start), len);
            let index = self.middle.index(middle_hash(key));
            (u128::from_le_bytes(self.middle.slots[index]) == key, self.short.slots.len() + index)
        } else if len <= self.longest {
            let token = piece.of(text);
            let index = self.long.index(long_hash(token));
            let before = self.short.slots.len() + self.middle.slots.len();
            (self.long_token(self.long.slots[index]) == token, before + index)
        } else {
            return None;
        };
        is_there.then(|| rank(ranks[index]))
    }

    /// Adds the bytes of the token in a slot, counted over all three tables.
    pub(super) fn extend_with(&self, slot: usize, bytes: &mut Vec<u8>) {
        if let Some(&key) = self.short.slots.get(slot) {
            bytes.extend_from_slice(&key[..usize::from(key[SHORT_MAX])]);
            return;
        }
        let slot = slot - self.short.slots.len();
        if let Some(&key) = self.middle.slots.get(slot) {
            bytes.extend_from_slice(&key[..usize::from(key[MIDDLE_MAX])]);
            return;
        }
        bytes.extend_from_slice(self.long_token(self.long.slots[slot - self.middle.slots.len()]));
    }

    /// Reads the file of a vocabulary.
    pub(super) const fn parse(file: &'static [u8]) -> Self {
        let header = header(file);
        let rest = file.split_at(HEADER_BYTES).1;
        let (bytes, rest) = split::<3>(rest, 1 << 8);
        let (byte_rows, rest) = split::<ROW_BYTES>(rest, 1 << 8);
        let (byte_pairs, rest) = split::<3>(rest, header.byte_pairs);
        let (short_pilots, rest) = split::<2>(rest, header.short.buckets);
        let (middle_pilots, rest) = split::<2>(rest, header.middle.buckets);
        let (long_pilots, rest) = split::<2>(rest, header.long.buckets);
        let (pair_pilots, rest) = split::<2>(rest, header.pairs.buckets);
        let (short_slots, rest) = split::<8>(rest, header.short.slots);
        let (middle_slots, rest) = split::<16>(rest, header.middle.slots);
        let (long_slots, rest) = split::<LONG_ENTRY>(rest, header.long.slots);
        let (pair_slots, rest) = split::<PAIR_BYTES>(rest, header.pairs.slots);
        let (filter, text) = split::<FILTER_BYTES>(rest, 1);
        assert!(text.len() == header.text as usize);
        Self {
            bytes: of_each_byte(bytes),
            byte_rows: of_each_byte(byte_rows),
            byte_pairs,
            short: Table { shape: header.short, pilots: short_pilots, slots: short_slots },
            middle: Table { shape: header.middle, pilots: middle_pilots, slots: middle_slots },
            long: Table { shape: header.long, pilots: long_pilots, slots: long_slots },
            pairs: Table { shape: header.pairs, pilots: pair_pilots, slots: pair_slots },
            filter: &filter[0],
            text,
            longest: header.longest as usize,
        }
    }
}

/// Used instead of a slot: no token has this number.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The slot of each token, by number, from a column of ranks. The first call that decodes computes it, in about a
/// millisecond.
pub(super) fn places(ranks: &[[u8; 3]]) -> Vec<u32> {
    let mut places = vec![NOWHERE; ranks.len()];
    for (slot, &token) in (0..).zip(ranks) {
        if let Some(place) = places.get_mut(rank(token) as usize) {
            *place = slot;
        }
    }
    places
}

/// Up to [`WINDOW`] bytes from `start`, padded with zeros.
#[inline]
pub(super) fn window(text: &[u8], start: usize) -> u128 {
    match text[start..].first_chunk::<WINDOW>() {
        Some(&bytes) => u128::from_le_bytes(bytes),
        None => last_window(&text[start..]),
    }
}

#[cold]
fn last_window(rest: &[u8]) -> u128 {
    let mut bytes = [0; WINDOW];
    bytes[..rest.len()].copy_from_slice(rest);
    u128::from_le_bytes(bytes)
}

/// The number in a column of ranks.
#[inline]
const fn rank(bytes: [u8; 3]) -> u32 {
    let [a, b, c] = bytes;
    u32::from_le_bytes([a, b, c, 0])
}

const fn of_each_byte<const N: usize>(table: &'static [[u8; N]]) -> &'static [[u8; N]; 1 << 8] {
    match table.first_chunk() {
        Some(table) => table,
        None => panic!("a table is too short"),
    }
}

const fn split<const N: usize>(bytes: &'static [u8], count: u32) -> (&'static [[u8; N]], &'static [u8]) {
    let (table, rest) = bytes.split_at(count as usize * N);
    (table.as_chunks::<N>().0, rest)
}

const fn header(file: &'static [u8]) -> Header {
    let (words, _) = split::<4>(file, (HEADER_BYTES / 4) as u32);
    Header {
        short: Shape { buckets: word(words, 0), slots: word(words, 1) },
        middle: Shape { buckets: word(words, 2), slots: word(words, 3) },
        long: Shape { buckets: word(words, 4), slots: word(words, 5) },
        pairs: Shape { buckets: word(words, 6), slots: word(words, 7) },
        byte_pairs: word(words, 8),
        text: word(words, 9),
        longest: word(words, 10),
    }
}

const fn word(words: &[[u8; 4]], index: usize) -> u32 {
    u32::from_le_bytes(words[index])
}
