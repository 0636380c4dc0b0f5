//! The index files in the cache directory.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::header::Header;
use crate::cache::create_private;
use crate::words::hex;

/// More bytes of one index are neither written nor read.
pub(super) const MOST_BYTES: u64 = 256 << 20;

/// The name of their directory in the cache directory.
const DIRECTORY: &str = "search";

/// All indexes together are at most so large, in bytes.
pub(super) const MOST_TOGETHER: u64 = 512 << 20;

/// The indexes in a cache directory.
#[derive(Debug, Clone)]
pub struct CachedIndexes {
    directory: PathBuf,
}

/// An index that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptIndex {
    /// The directory that it is of.
    pub base: PathBuf,
    /// How many files were indexed.
    pub files: u64,
    /// The size in bytes.
    pub bytes: u64,
}

impl CachedIndexes {
    /// The indexes in a cache directory, which need not exist.
    #[must_use]
    pub fn in_cache(cache: &Path) -> Self {
        Self { directory: cache.join(DIRECTORY) }
    }

    /// Where they are.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Those that this version can use, by their directories.
    #[must_use]
    pub fn all(&self) -> Vec<KeptIndex> {
        let index = |path: PathBuf| {
            let file = open(&path)?;
            let bytes = file.metadata().ok()?.len();
            let header = Header::read(&file)?;
            Some(KeptIndex {
                files: header.parts.iter().map(|part| part.files).sum(),
                base: header.base,
                bytes,
            })
        };
        let mut all: Vec<KeptIndex> = paths(&self.directory).into_iter().filter_map(index).collect();
        all.sort_by(|a, b| a.base.cmp(&b.base));
        all
    }

    /// Deletes all of them; a directory that is not there is no error.
    ///
    /// # Errors
    /// What the system says.
    pub fn clear(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// The file of the index of a base directory.
pub(super) fn path(cache: &Path, base: &Path) -> PathBuf {
    let hash = Sha256::digest(base.as_os_str().as_encoded_bytes());
    cache.join(DIRECTORY).join(hex(&hash[..16]))
}

/// Opens an index for reading, if it is a regular file and not too large.
pub(super) fn open(path: &Path) -> Option<File> {
    let is_usable = |metadata: &fs::Metadata| metadata.is_file() && metadata.len() <= MOST_BYTES;
    fs::symlink_metadata(path).ok().filter(is_usable)?;
    File::open(path).ok()
}

/// Notes that an index is in use, if that was long ago.
pub(super) fn mark_used(file: &File, now: SystemTime, after: Duration) {
    let used = file.metadata().and_then(|metadata| metadata.modified());
    if used.is_ok_and(|used| now.duration_since(used).is_ok_and(|age| age > after)) {
        // Then it is evicted sooner than others that are used as much.
        let _ = file.set_modified(now);
    }
}

/// A file beside the index, for its owner alone.
pub(super) fn create(path: &Path) -> io::Result<NamedTempFile> {
    let directory = path.parent().unwrap_or(Path::new("."));
    create_private(directory)?;
    tempfile::Builder::new().prefix(".index-").tempfile_in(directory)
}

/// Deletes the indexes that were not used for the longest time, but for the one at `path`, until all together have at
/// most so many bytes.
pub(super) fn evict(path: &Path, most: u64) {
    struct Old {
        used: SystemTime,
        path: PathBuf,
        bytes: u64,
    }
    let old = |path: PathBuf| {
        let metadata = fs::symlink_metadata(&path).ok()?;
        Some(Old { used: metadata.modified().ok()?, bytes: metadata.len(), path })
    };
    let mut all: Vec<Old> =
        paths(path.parent().unwrap_or(Path::new("."))).into_iter().filter_map(old).collect();
    all.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
    let mut sum: u64 = all.iter().map(|one| one.bytes).sum();
    for one in all.iter().filter(|one| one.path != path) {
        if sum <= most {
            return;
        }
        if fs::remove_file(&one.path).is_ok() {
            sum -= one.bytes;
        }
    }
}

/// The files in the directory of the indexes.
fn paths(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}
