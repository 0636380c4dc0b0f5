//! The context for resolving entries, and the files they name; for `up:` entries, files with certain names, from
//! the root of the tree down to the current directory.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::file::{File, FilePlace};
use super::options::Options;
use super::problem::Problem;
use crate::dependency;
use crate::entry::{Author, Scope, ScopedEntry};
use crate::fs::FileMetadata;
use crate::fs::directory::{self, RootDirectory};
use crate::fs::names::without_dots;
use crate::fs::{self, Notation, real, resolved};
use crate::git::TextLinks;
use crate::tree::Tree;
use crate::world::World;

/// A file that an entry names.
#[derive(Debug)]
pub struct NamedFile {
    /// The path as given, without `./`.
    pub given: Vec<u8>,
    /// How to open it.
    pub place: FilePlace,
    /// The absolute path, with all directories resolved but not the file itself if it is a link.
    pub absolute: PathBuf,
    /// The path with all links resolved.
    pub canonical: PathBuf,
    /// Its metadata.
    pub metadata: FileMetadata,
}

impl NamedFile {
    /// The kind of secret that its name, or its target's name, suggests.
    pub(super) fn secret(&self, options: &Options) -> Option<&'static str> {
        (options.secret)(&self.absolute).or_else(|| (options.secret)(&self.canonical))
    }
}

/// The context for resolving entries.
#[derive(Debug)]
pub struct PathResolver<'a> {
    /// The machine.
    pub world: &'a World,
    /// The options of the command.
    pub options: &'a Options,
    /// The tree; entries that others wrote may not reach beyond it.
    pub tree: Tree,
    /// The links that are files.
    pub text_links: TextLinks<'a>,
    /// The root of the tree, open.
    root: OnceLock<Arc<RootDirectory>>,
    /// See [`World::at_root`].
    at_root: World,
    /// The tree of the project; its own entries may not reach beyond it.
    project: Option<Tree>,
    known: Mutex<Known>,
}

/// What the file system said of directories. A list may name very many files in one.
#[derive(Debug, Default)]
struct Known {
    /// Their real paths, by the paths that were asked for; `None` for a missing one.
    real: HashMap<PathBuf, Option<PathBuf>>,
    /// Whether a directory, by its real path, is in a git directory.
    in_git: HashMap<PathBuf, bool>,
}

impl<'a> PathResolver<'a> {
    /// The resolver for a command.
    #[must_use]
    pub fn new(world: &'a World, options: &'a Options) -> Self {
        let tree = Tree::around(world);
        let project = world.project.as_ref().map(|project| tree.confined_to(project));
        let (root, known) = (OnceLock::new(), Mutex::default());
        let text_links = TextLinks::new(world);
        Self { world, options, tree, text_links, root, at_root: world.at_root(), project, known }
    }

