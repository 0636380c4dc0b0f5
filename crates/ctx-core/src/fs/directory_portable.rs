//! The tree on systems without POSIX descriptors: plain paths, without the promise that a directory replaced by a
//! link is not followed.

use std::fs::File;
use std::io;
use std::path::Path;
/// A directory.
pub use std::path::PathBuf as OpenDirectory;

pub use super::RootDirectory;
use super::metadata::{FileKind, FileMetadata, Listed};
pub use crate::fs::names::{as_path, bytes_of, path_of};
use crate::fs::open_without_waiting;

impl RootDirectory {
    /// Uses `path` as the root.
    ///
    /// # Errors
    /// If it cannot be read as a directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        std::fs::read_dir(path)?;
        Ok(Self { path: path.to_owned() })
    }

    /// Uses a root that need not be readable.
    ///
    /// # Errors
    /// If the directory does not exist.
    pub fn unlisted(path: &Path) -> io::Result<Self> {
        if path.is_dir() { Ok(Self { path: path.to_owned() }) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    /// A directory below the root as a separate root.
    ///
    /// # Errors
    /// If it cannot be read as a directory.
    pub fn below(&self, relative: &[u8]) -> io::Result<Self> {
        if relative.is_empty() {
            Self::open(&self.path)
        } else {
            Self::open(&self.path.join(path_of(relative)))
        }
    }

    /// The path of the root.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file below the root.
    ///
    /// # Errors
    /// Errors from opening it.
    pub fn open_file(&self, relative: &[u8]) -> io::Result<File> {
        let path = self.path.join(path_of(relative));
        if std::fs::symlink_metadata(&path)?.is_file() {
            open_without_waiting(&path)
        } else {
            Err(io::ErrorKind::InvalidInput.into())
        }
    }

    /// The target of a link below the root.
    ///
    /// # Errors
    /// The error from the operating system.
    pub fn read_link(&self, relative: &[u8]) -> io::Result<Vec<u8>> {
        Ok(bytes_of(&std::fs::read_link(self.path.join(path_of(relative)))?))
    }

    /// The metadata of a path below the root; the last name is not followed.
    ///
    /// # Errors
    /// Errors from the operating system.
    pub fn metadata(&self, relative: &[u8]) -> io::Result<FileMetadata> {
        metadata(&self.path, relative)
    }

    /// A directory below the root; empty means the root itself.
    ///
    /// # Errors
    /// None here: errors are returned when the directory is listed.
    pub fn open_directory(&self, relative: &[u8]) -> io::Result<OpenDirectory> {
        Ok(self.path.join(path_of(relative)))
    }
}

/// Calls `each` for every name in the directory, in no particular order.
///
/// # Errors
/// Errors from reading the directory.
pub fn list(
    directory: &OpenDirectory,
    _buffer: &mut Vec<u8>,
    mut each: impl FnMut(Listed<'_>),
) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let kind = entry.file_type().map_or(FileKind::Unknown, FileKind::of);
        each(Listed { name: name.as_encoded_bytes(), kind, inode: 0 });
    }
    Ok(())
}

/// The metadata of a name in a directory, without following a link.
///
/// # Errors
/// Errors from the operating system.
pub fn metadata(directory: &OpenDirectory, name: &[u8]) -> io::Result<FileMetadata> {
    Ok(FileMetadata::of(&std::fs::symlink_metadata(directory.join(path_of(name)))?))
}

/// Opens a file in a directory without following a link.
///
/// # Errors
/// Errors from opening it; a link is an error.
pub fn open_in(directory: &OpenDirectory, name: &str) -> io::Result<File> {
    let path = directory.join(name);
    if std::fs::symlink_metadata(&path)?.is_file() {
        open_without_waiting(&path)
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}

/// A directory by its path.
///
/// # Errors
/// None here: errors are returned when the directory is listed.
pub fn open_directory_at(path: &Path) -> io::Result<OpenDirectory> {
    Ok(path.to_owned())
}
