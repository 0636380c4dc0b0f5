//! Where histories are as a reader finds them, who takes what is recorded for done.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::journal::Journal;
use super::layout::Layout;
use super::renamed::places;
use super::{ProfileName, StoreError};

/// The names of the profiles that have one.
pub(super) fn names(
    layout: &Layout,
    mut on_disk: BTreeSet<ProfileName>,
) -> Result<Vec<ProfileName>, StoreError> {
    if let Some(bytes) = Journal::read(layout)?
        && let Some(renamed) = Journal::parse(layout, &bytes)?.history
        && renamed.folder == layout.folder()
        && on_disk.remove(&renamed.from)
    {
        on_disk.insert(renamed.to);
    }
    Ok(on_disk.into_iter().collect())
}

/// The file of a profile's history.
pub(super) fn file(layout: &Layout, name: &ProfileName) -> Result<PathBuf, StoreError> {
    let [file, _] = places(&layout.histories(), name);
    if file.symlink_metadata().is_ok() {
        return Ok(file);
    }
    let Some(bytes) = Journal::read(layout)? else { return Ok(file) };
    match Journal::parse(layout, &bytes)?.history {
        Some(renamed) if renamed.to == *name && renamed.folder == layout.folder() => {
            let [before, _] = places(&layout.histories(), &renamed.from);
            Ok(before)
        }
        Some(_) | None => Ok(file),
    }
}
