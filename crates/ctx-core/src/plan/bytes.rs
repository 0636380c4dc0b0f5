//! Counts bytes instead of printing them.

use std::io;

/// How many bytes were written.
#[derive(Debug, Default)]
pub(super) struct Bytes(pub(super) u64);

impl io::Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
