//! Which stored entries are in every question: from the smallest, each that is whole in what the others leave of a small
//! part of the budget, with what it imports. The rest competes with everything else or, if a question is limited to some
//! paths, is left out. The same entries are kept if the files of a list are chosen by rank.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::{ListUse, PlanError, Request, Source};
use crate::account::InQuestions;
use crate::document::{Item, Session};
use crate::entry::pattern::has_wildcards;
use crate::entry::{Kind, ScopedEntry};
use crate::select::{EntryId, Label, SelectedBy};
use crate::source::Origin;
use ctx_search::FileKind;

/// What a question makes of its sources.
pub(super) struct ListedSources {
    /// The sources, those marked that are in every question, without the stored ones that a question leaves out.
    pub(super) sources: Vec<Source>,
    /// What is in every question but this one.
    pub(super) crowded_out: Vec<CrowdedOut>,
}

/// An entry that is in every question, but for which the budget of this one is too small.
#[derive(Debug)]
pub(super) struct CrowdedOut {
    pub(super) id: EntryId,
    pub(super) tokens: u64,
    pub(super) of: ListRoom,
}

/// The room that is too small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListRoom {
    /// The share of the lists.
    Share,
    /// What is left beside what has to be printed.
    Rest,
}

/// The sources of a block; marked, if a question ranks them.
pub(super) fn chosen(
    mut sources: Vec<Source>,
    request: &Request,
    session: &Session<'_>,
) -> Result<ListedSources, PlanError> {
    let mut crowded_out = Vec::new();
    if !request.keeps_listed() {
        return Ok(ListedSources { sources, crowded_out });
    }
    let selected = sources.iter().map(|source| &*source.selected_by);
    let places_by_entry = PlacesByEntry::by(request.entries.len(), selected.enumerate());
    let imports = imports_of(&sources);
    let mut rooms = Rooms::of(list_use(request));
    let mut too_large: HashSet<Vec<usize>> = HashSet::new();
    let mut sizes: HashMap<usize, u64> = HashMap::new();
    let mut by_size = Vec::new();
    for id in entries_on_lists(request) {
        let share =
            ListShare::of(&request.entries[id.0], || places_by_entry.of(id).map(|place| &sources[place]));
        let own: Vec<usize> = places_by_entry.of(id).collect();
        let mut bytes_of = |places: &[usize]| {
            bytes_of_small(share.most(&rooms, request), places, &sources, &mut sizes, request)
        };
        // What is too large without its imports need not be followed.
        let bytes = bytes_of(&own).and_then(|_| bytes_of(&with_imports(own.into_iter(), &sources, &imports)));
        by_size.push((bytes, id, share));
    }
    by_size.sort_by_key(|(bytes, id, share)| (*share == ListShare::BuiltIn, bytes.unwrap_or(u64::MAX), id.0));
    for (bytes, id, share) in by_size {
        let is_pinned = request.entries[id.0].entry.attributes.pin;
        if !is_pinned && bytes.is_none() {
            continue;
        }
        let places = with_imports(places_by_entry.of(id), &sources, &imports);
        if !is_pinned {
            let mut new = places.clone();
            new.retain(|place| !is_in(&sources[*place].selected_by));
            // Other entries may have selected the same files.
            if new.is_empty() || too_large.contains(&new) {
                continue;
            }
            let tokens = tokens_of(&new, &sources, request, session)?;
            let is_usual = rooms.take_usual(tokens);
            if !rooms.take(share, tokens) {
                crowded_out.extend((is_usual || share != ListShare::Other).then_some(CrowdedOut {
                    id,
                    tokens,
                    of: ListRoom::Share,
                }));
                too_large.insert(new);
                continue;
            }
        }
        for place in places {
            Arc::make_mut(&mut sources[place].selected_by).in_every_question = Some(id);
        }
    }
    let is_kept = |source: &Source| is_in(&source.selected_by) || is_used_otherwise(source, request);
    sources.retain(|source| request.list.rest_competes || is_kept(source));
    Ok(ListedSources { sources, crowded_out })
}

