//! Comparing a checkpoint with another one, or with the files as they are now.

use std::fs;
use std::path::PathBuf;

use super::entry::{ObjectId, TreePath};
use super::import::Import;
use super::objects::failure;
use super::record::CheckpointRecord;
use super::stamps::Stamps;
use super::walk::TreeWalk;
use super::{CheckpointError, Checkpoints, Locked};
use crate::process::End;

/// Where the files as they are now are put for as long as they are compared.
const NOW: &str = "now.git";

/// How differences are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffForm {
    /// Line by line.
    Unified,
    /// How many lines, by file.
    Stat,
}

/// What is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison<'a> {
    /// The checkpoint.
    pub from: u64,
    /// Another one; the files as they are now where there is none.
    pub to: Option<u64>,
    /// How.
    pub form: DiffForm,
    /// Only these paths and what is below them; everything where there are none.
    pub paths: &'a [PathBuf],
}

impl Checkpoints<'_> {
    /// The differences, in git's words. Nothing is changed.
    ///
    /// # Errors
    /// [`CheckpointError::Unknown`], [`CheckpointError::Outside`], and if git is not there or fails.
    pub fn diff(&self, comparison: &Comparison<'_>) -> Result<Vec<u8>, CheckpointError> {
        let record = CheckpointRecord::read(&self.place)?;
        let from = record.get(comparison.from)?.tree;
        let to = comparison.to.map(|number| record.get(number).map(|to| to.tree)).transpose()?;
        let paths = self.scope(comparison.paths)?;
        let is_stat = comparison.form == DiffForm::Stat;
        let locked = self.lock()?;
        match to {
            Some(to) => locked.objects.diff(from, to, is_stat, &paths),
            None => {
                let directory = self.place.directory.join(NOW);
                // What a killed command left.
                let _ = fs::remove_dir_all(&directory);
                let compared = self.compare_now(&locked, from, is_stat, &paths);
                let _ = fs::remove_dir_all(&directory);
                compared
            }
        }
    }

    fn compare_now(
        &self,
        locked: &Locked<'_>,
        from: ObjectId,
        is_stat: bool,
        paths: &[TreePath],
    ) -> Result<Vec<u8>, CheckpointError> {
        let stamps = Stamps::read(&self.place.directory);
        let walk = TreeWalk::new(&self.place, self.world)?;
        let walked = walk.run(self.world, self.launcher)?;
        let mut contents = self.contents(&walk, walked.found, &stamps);
        let objects = locked.objects.beside(&self.place.directory.join(NOW))?;
        // It is thrown away, so there is no limit.
        let mut import = Import::new(&mut contents, None, self.commit(0), None);
        let finished = objects.import(&mut import)?;
        match (finished.end, import.tree()) {
            (End::Exited(0), Some(now)) => objects.diff(from, now, is_stat, paths),
            (End::Exited(_) | End::Signalled(_) | End::TimedOut, _) => {
                Err(failure("compare with the files", &finished))
            }
        }
    }
}
