//! Which paths the ignore rules leave out.
//!
//! `.ctxignore` beats `.ignore`, that beats `.gitignore`; of one kind, the file nearest to the path
//! decides, as in git. After them come the repository's `info/exclude` and the user's global
//! excludes. Rules hold from the root of the repository; where there is none, from the current
//! directory, or from where a walk starts if that lies elsewhere. What git says of a repository
//! around does not hold in a repository within.
//!
//! An ignore file that cannot be read safely leaves out the directory it governs.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::world::World;

use super::git_config::{global_excludes, repository_excludes};
use super::rule_file::{DecidedBy, Decision, RuleFile, UnsafeIgnoreFile};
use super::tree::{self, Directory};
use super::wildmatch::Case;

/// The names of ignore files; the earlier beats the later.
pub const NAMES: [&str; 3] = [".ctxignore", ".ignore", ".gitignore"];
const GIT: usize = 2;

/// What a directory holds that bears on the rules.
#[derive(Debug, Clone, Copy, Default)]
pub struct Present {
    /// By index in [`NAMES`].
    pub files: [bool; 3],
    /// Whether there is a `.git`.
    pub repository: bool,
}

impl Present {
    /// Notes a name of the directory.
    pub fn note(&mut self, name: &[u8]) {
        for (present, known) in self.files.iter_mut().zip(NAMES) {
            *present |= name == known.as_bytes();
        }
        self.repository |= name == b".git";
    }

    fn any(self) -> bool {
        self.repository || self.files.contains(&true)
    }
}

/// The rules of one directory on top of those of the directories above.
#[derive(Debug)]
pub struct Layer {
    above: Option<Arc<Layer>>,
    /// How many bytes of a path lead to the directory, its slash included.
    depth: usize,
    files: [Option<RuleFile>; 3],
    repository: Option<Repository>,
}

#[derive(Debug)]
struct Repository {
    excludes: Option<RuleFile>,
}

/// The rules that hold below one base directory.
#[derive(Debug)]
pub struct Rules {
    base: PathBuf,
    global: Option<RuleFile>,
}

/// The layers of a directory; `None` where nothing says anything.
pub type Layers = Option<Arc<Layer>>;

/// What the rules say of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No rule speaks of it.
    Unmentioned,
    /// A rule takes it back in.
    Kept(DecidedBy),
    /// A rule leaves it out, or a directory it lies in.
    Ignored(DecidedBy),
    /// An ignore file on the way cannot be read safely.
    Unsafe(UnsafeIgnoreFile),
}

impl Verdict {
    /// Whether the path is left out.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        matches!(self, Self::Ignored(_) | Self::Unsafe(_))
    }
}

/// The directory from which on rules hold for `directory`; both must be canonical.
#[must_use]
pub fn base_of(directory: &Path, cwd: &Path) -> PathBuf {
    let repository = directory.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok());
    let fallback = if directory.starts_with(cwd) { cwd } else { directory };
    repository.unwrap_or(fallback).to_owned()
}

impl Rules {
    /// The rules below `base`.
    ///
    /// # Errors
    /// If the user's global excludes cannot be read safely.
    pub fn new(base: PathBuf, world: &World) -> Result<Self, UnsafeIgnoreFile> {
        Ok(Self { base, global: global_excludes(world)? })
    }

    /// The directory from which on the rules hold.
    #[must_use]
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// The layers of a directory, `relative` to the base and empty for the base itself.
    ///
    /// # Errors
    /// If one of its ignore files cannot be read safely.
    pub fn enter(
        &self,
        above: &Layers,
        relative: &[u8],
        directory: &Directory,
        present: Present,
    ) -> Result<Layers, UnsafeIgnoreFile> {
        if !present.any() {
            return Ok(above.clone());
        }
        let path = || self.base.join(tree::path_of(relative));
        let mut files = [None, None, None];
        for ((slot, name), is_there) in files.iter_mut().zip(NAMES).zip(present.files) {
            if is_there {
                let file =
                    RuleFile::read(tree::open_in(directory, name), path().join(name), Case::Sensitive)?;
                *slot = Some(file).filter(|file| !file.is_empty());
            }
        }
        let repository = match present.repository {
            true => Some(Repository { excludes: repository_excludes(&path().join(".git"))? }),
            false => None,
        };
        let depth = relative.len() + usize::from(!relative.is_empty());
        Ok(Some(Arc::new(Layer { above: above.clone(), depth, files, repository })))
    }

