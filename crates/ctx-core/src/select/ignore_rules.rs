//! Which paths the ignore rules exclude.
//!
//! `.ctxignore` overrides the ignore files of other tools for models, of which any one can exclude a path. These
//! override `.ignore`, which overrides `.gitignore`. Among files of one kind, the one nearest to the path decides, as
//! in git. They are followed by the repository's `info/exclude`, the user's global excludes, and
//! finally the built-in ignore file. Rules apply from the root of the repository or, if there is none, from the
//! current directory, or from where a walk starts if that is elsewhere. Git's settings for an outer repository do
//! not apply in an inner one.
//!
//! An ignore file that cannot be read safely excludes the directory it applies to.
//!
//! Git's own rules do not exclude what it tracks, so that a checkout cannot hide files that are part of it. Where such
//! a rule excludes a directory, only tracked names in it are looked at.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::git::{Dirs, dot_git, repository_at};
use crate::world::World;

use super::built_in::{self, Marker};
use super::git_rules::GitRules;
use super::options::AskGit;
use crate::fs::directory::{self, OpenDirectory};
use crate::fs::resolved;
use crate::git::rule_file::{CutLine, DecidedBy, Decision, RuleFile, UnsafeBecause, UnsafeFile};
use crate::git::wildmatch::Case;

/// The names of ignore files; earlier ones override later ones.
pub const NAMES: [&str; 11] = [
    ".ctxignore",
    ".aiexclude",
    ".aiderignore",
    ".aiignore",
    ".clineignore",
    ".codeiumignore",
    ".cursorignore",
    ".geminiignore",
    ".rooignore",
    ".ignore",
    ".gitignore",
];
/// Those of other tools for models.
const OF_TOOLS: Range<usize> = 1..9;
const IGNORE: usize = 9;
const GIT: usize = 10;

/// The ignore rules' verdict on a path whose directories are canonical.
pub fn verdict(absolute: &Path, world: &World) -> Ruling {
    match rules_for(absolute, world) {
        Ok((rules, relative)) => rules.judge(&relative, absolute.is_dir()).verdict,
        Err(problem) => Ruling::Unsafe(problem),
    }
}

/// The rules that apply to a path, and the path relative to their base.
fn rules_for(absolute: &Path, world: &World) -> Result<(Rules, Vec<u8>), UnsafeFile> {
    let cwd = resolved(&world.cwd);
    let rules = Rules::new(base_of(absolute.parent().unwrap_or(absolute), &cwd, world), world)?;
    let relative = directory::bytes_of(absolute.strip_prefix(rules.base()).unwrap_or(absolute));
    Ok((rules, relative))
}

/// The name of the file like `.ctxignore` whose rule excludes a file, and that rule. Such a rule is there to keep files from
/// models, whatever finds them.
#[must_use]
pub fn kept_from_models(file: &Path, world: &World) -> Option<(&'static str, DecidedBy)> {
    let Ruling::Ignored(by) = verdict(file, world) else { return None };
    let name = by.file.file_name()?;
    Some((NAMES[..OF_TOOLS.end].iter().find(|known| **known == name)?, by))
}

/// The rules of the ignore files in one directory, by index in [`NAMES`].
type RuleFiles = [Option<RuleFile>; NAMES.len()];

/// How many comparisons with the rules of one file are free for each path, so that a large tree can have many
/// rules. Rules without wildcards take one comparison together.
const FREE_STEPS: u64 = 500;
/// How many more comparisons all paths together may take: a few seconds.
const MOST_STEPS: u64 = 150_000_000;

/// The contents of a directory that affect the rules.
#[derive(Debug, Clone, Copy, Default)]
pub struct Present {
    /// By index in [`NAMES`].
    pub files: [bool; NAMES.len()],
    /// Whether there is a `.git`.
    pub repository: bool,
    /// The file that marks a directory of dependencies or a cache, if there is one.
    pub marker: Option<Marker>,
}

