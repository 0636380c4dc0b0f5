//! Putting files back as a checkpoint has them, without losing what is there.
//!
//! 1. The checkpoint is read as a whole and compared with its names.
//! 2. What is there is saved as a checkpoint; what could not be saved is not touched.
//! 3. The [`plan`] says what changes; the [`journal`] is on the disk before anything does.
//! 4. New contents are written beside (see [`apply`]); if one of them cannot be, nothing was changed.
//! 5. Each path changes at one moment, by an exchange of names. What comes out is compared with what was saved.
//!
//! After an interruption [`settle`] finds out how far each path came.

mod apply;
mod handles;
mod journal;
mod plan;
mod request;
mod rules;
mod settle;
mod skipped;
#[cfg(test)]
mod tests;
mod unsaved;
mod verify;

pub use plan::RestoreExtent;
pub use request::{Preview, Restoration, Restored, Resumption, Unfinished, WayBack};
pub use skipped::{SkippedPath, Unrestored};

use super::create::{CheckpointLabel, Created, Occasion, Snapshot};
use super::entry::{Manifest, TreePath, is_in_scope};
use super::limits::available;
use super::record::{Checkpoint, CheckpointRecord, UnsavedReason};
use super::stamps::Stamps;
use super::tracked::Tracked;
use super::walk::{TreeWalk, UnsavedPath};
use super::{CheckpointError, Checkpoints, Locked};
use apply::{Applied, Applying, Interrupted};
use handles::{Parents, Root};
use journal::{Journal, PathText, RestoreStep, Stage, TemporaryNames};
use plan::{PlanInputs, RestorePlan};
use rules::RulesAfter;
use unsaved::{UnsavedThen, undeletable};
use verify::Verified;

/// A plan that deletes more files is refused unless it is forced.
const MANY: usize = 1_000;

