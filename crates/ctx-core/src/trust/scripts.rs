//! The files in the tree that a command names, which decide what it does as much as its words.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Fingerprint;
use crate::source::command::Words;

/// What separates the words of a shell's program, besides white space and quotes.
const SHELL_SEPARATORS: [char; 14] = [';', '&', '|', '<', '>', '(', ')', '{', '}', '$', '`', '"', '\'', '='];

/// What comes before a directory that names after it are relative to.
const GOES_TO: [&str; 6] = ["cd", "pushd", "-C", "--directory", "--cwd", "--prefix"];

/// How many directories names are looked up in.
const MOST_DIRECTORIES: usize = 16;

/// How many paths are looked up before that is done in the first directory alone.
const MOST_LOOKUPS: usize = 20_000;

/// What separates names in the value of an option, besides.
const LIST_SEPARATORS: [char; 3] = [',', ':', '@'];

/// Behind how many letters of an option a name is looked for: `-xfscripts/a.sh`.
const MOST_GLUED: usize = 64;

/// A file that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Its path from the top of the tree, where it is in it by its real path; else its whole path.
    pub path: PathBuf,
    /// The SHA-256 of its contents; none if it cannot be read.
    pub contents: Option<Fingerprint>,
}

/// The files that the words name from `directory`, sorted by path: those inside the tree, and those outside
/// that a link in the tree leads to. A word is taken apart too: it may be `--file=PATH`, or the program of
/// a shell.
#[must_use]
pub fn scripts(words: &Words, directory: &Path, root: &Path) -> Vec<Script> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut found = BTreeMap::new();
    let mut directories = directories(words, directory);
    let unquoted: Vec<String> =
        words.iter().flat_map(|word| shlex::split(word).unwrap_or_default()).collect();
    let all = words.iter().chain(unquoted.iter().map(String::as_str)).flat_map(names);
    let all: BTreeSet<&str> = all.filter(|name| !name.is_empty() && !name.contains('\0')).collect();
    if all.len() * directories.len() > MOST_LOOKUPS {
        directories.truncate(1);
    }
    for named in directories.iter().flat_map(|directory| all.iter().map(|name| directory.join(name))) {
        if !fs::metadata(&named).is_ok_and(|metadata| metadata.is_file()) {
            continue;
        }
        let Ok(real) = named.canonicalize() else { continue };
        if real.starts_with(&root) || is_below(&named, &root) {
            let path = real.strip_prefix(&root).unwrap_or(&real).to_owned();
            found.entry(path).or_insert(real);
        }
    }
    let script = |(path, real): (PathBuf, PathBuf)| Script { path, contents: contents(&real).ok() };
    found.into_iter().map(script).collect()
}

/// The directories that names may be relative to: the one that the command runs in, and those that the words go to.
fn directories(words: &Words, directory: &Path) -> Vec<PathBuf> {
    let mut directories = vec![directory.to_owned()];
    let parts = words.iter().flat_map(|word| word.split(is_separator)).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    for pair in parts.windows(2).filter(|pair| GOES_TO.contains(&pair[0])) {
        let new = directories.iter().map(|directory| directory.join(pair[1])).filter(|path| path.is_dir());
        let new: Vec<PathBuf> = new.collect();
        directories.extend(new);
        directories.truncate(MOST_DIRECTORIES);
    }
    directories
}

fn is_separator(char: char) -> bool {
    char.is_whitespace() || SHELL_SEPARATORS.contains(&char)
}

/// The names that a word may hold: all of it, its parts, the parts of those, and what is glued to a short option.
fn names(word: &str) -> impl Iterator<Item = &str> {
    let parts = word.split(is_separator);
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

/// Whether the name itself is in the tree, wherever a link at its end leads.
fn is_below(named: &Path, root: &Path) -> bool {
    named
        .parent()
        .and_then(|parent| parent.canonicalize().ok())
        .is_some_and(|parent| parent.starts_with(root))
}

/// The fingerprint of a file's contents, of any size.
fn contents(path: &Path) -> io::Result<Fingerprint> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Fingerprint::finished(hash)),
            Ok(count) => hash.update(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