    /// The machine from an entry's point of view, and how far the entry may reach.
    pub fn base(&self, scoped: &ScopedEntry) -> EntryBase<'_> {
        let world = scoped.base(self.world, &self.at_root);
        match (scoped.scope, &self.project) {
            (Scope::Project, Some(own)) => EntryBase { world, tree: own },
            (Scope::Global | Scope::Profile | Scope::Project | Scope::Session | Scope::Prompt, _) => {
                EntryBase { world, tree: &self.tree }
            }
        }
    }

    /// Opens a directory, given with all links resolved, to look for files below it. A directory in the tree is
    /// opened from the root of the tree without following links, so that a new link can't lead out of it.
    ///
    /// # Errors
    /// Errors from the operating system. A link on the path is also an error.
    pub fn open(&self, real: &Path) -> io::Result<Arc<RootDirectory>> {
        match real.strip_prefix(self.tree.root()) {
            Ok(below) => self.root()?.below(&directory::bytes_of(below)).map(Arc::new),
            Err(_) => RootDirectory::open(real).map(Arc::new),
        }
    }

    /// A path with all links resolved, and what is there.
    pub(super) fn find(&self, path: &Path) -> io::Result<(PathBuf, Metadata)> {
        // Elsewhere, names have other spellings too.
        let name = path.file_name().filter(|_| cfg!(target_os = "linux"));
        let name = name.filter(|name| path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes()));
        if let (Some(directory), Some(name)) = (path.parent(), name) {
            let path = self.directory(directory)?.join(name);
            let metadata = path.symlink_metadata()?;
            if !metadata.is_symlink() && self.text_links.target_of(&path).is_none() {
                return Ok((path, metadata));
            }
        }
        let path = self.text_links.real(path)?;
        let metadata = path.metadata()?;
        Ok((path, metadata))
    }

    /// The path of a directory with all links resolved.
    pub(super) fn directory(&self, path: &Path) -> io::Result<PathBuf> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.real.get(path) {
            return known.clone().ok_or_else(|| io::ErrorKind::NotFound.into());
        }
        let found = self.text_links.real(path);
        if found.as_ref().err().is_none_or(|error| error.kind() == io::ErrorKind::NotFound) {
            known.real.insert(path.to_owned(), found.as_ref().ok().cloned());
        }
        found
    }

    /// Whether a file, by its real path, is in a git directory.
    pub(super) fn is_file_in_git(&self, real: &Path) -> bool {
        let is_dot_git = real.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
        is_dot_git || real.parent().is_some_and(|directory| self.is_in_git(directory))
    }

    /// Whether a directory, by its real path, is in a git directory.
    pub(super) fn is_in_git(&self, directory: &Path) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.in_git.get(directory) {
            return *known;
        }
        let is_in_git = self.tree.is_in_git(directory);
        known.in_git.insert(directory.to_owned(), is_in_git);
        is_in_git
    }

    /// How to open a file that an entry names. A file in the tree is opened safely, as [`PathResolver::open`]
    /// opens a directory.
    pub(super) fn place(&self, written: WrittenPath, canonical: &Path) -> Result<FilePlace, Problem> {
        match canonical.strip_prefix(self.tree.root()) {
            Ok(below) => {
                let root = self.root().map_err(|error| Problem::of(&error))?;
                Ok(FilePlace::below(root, directory::bytes_of(below).into()))
            }
            Err(_) if real(&written.path).is_ok_and(|real| real != canonical) => {
                Ok(FilePlace::named(canonical.to_owned()))
            }
            Err(_) => Ok(FilePlace::named(written.path)),
        }
    }

    fn root(&self) -> io::Result<&Arc<RootDirectory>> {
        if let Some(root) = self.root.get() {
            return Ok(root);
        }
        let root = Arc::new(RootDirectory::unlisted(self.tree.root())?);
        Ok(self.root.get_or_init(|| root))
    }
}

/// The context for resolving one entry.
#[derive(Debug, Clone, Copy)]
pub struct EntryBase<'a> {
    /// The machine, with the entry's base as the current directory.
    pub world: &'a World,
    /// The tree; entries that others wrote may not reach beyond it.
    pub tree: &'a Tree,
}

impl EntryBase<'_> {
    /// Checks that the entry's author may name a path, as written and with all links resolved.
    pub(super) fn check_reach(
        &self,
        author: Author,
        written: &WrittenPath,
        canonical: &Path,
    ) -> Result<(), Problem> {
        if self.tree.contains(canonical) || (!author.stays_in_tree() && !written.is_relative) {
            return Ok(());
        }
        // Only the text is reliable: a second look at the path may find different links.
        match author {
            _ if self.tree.contains(&without_dots(&written.path)) => {
                Err(Problem::LinkOutside(canonical.to_owned()))
            }
            Author::List | Author::Prompt | Author::Project => Err(Problem::Outside),
            Author::User | Author::CommandLine => Ok(()),
        }
    }
}

impl WrittenPath {
    /// The name of this path's target in labels and messages: its path from the work root, whatever the
    /// current directory, or an absolute path with `~` for the home directory if it is outside the work root.
    /// `place` is the target's path with the links of its directories resolved.
    pub(super) fn called(&self, place: &Path, world: &World) -> Vec<u8> {
        let is_plain =
            || !directory::path_of(&self.given).components().any(|part| part == Component::ParentDir);
        if self.is_named || self.is_relative && world.cwd == world.root && is_plain() {
            return self.given.clone();
        }
        match below_root(place, world) {
            Some(below) => below,
            None if self.is_relative => fs::from_home(directory::bytes_of(place), world.home.as_deref()),
            None => self.given.clone(),
        }
    }
}

