//! Real trees: which files are selected, in which order, and what is reported about the rest.

mod deep;
mod git;
mod git_configuration;
mod git_random;
mod hostile;
mod ordinary;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;

use super::*;
use crate::entry::{Entry, Scope};
use crate::fs::real;

/// A temporary home directory with a work directory `w`, which is current.
pub struct Fixture {
    directory: TempDir,
    pub world: World,
    pub options: Options,
}

fn secret(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    (name == ".env" || name.ends_with(".pem")).then_some("key")
}

impl Fixture {
    /// Creates a named pipe.
    #[cfg(unix)]
    pub fn fifo(&self, path: &str) {
        let made = std::process::Command::new("mkfifo").arg(self.path(path)).status().unwrap();
        assert!(made.success());
    }

    pub fn new(files: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = real(directory.path()).unwrap();
        let world = World {
            cwd: home.join("w"),
            root: home.join("w"),
            home: Some(home),
            project: None,
            git: crate::world::GitEnvironment::default(),
            now: SystemTime::now(),
            threads: 2,
        };
        std::fs::create_dir(&world.cwd).unwrap();
        let fixture = Self { directory, world, options: Options::new(secret) };
        files.iter().for_each(|file| fixture.write(file, file));
        fixture
    }

    pub fn home(&self) -> PathBuf {
        real(self.directory.path()).unwrap()
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.world.cwd.join(relative)
    }

    pub fn write(&self, relative: &str, text: impl AsRef<[u8]>) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[cfg(unix)]
    pub fn link(&self, target: &str, relative: &str) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    pub fn select_scoped(&self, entries: &[ScopedEntry]) -> Selected {
        select(entries, &self.world, &self.options).unwrap()
    }

    pub fn select(&self, entries: &[&str]) -> Selected {
        self.select_scoped(&entries.iter().map(|text| scoped(Scope::Profile, text)).collect::<Vec<_>>())
    }

    pub fn labels(&self, entries: &[&str]) -> Vec<String> {
        labels(&self.select(entries))
    }
}

pub fn scoped(scope: Scope, text: &str) -> ScopedEntry {
    ScopedEntry::stored(scope, Entry::new(text))
}

pub fn labels(selected: &Selected) -> Vec<String> {
    selected.files.iter().map(|file| file.label.to_string()).collect()
}
