//! The files that a command writes, which it must not read.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fs::real;
use crate::fs::{FileKind, FileMetadata};

/// A file by its number, for files without a path, such as standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileNumber {
    /// The device.
    pub device: u64,
    /// The number on it.
    pub inode: u64,
}

impl FileNumber {
    /// The file behind an open descriptor.
    #[cfg(unix)]
    #[must_use]
    pub fn of(descriptor: impl std::os::fd::AsFd) -> Option<Self> {
        crate::fs::directory::metadata_of(descriptor).ok().map(|metadata| Self::of_metadata(&metadata))
    }

    /// Nothing, since the system has no such numbers.
    #[cfg(not(unix))]
    #[must_use]
    pub fn of<T>(_: T) -> Option<Self> {
        None
    }

    /// The regular file that a path leads to.
    #[must_use]
    pub fn at(path: &Path) -> Option<Self> {
        let metadata = FileMetadata::of(&path.metadata().ok()?);
        (metadata.kind == FileKind::Regular).then(|| Self::of_metadata(&metadata))
    }

    fn of_metadata(metadata: &FileMetadata) -> Self {
        Self { device: metadata.stamp.device, inode: metadata.stamp.inode }
    }
}

/// The files that are never read.
#[derive(Debug, Default)]
pub struct Outputs {
    ids: Vec<FileNumber>,
    paths: Vec<PathBuf>,
    met: AtomicUsize,
}

impl Outputs {
    /// The outputs with these paths (if they exist) and numbers. A path is one name of a file that is replaced:
    /// other names lead to the old file, which may be read.
    #[must_use]
    pub fn new(paths: &[PathBuf], ids: &[FileNumber]) -> Self {
        let paths = paths.iter().filter_map(|path| real(path).ok()).collect();
        let ids = ids.iter().copied().filter(|id| id.inode != 0).collect();
        Self { ids, paths, met: AtomicUsize::new(0) }
    }

    /// Whether a file with that number may be one of them.
    #[must_use]
    pub fn may_hold(&self, inode: u64) -> bool {
        self.ids.iter().any(|id| id.inode == inode)
    }

    /// Whether this file is one of them.
    #[must_use]
    pub fn holds(&self, file: &FileMetadata) -> bool {
        self.noted(self.ids.contains(&FileNumber::of_metadata(file)))
    }

    /// Whether the file with that canonical path is one of them.
    #[must_use]
    pub fn hold_path(&self, canonical: impl FnOnce() -> PathBuf) -> bool {
        self.noted(!self.paths.is_empty() && self.paths.contains(&canonical()))
    }

    /// Whether any file was left out because it is one of them.
    #[must_use]
    pub fn were_met(&self) -> bool {
        self.met.load(Ordering::Relaxed) > 0
    }

    fn noted(&self, met: bool) -> bool {
        self.met.fetch_add(usize::from(met), Ordering::Relaxed);
        met
    }
}