/// The name of a file or directory with this real path.
pub(crate) fn called(real: &Path, world: &World) -> Vec<u8> {
    let from_home = || fs::from_home(directory::bytes_of(real), world.home.as_deref());
    below_root(real, world).unwrap_or_else(from_home)
}

/// Whether a relative path would mean the home directory, or a dependency.
pub(super) fn is_read_otherwise(relative: &[u8]) -> bool {
    relative.starts_with(b"~") || relative.starts_with(dependency::PREFIX.as_bytes())
}

/// The path relative to the work root, if below it; with `./` in front if it could be taken for something else.
fn below_root(place: &Path, world: &World) -> Option<Vec<u8>> {
    let below = directory::bytes_of(place.strip_prefix(&world.root).ok()?);
    Some(if is_read_otherwise(&below) { [b"./".as_slice(), &below].concat() } else { below })
}

/// A path as written in an entry.
pub(super) struct WrittenPath {
    /// Without `.` components, and with `~` for the home directory.
    pub(super) given: Vec<u8>,
    /// The absolute path.
    pub(super) path: PathBuf,
    /// Whether it is relative to the current directory.
    pub(super) is_relative: bool,
    /// Whether it has this name wherever it is.
    is_named: bool,
}

impl WrittenPath {
    pub(super) fn of_text(text: &str, world: &World) -> Result<Self, Problem> {
        let path = path_of(text, world)?;
        let given = fs::from_home(clean(text).into_bytes(), world.home.as_deref());
        Ok(Self { given, path, is_relative: is_relative(text), is_named: false })
    }

    /// A path in which every character is literal.
    pub(super) fn exactly(path: &Path, world: &World) -> Self {
        let given = match path.strip_prefix(".") {
            Ok(rest) => rest.components().collect::<PathBuf>(),
            Err(_) => path.components().collect::<PathBuf>(),
        };
        let given = if given.starts_with("~") { Path::new(".").join(given) } else { given };
        let given = fs::from_home(directory::bytes_of(&given), world.home.as_deref());
        Self { given, path: world.cwd.join(path), is_relative: !path.has_root(), is_named: false }
    }

    /// The same path, which messages and labels call by this name.
    pub(super) fn called_always(self, name: &str) -> Self {
        Self { given: name.as_bytes().to_vec(), is_named: true, ..self }
    }
}

/// Whether `text` is a path relative to the current directory.
fn is_relative(text: &str) -> bool {
    let rest = text.strip_prefix('~');
    let is_home = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(std::path::is_separator));
    !is_home && !Path::new(text).has_root()
}

/// The path that `text` stands for.
///
/// # Errors
/// If it begins with `~` and the home directory is unknown.
pub fn path_of(text: &str, world: &World) -> Result<PathBuf, Problem> {
    path_from(&world.cwd, text, world)
}

/// The path that `text` stands for; a relative one is relative to `directory`.
///
/// # Errors
/// Same as [`path_of`].
pub fn path_from(directory: &Path, text: &str, world: &World) -> Result<PathBuf, Problem> {
    let home = || world.home.clone().ok_or(Problem::NoHome);
    match text.strip_prefix('~') {
        Some("") => home(),
        Some(rest) if rest.starts_with(std::path::is_separator) => {
            Ok(home()?.join(rest.trim_start_matches(std::path::is_separator)))
        }
        Some(_) | None => Ok(directory.join(text)),
    }
}

/// Whether a path, canonical or as given, is in a `.git`.
pub(super) fn in_git(path: &Path) -> bool {
    path.iter().any(|name| name.eq_ignore_ascii_case(".git"))
}

/// The path without `.` components, doubled slashes and a final slash; the current directory is empty. A leading
/// `./` stays if the rest would mean the home directory.
#[must_use]
pub fn clean(text: &str) -> String {
    let text = Notation::HERE.slashed(text);
    let root = Notation::HERE.root(&text);
    let names = text[root.len()..].split('/').filter(|name| !name.is_empty() && *name != ".");
    let joined = names.collect::<Vec<&str>>().join("/");
    if !root.is_empty() {
        format!("{root}{joined}")
    } else if joined.starts_with('~') && !text.starts_with('~') {
        format!("./{joined}")
    } else {
        joined
    }
}

