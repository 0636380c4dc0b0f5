//! Making a checkpoint.

use super::contents::ContentsReader;
use super::entry::{Manifest, tree_id};
use super::import::{Commit, Import};
use super::limits::{Reached, Room};
use super::objects::failure;
use super::record::{CheckpointRecord, MOST_UNSAVED};
use super::stamps::Stamps;
use super::walk::{TreeWalk, UnsavedPath, Walked, shown};
use super::{Checkpoint, CheckpointError, Checkpoints, Locked, Unsaved};
use crate::process::End;
use crate::words::timestamp;

/// So many checkpoints are worth keeping where there is no room for more.
const FEW: usize = 10;

/// What a checkpoint is called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckpointLabel {
    /// Words for people.
    pub text: String,
    /// The turn of a history that it belongs to.
    pub turn: Option<u64>,
}

/// What came of making a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// It was made.
    New(Checkpoint),
    /// Nothing has changed since this one.
    Unchanged(Checkpoint),
}

/// When a checkpoint is made though nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    /// Not then.
    Changes,
    /// Always: this checkpoint is about to be restored.
    Restore(u64),
}

/// A checkpoint together with what it was made of.
pub(super) struct Snapshot {
    pub created: Created,
    pub manifest: Manifest,
    pub walked: Walked,
}

