//! How many programs run at once, and which ones.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Slots for a fixed number of programs.
#[derive(Debug)]
pub(super) struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A slot that is occupied until it is dropped.
#[derive(Debug)]
pub(super) struct Slot<'a>(&'a Slots);

impl Slots {
    pub fn new(count: usize) -> Self {
        Self { free: Mutex::new(count), freed: Condvar::new() }
    }

    /// Waits for a free slot.
    pub fn occupy(&self) -> Slot<'_> {
        let free = self.freed.wait_while(locked(&self.free), |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Slot(self)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *locked(&self.0.free) += 1;
        self.0.freed.notify_one();
    }
}

/// The running programs.
#[derive(Debug)]
pub(super) struct Running<P> {
    /// Whether no more programs are started.
    pub stopped: bool,
    pub programs: Vec<P>,
}

impl<P> Default for Running<P> {
    fn default() -> Self {
        Self { stopped: false, programs: Vec::new() }
    }
}

/// Locks the value, even if another thread panicked while it held the lock.
pub(super) fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