impl File {
    /// Whether the file's label, used as an entry, would name the file. It would not if the file's name
    /// contains a newline or bytes that are not UTF-8.
    #[must_use]
    pub fn is_named_by_label(&self, world: &World) -> bool {
        let place = resolved(self.place.path());
        let names = |path: PathBuf| {
            resolved(&path) == place || TextLinks::new(world).real(&path).is_ok_and(|real| real == place)
        };
        path_from(&world.root, self.label.as_str(), world).is_ok_and(names)
    }
}

/// The result of an `up:` entry in one directory.
#[derive(Debug)]
pub struct Level {
    /// The directory, relative to the current one: `../..`, or `.`.
    pub directory: String,
    /// The directory's path, with all links resolved.
    pub path: PathBuf,
    /// The name that exists, if any, and the file or why it may not be read.
    pub found: Option<(String, Result<NamedFile, Problem>)>,
}

impl Level {
    /// Whether this is the file that was found here and may be read.
    pub(super) fn finds(&self, canonical: &Path) -> bool {
        matches!(&self.found, Some((_, Ok(file))) if file.canonical == canonical)
    }
}

/// Looks up the names in each directory down to the current one, as far as `base` allows.
pub fn levels(names: &[String], base: EntryBase<'_>, resolver: &PathResolver<'_>) -> Vec<Level> {
    let cwd = resolved(&resolver.world.cwd);
    let directories: Vec<&Path> =
        cwd.ancestors().take_while(|directory| base.tree.contains(directory)).collect();
    let level = |(height, path): (usize, &&Path)| {
        let is_there =
            |name: &&String| resolver.find(&path.join(name)).is_ok_and(|(_, metadata)| !metadata.is_dir());
        let directory = if height == 0 { ".".to_owned() } else { vec![".."; height].join("/") };
        let file = |name: &str| {
            let given = if height == 0 { name.to_owned() } else { format!("{directory}/{name}") };
            file_of_level(&given, &path.join(name), base, resolver)
        };
        let name = names.iter().find(is_there).cloned().or_else(|| other_spelling(names, path));
        let found = name.map(|name| (name.clone(), file(&name)));
        Level { directory, path: (*path).to_owned(), found }
    };
    directories.iter().enumerate().rev().map(level).collect()
}

/// At most this many names in a directory are compared.
const MOST_NAMES: usize = 10_000;

/// The file in a directory that differs from one of the names in letter case only, such as `AGENTS.MD`.
#[must_use]
pub fn other_spelling(names: &[String], directory: &Path) -> Option<String> {
    let entries = directory.read_dir().ok()?.take(MOST_NAMES).filter_map(Result::ok);
    let mut files: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    files.retain(|file| names.iter().any(|name| file.eq_ignore_ascii_case(name)));
    files.retain(|file| directory.join(file).is_file());
    files.sort_unstable();
    names.iter().find_map(|name| files.iter().find(|file| file.eq_ignore_ascii_case(name)).cloned())
}

fn file_of_level(
    given: &str,
    path: &Path,
    base: EntryBase<'_>,
    resolver: &PathResolver<'_>,
) -> Result<NamedFile, Problem> {
    let (canonical, metadata) = resolver.find(path).map_err(|error| Problem::of(&error))?;
    if !base.tree.contains(&canonical) {
        return Err(Problem::LinkOutside(canonical));
    }
    if resolver.tree.is_in_git(&canonical) || in_git(Path::new(given)) {
        return Err(Problem::InsideGit);
    }
    if !metadata.is_file() {
        return Err(Problem::NotRegular);
    }
    let written = WrittenPath::of_text(given, resolver.world)?;
    Ok(NamedFile {
        given: called(path, resolver.world),
        place: resolver.place(written, &canonical)?,
        absolute: path.to_owned(),
        canonical,
        metadata: FileMetadata::of(&metadata),
    })
}
