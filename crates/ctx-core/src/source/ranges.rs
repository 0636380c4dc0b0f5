//! The parts of a file that its entries name.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::named::NamedLines;
use crate::entry::{Author, DeclarationName, Lines, ScopedEntry};
use crate::report::Reason;
use crate::select::{EntryId, SelectedBy};

/// Part of a file, with the entries that name it.
#[derive(Debug, Clone)]
pub struct Part {
    /// How much of the file it is.
    pub extent: Extent,
    /// The entries that name any of it, and their attributes.
    pub selected_by: Arc<SelectedBy>,
}

/// How much of a file a part is.
#[derive(Debug, Clone)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Lines that entries ask for.
    Lines(Lines),
    /// Lines that no entry asks for, of a file that something includes whole.
    Rest(Lines),
    /// Nothing, since the file has nothing of this name.
    Missing(DeclarationName, Reason),
}

impl Extent {
    /// The lines, unless it is all or nothing.
    fn lines(&self) -> Option<Lines> {
        match self {
            Self::Lines(lines) | Self::Rest(lines) => Some(*lines),
            Self::Whole | Self::Missing(..) => None,
        }
    }
}

/// Which parts of a file to read, in the order of its lines: all of it if any entry includes it whole;
/// otherwise the lines that entries name, with adjacent ones joined. If the file is not only searched, search
/// entries add nothing. Names without lines come last.
#[must_use]
pub fn parts(selected_by: &Arc<SelectedBy>, entries: &[ScopedEntry], named: &NamedLines) -> Vec<Part> {
    let whole = |selected_by| vec![Part { extent: Extent::Whole, selected_by: Arc::clone(selected_by) }];
    let brings = |id: &&EntryId| selected_by.searched.is_some() || !entries[id.0].entry.attributes.search;
    let used: Vec<EntryId> = selected_by.entries.iter().filter(brings).copied().collect();
    let is_partial = |id: &EntryId| entries[id.0].entry.attributes.is_partial();
    if used.is_empty() || !used.iter().all(is_partial) {
        return whole(selected_by);
    }
    let lines_of = |id: &EntryId| lines_of(*id, entries, named);
    let mut wanted: Vec<Lines> = used.iter().flat_map(lines_of).collect();
    wanted.sort_unstable();
    let mut united: Vec<Lines> = Vec::new();
    for lines in wanted {
        match united.last_mut().filter(|last| last.touches(lines)) {
            Some(last) => *last = last.united(lines),
            None => united.push(lines),
        }
    }
    let missing = missing(&used, selected_by, entries, named);
    let is_one = united.len() == 1 && missing.is_empty();
    let part = |all: Lines| {
        let extent = Extent::Lines(all);
        if is_one {
            return Part { extent, selected_by: Arc::clone(selected_by) };
        }
        let is_part =
            |lines: Lines| lines.first >= all.first && all.last.is_none_or(|last| lines.first <= last);
        let wants = |id: &&EntryId| lines_of(id).into_iter().any(is_part);
        let ids = selected_by.entries.iter().filter(wants).copied();
        Part { extent, selected_by: Arc::new(of_some(ids, selected_by, entries)) }
    };
    let rests = match &selected_by.rest {
        Some(rest) if united.is_empty() => whole(rest),
        Some(rest) => {
            let part = |lines| Part { extent: Extent::Rest(lines), selected_by: Arc::clone(rest) };
            between(&united).into_iter().map(part).collect()
        }
        None => Vec::new(),
    };
    let mut parts: Vec<Part> = united.iter().copied().map(part).chain(rests).collect();
    parts.sort_by_key(|part| part.extent.lines());
    parts.extend(missing);
    parts
}

/// The lines that an entry names.
fn lines_of(id: EntryId, entries: &[ScopedEntry], named: &NamedLines) -> Vec<Lines> {
    match named.get(id) {
        Some(lines) => lines.clone().unwrap_or_default(),
        None => entries[id.0].entry.attributes.lines.into_iter().collect(),
    }
}

/// The names that have no lines, each once.
fn missing(
    used: &[EntryId],
    selected_by: &SelectedBy,
    entries: &[ScopedEntry],
    named: &NamedLines,
) -> Vec<Part> {
    let mut missing: BTreeMap<&DeclarationName, (&Reason, Vec<EntryId>)> = BTreeMap::new();
    for id in used {
        if let (Some(name), Some(Err(reason))) = (&entries[id.0].entry.attributes.name, named.get(*id)) {
            missing.entry(name).or_insert((reason, Vec::new())).1.push(*id);
        }
    }
    let part = |(name, (reason, ids)): (&DeclarationName, (&Reason, Vec<EntryId>))| Part {
        extent: Extent::Missing(name.clone(), reason.clone()),
        selected_by: Arc::new(SelectedBy { rest: None, ..of_some(ids.into_iter(), selected_by, entries) }),
    };
    missing.into_iter().map(part).collect()
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
