//! Which stored entries are in every question: in their order, each that is whole in what the others leave of a small
//! part of the budget, with what it imports. The rest competes with everything else or, if a question is limited to some
//! paths, is left out. The same entries are kept if a prompt ranks the files of a list.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::{ListUse, PlanError, Request, Source};
use crate::account::InQuestions;
use crate::document::{Item, Session};
use crate::entry::{Kind, ScopedEntry};
use crate::select::{EntryId, Label, SelectedBy};
use crate::source::Origin;

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
    let ListUse { most_tokens: mut room, usual_tokens: mut usual_room, .. } = list_use(request);
    let mut room_for_rules = request.measure.limit.map_or(room, |limit| room.max(limit / 4));
    let mut too_large: HashSet<Vec<usize>> = HashSet::new();
    let mut sizes: HashMap<usize, u64> = HashMap::new();
    for id in entries_on_lists(request) {
        let places = with_imports(places_by_entry.of(id), &sources, &imports);
        let mut new = places.clone();
        new.retain(|place| !is_in(&sources[*place].selected_by));
        let is_pinned = request.entries[id.0].entry.attributes.pin;
        // Earlier entries may have selected the same files.
        if !is_pinned && (new.is_empty() || too_large.contains(&new)) {
            continue;
        }
        if !is_pinned {
            // Rules and memory files are for every question, so none is left out without a word.
            let is_rules = request.entries[id.0].is_built_in();
            let room_here = if is_rules { room_for_rules } else { room };
            let most = if is_rules { u64::MAX } else { room.max(usual_room) };
            let Some(tokens) = tokens_of_small(most, &new, &sources, &mut sizes, request, session)? else {
                continue;
            };
            let is_usual = tokens <= usual_room;
            usual_room -= if is_usual { tokens } else { 0 };
            if tokens > room_here {
                crowded_out.extend((is_usual || is_rules).then_some(CrowdedOut { id, tokens }));
                too_large.insert(new);
                continue;
            }
            room = room.saturating_sub(tokens);
            room_for_rules = room_for_rules.saturating_sub(tokens);
        }
        for place in places {
            Arc::make_mut(&mut sources[place].selected_by).in_every_question = true;
        }
    }
    let is_kept = |source: &Source| is_in(&source.selected_by) || is_used_otherwise(source, request);
    sources.retain(|source| request.list.rest_competes || is_kept(source));
    Ok(ListedSources { sources, crowded_out })
}

/// What the block does with the stored entries. The budget of a block that is not a question may be a setting.
fn list_use(request: &Request) -> ListUse {
    match request.measure.limit.filter(|_| !request.is_question()) {
        Some(limit) => ListUse { most_tokens: request.list.within(limit).most_tokens, ..request.list },
        None => request.list,
    }
}

/// What questions do with the stored entries that bring something; empty in a question.
pub(super) fn in_questions(items: &[Item], request: &Request) -> HashMap<EntryId, InQuestions> {
    let mut all = HashMap::new();
    if request.looked_through.is_some() {
        return all;
    }
    let mut room = request.list.most_tokens;
    let mut taken: HashSet<usize> = HashSet::new();
    let selected = items.iter().map(|item| &*item.source.selected_by).enumerate();
    let places_by_entry =
        PlacesByEntry::by(request.entries.len(), selected.filter(|(place, _)| items[*place].has_tokens()));
    for id in entries_on_lists(request) {
        let places: Vec<usize> = places_by_entry.of(id).collect();
        let new = places.iter().filter(|place| !taken.contains(place)).map(|place| &items[*place]);
        let tokens: u64 = new.map(|item| item.tokens(request.measure.counter)).sum();
        if places.is_empty() {
            continue;
        }
        let is_pinned = request.entries[id.0].entry.attributes.pin;
        if is_pinned || tokens <= room {
            room -= if is_pinned { 0 } else { tokens };
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
    selected_by.pin || selected_by.in_every_question
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

/// The tokens of the sources at these places, unless their size alone shows that they are more than `room`. Many entries
/// may bring the same sources, so `sizes` has those that are known.
fn tokens_of_small(
    room: u64,
    places: &[usize],
    sources: &[Source],
    sizes: &mut HashMap<usize, u64>,
    request: &Request,
    session: &Session<'_>,
) -> Result<Option<u64>, PlanError> {
    let counter = request.measure.counter;
    let mut bytes = 0;
    for place in places {
        bytes += *sizes.entry(*place).or_insert_with(|| size(&sources[*place]));
        if counter.rounded(counter.least_units(bytes)) > room {
            return Ok(None);
        }
    }
    let has_text = |source: &&Source| !matches!(source.origin, Origin::Provided(Err(_)));
    let with_text: Vec<Source> =
        places.iter().map(|place| &sources[*place]).filter(has_text).cloned().collect();
    if with_text.is_empty() {
        return Ok(Some(0));
    }
    let items = session.read_whole(with_text)?;
    Ok(Some(items.iter().map(|item| item.tokens(counter)).sum()))
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