/// What an entry that can be in every question is, which decides how much room it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListShare {
    /// One of the built-in list. It has a room of its own.
    BuiltIn,
    /// A text that the user named, or a directory of rules: it is for every question, so it is not left out without a word.
    Rules,
    /// Code, a README, another pattern or directory. Only if it is small, it is for every question.
    Other,
}

impl ListShare {
    /// The share of an entry that brings these sources.
    fn of<'s, I: Iterator<Item = &'s Source>>(scoped: &ScopedEntry, brings: impl Fn() -> I) -> Self {
        let path = &scoped.entry.path;
        let is_one = || !has_wildcards(path) && brings().nth(1).is_none();
        if scoped.is_built_in() {
            Self::BuiltIn
        } else if scoped.entry.kind() == Kind::Up
            || (says_rules(path) || is_one()) && brings().all(|one| is_rules(one.path()))
        {
            Self::Rules
        } else {
            Self::Other
        }
    }

    /// The most tokens with which it is worth counting.
    fn most(self, rooms: &Rooms, request: &Request) -> u64 {
        match self {
            Self::BuiltIn | Self::Rules => request.measure.window,
            Self::Other => rooms.small.max(rooms.usual),
        }
    }
}

/// Whether a file of this name may be rules for a model: a text, and not one that introduces people to a directory, or that is
/// read by tools or lawyers.
fn is_rules(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let kind = FileKind::of(path);
    let is_text = [".md", ".mdc", ".markdown", ".rst", ".adoc"].iter().any(|end| name.ends_with(end))
        || name.ends_with(".txt") && kind == FileKind::Prose
        || name.starts_with('.') && name.ends_with("rules");
    is_text && !matches!(kind, FileKind::Readme | FileKind::ChangeLog | FileKind::Licence)
}

/// Whether a pattern or a directory says that it is for rules: `.cursor/rules/*.mdc`.
fn says_rules(path: &str) -> bool {
    const RULES: [&str; 5] = ["rules", "steering", "instructions", "guidelines", "conventions"];
    path.split('/').any(|name| RULES.iter().any(|rules| name.eq_ignore_ascii_case(rules)))
}

/// What is left for entries in every question, in tokens.
struct Rooms {
    built_in: u64,
    /// For all of the user's own, and for those of them that are not rules.
    own: u64,
    small: u64,
    /// For the latter in a question without a budget of its own.
    usual: u64,
}

impl Rooms {
    fn of(list: ListUse) -> Self {
        let ListUse { rules_tokens, most_tokens, usual_tokens, .. } = list;
        Self { built_in: rules_tokens, own: rules_tokens, small: most_tokens, usual: usual_tokens }
    }

    /// Takes the room for this many tokens; returns whether there is enough.
    fn take(&mut self, share: ListShare, tokens: u64) -> bool {
        let rooms = match share {
            ListShare::BuiltIn => &mut [&mut self.built_in][..],
            ListShare::Rules => &mut [&mut self.own][..],
            ListShare::Other => &mut [&mut self.own, &mut self.small][..],
        };
        let fits = rooms.iter().all(|room| tokens <= **room);
        rooms.iter_mut().filter(|_| fits).for_each(|room| **room -= tokens);
        fits
    }

    /// Takes the room that there usually is; returns whether there is enough.
    fn take_usual(&mut self, tokens: u64) -> bool {
        let fits = tokens <= self.usual;
        self.usual -= if fits { tokens } else { 0 };
        fits
    }
}

/// What the block does with the stored entries. The budget of a block that is not a question may be a setting.
fn list_use(request: &Request) -> ListUse {
    match request.measure.limit.filter(|_| !request.is_question()) {
        Some(limit) => ListUse { usual_tokens: request.list.usual_tokens, ..request.list.within(limit) },
        None => request.list,
    }
}