impl Checkpoints<'_> {
    /// The restore that was interrupted, if one was.
    ///
    /// # Errors
    /// When the journal is damaged or cannot be read.
    pub fn unfinished(&self) -> Result<Option<Unfinished>, CheckpointError> {
        let Some(journal) = Journal::read(&self.place)? else { return Ok(None) };
        let root = self.open()?;
        Ok(Some(Unfinished {
            number: journal.target,
            before: journal.before,
            paths: journal.steps.len(),
            remaining: settle::remaining(&root, &journal),
            back: journal.back,
        }))
    }

    /// Refuses to work over a restore that was interrupted.
    pub(super) fn check_finished(&self) -> Result<(), CheckpointError> {
        match Journal::read(&self.place)? {
            Some(journal) => Err(CheckpointError::Unfinished { number: journal.target }),
            None => Ok(()),
        }
    }

    /// What a restore would do. Nothing is changed, and nothing is saved.
    ///
    /// # Errors
    /// As [`Checkpoints::restore`].
    pub fn preview(&self, restoration: &Restoration<'_>) -> Result<Preview, CheckpointError> {
        let locked = self.lock()?;
        self.check_finished()?;
        let record = CheckpointRecord::read(&self.place)?;
        let target = record.get(restoration.number)?;
        let verified = Verified::read(&locked.objects, target)?;
        let plan = self.plan(restoration, target, &verified, &self.look()?)?;
        let names = |is_deleted: bool| {
            let changes = plan.changes.iter().filter(move |change| change.after.is_none() == is_deleted);
            changes.map(|change| change.path.to_string()).collect()
        };
        Ok(Preview { written: names(false), deleted: names(true), skipped: plan.skipped.clone() })
    }

    /// Restores a checkpoint, after making one of what is there.
    ///
    /// # Errors
    /// When the checkpoint is damaged, what is there cannot be saved, a lot would be deleted, or there is no room:
    /// nothing is changed then. [`CheckpointError::Interrupted`] if something is half done.
    pub fn restore(&self, restoration: &Restoration<'_>) -> Result<Restored, CheckpointError> {
        let locked = self.lock()?;
        self.check_finished()?;
        let record = CheckpointRecord::read(&self.place)?;
        let target = record.get(restoration.number)?;
        self.check_root(restoration, target)?;
        let verified = Verified::read(&locked.objects, target)?;
        let seen = match self.look() {
            Err(CheckpointError::IgnoreFile { .. })
                if self.scope(restoration.paths)?.iter().map(TreePath::bytes).eq([rules::NAME]) =>
            {
                return self.restore_ignore_file(&locked, target.number, &verified.manifest);
            }
            seen => seen?,
        };
        let plan = self.plan(restoration, target, &verified, &seen)?;
        self.check_plan(restoration, &plan, &verified)?;
        if plan.changes.is_empty() {
            let ignored = plan.ignored.iter().map(TreePath::to_string).collect();
            return Ok(Restored { skipped: plan.skipped, ignored, ..Restored::nothing(target.number) });
        }
        let label = CheckpointLabel { text: format!("before restore of {}", target.number), turn: None };
        let snapshot = self.snapshot(&locked, &label, Occasion::Restore(target.number))?;
        let (Created::New(before) | Created::Unchanged(before)) = &snapshot.created;
        let seen = SeenTarget::of(&snapshot);
        let plan = self.plan(restoration, target, &verified, &seen)?;
        self.check_plan(restoration, &plan, &verified)?;
        self.check_room_for(target, &plan, &verified)?;
        let journal = journal_of(target.number, before.number, &plan);
        let applied = self.run(&locked, journal, Begun::Now)?;
        let back = self.way_back(&locked, before, seen.manifest);
        Ok(Restored {
            before: Some(before.number),
            written: applied.written,
            deleted: applied.deleted,
            skipped: [plan.skipped, applied.skipped].concat(),
            ignored: plan.ignored.iter().map(TreePath::to_string).collect(),
            // It could not be looked at, and force has to be asked for.
            back: back.unwrap_or(WayBack { hard: true, force: false }),
            ..Restored::nothing(target.number)
        })
    }

    /// Restores the ignore file at the top of the tree alone, where what is in its place keeps everything from being
    /// saved: that is moved aside.
    fn restore_ignore_file(
        &self,
        locked: &Locked<'_>,
        number: u64,
        manifest: &Manifest,
    ) -> Result<Restored, CheckpointError> {
        let no_such = || CheckpointError::NoSuchPath { number, path: ".gitignore".to_owned() };
        let path = TreePath::new(rules::NAME).ok_or_else(no_such)?;
        let entry = *manifest.get(&path).ok_or_else(no_such)?;
        let failed = |source| CheckpointError::io("restore", &self.place.root.join(path.to_path()))(source);
        let root = self.open()?;
        let top = root.directory(b"", Parents::Required).map_err(|error| failed(error.into_io()))?;
        let temporary = TemporaryNames::new().next();
        let temporary = temporary.as_bytes();
        locked.objects.read(&[entry.id], &mut |_, bytes| {
            top.make(temporary, entry, bytes, None)
                .map_err(|error| CheckpointError::io("write", &self.place.root)(error))
        })?;
        let moved = apply::kept_beside(&top, &[rules::NAME], rules::NAME);
        match moved.and_then(|moved| top.give(temporary, &top, rules::NAME).map(|()| moved)) {
            Ok(moved) => {
                let moved_aside = moved.into_iter().next();
                Ok(Restored { written: 1, moved_aside, ..Restored::nothing(number) })
            }
            Err(error) => {
                let _ = top.unlink(temporary);
                Err(failed(error))
            }
        }
    }

    /// What the command needs that brings back the state of a checkpoint that was made just now.
    fn way_back(
        &self,
        locked: &Locked<'_>,
        before: &Checkpoint,
        manifest: Manifest,
    ) -> Result<WayBack, CheckpointError> {
        let verified = Verified::saved(&locked.objects, manifest)?;
        let seen = self.look()?;
        let restoration = |extent| Restoration { number: before.number, paths: &[], extent, force: false };
        let plan = |extent| self.plan(&restoration(extent), before, &verified, &seen);
        let (soft, hard) = (plan(RestoreExtent::Soft)?, plan(RestoreExtent::Hard)?);
        let (extent, needed) = if soft.changes == hard.changes {
            (RestoreExtent::Soft, soft)
        } else {
            (RestoreExtent::Hard, hard)
        };
        let force = self.check_plan(&restoration(extent), &needed, &verified).is_err();
        Ok(WayBack { hard: extent == RestoreExtent::Hard, force })
    }

    /// Goes on with a restore that was interrupted, or puts back what it did.
    ///
    /// # Errors
    /// [`CheckpointError::NothingUnfinished`], and as [`Checkpoints::restore`].
    pub fn resume(&self, resumption: Resumption) -> Result<Restored, CheckpointError> {
        let locked = self.lock()?;
        let journal = Journal::read(&self.place)?.ok_or(CheckpointError::NothingUnfinished)?;
        let root = self.open()?;
        let applying = Applying { root: &root, objects: &locked.objects, progress: self.progress.as_deref() };
        let settled =
            applying.settle(&journal).map_err(|interrupted| self.interrupted(&journal, interrupted))?;
        let journal = match resumption {
            Resumption::Abort if !journal.back => {
                let inverse = settle::inverse(&root, &journal);
                inverse.write(&self.place)?;
                inverse
            }
            Resumption::Continue | Resumption::Abort => Journal { stage: Stage::Preparing, ..journal },
        };
        let (target, before) = (journal.target, journal.before);
        let mut applied = self.run(&locked, journal, Begun::Before)?;
        applied.skipped.extend(settled);
        Ok(Restored {
            before: Some(before),
            written: applied.written,
            deleted: applied.deleted,
            skipped: applied.skipped,
            ..Restored::nothing(target)
        })
    }

    fn open(&self) -> Result<Root, CheckpointError> {
        Root::open(&self.place.root).map_err(CheckpointError::io("open", &self.place.root))
    }

    /// What is there now, without saving it.
    fn look(&self) -> Result<SeenTarget, CheckpointError> {
        let stamps = Stamps::read(&self.place.directory);
        let walk = TreeWalk::new(&self.place, self.world)?;
        let mut walked = walk.run(self.world, self.launcher)?;
        let found = std::mem::take(&mut walked.found);
        let mut contents = self.contents(&walk, found, &stamps);
        while contents.next_new().is_some() {}
        walked.left_out.append(&mut contents.left_out);
        Ok(SeenTarget { manifest: contents.manifest, left_out: walked.left_out, tracked: walked.tracked })
    }

    fn check_root(&self, restoration: &Restoration<'_>, target: &Checkpoint) -> Result<(), CheckpointError> {
        if target.identity == self.place.identity || restoration.force {
            Ok(())
        } else {
            Err(CheckpointError::OtherRoot { number: target.number, root: self.place.root.clone() })
        }
    }

    fn plan(
        &self,
        restoration: &Restoration<'_>,
        target: &Checkpoint,
        verified: &Verified,
        seen: &SeenTarget,
    ) -> Result<RestorePlan, CheckpointError> {
        let scope = self.scope(restoration.paths)?;
        for path in &scope {
            let has = |manifest: &Manifest| manifest.keys().any(|known| known.is_at_or_below(path.bytes()));
            if !has(&verified.manifest) && !has(&seen.manifest) {
                return Err(CheckpointError::NoSuchPath { number: target.number, path: path.to_string() });
            }
        }
        let root = self.open()?;
        let walk = TreeWalk::new(&self.place, self.world)?;
        let keeps_newer = restoration.extent == RestoreExtent::Soft || !scope.is_empty();
        let is_restored = |directory: &[u8]| {
            let path = TreePath::new(&crate::fs::names::join(directory, rules::NAME));
            path.is_some_and(|path| is_in_scope(&scope, &path))
        };
        let texts = verified.ignore_files.iter().filter(|(directory, _)| is_restored(directory));
        let texts = texts.map(|(directory, text)| (directory.clone(), text.clone())).collect();
        let rules = RulesAfter::new(walk.rules(), &root, texts, keeps_newer, &seen.tracked);
        let ground = PlanInputs {
            root: &root,
            target: &verified.manifest,
            current: &seen.manifest,
            rules: &rules,
            unsaved: &UnsavedThen::new(target, &seen.tracked),
            git_directories: &seen.git_directories(),
            scope: &scope,
            extent: restoration.extent,
        };
        let mut plan = ground.plan()?;
        if restoration.extent == RestoreExtent::Hard {
            plan.skipped.extend(undeletable(target, &seen.left_out, &verified.manifest, &scope));
        }
        plan.skipped.sort_by(|one, other| one.path.cmp(&other.path));
        plan.skipped.dedup();
        plan.files = seen.manifest.len();
        Ok(plan)
    }

    fn check_plan(
        &self,
        restoration: &Restoration<'_>,
        plan: &RestorePlan,
        verified: &Verified,
    ) -> Result<(), CheckpointError> {
        let (deleted, files) = (plan.deleted(), plan.files);
        if restoration.force {
            return Ok(());
        }
        if verified.manifest.is_empty() && files > 0 {
            return Err(CheckpointError::EmptyTarget { number: restoration.number, files });
        }
        if deleted > MANY || deleted * 2 > files {
            Err(CheckpointError::DeletesMuch { number: restoration.number, deleted, files })
        } else {
            Ok(())
        }
    }

    fn check_room_for(
        &self,
        target: &Checkpoint,
        plan: &RestorePlan,
        verified: &Verified,
    ) -> Result<(), CheckpointError> {
        let sizes = plan.changes.iter().filter_map(|change| verified.sizes.get(&change.after?.id));
        let needed = sizes.map(|size| *size as u64).sum::<u64>();
        let root = &self.place.root;
        match available(root) {
            Ok(free) if free < needed => {
                let kept = self.fewer(Occasion::Restore(target.number));
                Err(CheckpointError::NoSpace { needed, path: root.clone(), kept })
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Does what a journal says.
    fn run(&self, locked: &Locked<'_>, journal: Journal, begun: Begun) -> Result<Applied, CheckpointError> {
        let root = self.open()?;
        self.place.check_unchanged()?;
        let applying = Applying { root: &root, objects: &locked.objects, progress: self.progress.as_deref() };
        let mut journal = journal;
        journal.write(&self.place)?;
        let prepared = applying.prepare(&journal.steps).and_then(|prepared| {
            journal.stage = Stage::Exchanging;
            journal.write(&self.place)?;
            Ok(prepared)
        });
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(error) if begun == Begun::Before => return Err(error),
            Err(error) => {
                // Nothing was changed, and nothing stays.
                let settled = applying.settle(&journal);
                settled.map_err(|interrupted| self.interrupted(&journal, interrupted))?;
                Journal::forget(&self.place)?;
                return Err(error);
            }
        };
        let applied = applying.exchange(&journal.steps, prepared);
        let applied = applied.map_err(|interrupted| self.interrupted(&journal, interrupted))?;
        if journal.back {
            settle::remove_made(&root, &journal.made);
        }
        Journal::forget(&self.place)?;
        Ok(applied)
    }

    fn interrupted(&self, journal: &Journal, interrupted: Interrupted) -> CheckpointError {
        CheckpointError::Interrupted {
            number: journal.target,
            path: self.place.root.join(interrupted.path.to_path()),
            source: interrupted.source,
        }
    }
}

/// Whether a restore that fails has changed nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begun {
    /// It begins now.
    Now,
    /// It was interrupted before.
    Before,
}

