//! Checkpoints: snapshots of the files in a tree, kept outside its repository.
//!
//! The promise: whatever a command does here, every byte that was there before is still there afterwards or
//! can be brought back with one command, unless the command reported it as unsaved.
//!
//! [`walk`] finds the files of the tree, [`contents`] reads those whose contents are not known from their
//! [`stamps`], and [`import`] adds them to the [`objects`] in a git repository. The [`record`] lists the
//! checkpoints. [`restore`] is documented in its own module.

mod contents;
mod create;
mod entry;
mod error;
mod import;
mod limits;
mod objects;
mod place;
mod record;
mod restore;
mod stamps;
mod walk;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use create::Created;
pub use entry::ObjectId;
pub use error::CheckpointError;
pub use limits::CheckpointLimits;
pub use record::{Checkpoint, Unsaved, UnsavedReason};
pub use restore::{Preview, Restoration, Restored, SkippedPath, Unfinished, Unrestored};

use contents::{ContentsReader, CurrentFiles};
use entry::TreePath;
use import::Import;
use objects::{Objects, failure};
use place::CheckpointedTree;
use record::CheckpointRecord;
use stamps::Stamps;
use walk::{TreeWalk, Walked};

use crate::fs::{real, resolved};
use crate::process::{End, Launcher, OwnProgram};
use crate::progress::Progress;
use crate::store::{Lock, Store, lines};
use crate::world::World;

/// How long a command waits for another one working on the same tree.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where the current files are stored while they are compared.
const NOW: &str = "now.git";

/// The checkpoints of the tree that contains the current directory.
#[derive(Debug, Clone)]
pub struct Checkpoints<'a> {
    place: CheckpointedTree,
    world: &'a World,
    launcher: &'a Launcher,
    limits: CheckpointLimits,
    /// The deadline for git.
    git_deadline: Instant,
    progress: Option<Arc<Progress>>,
}

impl<'a> Checkpoints<'a> {
    /// The checkpoints of the tree that contains the current directory; nothing is created yet.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`] for a directory that is not allowed, and errors from examining it.
    pub fn around(
        store: &Store,
        world: &'a World,
        launcher: &'a Launcher,
        limits: CheckpointLimits,
        git_deadline: Instant,
    ) -> Result<Self, CheckpointError> {
        let place = CheckpointedTree::around(store, world)?;
        Ok(Self { place, world, launcher, limits, git_deadline, progress: None })
    }

    /// The same checkpoints, with commands that report to `progress`, if given.
    #[must_use]
    pub fn watched(&self, progress: Option<Arc<Progress>>) -> Self {
        Self { progress, ..self.clone() }
    }

