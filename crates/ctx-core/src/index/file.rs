//! A file in the index: by what it is found, and what is known of it.

use ctx_search::Digest;
use twox_hash::XxHash3_64;

use crate::cache::Checksum;
use crate::read::Stamp;

/// A file in a state, under a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileKey {
    pub(super) label: u64,
    pub(super) stamp: u64,
}

impl FileKey {
    /// The key of a file with this label in this state.
    #[must_use]
    pub fn of(label: &str, stamp: &Stamp) -> Self {
        let mut bytes = [0; 56];
        let times = [stamp.modified, stamp.changed].map(|time| [time.seconds, time.nanoseconds]);
        let numbers = [stamp.device, stamp.inode, stamp.size].map(u64::to_le_bytes);
        let parts = numbers.into_iter().chain(times.into_iter().flatten().map(i64::to_le_bytes));
        for (place, part) in bytes.chunks_exact_mut(8).zip(parts) {
            place.copy_from_slice(&part);
        }
        Self { label: XxHash3_64::oneshot(label.as_bytes()), stamp: XxHash3_64::oneshot(&bytes) }
    }
}

/// Where a file is in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId {
    pub(super) segment: u32,
    pub(super) file: u32,
}

/// What the index knows of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexed {
    /// Where it is.
    pub id: FileId,
    /// The bytes that it had.
    pub checksum: Checksum,
    /// How many bytes it had.
    pub bytes: u64,
    /// Its passages and the names that were asked for; postings come from [`super::Index::postings`].
    pub digest: Digest,
}
