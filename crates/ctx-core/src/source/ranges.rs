//! The lines of a file that its entries name.

use std::sync::Arc;

use crate::entry::{Author, Lines, ScopedEntry};
use crate::select::{EntryId, SelectedBy};

/// Lines of a file, with the entries that name them.
#[derive(Debug, Clone)]
pub struct Range {
    /// The lines; `None` for all of them.
    pub lines: Option<Lines>,
    /// Whether no entry asks for just these lines, but something includes the whole file.
    pub is_rest: bool,
    /// The entries that name any of these lines, and their attributes.
    pub selected_by: Arc<SelectedBy>,
}

/// Which parts of a file to read, in the order of its lines: all of it if any entry includes it whole;
/// otherwise the lines that entries name, with adjacent ones joined. If the file is not only searched, search
/// entries add nothing.
#[must_use]
pub fn ranges(selected_by: &Arc<SelectedBy>, entries: &[ScopedEntry]) -> Vec<Range> {
    let lines_of = |id: &EntryId| entries[id.0].entry.attributes.lines;
    let brings = |id: &&EntryId| selected_by.searched.is_some() || !entries[id.0].entry.attributes.search;
    let used = || selected_by.entries.iter().filter(brings);
    let wanted: Option<Vec<Lines>> = used().map(lines_of).collect();
    let mut wanted = match wanted {
        Some(wanted) if !wanted.is_empty() => wanted,
        Some(_) | None => {
            return vec![Range { lines: None, is_rest: false, selected_by: Arc::clone(selected_by) }];
        }
    };
    wanted.sort_unstable();
    let mut united: Vec<Lines> = Vec::new();
    for lines in wanted {
        match united.last_mut().filter(|last| last.touches(lines)) {
            Some(last) => *last = last.united(lines),
            None => united.push(lines),
        }
    }
    let rest = |lines: Lines| {
        let selected_by = Arc::clone(selected_by.rest.as_ref()?);
        Some(Range { lines: Some(lines), is_rest: true, selected_by })
    };
    let rests: Vec<Range> = between(&united).into_iter().filter_map(rest).collect();
    let range = |all: Lines| {
        if united.len() == 1 {
            return Range { lines: Some(all), is_rest: false, selected_by: Arc::clone(selected_by) };
        }
        let is_part =
            |lines: Lines| lines.first >= all.first && all.last.is_none_or(|last| lines.first <= last);
        let wants = |id: &&EntryId| lines_of(id).is_some_and(is_part);
        let ids = selected_by.entries.iter().filter(wants).copied();
        let selected_by = Arc::new(of_some(ids, selected_by, entries));
        Range { lines: Some(all), is_rest: false, selected_by }
    };
    let mut ranges: Vec<Range> = united.iter().copied().map(range).chain(rests).collect();
    ranges.sort_by_key(|range| range.lines);
    ranges
}

/// The lines before, between and after ascending ranges.
fn between(ranges: &[Lines]) -> Vec<Lines> {
    let mut gaps = Vec::with_capacity(ranges.len() + 1);
    let mut next = Some(1);
    for range in ranges {
        gaps.extend(next.map(|first| Lines { first, last: Some(range.first.saturating_sub(1)) }));
        next = range.last.map(|last| last.saturating_add(1));
    }
    gaps.extend(next.map(|first| Lines { first, last: None }));
    gaps.retain(|gap| gap.check().is_ok());
    gaps
}

/// The attributes of some of the entries that selected a file.
fn of_some(ids: impl Iterator<Item = EntryId>, all: &SelectedBy, entries: &[ScopedEntry]) -> SelectedBy {
    let mut selected_by = SelectedBy { named: all.named, ..SelectedBy::default() };
    for id in ids {
        let scoped = &entries[id.0];
        selected_by.unite(id, scoped);
        selected_by.typed |= scoped.author == Author::CommandLine;
    }
    match &all.rest {
        Some(rest) => selected_by.with_rest(rest),
        None => selected_by,
    }
}
