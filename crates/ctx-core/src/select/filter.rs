//! Filters the selected files, by patterns and by age.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::entry::component::Component;
use crate::entry::foreign;
use crate::entry::pattern::{self, Glob, TargetError};
use crate::entry::positions::Components;
use crate::fs::{Time, resolved};
use crate::report::ReasonCode;
use crate::world::World;

use super::SelectError;
use super::filter_hits::{FilterHits, IdleFilter};
use super::options::Options;
use super::resolver::path_of;
use crate::fs::alike::alike_pattern;
use crate::fs::directory;

/// Patterns as in a `.gitignore`: one without a slash matches a name at any depth below the tree, one with a slash
/// the path from the current directory (or from `~`, or the root). A directory includes everything below it.
#[derive(Debug, Default)]
pub struct Filter {
    anywhere: Vec<Numbered>,
    /// By the directory that their paths are relative to.
    below: HashMap<PathBuf, Vec<Numbered>>,
    /// By number.
    alternatives: Vec<Alternative>,
}

#[derive(Debug)]
struct Numbered {
    components: Components,
    number: usize,
}

/// One alternative of a pattern.
#[derive(Debug)]
struct Alternative {
    /// The whole pattern, by its index in the filter.
    pattern: usize,
    text: String,
    /// Whether it has matched a path.
    has_matched: AtomicBool,
}

impl Filter {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// The first string that is not a valid pattern, and why.
    pub fn new(texts: &[String], world: &World) -> Result<Self, (String, TargetError)> {
        let mut filter = Self::default();
        let mut roots = HashMap::new();
        for (pattern, text) in texts.iter().enumerate() {
            let invalid = |error| (text.clone(), error);
            let anywhere = !text.trim_end_matches('/').contains('/') && !text.starts_with('~');
            for (text, glob) in pattern::alternatives(text).map_err(invalid)? {
                filter.add(glob, anywhere, &mut roots, world).map_err(invalid)?;
                filter.alternatives.push(Alternative { pattern, text, has_matched: AtomicBool::new(false) });
            }
        }
        Ok(filter)
    }

    fn add(
        &mut self,
        glob: Glob,
        anywhere: bool,
        roots: &mut HashMap<String, PathBuf>,
        world: &World,
    ) -> Result<(), TargetError> {
        let numbered = |components| Numbered { components, number: self.alternatives.len() };
        if glob.directory.is_empty() && glob.components.first() == Some(&Component::Recursive) {
            self.anywhere.push(numbered(glob.components));
        } else if anywhere {
            let components = glob.components.after(std::iter::once(Component::Recursive));
            self.anywhere.push(numbered(components.ok_or(TargetError::TooManyComponents)?));
        } else {
            let root = roots.entry(glob.directory).or_insert_with_key(|directory| {
                let directory = path_of(directory, world).unwrap_or_else(|_| world.cwd.clone());
                resolved(directory)
            });
            self.below.entry(root.clone()).or_default().push(numbered(glob.components));
        }
        Ok(())
    }

    /// Whether there are no patterns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.anywhere.is_empty() && self.below.is_empty()
    }

    /// Whether any pattern matches a file, given with all links resolved, or one of its directories.
    /// Directories above the tree are ignored, since nobody chose them. If the file is elsewhere, only its
    /// name is compared.
    #[must_use]
    pub fn matches(&self, real: &Path, tree: &Path) -> bool {
        let from_tree = real.strip_prefix(tree).unwrap_or(Path::new(real.file_name().unwrap_or_default()));
        self.matches_from(real, &directory::bytes_of(from_tree))
    }

    fn matches_from(&self, real: &Path, from_tree: &[u8]) -> bool {
        let mut matches = self.try_all(&self.anywhere, from_tree);
        if !self.below.is_empty() {
            for root in real.ancestors() {
                if let Some((path, all)) = real.strip_prefix(root).ok().zip(self.below.get(root)) {
                    matches |= self.try_all(all, &directory::bytes_of(path));
                }
            }
        }
        matches
    }

    /// Whether any alternative matches the path; notes which do, and goes on until all that have not matched
    /// anything yet are tried.
    fn try_all(&self, all: &[Numbered], path: &[u8]) -> bool {
        let mut matches = false;
        for Numbered { components, number } in all {
            let has_matched = &self.alternatives[*number].has_matched;
            if !(matches && has_matched.load(Ordering::Relaxed)) && components.takes_out(path) {
                has_matched.store(true, Ordering::Relaxed);
                matches = true;
            }
        }
        matches
    }

    /// The alternatives that have matched, by number.
    fn matched(&self) -> impl Iterator<Item = usize> {
        let numbered = self.alternatives.iter().enumerate();
        numbered.filter(|(_, one)| one.has_matched.load(Ordering::Relaxed)).map(|(number, _)| number)
    }
}

/// A filter, with what its patterns may mean.
#[derive(Debug)]
struct Tried {
    patterns: Vec<String>,
    filter: Filter,
    /// The patterns that may have been meant, each with the index of the pattern that was written.
    meant: Vec<(usize, String, Filter)>,
}