    /// The rule that decides over a path relative to the base, whose directory has these layers. The
    /// directories above it must have been judged before.
    #[must_use]
    pub fn decide<'a>(
        &'a self,
        layers: &'a Layers,
        relative: &[u8],
        is_directory: bool,
    ) -> Option<Decision<'a>> {
        let own = |kind: usize| {
            chain(layers)
                .find_map(|layer| layer.files[kind].as_ref()?.decide(&relative[layer.depth..], is_directory))
        };
        own(0).or_else(|| own(1)).or_else(|| self.decide_by_git(layers, relative, is_directory))
    }

    fn decide_by_git<'a>(
        &'a self,
        layers: &'a Layers,
        relative: &[u8],
        is_directory: bool,
    ) -> Option<Decision<'a>> {
        let mut depth = 0;
        for layer in chain(layers) {
            let below = &relative[layer.depth..];
            if let Some(decision) =
                layer.files[GIT].as_ref().and_then(|file| file.decide(below, is_directory))
            {
                return Some(decision);
            }
            if let Some(repository) = &layer.repository {
                let excludes = repository.excludes.as_ref();
                if let Some(decision) = excludes.and_then(|file| file.decide(below, is_directory)) {
                    return Some(decision);
                }
                depth = layer.depth;
                break;
            }
        }
        self.global.as_ref()?.decide(&relative[depth..], is_directory)
    }

    /// Judges a path relative to the base, with all directories on the way, and tells the layers of
    /// the directory it lies in.
    #[must_use]
    pub fn judge(&self, relative: &[u8], is_directory: bool) -> Judged {
        let mut layers = None;
        let mut verdict = Verdict::Unmentioned;
        let mut directory = 0;
        while directory < relative.len() {
            let above = relative[..directory].strip_suffix(b"/").unwrap_or(&relative[..directory]);
            layers = match self.enter_by_path(&layers, above) {
                Ok(layers) => layers,
                Err(problem) => return Judged { layers, verdict: Verdict::Unsafe(problem) },
            };
            let rest = &relative[directory..];
            let name = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
            let path = &relative[..directory + name];
            verdict = match self.decide(&layers, path, is_directory || path.len() < relative.len()) {
                Some(decision) if decision.ignores() => {
                    let verdict = Verdict::Ignored(decision.to_owned());
                    return Judged { layers, verdict };
                }
                Some(decision) => Verdict::Kept(decision.to_owned()),
                None => Verdict::Unmentioned,
            };
            directory += name + 1;
        }
        Judged { layers, verdict }
    }

    fn enter_by_path(&self, above: &Layers, relative: &[u8]) -> Result<Layers, UnsafeIgnoreFile> {
        let path = self.base.join(tree::path_of(relative));
        let mut present = Present::default();
        for name in NAMES.into_iter().chain([".git"]) {
            match path.join(name).symlink_metadata() {
                Ok(_) => present.note(name.as_bytes()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_) => return Err(UnsafeIgnoreFile { path: path.join(name) }),
            }
        }
        if !present.any() {
            return Ok(above.clone());
        }
        match tree::open_directory_at(&path) {
            Ok(directory) => self.enter(above, relative, &directory, present),
            // A directory may be passable without being readable; then so are its files.
            Err(_) => Err(UnsafeIgnoreFile { path }),
        }
    }
}

/// What [`Rules::judge`] finds.
#[derive(Debug)]
pub struct Judged {
    /// The layers of the directory that the path lies in.
    pub layers: Layers,
    /// What the rules say.
    pub verdict: Verdict,
}

fn chain(layers: &Layers) -> impl Iterator<Item = &Layer> {
    std::iter::successors(layers.as_deref(), |layer| layer.above.as_deref())
}
