//! Memory that may be refused.
//!
//! A program whose allocator ends it where there is no memory asks [`may_be_refused`] first.

use std::cell::Cell;
use std::collections::TryReserveError;

thread_local! {
    static MAY_BE_REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread now asks for memory that it can go on without.
#[must_use]
pub fn may_be_refused() -> bool {
    MAY_BE_REFUSED.get()
}

/// Whether there is memory for so many bytes.
#[must_use]
pub fn is_there(bytes: usize) -> bool {
    reserve(&mut Vec::new(), bytes).is_ok()
}

/// Makes room for so many more bytes.
///
/// # Errors
/// When there is no memory for them.
pub(crate) fn reserve(room: &mut Vec<u8>, more: usize) -> Result<(), TryReserveError> {
    MAY_BE_REFUSED.set(true);
    let reserved = room.try_reserve(more);
    MAY_BE_REFUSED.set(false);
    reserved
}
