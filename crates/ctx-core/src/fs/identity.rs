//! Telling a directory from another one that takes its place.

use std::fs;
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// What a file system knows a directory by, so that one that was made anew is another one. Device numbers
/// change, so they are no part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its number in the file system; 0 where there is none.
    inode: u64,
    /// When it was made, in nanoseconds since 1970, where the file system knows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    born: Option<u64>,
}

impl Identity {
    /// That of a directory.
    ///
    /// # Errors
    /// If it cannot be looked at.
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
