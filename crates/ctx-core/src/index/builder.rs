//! From digests to a segment.

use twox_hash::XxHash3_64;

use super::FileKey;
use super::bytes::{push_hash, push_number};
use super::header::IndexPart;
use crate::cache::Checksum;
use ctx_search::Digest;

/// A segment with so many postings is full: some 5 MB of sources.
const FULL: usize = 1 << 19;

/// A segment of files with fewer bytes is small.
pub(super) const SMALL: u64 = 2 << 20;

/// How many words are in a bucket, about.
const WORDS_IN_BUCKET: usize = 48;

/// How often a word is in a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct WordCount {
    word: u32,
    passage: u32,
    count: u32,
}

/// Gathers what is known of files.
#[derive(Debug, Default)]
pub struct Builder {
    records: Vec<u8>,
    labels: Vec<u64>,
    passages: u32,
    entries: Vec<WordCount>,
    /// Room to sort them.
    room: Vec<WordCount>,
    source_bytes: u64,
}

/// A segment as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    pub(super) bytes: Vec<u8>,
    /// The hashes of the labels of its files.
    pub(super) labels: Vec<u64>,
    /// What it is about; where it is in a file is known when it is written.
    pub(super) part: IndexPart,
}

impl Builder {
    /// Adds a file; the digest has all of its words.
    pub fn add(&mut self, key: FileKey, checksum: Checksum, bytes: u64, digest: &Digest) {
        self.labels.push(key.label);
        push_hash(&mut self.records, key.label);
        push_hash(&mut self.records, key.stamp);
        push_hash(&mut self.records, checksum.number());
        push_number(&mut self.records, digest.passages.len() as u64);
        let record = record(bytes, digest);
        push_number(&mut self.records, record.len() as u64);
        self.records.extend_from_slice(&record);
        let first = self.passages;
        self.entries.extend(digest.postings.iter().map(|posting| WordCount {
            word: posting.word.0,
            passage: first + posting.passage,
            count: posting.count,
        }));
        self.passages += u32::try_from(digest.passages.len()).unwrap_or(0);
        self.source_bytes += bytes.max(1);
    }

    /// Whether it is time for the next one.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.entries.len() >= FULL
    }

    /// The segment, if there is anything to be in it. The builder is empty after it.
    #[must_use]
    pub fn seal(&mut self) -> Option<Sealed> {
        if self.labels.is_empty() {
            return None;
        }
        sort_by_word(&mut self.entries, &mut self.room);
        let words = self.entries.chunk_by(|a, b| a.word == b.word).count();
        let count = (words / WORDS_IN_BUCKET + 1) as u64;
        let mut table = Vec::with_capacity(self.records.len() + 16);
        push_number(&mut table, self.labels.len() as u64);
        table.extend_from_slice(&self.records);
        push_number(&mut table, count);
        let mut buckets = Vec::new();
        let mut rest = self.entries.as_slice();
        for bucket in 0..count {
            let end = rest.partition_point(|entry| bucket_of(entry.word, count) <= bucket);
            let (here, others) = rest.split_at(end);
            let start = buckets.len();
            push_bucket(&mut buckets, here);
            push_number(&mut table, (buckets.len() - start) as u64);
            push_hash(&mut table, XxHash3_64::oneshot(&buckets[start..]));
            rest = others;
        }
        let part = IndexPart {
            offset: 0,
            length: (table.len() + buckets.len()) as u64,
            table: table.len() as u64,
            checksum: XxHash3_64::oneshot(&table),
            source_bytes: std::mem::take(&mut self.source_bytes),
            files: self.labels.len() as u64,
        };
        table.extend_from_slice(&buckets);
        self.records.clear();
        self.entries.clear();
        self.passages = 0;
        Some(Sealed { bytes: table, labels: std::mem::take(&mut self.labels), part })
    }
}

/// Sorts entries by their words; those of one word keep their order, which is that of their passages.
fn sort_by_word(entries: &mut Vec<WordCount>, room: &mut Vec<WordCount>) {
    const BITS: u32 = 11;
    room.resize(entries.len(), WordCount::default());
    for shift in [0, BITS, 2 * BITS] {
        let digit = |entry: &WordCount| (entry.word >> shift & ((1 << BITS) - 1)) as usize;
        let mut ends = [0_usize; 1 << BITS];
        entries.iter().for_each(|entry| ends[digit(entry)] += 1);
        let mut sum = 0;
        for end in &mut ends {
            (*end, sum) = (sum, sum + *end);
        }
        for entry in &*entries {
            let place = &mut ends[digit(entry)];
            room[*place] = *entry;
            *place += 1;
        }
        std::mem::swap(entries, room);
    }
}

/// The bucket of a word, of so many; it grows with the word.
pub(super) fn bucket_of(word: u32, count: u64) -> u64 {
    (u64::from(word) * count) >> 32
}

fn record(bytes: u64, digest: &Digest) -> Vec<u8> {
    let mut record = Vec::new();
    push_number(&mut record, bytes);
    record.push(u8::from(digest.has_outline));
    for passage in &digest.passages {
        push_number(&mut record, passage.lines.count() as u64);
        push_number(&mut record, passage.length.into());
        push_number(&mut record, passage.bytes.into());
        if digest.has_outline {
            push_number(&mut record, passage.outlined.into());
        }
    }
    push_number(&mut record, digest.defined.len() as u64);
    for definition in &digest.defined {
        push_hash(&mut record, definition.name);
        push_number(&mut record, definition.passage.into());
    }
    push_number(&mut record, digest.imported.len() as u64);
    digest.imported.iter().for_each(|name| push_hash(&mut record, *name));
    record
}

/// Each word as the distance from the one before, then how many passages have it, and each of them as the distance from
/// the one before, doubled, and one more where the word is there more than once; then how often follows.
fn push_bucket(bytes: &mut Vec<u8>, entries: &[WordCount]) {
    let mut last_word = 0;
    for same in entries.chunk_by(|a, b| a.word == b.word) {
        push_number(bytes, u64::from(same[0].word - last_word));
        last_word = same[0].word;
        push_number(bytes, same.len() as u64);
        let mut last = 0;
        for entry in same {
            let distance = u64::from(entry.passage - last) * 2;
            last = entry.passage;
            push_number(bytes, distance + u64::from(entry.count > 1));
            if entry.count > 1 {
                push_number(bytes, entry.count.into());
            }
        }
    }
}
