//! Ignore rules from git's configuration and from a repository's own excludes.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::git::configuration::{self, Configuration};
use crate::git::{Dirs, TrackedNames};
use crate::world::World;

use super::options::AskGit;
use crate::fs::directory::path_of;
use crate::git::rule_file::{RuleFile, UnsafeBecause, UnsafeFile, read_own};
use crate::git::wildmatch::Case;

/// Git's rules that are not in a `.gitignore`: those of one repository, or those outside repositories.
#[derive(Debug, Default)]
pub struct GitRules {
    /// Whether all rules are case-sensitive.
    pub case: Case,
    /// Whether its links are checked out as files with their targets' paths.
    pub links_are_files: bool,
    /// The repository, if these are the rules of one.
    pub dirs: Option<Dirs>,
    /// The repository's `info/exclude`.
    pub repository: Option<RuleFile>,
    /// The file that `core.excludesFile` names, or else `git/ignore` in the user's configuration directory.
    pub shared: Option<RuleFile>,
    /// What it tracks; read when a rule excludes something, or links are files.
    tracked: OnceLock<TrackedNames>,
}

impl GitRules {
    /// Reads a repository's rules.
    ///
    /// # Errors
    /// If one of the files cannot be read safely.
    pub fn of(repository: &Dirs, world: &World) -> Result<Self, UnsafeFile> {
        let configuration = Configuration::read(world, Some(repository))?;
        let Configuration { case, links_are_files, .. } = configuration;
        let repository_excludes = rules_of(repository.common_dir.join("info/exclude"), case)?;
        let shared = shared_excludes(&configuration, &repository.root, world)?;
        let dirs = Some(repository.clone());
        let tracked = OnceLock::new();
        Ok(Self { case, links_are_files, dirs, repository: repository_excludes, shared, tracked })
    }

    /// Reads the rules that apply outside repositories.
    ///
    /// # Errors
    /// If one of the files cannot be read safely.
    pub fn outside(world: &World) -> Result<Self, UnsafeFile> {
        let configuration = Configuration::read(world, None)?;
        let shared = shared_excludes(&configuration, &world.cwd, world)?;
        Ok(Self { case: configuration.case, shared, ..Self::default() })
    }

    /// What the repository tracks. Git is asked only if its index cannot be read without it.
    pub fn tracked(&self, git: Option<&AskGit>) -> &TrackedNames {
        self.tracked.get_or_init(|| {
            let Some(dirs) = &self.dirs else { return TrackedNames::default() };
            TrackedNames::read(&dirs.git_dir).unwrap_or_else(|_| {
                let listed = git.and_then(|git| git.tracked(&dirs.root));
                listed.map(TrackedNames::of_list).unwrap_or_default()
            })
        })
    }

    /// The files that have rules.
    pub fn files(&self) -> impl Iterator<Item = &RuleFile> {
        self.repository.iter().chain(&self.shared)
    }
}

fn shared_excludes(
    configuration: &Configuration,
    directory: &Path,
    world: &World,
) -> Result<Option<RuleFile>, UnsafeFile> {
    let Some(written) = &configuration.excludes_file else {
        let Some(path) = configuration::own_directory(world).map(|own| own.join("ignore")) else {
            return Ok(None);
        };
        // Git skips it, too, if the home directory belongs to another user.
        return if configuration::is_forbidden(&path) {
            Ok(None)
        } else {
            rules_of(path, configuration.case)
        };
    };
    match configuration::expand(written, world) {
        Some(path) if path.is_empty() => Ok(None),
        Some(path) => rules_of(directory.join(path_of(&path)), configuration.case),
        None => Err(UnsafeFile { path: path_of(written), why: UnsafeBecause::OfGit }),
    }
}

fn rules_of(path: PathBuf, case: Case) -> Result<Option<RuleFile>, UnsafeFile> {
    match read_own(&path) {
        Ok(text) => text.map(|text| RuleFile::parse(&text, path, case)).transpose(),
        Err(error) => Err(UnsafeFile::unread(path, &error)),
    }
}
