//! Removing checkpoints, and freeing what they took.

use super::record::CheckpointRecord;
use super::stamps::Stamps;
use super::{Checkpoint, CheckpointError, Checkpoints};

/// Which checkpoints are removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// Those of these numbers.
    Numbers(Vec<u64>),
    /// All but so many of the last ones.
    KeepLast(usize),
}

impl Checkpoints<'_> {
    /// Removes checkpoints and returns their numbers. Their space is freed by [`Checkpoints::prune`] alone.
    ///
    /// # Errors
    /// [`CheckpointError::Unknown`], when an interrupted restore needs them, and those of changing the store.
    pub fn remove(&self, removal: &Removal) -> Result<Vec<u64>, CheckpointError> {
        let _locked = self.lock()?;
        self.check_finished()?;
        let mut record = CheckpointRecord::read(&self.place)?;
        let removed: Vec<u64> = match removal {
            Removal::Numbers(numbers) => {
                numbers.iter().try_for_each(|number| record.get(*number).map(drop))?;
                let mut numbers = numbers.clone();
                numbers.sort_unstable();
                numbers.dedup();
                numbers
            }
            Removal::KeepLast(kept) => {
                let surplus = record.checkpoints.len().saturating_sub(*kept);
                record.checkpoints[..surplus].iter().map(|checkpoint| checkpoint.number).collect()
            }
        };
        if !removed.is_empty() {
            record.checkpoints.retain(|checkpoint| !removed.contains(&checkpoint.number));
            record.write(&self.place)?;
        }
        Ok(removed)
    }

    /// Frees the space that no checkpoint uses any more, and returns how many bytes that were.
    ///
    /// # Errors
    /// If git is not there or fails, for example because the disk has no room to repack.
    pub fn prune(&self) -> Result<u64, CheckpointError> {
        let locked = self.lock()?;
        self.check_finished()?;
        let record = CheckpointRecord::read(&self.place)?;
        let before = locked.objects.used();
        // They would say that the store has what it is about to lose.
        let directory = &self.place.directory;
        Stamps::forget(directory).map_err(CheckpointError::io("remove the cache in", directory))?;
        let kept: Vec<&Checkpoint> = record.checkpoints.iter().collect();
        locked.objects.prune(&kept)?;
        Ok(before.saturating_sub(locked.objects.used()))
    }
}
