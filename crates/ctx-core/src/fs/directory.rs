//! A directory tree that cannot be escaped: everything opened through it is below its root, even if a
//! directory is replaced by a link in the meantime.

use std::fs::File;
use std::io;
/// An open directory.
pub use std::os::fd::OwnedFd as OpenDirectory;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};

pub use super::RootDirectory;
use super::metadata::{FileKind, FileMetadata, Listed, Stamp};
use super::names::{last_name, parent_of};
pub use crate::fs::names::{as_path, bytes_of, path_of};

/// With these flags, opening a file never blocks, leaks it to child processes, or makes it the controlling
/// terminal.
const SAFE: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);
const DIRECTORY: OFlags = SAFE.union(OFlags::DIRECTORY);
#[cfg(target_os = "linux")]
const UNLISTED: OFlags = OFlags::PATH.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY);
#[cfg(not(target_os = "linux"))]
const UNLISTED: OFlags = DIRECTORY;

impl RootDirectory {
    /// Opens the root. `path` should be canonical; links in it are the user's choice.
    ///
    /// # Errors
    /// Errors from `open`.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::of(rustix::fs::openat(CWD, path, DIRECTORY, Mode::empty())?, path.to_owned()))
    }

    /// Opens a root that need not be readable, if the system allows that.
    ///
    /// # Errors
    /// Errors from `open`.
    pub fn unlisted(path: &Path) -> io::Result<Self> {
        Ok(Self::of(rustix::fs::openat(CWD, path, UNLISTED, Mode::empty())?, path.to_owned()))
    }

    /// A directory below the root as a separate root. No link on the way is followed, now or later. It uses
    /// the handle of this root, since there may be more such roots than a process can open.
    ///
    /// # Errors
    /// Errors from `open`; a link on the way is an error.
    pub fn below(&self, relative: &[u8]) -> io::Result<Self> {
        drop(self.open_directory(relative)?);
        let mut prefix = self.below_open(relative);
        let path = if relative.is_empty() {
            self.path.clone()
        } else {
            prefix.push(b'/');
            self.path.join(as_path(relative))
        };
        Ok(Self { open: Arc::clone(&self.open), prefix: prefix.into(), path, ..*self })
    }

    fn of(open: OwnedFd, path: PathBuf) -> Self {
        Self {
            #[cfg(target_os = "linux")]
            openat2: beneath(&open, b".", UNLISTED).is_ok(),
            open: Arc::new(open),
            prefix: Box::default(),
            path,
        }
    }

    /// A path below the root, relative to the open directory.
    fn below_open(&self, relative: &[u8]) -> Vec<u8> {
        [&self.prefix, relative].concat()
    }

    /// The path of the root.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file below the root without following any link.
    ///
    /// # Errors
    /// Errors from `open`; a link on the way is an error.
    pub fn open_file(&self, relative: &[u8]) -> io::Result<File> {
        Ok(File::from(self.open_below(relative, SAFE)?))
    }

    /// Opens a directory below the root without following any link; empty means the root itself.
    ///
    /// # Errors
    /// Errors from `open`; a link on the way is an error.
    pub fn open_directory(&self, relative: &[u8]) -> io::Result<OpenDirectory> {
        self.open_below(relative, DIRECTORY)
    }

    /// The target of a link below the root; no link on the way is followed.
    ///
    /// # Errors
    /// The error from `readlink`.
    pub fn read_link(&self, relative: &[u8]) -> io::Result<Vec<u8>> {
        let directory = self.open_directory(parent_of(relative))?;
        Ok(rustix::fs::readlinkat(&directory, last_name(relative), Vec::new())?.into_bytes())
    }

    /// The metadata of a path below the root; links on the way are followed, but the last name is not.
    ///
    /// # Errors
    /// Errors from `stat`.
    pub fn metadata(&self, relative: &[u8]) -> io::Result<FileMetadata> {
        metadata(&self.open, &self.below_open(relative))
    }

    fn open_below(&self, relative: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
        let path = self.below_open(relative);
        let path = match path.strip_suffix(b"/").unwrap_or(&path) {
            b"" => b".",
            path => path,
        };
        #[cfg(target_os = "linux")]
        if self.openat2 {
            return beneath(&self.open, path, flags);
        }
        self.open_by_steps(path, flags)
    }

    fn open_by_steps(&self, relative: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
        let mut names = relative.split(|byte| *byte == b'/').peekable();
        let mut current: Option<OwnedFd> = None;
        while let Some(name) = names.next() {
            if name == b".." || name.is_empty() {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            let parent = current.as_ref().unwrap_or(&self.open);
            let flags = if names.peek().is_some() { DIRECTORY } else { flags };
            let next = rustix::fs::openat(parent, name, flags | OFlags::NOFOLLOW, Mode::empty())?;
            current = Some(next);
        }
        current.ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

#[cfg(target_os = "linux")]
fn beneath(root: &OwnedFd, relative: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    loop {
        match rustix::fs::openat2(root, relative, flags, Mode::empty(), resolve) {
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            result => return Ok(result?),
        }
    }
}

/// Calls `each` for every name in the directory except `.` and `..`, in no particular order.
///
/// # Errors
/// Errors from reading the directory.
#[cfg(target_os = "linux")]
pub fn list(
    directory: &OpenDirectory,
    buffer: &mut Vec<u8>,
    mut each: impl FnMut(Listed<'_>),
) -> io::Result<()> {
    buffer.clear();
    buffer.reserve(32 * 1024);
    let mut raw = rustix::fs::RawDir::new(directory.as_fd(), buffer.spare_capacity_mut());
    while let Some(entry) = raw.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            each(Listed { name, kind: kind(entry.file_type()), inode: entry.ino() });
        }
    }
    Ok(())
}

/// Calls `each` for every name in the directory except `.` and `..`, in no particular order.
///
/// # Errors
/// Errors from reading the directory.
#[cfg(not(target_os = "linux"))]
pub fn list(
    directory: &OpenDirectory,
    _buffer: &mut Vec<u8>,
    mut each: impl FnMut(Listed<'_>),
) -> io::Result<()> {
    for entry in rustix::fs::Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            each(Listed { name, kind: kind(entry.file_type()), inode: entry.ino() });
        }
    }
    Ok(())
}