impl Present {
    /// Notes a name in the directory.
    pub fn note(&mut self, name: &[u8]) {
        self.marker = self.marker.or_else(|| Marker::of(name));
        if name.first() != Some(&b'.') {
            return;
        }
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
    /// The length in bytes of the path to the directory, including its slash.
    depth: usize,
    files: RuleFiles,
    /// Git's rules from here on, if a repository begins here.
    git: Option<GitRules>,
}

/// The rules below one base directory.
#[derive(Debug)]
pub struct Rules {
    base: PathBuf,
    world: World,
    /// Git's rules above the first repository.
    outside: GitRules,
    /// Lists what a repository tracks if its index cannot be read without git.
    git: Option<AskGit>,
    /// How many comparisons were taken that were not free.
    steps: AtomicU64,
    /// The file that exceeded the limit; from then on, nothing is decided.
    slow: OnceLock<PathBuf>,
    /// The lines of which ctx applies only the beginning.
    cut: Mutex<BTreeSet<CutLine>>,
    /// The layers of directories that were entered by path, since many links can lead below the same ones.
    by_path: Mutex<HashMap<Vec<u8>, Layers>>,
}

/// The layers of a directory; `None` if there are no rules.
pub type Layers = Option<Arc<Layer>>;

/// The rules' verdict on a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// No rule matches it.
    Unmentioned,
    /// A rule re-includes it.
    Kept(DecidedBy),
    /// A rule excludes it, or one of its directories.
    Ignored(DecidedBy),
    /// An ignore file on the path cannot be read safely.
    Unsafe(UnsafeFile),
}

impl Ruling {
    /// Whether the path is excluded.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        matches!(self, Self::Ignored(_) | Self::Unsafe(_))
    }
}

/// The directory from which rules apply to `directory`; both must be canonical. It is the root of the
/// surrounding repository or, if git would not use any, the nearest directory with an incomplete `.git`.
/// Otherwise, it is `cwd`, or `directory` if that is outside `cwd`.
#[must_use]
pub fn base_of(directory: &Path, cwd: &Path, world: &World) -> PathBuf {
    let named = || directory.ancestors().filter(|above| dot_git(above).is_some());
    let repository = named().find(|above| repository_at(above, world).is_some());
    let name_alone = || named().find(|above| !Dirs::at(above).is_some_and(|dirs| dirs.are_complete()));
    let fallback = if directory.starts_with(cwd) { cwd } else { directory };
    repository.or_else(name_alone).unwrap_or(fallback).to_owned()
}

impl Rules {
    /// The rules below `base`.
    ///
    /// # Errors
    /// If git's configuration, or its excludes, cannot be read safely.
    pub fn new(base: PathBuf, world: &World) -> Result<Self, UnsafeFile> {
        let outside = match repository_at(&base, world) {
            // Entering the base adds the repository's own rules.
            Some(_) => GitRules::default(),
            None => GitRules::outside(world)?,
        };
        let (steps, slow, by_path) = (AtomicU64::new(0), OnceLock::new(), Mutex::default());
        let cut = Mutex::new(outside.files().filter_map(RuleFile::cut_line).collect());
        Ok(Self { base, world: world.clone(), outside, git: None, steps, slow, cut, by_path })
    }