/// What questions do with the stored entries that bring something; empty in a question.
pub(super) fn in_questions(items: &[Item], request: &Request) -> HashMap<EntryId, InQuestions> {
    let mut all = HashMap::new();
    if request.looked_through.is_some() {
        return all;
    }
    let mut rooms = Rooms::of(request.list);
    let mut taken: HashSet<usize> = HashSet::new();
    let selected = items.iter().map(|item| &*item.source.selected_by).enumerate();
    let places_by_entry =
        PlacesByEntry::by(request.entries.len(), selected.filter(|(place, _)| items[*place].has_tokens()));
    let counter = request.measure.counter;
    let with_size = |id: EntryId| {
        let own = || places_by_entry.of(id).map(|place| &items[place]);
        let share = ListShare::of(&request.entries[id.0], || own().map(|item| &item.source));
        let tokens: u64 = own().map(|item| item.tokens(counter)).sum();
        (share == ListShare::BuiltIn, tokens, id, share)
    };
    let mut by_size: Vec<_> = entries_on_lists(request).map(with_size).collect();
    by_size.sort_by_key(|(is_built_in, tokens, id, _)| (*is_built_in, *tokens, id.0));
    for (_, _, id, share) in by_size {
        let places: Vec<usize> = places_by_entry.of(id).collect();
        let new = places.iter().filter(|place| !taken.contains(place)).map(|place| &items[*place]);
        let tokens: u64 = new.map(|item| item.tokens(counter)).sum();
        if places.is_empty() {
            continue;
        }
        if request.entries[id.0].entry.attributes.pin || rooms.take(share, tokens) {
            taken.extend(places);
            all.insert(id, InQuestions::Whole);
        } else {
            all.insert(id, InQuestions::Competes);
        }
    }
    all
}

/// The entries that can be in every question.
fn entries_on_lists(request: &Request) -> impl Iterator<Item = EntryId> {
    let ids = (0..request.entries.len()).map(EntryId);
    ids.filter(|id| is_on_a_list(&request.entries[id.0]))
}

/// Whether an entry is stored and can be in every question. A change in git or the output of a command may have nothing to
/// do with it, unless somebody keeps it there.
fn is_on_a_list(scoped: &ScopedEntry) -> bool {
    let attributes = &scoped.entry.attributes;
    let is_plain = !attributes.search && !attributes.off && attributes.when.is_empty();
    let is_for_this = is_plain && !scoped.scope.is_for_one_block();
    let is_kept = attributes.pin || attributes.ttl.is_some();
    is_for_this
        && match scoped.entry.kind() {
            Kind::Path | Kind::Up | Kind::Todo | Kind::StandardInput => true,
            Kind::Git | Kind::Command => is_kept,
            Kind::Exclusion | Kind::Dependency => false,
        }
}

fn is_in(selected_by: &SelectedBy) -> bool {
    selected_by.pin || selected_by.in_every_question.is_some()
}

/// Whether the command line, an entry that is only searched, or one with a condition selects a source.
fn is_used_otherwise(source: &Source, request: &Request) -> bool {
    let uses = |id: &EntryId| {
        let scoped = &request.entries[id.0];
        let attributes = &scoped.entry.attributes;
        scoped.scope.is_for_one_block() || attributes.search || !attributes.when.is_empty()
    };
    source.selected_by.entries.iter().any(uses)
}

/// Whether only the built-in list names a document, and not the user's own.
pub(super) fn is_of_built_in(request: &Request, item: &Item) -> bool {
    let entries = item.source.selected_by.entries.iter().map(|id| &request.entries[id.0]);
    let mut stored = entries.filter(|scoped| !scoped.scope.is_for_one_block()).peekable();
    stored.peek().is_some() && stored.all(ScopedEntry::is_built_in)
}

/// The places of what each entry brings. There may be very many entries, so they are not compared with every file.
struct PlacesByEntry {
    /// Where the places of each entry begin, and at last, where they end.
    starts: Vec<usize>,
    places: Vec<u32>,
}

