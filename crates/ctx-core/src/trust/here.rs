//! The place that trust holds in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::repository::Repository;

/// A repository with its linked work trees, or a directory: by its real path and by what the file system
/// knows it by, so that a copy, a clone, or a directory that was made anew is another place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Here {
    /// The git directory that the work trees share, or the top of the tree.
    path: PathBuf,
    /// Its number in the file system; 0 where there is none.
    inode: u64,
    /// When it was made, in nanoseconds since 1970, where the file system knows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    born: Option<u64>,
}

impl Here {
    /// The place of a tree. A `.git` that leads to a repository which does not lead back is no part of
    /// that repository: the place is then the tree itself.
    ///
    /// # Errors
    /// If the tree cannot be looked at.
    pub fn of_tree(root: &Path) -> io::Result<Self> {
        match Repository::at(root) {
            Ok(repository) => Self::of_directory(&repository.common_dir),
            Err(_) => Self::of_directory(&root.canonicalize()?),
        }
    }

    fn of_directory(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        let born = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let born = born.and_then(|since| u64::try_from(since.as_nanos()).ok());
        Ok(Self { path: path.to_owned(), inode: inode(&metadata), born })
    }

    /// The directory that stands for the place.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}
