//! The history of a profile that is renamed.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::Fault;
use super::files::{self, Sync};
use super::layout::{HISTORIES, StoreLayout};
use super::{ProfileName, StoreError};

/// The extensions of a history's files: the history, the backup from before it was cleared, and the part that
/// was cut off.
const ENDINGS: [&str; 3] = ["jsonl", "jsonl.bak", "jsonl.torn"];

/// A history that is renamed with its profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Renamed {
    pub(super) from: ProfileName,
    pub(super) to: ProfileName,
    /// The directory of both among the histories, if they belong to a project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) folder: Option<String>,
}

impl Renamed {
    /// The history to rename, if there is one.
    ///
    /// # Errors
    /// [`StoreError::HistoryExists`] if the new name is taken.
    pub fn of(
        layout: &StoreLayout,
        from: &ProfileName,
        to: &ProfileName,
    ) -> Result<Option<Self>, StoreError> {
        let directory = layout.histories();
        let is_there =
            |name: &ProfileName| places(&directory, name).iter().any(|path| path.symlink_metadata().is_ok());
        if !is_there(from) {
            return Ok(None);
        }
        if is_there(to) {
            return Err(StoreError::HistoryExists { name: to.clone() });
        }
        Ok(Some(Self { from: from.clone(), to: to.clone(), folder: layout.folder() }))
    }

    /// Renames the files; doing this twice has the same result.
    pub fn apply(&self, layout: &StoreLayout, sync: Sync) -> Result<(), Fault> {
        rename(&self.directory(layout), &self.from, &self.to, sync)
    }

    pub fn undo(&self, layout: &StoreLayout) -> Result<(), Fault> {
        rename(&self.directory(layout), &self.to, &self.from, Sync::Skipped)
    }

    fn directory(&self, layout: &StoreLayout) -> PathBuf {
        let all = layout.root.join(HISTORIES);
        // A journal that others wrote must not name another directory.
        match self.folder.as_ref().filter(|folder| !folder.contains('/') && *folder != "..") {
            Some(folder) => all.join(folder),
            None => all,
        }
    }
}

/// The files of a history, the history first.
pub(super) fn places(directory: &Path, name: &ProfileName) -> [PathBuf; 3] {
    ENDINGS.map(|ending| directory.join(format!("{}.{ending}", name.as_str())))
}

fn rename(directory: &Path, from: &ProfileName, to: &ProfileName, sync: Sync) -> Result<(), Fault> {
    for (from, to) in places(directory, from).iter().zip(places(directory, to)) {
        if from.symlink_metadata().is_ok() {
            // Another file of the history may already have its new name.
            let in_place = |source| Fault { in_place: true, ..Fault::of("rename", from)(source) };
            fs::rename(from, to).map_err(in_place)?;
        }
    }
    files::sync_directory(directory, sync)
}