    /// The lines of all ignore files read so far of which ctx applies only the beginning.
    #[must_use]
    pub fn cut_lines(&self) -> BTreeSet<CutLine> {
        self.cut.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same rules, with a way to ask git.
    #[must_use]
    pub fn asking(self, git: Option<AskGit>) -> Self {
        Self { git, ..self }
    }

    /// What git tracks at a path relative to the base, whose directory has these layers.
    #[must_use]
    pub fn tracked(&self, layers: &Layers, relative: &[u8]) -> TrackedAt {
        let (depth, git) = self.git_at(layers);
        let (tracked, name) = (git.tracked(self.git.as_ref()), &relative[depth..]);
        if tracked.contains(name) {
            TrackedAt::Itself
        } else if tracked.has_below(name) {
            TrackedAt::Below
        } else {
            TrackedAt::Nothing
        }
    }

    /// Whether git checks out links in a directory with these layers as files with their targets' paths.
    #[must_use]
    pub fn has_links_as_files(&self, layers: &Layers) -> bool {
        self.git_at(layers).1.links_are_files
    }

    /// Whether git tracks a link at a path relative to the base, whose directory has these layers.
    #[must_use]
    pub fn tracks_link(&self, layers: &Layers, relative: &[u8]) -> bool {
        let (depth, git) = self.git_at(layers);
        git.tracked(self.git.as_ref()).contains_link(&relative[depth..])
    }

    /// The names in a directory that lead to something tracked. Its parent has these layers.
    #[must_use]
    pub fn tracked_in<'a>(&'a self, above: &'a Layers, relative: &[u8]) -> Vec<&'a [u8]> {
        let (depth, git) = self.git_at(above);
        git.tracked(self.git.as_ref()).names_in(&relative[depth..])
    }

    /// The ignore file that takes too long to apply, if there is one. What the rules have decided is incomplete
    /// then.
    #[must_use]
    pub fn slow_file(&self) -> Option<UnsafeFile> {
        Some(UnsafeFile { path: self.slow.get()?.clone(), why: UnsafeBecause::Slow })
    }

    /// Whether an ignore file takes too long to apply.
    #[must_use]
    pub fn are_slow(&self) -> bool {
        self.slow.get().is_some()
    }

    /// The decision of one file.
    fn ask<'a>(&self, file: &'a RuleFile, relative: &[u8], is_directory: bool) -> Option<Decision<'a>> {
        if self.are_slow() {
            return None;
        }
        let mut steps = 0;
        let decision = file.decide(relative, is_directory, &mut steps);
        if let Some(more) = steps.checked_sub(FREE_STEPS)
            && self.steps.fetch_add(more, Ordering::Relaxed) + more > MOST_STEPS
        {
            self.slow.get_or_init(|| file.path().to_owned());
        }
        decision
    }

    /// The directory from which the rules apply.
    #[must_use]
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// The layers of a directory. `relative` is its path from the base, empty for the base itself.
    ///
    /// # Errors
    /// If one of its ignore files cannot be read safely.
    pub fn enter(
        &self,
        above: &Layers,
        relative: &[u8],
        directory: &OpenDirectory,
        present: Present,
    ) -> Result<Layers, UnsafeFile> {
        if !present.any() {
            return Ok(above.clone());
        }
        let names = || NAMES.into_iter().enumerate().filter(|(kind, _)| present.files[*kind]);
        let layers = self.layer(above, relative, present.repository, |path, case| {
            let mut files = RuleFiles::default();
            for (kind, name) in names() {
                let opened = directory::open_in(directory, name);
                let file = if OF_TOOLS.contains(&kind) {
                    RuleFile::read_linked(opened, path.join(name), &self.base, case)?
                } else {
                    RuleFile::read(opened, path.join(name), case)?
                };
                let file = if kind == GIT { file } else { file.unknown_to_git() };
                files[kind] = Some(file).filter(|file| !file.is_empty());
            }
            Ok(files)
        })?;
        if self.has_links_as_files(&layers) {
            // The text of such a file is a path, which would hide the rules that it leads to.
            for (_, name) in names() {
                let path = directory::path_of(relative).join(name);
                if self.tracks_link(&layers, &directory::bytes_of(&path)) {
                    return Err(UnsafeFile { path: self.base.join(path), why: UnsafeBecause::Link });
                }
            }
        }
        Ok(layers)
    }

    /// The layers of a directory if its `.gitignore` had these contents.
    ///
    /// # Errors
    /// If the contents cannot be parsed safely.
    pub fn enter_as(
        &self,
        above: &Layers,
        relative: &[u8],
        text: Option<&[u8]>,
        is_repository: bool,
    ) -> Result<Layers, UnsafeFile> {
        self.layer(above, relative, is_repository, |path, case| {
            let file = text.map(|text| RuleFile::parse(text, path.join(NAMES[GIT]), case)).transpose()?;
            let mut files = RuleFiles::default();
            files[GIT] = file;
            Ok(files)
        })
    }

    /// The layers of a directory. `read` reads its ignore files, given its path and git's setting for case
    /// sensitivity.
    fn layer(
        &self,
        above: &Layers,
        relative: &[u8],
        is_repository: bool,
        read: impl FnOnce(&Path, Case) -> Result<RuleFiles, UnsafeFile>,
    ) -> Result<Layers, UnsafeFile> {
        let path = self.base.join(directory::path_of(relative));
        let repository = is_repository.then(|| repository_at(&path, &self.world)).flatten();
        let git = repository.map(|repository| GitRules::of(&repository, &self.world)).transpose()?;
        let case = git.as_ref().unwrap_or_else(|| self.git_above(above)).case;
        let depth = relative.len() + usize::from(!relative.is_empty());
        let files = read(&path, case)?;
        let all = files.iter().flatten().chain(git.iter().flat_map(GitRules::files));
        let cut: Vec<CutLine> = all.filter_map(RuleFile::cut_line).collect();
        if !cut.is_empty() {
            self.cut.lock().unwrap_or_else(PoisonError::into_inner).extend(cut);
        }
        Ok(Some(Arc::new(Layer { above: above.clone(), depth, files, git })))
    }

    /// Git's rules for the directory with these layers.
    fn git_above<'a>(&'a self, layers: &'a Layers) -> &'a GitRules {
        self.git_at(layers).1
    }

    /// Git's rules for the directory with these layers, and the length of the path to where they begin.
    fn git_at<'a>(&'a self, layers: &'a Layers) -> (usize, &'a GitRules) {
        let own = chain(layers).find_map(|layer| Some((layer.depth, layer.git.as_ref()?)));
        own.unwrap_or((0, &self.outside))
    }

    /// The rule that decides whether a path relative to the base is excluded. The path's directory has these
    /// layers, and the directories above must have been checked already.
    #[must_use]
    pub fn decide<'a>(
        &'a self,
        layers: &'a Layers,
        relative: &[u8],
        is_directory: bool,
    ) -> Option<Decision<'a>> {
        let own = |kind: usize| {
            chain(layers).find_map(|layer| {
                self.ask(layer.files[kind].as_ref()?, &relative[layer.depth..], is_directory)
            })
        };
        let of_git = || {
            let decision = self.decide_as_git(layers, relative, is_directory)?;
            let is_lifted = decision.ignores() && self.tracked(layers, relative) == TrackedAt::Itself;
            (!is_lifted).then_some(decision)
        };
        let of_tools = || {
            let decisions = OF_TOOLS.filter_map(own);
            // Whoever keeps a file from one model has no model in mind that may have it.
            decisions.reduce(|first, next| if first.ignores() || !next.ignores() { first } else { next })
        };
        let written = own(0).or_else(of_tools).or_else(|| own(IGNORE)).or_else(of_git);
        written.or_else(|| {
            let decision = built_in::decide(relative, is_directory)?;
            let is_beside = |name| self.directory_of(relative).join(name).exists();
            built_in::needed_beside(decision).is_none_or(is_beside).then_some(decision)
        })
    }

    /// The decision on a directory that contains a marker of what nobody wants in a prompt.
    #[must_use]
    pub fn decide_marked<'a>(
        &'a self,
        layers: &'a Layers,
        relative: &[u8],
        marker: Marker,
    ) -> Option<Decision<'a>> {
        let decision = self.decide(layers, relative, true);
        decision.or_else(|| marker.is_valid_in(&self.path_of(relative)).then(|| marker.decision()).flatten())
    }

    fn path_of(&self, relative: &[u8]) -> PathBuf {
        self.base.join(directory::path_of(relative))
    }

    fn directory_of(&self, relative: &[u8]) -> PathBuf {
        let end = memchr::memrchr(b'/', relative).unwrap_or(0);
        self.path_of(&relative[..end])
    }

    /// Whether git's own rules exclude a path or, if none matches it, whether it is a file that a file
    /// manager leaves behind.
    #[must_use]
    pub fn ignores_as_git(&self, layers: &Layers, relative: &[u8], is_directory: bool) -> bool {
        self.decide_as_git(layers, relative, is_directory).map_or_else(
            || !is_directory && built_in::is_file_managers(relative),
            |decision| decision.ignores(),
        )
    }

    /// The decision of git's own rules on a path, as in [`Rules::decide`].
    pub(crate) fn decide_as_git<'a>(
        &'a self,
        layers: &'a Layers,
        relative: &[u8],
        is_directory: bool,
    ) -> Option<Decision<'a>> {
        let mut depth = 0;
        for layer in chain(layers) {
            let below = &relative[layer.depth..];
            let own = layer.files[GIT].as_ref();
            if let Some(decision) = own.and_then(|file| self.ask(file, below, is_directory)) {
                return Some(decision);
            }
            if layer.git.is_some() {
                depth = layer.depth;
                break;
            }
        }
        let git = self.git_above(layers);
        let below = &relative[depth..];
        let files = [&git.repository, &git.shared].into_iter().flatten();
        files.into_iter().find_map(|file| self.ask(file, below, is_directory))
    }

    /// Checks a path relative to the base, with all directories on the way, and returns the layers of its
    /// directory.
    #[must_use]
    pub fn judge(&self, relative: &[u8], is_directory: bool) -> Judged {
        let mut layers = None;
        let mut verdict = Ruling::Unmentioned;
        // The rule that excludes everything here that git does not track.
        let mut only_tracked: Option<DecidedBy> = None;
        let mut directory = 0;
        while directory < relative.len() {
            let above = relative[..directory].strip_suffix(b"/").unwrap_or(&relative[..directory]);
            layers = match self.enter_once(&layers, above) {
                Ok(layers) => layers,
                Err(problem) => {
                    return Judged { layers, verdict: Ruling::Unsafe(problem), only_tracked: false };
                }
            };
            let rest = &relative[directory..];
            let name = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
            let path = &relative[..directory + name];
            let is_directory = is_directory || path.len() < relative.len();
            let decision = match Marker::find(&self.path_of(path)).filter(|_| is_directory) {
                Some(marker) => self.decide_marked(&layers, path, marker),
                None => self.decide(&layers, path, is_directory),
            };
            verdict = match decision {
                Some(decision) if decision.ignores() => Ruling::Ignored(decision.to_owned()),
                Some(decision) => Ruling::Kept(decision.to_owned()),
                None => Ruling::Unmentioned,
            };
            if let Ruling::Ignored(by) = &verdict {
                if !is_directory || !decision.is_some_and(is_of_git) {
                    return Judged { layers, verdict, only_tracked: false };
                }
                only_tracked.get_or_insert(by.clone());
            }
            if let Some(by) = &only_tracked {
                match self.tracked(&layers, path) {
                    TrackedAt::Itself if is_directory => only_tracked = None,
                    TrackedAt::Itself => {}
                    TrackedAt::Below if is_directory => verdict = Ruling::Unmentioned,
                    TrackedAt::Below | TrackedAt::Nothing => {
                        let verdict = Ruling::Ignored(by.clone());
                        return Judged { layers, verdict, only_tracked: false };
                    }
                }
            }
            directory += name + 1;
        }
        Judged { layers, verdict, only_tracked: only_tracked.is_some() }
    }

    /// The layers of a directory, whose ignore files are read the first time.
    fn enter_once(&self, above: &Layers, relative: &[u8]) -> Result<Layers, UnsafeFile> {
        let known = || self.by_path.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layers) = known().get(relative) {
            return Ok(layers.clone());
        }
        let layers = self.enter_by_path(above, relative)?;
        known().insert(relative.to_vec(), layers.clone());
        Ok(layers)
    }

    fn enter_by_path(&self, above: &Layers, relative: &[u8]) -> Result<Layers, UnsafeFile> {
        let path = self.base.join(directory::path_of(relative));
        let mut present = Present::default();
        for name in NAMES.into_iter().chain([".git"]) {
            match path.join(name).symlink_metadata() {
                Ok(_) => present.note(name.as_bytes()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(UnsafeFile::unread(path.join(name), &error)),
            }
        }
        if !present.any() {
            return Ok(above.clone());
        }
        match directory::open_directory_at(&path) {
            Ok(directory) => self.enter(above, relative, &directory, present),
            // A directory may be traversable without being readable, and then its files can still be opened.
            Err(error) => Err(UnsafeFile::unread(path, &error)),
        }
    }
}

