//! The exclusions that apply to texts about files, such as the changes of git's.

use std::path::Path;

use crate::entry::ScopedEntry;
use crate::entry::lists::Lists;
use crate::select::EntryId;
use crate::select::filter::Filter;
use crate::world::World;

/// An exclusion that binds changed files.
pub struct Exclusion {
    /// Its entry.
    pub id: EntryId,
    filter: Filter,
}

impl Exclusion {
    /// Whether it excludes a path in the tree.
    pub fn matches(&self, path: &Path, tree: &Path) -> bool {
        self.filter.matches(path, tree)
    }

    /// The exclusions that apply to an entry.
    pub fn binding(id: EntryId, entries: &[ScopedEntry], world: &World, at_root: &World) -> Vec<Self> {
        let list = Lists::of(&entries[id.0]);
        let exclusion = |(place, other): (usize, &ScopedEntry)| {
            let pattern = other.entry.path.strip_prefix('!')?;
            let is_used = !other.entry.attributes.off && other.forbidden().is_none();
            if !is_used || !Lists::bound_by(other).meets(list) {
                return None;
            }
            // It begins where the list does, as among files; a filter without a slash would match anywhere.
            let is_anchored = pattern.starts_with(['/', '~']) || pattern.trim_end_matches('/').contains('/');
            let pattern = if is_anchored { pattern.to_owned() } else { format!("./{pattern}") };
            let filter = Filter::new(&[pattern], other.base(world, at_root)).ok()?;
            Some(Self { id: EntryId(place), filter })
        };
        entries.iter().enumerate().filter_map(exclusion).collect()
    }
}
