//! Entries that are used only if another document matches a pattern, such as rules for one part of a repository.
//!
//! Whether they are is decided by what was chosen, before it is fitted. What they bring is fitted last, into what is left,
//! and displaces nothing. A file that a search of everything has found too also competes as if it had no condition.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{Fate, Item, Plan, PlanError, Purpose};
use crate::budget::Priority;
use crate::document::Session;
use crate::entry::ScopedEntry;
use crate::report::ReasonCode;
use crate::select::filter::Filter;
use crate::select::{EntryId, Label};
use crate::source::Source;
use crate::tree::Tree;
use crate::world::World;

/// The most tokens that all of them may use.
const MOST_TOKENS: u64 = 2_000;

/// Roughly how many tokens are around a document.
const AROUND: u64 = 8;

/// What waits until everything else is fitted.
pub(super) struct Waiting {
    /// What was taken out, each with its index among the items.
    taken: Vec<(usize, Source)>,
    /// The labels of what a search of everything has found too, so that it also competes like any other file.
    competing: Vec<Label>,
}

/// An item that was added at an index, and the one that it replaced.
struct Added {
    place: usize,
    replaced: Option<Item>,
}

impl Plan {
    /// Sets aside the documents of conditional entries while the others are fitted. Leaves out those whose condition is not
    /// met, unless another entry selects them.
    pub(super) fn take_out_conditional(&mut self, world: &World) -> Waiting {
        let mut waiting = Waiting { taken: Vec::new(), competing: Vec::new() };
        // A search prints no rules; it only finds them.
        let is_search = self.request.purpose != Purpose::Block;
        if is_search || self.request.entries.iter().all(|scoped| !has_condition(scoped)) {
            return waiting;
        }
        let met = self.met_conditions(world);
        let asked = self.asked_for(&met);
        let mut kept = Vec::new();
        for (place, item) in std::mem::take(&mut self.items).into_iter().enumerate() {
            let ids = &item.source.selected_by.entries;
            let scoped = |id: &EntryId| &self.request.entries[id.0];
            let is_met = asked.contains(&item.source.label);
            let is_conditional = is_met || ids.iter().any(|id| has_condition(scoped(id)));
            if !is_conditional || ids.iter().any(|id| !has_condition(scoped(id)) && !scoped(id).is_whole()) {
                kept.push(item);
            } else if ids.iter().any(|id| scoped(id).is_whole()) {
                if is_met && item.skipped().is_none() {
                    waiting.competing.push(item.source.label.clone());
                }
                kept.push(item);
            } else if is_met && item.skipped().is_none() {
                waiting.taken.push((place, item.source));
            } else {
                self.passed_over.push((item.source, ReasonCode::Condition));
            }
        }
        self.items = kept;
        waiting
    }

    /// The labels of what these entries bring, with what it imports.
    fn asked_for(&self, met: &BTreeSet<EntryId>) -> BTreeSet<Label> {
        let mut asked = BTreeSet::new();
        loop {
            let is_new = |item: &&Item| {
                let source = &item.source;
                let is_imported = source.imported_by.as_ref().is_some_and(|by| asked.contains(&by.label));
                let is_met = is_imported || source.selected_by.entries.iter().any(|id| met.contains(id));
                is_met && !asked.contains(&source.label)
            };
            let new: Vec<Label> =
                self.items.iter().filter(is_new).map(|item| item.source.label.clone()).collect();
            if new.is_empty() {
                return asked;
            }
            asked.extend(new);
        }
    }

    /// The conditional entries that a document of others matches, if it was chosen.
    fn met_conditions(&self, world: &World) -> BTreeSet<EntryId> {
        let root = world.at_root();
        let tree = Tree::around(world);
        let is_chosen = |item: &&Item| {
            let matters = || item.relevance().is_none_or(|relevance| relevance.matching().next().is_some());
            let is_question = self.request.looked_through.is_some() && !self.words.are_vague;
            item.candidate().is_some() && (!is_question || item.priority > Priority::Stored || matters())
        };
        let is_of_others = |item: &&Item| {
            let ids = &item.source.selected_by.entries;
            !ids.iter().any(|id| has_condition(&self.request.entries[id.0]))
        };
        let path = |item: &Item| match item.source.place() {
            Some(place) => Some(place.path()),
            // A change in git is labelled with its entry, then its file.
            None => item.source.selected_by.entries.iter().find_map(|id| {
                let file = item.source.label.as_str().strip_prefix(&self.request.entries[id.0].entry.path)?;
                Some(root.cwd.join(file.strip_prefix(' ')?))
            }),
        };
        let chosen: Vec<PathBuf> =
            self.items.iter().filter(is_chosen).filter(is_of_others).filter_map(path).collect();
        let is_met = |id: &EntryId| {
            let when = &self.request.entries[id.0].entry.attributes.when;
            let filter = Filter::new(when, &root).ok().filter(|filter| !filter.is_empty());
            filter.is_some_and(|filter| chosen.iter().any(|path| filter.matches(path, tree.root())))
        };
        (0..self.request.entries.len()).map(EntryId).filter(is_met).collect()
    }

