//! Directories with the input of programs.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

/// A directory that only this process's user can access. It is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch<'a> {
    directory: TempDir,
    /// All existing ones.
    all: &'a Mutex<BTreeSet<PathBuf>>,
}

impl<'a> Scratch<'a> {
    /// Makes one and adds it to the existing ones.
    pub(super) fn new(all: &'a Mutex<BTreeSet<PathBuf>>) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("ctx-").tempdir()?;
        all.lock().unwrap_or_else(PoisonError::into_inner).insert(directory.path().to_owned());
        Ok(Self { directory, all })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).remove(self.directory.path());
    }
}

/// Removes all existing ones.
pub(super) fn clear(all: &Mutex<BTreeSet<PathBuf>>) {
    for directory in all.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // A program that still writes there is about to end.
        let _ = fs::remove_dir_all(directory);
    }
}