/// The result of [`Rules::judge`].
#[derive(Debug)]
pub struct Judged {
    /// The layers of the path's directory.
    pub layers: Layers,
    /// The rules' verdict.
    pub verdict: Ruling,
    /// Whether, below a directory, the rules exclude everything that git does not track.
    pub only_tracked: bool,
}

/// What git tracks at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackedAt {
    /// A file, a link or a submodule.
    Itself,
    /// Something below it.
    Below,
    /// Nothing.
    Nothing,
}

/// Whether it is a decision of git's own rules.
#[must_use]
pub fn is_of_git(decision: Decision<'_>) -> bool {
    !decision.is_unknown_to_git() && !built_in::has_decided(decision)
}

fn chain(layers: &Layers) -> impl Iterator<Item = &Layer> {
    std::iter::successors(layers.as_deref(), |layer| layer.above.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::tests::Fixture;

    #[test]
    fn rules_decide_nothing_more_once_they_have_taken_too_many_steps() {
        let fixture = Fixture::new(&[]);
        let lines: String = (0..8_000).map(|n| format!("**/x{n}/**/y*{n}\n")).collect();
        std::fs::write(fixture.world.cwd.join(".ctxignore"), lines).unwrap();
        let rules = Rules::new(fixture.world.cwd.clone(), &fixture.world).unwrap();
        let is_left_out = |path: &str| rules.judge(path.as_bytes(), false).verdict.leaves_out();
        assert!(is_left_out("x7/y7") && !is_left_out("some/path/to/a/file"));
        assert_eq!(rules.slow_file(), None);
        rules.steps.store(MOST_STEPS, Ordering::Relaxed);
        assert!(!is_left_out("some/path/to/a/file"));
        assert!(rules.slow_file().is_some_and(|file| file.path.ends_with(".ctxignore")));
        assert!(!is_left_out("x7/y7"));
    }

    #[test]
    fn ignore_files_above_several_paths_are_read_once() {
        let fixture = Fixture::new(&["docs/deep/.keep"]);
        let write = |name: &str, text: &str| std::fs::write(fixture.world.cwd.join(name), text).unwrap();
        write(".ctxignore", "a\n");
        write("docs/.ctxignore", "b\n");
        let rules = Rules::new(fixture.world.cwd.clone(), &fixture.world).unwrap();
        let is_left_out = |path: &str| rules.judge(path.as_bytes(), false).verdict.leaves_out();
        assert!(is_left_out("docs/deep/a") && is_left_out("docs/deep/b") && !is_left_out("docs/deep/c"));
        // Whoever read them again would see these rules.
        for name in [".ctxignore", "docs/.ctxignore", "docs/deep/.ctxignore"] {
            write(name, "c\n");
        }
        assert!(is_left_out("docs/deep/a") && is_left_out("docs/b") && !is_left_out("docs/deep/c"));
    }
}
