//! After an interruption: finding out, from what is on the disk alone, how far each step came.

use std::io;

use super::apply::{Applying, Interrupted, put_back};
use super::handles::{NoDirectory, Parents, Root, WritableDirectory, aside};
use super::journal::{Journal, Names, PathText, RestoreStep, Stage};
use super::skipped::{SkippedPath, Unrestored};

impl Applying<'_> {
    /// Removes all temporary files of a journal. What one of them has is in the object store, or it is
    /// somebody's version that came out at the last moment, which gets its name back.
    ///
    /// # Errors
    /// If the system refuses: the journal has to stay.
    pub fn settle(&self, journal: &Journal) -> Result<Vec<SkippedPath>, Interrupted> {
        let mut skipped = Vec::new();
        for step in &journal.steps {
            let path = &step.path.0;
            let settled = self.settle_step(step, journal.stage);
            let settled = settled.map_err(|source| Interrupted { path: path.clone(), source })?;
            skipped.extend(settled.map(|reason| SkippedPath { path: path.clone(), reason }));
        }
        Ok(skipped)
    }

    fn settle_step(&self, step: &RestoreStep, stage: Stage) -> io::Result<Option<Unrestored>> {
        let beside = match self.root.directory(&step.beside(), Parents::Required) {
            Ok(beside) => beside,
            Err(NoDirectory::Missing | NoDirectory::NotDirectory(_)) => return Ok(None),
            Err(NoDirectory::Failed(error)) => return Err(error),
        };
        let temporary = step.temporary();
        let name = step.path.0.name();
        let is_beside = step.beside() == step.path.0.parent();
        if is_beside {
            finish_exchange(&beside, temporary, name)?;
        }
        if beside.stat(temporary)?.is_none() {
            return Ok(None);
        }
        let is_ours = stage == Stage::Preparing
            || beside.has(temporary, step.after) && step.after.is_some()
            || beside.has(temporary, step.before) && step.before.is_some();
        if is_ours {
            beside.unlink(temporary)?;
            return Ok(None);
        }
        // Only a file that is made has its contents elsewhere, and nothing comes out there.
        if is_beside { put_back(&beside, temporary, name, step.after).map(Some) } else { Ok(None) }
    }
}

/// Finishes an exchange that the file system can only do in several steps.
fn finish_exchange(directory: &WritableDirectory, temporary: &[u8], name: &[u8]) -> io::Result<()> {
    let aside = aside(temporary);
    if directory.stat(&aside)?.is_none() {
        return Ok(());
    }
    match directory.stat(name)? {
        None => directory.give(&aside, directory, name),
        Some(_) => directory.give(&aside, directory, temporary),
    }
}

/// The steps that put back what was done, the last one first.
pub fn inverse(root: &Root, journal: &Journal) -> Journal {
    let mut names = Names::new();
    let steps: Vec<RestoreStep> = journal
        .steps
        .iter()
        .rev()
        .filter(|step| step.is_done(root))
        .map(|step| {
            let beside = super::journal::encoded(root.nearest(&step.path.0));
            RestoreStep { beside, temporary: names.next(), ..step.inverse() }
        })
        .collect();
    Journal { stage: Stage::Preparing, back: true, steps, ..journal.clone() }
}

/// Removes the directories that a restore has made, as far as they are empty.
pub fn remove_made(root: &Root, made: &[PathText]) {
    for PathText(path) in made.iter().rev() {
        root.remove_if_empty(path);
    }
}

/// How many steps of a journal are not done.
pub fn remaining(root: &Root, journal: &Journal) -> usize {
    journal.steps.iter().filter(|step| !step.is_done(root)).count()
}
