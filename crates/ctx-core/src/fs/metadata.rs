//! The metadata of a file or directory, without reading it.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// The kind of a name in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A FIFO, socket or device.
    Other,
    /// Not known from the directory.
    Unknown,
}

impl FileKind {
    /// The kind according to the standard library.
    #[must_use]
    pub fn of(file_type: std::fs::FileType) -> Self {
        if file_type.is_file() {
            Self::Regular
        } else if file_type.is_dir() {
            Self::Directory
        } else if file_type.is_symlink() {
            Self::Link
        } else {
            Self::Other
        }
    }
}

/// One name in a directory.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    /// The name, as bytes.
    pub name: &'a [u8],
    /// Its kind, as far as the directory records it.
    pub kind: FileKind,
    /// Its inode number; 0 if there is none.
    pub inode: u64,
}

/// The metadata of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileMetadata {
    /// Its mode.
    pub kind: FileKind,
    /// Whether its owner may execute it, on systems with such a permission.
    pub is_executable: bool,
    /// Its size, times and location.
    pub stamp: Stamp,
}

impl FileMetadata {
    /// The metadata according to the standard library.
    #[must_use]
    pub fn of(metadata: &std::fs::Metadata) -> Self {
        #[cfg(unix)]
        let is_executable = std::os::unix::fs::MetadataExt::mode(metadata) & 0o100 != 0;
        #[cfg(not(unix))]
        let is_executable = false;
        Self { kind: FileKind::of(metadata.file_type()), is_executable, stamp: Stamp::of(metadata) }
    }
}

/// A point in time as file systems record it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Time {
    /// Seconds since 1970.
    pub seconds: i64,
    /// The nanoseconds after that second.
    pub nanoseconds: i64,
}

impl Time {
    /// A time from the standard library; times before 1970 are whole seconds.
    #[must_use]
    pub fn of(time: SystemTime) -> Self {
        let seconds = |duration: Duration| i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
        match time.duration_since(UNIX_EPOCH) {
            Ok(since) => Self { seconds: seconds(since), nanoseconds: since.subsec_nanos().into() },
            Err(before) => Self { seconds: -seconds(before.duration()), nanoseconds: 0 },
        }
    }
}

/// Two equal stamps of a settled file (see [`Stamp::is_settled`]) mean equal contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The device that the file is on; 0 if the system has none.
    pub device: u64,
    /// Its inode number; 0 if the system has none.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// When its contents were last modified, which programs can set.
    pub modified: Time,
    /// When it was last changed in any way, which programs cannot set.
    pub changed: Time,
}

/// The coarsest clock of a file system in use (FAT) ticks every two seconds.
const GRAIN: Duration = Duration::from_secs(2);

impl Stamp {
    /// The stamp from the standard library's metadata, without device and inode if the system has none.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Self {
                device: metadata.dev(),
                inode: metadata.ino(),
                size: metadata.len(),
                modified: Time { seconds: metadata.mtime(), nanoseconds: metadata.mtime_nsec() },
                changed: Time { seconds: metadata.ctime(), nanoseconds: metadata.ctime_nsec() },
            }
        }
        #[cfg(not(unix))]
        {
            let modified = metadata.modified().map_or(Time::default(), Time::of);
            Self { device: 0, inode: 0, size: metadata.len(), modified, changed: Time::default() }
        }
    }

    /// The stamp from the system's own metadata.
    #[cfg(unix)]
    #[allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        clippy::cast_possible_wrap,
        reason = "the fields' types differ between systems"
    )]
    #[must_use]
    pub fn of_stat(stat: &rustix::fs::Stat) -> Self {
        Self {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            size: stat.st_size.cast_unsigned() as u64,
            modified: Time { seconds: i64::from(stat.st_mtime), nanoseconds: stat.st_mtime_nsec as i64 },
            changed: Time { seconds: i64::from(stat.st_ctime), nanoseconds: stat.st_ctime_nsec as i64 },
        }
    }

    /// The stamp, if it distinguishes the file from others.
    #[must_use]
    pub fn identified(self) -> Option<Self> {
        Some(self).filter(|stamp| stamp.inode != 0)
    }

    /// Whether the last change was so long ago that another one would show in the stamp.
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

/// The identity of a directory in its file system, which changes if it is created again. Device numbers can
/// change, so they are not part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its number in the file system; 0 if there is none.
    inode: u64,
    /// When it was created, in nanoseconds since 1970, if the file system knows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    born: Option<u64>,
}

impl Identity {
    /// The identity of a directory.
    ///
    /// # Errors
    /// If it cannot be examined.
    pub fn of(directory: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(directory)?;
        let born = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let born = born.and_then(|since| u64::try_from(since.as_nanos()).ok());
        Ok(Self { inode: inode(&metadata), born })
    }
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recently_changed_file_is_not_settled() {
        let now = UNIX_EPOCH + Duration::from_secs(100);
        let at = |seconds| Time { seconds, nanoseconds: 0 };
        let stamp = Stamp { device: 1, inode: 1, size: 1, modified: at(10), changed: at(97) };
        assert!(stamp.is_settled(now));
        assert!(!Stamp { changed: at(98), ..stamp }.is_settled(now));
        assert!(!Stamp { modified: at(99), ..stamp }.is_settled(now));
        assert!(!Stamp { modified: at(500), ..stamp }.is_settled(now));
    }
}
