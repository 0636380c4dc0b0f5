//! Filters the selected files, by patterns and by age.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::entry::component::Component;
use crate::entry::pattern::{self, Glob, TargetError};
use crate::entry::positions::Components;
use crate::fs::{Time, resolved};
use crate::world::World;

use super::SelectError;
use super::merge::PlacedFile;
use super::options::Options;
use super::resolver::path_of;
use crate::fs::directory;

/// Patterns as in a `.gitignore`: one without a slash matches a name at any depth below the tree, one with a slash
/// the path from the current directory (or from `~`, or the root). A directory includes everything below it.
#[derive(Debug, Default)]
pub struct Filter {
    anywhere: Vec<Components>,
    /// By the directory that their paths begin at.
    below: HashMap<PathBuf, Vec<Components>>,
}

impl Filter {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// The first text that is not a pattern, and why.
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
            self.anywhere.push(glob.components);
        } else if anywhere {
            let components = glob.components.after(std::iter::once(Component::Recursive));
            self.anywhere.push(components.ok_or(TargetError::TooManyComponents)?);
        } else {
            let root = roots.entry(glob.directory).or_insert_with_key(|directory| {
                let directory = path_of(directory, world).unwrap_or_else(|_| world.cwd.clone());
                resolved(directory)
            });
            self.below.entry(root.clone()).or_default().push(glob.components);
        }
        Ok(())
    }

    /// Whether there are no patterns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.anywhere.is_empty() && self.below.is_empty()
    }

    /// Whether any pattern matches a file, given with all links resolved, or one of its directories. Directories
    /// above the tree are nobody's choice and do not count; for a file elsewhere only the name does.
    #[must_use]
    pub fn matches(&self, real: &Path, tree: &Path) -> bool {
        let from_tree = real.strip_prefix(tree).unwrap_or(Path::new(real.file_name().unwrap_or_default()));
        self.matches_from(real, &directory::bytes_of(from_tree))
    }

    fn matches_from(&self, real: &Path, from_tree: &[u8]) -> bool {
        let matches_below = |root: &Path| {
            let below = real.strip_prefix(root).ok().zip(self.below.get(root));
            below.is_some_and(|(path, all)| any_takes_out(all, &directory::bytes_of(path)))
        };
        any_takes_out(&self.anywhere, from_tree)
            || (!self.below.is_empty() && real.ancestors().any(matches_below))
    }
}

fn any_takes_out(all: &[Components], path: &[u8]) -> bool {
    all.iter().any(|one| one.takes_out(path))
}

/// The filters for files that entries match.
#[derive(Debug)]
pub struct Filters {
    include: Filter,
    exclude: Filter,
    newer_than: Option<Time>,
    /// The top of the tree.
    tree: PathBuf,
}

impl Filters {
    /// The filters in the options, for this tree.
    ///
    /// # Errors
    /// If a pattern is invalid.
    pub fn new(world: &World, options: &Options, tree: &Path) -> Result<Self, SelectError> {
        let filter = |texts: &[String]| {
            Filter::new(texts, world).map_err(|(text, source)| SelectError::InvalidFilter { text, source })
        };
        Ok(Self {
            include: filter(&options.include)?,
            exclude: filter(&options.exclude)?,
            newer_than: options.newer_than.map(Time::of),
            tree: tree.to_owned(),
        })
    }

    pub(super) fn pass(&self, candidate: &PlacedFile) -> bool {
        if let Some(since) = &self.newer_than {
            let changed = candidate.metadata().map(|found| found.stamp.modified);
            if changed.is_some_and(|changed| changed < *since) {
                return false;
            }
        }
        if self.include.is_empty() && self.exclude.is_empty() {
            return true;
        }
        let real = candidate.canonical();
        if real.starts_with(&self.tree) {
            return self.pass_path(&real);
        }
        // For files elsewhere, the path relative to where the search for it began.
        let path = candidate.relative();
        (self.include.is_empty() || self.include.matches_from(&real, path))
            && !self.exclude.matches_from(&real, path)
    }

    /// Whether the patterns include a path in the tree.
    #[must_use]
    pub fn pass_path(&self, path: &Path) -> bool {
        (self.include.is_empty() || self.include.matches(path, &self.tree))
            && !self.exclude.matches(path, &self.tree)
    }
}
