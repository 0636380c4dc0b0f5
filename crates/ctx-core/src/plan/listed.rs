//! Which stored entries are in every question: in their order, each that is whole in what the others leave of a small
//! part of the budget, with what it imports. The rest competes with everything else or, if a question is limited to some
//! paths, is left out.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{PlanError, Request, Source};
use crate::account::InQuestions;
use crate::document::{Item, Session};
use crate::entry::{Kind, ScopedEntry};
use crate::models::Counter;
use crate::select::{EntryId, Label, SelectedBy};
use crate::source::Origin;

/// The sources, those marked that are in every question, without the stored ones that a question leaves out.
pub(super) fn chosen(
    mut sources: Vec<Source>,
    request: &Request,
    session: &Session<'_>,
) -> Result<Vec<Source>, PlanError> {
    if !request.is_question() {
        return Ok(sources);
    }
    let mut room = request.list.most_tokens;
    for id in entries_on_lists(request) {
        let places = of_entry(&sources, id);
        let new: Vec<&Source> = places
            .iter()
            .map(|place| &sources[*place])
            .filter(|source| !is_in(&source.selected_by))
            .collect();
        let attributes = &request.entries[id.0].entry.attributes;
        let taken = if attributes.pin { Some(0) } else { tokens_within(room, &new, request, session)? };
        if let Some(taken) = taken {
            room -= taken;
            for place in places {
                Arc::make_mut(&mut sources[place].selected_by).in_every_question = true;
            }
        }
    }
    let is_kept = |source: &Source| is_in(&source.selected_by) || is_used_otherwise(source, request);
    sources.retain(|source| request.list.rest_competes || is_kept(source));
    Ok(sources)
}

/// What questions do with the stored entries that bring something; empty in a question.
pub(super) fn in_questions(items: &[Item], request: &Request) -> HashMap<EntryId, InQuestions> {
    let mut all = HashMap::new();
    if request.looked_through.is_some() {
        return all;
    }
    let mut room = request.list.most_tokens;
    let mut taken: HashSet<usize> = HashSet::new();
    for id in entries_on_lists(request) {
        let is_of_it = |place: &usize| {
            let item = &items[*place];
            item.document.is_some() && item.source.selected_by.entries.contains(&id)
        };
        let places: Vec<usize> = (0..items.len()).filter(is_of_it).collect();
        let new = places.iter().filter(|place| !taken.contains(place)).map(|place| &items[*place]);
        let tokens = tokens_of(new, request.measure.counter);
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
    let is_for_this = !scoped.scope.is_for_one_block() && !attributes.search && !attributes.off;
    let is_kept = attributes.pin || attributes.ttl.is_some();
    is_for_this
        && match scoped.entry.kind() {
            Kind::Path | Kind::Up | Kind::Todo | Kind::StandardInput => true,
            Kind::Git | Kind::Command => is_kept,
            Kind::Exclusion => false,
        }
}

fn is_in(selected_by: &SelectedBy) -> bool {
    selected_by.pin || selected_by.in_every_question
}

/// Whether the command line or an entry that is only searched selects a source.
fn is_used_otherwise(source: &Source, request: &Request) -> bool {
    let uses = |id: &EntryId| {
        let scoped = &request.entries[id.0];
        scoped.scope.is_for_one_block() || scoped.entry.attributes.search
    };
    source.selected_by.entries.iter().any(uses)
}

/// The indices of the sources of an entry, and of what these import, which comes later.
fn of_entry(sources: &[Source], id: EntryId) -> Vec<usize> {
    let mut labels: HashSet<&Label> = HashSet::new();
    let mut places = Vec::new();
    for (place, source) in sources.iter().enumerate() {
        let is_imported = source.imported_by.as_ref().is_some_and(|by| labels.contains(&by.label));
        if is_imported || source.selected_by.entries.contains(&id) {
            labels.insert(&source.label);
            places.push(place);
        }
    }
    places
}

/// The tokens of these sources if they are at most `room`; `None` if they are more, or there is nothing to print.
fn tokens_within(
    room: u64,
    sources: &[&Source],
    request: &Request,
    session: &Session<'_>,
) -> Result<Option<u64>, PlanError> {
    let counter = request.measure.counter;
    let bytes: u64 = sources.iter().map(|source| size(source)).sum();
    if sources.is_empty() || counter.rounded(counter.least_units(bytes)) > room {
        return Ok(None);
    }
    let items = session.read_whole(sources.iter().map(|source| (*source).clone()).collect())?;
    let tokens = tokens_of(items.iter(), counter);
    Ok(Some(tokens).filter(|tokens| *tokens <= room))
}

fn tokens_of<'i>(items: impl Iterator<Item = &'i Item>, counter: Counter) -> u64 {
    let documents = items.filter_map(|item| item.document.as_ref());
    documents.map(|document| counter.tokens_of(&document.measure)).sum()
}

/// The size of a source in bytes; 0 if it cannot be read.
fn size(source: &Source) -> u64 {
    match &source.origin {
        Origin::File { place, .. } => place.metadata().map_or(0, |metadata| metadata.stamp.size),
        Origin::Provided(Ok(bytes)) => bytes.len() as u64,
        Origin::Provided(Err(_)) => 0,
    }
}
