//! The files in the tree that a command names, which determine its effect as much as its words do.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Fingerprint;
use super::shell;
use crate::fs::directory::bytes_of;
use crate::fs::names::without_dots;
use crate::fs::{FileMetadata, real, resolved};
use crate::git::wildmatch::{Case, Wild};
use crate::process::{Launcher, Programs, Variables};
use crate::read;
use crate::source::command::Words;

/// How many bytes of the files that commands name are read in total.
const MOST_BYTES: u64 = 64 << 20;

/// How many names are looked up for one command, including those compared with its patterns.
const MOST_NAMES: usize = 10_000;

/// How many bytes of text count as one name, because reading them takes as long.
const BYTES_OF_A_NAME: usize = 1 << 10;

/// How many names are looked up in total for all commands.
const MOST_NAMES_OF_ALL: usize = 50_000;

/// Commands that change to a directory, which later names are relative to.
const GOES_TO: [&str; 3] = ["cd", "chdir", "pushd"];

/// Options that name such a directory, and which may be abbreviated. Another one is `-C`.
const GOING_TO: [&str; 7] = ["chdir", "cwd", "dir", "directory", "prefix", "workdir", "working-directory"];

/// Variables with a list of directories in which a shell looks up later names.
const SEARCHED: [&str; 2] = ["PATH=", "CDPATH="];

/// The file that Python runs if it is given a directory.
const MAIN_OF_DIRECTORY: &str = "__main__.py";

/// The file that Python runs first if it is given a module in a directory.
const INIT_OF_DIRECTORY: &str = "__init__.py";

/// How many directories a module's name may contain.
const MOST_NESTED: usize = 64;

/// How much of a file is read to find its interpreter, in bytes.
const FIRST_LINE: u64 = 256;

/// How many directories are used to look up names.
const MOST_DIRECTORIES: usize = 16;

/// Other separators of names in the value of an option.
const LIST_SEPARATORS: [char; 3] = [',', ':', '@'];

/// How many characters into an option a name may begin: `-xfscripts/a.sh`.
const MOST_GLUED: usize = 64;

/// The files of a tree that commands name. Each command is examined and each file read at most once, within a
/// limit for all of them, since this happens before anybody has trusted anything.
#[derive(Debug)]
pub struct Scripts {
    root: PathBuf,
    programs: Programs,
    variables: Variables,
    known: Mutex<KnownScripts>,
}

/// The files that a command names.
#[derive(Debug, Default)]
struct NamedFiles {
    /// The real path of each file, by its path from the top of the tree.
    files: BTreeMap<PathBuf, PathBuf>,
    /// Whether a shell may construct other names.
    has_unknown: bool,
}

#[derive(Debug)]
struct KnownScripts {
    /// How many more names may be looked up.
    names_left: usize,
    /// How many more bytes may be read.
    bytes_left: u64,
    /// The files that commands name, by words and directory.
    files: HashMap<(Words, PathBuf), Result<Arc<NamedFiles>, Untrustable>>,
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
    /// It names too many files to be examined.
    #[error("names too many files")]
    TooMany,
    /// It and other commands together name too many files to be examined.
    #[error("the commands together name too many files")]
    TooManyTogether,
}

impl Scripts {
    /// The files of a tree, with the programs and variables that commands get.
    #[must_use]
    pub fn of_tree(root: &Path, launcher: &Launcher) -> Self {
        Self {
            root: resolved(root),
            programs: launcher.programs().clone(),
            variables: launcher.variables().clone(),
            known: Mutex::new(KnownScripts::nothing(MOST_NAMES_OF_ALL, MOST_BYTES)),
        }
    }

    /// These scripts without any results, with these limits for looking up names and reading bytes.
    pub(super) fn within(&self, names: usize, bytes: u64) -> Self {
        let (root, programs, variables) = (self.root.clone(), self.programs.clone(), self.variables.clone());
        Self { root, programs, variables, known: Mutex::new(KnownScripts::nothing(names, bytes)) }
    }

    /// These scripts without any results, so that the current files are examined.
    #[must_use]
    pub fn anew(&self) -> Self {
        self.within(MOST_NAMES_OF_ALL, MOST_BYTES)
    }

