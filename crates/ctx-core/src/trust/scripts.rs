//! The files in the tree that a command names, which decide what it does as much as its words.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::Fingerprint;
use super::shell;
use crate::fs::directory::bytes_of;
use crate::fs::{real, resolved};
use crate::git::wildmatch::{Case, Wild};
use crate::process::{Launcher, Programs, Variables};
use crate::read;
use crate::source::command::Words;

/// How much is read of the files that commands name, of all of them together, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// How many names a command may have, and how many files are looked at for its patterns.
const MOST_NAMES: usize = 10_000;

/// What comes before a directory that names after it are relative to.
const GOES_TO: [&str; 11] = [
    "cd",
    "chdir",
    "pushd",
    "-C",
    "--chdir",
    "--cwd",
    "--dir",
    "--directory",
    "--prefix",
    "--workdir",
    "--working-directory",
];

/// How many directories names are looked up in.
const MOST_DIRECTORIES: usize = 16;

/// What separates names in the value of an option, besides.
const LIST_SEPARATORS: [char; 3] = [',', ':', '@'];

/// Behind how many letters of an option a name is looked for: `-xfscripts/a.sh`.
const MOST_GLUED: usize = 64;

/// The files of a tree that commands name. Each is read at most once, and no more of all of them than can be read
/// at once, since it is read before anybody has trusted anything.
#[derive(Debug)]
pub struct Scripts {
    root: PathBuf,
    programs: Programs,
    variables: Variables,
    read: Mutex<AlreadyRead>,
}

#[derive(Debug)]
struct AlreadyRead {
    /// How many bytes may be read yet.
    left: u64,
    /// By its real path; nothing where the file cannot be read.
    contents: BTreeMap<PathBuf, Option<Fingerprint>>,
}

/// Why nobody can trust a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Untrustable {
    /// What its files hold cannot be known in time.
    #[error("names files over {} MiB", MOST_BYTES >> 20)]
    TooLarge,
    /// Which files it names cannot be known in time.
    #[error("names too many files")]
    TooMany,
}

impl Scripts {
    /// Those of a tree, with the programs and variables that commands get.
    #[must_use]
    pub fn of_tree(root: &Path, launcher: &Launcher) -> Self {
        Self {
            root: resolved(root),
            programs: launcher.programs().clone(),
            variables: launcher.variables().clone(),
            read: Mutex::new(AlreadyRead { left: MOST_BYTES, contents: BTreeMap::new() }),
        }
    }

    /// The same with nothing read so far, of which this much may be.
    fn reading(&self, left: u64) -> Self {
        let (root, programs, variables) = (self.root.clone(), self.programs.clone(), self.variables.clone());
        Self { root, programs, variables, read: Mutex::new(AlreadyRead { left, contents: BTreeMap::new() }) }
    }

    /// The same as the files are now.
    #[must_use]
    pub fn anew(&self) -> Self {
        self.reading(MOST_BYTES)
    }

    /// The same where nothing is trusted, so that nothing needs to be read: a command that names a file is then
    /// [`Untrustable`].
    #[must_use]
    pub fn unread(&self) -> Self {
        self.reading(0)
    }

    /// A directory as it is seen from the top of the tree.
    #[must_use]
    pub fn from_root(&self, directory: &Path) -> PathBuf {
        let real = resolved(directory);
        real.strip_prefix(&self.root).map(Path::to_owned).unwrap_or(real)
    }

    /// The files that the words name from `directory`, each by its path from the top of the tree, or by its whole path
    /// where only a link to it is in the tree; with what they hold, unless one cannot be read.
    ///
    /// # Errors
    /// If they are too many or too large.
    pub fn contents(
        &self,
        words: &Words,
        directory: &Path,
    ) -> Result<BTreeMap<PathBuf, Option<Fingerprint>>, Untrustable> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let files = self.files(words, directory)?.into_iter();
        files.map(|(path, real)| Ok((path, read.contents(real)?))).collect()
    }

    /// Their paths alone; none if they are too many.
    #[must_use]
    pub fn paths(&self, words: &Words, directory: &Path) -> Vec<PathBuf> {
        self.files(words, directory).map_or_else(|_| Vec::new(), |files| files.into_keys().collect())
    }

    /// The files that the words name, with their real paths.
    fn files(&self, words: &Words, directory: &Path) -> Result<BTreeMap<PathBuf, PathBuf>, Untrustable> {
        let written: Vec<String> = words.iter().map(str::to_owned).collect();
        let expand = |word: &String| shell::expanded(word, directory, &self.variables);
        let expanded: Vec<String> = written.iter().map(expand).collect();
        let mut search = ScriptSearch { root: &self.root, found: BTreeMap::new(), looked_at: 0 };
        for words in [written, expanded] {
            let sequences = shell::sequences(&words);
            let directories = search.directories(&sequences, directory)?;
            let names = words.iter().chain(sequences.iter().flatten()).flat_map(|word| names(word));
            let names: BTreeSet<&str> =
                names.filter(|name| !name.is_empty() && !name.contains('\0')).collect();
            if names.len() * directories.len() > MOST_NAMES {
                return Err(Untrustable::TooMany);
            }
            let patterns: BTreeSet<String> = shell::patterns(&words).collect();
            for directory in &directories {
                names.iter().for_each(|name| search.add(&directory.join(name)));
                for pattern in &patterns {
                    let matching = search.matching(directory, pattern)?;
                    matching.iter().for_each(|path| search.add(path));
                }
            }
            // Whatever is a program may be run.
            let programs = names.iter().filter_map(|name| self.programs.find(OsStr::new(name), directory));
            programs.for_each(|program| search.add(&program));
        }
        Ok(search.found)
    }
}

