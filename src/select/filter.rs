//! `--include` and `--exclude`: which of the selected files.

use std::path::{Path, PathBuf};

use crate::entry::component::Component;
use crate::entry::pattern::{self, Glob, TargetError};
use crate::entry::positions::Components;
use crate::world::World;

use super::resolve::path_of;
use super::tree;

/// Patterns as in a `.gitignore`: one without a slash matches a name at any depth, one with a slash
/// the path from the current directory (or from `~`, or the root); a directory stands for all below.
#[derive(Debug)]
pub struct Filter {
    globs: Vec<Anchored>,
}

#[derive(Debug)]
struct Anchored {
    /// `None`: anywhere.
    root: Option<PathBuf>,
    components: Components,
}

impl Filter {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// The first text that is no pattern, and why.
    pub fn new(texts: &[String], world: &World) -> Result<Self, (String, TargetError)> {
        let mut globs = Vec::new();
        for text in texts {
            let invalid = |error| (text.clone(), error);
            let anywhere = !text.trim_end_matches('/').contains('/') && !text.starts_with('~');
            for glob in pattern::exclusion(text).map_err(invalid)? {
                globs.push(Anchored::new(glob, anywhere, world).map_err(invalid)?);
            }
        }
        Ok(Self { globs })
    }

    /// Whether there are no patterns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.globs.is_empty()
    }

    /// Whether any pattern matches the canonical path or a directory above it.
    #[must_use]
    pub fn matches(&self, path: &Path) -> bool {
        self.globs.iter().any(|glob| glob.matches(path))
    }
}

impl Anchored {
    fn new(glob: Glob, anywhere: bool, world: &World) -> Result<Self, TargetError> {
        if glob.directory.is_empty() && glob.components.first() == Some(&Component::Recursive) {
            return Ok(Self { root: None, components: glob.components });
        }
        if anywhere {
            let components = glob.components.after(std::iter::once(Component::Recursive));
            return Ok(Self { root: None, components: components.ok_or(TargetError::TooManyComponents)? });
        }
        let directory = path_of(&glob.directory, world).unwrap_or_else(|_| world.cwd.clone());
        let root = Some(directory.canonicalize().unwrap_or(directory));
        Ok(Self { root, components: glob.components })
    }

    fn matches(&self, path: &Path) -> bool {
        let below = match self.root.as_ref().map(|root| path.strip_prefix(root)) {
            None => path,
            Some(Ok(below)) => below,
            Some(Err(_)) => return false,
        };
        self.components.takes_out(&tree::bytes_of(below))
    }
}
