//! Searches for many short strings at once, by the three rarest bytes of each.
//!
//! Every three bytes of the text are looked up in two small tables that stay in the first-level cache. Both
//! rarely have an entry for them; only then are the strings with these bytes compared.

use std::cmp::Reverse;
use std::ops::Range;

use memchr::arch::all::packedpair::Pair;

/// A prefix that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Anchor {
    /// The index of the prefix.
    pub(super) prefix: usize,
    pub(super) range: Range<usize>,
}

/// The number of bytes in a trigram.
const TRIGRAM: usize = 3;

/// The number of bytes read at once, and the number of trigrams in them.
const WORD: usize = 8;
const STEP: usize = WORD - TRIGRAM + 1;

/// The number of bytes in a table.
const HASHES: usize = 1 << HASH_BITS;
const HASH_BITS: u32 = 12;

/// The number of sets of needles.
const SETS: usize = 8;

/// The number of lists of needles.
const LISTS: usize = 256;

/// The strings to search for.
pub(super) struct Trigrams {
    /// For each of the two hashes of a trigram, the sets with a needle whose trigram has that hash, one bit each.
    sets: Box<[[u8; HASHES]; 2]>,
    /// By the first bits of the first hash.
    needles: Vec<Vec<Needle>>,
    /// The largest distance of a trigram from the start of its needle.
    furthest: usize,
}

/// A string to search for.
struct Needle {
    text: &'static [u8],
    /// Its index among the strings.
    place: usize,
    trigram: u32,
    /// Where the trigram begins in the string.
    offset: usize,
}

impl Trigrams {
    /// A search for strings of at least three bytes, none of which is the start of another.
    pub(super) fn of(texts: impl Iterator<Item = &'static str>) -> Self {
        let mut sets = Box::new([[0; HASHES]; 2]);
        let mut needles: Vec<Vec<Needle>> = (0..LISTS).map(|_| Vec::new()).collect();
        let mut furthest = 0;
        for (place, text) in texts.enumerate() {
            let text = text.as_bytes();
            let offset = rarest(text);
            let word = word_at(text, offset);
            let hashes = hashes(word);
            for (sets, hash) in sets.iter_mut().zip(hashes) {
                sets[hash] |= 1 << (place % SETS);
            }
            needles[hashes[0] / (HASHES / LISTS)].push(Needle {
                text,
                place,
                trigram: trigram(word),
                offset,
            });
            furthest = furthest.max(offset);
        }
        Self { sets, needles, furthest }
    }

    /// Appends the needles in `text` that begin in `starts`, the last one first.
    pub(super) fn find(&self, text: &[u8], starts: Range<usize>, found: &mut Vec<Anchor>) {
        let end = text.len().min(starts.end + self.furthest + TRIGRAM - 1);
        let searched = &text[..end];
        let mut at = starts.start;
        while let Some(word) = searched.get(at..).and_then(<[u8]>::first_chunk::<WORD>) {
            let word = u64::from_le_bytes(*word);
            if (0..STEP).fold(0, |sets, index| sets | self.sets_of(word >> (8 * index))) != 0 {
                self.compare(text, at, word, STEP, &starts, found);
            }
            at += STEP;
        }
        let left = end.saturating_sub(TRIGRAM - 1).saturating_sub(at);
        self.compare(text, at, word_at(text, at), left, &starts, found);
        found.sort_by_key(|anchor| Reverse(anchor.range.start));
    }

    /// The sets that may contain a needle with the three lowest bytes.
    #[inline]
    fn sets_of(&self, word: u64) -> u8 {
        let [first, second] = &*self.sets;
        let [in_first, in_second] = hashes(word);
        first[in_first] & second[in_second]
    }

    /// Appends the needles whose trigram begins at one of the first `places` bytes of the word at `at`.
    #[cold]
    #[inline(never)]
    fn compare(
        &self,
        text: &[u8],
        at: usize,
        word: u64,
        places: usize,
        starts: &Range<usize>,
        found: &mut Vec<Anchor>,
    ) {
        for index in 0..places {
            let word = word >> (8 * index);
            if self.sets_of(word) == 0 {
                continue;
            }
            let list = &self.needles[hashes(word)[0] / (HASHES / LISTS)];
            for needle in list.iter().filter(|needle| needle.trigram == trigram(word)) {
                let Some(start) = (at + index).checked_sub(needle.offset) else { continue };
                if starts.contains(&start) && text[start..].starts_with(needle.text) {
                    found.push(Anchor { prefix: needle.place, range: start..start + needle.text.len() });
                }
            }
        }
    }
}

/// The start of the three bytes that contain the two rarest ones of a string, or at least the rarest.
fn rarest(text: &[u8]) -> usize {
    let Some(pair) = Pair::new(text) else { return 0 };
    let [rarest, second] = [pair.index1(), pair.index2()].map(usize::from);
    let last = if rarest.abs_diff(second) < TRIGRAM { rarest.max(second) } else { rarest };
    last.saturating_sub(TRIGRAM - 1)
}

/// The bytes from `at`, the first in the lowest byte, and zeros after the end of the text.
fn word_at(text: &[u8], at: usize) -> u64 {
    let mut bytes = [0; WORD];
    let rest = &text[at.min(text.len())..text.len().min(at + WORD)];
    bytes[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(bytes)
}

/// The three lowest bytes.
fn trigram(word: u64) -> u32 {
    word as u32 & 0xff_ffff
}

/// Two hashes of the three lowest bytes; the multiplication shifts all others out of the 32 bits.
#[inline]
fn hashes(word: u64) -> [usize; 2] {
    const MIX: u32 = 0x9e_3779 << 8;
    let mixed = (word as u32).wrapping_mul(MIX);
    let bits_after = |skipped: u32| (mixed << skipped >> (u32::BITS - HASH_BITS)) as usize;
    [bits_after(0), bits_after(HASH_BITS)]
}