impl AlreadyRead {
    /// What a file holds, from now on; nothing if it cannot be read.
    fn contents(&mut self, real: PathBuf) -> Result<Option<Fingerprint>, Untrustable> {
        if let Some(known) = self.contents.get(&real) {
            return Ok(*known);
        }
        let contents = self.hashed(&real).map_or_else(|_| Ok(None), |contents| contents.map(Some))?;
        self.contents.insert(real, contents);
        Ok(contents)
    }

    fn hashed(&mut self, real: &Path) -> Result<Result<Fingerprint, Untrustable>, read::Unreadable> {
        let file = read::open(real)?;
        if file.metadata()?.len() > self.left {
            return Ok(Err(Untrustable::TooLarge));
        }
        let mut bytes = Vec::new();
        file.take(self.left + 1).read_to_end(&mut bytes)?;
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.unwrap_or_default();
        Ok(left.map(|_| Fingerprint::of([bytes.as_slice()])).ok_or(Untrustable::TooLarge))
    }
}

/// The names that a word may hold: all of it, its parts, the parts of those, and what is glued to a short option.
fn names(word: &str) -> impl Iterator<Item = &str> {
    let parts = word.split(shell::is_separator);
    let in_part = |part| {
        let pieces = str::split(part, LIST_SEPARATORS);
        let glued = [part].into_iter().filter(|part: &&str| part.starts_with('-')).flat_map(|option| {
            let ends = option.char_indices().skip(2).map(|(at, _)| at).take(MOST_GLUED);
            ends.map(|at| &option[at..])
        });
        [part].into_iter().chain(pieces).chain(glued)
    };
    [word].into_iter().chain(parts.flat_map(in_part))
}

/// The directory that a word goes to, with what follows it.
fn destination<'a>(word: &'a str, following: &'a [String]) -> Option<&'a str> {
    if GOES_TO.contains(&word) {
        return following.iter().map(String::as_str).find(|next| !next.starts_with('-'));
    }
    let option = GOES_TO.iter().find(|option| option.starts_with('-') && word.starts_with(**option))?;
    let rest = &word[option.len()..];
    if option.starts_with("--") { rest.strip_prefix('=') } else { Some(rest) }
}

/// Looks for files in the tree.
struct ScriptSearch<'a> {
    root: &'a Path,
    /// With their real paths.
    found: BTreeMap<PathBuf, PathBuf>,
    /// How many files were compared with patterns.
    looked_at: usize,
}

impl ScriptSearch<'_> {
    /// The directories that names may be relative to: the one that the command runs in, and those that it goes to.
    fn directories(&mut self, sequences: &[Vec<String>], first: &Path) -> Result<Vec<PathBuf>, Untrustable> {
        let mut directories = vec![first.to_owned()];
        for sequence in sequences {
            let places = sequence.iter().enumerate();
            let named = places.filter_map(|(place, word)| destination(word, &sequence[place + 1..]));
            for name in named.collect::<BTreeSet<_>>() {
                for directory in directories.clone() {
                    let matching = self.matching(&directory, name)?;
                    directories.extend(matching.into_iter().filter(|path| path.is_dir()));
                }
                directories.sort();
                directories.dedup();
                if directories.len() > MOST_DIRECTORIES {
                    return Err(Untrustable::TooMany);
                }
            }
        }
        Ok(directories)
    }

    /// Adds a path if it is that of a file in the tree, or of a link there.
    fn add(&mut self, named: &Path) {
        if !fs::metadata(named).is_ok_and(|metadata| metadata.is_file()) {
            return;
        }
        let Ok(real) = real(named) else { return };
        if real.starts_with(self.root) || named.parent().is_some_and(|parent| self.is_inside(parent)) {
            self.found.insert(real.strip_prefix(self.root).unwrap_or(&real).to_owned(), real);
        }
    }

    fn is_inside(&self, directory: &Path) -> bool {
        real(directory).is_ok_and(|directory| directory.starts_with(self.root))
    }

    /// What a shell makes of a pattern in a directory, as far as that is in the tree.
    fn matching(&mut self, directory: &Path, pattern: &str) -> Result<Vec<PathBuf>, Untrustable> {
        let mut found = vec![PathBuf::new()];
        for part in directory.join(pattern).components() {
            let name = part.as_os_str();
            let is_pattern =
                matches!(part, Component::Normal(_)) && shell::is_pattern(&name.to_string_lossy());
            if !is_pattern {
                found.iter_mut().for_each(|path| path.push(name));
                continue;
            }
            let wild = Wild::new(name.as_encoded_bytes(), Case::Sensitive);
            let is_hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
            let mut matching = Vec::new();
            found.retain(|above| self.is_inside(above));
            for above in &found {
                let names =
                    fs::read_dir(above).into_iter().flatten().flatten().map(|entry| entry.file_name());
                for below in names {
                    self.looked_at += 1;
                    if self.looked_at > MOST_NAMES {
                        return Err(Untrustable::TooMany);
                    }
                    let is_meant = is_hidden(name) || !is_hidden(&below);
                    if is_meant && wild.matches(&bytes_of(Path::new(&below))) {
                        matching.push(above.join(below));
                    }
                }
            }
            found = matching;
        }
        Ok(found)
    }
}
