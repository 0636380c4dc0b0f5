//! Reads the files that a walk found, and makes sure that what is saved for a path is exactly what it
//! contained.

use std::collections::HashSet;
use std::io::{self, Read};
use std::time::SystemTime;

use rustix::fs::{AtFlags, fstat, readlinkat, statat};

use super::entry::{Manifest, Mode, ObjectId, TreeEntry, TreePath};
use super::record::{Unsaved, UnsavedReason};
use super::stamps::{KnownStamp, Stamps};
use super::walk::{FileToSave, LARGEST, mode_of};
use crate::fs::Stamp;
use crate::fs::directory::{self, RootDirectory};
use crate::progress::Progress;

/// How many times a file that keeps changing is read.
const ATTEMPTS: usize = 3;

/// The current contents of a path.
#[derive(Debug)]
pub(super) struct SeenContents {
    pub entry: TreeEntry,
    pub bytes: Vec<u8>,
    pub stamp: Stamp,
}

/// The files of a tree, as they were read.
#[derive(Debug)]
pub(super) struct CurrentFiles {
    /// By path.
    pub manifest: Manifest,
    /// Paths that no rule ignores and that could not be read.
    pub left_out: Vec<Unsaved<Vec<u8>>>,
}

/// Reads the files that a walk found, one after the other.
pub(super) struct ContentsReader<'a> {
    tree: &'a RootDirectory,
    waiting: std::slice::Iter<'a, FileToSave>,
    stamps: &'a Stamps,
    now: SystemTime,
    progress: Option<&'a Progress>,
    sent: HashSet<ObjectId>,
    /// What has been saved so far, by path.
    pub manifest: Manifest,
    /// The contents to remember for the next checkpoint, with their stamps.
    pub known: Vec<KnownStamp<TreePath>>,
    /// The files that could not be read.
    pub left_out: Vec<Unsaved<Vec<u8>>>,
}

impl<'a> ContentsReader<'a> {
    /// A reader for the files that a walk found. It reports to `progress`, if given.
    pub fn new(
        tree: &'a RootDirectory,
        found: &'a [FileToSave],
        stamps: &'a Stamps,
        now: SystemTime,
        progress: Option<&'a Progress>,
    ) -> Self {
        if let Some(progress) = progress {
            progress.expect(found.len());
        }
        Self {
            tree,
            known: Vec::with_capacity(found.len()),
            waiting: found.iter(),
            stamps,
            now,
            progress,
            sent: HashSet::new(),
            manifest: Manifest::new(),
            left_out: Vec::new(),
        }
    }

    /// Reads on until it finds contents that the store does not have; `None` at the end.
    pub fn next_new(&mut self) -> Option<Vec<u8>> {
        loop {
            let FileToSave { path, mode, stamp } = self.waiting.next()?;
            if let Some(progress) = self.progress {
                progress.advance(1);
            }
            let is_believed = *mode != Mode::Link && stamp.is_settled(self.now);
            if let Some(id) = is_believed.then(|| self.stamps.get(path.bytes(), stamp)).flatten() {
                self.known.push(KnownStamp { path: path.clone(), stamp: *stamp, id });
                self.manifest.insert(path.clone(), TreeEntry { mode: *mode, id });
                continue;
            }
            match read(self.tree, path) {
                Ok(SeenContents { entry, bytes, stamp }) => {
                    let id = entry.id;
                    if entry.mode != Mode::Link && stamp.is_settled(self.now) {
                        self.known.push(KnownStamp { path: path.clone(), stamp, id });
                    }
                    self.manifest.insert(path.clone(), entry);
                    if !self.stamps.has(id) && self.sent.insert(id) {
                        return Some(bytes);
                    }
                }
                // It has been removed since.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let reason = match error.kind() {
                        io::ErrorKind::ResourceBusy => UnsavedReason::Changing,
                        io::ErrorKind::FileTooLarge => UnsavedReason::TooLarge,
                        _ => UnsavedReason::Unreadable,
                    };
                    self.left_out.push(Unsaved { path: path.bytes().to_vec(), reason });
                }
            }
        }
    }
}

/// Reads a file or link without following links.
pub(super) fn read(tree: &RootDirectory, path: &TreePath) -> io::Result<SeenContents> {
    let directory = tree.open_directory(path.parent())?;
    read_in(&directory, path.name())
}

/// Reads a file or link in an open directory, without following links.
///
/// # Errors
/// [`io::ErrorKind::ResourceBusy`] if it keeps changing, [`io::ErrorKind::FileTooLarge`],
/// [`io::ErrorKind::InvalidInput`] if it is neither a file nor a link, and errors from the operating system.
pub(super) fn read_in(directory: &directory::OpenDirectory, name: &[u8]) -> io::Result<SeenContents> {
    for _ in 0..ATTEMPTS {
        if let Some(seen) = read_once(directory, name)? {
            return Ok(seen);
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

fn read_once(directory: &directory::OpenDirectory, name: &[u8]) -> io::Result<Option<SeenContents>> {
    let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    match mode_of(&stat) {
        Some(Mode::Link) => {
            let bytes = readlinkat(directory, name, Vec::new())?.into_bytes();
            let entry = TreeEntry { mode: Mode::Link, id: ObjectId::of_blob(&bytes) };
            Ok(Some(SeenContents { entry, bytes, stamp: Stamp::of_stat(&stat) }))
        }
        Some(Mode::File | Mode::Executable) => {
            let mut file = directory::open_in(directory, name)?;
            let before = fstat(&file)?;
            let Some(mode @ (Mode::File | Mode::Executable)) = mode_of(&before) else { return Ok(None) };
            let mut bytes = Vec::with_capacity(usize::try_from(before.st_size).unwrap_or(0) + 1);
            (&mut file).take(LARGEST + 1).read_to_end(&mut bytes)?;
            if bytes.len() as u64 > LARGEST {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            let stamp = Stamp::of_stat(&fstat(&file)?);
            if stamp != Stamp::of_stat(&before) || bytes.len() as u64 != stamp.size {
                return Ok(None);
            }
            Ok(Some(SeenContents { entry: TreeEntry { mode, id: ObjectId::of_blob(&bytes) }, bytes, stamp }))
        }
        None => Err(io::ErrorKind::InvalidInput.into()),
    }
}