    /// These scripts for use if nothing is trusted: nothing is examined, and every command is
    /// [`Untrustable`].
    #[must_use]
    pub fn unread(&self) -> Self {
        self.within(0, 0)
    }

    /// A directory relative to the top of the tree.
    #[must_use]
    pub fn from_root(&self, directory: &Path) -> PathBuf {
        let real = resolved(directory);
        real.strip_prefix(&self.root).map(Path::to_owned).unwrap_or(real)
    }

    /// The files that the words name from `directory`, each by its path relative to the top of the tree, or
    /// by its absolute path if only a link to it is in the tree, with the fingerprint of its contents unless
    /// it cannot be read.
    ///
    /// # Errors
    /// If there are too many, or they are too large.
    pub fn contents(
        &self,
        words: &Words,
        directory: &Path,
    ) -> Result<BTreeMap<PathBuf, Option<Fingerprint>>, Untrustable> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let named = known.files(self, words, directory)?;
        named.files.iter().map(|(path, real)| Ok((path.clone(), known.contents(real)?))).collect()
    }

    /// The paths of the files that the words name; none if there are too many.
    #[must_use]
    pub fn paths(&self, words: &Words, directory: &Path) -> Vec<PathBuf> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .files(self, words, directory)
            .map_or_else(|_| Vec::new(), |named| named.files.keys().cloned().collect())
    }

    /// Whether a shell may construct names from the words that do not appear in them.
    #[must_use]
    pub fn have_unknown_names(&self, words: &Words, directory: &Path) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.files(self, words, directory).is_ok_and(|named| named.has_unknown)
    }

    /// The files that the words name.
    fn files(&self, words: &Words, directory: &Path, left: &mut usize) -> Result<NamedFiles, Untrustable> {
        let written: Vec<String> = words.iter().map(str::to_owned).collect();
        let split = shell::split_by_env(&written).ok_or(Untrustable::TooMany)?;
        let previous = self.variables.get("OLDPWD").map(PathBuf::from);
        let mut search = ScriptSearch { root: &self.root, previous, found: BTreeMap::new(), left };
        let expanded = self.expanded(&mut search, &split, directory)?;
        let has_unknown = expanded.has_unknown;
        let mut waiting = vec![written, split, expanded.words];
        waiting.dedup();
        let mut begun: BTreeSet<PathBuf> = BTreeSet::new();
        while let Some(words) = waiting.pop() {
            self.search(&mut search, &words, directory)?;
            let new: Vec<PathBuf> =
                search.found.values().filter(|file| !begun.contains(*file)).cloned().collect();
            search.look_at(new.len())?;
            // The interpreter of a script may also be a script in the tree.
            waiting.extend(new.iter().filter_map(|file| first_line(file)));
            begun.extend(new);
        }
        Ok(NamedFiles { files: search.found, has_unknown })
    }

    /// The words with variables replaced, taking each directory that the words change to as the shell's
    /// current directory.
    fn expanded(
        &self,
        search: &mut ScriptSearch<'_>,
        words: &[String],
        directory: &Path,
    ) -> Result<shell::Expanded, Untrustable> {
        let mut directories = vec![directory.to_owned()];
        loop {
            let mut expanded =
                shell::expanded(words, &directories, &self.variables).ok_or(Untrustable::TooMany)?;
            // Long text takes as much time as many names.
            search.look_at(expanded.words.iter().map(String::len).sum::<usize>() / BYTES_OF_A_NAME)?;
            let sequences = shell::sequences(&expanded.words);
            let mut reached = search.directories(&sequences, directory)?;
            extend(&mut reached, directories.iter().cloned())?;
            if reached == directories {
                expanded.has_unknown |= sequences.iter().any(|words| shell::run_what_is_found(words));
                return Ok(expanded);
            }
            directories = reached;
        }
    }

    fn search(
        &self,
        search: &mut ScriptSearch<'_>,
        words: &[String],
        directory: &Path,
    ) -> Result<(), Untrustable> {
        let sequences = shell::sequences(words);
        let directories = search.directories(&sequences, directory)?;
        let names = words.iter().chain(sequences.iter().flatten()).flat_map(|word| names(word));
        let names: BTreeSet<&str> = names.filter(|name| !name.is_empty() && !name.contains('\0')).collect();
        search.look_at(names.len() * directories.len())?;
        let patterns: BTreeSet<String> = shell::patterns(words).collect();
        let mut of_modules: BTreeSet<PathBuf> = BTreeSet::new();
        for module in [words].into_iter().chain(sequences.iter().map(Vec::as_slice)).flat_map(modules) {
            of_modules.extend(files_of_module(module)?);
        }
        search.look_at(of_modules.len() * directories.len())?;
        for directory in &directories {
            names.iter().for_each(|name| search.add(&directory.join(name)));
            of_modules.iter().for_each(|file| search.add(&directory.join(file)));
            for pattern in &patterns {
                let matching = search.matching(directory, pattern)?;
                matching.iter().for_each(|path| search.add(path));
            }
        }
        // Any name may be that of a program that is run.
        let programs = names.iter().filter_map(|name| self.programs.find(OsStr::new(name), directory));
        programs.for_each(|program| search.add(&program));
        Ok(())
    }
}