impl PlacesByEntry {
    /// What this many entries bring, by what selected each place.
    fn by<'s>(entries: usize, selected: impl Iterator<Item = (usize, &'s SelectedBy)> + Clone) -> Self {
        let mut starts = vec![0; entries + 1];
        for id in selected.clone().flat_map(|(_, selected)| &selected.entries) {
            starts[id.0 + 1] += 1;
        }
        for id in 0..entries {
            starts[id + 1] += starts[id];
        }
        let mut places = vec![0; starts[entries]];
        let mut next = starts.clone();
        for (place, selected) in selected {
            for id in &selected.entries {
                places[next[id.0]] = place as u32;
                next[id.0] += 1;
            }
        }
        Self { starts, places }
    }

    fn of(&self, EntryId(id): EntryId) -> impl Iterator<Item = usize> {
        self.places[self.starts[id]..self.starts[id + 1]].iter().map(|place| *place as usize)
    }
}

/// The places of what each source imports, by its label.
fn imports_of(sources: &[Source]) -> HashMap<Label, Vec<usize>> {
    let mut imports: HashMap<Label, Vec<usize>> = HashMap::new();
    for (place, source) in sources.iter().enumerate() {
        if let Some(by) = &source.imported_by {
            imports.entry(by.label.clone()).or_default().push(place);
        }
    }
    imports
}

/// These places, and those of what they import, which comes later.
fn with_imports(
    places: impl Iterator<Item = usize>,
    sources: &[Source],
    imports: &HashMap<Label, Vec<usize>>,
) -> Vec<usize> {
    let mut pending: Vec<usize> = places.collect();
    if imports.is_empty() {
        return pending;
    }
    let mut all: BTreeSet<usize> = pending.iter().copied().collect();
    while let Some(place) = pending.pop() {
        let imported = imports.get(&sources[place].label).into_iter().flatten();
        pending.extend(imported.filter(|later| **later > place).filter(|later| all.insert(**later)));
    }
    all.into_iter().collect()
}

/// The bytes of the sources at these places, unless these alone show that they have more than `most` tokens. Many entries may
/// bring the same sources, so `sizes` has those that are known.
fn bytes_of_small(
    most: u64,
    places: &[usize],
    sources: &[Source],
    sizes: &mut HashMap<usize, u64>,
    request: &Request,
) -> Option<u64> {
    let counter = request.measure.counter;
    let mut bytes = 0;
    for place in places {
        bytes += *sizes.entry(*place).or_insert_with(|| size(&sources[*place]));
        if counter.rounded(counter.least_units(bytes)) > most {
            return None;
        }
    }
    Some(bytes)
}

/// The tokens of the sources at these places.
fn tokens_of(
    places: &[usize],
    sources: &[Source],
    request: &Request,
    session: &Session<'_>,
) -> Result<u64, PlanError> {
    let counter = request.measure.counter;
    let has_text = |source: &&Source| !matches!(source.origin, Origin::Provided(Err(_)));
    let with_text: Vec<Source> =
        places.iter().map(|place| &sources[*place]).filter(has_text).cloned().collect();
    if with_text.is_empty() {
        return Ok(0);
    }
    let items = session.read_whole(with_text)?;
    Ok(items.iter().map(|item| item.tokens(counter)).sum())
}

/// The size of a source in bytes; 0 if it cannot be read.
fn size(source: &Source) -> u64 {
    match &source.origin {
        Origin::File { place, .. } => place.metadata().map_or(0, |metadata| metadata.stamp.size),
        Origin::Provided(Ok(bytes)) => bytes.len() as u64,
        Origin::Provided(Err(_)) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_know_the_places_of_what_they_bring() {
        let by = |entries: &[usize]| SelectedBy {
            entries: entries.iter().copied().map(EntryId).collect(),
            ..SelectedBy::default()
        };
        let all = [by(&[0, 2]), by(&[]), by(&[2]), by(&[0])];
        let places_by_entry = PlacesByEntry::by(4, all.iter().enumerate());
        let places = |id: usize| places_by_entry.of(EntryId(id)).collect::<Vec<_>>();
        assert_eq!([0, 1, 2, 3].map(places), [vec![0, 3], vec![], vec![0, 2], vec![]]);
    }
}
