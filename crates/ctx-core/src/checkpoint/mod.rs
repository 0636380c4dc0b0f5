//! Checkpoints: snapshots of the files of a tree, kept outside of its repository.
//!
//! The promise: whatever a command does here, every byte that was there before it and that it did not name as
//! unsaved is there afterwards, or comes back by one command.
//!
//! [`walk`] finds what the tree has, [`contents`] reads what is not known by its [`stamps`], and [`import`] brings
//! it into the [`objects`], which are git's. The [`record`] says which checkpoints there are. [`restore`] has its
//! own page.

mod compare;
mod contents;
mod create;
mod entry;
mod error;
mod import;
mod limits;
mod objects;
mod place;
mod record;
mod remove;
mod restore;
mod stamps;
mod tracked;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use compare::{Comparison, DiffForm};
pub use create::{CheckpointLabel, Created};
pub use entry::ObjectId;
pub use error::CheckpointError;
pub use limits::CheckpointLimits;
pub use record::{Checkpoint, Unsaved, UnsavedReason};
pub use remove::Removal;
pub use restore::{
    Preview, Restoration, RestoreExtent, Restored, Resumption, SkippedPath, Unfinished, Unrestored, WayBack,
};

use contents::ContentsReader;
use entry::TreePath;
use objects::Objects;
use place::CheckpointedTree;
use record::CheckpointRecord;
use stamps::Stamps;
use walk::{FileToSave, TreeWalk};

use crate::fs::{real, resolved};
use crate::process::Launcher;
use crate::progress::Progress;
use crate::store::{Lock, Store, lines};
use crate::world::World;

/// How long a command waits for another one that works on the same tree.
const PATIENCE: Duration = Duration::from_secs(10);

/// The checkpoints of the tree around the current directory.
#[derive(Debug, Clone)]
pub struct Checkpoints<'a> {
    place: CheckpointedTree,
    world: &'a World,
    launcher: &'a Launcher,
    limits: CheckpointLimits,
    progress: Option<Arc<Progress>>,
}

impl<'a> Checkpoints<'a> {
    /// Those of the tree around the current directory; nothing is made yet.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`] for a directory that is too much, and if it cannot be looked at.
    pub fn around(
        store: &Store,
        world: &'a World,
        launcher: &'a Launcher,
        limits: CheckpointLimits,
    ) -> Result<Self, CheckpointError> {
        Ok(Self { place: CheckpointedTree::around(store, world)?, world, launcher, limits, progress: None })
    }

    /// The same, for somebody who watches how far reading has come.
    #[must_use]
    pub fn watched(&self, progress: Option<Arc<Progress>>) -> Self {
        Self { progress, ..self.clone() }
    }

    /// The top of the tree.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.place.root
    }

    /// All checkpoints, the oldest first.
    ///
    /// # Errors
    /// When the list is damaged or cannot be read.
    pub fn list(&self) -> Result<Vec<Checkpoint>, CheckpointError> {
        Ok(CheckpointRecord::read(&self.place)?.checkpoints)
    }

    /// What a walk found, to be read.
    fn contents<'c>(
        &'c self,
        walk: &'c TreeWalk,
        found: Vec<FileToSave>,
        stamps: &'c Stamps,
    ) -> ContentsReader<'c> {
        ContentsReader::new(walk.tree(), found, stamps, self.world.now, self.progress.as_deref())
    }

    /// Waits for its turn, and sweeps up after those who were killed.
    fn lock(&self) -> Result<Locked<'a>, CheckpointError> {
        lines::create_private_directory(&self.place.directory)?;
        let lock = Lock::acquire(&self.place.directory.join("lock"), PATIENCE)?;
        let objects = Objects::at(self.place.repository(), self.launcher)?;
        objects.sweep();
        lines::sweep(&self.place.directory);
        Ok(Locked { _lock: lock, objects })
    }

    /// Paths that were typed, from the root of the tree; none where one is the root itself, which is everything.
    fn scope(&self, paths: &[PathBuf]) -> Result<Vec<TreePath>, CheckpointError> {
        let paths: Vec<Option<TreePath>> =
            paths.iter().map(|path| self.within(path)).collect::<Result<_, _>>()?;
        Ok(paths.into_iter().collect::<Option<_>>().unwrap_or_default())
    }

    /// A path that was typed, from the root of the tree; `None` for the root itself.
    fn within(&self, path: &Path) -> Result<Option<TreePath>, CheckpointError> {
        let outside = || CheckpointError::Outside { path: path.to_owned(), root: self.place.root.clone() };
        let cwd = resolved(&self.world.cwd);
        let mut whole = cwd.clone();
        for part in path.components() {
            match part {
                std::path::Component::ParentDir => drop(whole.pop()),
                std::path::Component::CurDir => {}
                part => whole.push(part),
            }
        }
        // An absolute path may lead into the tree through a link.
        let whole = match (whole.parent().map(real), whole.file_name()) {
            (Some(Ok(parent)), Some(name)) if !whole.starts_with(&self.place.root) => parent.join(name),
            _ => whole,
        };
        let relative = whole.strip_prefix(&self.place.root).map_err(|_| outside())?;
        let bytes = relative.as_os_str().as_encoded_bytes();
        if bytes.is_empty() {
            Ok(None)
        } else {
            let path =
                TreePath::new(bytes).ok_or_else(|| CheckpointError::GitsOwn { path: path.to_owned() })?;
            Ok(Some(path))
        }
    }
}

/// The checkpoints of a tree, for one command at a time.
struct Locked<'a> {
    _lock: Lock,
    objects: Objects<'a>,
}
