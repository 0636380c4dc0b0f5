//! Restores files from a checkpoint, without losing the current ones.
//!
//! 1. The checkpoint's list of files, and the contents that may be written, are read and checked against their
//!    hashes.
//! 2. The current files are saved as a checkpoint; files that could not be saved are not touched.
//! 3. The [`plan`] lists the changes; the [`journal`] is on disk before any of them is made.
//! 4. New contents are written next to the old ones (see [`apply`]); if that fails, nothing has changed.
//! 5. Each path changes in a single operation, by exchanging names. The old file is compared with what was
//!    saved.
//!
//! After an interruption, [`settle`] finds out how far each path got.

mod apply;
mod handles;
mod journal;
mod plan;
mod request;
mod rules;
mod settle;
#[cfg(test)]
mod tests;
mod verify;

pub use request::{Preview, Restoration, Restored, SkippedPath, Unfinished, Unrestored};

use super::contents::CurrentFiles;
use super::create::{Created, Occasion};
use super::entry::{Manifest, ObjectId, TreePath, is_in_scope};
use super::limits::available;
use super::objects::Objects;
use super::record::{Checkpoint, CheckpointRecord, Unsaved, UnsavedReason};
use super::walk::{TreeWalk, Walked};
use super::{CheckpointError, Checkpoints};
use apply::Applying;
use handles::Root;
use journal::{Journal, RestorePlan, Stage, temporary_names};
use plan::{PlanInputs, undeletable};
use rules::RulesAfter;
use verify::{Verified, damaged, manifest_of};

/// A plan that deletes more files than this is refused unless it is forced.
const MANY: usize = 1_000;

