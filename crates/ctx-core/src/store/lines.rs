//! Files of the store that grow line by line, such as histories.
//!
//! A line is appended by a single write in append mode, synced, and only then reported. A killed writer can
//! leave the last line incomplete: since nobody was told about that line, the next writer cuts it off.
//! Because the incomplete line may also be a slip in an editor, it is saved next to the file.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::StoreError;
use super::error::{ChangeOutcome, Fault, Unwritten};
pub(crate) use super::files::read;
#[cfg(unix)]
pub(crate) use super::files::sweep;
use super::files::{self, Sync};
use super::layout::{StoreFile, StoreLayout};
use super::lock::Lock;
use super::permissions::{self, Access};
use super::symlink;

/// After this many changes while it was reading, a reader uses what it has, and a writer gives up.
pub(super) const ATTEMPTS: usize = 100;

/// Where complete lines end in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WholeLines {
    /// The length of the complete lines, in bytes.
    pub length: u64,
    /// Whether the last line is complete but has no newline.
    pub lacks_newline: bool,
    /// The rest, which is not a complete line.
    pub torn: Vec<u8>,
}

/// Where the part that is cut off from a file is saved.
pub(crate) fn torn_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".torn");
    PathBuf::from(name)
}

/// Proof that no other process may write to the store now.
#[derive(Debug)]
pub(crate) struct LineWriter {
    _locks: Vec<Lock>,
    layout: StoreLayout,
    /// The files that the recovery of an interrupted change left alone.
    pub(super) kept_edits: Vec<StoreFile>,
    /// Whether a file had changed since its writer read it.
    has_met_edit: Cell<bool>,
}

/// Opens a file of at most this many bytes; `None` if it does not exist.
pub(crate) fn open(path: &Path, limit: u64) -> Result<Option<File>, StoreError> {
    let Some(file) = files::open(path)? else { return Ok(None) };
    match file.metadata() {
        Ok(metadata) if metadata.len() > limit => Err(StoreError::TooLarge { path: path.to_owned(), limit }),
        Ok(_) => Ok(Some(file)),
        Err(error) => Err(unread_first(path, error)),
    }
}

/// The error for a file that could not be read before anything was changed.
pub(crate) fn unread_first(path: &Path, error: io::Error) -> StoreError {
    files::unread(path, error).before_any_change()
}

/// The last bytes of a file, at most this many; `None` if it does not exist.
pub(crate) fn read_end(path: &Path, bytes: u64) -> Result<Option<FileEnd>, StoreError> {
    let opened = files::open(path).map_err(StoreError::before_any_change)?;
    let Some(mut file) = opened else { return Ok(None) };
    let mut end = Vec::new();
    let mut read = || {
        let start = file.metadata()?.len().saturating_sub(bytes);
        file.seek(SeekFrom::Start(start))?;
        (&mut file).take(bytes).read_to_end(&mut end)?;
        Ok(start)
    };
    let start = read().map_err(|error| unread_first(path, error))?;
    Ok(Some(FileEnd { start, bytes: end }))
}

