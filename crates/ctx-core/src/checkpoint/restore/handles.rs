//! Reaches and moves files through directory handles: no link is followed, nothing outside the tree is reached,
//! and a name is only taken while it is free, or exchanged with another one in a single operation.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, FileType, Mode as Permissions, OFlags, RawMode, RenameFlags, Stat};
use rustix::io::Errno;

use crate::checkpoint::contents::{SeenContents, read_in};
use crate::checkpoint::entry::{Mode, TreeEntry, TreePath};
use crate::fs::exchange::{exchange, is_unsupported};
use crate::fs::names::join;

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);

/// The execute permission bits.
const EXECUTE: RawMode = 0o111;

/// The directory of a tree.
#[derive(Debug)]
pub struct Root(OwnedFd);

/// An open directory in a tree.
#[derive(Debug)]
pub struct WritableDirectory(OwnedFd);

/// Why a directory could not be opened.
#[derive(Debug)]
pub enum NoDirectory {
    /// It does not exist.
    Missing,
    /// This path, relative to the root, is not a directory.
    NotDirectory(Vec<u8>),
    /// The system refused.
    Failed(io::Error),
}

/// Two names were not exchanged.
#[derive(Debug)]
pub struct NotExchanged {
    pub source: io::Error,
    /// The temporary name of the old file, if the file was already moved.
    pub aside: Option<Vec<u8>>,
}

