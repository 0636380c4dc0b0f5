//! The files in the tree that a command names, which determine its effect as much as its words do.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::Fingerprint;
use crate::command::Words;
use crate::fs::{FileMetadata, real, resolved};
use crate::process::{Launcher, Programs};
use crate::read;

/// How many bytes of the files that commands name are read in total.
const MOST_BYTES: u64 = 64 << 20;

/// The files of a tree that commands name. Each file is read at most once, within a limit for all of them, since
/// this happens before anybody has trusted anything.
///
/// Only a word that is the path of a file counts, and the program if it is in the tree. What a shell, a build tool
/// or a script then runs is trusted with the command.
#[derive(Debug)]
pub struct Scripts {
    root: PathBuf,
    /// Whether nothing is looked up or read, and no command names a file.
    is_blind: bool,
    programs: Programs,
    known: Mutex<KnownContents>,
}

#[derive(Debug)]
struct KnownContents {
    /// How many more bytes may be read.
    bytes_left: u64,
    /// By real path, whether executable or not; `None` if a file cannot be read.
    contents: BTreeMap<PathBuf, Option<Fingerprint>>,
}

/// Why nobody can trust a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Untrustable {
    /// The files that it names are too large to be examined.
    #[error("names files over {} MiB", MOST_BYTES >> 20)]
    TooLarge,
    /// Its files and those of other commands are together too large to be examined.
    #[error("the commands together name files over {} MiB", MOST_BYTES >> 20)]
    TooLargeTogether,
}

impl Scripts {
    /// The files of a tree, with the programs that commands find.
    #[must_use]
    pub fn of_tree(root: &Path, launcher: &Launcher) -> Self {
        Self {
            root: resolved(root),
            is_blind: false,
            programs: launcher.programs().clone(),
            known: Mutex::new(KnownContents::nothing(MOST_BYTES)),
        }
    }

    /// These scripts without any results, so that the current files are examined.
    #[must_use]
    pub fn anew(&self) -> Self {
        self.with_nothing_known(self.is_blind)
    }

    /// These scripts for use if nothing is trusted: no file is looked up, as if no command named one.
    #[must_use]
    pub fn blind(&self) -> Self {
        self.with_nothing_known(true)
    }

    fn with_nothing_known(&self, is_blind: bool) -> Self {
        let (root, programs) = (self.root.clone(), self.programs.clone());
        Self { root, is_blind, programs, known: Mutex::new(KnownContents::nothing(MOST_BYTES)) }
    }

    /// A directory relative to the top of the tree.
    #[must_use]
    pub fn from_root(&self, directory: &Path) -> PathBuf {
        if self.is_blind {
            return directory.to_owned();
        }
        let real = resolved(directory);
        real.strip_prefix(&self.root).map(Path::to_owned).unwrap_or(real)
    }

    /// The files that the words name from `directory`, each by its path relative to the top of the tree, or
    /// by its absolute path if only a link to it is in the tree, with the fingerprint of its contents unless
    /// it cannot be read.
    ///
    /// # Errors
    /// If they are too large.
    pub fn contents(
        &self,
        words: &Words,
        directory: &Path,
    ) -> Result<BTreeMap<PathBuf, Option<Fingerprint>>, Untrustable> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let files = self.files(words, directory).into_iter();
        files.map(|(path, real)| Ok((path, known.contents(&real)?))).collect()
    }

    /// The paths of the files that the words name.
    #[must_use]
    pub fn paths(&self, words: &Words, directory: &Path) -> Vec<PathBuf> {
        self.files(words, directory).into_keys().collect()
    }

    /// The real path of each file that the words name, by its path from the top of the tree.
    fn files(&self, words: &Words, directory: &Path) -> BTreeMap<PathBuf, PathBuf> {
        if self.is_blind {
            return BTreeMap::new();
        }
        let program = self.programs.find(OsStr::new(words.program()), directory);
        let named = words.iter().map(|word| directory.join(word));
        named.chain(program).filter_map(|path| self.file(&path)).collect()
    }

    fn file(&self, named: &Path) -> Option<(PathBuf, PathBuf)> {
        if !fs::metadata(named).ok()?.is_file() {
            return None;
        }
        let real = real(named).ok()?;
        if !real.starts_with(&self.root) && !named.parent().is_some_and(|parent| self.is_inside(parent)) {
            return None;
        }
        Some((real.strip_prefix(&self.root).unwrap_or(&real).to_owned(), real))
    }

    fn is_inside(&self, directory: &Path) -> bool {
        real(directory).is_ok_and(|directory| directory.starts_with(&self.root))
    }
}

impl KnownContents {
    fn nothing(bytes_left: u64) -> Self {
        Self { bytes_left, contents: BTreeMap::new() }
    }

    /// The fingerprint of a file's contents, read once and then cached; `None` if the file cannot be read.
    fn contents(&mut self, real: &Path) -> Result<Option<Fingerprint>, Untrustable> {
        if let Some(known) = self.contents.get(real) {
            return Ok(*known);
        }
        let contents = self.hashed(real).map_or_else(|_| Ok(None), |contents| contents.map(Some))?;
        self.contents.insert(real.to_owned(), contents);
        Ok(contents)
    }

    fn hashed(&mut self, real: &Path) -> Result<Result<Fingerprint, Untrustable>, read::Unreadable> {
        let file = read::open(real)?;
        let metadata = file.metadata()?;
        let (length, is_executable) = (metadata.len(), FileMetadata::of(&metadata).is_executable);
        let refusal = match length {
            0..=MOST_BYTES if self.bytes_left < MOST_BYTES => Untrustable::TooLargeTogether,
            _ => Untrustable::TooLarge,
        };
        if length > self.bytes_left {
            return Ok(Err(refusal));
        }
        let mut bytes = Vec::new();
        file.take(self.bytes_left + 1).read_to_end(&mut bytes)?;
        let left = self.bytes_left.checked_sub(bytes.len() as u64);
        self.bytes_left = left.unwrap_or_default();
        if left.is_none() {
            return Ok(Err(refusal));
        }
        // A shell skips a program that is not executable.
        let mark: &[&[u8]] = if is_executable { &[b"executable"] } else { &[] };
        Ok(Ok(Fingerprint::of([bytes.as_slice()].into_iter().chain(mark.iter().copied()))))
    }
}
