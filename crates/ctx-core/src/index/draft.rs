//! An index file in the making. Segments that are large are written as soon as they are sealed, so that an index need
//! not fit the memory.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::Sealed;
use super::builder::SMALL;
use super::header::{BEGIN, Header, IndexPart, LONGEST_LIST};
use super::kept::{self, MOST_BYTES};

/// What was learned for an index.
#[derive(Debug)]
pub struct IndexDraft {
    file: Option<NamedTempFile>,
    /// The segments in the file.
    written: Vec<IndexPart>,
    /// Those that are still to be written.
    waiting: Vec<Sealed>,
    /// The hashes of the labels of all files in the segments.
    pub(super) labels: Vec<u64>,
    /// Nothing can be written.
    failed: bool,
    /// Segments that end beyond this byte of the file are left out: their files are read again the next time.
    room: u64,
}

impl Default for IndexDraft {
    fn default() -> Self {
        Self::with_room(MOST_BYTES - LONGEST_LIST)
    }
}

impl IndexDraft {
    /// A draft whose segments end within the first `room` bytes of the file.
    pub(super) fn with_room(room: u64) -> Self {
        Self { file: None, written: Vec::new(), waiting: Vec::new(), labels: Vec::new(), failed: false, room }
    }

    /// Adds a segment for the index at `path`.
    pub(super) fn add(&mut self, mut sealed: Sealed, path: &Path) {
        self.labels.append(&mut sealed.labels);
        let is_large = sealed.part.source_bytes >= SMALL;
        self.waiting.push(sealed);
        if is_large && !self.failed {
            self.failed = self.write_waiting(path).is_err();
        }
        if self.failed {
            self.waiting.clear();
        }
    }

    /// How many bytes the files have that the segments are about.
    pub(super) fn source_bytes(&self) -> u64 {
        let written = self.written.iter().map(|part| part.source_bytes);
        written.chain(self.waiting.iter().map(|sealed| sealed.part.source_bytes)).sum()
    }

    /// Adds an old segment, which comes before all others.
    pub(super) fn add_old(
        &mut self,
        part: &IndexPart,
        bytes: &[u8],
        at: usize,
        path: &Path,
    ) -> io::Result<()> {
        if let Some(offset) = self.write_if_it_fits(bytes, path)? {
            self.written.insert(at.min(self.written.len()), IndexPart { offset, ..*part });
        }
        Ok(())
    }

    /// Puts the file in its place.
    pub(super) fn finish(mut self, path: &Path, base: &Path) -> io::Result<()> {
        self.write_waiting(path)?;
        let header = Header { base: base.to_owned(), parts: std::mem::take(&mut self.written) };
        let list = header.list();
        let end = self.write(&list, path)?;
        let Some(mut file) = self.file.filter(|_| !self.failed) else { return Ok(()) };
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&Header::beginning(end, &list))?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    fn write_waiting(&mut self, path: &Path) -> io::Result<()> {
        for sealed in std::mem::take(&mut self.waiting) {
            if let Some(offset) = self.write_if_it_fits(&sealed.bytes, path)? {
                self.written.push(IndexPart { offset, ..sealed.part });
            }
        }
        Ok(())
    }

    /// Where the bytes are in the file now, if there is room for them.
    fn write_if_it_fits(&mut self, bytes: &[u8], path: &Path) -> io::Result<Option<u64>> {
        let end = self.file(path)?.stream_position()? + bytes.len() as u64;
        if end <= self.room { self.write(bytes, path).map(Some) } else { Ok(None) }
    }

    /// Where the bytes are in the file now.
    fn write(&mut self, bytes: &[u8], path: &Path) -> io::Result<u64> {
        let file = self.file(path)?;
        let offset = file.stream_position()?;
        file.write_all(bytes)?;
        Ok(offset)
    }

    fn file(&mut self, path: &Path) -> io::Result<&mut NamedTempFile> {
        let file = match self.file.take() {
            Some(file) => file,
            None => {
                let mut file = kept::create(path)?;
                file.write_all(&[0; BEGIN as usize])?;
                file
            }
        };
        Ok(self.file.insert(file))
    }
}
