//! Makes checkpoints.

use std::collections::BTreeSet;

use super::contents::{ContentsReader, CurrentFiles};
use super::entry::{Manifest, tree_id};
use super::import::Import;
use super::limits::{Reached, Room};
use super::objects::{Objects, failure};
use super::record::{CheckpointRecord, MOST_UNSAVED};
use super::stamps::Stamps;
use super::walk::{TreeWalk, Walked, shown};
use super::{Checkpoint, CheckpointError, Checkpoints, Unsaved};
use crate::git::rule_file::{self, CutLine};
use crate::process::End;
use crate::report::Notice;
use crate::words::timestamp;

/// How many checkpoints to keep when there's no room for more.
const FEW: usize = 10;

/// The checkpoint of the current files.
#[derive(Debug)]
pub struct Created {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// Whether it was made just now; if not, nothing has changed since it was made.
    pub is_new: bool,
    /// The lines of ignore files of which ctx applies only the beginning.
    cut_lines: BTreeSet<CutLine>,
    /// The files.
    pub(super) current: CurrentFiles,
}

/// What a checkpoint is made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occasion<'t> {
    /// A message for people.
    pub text: &'t str,
    /// The turn of a history that it belongs to.
    pub turn: Option<u64>,
    /// The checkpoint that is about to be restored: a new one is made even if nothing has changed.
    pub restored: Option<u64>,
}

impl Created {
    /// Reports the lines of ignore files of which ctx applies only the beginning.
    #[must_use]
    pub fn cut_lines(&self) -> Option<Notice> {
        rule_file::cut_lines(&self.cut_lines)
    }
}

