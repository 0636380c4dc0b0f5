//! Directories for tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;

use super::real;
use crate::world::{GitEnvironment, World};

/// Directories for a test, including the home directory `home`.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new(directories: &[&str]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        directories.iter().for_each(|path| fs::create_dir_all(place.at(path)).unwrap());
        place
    }

    pub(crate) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        real(self.0.path()).unwrap().join(path)
    }

    /// The world of a command started in one of its directories.
    pub(crate) fn world(&self, cwd: &str) -> World {
        World {
            cwd: self.at(cwd),
            root: self.at(cwd),
            home: Some(self.at("home")),
            project: None,
            git: GitEnvironment::default(),
            now: SystemTime::UNIX_EPOCH,
            threads: 1,
        }
    }
}
