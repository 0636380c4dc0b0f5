//! How far reading has come, for whoever watches.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the files that were read, while the work is done on other threads.
#[derive(Debug, Default)]
pub struct Progress {
    read: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// How many files were read, of how many; of none as long as they are still being looked for.
    #[must_use]
    pub fn so_far(&self) -> (u64, u64) {
        (self.read.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Begins anew: a second reading of the same files counts from none.
    pub(crate) fn expect(&self, files: usize) {
        self.read.store(0, Ordering::Relaxed);
        self.total.store(files as u64, Ordering::Relaxed);
    }

    pub(crate) fn advance(&self, files: usize) {
        self.read.fetch_add(files as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;

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
