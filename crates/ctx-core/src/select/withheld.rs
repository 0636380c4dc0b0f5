//! Files that patterns leave out because their names suggest secrets.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::skipped::Skipped;

/// A file that patterns do not take because its name suggests secrets.
pub(super) struct Withheld {
    pub(super) path: PathBuf,
    pub(super) ranks: Vec<usize>,
    pub(super) skipped: Skipped,
}

impl Withheld {
    /// Each file once, with everything that would have taken it, however many walks came upon it.
    pub(super) fn each_once(all: Vec<Self>) -> Vec<Self> {
        let mut by_path: BTreeMap<PathBuf, Self> = BTreeMap::new();
        for one in all {
            let Some(known) = by_path.get_mut(&one.path) else {
                by_path.insert(one.path.clone(), one);
                continue;
            };
            known.ranks.extend(one.ranks);
            known.skipped.entries.extend(one.skipped.entries);
            known.skipped.label = known.skipped.label.clone().min(one.skipped.label);
            known.ranks.sort_unstable();
            known.ranks.dedup();
            known.skipped.entries.sort_unstable();
            known.skipped.entries.dedup();
        }
        by_path.into_values().collect()
    }
}
