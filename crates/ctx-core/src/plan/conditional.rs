//! Entries that are used only if another document matches a pattern, such as rules for one part of a repository.
//!
//! Whether they are is decided by what was chosen, before it is fitted. What they bring is fitted last, into what is left,
//! and displaces nothing.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::{Item, Plan, PlanError, Purpose};
use crate::budget::Priority;
use crate::document::Session;
use crate::entry::ScopedEntry;
use crate::fs::Tree;
use crate::report::ReasonCode;
use crate::select::filter::Filter;
use crate::select::{EntryId, Label};
use crate::source::Source;
use crate::world::World;

/// The most tokens that all of them may use.
const MOST_TOKENS: u64 = 2_000;

/// The tokens around a document, at most.
const AROUND: u64 = 8;

/// What waits until everything else is fitted, each with its index among the items.
pub(super) struct Waiting(Vec<(usize, Source)>);

impl Plan {
    /// Takes out what conditional entries bring. What only they bring and no document asks for is left out.
    pub(super) fn take_out_conditional(&mut self, world: &World) -> Waiting {
        let mut waiting = Vec::new();
        // A search prints no rules; it only finds them.
        let is_search = self.request.purpose != Purpose::Block;
        if is_search || self.request.entries.iter().all(|scoped| !has_condition(scoped)) {
            return Waiting(waiting);
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
            } else if is_met && item.skipped().is_none() {
                waiting.push((place, item.source));
            } else if ids.iter().any(|id| scoped(id).is_whole()) {
                kept.push(item);
            } else {
                self.passed_over.push((item.source, ReasonCode::Condition));
            }
        }
        self.items = kept;
        Waiting(waiting)
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
        let Waiting(waiting) = waiting;
        if waiting.is_empty() {
            return Ok(());
        }
        let counter = self.request.measure.counter;
        let used = self.block.as_ref().map_or(u64::MAX, |printed| printed.tokens);
        let beside = self.request.measure.ceiling.filter(|_| self.request.measure.is_default_budget);
        let most = beside.or(self.limit).unwrap_or(u64::MAX);
        let mut room = most.saturating_sub(used).min(MOST_TOKENS);
        let (places, sources): (Vec<usize>, Vec<Source>) = waiting.into_iter().unzip();
        let mut added = 0;
        for (place, mut item) in places.into_iter().zip(session.read_whole(sources)?) {
            let Some(document) = &item.document else { continue };
            let label = counter.tokens(item.source.label.as_str());
            let tokens = counter.tokens_of(&document.measure) + label + AROUND;
            if tokens > room {
                self.without_room.push(item.source.label.to_string());
                self.passed_over.push((item.source, ReasonCode::OverBudget));
                continue;
            }
            room -= tokens;
            added += tokens;
            item.priority = Priority::Pinned;
            self.items.insert(place.min(self.items.len()), item);
        }
        if added > 0 {
            self.limit = self.limit.map(|limit| limit.max(used.saturating_add(added)));
            self.fit_reading(threads, session)?;
        }
        Ok(())
    }
}

fn has_condition(scoped: &ScopedEntry) -> bool {
    !scoped.entry.attributes.when.is_empty()
}
