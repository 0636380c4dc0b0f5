//! Which lines of a file the entries want that brought it.

use std::sync::Arc;

use crate::entry::{Author, Lines, ScopedEntry};
use crate::select::{Brought, EntryId};

/// Lines of a file, with the entries that want them.
#[derive(Debug, Clone)]
pub struct Range {
    /// Which lines; `None` if they are all.
    pub lines: Option<Lines>,
    /// The entries that want some of them, and what they say.
    pub brought: Arc<Brought>,
}

/// What to read of a file, in the order of its lines: all of it if any entry brings it whole;
/// else the lines that entries name, those that touch as one range. Where it is not only searched, entries that search
/// bring nothing of it.
#[must_use]
pub fn ranges(brought: &Arc<Brought>, entries: &[ScopedEntry]) -> Vec<Range> {
    let lines_of = |id: &EntryId| entries[id.0].entry.attributes.lines;
    let brings = |id: &&EntryId| brought.searched.is_some() || !entries[id.0].entry.attributes.search;
    let used = || brought.entries.iter().filter(brings);
    let wanted: Option<Vec<Lines>> = used().map(lines_of).collect();
    let mut wanted = match wanted {
        Some(wanted) if !wanted.is_empty() => wanted,
        Some(_) | None => return vec![Range { lines: None, brought: Arc::clone(brought) }],
    };
    wanted.sort_unstable();
    let mut united: Vec<Lines> = Vec::new();
    for lines in wanted {
        match united.last_mut().filter(|last| last.touches(lines)) {
            Some(last) => *last = last.united(lines),
            None => united.push(lines),
        }
    }
    if let [only] = united.as_slice() {
        return vec![Range { lines: Some(*only), brought: Arc::clone(brought) }];
    }
    let range = |all: Lines| {
        let is_part =
            |lines: Lines| lines.first >= all.first && all.last.is_none_or(|last| lines.first <= last);
        let wants = |id: &&EntryId| lines_of(id).is_some_and(is_part);
        let ids = brought.entries.iter().filter(wants).copied();
        Range { lines: Some(all), brought: Arc::new(of_some(ids, brought, entries)) }
    };
    united.into_iter().map(range).collect()
}

/// What some of the entries say that brought a file.
fn of_some(ids: impl Iterator<Item = EntryId>, all: &Brought, entries: &[ScopedEntry]) -> Brought {
    let mut brought = Brought { named: all.named, ..Brought::default() };
    for id in ids {
        let scoped = &entries[id.0];
        brought.unite(id, scoped);
        brought.typed |= scoped.author == Author::CommandLine;
    }
    brought
}
