//! Directories for what a program is given to read.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

/// A directory that only this process's user may enter, and that goes with this.
#[derive(Debug)]
pub struct Scratch<'a> {
    directory: TempDir,
    /// Those that there are.
    all: &'a Mutex<BTreeSet<PathBuf>>,
}

impl<'a> Scratch<'a> {
    /// Makes one, and adds it to those that there are.
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

/// Removes all that there are.
pub(super) fn clear(all: &Mutex<BTreeSet<PathBuf>>) {
    for directory in all.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // Whoever still writes there is about to end.
        let _ = fs::remove_dir_all(directory);
    }
}
