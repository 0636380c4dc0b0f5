//! The files that a command writes, which it must not read.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fs::real;
use crate::fs::{FileKind, FileMetadata};

/// The device and inode of a file, which identify it even if its path is unknown, as for standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileNumber {
    /// The device.
    pub device: u64,
    /// The inode number on that device.
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

/// The files that the command writes, which are never read.
#[derive(Debug, Default)]
pub struct Outputs {
    ids: Vec<FileNumber>,
    paths: Vec<PathBuf>,
    met: AtomicUsize,
}

impl Outputs {
    /// The outputs with these paths (if they exist) and numbers. A file at a path is replaced, so its other
    /// names lead to the old file, which may be read.
    #[must_use]
    pub fn new(paths: &[PathBuf], ids: &[FileNumber]) -> Self {
        let paths = paths.iter().filter_map(|path| real(path).ok()).collect();
        let ids = ids.iter().copied().filter(|id| id.inode != 0).collect();
        Self { ids, paths, met: AtomicUsize::new(0) }
    }

    /// Whether a file with this inode may be an output.
    #[must_use]
    pub fn may_hold(&self, inode: u64) -> bool {
        self.ids.iter().any(|id| id.inode == inode)
    }

    /// Whether this file is an output.
    #[must_use]
    pub fn holds(&self, file: &FileMetadata) -> bool {
        self.noted(self.ids.contains(&FileNumber::of_metadata(file)))
    }

    /// Whether the file with this canonical path is an output.
    #[must_use]
    pub fn hold_path(&self, canonical: impl FnOnce() -> PathBuf) -> bool {
        self.noted(!self.paths.is_empty() && self.paths.contains(&canonical()))
    }

    /// Whether any output was left out.
    #[must_use]
    pub fn were_met(&self) -> bool {
        self.met.load(Ordering::Relaxed) > 0
    }

    fn noted(&self, met: bool) -> bool {
        self.met.fetch_add(usize::from(met), Ordering::Relaxed);
        met
    }
}
