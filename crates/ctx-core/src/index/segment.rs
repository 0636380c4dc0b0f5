//! A segment of an index as it is read.

use std::ops::Range;

use twox_hash::XxHash3_64;

use super::builder::bucket_of;
use super::bytes::Pull;
use super::{FileId, FileKey, Indexed};
use crate::cache::Checksum;
use ctx_outline::Lines;
use ctx_search::{Definition, Digest, Passage, Posting, Query, Word};

/// The table of a segment.
#[derive(Debug)]
pub(super) struct Segment {
    table: Vec<u8>,
    files: Vec<SegmentRecord>,
    buckets: Vec<Bucket>,
}

/// A file in the table.
#[derive(Debug)]
struct SegmentRecord {
    key: FileKey,
    checksum: Checksum,
    /// The number of its first passage among those of the segment.
    first: u32,
    passages: u32,
    /// Where the rest of the record is in the table.
    rest: Range<usize>,
}

/// Where the postings of some words are, from the end of the table on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bucket {
    pub(super) offset: u64,
    pub(super) length: u64,
    checksum: u64,
}

impl Bucket {
    /// Whether these are the bytes that were written.
    pub(super) fn is_of(self, bytes: &[u8]) -> bool {
        XxHash3_64::oneshot(bytes) == self.checksum
    }
}

/// The definitions of some names.
fn definitions(pull: &mut Pull<'_>, is_asked: impl Fn(u64) -> bool) -> Option<Vec<Definition>> {
    let mut defined = Vec::new();
    for _ in 0..pull.count()? {
        let definition = Definition { name: pull.hash()?, passage: pull.small()? };
        if is_asked(definition.name) {
            defined.push(definition);
        }
    }
    Some(defined)
}

impl Segment {
    /// Reads a table; `None` if it is not what was written.
    pub(super) fn read(table: Vec<u8>, checksum: u64) -> Option<Self> {
        (XxHash3_64::oneshot(&table) == checksum).then_some(())?;
        let mut pull = Pull::new(&table);
        let mut files = Vec::with_capacity(pull.clone().count()?);
        let mut first = 0_u32;
        for _ in 0..pull.count()? {
            let key = FileKey { label: pull.hash()?, stamp: pull.hash()? };
            let checksum = Checksum::of_number(pull.hash()?);
            let passages = pull.small()?;
            let length = pull.count()?;
            let start = table.len() - pull.rest.len();
            pull.bytes(length)?;
            files.push(SegmentRecord { key, checksum, first, passages, rest: start..start + length });
            first = first.checked_add(passages)?;
        }
        let mut buckets = Vec::new();
        let mut offset = 0_u64;
        for _ in 0..pull.count()? {
            let (length, checksum) = (pull.number()?, pull.hash()?);
            buckets.push(Bucket { offset, length, checksum });
            offset = offset.checked_add(length)?;
        }
        (!buckets.is_empty()).then_some(())?;
        Some(Self { table, files, buckets })
    }

    pub(super) fn keys(&self) -> impl DoubleEndedIterator<Item = FileKey> {
        self.files.iter().map(|file| file.key)
    }

    pub(super) fn indexed(&self, id: FileId, query: Option<&Query>) -> Option<Indexed> {
        let record = self.files.get(id.file as usize)?;
        let mut pull = Pull::new(&self.table[record.rest.clone()]);
        let bytes = pull.number()?;
        let has_outline = pull.bytes(1)? == [1];
        let mut passages = Vec::with_capacity(record.passages as usize);
        let mut last = 0_usize;
        for _ in 0..record.passages {
            let lines =
                Lines { first: last + 1, last: last.checked_add(usize::try_from(pull.number()?).ok()?)? };
            last = lines.last;
            let (length, bytes) = (pull.small()?, pull.small()?);
            let outlined = if has_outline { pull.small()? } else { bytes };
            passages.push(Passage { lines, length, bytes, outlined });
        }
        let mut digest = Digest { has_outline, passages, ..Digest::default() };
        match query {
            None => {
                digest.defined = definitions(&mut pull, |_| true)?;
                for _ in 0..pull.count()? {
                    digest.imported.push(pull.hash()?);
                }
            }
            Some(query) => {
                digest.defined = definitions(&mut pull, |name| query.names_it(name))?;
            }
        }
        Some(Indexed { id, checksum: record.checksum, bytes, digest })
    }

    /// The bucket that a word is in, if it is anywhere.
    pub(super) fn bucket_of(&self, word: Word) -> Bucket {
        let place = bucket_of(word.0, self.buckets.len() as u64);
        self.buckets[usize::try_from(place).unwrap_or_default()]
    }

    /// Calls `visit` with the file, by its number, and each posting of a word that is in the bytes of its bucket.
    pub(super) fn each_posting(
        &self,
        bytes: &[u8],
        word: Word,
        visit: &mut impl FnMut(u32, Posting),
    ) -> Option<()> {
        let mut pull = Pull::new(bytes);
        let mut current = 0_u32;
        while !pull.rest.is_empty() {
            current = current.checked_add(pull.small()?)?;
            let is_asked = current == word.0;
            let mut number = 0_u32;
            let mut file = 0;
            for _ in 0..pull.count()? {
                let distance = pull.number()?;
                let count = if distance & 1 == 1 { pull.small()? } else { 1 };
                if !is_asked {
                    continue;
                }
                number = number.checked_add(u32::try_from(distance >> 1).ok()?)?;
                file += self.files[file..].partition_point(|record| record.first + record.passages <= number);
                let passage = number - self.files.get(file)?.first;
                visit(u32::try_from(file).ok()?, Posting { word, passage, count });
            }
            if current >= word.0 {
                break;
            }
        }
        Some(())
    }
}