impl Checkpoints<'_> {
    /// Makes a checkpoint of all files, unless nothing has changed since the last one, with a message for people
    /// and the turn of a history that it belongs to.
    ///
    /// # Errors
    /// If an interrupted restore is in the way, a limit is reached, git is missing or fails, or the store
    /// cannot be changed. Nothing is changed in these cases.
    pub fn create(&self, text: &str, turn: Option<u64>) -> Result<Created, CheckpointError> {
        let objects = self.lock()?;
        self.check_finished()?;
        let (walk, mut walked) = self.walked()?;
        self.sweep(&objects, &mut walked)?;
        self.snapshot(&objects, &walk, &walked, Occasion { text, turn, restored: None })
    }

    /// Makes a checkpoint of the files that a walk found, for the holder of the lock.
    pub(super) fn snapshot(
        &self,
        objects: &Objects<'_>,
        walk: &TreeWalk<'_>,
        walked: &Walked,
        occasion: Occasion<'_>,
    ) -> Result<Created, CheckpointError> {
        let directory = &self.place.directory;
        if let Some(reached) = Room::new(objects, directory, self.limits).look() {
            return Err(self.no_room(reached, occasion.restored));
        }
        let mut stamps = Stamps::read(directory);
        let mut may_wait = true;
        loop {
            match self.attempt(objects, walk, walked, occasion, &stamps) {
                // A git whose command was killed is finishing the same pack.
                Err(CheckpointError::Git { message, .. })
                    if message.contains("keep file") && std::mem::take(&mut may_wait) =>
                {
                    objects.wait_for_kept_packs();
                }
                // Something may have removed objects that are recorded as existing.
                Err(CheckpointError::Git { .. }) if !stamps.is_empty() => stamps = Stamps::default(),
                result => return result,
            }
        }
    }

    fn no_room(&self, reached: Reached, restored: Option<u64>) -> CheckpointError {
        let kept = self.fewer(restored);
        match reached {
            Reached::Cap { used } => CheckpointError::Full { used, cap: self.limits.cap, kept },
            Reached::Disk => {
                let path = self.place.directory.clone();
                CheckpointError::NoSpace { needed: self.limits.free, path, kept }
            }
        }
    }

    /// How many of the latest checkpoints to keep when space runs out, including the one to be restored; `None`
    /// if none can be removed.
    pub(super) fn fewer(&self, restored: Option<u64>) -> Option<usize> {
        let checkpoints = self.list().unwrap_or_default();
        let count = checkpoints.len();
        let is_needed = |checkpoint: &&Checkpoint| restored.is_some_and(|number| checkpoint.number >= number);
        let needed = checkpoints.iter().filter(is_needed).count();
        let kept = if count > FEW { FEW } else { count / 2 };
        Some(kept.max(needed)).filter(|kept| *kept < count)
    }

    fn attempt(
        &self,
        objects: &Objects<'_>,
        walk: &TreeWalk<'_>,
        walked: &Walked,
        occasion: Occasion<'_>,
        stamps: &Stamps,
    ) -> Result<Created, CheckpointError> {
        let directory = &self.place.directory;
        let restored = occasion.restored;
        let mut record = CheckpointRecord::read(&self.place)?;
        let mut contents = self.contents(walk, walked, stamps);
        let first = contents.next_new();
        let last = record.checkpoints.last().cloned();
        let is_last = |manifest: &Manifest| {
            restored.is_none() && last.as_ref().is_some_and(|last| last.tree == tree_id(manifest))
        };
        let is_unchanged = first.is_none() && is_last(&contents.manifest);
        if !is_unchanged {
            let packs = objects.packs();
            let mut room = Room::new(objects, directory, self.limits);
            let imported = self.import(objects, &mut contents, first, record.next, &mut room);
            let reached = room.reached.or_else(|| room.look());
            if imported.is_err() || reached.is_some() {
                objects.remove_packs_but(&packs);
            }
            if let Some(reached) = reached {
                return Err(self.no_room(reached, restored));
            }
            imported?;
        }
        let ContentsReader { manifest, known, left_out, .. } = contents;
        let current = CurrentFiles { manifest, left_out: [walked.left_out.clone(), left_out].concat() };
        self.place.check_unchanged()?;
        let unchanged = last.clone().filter(|_| is_unchanged || is_last(&current.manifest));
        let is_new = unchanged.is_none();
        let checkpoint = match unchanged {
            Some(last) => last,
            None => {
                let before = last.map(|last| objects.manifest(last.tree)).transpose();
                let before = before.ok().flatten().unwrap_or_default();
                let checkpoint = Checkpoint {
                    untold: walked.untold.clone(),
                    ..self.checkpoint(record.next, occasion, &before, &current)
                };
                record.next += 1;
                record.checkpoints.push(checkpoint.clone());
                record.write(&self.place)?;
                checkpoint
            }
        };
        if !stamps.is_same(&known) {
            Stamps::write(directory, &known);
        }
        Ok(Created { checkpoint, is_new, cut_lines: walked.cut_lines.clone(), current })
    }

    fn import<'c>(
        &self,
        objects: &Objects<'_>,
        contents: &mut ContentsReader<'c>,
        first: Option<Vec<u8>>,
        number: u64,
        room: &mut Room<'c>,
    ) -> Result<(), CheckpointError> {
        let mut import = Import::new(contents, first, number, self.world.now, Some(room));
        let finished = objects.import(&mut import)?;
        let tree = import.tree();
        match finished.end {
            // The tree that git reports must be the one that was read.
            End::Exited(0) if tree == Some(tree_id(&contents.manifest)) => Ok(()),
            End::Exited(_) | End::Signalled(_) | End::TimedOut => Err(failure("save the files", &finished)),
        }
    }

    fn checkpoint(
        &self,
        number: u64,
        occasion: Occasion<'_>,
        before: &Manifest,
        current: &CurrentFiles,
    ) -> Checkpoint {
        let CurrentFiles { manifest, left_out } = current;
        let changed = manifest.iter().filter(|(path, entry)| before.get(path) != Some(entry)).count();
        let deleted = before.keys().filter(|path| !manifest.contains_key(path)).count();
        let unsaved =
            |left_out: &Unsaved<Vec<u8>>| Unsaved { path: shown(&left_out.path), reason: left_out.reason };
        Checkpoint {
            number,
            time: timestamp(self.world.now),
            text: occasion.text.to_owned(),
            files: manifest.len(),
            changed: changed + deleted,
            unsaved: left_out.iter().take(MOST_UNSAVED).map(unsaved).collect(),
            unsaved_count: left_out.len(),
            untold: None,
            turn: occasion.turn,
            tree: tree_id(manifest),
            identity: self.place.identity.clone(),
            unknown: serde_json::Map::new(),
        }
    }
}
