//! What is known of a file without reading it.

use super::stamp::Stamp;

/// What a name in a directory is.
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
    /// The directory does not say.
    Unknown,
}

impl FileKind {
    /// The kind that the standard library tells.
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
    /// What it is, as far as the directory says.
    pub kind: FileKind,
    /// Its inode number; 0 where there is none.
    pub inode: u64,
}

/// What the file system says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileMetadata {
    /// What it is.
    pub kind: FileKind,
    /// Its size and times, and where it is.
    pub stamp: Stamp,
}

impl FileMetadata {
    /// What the standard library says.
    #[must_use]
    pub fn of(metadata: &std::fs::Metadata) -> Self {
        Self { kind: FileKind::of(metadata.file_type()), stamp: Stamp::of(metadata) }
    }
}