    /// Adds as much of what waits as there is room for now.
    pub(super) fn add_conditional(
        &mut self,
        waiting: Waiting,
        threads: usize,
        session: &Session<'_>,
    ) -> Result<(), PlanError> {
        if waiting.competing.is_empty() && waiting.taken.is_empty() {
            return Ok(());
        }
        let used = self.block.as_ref().map_or(u64::MAX, |printed| printed.tokens);
        let beside = self.request.measure.ceiling.filter(|_| self.request.measure.is_default_budget);
        let most = beside.or(self.limit).unwrap_or(u64::MAX);
        let room = most.saturating_sub(used).min(MOST_TOKENS);
        let before = self.printed_whole_or_in_part();
        let mut left = room;
        let added = self.put_in(waiting, &mut left, session)?;
        if added.is_empty() {
            return Ok(());
        }
        let limit = self.limit;
        self.limit = limit.map(|limit| limit.max(used.saturating_add(room - left)));
        self.fit_reading(threads, session)?;
        let after = self.printed_whole_or_in_part();
        let is_as_before =
            |(label, is_whole): (&Label, &bool)| after.get(label).is_some_and(|now| now >= is_whole);
        if self.block.is_err() || !before.iter().all(is_as_before) {
            self.limit = limit;
            self.take_back(added);
            self.fit_reading(threads, session)?;
        }
        Ok(())
    }

    /// Puts in what fits in the room that is left, and takes it from that.
    fn put_in(
        &mut self,
        waiting: Waiting,
        left: &mut u64,
        session: &Session<'_>,
    ) -> Result<Vec<Added>, PlanError> {
        let counter = self.request.measure.counter;
        let is_partly = |item: &Item| !matches!(item.fate, Fate::Included { .. });
        let of_label = |label: Label| {
            let place = self.items.iter().position(|item| item.source.label == label && is_partly(item))?;
            Some((place, self.items[place].source.clone()))
        };
        let competing: Vec<(usize, Source)> = waiting.competing.into_iter().filter_map(of_label).collect();
        let first_taken = competing.len();
        let (places, sources): (Vec<usize>, Vec<Source>) = competing.into_iter().chain(waiting.taken).unzip();
        let mut added = Vec::new();
        for (number, (place, item)) in places.into_iter().zip(session.read_whole(sources)?).enumerate() {
            let Some(document) = &item.document else { continue };
            let label = counter.tokens(item.source.label.as_str());
            let tokens = counter.tokens_of(&document.measure) + label + AROUND;
            let mut item = Item { priority: Priority::Pinned, ..item };
            let fits = tokens <= *left;
            if fits {
                *left -= tokens;
            }
            if number < first_taken {
                if fits {
                    std::mem::swap(&mut self.items[place], &mut item);
                    added.push(Added { place, replaced: Some(item) });
                }
            } else if fits {
                let place = place.min(self.items.len());
                self.items.insert(place, item);
                added.push(Added { place, replaced: None });
            } else {
                self.leave_without_room(item);
            }
        }
        Ok(added)
    }

    /// Undoes what was put in.
    fn take_back(&mut self, added: Vec<Added>) {
        for Added { place, replaced } in added.into_iter().rev() {
            match replaced {
                Some(item) => self.items[place] = item,
                None => {
                    let item = self.items.remove(place);
                    self.leave_without_room(item);
                }
            }
        }
    }

    fn leave_without_room(&mut self, item: Item) {
        self.without_room.push(item.source.label.to_string());
        self.passed_over.push((item.source, ReasonCode::OverBudget));
    }

    /// The labels of all printed documents, each with whether it is printed whole.
    fn printed_whole_or_in_part(&self) -> BTreeMap<Label, bool> {
        let is_whole = |item: &Item| matches!(item.fate, Fate::Included { .. });
        self.printed().map(|(item, _)| (item.source.label.clone(), is_whole(item))).collect()
    }
}

fn has_condition(scoped: &ScopedEntry) -> bool {
    !scoped.entry.attributes.when.is_empty()
}