impl Root {
    /// Opens the top of a tree.
    pub fn open(path: &std::path::Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::open(path, DIRECTORY, Permissions::empty())?))
    }

    /// Opens a directory of the tree, name by name; an empty path is the root.
    pub fn directory(&self, path: &[u8]) -> Result<WritableDirectory, NoDirectory> {
        self.open_below(path, false)
    }

    /// Opens a directory of the tree, creating missing directories.
    pub fn made_directory(&self, path: &[u8]) -> Result<WritableDirectory, NoDirectory> {
        self.open_below(path, true)
    }

    fn open_below(&self, path: &[u8], makes_missing: bool) -> Result<WritableDirectory, NoDirectory> {
        let open = |directory: &OwnedFd, name: &[u8]| {
            rustix::fs::openat(directory, name, DIRECTORY, Permissions::empty())
        };
        let mut current = open(&self.0, b".").map_err(|error| NoDirectory::Failed(error.into()))?;
        let mut end = 0;
        for name in path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            end += name.len() + usize::from(end > 0);
            let opened = match open(&current, name) {
                Err(Errno::NOENT) if makes_missing => {
                    let mode = Permissions::from_raw_mode(0o777);
                    match rustix::fs::mkdirat(&current, name, mode) {
                        Ok(()) | Err(Errno::EXIST) => open(&current, name),
                        Err(error) => Err(error),
                    }
                }
                opened => opened,
            };
            current = opened.map_err(|error| match error {
                Errno::NOENT => NoDirectory::Missing,
                Errno::NOTDIR | Errno::LOOP | Errno::MLINK => NoDirectory::NotDirectory(path[..end].to_vec()),
                error => NoDirectory::Failed(error.into()),
            })?;
        }
        Ok(WritableDirectory(current))
    }

    /// The nearest existing directory above a path.
    pub fn nearest<'p>(&self, path: &'p TreePath) -> &'p [u8] {
        let is_there = |directory: &&[u8]| self.directory(directory).is_ok();
        path.ancestors().find(is_there).unwrap_or_default()
    }

    /// The metadata of a path, without following links; `None` if it does not exist.
    pub fn stat(&self, path: &TreePath) -> Result<Option<Stat>, NoDirectory> {
        match self.directory(path.parent()) {
            Ok(directory) => directory.stat(path.name()).map_err(NoDirectory::Failed),
            Err(NoDirectory::Missing) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// An existing path as its directories spell it; the file system may accept other spellings.
    pub fn spelling(&self, path: &TreePath) -> Result<Vec<u8>, NoDirectory> {
        let mut spelled = Vec::new();
        for name in path.bytes().split(|byte| *byte == b'/') {
            let directory = self.directory(&spelled)?;
            let name = directory.spelling(name).map_err(NoDirectory::Failed)?;
            spelled = join(&spelled, &name);
        }
        Ok(spelled)
    }

    /// Whether a path has exactly this entry now.
    pub fn has(&self, path: &TreePath, entry: TreeEntry) -> bool {
        let directory = self.directory(path.parent());
        directory.is_ok_and(|directory| directory.has(path.name(), Some(entry)))
    }

    /// Removes a directory if it is empty, and returns whether it is gone.
    pub fn remove_if_empty(&self, path: &TreePath) -> bool {
        self.directory(path.parent()).is_ok_and(|directory| {
            rustix::fs::unlinkat(&directory.0, path.name(), AtFlags::REMOVEDIR).is_ok()
        })
    }
}

impl WritableDirectory {
    pub fn stat(&self, name: &[u8]) -> io::Result<Option<Stat>> {
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The names in the directory.
    pub fn names(&self) -> io::Result<Vec<Vec<u8>>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(name.to_vec());
            }
        }
        Ok(names)
    }

    /// A name as the directory spells it; the name itself if it does not exist.
    fn spelling(&self, name: &[u8]) -> io::Result<Vec<u8>> {
        let names = self.names()?;
        let Some(stat) = self.stat(name)?.filter(|_| !names.iter().any(|known| known == name)) else {
            return Ok(name.to_vec());
        };
        let is_same = |other: &Stat| (other.st_dev, other.st_ino) == (stat.st_dev, stat.st_ino);
        let is_spelled_so = |known: &Vec<u8>| {
            self.stat(known).ok().flatten().is_some_and(|other| is_same(&other))
                || differ_in_case(known, name)
        };
        let same = names.into_iter().find(is_spelled_so);
        Ok(same.unwrap_or_else(|| name.to_vec()))
    }

    /// Reads the file or link with this name as it would be saved; `None` if the name does not exist.
    pub fn read(&self, name: &[u8]) -> io::Result<Option<SeenContents>> {
        match read_in(&self.0, name) {
            Ok(seen) => Ok(Some(seen)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a name has exactly this entry now. A file that cannot be read counts as different.
    pub fn has(&self, name: &[u8], entry: Option<TreeEntry>) -> bool {
        self.read(name).is_ok_and(|seen| seen.map(|seen| seen.entry) == entry)
    }

    /// Creates a file or link under a free name, and writes its contents to disk. A file gets the permissions
    /// of the one that it will replace, except for the execute bits.
    pub fn make(
        &self,
        name: &[u8],
        entry: TreeEntry,
        bytes: &[u8],
        replaced: Option<&Stat>,
    ) -> io::Result<()> {
        let executable = match entry.mode {
            Mode::Link => {
                return Ok(rustix::fs::symlinkat(bytes, &self.0, name)?);
            }
            Mode::Executable => EXECUTE,
            Mode::File => 0,
        };
        let kept = replaced.filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = if kept.is_some() { 0o600 } else { 0o666 | executable };
        let mut file =
            File::from(rustix::fs::openat(&self.0, name, flags, Permissions::from_raw_mode(mode))?);
        file.write_all(bytes)?;
        if let Some(stat) = kept {
            rustix::fs::fchmod(&file, with_execution(stat.st_mode, entry.mode))?;
        }
        file.sync_all()
    }

    /// Changes whether a file with these contents is executable; returns whether it still had these contents.
    pub fn set_execution(&self, name: &[u8], before: TreeEntry, after: Mode) -> io::Result<bool> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = rustix::fs::openat(&self.0, name, flags, Permissions::empty())?;
        if !self.has(name, Some(before)) {
            return Ok(false);
        }
        let stat = rustix::fs::fstat(&file)?;
        rustix::fs::fchmod(&file, with_execution(stat.st_mode, after))?;
        Ok(true)
    }

    pub fn unlink(&self, name: &[u8]) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Exchanges the file under a temporary name with the one under `name`, and returns the temporary name
    /// that the old file now has. If the file system cannot do this in one operation, `name` does not exist
    /// between two renames.
    pub fn exchange(&self, temporary: &[u8], name: &[u8]) -> Result<Vec<u8>, NotExchanged> {
        let untouched = |source: io::Error| NotExchanged { source, aside: None };
        if exchange(&self.0, temporary, name).map_err(untouched)? {
            return Ok(temporary.to_vec());
        }
        let aside = aside(temporary);
        self.take(name, &aside).map_err(untouched)?;
        match self.give(temporary, self, name) {
            Ok(()) => Ok(aside),
            Err(source) => Err(NotExchanged { source, aside: Some(aside) }),
        }
    }

    /// Moves whatever is under `name` to a temporary name.
    pub fn take(&self, name: &[u8], temporary: &[u8]) -> io::Result<()> {
        self.rename(name, self, temporary)
    }

    /// Moves the file under a temporary name to `name`, which must be free.
    pub fn give(&self, temporary: &[u8], other: &Self, name: &[u8]) -> io::Result<()> {
        match rustix::fs::renameat_with(&self.0, temporary, &other.0, name, RenameFlags::NOREPLACE) {
            // A hard link never replaces a file that somebody has just put there.
            Err(error) if is_unsupported(error) => {
                match rustix::fs::linkat(&self.0, temporary, &other.0, name, AtFlags::empty()) {
                    Ok(()) => self.unlink(temporary),
                    Err(error) if is_unsupported(error) || matches!(error, Errno::PERM | Errno::MLINK) => {
                        self.rename(temporary, other, name)
                    }
                    Err(error) => Err(error.into()),
                }
            }
            given => Ok(given?),
        }
    }

    fn rename(&self, name: &[u8], other: &Self, other_name: &[u8]) -> io::Result<()> {
        match rustix::fs::renameat_with(&self.0, name, &other.0, other_name, RenameFlags::NOREPLACE) {
            Err(error) if is_unsupported(error) => match other.stat(other_name)? {
                Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
                None => Ok(rustix::fs::renameat(&self.0, name, &other.0, other_name)?),
            },
            renamed => Ok(renamed?),
        }
    }

    /// Makes changes in the directory durable.
    pub fn sync(&self) -> io::Result<()> {
        match rustix::fs::fsync(&self.0) {
            // Some file systems cannot sync a directory, and report that.
            Err(error) if is_unsupported(error) => Ok(()),
            synced => Ok(synced?),
        }
    }
}

/// Whether two names differ only in letter case; some file systems give each spelling its own inode number.
fn differ_in_case(one: &[u8], other: &[u8]) -> bool {
    let lower = |name: &[u8]| String::from_utf8_lossy(name).to_lowercase();
    lower(one) == lower(other)
}

/// Where an exchange in several steps puts the old file: the other one of a step's two temporary names.
pub fn aside(temporary: &[u8]) -> Vec<u8> {
    const ASIDE: &[u8] = b"-aside";
    temporary.strip_suffix(ASIDE).map_or_else(|| [temporary, ASIDE].concat(), <[u8]>::to_vec)
}

/// The permissions of a file that replaces one with this mode. Whoever may read an executable file may also
/// execute it; nobody may execute any other file. The other bits are dropped: a file that ran as its owner
/// would otherwise run as the person who restores it.
fn with_execution(mode: RawMode, wanted: Mode) -> Permissions {
    let bits = mode & 0o777;
    Permissions::from_raw_mode(match wanted {
        Mode::Executable => bits | ((bits & 0o444) >> 2),
        Mode::File | Mode::Link => bits & !EXECUTE,
    })
}

impl NoDirectory {
    /// The reason as a system error.
    pub fn into_io(self) -> io::Error {
        match self {
            Self::Missing => Errno::NOENT.into(),
            Self::NotDirectory(_) => Errno::NOTDIR.into(),
            Self::Failed(error) => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_only_in_case_are_recognised() {
        assert!(
            differ_in_case(b"README.md", b"Readme.MD")
                && differ_in_case("\u{c4}".as_bytes(), "\u{e4}".as_bytes())
        );
        assert!(!differ_in_case(b"a", b"b") && !differ_in_case(b"a", b"aa"));
    }
}