    /// The top of the tree.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.place.root
    }

    /// The checkpoints of the tree that contains the current directory, the oldest first, for who only reads the list.
    ///
    /// # Errors
    /// Like those of [`Checkpoints::around`] and [`Checkpoints::list`].
    pub fn listed(store: &Store, world: &World) -> Result<Vec<Checkpoint>, CheckpointError> {
        Ok(CheckpointRecord::read(&CheckpointedTree::around(store, world)?)?.checkpoints)
    }

    /// All checkpoints, the oldest first.
    ///
    /// # Errors
    /// If the list is damaged or cannot be read.
    pub fn list(&self) -> Result<Vec<Checkpoint>, CheckpointError> {
        Ok(CheckpointRecord::read(&self.place)?.checkpoints)
    }

    /// A walk through the tree, and what it finds.
    fn walked(&self) -> Result<(TreeWalk<'_>, Walked), CheckpointError> {
        let walk = TreeWalk::new(&self.place, self.world)?;
        let walked = walk.run(self.world, self.launcher, self.git_deadline)?;
        Ok((walk, walked))
    }

    /// A reader for the files that a walk found.
    fn contents<'c>(
        &'c self,
        walk: &'c TreeWalk,
        walked: &'c Walked,
        stamps: &'c Stamps,
    ) -> ContentsReader<'c> {
        ContentsReader::new(walk.tree(), &walked.files, stamps, self.world.now, self.progress.as_deref())
    }

    /// Reads the files that a walk found, without saving them.
    fn current(&self, walk: &TreeWalk, walked: &Walked) -> CurrentFiles {
        let stamps = Stamps::read(&self.place.directory);
        let mut contents = self.contents(walk, walked, &stamps);
        while contents.next_new().is_some() {}
        let left_out = [walked.left_out.clone(), contents.left_out].concat();
        CurrentFiles { manifest: contents.manifest, left_out }
    }

    /// Waits for its turn, and cleans up after killed commands.
    fn lock(&self) -> Result<Objects<'a>, CheckpointError> {
        lines::create_private_directory(&self.place.directory)?;
        let lock = Lock::acquire(&self.place.directory.join("lock"), PATIENCE)?;
        // If this command is killed, its git may go on for a moment; the next command waits for that.
        lock.share_with_programs()?;
        let git = OwnProgram::find("git", self.launcher, self.world)?;
        let objects = Objects::at(self.place.repository(), self.launcher, git, Some(lock))?;
        objects.sweep();
        lines::sweep(&self.place.directory);
        Ok(objects)
    }

    /// Makes typed paths relative to the root of the tree; none if one of them is the root itself, which
    /// means everything.
    fn scope(&self, paths: &[PathBuf]) -> Result<Vec<TreePath>, CheckpointError> {
        let paths: Vec<Option<TreePath>> =
            paths.iter().map(|path| self.within(path)).collect::<Result<_, _>>()?;
        Ok(paths.into_iter().collect::<Option<_>>().unwrap_or_default())
    }

    /// Makes a typed path relative to the root of the tree; `None` for the root itself.
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

    /// Removes the checkpoints of these numbers. Only [`Checkpoints::prune`] frees their space.
    ///
    /// # Errors
    /// [`CheckpointError::Unknown`], [`CheckpointError::Unfinished`] if a restore was interrupted, and errors
    /// from changing the store.
    pub fn remove(&self, numbers: &[u64]) -> Result<Vec<u64>, CheckpointError> {
        self.remove_those(|record| {
            numbers.iter().try_for_each(|number| record.get(*number).map(drop))?;
            Ok(BTreeSet::from_iter(numbers.iter().copied()).into_iter().collect())
        })
    }

    /// Removes all but the last `kept` checkpoints, and returns the numbers of the removed ones.
    ///
    /// # Errors
    /// As [`Checkpoints::remove`].
    pub fn remove_all_but_last(&self, kept: usize) -> Result<Vec<u64>, CheckpointError> {
        self.remove_those(|record| {
            let surplus = record.checkpoints.len().saturating_sub(kept);
            Ok(record.checkpoints[..surplus].iter().map(|checkpoint| checkpoint.number).collect())
        })
    }

    fn remove_those(
        &self,
        chosen: impl FnOnce(&CheckpointRecord) -> Result<Vec<u64>, CheckpointError>,
    ) -> Result<Vec<u64>, CheckpointError> {
        let _objects = self.lock()?;
        self.check_finished()?;
        let mut record = CheckpointRecord::read(&self.place)?;
        let removed = chosen(&record)?;
        if !removed.is_empty() {
            record.checkpoints.retain(|checkpoint| !removed.contains(&checkpoint.number));
            record.write(&self.place)?;
        }
        Ok(removed)
    }

    /// Frees the space that no checkpoint uses any more, and returns the number of bytes freed.
    ///
    /// # Errors
    /// If git is missing or fails, for example because the disk has no room to repack.
    pub fn prune(&self) -> Result<u64, CheckpointError> {
        let objects = self.lock()?;
        self.check_finished()?;
        let record = CheckpointRecord::read(&self.place)?;
        let before = objects.used();
        // The stamps would claim that the store has contents that it is about to lose.
        let directory = &self.place.directory;
        Stamps::forget(directory).map_err(CheckpointError::io("remove the cache in", directory))?;
        let kept: Vec<&Checkpoint> = record.checkpoints.iter().collect();
        objects.prune(&kept)?;
        Ok(before.saturating_sub(objects.used()))
    }

    /// The differences between a checkpoint and another one, or the current files, as git prints them: line
    /// by line, or as numbers of lines per file. Without paths, everything is compared. Nothing is changed.
    ///
    /// # Errors
    /// [`CheckpointError::Unknown`], [`CheckpointError::Outside`], and if git is missing or fails.
    pub fn diff(
        &self,
        from: u64,
        to: Option<u64>,
        is_stat: bool,
        paths: &[PathBuf],
    ) -> Result<Vec<u8>, CheckpointError> {
        let record = CheckpointRecord::read(&self.place)?;
        let from = record.get(from)?.tree;
        let to = to.map(|number| record.get(number).map(|to| to.tree)).transpose()?;
        let paths = self.scope(paths)?;
        let objects = self.lock()?;
        match to {
            Some(to) => objects.diff(from, to, is_stat, &paths),
            None => {
                let directory = self.place.directory.join(NOW);
                // Left by a killed command.
                let _ = fs::remove_dir_all(&directory);
                let compared = self.compare_now(&objects, from, is_stat, &paths);
                let _ = fs::remove_dir_all(&directory);
                compared
            }
        }
    }

    fn compare_now(
        &self,
        stored: &Objects<'_>,
        from: ObjectId,
        is_stat: bool,
        paths: &[TreePath],
    ) -> Result<Vec<u8>, CheckpointError> {
        let stamps = Stamps::read(&self.place.directory);
        let (walk, walked) = self.walked()?;
        let mut contents = self.contents(&walk, &walked, &stamps);
        let objects = stored.beside(&self.place.directory.join(NOW))?;
        // This store is deleted afterwards, so there is no limit.
        let mut import = Import::new(&mut contents, None, 0, self.world.now, None);
        let finished = objects.import(&mut import)?;
        match (finished.end, import.tree()) {
            (End::Exited(0), Some(now)) => objects.diff(from, now, is_stat, paths),
            (End::Exited(_) | End::Signalled(_) | End::TimedOut, _) => {
                Err(failure("compare with the files", &finished))
            }
        }
    }
}