impl Checkpoints<'_> {
    /// The interrupted restore, if any.
    ///
    /// # Errors
    /// If the journal is damaged or cannot be read.
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

    /// Refuses to work while a restore is interrupted.
    pub(super) fn check_finished(&self) -> Result<(), CheckpointError> {
        match Journal::read(&self.place)? {
            Some(journal) => Err(CheckpointError::Unfinished { number: journal.target }),
            None => Ok(()),
        }
    }

    /// Shows what a restore would do. Nothing is changed, and nothing is saved.
    ///
    /// # Errors
    /// As [`Checkpoints::restore`].
    pub fn preview(&self, restoration: &Restoration<'_>) -> Result<Preview, CheckpointError> {
        let objects = self.lock()?;
        self.check_finished()?;
        let record = CheckpointRecord::read(&self.place)?;
        let target = record.get(restoration.number)?;
        let manifest = manifest_of(&objects, target)?;
        let (walk, walked) = self.walked()?;
        let current = self.current(&walk, &walked);
        let scope = self.scope(restoration.paths)?;
        let verified = Verified::read(&objects, target, manifest, &current.manifest, &scope)?;
        let plan = self.plan(restoration, target, &verified, &walked, &current)?;
        let names = |is_deleted: bool| {
            let changes = plan.changes.iter().filter(move |change| change.after.is_none() == is_deleted);
            changes.map(|change| change.path.to_string()).collect()
        };
        Ok(Preview { written: names(false), deleted: names(true), skipped: plan.skipped.clone() })
    }

    /// Restores a checkpoint, after making one of the current files.
    ///
    /// # Errors
    /// If the checkpoint is damaged, the current files cannot be saved, a lot would be deleted, or there is no
    /// room; nothing is changed in these cases. [`CheckpointError::Interrupted`] if something is half done.
    pub fn restore(&self, restoration: &Restoration<'_>) -> Result<Restored, CheckpointError> {
        let objects = self.lock()?;
        self.check_finished()?;
        let record = CheckpointRecord::read(&self.place)?;
        let target = record.get(restoration.number)?;
        self.check_root(restoration, target)?;
        let manifest = manifest_of(&objects, target)?;
        let scope = self.scope(restoration.paths)?;
        let (walk, mut walked) = match self.walked() {
            Err(CheckpointError::Rules { file, .. })
                if file.is_gitignore_at_the_top() && scope.iter().map(TreePath::bytes).eq([rules::NAME]) =>
            {
                return self.restore_ignore_file(&objects, target.number, &manifest);
            }
            walked => walked?,
        };
        self.sweep(&objects, &mut walked)?;
        let current = self.current(&walk, &walked);
        let verified = Verified::read(&objects, target, manifest, &current.manifest, &scope)?;
        let plan = self.plan(restoration, target, &verified, &walked, &current)?;
        self.check_plan(restoration, &plan, &verified)?;
        if plan.changes.is_empty() {
            let ignored = plan.ignored.iter().map(TreePath::to_string).collect();
            let number = target.number;
            let newer = plan.newer.iter().map(TreePath::to_string).collect();
            return Ok(Restored { number, skipped: plan.skipped, ignored, newer, ..Restored::default() });
        }
        let text = format!("before restore of {}", target.number);
        let occasion = Occasion { text: &text, turn: None, restored: Some(target.number) };
        let Created { checkpoint: before, current, .. } =
            self.snapshot(&objects, &walk, &walked, occasion)?;
        let plan = self.plan(restoration, target, &verified, &walked, &current)?;
        self.check_plan(restoration, &plan, &verified)?;
        self.check_room_for(target, &plan, &verified)?;
        check_saved(&objects, &before, &plan)?;
        let journal = Journal::of(target.number, before.number, &plan);
        let restored = self.run(&objects, journal, false)?;
        let back = if restored.skipped.is_empty() && plan.only_brings_back() {
            Ok(Restoration { number: before.number, paths: &[], hard: false, force: false })
        } else {
            self.way_back(&objects, &before, current.manifest)
        };
        Ok(Restored {
            skipped: [plan.skipped, restored.skipped].concat(),
            ignored: plan.ignored.iter().map(TreePath::to_string).collect(),
            newer: plan.newer.iter().map(TreePath::to_string).collect(),
            // If the way back could not be examined, force is not implied: the user has to request it.
            back: Some(back.unwrap_or(Restoration {
                number: before.number,
                paths: &[],
                hard: true,
                force: false,
            })),
            ..restored
        })
    }

    /// Restores only the ignore file at the top of the tree, if something in its place keeps everything from
    /// being saved; whatever is there is moved aside.
    fn restore_ignore_file(
        &self,
        objects: &Objects<'_>,
        number: u64,
        manifest: &Manifest,
    ) -> Result<Restored, CheckpointError> {
        let no_such = || CheckpointError::NoSuchPath { number, path: ".gitignore".to_owned() };
        let path = TreePath::new(rules::NAME).ok_or_else(no_such)?;
        let entry = *manifest.get(&path).ok_or_else(no_such)?;
        let failed = |source| CheckpointError::io("restore", &self.place.root.join(path.to_path()))(source);
        let root = self.open()?;
        let top = root.directory(b"").map_err(|error| failed(error.into_io()))?;
        let temporary = temporary_names().next().unwrap_or_default();
        let temporary = temporary.as_bytes();
        objects.read(&[entry.id], |_, bytes| {
            top.make(temporary, entry, bytes, None)
                .map_err(|error| CheckpointError::io("write", &self.place.root)(error))
        })?;
        let moved = apply::kept_beside(&top, &[rules::NAME], rules::NAME);
        match moved.and_then(|moved| top.give(temporary, &top, rules::NAME).map(|()| moved)) {
            Ok(moved) => {
                let moved_aside = moved.into_iter().next();
                Ok(Restored { number, written: 1, moved_aside, ..Restored::default() })
            }
            Err(error) => {
                let _ = top.unlink(temporary);
                Err(failed(error))
            }
        }
    }

    /// How to return to the checkpoint just made. Walks the tree again.
    fn way_back(
        &self,
        objects: &Objects<'_>,
        before: &Checkpoint,
        manifest: Manifest,
    ) -> Result<Restoration<'static>, CheckpointError> {
        let [soft, hard] =
            [false, true].map(|hard| Restoration { number: before.number, paths: &[], hard, force: false });
        let verified = Verified::saved(objects, manifest)?;
        let (walk, walked) = self.walked()?;
        let current = self.current(&walk, &walked);
        let plan = |restoration| self.plan(restoration, before, &verified, &walked, &current);
        let (soft_plan, hard_plan) = (plan(&soft)?, plan(&hard)?);
        // A hard restore names the files that stay because the rules that it brings back ignore them.
        let is_soft = soft_plan.changes == hard_plan.changes && hard_plan.ignored.is_empty();
        let (restoration, needed) = if is_soft { (soft, soft_plan) } else { (hard, hard_plan) };
        let force = self.check_plan(&restoration, &needed, &verified).is_err();
        Ok(Restoration { force, ..restoration })
    }

    /// Continues an interrupted restore or, to abort it, undoes what it did.
    ///
    /// # Errors
    /// [`CheckpointError::NothingUnfinished`], and errors from [`Checkpoints::restore`].
    pub fn resume(&self, is_aborted: bool) -> Result<Restored, CheckpointError> {
        let objects = self.lock()?;
        let journal = Journal::read(&self.place)?.ok_or(CheckpointError::NothingUnfinished)?;
        let root = self.open()?;
        let settled = self.applying(&root, &objects).settle(&journal)?;
        let journal = if is_aborted && !journal.back {
            let inverse = settle::inverse(&root, &journal);
            inverse.write(&self.place)?;
            inverse
        } else {
            Journal { stage: Stage::Preparing, ..journal }
        };
        let mut restored = self.run(&objects, journal, true)?;
        restored.skipped.extend(settled);
        Ok(restored)
    }

    fn applying<'c>(&'c self, root: &'c Root, objects: &'c Objects<'_>) -> Applying<'c> {
        Applying { top: &self.place.root, root, objects, progress: self.progress.as_deref() }
    }

    fn open(&self) -> Result<Root, CheckpointError> {
        Root::open(&self.place.root).map_err(CheckpointError::io("open", &self.place.root))
    }

    /// Removes temporary files that earlier restores could not reach, because their directory was moved at that
    /// moment. If the contents are not in the store, the file stays and is named. Only for the holder of the lock
    /// while no restore is interrupted.
    pub(super) fn sweep(&self, objects: &Objects<'_>, walked: &mut Walked) -> Result<(), CheckpointError> {
        let root = self.open()?;
        for path in std::mem::take(&mut walked.temporaries) {
            let is_swept = root.directory(path.parent()).is_ok_and(|directory| {
                let seen = directory.read(path.name()).ok().flatten();
                seen.is_some_and(|seen| objects.has(seen.entry.id)) && directory.unlink(path.name()).is_ok()
            });
            if !is_swept {
                let reason = UnsavedReason::Leftover;
                walked.left_out.push(Unsaved { path: path.bytes().to_vec(), reason });
            }
        }
        walked.left_out.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(())
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
        walked: &Walked,
        current: &CurrentFiles,
    ) -> Result<RestorePlan, CheckpointError> {
        let scope = self.scope(restoration.paths)?;
        for path in &scope {
            let has = |manifest: &Manifest| manifest.keys().any(|known| known.is_at_or_below(path.bytes()));
            if !has(&verified.manifest) && !has(&current.manifest) {
                return Err(CheckpointError::NoSuchPath { number: target.number, path: path.to_string() });
            }
        }
        let root = self.open()?;
        let walk = TreeWalk::new(&self.place, self.world)?;
        let keeps_newer = !restoration.hard || !scope.is_empty();
        let is_restored = |directory: &[u8]| {
            let path = TreePath::new(&crate::fs::names::join(directory, rules::NAME));
            path.is_some_and(|path| is_in_scope(&scope, &path))
        };
        let texts = verified.ignore_files.iter().filter(|(directory, _)| is_restored(directory));
        let texts = texts.map(|(directory, text)| (directory.clone(), text.clone())).collect();
        let rules = RulesAfter::new(walk.rules(), &root, texts, keeps_newer, &walked.tracked);
        let ground = PlanInputs {
            root: &root,
            target: &verified.manifest,
            current: &current.manifest,
            rules: &rules,
            checkpoint: target,
            tracked: &walked.tracked,
            git_directories: &walked.git_directories().collect::<Vec<_>>(),
            scope: &scope,
            is_hard: restoration.hard,
        };
        let mut plan = ground.plan()?;
        if restoration.hard {
            plan.skipped.extend(undeletable(target, &current.left_out, &verified.manifest, &scope));
        }
        plan.skipped.sort_by(|one, other| one.path.cmp(&other.path));
        plan.skipped.dedup();
        plan.files = current.manifest.len();
        Ok(plan)
    }

    fn check_plan(
        &self,
        restoration: &Restoration<'_>,
        plan: &RestorePlan,
        verified: &Verified,
    ) -> Result<(), CheckpointError> {
        if restoration.force {
            Ok(())
        } else {
            check_size(restoration.number, verified.manifest.is_empty(), plan.deleted(), plan.files)
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
                let kept = self.fewer(Some(target.number));
                Err(CheckpointError::NoSpace { needed, path: root.clone(), kept })
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Carries out a journal. If preparing the new contents fails, nothing has changed, unless this resumes
    /// an interrupted restore.
    fn run(
        &self,
        objects: &Objects<'_>,
        mut journal: Journal,
        is_resumed: bool,
    ) -> Result<Restored, CheckpointError> {
        let root = self.open()?;
        self.place.check_unchanged()?;
        let applying = self.applying(&root, objects);
        journal.write(&self.place)?;
        let prepared = applying.prepare(&journal.steps).and_then(|prepared| {
            journal.stage = Stage::Exchanging;
            journal.write(&self.place)?;
            Ok(prepared)
        });
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(error) if is_resumed => return Err(error),
            Err(error) => {
                // Nothing was changed, and nothing is left behind.
                applying.settle(&journal)?;
                Journal::forget(&self.place)?;
                return Err(error);
            }
        };
        let restored = applying.exchange(&journal, prepared)?;
        if journal.back {
            settle::remove_made(&root, &journal.made);
        }
        Journal::forget(&self.place)?;
        Ok(restored)
    }
}

/// Refuses to change files whose saved contents do not match their names.
fn check_saved(
    objects: &Objects<'_>,
    before: &Checkpoint,
    plan: &RestorePlan,
) -> Result<(), CheckpointError> {
    let mut ids: Vec<ObjectId> = plan.changes.iter().filter_map(|change| Some(change.before?.id)).collect();
    ids.sort();
    ids.dedup();
    objects.read(&ids, |_, _| Ok(())).map_err(|error| damaged(before, error))
}

/// Refuses to delete many of the `files`, or to restore a checkpoint without files over them.
fn check_size(number: u64, is_empty: bool, deleted: usize, files: usize) -> Result<(), CheckpointError> {
    if is_empty && files > 0 {
        Err(CheckpointError::EmptyTarget { number, files })
    } else if deleted > MANY || deleted * 2 > files {
        Err(CheckpointError::DeletesMuch { number, deleted, files })
    } else {
        Ok(())
    }
}
