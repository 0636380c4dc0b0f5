//! Bytes of one file after the other, read into the same place.

use std::fs::File;
use std::io::{self, Read as _};

/// A file of at least this many bytes is left out if there is no memory for it; without memory for fewer, nothing can go on.
const LARGE: usize = 8 << 20;

/// A buffer that is never shrunk, so that only bytes that were never there are set to zero.
#[derive(Debug, Default)]
pub struct Page {
    room: Vec<u8>,
    filled: usize,
}

impl Page {
    /// What was gathered.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.room[..self.filled]
    }

    /// Forgets what was gathered.
    pub fn clear(&mut self) {
        self.filled = 0;
    }

    /// Reads at most `size` bytes, fewer if the file ends before, and says how many.
    ///
    /// # Errors
    /// What the system says, also if it has no memory for so many.
    pub(super) fn read(&mut self, file: &mut File, size: usize) -> io::Result<usize> {
        let missing = (self.filled.saturating_add(size)).saturating_sub(self.room.len());
        if missing >= LARGE {
            self.room.try_reserve(missing).map_err(|_| io::ErrorKind::OutOfMemory)?;
        }
        let next = self.next(size);
        let mut read = 0;
        while read < size {
            match file.read(&mut next[read..]) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.filled += read;
        Ok(read)
    }

    fn next(&mut self, size: usize) -> &mut [u8] {
        let end = self.filled + size;
        if self.room.len() < end {
            self.room.resize(end, 0);
        }
        &mut self.room[self.filled..end]
    }
}
