//! The search index: what a search has to know of files that were read before, so that they need not be read again.
//!
//! It is a cache, one file for each base directory. Without it, and with one that is damaged, foreign or of another
//! version, every answer is the same, only later. So a file is found in it only by the label it was read under and the
//! state that the system says it is in (see [`Stamp`](crate::read::Stamp)); of a file that is printed the bytes are read
//! again, and compared with the checksum of those that were indexed. Texts in which the guard found something are never
//! indexed, whatever an entry allows.
//!
//! The file is a header, segments, and a list of them. A segment is the work of one thread: a table of files with their passages, and for
//! each word the passages that have it. What changed comes in a new segment; an old one of which much was superseded is
//! left out, and what it had is read again the next time. Writers replace the file by a rename: of two at once the last
//! one wins, and what the other had learned is learned again.

mod builder;
mod bytes;
mod draft;
mod file;
mod header;
mod kept;
mod messages;
mod segment;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use foldhash::fast::FixedState;

pub use builder::{Builder, Sealed};
pub use draft::IndexDraft;
pub use file::{FileId, FileKey, Indexed};
pub use kept::{CachedIndexes, KeptIndex};
pub use messages::{KeptMessages, MessageCache};

use ctx_search::Query;
use header::{Header, IndexPart};
use kept::MOST_BYTES;
use segment::Segment;

/// So many segments that are not full are built anew.
const MOST_SMALL: usize = 8;

/// What changed is written when it is at least 1/64 of what is known.
const WORTH_WRITING: u64 = 64;

/// An index that was not used for so long is marked as used again.
const MARK: Duration = Duration::from_secs(3_600);

/// The index turned out to be damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the search index is damaged")]
pub struct Damaged;

/// The index of a base directory.
#[derive(Debug)]
pub struct Index {
    path: PathBuf,
    base: PathBuf,
    file: Option<File>,
    parts: Vec<IndexPart>,
    segments: Vec<Segment>,
    files: HashMap<FileKey, FileId, FixedState>,
}

impl Index {
    /// The index of a base directory in a cache directory; an empty one if there is none or it is not usable.
    #[must_use]
    pub fn open(cache: &Path, base: &Path, now: SystemTime) -> Self {
        let mut index = Self::empty(cache, base);
        if index.read(now).is_none() {
            return Self::empty(cache, base);
        }
        index
    }

    /// One that knows nothing, to be written in the place of the one that is there.
    #[must_use]
    pub fn empty(cache: &Path, base: &Path) -> Self {
        Self {
            path: kept::path(cache, base),
            base: base.to_owned(),
            file: None,
            parts: Vec::new(),
            segments: Vec::new(),
            files: HashMap::default(),
        }
    }

    fn read(&mut self, now: SystemTime) -> Option<()> {
        let file = kept::open(&self.path)?;
        let length = file.metadata().ok()?.len();
        let header = Header::read(&file).filter(|header| header.base == self.base)?;
        for (number, part) in (0_u32..).zip(&header.parts) {
            part.offset.checked_add(part.length).filter(|end| *end <= length)?;
            let segment = Segment::read(self.bytes_of(&file, part.offset, part.table)?, part.checksum)?;
            for (file, key) in (0_u32..).zip(segment.keys()) {
                self.files.insert(key, FileId { segment: number, file });
            }
            self.segments.push(segment);
        }
        kept::mark_used(&file, now, MARK);
        (self.parts, self.file) = (header.parts, Some(file));
        Some(())
    }

    fn bytes_of(&self, mut file: &File, offset: u64, length: u64) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(length.min(MOST_BYTES)).ok()?];
        file.seek(SeekFrom::Start(offset)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    /// What is known of a file. Of the names that it defines those are known that a query writes as identifiers; without
    /// one, all that it defines and imports are.
    #[must_use]
    pub fn find(&self, key: &FileKey, query: Option<&Query>) -> Option<Indexed> {
        self.at(*self.files.get(key)?, query)
    }

    /// What is known of the file that is there, as [`Index::find`] has it.
    #[must_use]
    pub fn at(&self, id: FileId, query: Option<&Query>) -> Option<Indexed> {
        self.segments.get(id.segment as usize)?.indexed(id, query)
    }

    /// The postings of the words of a query, by files, ascending in each. May include files that nobody asked about.
    ///
    /// # Errors
    /// If what is read now is not what was written.
    pub fn postings(
        &self,
        query: &Query,
    ) -> Result<HashMap<FileId, Vec<ctx_search::Posting>, FixedState>, Damaged> {
        let mut found: HashMap<FileId, Vec<ctx_search::Posting>, FixedState> = HashMap::default();
        let Some(file) = &self.file else { return Ok(found) };
        for ((number, segment), part) in (0_u32..).zip(&self.segments).zip(&self.parts) {
            for word in query.asked() {
                let bucket = segment.bucket_of(word);
                let bytes = self.bytes_of(file, part.offset + part.table + bucket.offset, bucket.length);
                let bytes = bytes.filter(|bytes| bucket.is_of(bytes)).ok_or(Damaged)?;
                let mut visit = |file: u32, posting| {
                    found.entry(FileId { segment: number, file }).or_default().push(posting);
                };
                segment.each_posting(&bytes, word, &mut visit).ok_or(Damaged)?;
            }
        }
        Ok(found)
    }

    /// Adds a segment to what was learned.
    pub fn learn(&self, draft: &mut IndexDraft, sealed: Sealed) {
        draft.add(sealed, &self.path);
    }

    /// Writes what was learned beside what is known, if it is worth it; then the oldest indexes go until all together
    /// are small enough.
    ///
    /// # Errors
    /// What the system says; the index is then as it was.
    pub fn save(&self, mut draft: IndexDraft) -> io::Result<()> {
        let learned = draft.source_bytes();
        let known: u64 = self.parts.iter().map(|part| part.source_bytes).sum();
        if learned == 0 || learned < known / WORTH_WRITING {
            return Ok(());
        }
        for (at, place) in self.worth_keeping(&draft.labels).into_iter().enumerate() {
            let part = &self.parts[place];
            let bytes = self.file.as_ref().and_then(|file| self.bytes_of(file, part.offset, part.length));
            draft.add_old(part, &bytes.ok_or(io::ErrorKind::UnexpectedEof)?, at, &self.path)?;
        }
        draft.finish(&self.path, &self.base)?;
        kept::evict(&self.path, kept::MOST_TOGETHER);
        Ok(())
    }

    /// The segments of which most is not superseded, unless too many of them are small.
    fn worth_keeping(&self, fresh: &[u64]) -> Vec<usize> {
        let mut newer: std::collections::HashSet<u64, FixedState> = fresh.iter().copied().collect();
        let mut kept = Vec::new();
        for (place, segment) in self.segments.iter().enumerate().rev() {
            let labels: Vec<u64> = segment.keys().map(|key| key.label).collect();
            let current = labels.iter().filter(|label| !newer.contains(label)).count();
            if current * 2 > labels.len() {
                kept.push(place);
            }
            newer.extend(labels);
        }
        kept.reverse();
        let is_small = |place: &usize| self.parts[*place].source_bytes < builder::SMALL;
        if kept.iter().filter(|place| is_small(place)).count() >= MOST_SMALL {
            kept.retain(|place| !is_small(place));
        }
        kept
    }
}
