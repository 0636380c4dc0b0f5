//! All of git's configuration for ignore rules, for one repository or globally: the files in order, their
//! includes, and the environment.
//!
//! The configuration may have been written by others, so reading it only parses files and runs nothing.
//! Anything that git would refuse, or that would take too long, is an error, and whatever the configuration
//! applies to is left out.

mod conditions;
mod environment;
mod syntax;

use std::path::{Path, PathBuf};

use crate::fs::directory::path_of;
use crate::git::Dirs;
use crate::git::rule_file::{UnsafeBecause, UnsafeFile, read_own};
use crate::git::wildmatch::{Case, Wild};
use crate::world::World;

use conditions::{Condition, matches_branch, matches_place, names_of};
pub use environment::own_directory;
pub use syntax::expand;
use syntax::{GitSetting, parse, truth};

/// How deeply files may include each other: git's own limit.
const MAX_DEPTH: usize = 10;
/// How many files are read in all.
const MAX_FILES: usize = 1000;
/// How many bytes of configuration are read in all.
const MAX_BYTES: usize = 8 << 20;
/// How many pairs of bytes may be compared in all to match the patterns of conditions.
const MAX_COMPARED: usize = 1 << 25;

/// The configuration for ignore rules.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// `core.excludesFile` as written, if it is set; empty means none.
    pub excludes_file: Option<Vec<u8>>,
    /// `core.ignoreCase`.
    pub case: Case,
    /// Whether links are checked out as files with their targets' paths: `core.symlinks` is false.
    pub links_are_files: bool,
    /// `safe.directory`, in order; an empty one discards the earlier ones.
    pub safe_directories: Vec<Vec<u8>>,
}

impl Configuration {
    /// Reads the configuration of a repository or, without one, the global configuration.
    ///
    /// # Errors
    /// If a file or variable cannot be read safely or is invalid.
    pub fn read(world: &World, repository: Option<&Dirs>) -> Result<Self, UnsafeFile> {
        let mut reader = ConfigurationReader::new(world, repository);
        reader.everything()?;
        Ok(reader.configuration)
    }

    fn set(&mut self, setting: &GitSetting) -> Option<()> {
        match setting.key.as_slice() {
            b"core.excludesfile" => self.excludes_file = Some(setting.value.clone()?),
            b"core.ignorecase" => self.case = if boolean(setting)? { Case::Ignored } else { Case::Sensitive },
            b"core.symlinks" => self.links_are_files = !boolean(setting)?,
            b"safe.directory" => self.safe_directories.push(setting.value.clone().unwrap_or_default()),
            _ => {}
        }
        Some(())
    }
}

fn is_url(setting: &GitSetting) -> bool {
    setting.subsection("remote", "url").is_some()
}

struct ConfigurationReader<'a> {
    world: &'a World,
    repository: Option<&'a Dirs>,
    configuration: Configuration,
    /// The remotes in the repository's own file.
    remotes: Vec<Vec<u8>>,
    /// The file that configures other remotes, if there is one.
    other_remotes: Option<PathBuf>,
    /// Whether a condition depends on the remotes.
    asks_for_remotes: bool,
    worktree_file: bool,
    /// Whether references are stored in files, as far as is known.
    plain_references: bool,
    files: usize,
    bytes: usize,
    compared: usize,
}

impl<'a> ConfigurationReader<'a> {
    fn new(world: &'a World, repository: Option<&'a Dirs>) -> Self {
        Self {
            world,
            repository,
            configuration: Configuration::default(),
            remotes: Vec::new(),
            other_remotes: None,
            asks_for_remotes: false,
            worktree_file: false,
            plain_references: true,
            files: 0,
            bytes: 0,
            compared: 0,
        }
    }

    fn everything(&mut self) -> Result<(), UnsafeFile> {
        if let Some(repository) = self.repository {
            self.format(&repository.common_dir.join("config"))?;
        }
        if let Some(system) = environment::system_file(self.world)? {
            self.top(&system)?;
        }
        for path in environment::global_files(self.world) {
            // Git treats the user's own files as missing if it may not read them.
            if !is_forbidden(&path) {
                self.top(&path)?;
            }
        }
        if let Some(repository) = self.repository {
            self.top(&repository.common_dir.join("config"))?;
            if self.worktree_file {
                self.top(&repository.git_dir.join("config.worktree"))?;
            }
        }
        let settings = environment::settings(&self.world.git)?;
        self.settings(&settings, None, 0, Path::new("$GIT_CONFIG_COUNT"))?;
        // To know which of these remotes count, everything would have to be read twice, as git does.
        match self.other_remotes.take().filter(|_| self.asks_for_remotes) {
            Some(path) => Err(unsafe_file(&path)),
            None => Ok(()),
        }
    }

