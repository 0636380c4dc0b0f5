//! An index file in the making. Segments that are large are written as soon as they are sealed, so that an index need
//! not fit the memory.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::Sealed;
use super::builder::SMALL;
use super::header::{BEGIN, Header, Part};
use super::kept::{self, MOST_BYTES};

/// What was learned for an index.
#[derive(Debug, Default)]
pub struct Draft {
    file: Option<NamedTempFile>,
    /// The segments in the file.
    written: Vec<Part>,
    /// Those that are still to be written.
    waiting: Vec<Sealed>,
    /// The hashes of the labels of all files in the segments.
    pub(super) labels: Vec<u64>,
    /// Nothing can be written.
    failed: bool,
}

impl Draft {
    /// Takes up a segment for the index at `path`.
    pub(super) fn add(&mut self, mut sealed: Sealed, path: &Path) {
        self.labels.append(&mut sealed.labels);
        let is_large = sealed.source_bytes >= SMALL;
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
        written.chain(self.waiting.iter().map(|sealed| sealed.source_bytes)).sum()
    }

    /// Adds an old segment, which comes before all others.
    pub(super) fn add_old(&mut self, part: &Part, bytes: &[u8], at: usize, path: &Path) -> io::Result<()> {
        let offset = self.write(bytes, path)?;
        self.written.insert(at, Part { offset, ..*part });
        Ok(())
    }

    /// Puts the file in its place, unless it is too large.
    pub(super) fn finish(mut self, path: &Path, base: &Path) -> io::Result<()> {
        self.write_waiting(path)?;
        let header = Header { base: base.to_owned(), parts: std::mem::take(&mut self.written) };
        let list = header.list();
        let end = self.write(&list, path)?;
        let fits = end + list.len() as u64 <= MOST_BYTES;
        let Some(mut file) = self.file.filter(|_| fits && !self.failed) else { return Ok(()) };
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&Header::beginning(end, &list))?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    fn write_waiting(&mut self, path: &Path) -> io::Result<()> {
        for sealed in std::mem::take(&mut self.waiting) {
            let offset = self.write(&sealed.bytes, path)?;
            self.written.push(sealed.part(offset));
        }
        Ok(())
    }

    /// Where the bytes are in the file now.
    fn write(&mut self, bytes: &[u8], path: &Path) -> io::Result<u64> {
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut file = kept::create(path)?;
                file.write_all(&[0; BEGIN as usize])?;
                self.file.insert(file)
            }
        };
        let offset = file.stream_position()?;
        file.write_all(bytes)?;
        Ok(offset)
    }
}
