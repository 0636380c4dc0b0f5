//! Files of the store that are never used, and directories in which others may write.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::layout::{self, StoreFile};
use super::view::directory;
use super::{ProfileName, Store, StoreError, files};
use crate::fs::real;

#[doc(hidden)]
impl Store {
    /// Profiles whose files are symbolic links that lead to no file, or in a circle.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the directory cannot be read.
    pub fn broken_links(&self) -> Result<BTreeSet<ProfileName>, StoreError> {
        let profiles = directory(&self.layout.profiles())?.into_iter();
        let links = profiles.filter(|path| path.is_symlink() && !path.exists());
        Ok(links.filter_map(|path| layout::profile_name(path.file_name()?)).collect())
    }

    /// Files among the profiles whose names break the rule for profiles, sorted; they are never used.
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

    /// The directories of the store, and those that its links lead to, in which everyone may write: no
    /// command changes a file there.
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
