//! Where histories are as a reader finds them, who takes what is recorded for done.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::journal::StoreJournal;
use super::renamed::{Renamed, places};
use super::{ProfileName, Store, StoreError};

impl Store {
    /// The names of the profiles that have one.
    pub(crate) fn names_of_histories(
        &self,
        mut on_disk: BTreeSet<ProfileName>,
    ) -> Result<Vec<ProfileName>, StoreError> {
        if let Some(renamed) = self.recorded_renaming()?
            && on_disk.remove(&renamed.from)
        {
            on_disk.insert(renamed.to);
        }
        Ok(on_disk.into_iter().collect())
    }

    /// The file of a profile's history.
    pub(crate) fn readable_history(&self, name: &ProfileName) -> Result<PathBuf, StoreError> {
        let [file, ..] = places(&self.layout.histories(), name);
        if file.symlink_metadata().is_ok() {
            return Ok(file);
        }
        match self.recorded_renaming()? {
            Some(renamed) if renamed.to == *name => {
                let [before, ..] = places(&self.layout.histories(), &renamed.from);
                Ok(before)
            }
            Some(_) | None => Ok(file),
        }
    }

    /// The renaming among these histories that a command has recorded and not finished.
    fn recorded_renaming(&self) -> Result<Option<Renamed>, StoreError> {
        let Some(bytes) = StoreJournal::read(&self.layout)? else { return Ok(None) };
        let renamed = StoreJournal::parse(&self.layout, &bytes)?.history;
        Ok(renamed.filter(|renamed| renamed.folder == self.layout.folder()))
    }
}