impl KnownScripts {
    fn nothing(names_left: usize, bytes_left: u64) -> Self {
        Self { names_left, bytes_left, files: HashMap::new(), contents: BTreeMap::new() }
    }

    /// The files that the words name, looked up once and then cached.
    fn files(
        &mut self,
        scripts: &Scripts,
        words: &Words,
        directory: &Path,
    ) -> Result<Arc<NamedFiles>, Untrustable> {
        if self.names_left == 0 {
            return Err(Untrustable::TooManyTogether);
        }
        let key = (words.clone(), directory.to_owned());
        if let Some(known) = self.files.get(&key) {
            return known.clone();
        }
        let most = self.names_left.min(MOST_NAMES);
        let mut left = most;
        let refusal = if most < MOST_NAMES { Untrustable::TooManyTogether } else { Untrustable::TooMany };
        let files = scripts.files(words, directory, &mut left).map(Arc::new).map_err(|_| refusal);
        self.names_left -= most - left;
        self.files.insert(key, files.clone());
        files
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
        // A shell skips a program that is not executable.
        let mark: &[&[u8]] = if is_executable { &[b"executable"] } else { &[] };
        let all = || Fingerprint::of([bytes.as_slice()].into_iter().chain(mark.iter().copied()));
        Ok(left.map(|_| all()).ok_or(refusal))
    }
}

/// The words after `#!` at the start of a file.
fn first_line(file: &Path) -> Option<Vec<String>> {
    let mut start = Vec::new();
    read::open(file).ok()?.take(FIRST_LINE).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).split_whitespace().map(str::to_owned).collect())
}

/// The modules that words run as Python does: `-m tools.lint`. The `m` may follow other short options.
fn modules(words: &[String]) -> impl Iterator<Item = &str> {
    words.iter().enumerate().filter_map(|(place, word)| {
        let (_, glued) = word.strip_prefix('-')?.split_once('m')?;
        let module = if glued.is_empty() { words.get(place + 1)?.as_str() } else { glued };
        Some(module)
            .filter(|module| !module.contains(|char: char| char.is_whitespace() || "/\0".contains(char)))
    })
}

/// The files that may run first if a module does, whether they exist or not.
fn files_of_module(module: &str) -> Result<Vec<PathBuf>, Untrustable> {
    let mut files = Vec::new();
    let mut place = PathBuf::new();
    for (depth, name) in module.split('.').enumerate() {
        if depth == MOST_NESTED {
            return Err(Untrustable::TooMany);
        }
        place.push(name);
        let mut file = place.clone().into_os_string();
        file.push(".py");
        files.extend([PathBuf::from(file), place.join(INIT_OF_DIRECTORY), place.join(MAIN_OF_DIRECTORY)]);
    }
    Ok(files)
}

/// The names that a word may contain: all of it, its parts, the parts of those, and what follows a short option.
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

/// The directories in a variable such as `PATH`.
fn searched(word: &str) -> impl Iterator<Item = &str> {
    let value = SEARCHED.iter().find_map(|name| word.strip_prefix(name));
    let names = value.into_iter().flat_map(|value| value.split(':'));
    names.filter(|name| !name.is_empty() && !name.contains('\0'))
}

