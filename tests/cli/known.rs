//! The stores that a campaign has met: most of its commands leave one that an earlier one left too.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::states::{State, next_writer_works};
use crate::support::Sandbox;

/// What was found in stores with the same files.
#[derive(Default)]
pub struct Known(Mutex<HashMap<BTreeMap<PathBuf, Stored>, State>>);

/// The mode of a file or directory, and the contents of a file.
type Stored = (u32, Option<Vec<u8>>);

impl Known {
    /// The state of a store, in which the next writer works. It is not looked at again if its files are known, byte for
    /// byte.
    #[track_caller]
    pub fn state(&self, sandbox: &Sandbox) -> State {
        let mut files = BTreeMap::new();
        collect(&sandbox.store(), &sandbox.store(), &mut files);
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(state) = known().get(&files) {
            return state.clone();
        }
        let state = State::of(sandbox);
        next_writer_works(sandbox);
        known().insert(files, state.clone());
        state
    }
}

/// Adds everything in and below a directory of a store, if it exists.
fn collect(directory: &Path, store: &Path, files: &mut BTreeMap<PathBuf, Stored>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        let metadata = path.symlink_metadata().unwrap();
        let contents = (!metadata.is_dir()).then(|| fs::read(&path).unwrap());
        collect(&path, store, files);
        let relative = path.strip_prefix(store).unwrap().to_owned();
        files.insert(relative, (metadata.permissions().mode(), contents));
    }
}
