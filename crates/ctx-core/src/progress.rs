//! How far reading or writing has got, for progress bars.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counts files as they are read or written on other threads.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    writes: AtomicBool,
}

impl Progress {
    /// How many files have been read or written, and how many there are; the latter is 0 while they are still
    /// being found.
    #[must_use]
    pub fn so_far(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Whether files are being written now; otherwise they are being read.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.writes.load(Ordering::Relaxed)
    }

    /// Starts again: a second reading of the same files counts from zero.
    pub(crate) fn expect(&self, files: usize) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(files as u64, Ordering::Relaxed);
        self.writes.store(false, Ordering::Relaxed);
    }

    /// Like [`Self::expect`], but for files that will be written.
    #[cfg_attr(not(unix), allow(dead_code, reason = "only restores use it"))]
    pub(crate) fn expect_to_write(&self, files: usize) {
        self.expect(files);
        self.writes.store(true, Ordering::Relaxed);
    }

    pub(crate) fn advance(&self, files: usize) {
        self.done.fetch_add(files as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;

    #[test]
    fn writing_counts_from_zero_and_is_distinguished_from_reading() {
        let progress = Progress::default();
        progress.expect(5);
        progress.advance(5);
        assert!(!progress.writes());
        progress.expect_to_write(2);
        progress.advance(1);
        assert_eq!((progress.writes(), progress.so_far()), (true, (1, 2)));
    }

    #[test]
    fn files_read_again_are_not_counted_twice() {
        let progress = Progress::default();
        for _ in 0..2 {
            progress.expect(5);
            progress.advance(5);
            assert_eq!(progress.so_far(), (5, 5));
        }
    }
}
