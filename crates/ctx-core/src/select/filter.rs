//! Which of the selected files: by patterns and by age.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::entry::alternatives::Alternatives;
use crate::entry::component::Component;
use crate::entry::pattern::{self, Glob, TargetError};
use crate::fs::Time;
use crate::world::World;

use super::ground::path_of;
use super::merge::PlacedFile;
use super::options::Options;
use super::{SelectError, tree};

/// Patterns as in a `.gitignore`: one without a slash matches a name at any depth, one with a slash
/// the path from the current directory (or from `~`, or the root); a directory stands for all below.
#[derive(Debug, Default)]
pub struct Filter {
    anywhere: Option<Alternatives>,
    /// By the directory that their paths begin at.
    below: HashMap<PathBuf, Alternatives>,
}

impl Filter {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// The first text that is no pattern, and why.
    pub fn new(texts: &[String], world: &World) -> Result<Self, (String, TargetError)> {
        let mut filter = Self::default();
        let mut roots = HashMap::new();
        for text in texts {
            let invalid = |error| (text.clone(), error);
            let anywhere = !text.trim_end_matches('/').contains('/') && !text.starts_with('~');
            for glob in pattern::exclusion(text).map_err(invalid)? {
                filter.add(glob, anywhere, &mut roots, world).map_err(invalid)?;
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
        if glob.directory.is_empty() && glob.components.first() == Some(&Component::Recursive) {
            self.anywhere.get_or_insert_default().add(&glob.components);
        } else if anywhere {
            let components = glob.components.after(std::iter::once(Component::Recursive));
            self.anywhere.get_or_insert_default().add(&components.ok_or(TargetError::TooManyComponents)?);
        } else {
            let root = roots.entry(glob.directory).or_insert_with_key(|directory| {
                let directory = path_of(directory, world).unwrap_or_else(|_| world.cwd.clone());
                directory.canonicalize().unwrap_or(directory)
            });
            self.below.entry(root.clone()).or_default().add(&glob.components);
        }
        Ok(())
    }

    /// Whether there are no patterns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.anywhere.is_none() && self.below.is_empty()
    }

    /// Whether any pattern matches the canonical path or a directory above it.
    #[must_use]
    pub fn matches(&self, path: &Path) -> bool {
        self.anywhere.as_ref().is_some_and(|all| all.take_out(&tree::bytes_of(path)))
            || (!self.below.is_empty() && path.ancestors().any(|root| self.matches_below(root, path)))
    }

    fn matches_below(&self, root: &Path, path: &Path) -> bool {
        let Some(all) = self.below.get(root) else { return false };
        path.strip_prefix(root).is_ok_and(|below| all.take_out(&tree::bytes_of(below)))
    }
}

/// Which of the files that entries match are taken.
#[derive(Debug)]
pub struct Filters {
    include: Filter,
    exclude: Filter,
    newer_than: Option<Time>,
}

impl Filters {
    /// Those that the options name.
    ///
    /// # Errors
    /// If a pattern is none.
    pub fn new(world: &World, options: &Options) -> Result<Self, SelectError> {
        let filter = |texts: &[String]| {
            Filter::new(texts, world).map_err(|(text, source)| SelectError::InvalidFilter { text, source })
        };
        Ok(Self {
            include: filter(&options.include)?,
            exclude: filter(&options.exclude)?,
            newer_than: options.newer_than.map(Time::of),
        })
    }

    pub(super) fn pass(&self, candidate: &PlacedFile) -> bool {
        if let Some(since) = &self.newer_than {
            let changed = candidate.metadata().map(|found| found.stamp.modified);
            if changed.is_some_and(|changed| changed < *since) {
                return false;
            }
        }
        (self.include.is_empty() && self.exclude.is_empty()) || self.pass_path(&candidate.canonical())
    }

    /// Whether the patterns include the file of a canonical path.
    #[must_use]
    pub fn pass_path(&self, path: &Path) -> bool {
        (self.include.is_empty() || self.include.matches(path)) && !self.exclude.matches(path)
    }
}