    /// Applies the settings in the repository's own file that affect how the rest is read; its includes do
    /// not count.
    fn format(&mut self, path: &Path) -> Result<(), UnsafeFile> {
        let mut has_version = false;
        for setting in self.parsed(path)?.unwrap_or_default() {
            match setting.key.as_slice() {
                b"core.repositoryformatversion" => has_version = true,
                b"extensions.worktreeconfig" => {
                    self.worktree_file = boolean(&setting).ok_or_else(|| unsafe_file(path))?;
                }
                b"extensions.refstorage" => {
                    self.plain_references = setting.value.as_deref() == Some(b"files");
                }
                _ if is_url(&setting) => self.remotes.extend(setting.value),
                _ => {}
            }
        }
        // Without a version, git ignores extensions.
        self.worktree_file &= has_version;
        self.plain_references |= !has_version;
        Ok(())
    }

    fn top(&mut self, path: &Path) -> Result<(), UnsafeFile> {
        let Some(settings) = self.parsed(path)? else { return Ok(()) };
        self.settings(&settings, Some(path), 0, path)
    }

    /// Reads the settings in a file; `None` if it does not exist.
    fn parsed(&mut self, path: &Path) -> Result<Option<Vec<GitSetting>>, UnsafeFile> {
        let Some(text) = read_own(path).map_err(|_| unsafe_file(path))? else { return Ok(None) };
        self.files += 1;
        self.bytes += text.len();
        if self.files > MAX_FILES || self.bytes > MAX_BYTES {
            return Err(unsafe_file(path));
        }
        parse(&text).map(Some).ok_or_else(|| unsafe_file(path))
    }

    /// Applies the settings of a file included at this depth, or of the environment if there is no file.
    fn settings(
        &mut self,
        settings: &[GitSetting],
        file: Option<&Path>,
        depth: usize,
        name: &Path,
    ) -> Result<(), UnsafeFile> {
        let broken = || unsafe_file(name);
        for setting in settings {
            self.configuration.set(setting).ok_or_else(broken)?;
            if is_url(setting) && !(depth == 0 && self.is_own(file)) {
                self.other_remotes = Some(name.to_owned());
            }
            if setting.key == b"include.path" {
                self.include(setting, file, depth, name)?;
            } else if let Some(condition) = setting.subsection("includeif", "path")
                && self.holds(&Condition::new(condition), file, name)?
            {
                self.include(setting, file, depth, name)?;
            }
        }
        Ok(())
    }

    /// Whether it is the repository's own file.
    fn is_own(&self, file: Option<&Path>) -> bool {
        let own = self.repository.map(|repository| repository.common_dir.join("config"));
        own.is_some_and(|own| file == Some(&own))
    }

    fn include(
        &mut self,
        setting: &GitSetting,
        file: Option<&Path>,
        depth: usize,
        name: &Path,
    ) -> Result<(), UnsafeFile> {
        let broken = || unsafe_file(name);
        let written =
            setting.value.as_deref().and_then(|path| expand(path, self.world)).ok_or_else(broken)?;
        let path = match path_of(&written) {
            path if path.is_absolute() => path,
            path => file.and_then(Path::parent).ok_or_else(broken)?.join(path),
        };
        let Some(settings) = self.parsed(&path)? else { return Ok(()) };
        if depth == MAX_DEPTH {
            return Err(unsafe_file(&path));
        }
        self.settings(&settings, Some(&path), depth + 1, &path)
    }

    fn holds(
        &mut self,
        condition: &Condition<'_>,
        file: Option<&Path>,
        name: &Path,
    ) -> Result<bool, UnsafeFile> {
        let broken = || unsafe_file(name);
        match *condition {
            Condition::Unknown => Ok(false),
            Condition::Place { pattern, case } => {
                let Some(repository) = self.repository else { return Ok(false) };
                let names = names_of(repository, self.world);
                self.compare(pattern, names.iter().map(Vec::len).sum(), name)?;
                matches_place(pattern, case, &names, file, self.world).ok_or_else(broken)
            }
            Condition::Branch(pattern) => {
                let Some(repository) = self.repository else { return Ok(false) };
                if !self.plain_references {
                    return Err(broken());
                }
                let Some(branch) = repository.branch() else { return Ok(false) };
                self.compare(pattern, branch.len(), name)?;
                Ok(matches_branch(pattern, &branch))
            }
            Condition::Remote(pattern) => {
                self.asks_for_remotes = true;
                let length = self.remotes.iter().map(|url| url.len() + 1).sum();
                self.compare(pattern, length, name)?;
                let wild = Wild::new(pattern, Case::Sensitive);
                Ok(self.remotes.iter().any(|url| wild.matches(url)))
            }
        }
    }

    /// Counts the cost of comparing a pattern with this many bytes.
    fn compare(&mut self, pattern: &[u8], length: usize, name: &Path) -> Result<(), UnsafeFile> {
        self.compared = self.compared.saturating_add((pattern.len() + 8).saturating_mul(length + 1));
        if self.compared > MAX_COMPARED {
            return Err(unsafe_file(name));
        }
        Ok(())
    }
}

fn unsafe_file(path: &Path) -> UnsafeFile {
    UnsafeFile { path: path.to_owned(), why: UnsafeBecause::OfGit }
}

/// Whether the system forbids reading a file.
#[must_use]
pub fn is_forbidden(path: &Path) -> bool {
    let error = crate::fs::open_without_waiting(path).err();
    error.is_some_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied)
}

fn boolean(setting: &GitSetting) -> Option<bool> {
    setting.value.as_deref().map_or(Some(true), truth)
}
