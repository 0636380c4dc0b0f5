//! Files of the store that grow a line at a time, such as histories.
//!
//! A line is appended by one write in append mode, synced, and only then reported. A killed writer can
//! leave the last line unfinished: nobody was told of that line, so the next writer cuts it off.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::error::{ChangeOutcome, Fault};
pub(crate) use super::files::read;
#[cfg(unix)]
pub(crate) use super::files::sweep;
use super::files::{self, Sync};
use super::lock::Lock;
use super::{Store, StoreError, permissions};
use crate::symlink;

/// Where whole lines end in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WholeLines {
    /// The length of everything that is kept, in bytes.
    pub length: u64,
    /// The last line is whole, but has no line end.
    pub lacks_newline: bool,
}

/// The one process that may write to the store now.
#[derive(Debug)]
pub(crate) struct LineWriter {
    _lock: Lock,
}

impl Store {
    /// Waits for its turn, and then works as the only writer.
    pub(crate) fn writing<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&LineWriter) -> Result<T, E>,
    ) -> Result<T, E> {
        let writer = LineWriter { _lock: self.lock()?.lock };
        work(&writer)
    }
}

/// The last bytes of a file, and how long it is; `None` if there is none.
pub(crate) fn read_end(path: &Path, bytes: u64) -> Result<Option<FileEnd>, StoreError> {
    let opened = files::open(path).map_err(StoreError::before_any_change)?;
    let Some(files::Opened { mut file, length }) = opened else { return Ok(None) };
    let start = length.saturating_sub(bytes);
    let mut end = Vec::new();
    let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.take(bytes).read_to_end(&mut end));
    read.map_err(|error| files::unread(path, error).before_any_change())?;
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
    /// Appends a line, after cutting off what follows the whole ones.
    ///
    /// # Errors
    /// With what became of the file.
    pub fn append(&self, path: &Path, whole: WholeLines, line: &str) -> Result<(), StoreError> {
        let nothing_changed = |fault: Fault| fault.with(ChangeOutcome::NothingChanged);
        prepare(path)?;
        let is_new = !path.exists();
        let mut options = OpenOptions::new();
        let mut file = permissions::cautious(options.append(true).create(true))
            .open(path)
            .map_err(Fault::of("open", path))
            .map_err(nothing_changed)?;
        let appended = append(&mut file, path, whole, line).and_then(|()| {
            if is_new { files::sync_directory(files::parent(path), Sync::Required) } else { Ok(()) }
        });
        appended.map_err(|fault| {
            let taken_back = if is_new { fs::remove_file(path) } else { file.set_len(whole.length) };
            match (taken_back, fault.in_place) {
                (Err(_), true) => fault.with(ChangeOutcome::NotDurable),
                (Ok(()), _) | (Err(_), false) => nothing_changed(fault),
            }
        })
    }

    /// Makes sure that a line could be appended, as far as that can be known before.
    ///
    /// # Errors
    /// Why it could not.
    pub fn check(&self, path: &Path) -> Result<(), StoreError> {
        prepare(path)?;
        let opened = if path.exists() {
            permissions::cautious(OpenOptions::new().append(true)).open(path).map(drop)
        } else {
            permissions::check_writable(files::parent(path))
        };
        opened.map_err(Fault::of("open", path)).map_err(|fault| fault.with(ChangeOutcome::NothingChanged))
    }

    /// Puts a text in the place of a file, or makes the file.
    ///
    /// # Errors
    /// With what became of the file.
    pub fn replace(&self, path: &Path, text: &[u8]) -> Result<(), StoreError> {
        replace(path, text)
    }

    /// The same with the backup of a file that is changed only after it.
    ///
    /// # Errors
    /// That nothing was changed, whatever became of the backup.
    pub fn replace_before(&self, path: &Path, text: &[u8]) -> Result<(), StoreError> {
        replace(path, text).map_err(|error| match error {
            StoreError::Io { fault, .. } => fault.with(ChangeOutcome::NothingChanged),
            error => error,
        })
    }

    /// Removes a file.
    ///
    /// # Errors
    /// With what became of the file.
    pub fn remove(&self, path: &Path) -> Result<(), StoreError> {
        prepare(path)?;
        files::remove(path, Sync::Required).map_err(Fault::of_one_file)
    }

    /// Removes a file beside one that was changed already.
    ///
    /// # Errors
    /// When it is still there, or may be there again after a power failure.
    pub fn remove_after(&self, path: &Path) -> Result<(), StoreError> {
        files::remove(path, Sync::Required).map_err(|fault| fault.with(ChangeOutcome::StillThere))
    }
}

/// Puts a text in the place of a file, or makes the file; only for whoever holds a lock on it.
///
/// # Errors
/// With what became of the file.
pub(crate) fn replace(path: &Path, text: &[u8]) -> Result<(), StoreError> {
    prepare(path)?;
    let target =
        symlink::resolve(path).map_err(|broken| Fault::from(broken).with(ChangeOutcome::NothingChanged))?;
    files::replace(&target, text, Sync::Required).map_err(Fault::of_one_file)
}

#[cfg(unix)]
/// Makes a directory and its parents for the owner alone, and refuses one in which everyone may write.
///
/// # Errors
/// As it says.
pub(crate) fn create_private_directory(path: &Path) -> Result<(), StoreError> {
    files::create_private_directory(path).map_err(|fault| fault.with(ChangeOutcome::NothingChanged))?;
    files::check_safe(path)
}

/// The directory of the file, for the owner alone.
fn prepare(path: &Path) -> Result<(), StoreError> {
    let nothing_changed = |fault: Fault| fault.with(ChangeOutcome::NothingChanged);
    let directory = files::parent(path);
    files::create_private_directory(directory).map_err(nothing_changed)?;
    files::check_safe(directory)?;
    let target = symlink::resolve(path).map_err(|broken| nothing_changed(broken.into()))?;
    files::check_safe(files::parent(&target))
}

fn append(file: &mut File, path: &Path, whole: WholeLines, line: &str) -> Result<(), Fault> {
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