impl Tried {
    fn new(texts: &[String], world: &World) -> Result<Self, SelectError> {
        let filter = Filter::new(texts, world)
            .map_err(|(text, source)| SelectError::InvalidFilter { text, source })?;
        let numbered = texts.iter().enumerate();
        let meant = numbered.flat_map(|(pattern, text)| {
            let from_root = text.strip_prefix('/').map(str::to_owned);
            let here = foreign::as_here(text).unwrap_or_default().into_iter();
            let alike = alike_pattern(text, &world.cwd);
            here.chain(from_root).chain(alike).map(move |one| (pattern, one))
        });
        let meant = meant.filter_map(|(pattern, one)| {
            let filter = Filter::new(std::slice::from_ref(&one), world).ok()?;
            Some((pattern, one, filter))
        });
        Ok(Self { meant: meant.collect(), patterns: texts.to_owned(), filter })
    }

    fn matches(&self, real: &Path, path: &[u8]) -> bool {
        for (.., meant) in &self.meant {
            meant.matches_from(real, path);
        }
        self.filter.matches_from(real, path)
    }

    /// The patterns that match nothing, here or elsewhere, at least in part; `is_known` are alternatives that need not.
    fn idle(
        &self,
        excludes: bool,
        elsewhere: &BTreeSet<usize>,
        is_known: impl Fn(&str) -> bool,
    ) -> Vec<IdleFilter> {
        let matched: BTreeSet<usize> = self.filter.matched().chain(elsewhere.iter().copied()).collect();
        let idle_in = |(pattern, text): (usize, &String)| {
            let numbered = self.filter.alternatives.iter().enumerate();
            let own: Vec<(usize, &Alternative)> =
                numbered.filter(|(_, one)| one.pattern == pattern).collect();
            let is_idle =
                |(number, one): &&(usize, &Alternative)| !matched.contains(number) && !is_known(&one.text);
            let idle: Vec<String> = own.iter().filter(is_idle).map(|(_, one)| one.text.clone()).collect();
            let meant = self
                .meant
                .iter()
                .filter(|(of, _, filter)| *of == pattern && filter.matched().next().is_some());
            (!idle.is_empty()).then(|| IdleFilter {
                excludes,
                pattern: text.clone(),
                alternatives: if idle.len() < own.len() { idle } else { Vec::new() },
                meant: meant.map(|(_, one, _)| one.clone()).collect(),
            })
        };
        self.patterns.iter().enumerate().filter_map(idle_in).collect()
    }
}

/// The filters for files that entries match: the verdict on each file, for the selection and for explanations.
#[derive(Debug)]
pub struct Filters {
    include: Tried,
    exclude: Tried,
    newer_than: Option<Time>,
    /// The top of the tree.
    tree: PathBuf,
    /// Whether any file was checked.
    has_tried: AtomicBool,
}

impl Filters {
    /// The filters in the options, for this tree.
    ///
    /// # Errors
    /// If a pattern is invalid.
    pub fn new(world: &World, options: &Options, tree: &Path) -> Result<Self, SelectError> {
        Ok(Self {
            include: Tried::new(&options.include, world)?,
            exclude: Tried::new(&options.exclude, world)?,
            newer_than: options.newer_than.map(Time::of),
            tree: tree.to_owned(),
            has_tried: AtomicBool::new(false),
        })
    }

    /// Checks a file, given its path with all links resolved, and its path from where the search began. The
    /// latter is what counts for files outside the tree.
    ///
    /// # Errors
    /// If an option leaves the file out, with the code of that option.
    pub fn check(
        &self,
        real: impl FnOnce() -> PathBuf,
        below_start: &[u8],
        changed: Option<Time>,
    ) -> Result<(), ReasonCode> {
        let is_old = self.newer_than.zip(changed).is_some_and(|(since, changed)| changed < since);
        if self.has_no_patterns() {
            return if is_old { Err(ReasonCode::TooOld) } else { Ok(()) };
        }
        self.has_tried.store(true, Ordering::Relaxed);
        // Every pattern is tried on every file, since one that matches none is probably a mistake.
        let real = real();
        let from_tree = real.strip_prefix(&self.tree).map(directory::bytes_of);
        let path = from_tree.as_deref().unwrap_or(below_start);
        let is_included = self.include.matches(&real, path) || self.include.patterns.is_empty();
        let is_excluded = self.exclude.matches(&real, path);
        if is_old {
            Err(ReasonCode::TooOld)
        } else if !is_included {
            Err(ReasonCode::NotIncluded)
        } else if is_excluded {
            Err(ReasonCode::FilteredOut)
        } else {
            Ok(())
        }
    }

    fn has_no_patterns(&self) -> bool {
        self.include.patterns.is_empty() && self.exclude.patterns.is_empty()
    }

    /// What has matched so far.
    #[must_use]
    pub fn matched(&self) -> FilterHits {
        FilterHits {
            has_tried: self.has_tried.load(Ordering::Relaxed),
            include: self.include.filter.matched().collect(),
            exclude: self.exclude.filter.matched().collect(),
        }
    }

    /// The patterns that match neither what was checked here nor `elsewhere`.
    #[must_use]
    pub fn idle(&self, elsewhere: &FilterHits, world: &World) -> Vec<IdleFilter> {
        // What ignore rules leave out anyway may be excluded too.
        let is_there = |alternative: &str| {
            let name = alternative.trim_end_matches("/**").trim_end_matches('/');
            !pattern::has_wildcards(name) && path_of(name, world).is_ok_and(|path| path.exists())
        };
        let including = self.include.idle(false, &elsewhere.include, |_| false);
        including.into_iter().chain(self.exclude.idle(true, &elsewhere.exclude, is_there)).collect()
    }

    /// Whether the patterns include a path in the tree.
    #[must_use]
    pub fn pass_path(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        self.check(|| path.to_owned(), name, None).is_ok()
    }
}
