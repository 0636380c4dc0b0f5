//! Filters the selected files, by patterns and by age.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::entry::component::Component;
use crate::entry::pattern::{self, Glob, TargetError};
use crate::entry::positions::Components;
use crate::fs::{Time, resolved};
use crate::report::ReasonCode;
use crate::world::World;

use super::SelectError;
use super::options::Options;
use super::resolver::path_of;
use crate::fs::directory;

/// Patterns as in a `.gitignore`: one without a slash matches a name at any depth below the tree, one with a slash
/// the path from the current directory (or from `~`, or the root). A directory includes everything below it.
#[derive(Debug, Default)]
pub struct Filter {
    anywhere: Vec<Components>,
    /// By the directory that their paths are relative to.
    below: HashMap<PathBuf, Vec<Components>>,
}

impl Filter {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// The first string that is not a valid pattern, and why.
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

    /// Whether any pattern matches a file, given with all links resolved, or one of its directories.
    /// Directories above the tree are ignored, since nobody chose them. If the file is elsewhere, only its
    /// name is compared.
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

/// The filters for files that entries match: the verdict on each file, for the selection and for explanations.
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
        if self.newer_than.zip(changed).is_some_and(|(since, changed)| changed < since) {
            return Err(ReasonCode::TooOld);
        }
        if self.include.is_empty() && self.exclude.is_empty() {
            return Ok(());
        }
        let real = real();
        let matches = |filter: &Filter| match real.strip_prefix(&self.tree) {
            Ok(from_tree) => filter.matches_from(&real, &directory::bytes_of(from_tree)),
            Err(_) => filter.matches_from(&real, below_start),
        };
        if !self.include.is_empty() && !matches(&self.include) {
            Err(ReasonCode::NotIncluded)
        } else if matches(&self.exclude) {
            Err(ReasonCode::FilteredOut)
        } else {
            Ok(())
        }
    }

    /// Whether the patterns include a path in the tree.
    #[must_use]
    pub fn pass_path(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        self.check(|| path.to_owned(), name, None).is_ok()
    }
}