impl Checkpoints<'_> {
    /// Makes a checkpoint of all files, unless nothing has changed since the last one.
    ///
    /// # Errors
    /// When an interrupted restore is in the way, a limit is reached, git is not there or fails, and those of
    /// changing the store. Nothing is changed then.
    pub fn create(&self, label: &CheckpointLabel) -> Result<Created, CheckpointError> {
        let locked = self.lock()?;
        self.check_finished()?;
        self.snapshot(&locked, label, Occasion::Changes).map(|snapshot| snapshot.created)
    }

    /// Makes a checkpoint, for the holder of the lock.
    pub(super) fn snapshot(
        &self,
        locked: &Locked<'_>,
        label: &CheckpointLabel,
        occasion: Occasion,
    ) -> Result<Snapshot, CheckpointError> {
        let directory = &self.place.directory;
        self.check_room(locked, occasion)?;
        let mut stamps = Stamps::read(directory);
        loop {
            match self.attempt(locked, label, occasion, &stamps) {
                // Something may have removed objects that are said to be there.
                Err(CheckpointError::Git { .. }) if !stamps.is_empty() => stamps = Stamps::default(),
                result => return result,
            }
        }
    }

    fn check_room(&self, locked: &Locked<'_>, occasion: Occasion) -> Result<(), CheckpointError> {
        let mut room = Room::new(&locked.objects, &self.place.directory, self.limits);
        room.look().map_or(Ok(()), |reached| Err(self.no_room(reached, occasion)))
    }

    fn no_room(&self, reached: Reached, occasion: Occasion) -> CheckpointError {
        let kept = self.fewer(occasion);
        match reached {
            Reached::Cap { used } => CheckpointError::Full { used, cap: self.limits.cap, kept },
            Reached::Disk => {
                let path = self.place.directory.clone();
                CheckpointError::NoSpace { needed: self.limits.free, path, kept }
            }
        }
    }

    /// How many of the last checkpoints to keep where there is no room, what is to be restored among them; none if
    /// nothing can go.
    pub(super) fn fewer(&self, occasion: Occasion) -> Option<usize> {
        let checkpoints = self.list().unwrap_or_default();
        let count = checkpoints.len();
        let needed = match occasion {
            Occasion::Changes => 0,
            Occasion::Restore(number) => {
                checkpoints.iter().filter(|checkpoint| checkpoint.number >= number).count()
            }
        };
        let kept = if count > FEW { FEW } else { count / 2 };
        Some(kept.max(needed)).filter(|kept| *kept < count)
    }

    fn attempt(
        &self,
        locked: &Locked<'_>,
        label: &CheckpointLabel,
        occasion: Occasion,
        stamps: &Stamps,
    ) -> Result<Snapshot, CheckpointError> {
        let directory = &self.place.directory;
        let mut record = CheckpointRecord::read(&self.place)?;
        let walk = TreeWalk::new(&self.place, self.world)?;
        let mut walked = walk.run(self.world, self.launcher)?;
        let found = std::mem::take(&mut walked.found);
        let mut contents = self.contents(&walk, found, stamps);
        let first = contents.next_new();
        let last = record.checkpoints.last().cloned();
        let is_last = |manifest: &Manifest| match (&last, occasion) {
            (Some(last), Occasion::Changes) => last.tree == tree_id(manifest),
            (None, _) | (_, Occasion::Restore(_)) => false,
        };
        let is_unchanged = first.is_none() && is_last(&contents.manifest);
        if !is_unchanged {
            let packs = locked.objects.packs();
            let mut room = Room::new(&locked.objects, directory, self.limits);
            let imported = self.import(locked, &mut contents, first, record.next, &mut room);
            let reached = room.reached.or_else(|| room.look());
            if imported.is_err() || reached.is_some() {
                locked.objects.remove_packs_but(&packs);
            }
            if let Some(reached) = reached {
                return Err(self.no_room(reached, occasion));
            }
            imported?;
        }
        let ContentsReader { manifest, known, left_out, .. } = contents;
        walked.left_out.extend(left_out);
        self.place.check_unchanged()?;
        let created = match last.clone().filter(|_| is_unchanged || is_last(&manifest)) {
            Some(last) => Created::Unchanged(last),
            None => {
                let before = last.map(|last| locked.objects.manifest(last.tree)).transpose();
                let before = before.ok().flatten().unwrap_or_default();
                let checkpoint = self.checkpoint(&record, label, &manifest, &before, &walked);
                record.next += 1;
                record.checkpoints.push(checkpoint.clone());
                record.write(&self.place)?;
                Created::New(checkpoint)
            }
        };
        if !stamps.is_same(&known) {
            Stamps::write(directory, &known);
        }
        Ok(Snapshot { created, manifest, walked })
    }

    fn import<'c>(
        &self,
        locked: &Locked<'_>,
        contents: &mut ContentsReader<'c>,
        first: Option<Vec<u8>>,
        number: u64,
        room: &mut Room<'c>,
    ) -> Result<(), CheckpointError> {
        let commit = self.commit(number);
        let mut import = Import::new(contents, first, commit, Some(room));
        let finished = locked.objects.import(&mut import)?;
        let tree = import.tree();
        match finished.end {
            // Git says what it has, and it must be what was read.
            End::Exited(0) if tree == Some(tree_id(&contents.manifest)) => Ok(()),
            End::Exited(_) | End::Signalled(_) | End::TimedOut => Err(failure("save the files", &finished)),
        }
    }

    /// The commit of a checkpoint of this number.
    pub(super) fn commit(&self, number: u64) -> Commit {
        let since = self.world.now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Commit {
            reference: format!("refs/checkpoints/{number}"),
            seconds: since.as_secs(),
            message: format!("checkpoint {number}\n"),
        }
    }

    fn checkpoint(
        &self,
        record: &CheckpointRecord,
        label: &CheckpointLabel,
        manifest: &Manifest,
        before: &Manifest,
        walked: &Walked,
    ) -> Checkpoint {
        let left_out = &walked.left_out;
        let changed = manifest.iter().filter(|(path, entry)| before.get(path) != Some(entry)).count();
        let deleted = before.keys().filter(|path| !manifest.contains_key(path)).count();
        let unsaved =
            |left_out: &UnsavedPath| Unsaved { path: shown(&left_out.path), reason: left_out.reason };
        Checkpoint {
            number: record.next,
            time: timestamp(self.world.now),
            text: label.text.clone(),
            files: manifest.len(),
            changed: changed + deleted,
            unsaved: left_out.iter().take(MOST_UNSAVED).map(unsaved).collect(),
            unsaved_count: left_out.len(),
            untold: walked.untold.clone(),
            turn: label.turn,
            tree: tree_id(manifest),
            identity: self.place.identity.clone(),
            unknown: serde_json::Map::new(),
        }
    }
}
