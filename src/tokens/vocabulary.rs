//! The vocabularies: embedded perfect hash tables, read in place (see [`super::layout`]).

use super::layout::{
    HEADER_BYTES, Header, MIDDLE_MAX, RANK_BYTES, SHORT_MAX, Shape, long_hash, middle_hash, middle_key,
    short_hash, short_key,
};

/// Bytes that may be read from the start of a token without a look at its length.
pub(super) const WINDOW: usize = 16;

/// The rank of a sequence of bytes that is no token.
pub(super) const NO_RANK: u32 = u32::MAX;

/// The tokens of one encoding and their ranks.
pub(super) struct Vocabulary {
    short: Table<8>,
    middle: Table<16>,
    long: Table<LONG_ENTRY>,
    text: &'static [u8],
    longest: usize,
}

/// `o200k_base`.
pub(super) static O200K: Vocabulary = Vocabulary::parse(include_bytes!("tables/o200k.bin"));

/// `cl100k_base`.
pub(super) static CL100K: Vocabulary = Vocabulary::parse(include_bytes!("tables/cl100k.bin"));

/// An entry of the long table: offset in the text (4 bytes), length (1), rank (3).
const LONG_ENTRY: usize = 8;

struct Table<const ENTRY: usize> {
    shape: Shape,
    pilots: &'static [[u8; 2]],
    entries: &'static [[u8; ENTRY]],
    ranks: &'static [[u8; RANK_BYTES]],
}

impl<const ENTRY: usize> Table<ENTRY> {
    #[inline]
    fn slot(&self, hash: u64) -> usize {
        let pilot = u16::from_le_bytes(self.pilots[self.shape.bucket(hash)]);
        self.shape.slot(hash, pilot)
    }

    #[inline]
    fn rank(&self, slot: usize) -> u32 {
        let [a, b, c] = self.ranks[slot];
        u32::from_le_bytes([a, b, c, 0])
    }
}

impl Vocabulary {
    /// Bytes of the longest token.
    #[inline]
    pub(super) const fn longest(&self) -> usize {
        self.longest
    }

    /// Whether `text[start..end]` is a token.
    #[inline]
    pub(super) fn contains(&self, text: &[u8], start: usize, end: usize) -> bool {
        let len = end - start;
        if len <= SHORT_MAX {
            let key = short_key(window(text, start) as u64, len);
            self.short_slot(key).is_some()
        } else if len <= MIDDLE_MAX {
            let key = middle_key(window(text, start), len);
            self.middle_slot(key).is_some()
        } else {
            self.long_rank(&text[start..end]) != NO_RANK
        }
    }

    /// The rank of `text[start..end]`, or [`NO_RANK`].
    #[inline]
    pub(super) fn rank(&self, text: &[u8], start: usize, end: usize) -> u32 {
        let len = end - start;
        if len <= SHORT_MAX {
            let slot = self.short_slot(short_key(window(text, start) as u64, len));
            slot.map_or(NO_RANK, |slot| self.short.rank(slot))
        } else if len <= MIDDLE_MAX {
            let slot = self.middle_slot(middle_key(window(text, start), len));
            slot.map_or(NO_RANK, |slot| self.middle.rank(slot))
        } else {
            self.long_rank(&text[start..end])
        }
    }

    #[inline]
    fn short_slot(&self, key: u64) -> Option<usize> {
        let slot = self.short.slot(short_hash(key));
        (u64::from_le_bytes(self.short.entries[slot]) == key).then_some(slot)
    }

    #[inline]
    fn middle_slot(&self, key: u128) -> Option<usize> {
        let slot = self.middle.slot(middle_hash(key));
        (u128::from_le_bytes(self.middle.entries[slot]) == key).then_some(slot)
    }

    fn long_rank(&self, token: &[u8]) -> u32 {
        if token.len() > self.longest {
            return NO_RANK;
        }
        let entry = self.long.entries[self.long.slot(long_hash(token))];
        let [a, b, c, d, len, rank @ ..] = entry;
        let offset = u32::from_le_bytes([a, b, c, d]) as usize;
        let [e, f, g] = rank;
        let same = &self.text[offset..offset + usize::from(len)] == token;
        if same { u32::from_le_bytes([e, f, g, 0]) } else { NO_RANK }
    }

    const fn parse(file: &'static [u8]) -> Self {
        let header = header(file);
        let rest = file.split_at(HEADER_BYTES).1;
        let (short_pilots, rest) = split::<2>(rest, header.short.buckets);
        let (middle_pilots, rest) = split::<2>(rest, header.middle.buckets);
        let (long_pilots, rest) = split::<2>(rest, header.long.buckets);
        let (short_keys, rest) = split::<8>(rest, header.short.slots);
        let (short_ranks, rest) = split::<RANK_BYTES>(rest, header.short.slots);
        let (middle_keys, rest) = split::<16>(rest, header.middle.slots);
        let (middle_ranks, rest) = split::<RANK_BYTES>(rest, header.middle.slots);
        let (long_entries, text) = split::<LONG_ENTRY>(rest, header.long.slots);
        assert!(text.len() == header.text as usize);
        Self {
            short: Table {
                shape: header.short,
                pilots: short_pilots,
                entries: short_keys,
                ranks: short_ranks,
            },
            middle: Table {
                shape: header.middle,
                pilots: middle_pilots,
                entries: middle_keys,
                ranks: middle_ranks,
            },
            long: Table { shape: header.long, pilots: long_pilots, entries: long_entries, ranks: &[] },
            text,
            longest: header.longest as usize,
        }
    }
}

/// The bytes from `start`, as many as there are up to [`WINDOW`], then zeros.
#[inline]
fn window(text: &[u8], start: usize) -> u128 {
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
        text: word(words, 6),
        longest: word(words, 7),
    }
}

const fn word(words: &[[u8; 4]], index: usize) -> u32 {
    u32::from_le_bytes(words[index])
}
