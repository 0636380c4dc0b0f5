//! Files on disk other than the lists: histories, unused files, directories that others can write to.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::journal::StoreJournal;
use super::layout::{self, StoreFile};
use super::renamed::{Renamed, places};
use super::view::directory;
use super::{ProfileName, Store, StoreError, files};
use crate::fs::real;

impl Store {
    /// The names of the profiles with a history, as if the changes in the journal had been made.
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

    /// The file that contains a profile's history, even if a rename in the journal has not been made yet.
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

    /// A rename of one of these histories that a command recorded but did not finish.
    fn recorded_renaming(&self) -> Result<Option<Renamed>, StoreError> {
        let Some(bytes) = StoreJournal::read(&self.layout)? else { return Ok(None) };
        let renamed = StoreJournal::parse(&self.layout, &bytes)?.history;
        Ok(renamed.filter(|renamed| renamed.folder == self.layout.folder()))
    }
}

#[doc(hidden)]
impl Store {
    /// Profiles whose files are symbolic links to nothing, or loops.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the directory cannot be read.
    pub fn broken_links(&self) -> Result<BTreeSet<ProfileName>, StoreError> {
        let profiles = directory(&self.layout.profiles())?.into_iter();
        let links = profiles.filter(|path| path.is_symlink() && !path.exists());
        Ok(links.filter_map(|path| layout::profile_name(path.file_name()?)).collect())
    }

    /// Files in the directory of the profiles whose names are not valid profile names, sorted; they are never
    /// used.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the directory cannot be read.
    pub fn strays(&self) -> Result<Vec<PathBuf>, StoreError> {
        let is_stray = |path: &PathBuf| {
            path.file_name()
                .is_some_and(|name| layout::profile_name(name).is_none() && !files::is_temporary(name, None))
        };
        let mut strays = directory(&self.layout.profiles())?;
        strays.retain(is_stray);
        strays.sort();
        Ok(strays)
    }

    /// The directories of the store, and of its links' targets, that everyone can write to; no command
    /// changes a file there.
    #[must_use]
    pub fn unsafe_directories(&self) -> BTreeSet<PathBuf> {
        let layout = &self.layout;
        let profiles = directory(&layout.profiles()).unwrap_or_default().into_iter();
        let profiles = profiles.filter(|path| path.file_name().and_then(layout::profile_name).is_some());
        let files =
            [StoreFile::Global, StoreFile::State].map(|file| layout.path(&file)).into_iter().chain(profiles);
        let links = files.filter(|path| path.is_symlink());
        let targets = links.filter_map(|path| Some(real(path).ok()?.parent()?.to_owned()));
        let all = [layout.root.clone(), layout.profiles()].into_iter().chain(targets);
        let is_unsafe = |path: &PathBuf| matches!(files::check_safe(path), Err(StoreError::Unsafe { .. }));
        all.filter(is_unsafe).collect()
    }
}