/// The directory that a word, with the words after it, changes to; `-` for the previous one.
fn destination<'a>(word: &'a str, following: &'a [String]) -> Option<&'a str> {
    let next = || following.iter().map(String::as_str).find(|next| *next == "-" || !next.starts_with('-'));
    if GOES_TO.contains(&word) {
        return next();
    }
    if let Some(option) = word.strip_prefix("--") {
        let (name, directory) =
            option.split_once('=').map_or((option, None), |(name, directory)| (name, Some(directory)));
        let is_known = !name.is_empty() && GOING_TO.iter().any(|known| known.starts_with(name));
        return if is_known { directory.or_else(next) } else { None };
    }
    // The `C` may follow other short options.
    let (_, directory) = word.strip_prefix('-')?.split_once('C')?;
    if directory.is_empty() { next() } else { Some(directory) }
}

/// Adds directories, each once.
fn extend(directories: &mut Vec<PathBuf>, new: impl Iterator<Item = PathBuf>) -> Result<(), Untrustable> {
    directories.extend(new);
    directories.sort();
    directories.dedup();
    if directories.len() > MOST_DIRECTORIES { Err(Untrustable::TooMany) } else { Ok(()) }
}

/// Looks for files in the tree.
struct ScriptSearch<'a> {
    root: &'a Path,
    /// The directory before the one that the command runs in, for a shell that goes back.
    previous: Option<PathBuf>,
    /// The real path of each file, by its path from the top of the tree.
    found: BTreeMap<PathBuf, PathBuf>,
    /// How many more names may be looked up.
    left: &'a mut usize,
}

impl ScriptSearch<'_> {
    /// Counts the names that are looked up.
    fn look_at(&mut self, names: usize) -> Result<(), Untrustable> {
        let left = self.left.checked_sub(names);
        *self.left = left.unwrap_or_default();
        left.map(|_| ()).ok_or(Untrustable::TooMany)
    }

    /// The directories that names may be relative to: the one that the command runs in, and those it changes
    /// to.
    fn directories(&mut self, sequences: &[Vec<String>], first: &Path) -> Result<Vec<PathBuf>, Untrustable> {
        let mut directories = vec![first.to_owned()];
        for sequence in sequences {
            let listed: Vec<PathBuf> =
                sequence.iter().flat_map(|word| searched(word)).map(|name| first.join(name)).collect();
            self.look_at(listed.len())?;
            // Most of the listed directories are outside the tree.
            let inside = listed.into_iter().filter(|path| path.is_dir() && self.is_inside(path));
            extend(&mut directories, inside)?;
            let places = sequence.iter().enumerate();
            let named = places.filter_map(|(place, word)| destination(word, &sequence[place + 1..]));
            let named = named.chain(shell::starting_points(sequence));
            let mut known = BTreeSet::new();
            for name in named.filter(|name| known.insert(*name)) {
                if name == "-" {
                    let previous = self.previous.clone();
                    let inside = previous.filter(|path| path.is_dir() && self.is_inside(path));
                    extend(&mut directories, inside.into_iter())?;
                }
                self.look_at(directories.len())?;
                for directory in directories.clone() {
                    let matching = self.matching(&directory, name)?;
                    let reached = matching.iter().flat_map(|path| {
                        // Below a link, `..` means the link's parent directory in a shell, but the target's
                        // parent directory in other programs.
                        [without_dots(path), real(path).unwrap_or_default()]
                    });
                    extend(&mut directories, reached.filter(|path| path.is_dir()))?;
                }
            }
        }
        Ok(directories)
    }

    /// Adds the path of a file or link in the tree.
    fn add(&mut self, named: &Path) {
        let Ok(metadata) = fs::metadata(named) else { return };
        let main = metadata.is_dir().then(|| named.join(MAIN_OF_DIRECTORY));
        let named = main.as_deref().unwrap_or(named);
        if !metadata.is_file() && !named.is_file() {
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

    /// The matches of a shell pattern in a directory, if they are in the tree.
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
                    self.look_at(1)?;
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
