//! Finds the files of a tree in a separate walk through directory handles, without following links.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use std::io::Read as _;

use rustix::fs::{AtFlags, FileType, statat};

use super::entry::{Mode, TreePath, is_git_name};
use super::record::{Unsaved, UnsavedReason};
use super::{CheckpointError, CheckpointedTree};
use crate::fs::FileKind;
use crate::fs::directory::{self, RootDirectory};
use crate::fs::names::{is_at_or_below, join};
use crate::fs::{Stamp, real};
use crate::git::rule_file::{CutLine, UnsafeFile};
use crate::git::{RepositoryError, is_git_directory, may_be_head};
use crate::guard::names::holds_secrets;
use crate::parallel::queue;
use crate::parallel::{helper, joined};
use crate::process::Launcher;
use crate::select::ignore_rules::{Layers, Present, Rules};
use crate::source::git;
use crate::world::World;

/// The beginning of the names of temporary files in a tree.
pub(crate) const TEMPORARY: &str = ".ctx-restore-";

/// The most bytes to read from a `.git` file.
const MAX_POINTER: u64 = 4096;

/// The largest file to save, in bytes.
pub(super) const LARGEST: u64 = 10 << 20;

/// A file or link to save.
#[derive(Debug, Clone)]
pub(super) struct FileToSave {
    pub path: TreePath,
    pub mode: Mode,
    pub stamp: Stamp,
}

/// The contents of a tree.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// The files to save, by path.
    pub files: Vec<FileToSave>,
    /// Paths that are not saved although no rule ignores them.
    pub left_out: Vec<Unsaved<Vec<u8>>>,
    /// Temporary files left by earlier restores.
    pub temporaries: Vec<TreePath>,
    /// Files that git tracks: paths from the root of the tree.
    pub tracked: BTreeSet<Vec<u8>>,
    /// Why the tracked files are unknown.
    pub untold: Option<String>,
    /// Directories of the tree that a `.git` file points to.
    pointed_at: BTreeSet<Vec<u8>>,
    /// Repositories in the tree in which something was ignored.
    repositories: BTreeSet<Vec<u8>>,
    /// The file that keeps the top of the tree from being read.
    unsafe_rules: Option<UnsafeFile>,
    /// The lines of ignore files of which ctx applies only the beginning.
    pub cut_lines: BTreeSet<CutLine>,
}

fn unsafe_rules(place: &CheckpointedTree, file: &UnsafeFile) -> CheckpointError {
    CheckpointError::Rules { root: place.root.clone(), file: file.seen_from(&place.root) }
}

/// Everything known before the walk.
pub(super) struct TreeWalk<'a> {
    place: &'a CheckpointedTree,
    tree: RootDirectory,
    rules: Rules,
}

impl<'a> TreeWalk<'a> {
    pub fn new(place: &'a CheckpointedTree, world: &World) -> Result<Self, CheckpointError> {
        let tree = RootDirectory::open(&place.root).map_err(CheckpointError::io("open", &place.root))?;
        let rules = Rules::new(place.root.clone(), world).map_err(|file| unsafe_rules(place, &file))?;
        Ok(Self { place, tree, rules })
    }

