//! Programs that ctx runs without being told to.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{Launcher, StartError, Variables};
use crate::tree::Tree;
use crate::world::World;

/// A program that nobody named, so never one that somebody else could have put into the tree: an activated
/// environment may have added a directory of the tree to `PATH`.
#[derive(Debug, Clone)]
pub struct OwnProgram {
    path: PathBuf,
    /// The value of `PATH` without directories in the tree, for the programs that it runs itself.
    search_path: Option<OsString>,
}

impl OwnProgram {
    /// The first program of that name outside the tree.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(name: &str, launcher: &Launcher, world: &World) -> Result<Self, StartError> {
        let tree = Tree::around(world);
        let is_own = |path: &Path| !tree.may_have_filled(path, world.home.as_deref());
        let programs = launcher.programs().only_in(is_own);
        let path = programs.find_accepted(OsStr::new(name), &world.cwd, is_own);
        let path = path.ok_or_else(|| StartError::NotFound { program: name.into() })?;
        Ok(Self { path, search_path: programs.path() })
    }

    /// What to call it in an [`Invocation`](super::Invocation).
    #[must_use]
    pub fn name(&self) -> OsString {
        self.path.clone().into_os_string()
    }

    /// Reduces an environment to the directories in which it may look for other programs.
    pub fn confine(&self, variables: &mut Variables) {
        match &self.search_path {
            Some(path) => variables.set("PATH", path),
            None => variables.remove("PATH"),
        }
    }
}