/// What is there.
struct SeenTarget {
    manifest: Manifest,
    left_out: Vec<UnsavedPath>,
    tracked: Tracked,
}

impl SeenTarget {
    fn git_directories(&self) -> Vec<Vec<u8>> {
        let is_gits = |left_out: &&UnsavedPath| left_out.reason == UnsavedReason::GitDirectory;
        self.left_out.iter().filter(is_gits).map(|left_out| left_out.path.clone()).collect()
    }

    fn of(snapshot: &Snapshot) -> Self {
        Self {
            manifest: snapshot.manifest.clone(),
            left_out: snapshot.walked.left_out.clone(),
            tracked: snapshot.walked.tracked.clone(),
        }
    }
}

fn journal_of(target: u64, before: u64, plan: &RestorePlan) -> Journal {
    let mut names = TemporaryNames::new();
    let step = |change: &plan::PathChange| RestoreStep {
        path: PathText(change.path.clone()),
        beside: journal::encoded(&change.beside),
        temporary: names.next(),
        before: change.before,
        after: change.after,
    };
    Journal {
        version: journal::VERSION,
        target,
        before,
        stage: Stage::Preparing,
        back: false,
        steps: plan.changes.iter().map(step).collect(),
        made: plan.made.iter().cloned().map(PathText).collect(),
        unknown: serde_json::Map::new(),
    }
}
