//! The state of a file, as far as its metadata tells.

use std::fs::Metadata;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::select::FileMetadata;

/// A point in time as file systems keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time {
    /// Seconds since 1970.
    pub seconds: i64,
    /// And nanoseconds.
    pub nanoseconds: i64,
}

/// Two equal stamps of a settled file (see [`Stamp::is_settled`]) mean equal contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The device that the file lies on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// When its contents were last modified, as far as anybody claims.
    pub modified: Time,
    /// When it was last changed in any way; nobody can set this.
    pub changed: Time,
}

/// The coarsest clock of a file system in use (FAT's) ticks every two seconds.
const GRAIN: Duration = Duration::from_secs(2);

impl Stamp {
    #[cfg(unix)]
    pub(super) fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified: Time { seconds: metadata.mtime(), nanoseconds: metadata.mtime_nsec() },
            changed: Time { seconds: metadata.ctime(), nanoseconds: metadata.ctime_nsec() },
        })
    }

    #[cfg(not(unix))]
    pub(super) fn of(_: &Metadata) -> Option<Self> {
        None
    }

    /// The state of a file that was found, without opening it.
    #[must_use]
    pub fn of_metadata(metadata: &FileMetadata) -> Option<Self> {
        Some(Self {
            device: metadata.device,
            inode: metadata.inode,
            size: metadata.size,
            modified: Time { seconds: metadata.seconds, nanoseconds: metadata.nanoseconds.into() },
            changed: Time {
                seconds: metadata.changed_seconds,
                nanoseconds: metadata.changed_nanoseconds.into(),
            },
        })
        .filter(|stamp| stamp.inode != 0)
    }

    /// Whether the last change is so long ago that a further one must show in the stamp.
    #[must_use]
    pub fn is_settled(&self, now: SystemTime) -> bool {
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let settled = |time: Time| {
            let seconds = u64::try_from(time.seconds).unwrap_or_default();
            let nanoseconds = u32::try_from(time.nanoseconds).unwrap_or_default();
            Duration::new(seconds, nanoseconds.min(999_999_999)).saturating_add(GRAIN) < now
        };
        settled(self.modified) && settled(self.changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_young_file_is_not_settled() {
        let now = UNIX_EPOCH + Duration::from_secs(100);
        let at = |seconds| Time { seconds, nanoseconds: 0 };
        let stamp = Stamp { device: 1, inode: 1, size: 1, modified: at(10), changed: at(97) };
        assert!(stamp.is_settled(now));
        assert!(!Stamp { changed: at(98), ..stamp }.is_settled(now));
        assert!(!Stamp { modified: at(99), ..stamp }.is_settled(now));
        assert!(!Stamp { modified: at(500), ..stamp }.is_settled(now));
    }
}