    pub fn tree(&self) -> &RootDirectory {
        &self.tree
    }

    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Walks the tree, and meanwhile asks git which files it tracks.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`] for a tree that cannot be examined.
    pub fn run(
        &self,
        world: &World,
        launcher: &Launcher,
        deadline: Instant,
    ) -> Result<Walked, CheckpointError> {
        let mut walked = Walked::default();
        let tracked_in = |root: &Path| git::Git::open(root, world, launcher, deadline)?.tracked();
        let unsafe_file = std::thread::scope(|scope| {
            let tracked = || tracked_in(&self.place.root);
            let top = helper(scope, tracked);
            let start = DirectoryJob { directory: Vec::new(), layers: None, repository: Vec::new() };
            let new = || DirectoryReader::new(self);
            let readers = queue::run(vec![start], world.threads, new, DirectoryReader::work);
            for DirectoryReader { walked: part, .. } in readers {
                walked.files.extend(part.files);
                walked.left_out.extend(part.left_out);
                walked.temporaries.extend(part.temporaries);
                walked.pointed_at.extend(part.pointed_at);
                walked.repositories.extend(part.repositories);
                walked.unsafe_rules = part.unsafe_rules.or(walked.unsafe_rules.take());
            }
            let answer = top.map_or_else(tracked, joined);
            let unsafe_file = match &answer {
                Err(git::GitError::Unsafe(unsafe_file)) => Some(unsafe_file.clone()),
                Ok(_) | Err(_) => None,
            };
            walked.add_tracked(&[], answer);
            unsafe_file
        });
        if let Some(file) = self.rules.slow_file() {
            return Err(unsafe_rules(self.place, &file));
        }
        for repository in std::mem::take(&mut walked.repositories) {
            let root = self.place.root.join(directory::path_of(&repository));
            walked.add_tracked(&repository, tracked_in(&root));
        }
        if walked.left_out.iter().any(|left_out| left_out.path.is_empty()) {
            let root = self.place.root.clone();
            return Err(match unsafe_file.or(walked.unsafe_rules) {
                Some(file) => unsafe_rules(self.place, &file),
                None => CheckpointError::Refused { root, reason: "the directory cannot be read" },
            });
        }
        walked.cut_lines = self.rules.cut_lines().iter().map(|cut| cut.seen_from(&self.place.root)).collect();
        walked.leave_out_pointed_at();
        walked.files.sort_by(|one, other| one.path.cmp(&other.path));
        self.add_tracked(&mut walked);
        walked.leave_out_pointed_at();
        walked.files.sort_by(|one, other| one.path.cmp(&other.path));
        walked.left_out.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(walked)
    }

    /// Adds the files that git tracks although a rule ignores them or their names suggest secrets.
    fn add_tracked(&self, walked: &mut Walked) {
        let is_found =
            |path: &[u8]| walked.files.binary_search_by(|found| found.path.bytes().cmp(path)).is_ok();
        let missing =
            walked.tracked.iter().filter(|path| !is_found(path)).filter_map(|path| TreePath::new(path));
        let is_gits =
            |path: &TreePath| self.is_git_directory(path.bytes()) || walked.is_in_git_directory(path);
        let missing: Vec<TreePath> = missing.filter(|path| !is_gits(path)).collect();
        for path in missing {
            let Ok(directory) = self.tree.open_directory(path.parent()) else { continue };
            let Ok(stat) = statat(&directory, path.name(), AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let Some(mode) = mode_of(&stat) else { continue };
            walked.left_out.retain(|left_out| left_out.path != path.bytes());
            if is_too_large(&stat) {
                let reason = UnsavedReason::TooLarge;
                walked.left_out.push(Unsaved { path: path.bytes().to_vec(), reason });
            } else {
                walked.files.push(FileToSave { path, mode, stamp: Stamp::of_stat(&stat) });
            }
        }
    }

    fn is_git_directory(&self, path: &[u8]) -> bool {
        self.place.git_dirs.iter().any(|directory| is_at_or_below(path, directory))
    }
}

impl Walked {
    /// The git directories found in the tree, except for its own.
    pub fn git_directories(&self) -> impl Iterator<Item = &[u8]> {
        let is_gits = |left_out: &&Unsaved<Vec<u8>>| left_out.reason == UnsavedReason::GitDirectory;
        self.left_out.iter().filter(is_gits).map(|left_out| left_out.path.as_slice())
    }

    fn is_in_git_directory(&self, path: &TreePath) -> bool {
        self.git_directories().any(|directory| path.is_at_or_below(directory))
    }

    /// Leaves out directories that a `.git` file points to, even if they do not look like git directories.
    fn leave_out_pointed_at(&mut self) {
        for directory in std::mem::take(&mut self.pointed_at) {
            let is_below = |path: &[u8]| is_at_or_below(path, &directory);
            if self.files.iter().any(|found| is_below(found.path.bytes())) {
                self.files.retain(|found| !is_below(found.path.bytes()));
                self.left_out.retain(|left_out| !is_below(&left_out.path));
                self.left_out.push(Unsaved { path: directory, reason: UnsavedReason::GitDirectory });
            }
        }
    }

    /// Adds git's answer for the repository in this directory.
    fn add_tracked(&mut self, at: &[u8], answer: Result<Vec<Vec<u8>>, git::GitError>) {
        match answer {
            Ok(names) => self.tracked.extend(names.iter().map(|name| join(at, name))),
            Err(git::GitError::Repository(RepositoryError::None | RepositoryError::Home { .. })) => {}
            Err(error) => self.untold = Some(error.to_string()),
        }
    }
}

/// A directory to read.
struct DirectoryJob {
    directory: Vec<u8>,
    layers: Layers,
    /// The repository that it belongs to; empty for the tree's own.
    repository: Vec<u8>,
}

/// One thread's part of the walk.
struct DirectoryReader<'a> {
    walk: &'a TreeWalk<'a>,
    walked: Walked,
    buffer: Vec<u8>,
}

impl<'a> DirectoryReader<'a> {
    fn new(walk: &'a TreeWalk<'a>) -> Self {
        Self { walk, walked: Walked::default(), buffer: Vec::new() }
    }

    /// Notes where a `.git` file points, if that is in the tree.
    fn follow(&mut self, directory: &[u8], pointer: std::fs::File) {
        let mut text = Vec::new();
        let read = std::io::Read::take(pointer, MAX_POINTER).read_to_end(&mut text);
        let Some(named) = text.strip_prefix(b"gitdir:").filter(|_| read.is_ok()) else { return };
        let root = &self.walk.place.root;
        let named = root.join(directory::path_of(directory)).join(directory::path_of(named.trim_ascii()));
        let real = real(named).unwrap_or_default();
        self.walked.pointed_at.extend(real.strip_prefix(root).ok().map(directory::bytes_of));
    }

    fn leave_out(&mut self, path: Vec<u8>, reason: UnsavedReason) {
        self.walked.left_out.push(Unsaved { path, reason });
    }

    /// Notes that git has to be asked for the tracked files of a repository.
    fn ask(&mut self, repository: &[u8]) {
        if !repository.is_empty() && !self.walked.repositories.contains(repository) {
            self.walked.repositories.insert(repository.to_vec());
        }
    }

    /// Reads a directory, leaving its subdirectories to later jobs.
    fn read(&mut self, job: DirectoryJob, more: &mut Vec<DirectoryJob>) -> std::io::Result<()> {
        let opened = self.walk.tree.open_directory(&job.directory)?;
        let mut names = Vec::new();
        let mut present = Present::default();
        directory::list(&opened, &mut self.buffer, |listed| {
            if matches!(listed.name, b".gitignore" | b".git") {
                present.note(listed.name);
            }
            names.push((listed.name.to_vec(), listed.kind));
        })?;
        let path = || self.walk.place.root.join(directory::path_of(&job.directory));
        if names.iter().any(|(name, _)| may_be_head(name)) && is_git_directory(&path()) {
            self.leave_out(job.directory, UnsavedReason::GitDirectory);
            return Ok(());
        }
        if names.iter().any(|(name, kind)| name == b".git" && *kind == FileKind::Regular)
            && let Ok(pointer) = directory::open_in(&opened, &b".git"[..])
        {
            self.follow(&job.directory, pointer);
        }
        let rules = &self.walk.rules;
        let layers = match rules.enter(&job.layers, &job.directory, &opened, present) {
            Ok(layers) => layers,
            Err(file) => {
                if job.directory.is_empty() {
                    self.walked.unsafe_rules = Some(file.clone());
                }
                return Err(std::io::Error::other(file));
            }
        };
        let repository = if present.repository && !job.directory.is_empty() {
            job.directory.clone()
        } else {
            job.repository
        };
        for (name, kind) in names {
            if is_git_name(&name) {
                continue;
            }
            let path = join(&job.directory, &name);
            if name.starts_with(TEMPORARY.as_bytes()) {
                self.walked.temporaries.extend(TreePath::new(&path));
                continue;
            }
            let stat = match kind {
                FileKind::Directory => None,
                FileKind::Regular | FileKind::Link | FileKind::Other | FileKind::Unknown => {
                    match statat(&opened, name.as_slice(), AtFlags::SYMLINK_NOFOLLOW) {
                        Ok(stat) => Some(stat),
                        Err(rustix::io::Errno::NOENT) => continue,
                        Err(_) => {
                            self.leave_out(path, UnsavedReason::Unreadable);
                            continue;
                        }
                    }
                }
            };
            let is_directory = stat.as_ref().is_none_or(is_directory);
            if is_directory && self.walk.is_git_directory(&path)
                || rules.ignores_as_git(&layers, &path, is_directory)
            {
                self.ask(&repository);
                continue;
            }
            match stat.filter(|_| !is_directory) {
                None => more.push(DirectoryJob {
                    directory: path,
                    layers: layers.clone(),
                    repository: repository.clone(),
                }),
                Some(stat) => match (mode_of(&stat), TreePath::new(&path)) {
                    _ if holds_secrets(&directory::path_of(&path)).is_some() => {
                        self.ask(&repository);
                        self.leave_out(path, UnsavedReason::SecretName);
                    }
                    (Some(_), _) if is_too_large(&stat) => self.leave_out(path, UnsavedReason::TooLarge),
                    (Some(mode), Some(path)) => {
                        self.walked.files.push(FileToSave { path, mode, stamp: Stamp::of_stat(&stat) });
                    }
                    (None, _) => self.leave_out(path, UnsavedReason::Special),
                    (Some(_), None) => self.leave_out(path, UnsavedReason::Unreadable),
                },
            }
        }
        Ok(())
    }
}

impl DirectoryReader<'_> {
    /// Reads a directory, or notes that it cannot be read.
    fn work(&mut self, job: DirectoryJob, more: &mut Vec<DirectoryJob>) -> bool {
        let directory = job.directory.clone();
        let waiting = more.len();
        match self.read(job, more) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !directory.is_empty() => {}
            Err(_) => {
                more.truncate(waiting);
                self.leave_out(directory, UnsavedReason::Unreadable);
            }
            Ok(()) => {}
        }
        !self.walk.rules.are_slow()
    }
}

pub(super) fn is_directory(stat: &rustix::fs::Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

/// The mode that a file or link is saved with; `None` if it is neither.
pub(super) fn mode_of(stat: &rustix::fs::Stat) -> Option<Mode> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if stat.st_mode & 0o100 != 0 => Some(Mode::Executable),
        FileType::RegularFile => Some(Mode::File),
        FileType::Symlink => Some(Mode::Link),
        FileType::Directory
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => None,
    }
}

fn is_too_large(stat: &rustix::fs::Stat) -> bool {
    u64::try_from(stat.st_size).is_ok_and(|size| size > LARGEST)
}

/// A path in bytes, for messages.
pub(super) fn shown(path: &[u8]) -> String {
    crate::select::Label::new(path).to_string()
}
