//! How far reading or writing has got, for progress bars.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counts files as they are read or written on other threads.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    writes: AtomicBool,
}

/// What is happening to the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// They are read.
    Reading,
    /// They are written.
    Writing,
}

impl Progress {
    /// How many files have been read or written, and how many there are; the latter is 0 while they are still
    /// being found.
    #[must_use]
    pub fn so_far(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// What is happening now.
    #[must_use]
    pub fn work(&self) -> Work {
        if self.writes.load(Ordering::Relaxed) { Work::Writing } else { Work::Reading }
    }

    /// Starts again: a second reading of the same files counts from zero.
    pub(crate) fn expect(&self, files: usize) {
        self.begin(Work::Reading, files);
    }

    /// Starts work on this many files.
    pub(crate) fn begin(&self, work: Work, files: usize) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(files as u64, Ordering::Relaxed);
        self.writes.store(work == Work::Writing, Ordering::Relaxed);
    }

    pub(crate) fn advance(&self, files: usize) {
        self.done.fetch_add(files as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, Work};

    #[test]
    fn writing_counts_from_none_and_is_told_from_reading() {
        let progress = Progress::default();
        progress.expect(5);
        progress.advance(5);
        assert_eq!(progress.work(), Work::Reading);
        progress.begin(Work::Writing, 2);
        progress.advance(1);
        assert_eq!((progress.work(), progress.so_far()), (Work::Writing, (1, 2)));
    }

    #[test]
    fn what_is_read_again_is_not_counted_twice() {
        let progress = Progress::default();
        for _ in 0..2 {
            progress.expect(5);
            progress.advance(5);
            assert_eq!(progress.so_far(), (5, 5));
        }
    }
}
