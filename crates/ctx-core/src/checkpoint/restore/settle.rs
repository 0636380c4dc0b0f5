//! After an interruption, finds out from the disk alone how far each step got.

use std::io;

use super::apply::{Applying, keep_beside, put_back};
use super::handles::{NoDirectory, Root, aside};
use super::journal::{Journal, RestoreStep, Stage, temporary_names};
use super::request::{SkippedPath, Unrestored};
use crate::checkpoint::CheckpointError;
use crate::checkpoint::entry::{TreeEntry, TreePath, encoded};
use crate::checkpoint::walk::is_directory;

impl Applying<'_> {
    /// Removes all temporary files of a journal. Their contents are in the object store, except for versions
    /// that somebody wrote at the last moment, which get their names back.
    ///
    /// # Errors
    /// If the system refuses; the journal has to stay.
    pub fn settle(&self, journal: &Journal) -> Result<Vec<SkippedPath>, CheckpointError> {
        let mut skipped = Vec::new();
        for step in &journal.steps {
            let path = &step.path;
            let settled = self.settle_step(step, journal.stage);
            let settled = settled.map_err(|source| self.interrupted(journal, path, source))?;
            skipped.extend(settled.into_iter().map(|reason| SkippedPath { path: path.clone(), reason }));
        }
        Ok(skipped)
    }

    fn settle_step(&self, step: &RestoreStep, stage: Stage) -> io::Result<Vec<Unrestored>> {
        let beside = match self.root.directory(&step.beside()) {
            Ok(beside) => beside,
            Err(NoDirectory::Missing | NoDirectory::NotDirectory(_)) => return Ok(Vec::new()),
            Err(NoDirectory::Failed(error)) => return Err(error),
        };
        let (temporary, name) = (step.temporary(), step.path.name());
        let is_beside = step.beside() == step.path.parent();
        let aside = aside(temporary);
        let mut unrestored = Vec::new();
        // The file that an exchange in several steps moved aside comes first, since its own name may be
        // missing.
        for temporary in [&aside, temporary] {
            if beside.stat(temporary)?.is_none() {
                continue;
            }
            if *temporary == *aside && beside.stat(name)?.is_none() {
                match beside.give(temporary, &beside, name) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    given => {
                        given?;
                        continue;
                    }
                }
            }
            let is = |entry: Option<TreeEntry>| entry.is_some() && beside.has(temporary, entry);
            if stage == Stage::Preparing && !beside.stat(temporary)?.is_some_and(|stat| is_directory(&stat))
                || is(step.after)
                || is(step.before)
            {
                beside.unlink(temporary)?;
            } else if is_beside {
                unrestored.push(put_back(&beside, temporary, name, step.after)?);
            } else {
                // Only a new file has its temporary name in another directory, so no old file can be there.
                unrestored.push(keep_beside(&beside, &[temporary], name)?);
            }
        }
        Ok(unrestored)
    }
}

/// The steps that undo what was done, the last one first.
pub fn inverse(root: &Root, journal: &Journal) -> Journal {
    let done = journal.steps.iter().rev().filter(|step| step.is_done(root));
    let steps = done.zip(temporary_names()).map(|(step, temporary)| {
        let beside = encoded(root.nearest(&step.path));
        RestoreStep { path: step.path.clone(), beside, temporary, before: step.after, after: step.before }
    });
    Journal { stage: Stage::Preparing, back: true, steps: steps.collect(), ..journal.clone() }
}

/// Removes the directories that a restore created, if they are empty.
pub fn remove_made(root: &Root, made: &[TreePath]) {
    for path in made.iter().rev() {
        root.remove_if_empty(path);
    }
}

/// How many steps of a journal are not done.
pub fn remaining(root: &Root, journal: &Journal) -> usize {
    journal.steps.iter().filter(|step| !step.is_done(root)).count()
}
