//! The place that trust holds in.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::fs::{Identity, real};
use crate::git::own_repository;

/// A repository with its linked work trees, or a directory: by its real path and by what the file system
/// knows it by, so that a copy, a clone, or a directory that was made anew is another place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Here {
    /// The git directory that the work trees share, or the top of the tree.
    path: PathBuf,
    #[serde(flatten)]
    identity: Identity,
}

impl Here {
    /// The place of a tree. A `.git` that leads to a repository which does not lead back is no part of
    /// that repository: the place is then the tree itself.
    ///
    /// # Errors
    /// If the tree cannot be looked at.
    pub fn of_tree(root: &Path) -> io::Result<Self> {
        match own_repository(root) {
            Ok(repository) => Self::of_directory(&repository.common_dir),
            Err(_) => Self::of_directory(&real(root)?),
        }
    }

    fn of_directory(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), identity: Identity::of(path)? })
    }

    /// The directory that stands for the place.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}
