//! Many short texts searched for at once, by the three bytes of each that are rarest.
//!
//! Every three bytes of the text are looked up in a table that stays in the nearest cache. It seldom has an
//! entry for them: only there the texts that have such bytes are compared.

use std::cmp::Reverse;
use std::ops::Range;

use memchr::arch::all::packedpair::Pair;

/// A prefix in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Anchor {
    /// The index of the prefix.
    pub(super) prefix: usize,
    pub(super) range: Range<usize>,
}

/// Three bytes at once.
const TRIGRAM: usize = 3;

/// The bytes that are read at once, and the trigrams that begin in them and end there too.
const WORD: usize = 8;
const STEP: usize = WORD - TRIGRAM + 1;

/// 16 KiB.
const HASHES: usize = 1 << HASH_BITS;
const HASH_BITS: u32 = 14;

/// What is searched for.
pub(super) struct Trigrams {
    /// For each hash of a trigram the list with the needles that have it; the first one is empty.
    lists_by_hash: Box<[u8; HASHES]>,
    lists: Vec<Vec<Needle>>,
    /// How far from the start of a needle its trigram may be.
    furthest: usize,
}

/// A text that is searched for.
struct Needle {
    text: &'static [u8],
    /// Its place among the texts.
    place: usize,
    trigram: u32,
    /// Where the trigram begins in it.
    offset: usize,
}

impl Trigrams {
    /// A search for texts of at least three bytes, none of which is the start of another one.
    pub(super) fn of(texts: impl Iterator<Item = &'static str>) -> Self {
        let mut all = Self { lists_by_hash: Box::new([0; HASHES]), lists: vec![Vec::new()], furthest: 0 };
        for (place, text) in texts.enumerate() {
            let text = text.as_bytes();
            let offset = rarest(text);
            let word = word_at(text, offset);
            let needle = Needle { text, place, trigram: trigram(word), offset };
            all.furthest = all.furthest.max(offset);
            all.add(needle, hash(word));
        }
        all
    }

    /// Adds a needle to the list of its hash. As soon as there is no number for another list, hashes share them.
    fn add(&mut self, needle: Needle, hash: usize) {
        let list = match self.lists_by_hash[hash] {
            0 => match u8::try_from(self.lists.len()) {
                Ok(new) => {
                    self.lists.push(Vec::new());
                    new
                }
                Err(_) => 1 + (hash % usize::from(u8::MAX)) as u8,
            },
            list => list,
        };
        self.lists_by_hash[hash] = list;
        self.lists[usize::from(list)].push(needle);
    }

    /// Appends the needles of `text` that begin in `starts`, the last one first.
    pub(super) fn find(&self, text: &[u8], starts: Range<usize>, found: &mut Vec<Anchor>) {
        let end = text.len().min(starts.end + self.furthest + TRIGRAM - 1);
        let searched = &text[..end];
        let lists_by_hash = &*self.lists_by_hash;
        let mut at = starts.start;
        while let Some(word) = searched.get(at..).and_then(<[u8]>::first_chunk::<WORD>) {
            let word = u64::from_le_bytes(*word);
            let lists = (0..STEP).fold(0, |lists, index| lists | lists_by_hash[hash(word >> (8 * index))]);
            if lists != 0 {
                self.compare(text, at, word, STEP, &starts, found);
            }
            at += STEP;
        }
        let left = end.saturating_sub(TRIGRAM - 1).saturating_sub(at);
        self.compare(text, at, word_at(text, at), left, &starts, found);
        found.sort_by_key(|anchor| Reverse(anchor.range.start));
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
            let list = self.lists_by_hash[hash(word)];
            if list == 0 {
                continue;
            }
            let here = |needle: &&Needle| needle.trigram == trigram(word);
            for needle in self.lists[usize::from(list)].iter().filter(here) {
                let Some(start) = (at + index).checked_sub(needle.offset) else { continue };
                if starts.contains(&start) && text[start..].starts_with(needle.text) {
                    found.push(Anchor { prefix: needle.place, range: start..start + needle.text.len() });
                }
            }
        }
    }
}

/// Where the three bytes begin that have the two rarest ones of a text, or at least the rarest.
fn rarest(text: &[u8]) -> usize {
    let pair = Pair::new(text);
    let lacks = |offset: &usize| {
        let has = |index: u8| (*offset..*offset + TRIGRAM).contains(&usize::from(index));
        pair.map(|pair| (!has(pair.index1()), !has(pair.index2())))
    };
    (0..=text.len() - TRIGRAM).min_by_key(lacks).unwrap_or(0)
}

/// The bytes from `at`, the first lowest, and zeros behind the end of the text.
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

/// The hash of the three lowest bytes: all others are multiplied out of the 32 bits.
#[inline]
fn hash(word: u64) -> usize {
    const MIX: u32 = 0x9e_3779 << 8;
    ((word as u32).wrapping_mul(MIX) >> (u32::BITS - HASH_BITS)) as usize
}
