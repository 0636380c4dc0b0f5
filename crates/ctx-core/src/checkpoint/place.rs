//! The tree that checkpoints are made from, and the directory of the checkpoints.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::CheckpointError;
use crate::fs::{Identity, resolved};
use crate::git::is_git_directory;
use crate::store::Store;
use crate::tree::Tree;
use crate::words::hex;
use crate::world::World;

/// The directory of the store with one subdirectory for each tree.
pub const CHECKPOINTS: &str = "checkpoints";

/// A tree and the directory of its checkpoints.
#[derive(Debug, Clone)]
pub struct CheckpointedTree {
    /// The top of the tree, with all links resolved.
    pub root: PathBuf,
    /// The identity of the root.
    pub identity: Identity,
    /// Git directories of the repository, relative to the root, if they are in the tree.
    pub git_dirs: Vec<Vec<u8>>,
    /// Where the checkpoints are.
    pub directory: PathBuf,
}

impl CheckpointedTree {
    /// The tree that contains the current directory.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`] for a directory that is not allowed, and errors from examining it.
    pub fn around(store: &Store, world: &World) -> Result<Self, CheckpointError> {
        let tree = Tree::around(world);
        let root = tree.root().to_owned();
        let refused = |reason| Err(CheckpointError::Refused { root: root.clone(), reason });
        if root.parent().is_none() {
            return refused("it is the root of the file system");
        }
        if world.home.as_deref().is_some_and(|home| resolved(home).starts_with(&root)) {
            return refused("the home directory is in it");
        }
        if resolved(store.root()).starts_with(&root) {
            return refused("the store is in it");
        }
        if is_git_directory(&root) {
            return refused("it is a git directory");
        }
        let relative = |path: &PathBuf| {
            path.strip_prefix(&root).ok().map(|path| path.as_os_str().as_encoded_bytes().to_vec())
        };
        let git_dirs = tree.git_dirs().iter().filter_map(relative).collect();
        let identity = identity_of(&root)?;
        let directory = store.root().join(CHECKPOINTS).join(name_of(&root));
        Ok(Self { root, identity, git_dirs, directory })
    }

    /// The bare repository with the contents.
    #[must_use]
    pub fn repository(&self) -> PathBuf {
        self.directory.join("objects.git")
    }

    /// Checks that the root is still the same directory.
    ///
    /// # Errors
    /// If it cannot be examined any more.
    pub fn check_unchanged(&self) -> Result<(), CheckpointError> {
        if identity_of(&self.root)? == self.identity {
            Ok(())
        } else {
            Err(CheckpointError::Refused {
                root: self.root.clone(),
                reason: "it was replaced by another directory just now",
            })
        }
    }
}

fn identity_of(root: &Path) -> Result<Identity, CheckpointError> {
    Identity::of(root).map_err(CheckpointError::io("read", root))
}

/// A directory name that people can recognise and that two trees never share.
fn name_of(root: &Path) -> String {
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let digest = hex(&digest[..8]);
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let is_plain = |char: &char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
    let name: String = name.chars().filter(is_plain).take(32).collect();
    format!("{name}-{digest}")
}