/// The last part of a file.
#[derive(Debug)]
pub(crate) struct FileEnd {
    /// How many bytes come before it.
    pub start: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl LineWriter {
    pub(super) fn new(locks: Vec<Lock>, layout: StoreLayout, kept_edits: Vec<StoreFile>) -> Self {
        Self { _locks: locks, layout, kept_edits, has_met_edit: Cell::new(false) }
    }

    /// Repeats the work as long as somebody saves the file in the meantime.
    pub fn until_unedited<T, E>(&self, mut work: impl FnMut() -> Result<T, E>) -> Result<T, E> {
        let mut attempt = 1;
        loop {
            let worked = work();
            if worked.is_ok() || !self.has_met_edit.take() || attempt == ATTEMPTS {
                return worked;
            }
            attempt += 1;
        }
    }

    fn edited(&self, path: &Path) -> StoreError {
        self.has_met_edit.set(true);
        StoreError::Edited { path: path.to_owned() }
    }

    /// Appends a line, after moving an incomplete one to a file next to it; returns that file, if any.
    ///
    /// # Errors
    /// [`StoreError::Io`] with what happened to the file; [`StoreError::Edited`].
    pub fn append(&self, path: &Path, whole: &WholeLines, line: &str) -> Result<Option<PathBuf>, StoreError> {
        let torn = self.keep_torn(path, whole)?;
        self.append_line(path, whole, line).map(|()| torn)
    }

    /// Saves the part to be cut off from a file next to it; returns that file, if any.
    ///
    /// # Errors
    /// The system's error, which states that nothing was changed.
    pub fn keep_torn(&self, path: &Path, whole: &WholeLines) -> Result<Option<PathBuf>, StoreError> {
        if whole.torn.is_empty() {
            return Ok(None);
        }
        let kept = torn_path(path);
        let earlier = read(&kept, u64::MAX - 1)?.unwrap_or_default();
        self.back_up(&kept, &[&earlier, whole.torn.as_slice(), b"\n"].concat())?;
        Ok(Some(kept))
    }

    fn append_line(&self, path: &Path, whole: &WholeLines, line: &str) -> Result<(), StoreError> {
        prepare(path, Access::Private)?;
        let is_new = !path.exists();
        let mut options = OpenOptions::new();
        let mut file = permissions::cautious(options.append(true).create(true))
            .open(path)
            .map_err(Fault::of("open", path))
            .map_err(Fault::nothing_changed)?;
        let length = file.metadata().map_err(Fault::of("read", path)).map_err(Fault::nothing_changed)?.len();
        if length != whole.length + whole.torn.len() as u64 {
            return Err(self.edited(path));
        }
        let appended = append(&mut file, path, whole, line).and_then(|()| {
            if is_new { files::sync_directory(files::parent(path), Sync::Required) } else { Ok(()) }
        });
        appended.map_err(|fault| {
            let taken_back = if is_new { fs::remove_file(path) } else { file.set_len(whole.length) };
            match (taken_back, fault.in_place) {
                (Err(_), true) => fault.with(ChangeOutcome::NotDurable),
                (Ok(()), _) | (Err(_), false) => fault.nothing_changed(),
            }
        })?;
        // An editor may have just replaced the file.
        if files::is_at(&file, path) { Ok(()) } else { Err(self.edited(path)) }
    }

    /// Checks that a line could be appended, as far as that can be known in advance.
    ///
    /// # Errors
    /// If it could not be appended.
    pub fn check(&self, path: &Path) -> Result<(), StoreError> {
        prepare(path, Access::Private)?;
        let opened = if path.exists() {
            permissions::cautious(OpenOptions::new().append(true)).open(path).map(drop)
        } else {
            permissions::check_writable(files::parent(path))
        };
        opened.map_err(Fault::of("open", path)).map_err(Fault::nothing_changed)
    }

    /// Replaces a file that is unchanged since it was read, or creates it.
    ///
    /// # Errors
    /// [`StoreError::Io`] with what happened to the file; [`StoreError::Edited`].
    pub fn replace(&self, path: &Path, before: Option<&[u8]>, text: &[u8]) -> Result<(), StoreError> {
        let access = self.layout.access(path);
        let target = prepare(path, access)?;
        let unread = Cell::new(None);
        let is_same = |at: &Path| {
            files::holds(at, before, &target).unwrap_or_else(|error| {
                unread.set(Some(error));
                false
            })
        };
        let replaced = files::replace(&target, text, access, Sync::Required, is_same);
        replaced.map_err(|error| match (error, unread.take()) {
            (Unwritten::Edited { .. }, Some(error)) => error.before_any_change(),
            (Unwritten::Edited { .. }, None) => self.edited(path),
            (Unwritten::Fault(fault), _) => fault.of_one_file(),
        })
    }

    /// Writes the backup of a file, which is changed only afterwards.
    ///
    /// # Errors
    /// The system's error, which states that nothing was changed, whatever happened to the backup.
    pub fn back_up(&self, path: &Path, text: &[u8]) -> Result<(), StoreError> {
        replace(path, text).map_err(|error| match error {
            StoreError::Io { fault, .. } => fault.nothing_changed(),
            error => error,
        })
    }

    /// Removes a file.
    ///
    /// # Errors
    /// [`StoreError::Io`] with what happened to the file.
    pub fn remove(&self, path: &Path) -> Result<(), StoreError> {
        prepare(path, self.layout.access(path))?;
        files::remove(path, Sync::Required).map_err(Fault::of_one_file)
    }

    /// Removes a file that is unchanged since it was read.
    ///
    /// # Errors
    /// [`StoreError::Io`] with what happened to the file; [`StoreError::Edited`].
    pub fn remove_unedited(&self, path: &Path, before: Option<&[u8]>) -> Result<(), StoreError> {
        prepare(path, self.layout.access(path))?;
        let is_same = |at: &Path| files::holds(at, before, path).unwrap_or(false);
        files::remove_if(path, Sync::Required, is_same).map_err(|error| match error {
            Unwritten::Edited { .. } => self.edited(path),
            Unwritten::Fault(fault) => fault.of_one_file(),
        })
    }

    /// Removes a file next to one that has already been changed.
    ///
    /// # Errors
    /// If it still exists, or may exist again after a power failure.
    pub fn remove_after(&self, path: &Path) -> Result<(), StoreError> {
        files::remove(path, Sync::Required).map_err(|fault| fault.with(ChangeOutcome::Incomplete))
    }
}

/// Replaces or creates a file; only for the holder of a lock on it.
///
/// # Errors
/// [`StoreError::Io`] with what happened to the file.
pub(crate) fn replace(path: &Path, text: &[u8]) -> Result<(), StoreError> {
    let target = prepare(path, Access::Private)?;
    files::replace(&target, text, Access::Private, Sync::Required, |_| true).map_err(Unwritten::of_one_file)
}

#[cfg(unix)]
/// Creates a directory and its parents, which only the owner can access. Refuses an existing directory to
/// which everyone can write.
///
/// # Errors
/// If it cannot be created, or is refused.
pub(crate) fn create_private_directory(path: &Path) -> Result<(), StoreError> {
    let made = files::create_directory(path, Access::Private);
    made.map_err(Fault::nothing_changed)?;
    files::check_safe(path)
}

/// Creates the directory of a file, and returns the file's path, or that of its target if it is a link.
fn prepare(path: &Path, access: Access) -> Result<PathBuf, StoreError> {
    let directory = files::parent(path);
    files::create_directory(directory, access).map_err(Fault::nothing_changed)?;
    files::check_safe(directory)?;
    let target = symlink::resolve(path).map_err(Fault::nothing_changed)?;
    files::check_safe(files::parent(&target))?;
    Ok(target)
}

fn append(file: &mut File, path: &Path, whole: &WholeLines, line: &str) -> Result<(), Fault> {
    let metadata = file.metadata().map_err(Fault::of("read", path))?;
    if !metadata.is_file() {
        return Err(Fault::of("write", path)(io::Error::other("not a regular file")));
    }
    permissions::make_private_file(file).map_err(Fault::of("protect", path))?;
    if metadata.len() > whole.length {
        file.set_len(whole.length).map_err(Fault::of("write", path))?;
    }
    let newline = if whole.lacks_newline { "\n" } else { "" };
    file.write_all(format!("{newline}{line}\n").as_bytes()).map_err(Fault::of("write", path))?;
    let not_synced = |source| Fault { in_place: true, ..Fault::of("sync", path)(source) };
    file.sync_all().map_err(not_synced)
}