/// The metadata of a name in a directory, without following a link.
///
/// # Errors
/// Errors from `fstatat`.
pub fn metadata(directory: &OpenDirectory, name: &[u8]) -> io::Result<FileMetadata> {
    let stat = rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(from_stat(&stat))
}

/// The metadata of an open descriptor.
///
/// # Errors
/// Errors from `fstat`.
pub fn metadata_of(descriptor: impl AsFd) -> io::Result<FileMetadata> {
    Ok(from_stat(&rustix::fs::fstat(descriptor)?))
}

fn from_stat(stat: &Stat) -> FileMetadata {
    FileMetadata {
        kind: kind(FileType::from_raw_mode(stat.st_mode)),
        is_executable: stat.st_mode & 0o100 != 0,
        stamp: Stamp::of_stat(stat),
    }
}

fn kind(file_type: FileType) -> FileKind {
    match file_type {
        FileType::RegularFile => FileKind::Regular,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        FileType::Unknown => FileKind::Unknown,
        FileType::Fifo | FileType::Socket | FileType::CharacterDevice | FileType::BlockDevice => {
            FileKind::Other
        }
    }
}

/// Opens a file in a directory without following a link.
///
/// # Errors
/// Errors from `open`; a link is an error.
pub fn open_in(directory: &OpenDirectory, name: impl rustix::path::Arg) -> io::Result<File> {
    Ok(File::from(rustix::fs::openat(directory, name, SAFE | OFlags::NOFOLLOW, Mode::empty())?))
}

/// Opens a directory by a path whose last name is not a link.
///
/// # Errors
/// Errors from `open`.
pub fn open_directory_at(path: &Path) -> io::Result<OpenDirectory> {
    Ok(rustix::fs::openat(CWD, path, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_way_of_opening_a_file_follows_links() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("root");
        std::fs::create_dir_all(root.join("a")).unwrap();
        std::fs::create_dir(temporary.path().join("outside")).unwrap();
        for place in ["root/a/f", "outside/f"] {
            std::fs::write(temporary.path().join(place), place).unwrap();
        }
        let tree = RootDirectory::open(&root).unwrap();
        assert!(tree.open_file(b"a/f").is_ok());
        std::fs::rename(root.join("a"), root.join("b")).unwrap();
        std::os::unix::fs::symlink("../outside", root.join("a")).unwrap();
        assert!(tree.open_file(b"b/f").is_ok() && tree.open_by_steps(b"b/f", SAFE).is_ok());
        for path in ["a/f", "../outside/f", "b/../../outside/f", "/etc/passwd"] {
            assert!(tree.open_file(path.as_bytes()).is_err(), "{path}");
            assert!(tree.open_by_steps(path.as_bytes(), SAFE).is_err(), "{path}");
        }
        assert!(tree.open_directory(b"a").is_err() && tree.open_by_steps(b"a", DIRECTORY).is_err());
    }
}
