//! What became of each entry, once its documents were read.

use std::collections::BTreeMap;

use super::{Item, Plan};
use crate::account::Tally;
use crate::entry::Kind;
use crate::report::{Reason, Unread};
use crate::select::{EntryFate, EntryKind, EntryReport};
use crate::source::command::CommandReport;
use crate::words::quoted;

/// What the documents of an entry come to.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryDocuments {
    pub(super) tokens: u64,
    /// How many there are, imports included.
    count: usize,
    /// The place of the first of them.
    first: Option<usize>,
    unread: BTreeMap<Unread, usize>,
}

impl EntryDocuments {
    /// By the indices of the entries.
    pub(super) fn of(plan: &Plan) -> Vec<Self> {
        let mut all = vec![Self::default(); plan.request.entries.len()];
        for (place, item) in plan.items.iter().enumerate() {
            for id in &item.source.selected_by.entries {
                all[id.0].add(plan, place, item);
            }
        }
        for id in plan.binary.iter().flat_map(|selected_by| &selected_by.entries) {
            *all[id.0].unread.entry(Unread::Binary).or_default() += 1;
        }
        all
    }

    fn add(&mut self, plan: &Plan, place: usize, item: &Item) {
        self.count += 1;
        self.first.get_or_insert(place);
        if let Some(document) = &item.document {
            self.tokens += plan.request.measure.counter.tokens_of(&document.measure);
        }
        // What a file refers to is no file of the entry's.
        let skipped = item.skipped().filter(|_| item.source.imported_by.is_none());
        if let Some(unread) = skipped.and_then(|reason| reason.code.unread()) {
            *self.unread.entry(unread).or_default() += 1;
        }
    }

    pub(super) fn unread(&self) -> Vec<Tally> {
        self.unread.iter().map(|(kind, count)| Tally { kind: kind.to_string(), count: *count }).collect()
    }

    /// What became of an entry that brings these documents.
    fn fate(&self, plan: &Plan, report: &EntryReport) -> EntryFate {
        let first = self.first.map(|first| &plan.items[first]);
        if let Some(reason) =
            first.filter(|_| self.count == 1).and_then(|item| self.failed(plan, report, item))
        {
            return EntryFate::Failed(reason.clone());
        }
        let is_search = matches!(report.kind, EntryKind::Pattern | EntryKind::Directory);
        if is_search && self.unread.values().sum::<usize>() == report.matches {
            return EntryFate::Unreadable(self.unread.clone());
        }
        match first.and_then(|item| item.source.command) {
            Some(CommandReport { exit: Some(_), .. }) => EntryFate::EndedOtherwise,
            Some(CommandReport { cached: true, .. }) => EntryFate::Cached,
            Some(_) | None => EntryFate::Brings,
        }
    }

    /// Why an entry that names one document has no text at all, unless what it has is counted as unread.
    fn failed<'i>(&self, plan: &Plan, report: &EntryReport, item: &'i Item) -> Option<&'i Reason> {
        let entry = &plan.request.entries[report.id.0].entry;
        let names_it = match report.kind {
            EntryKind::Literal => self.unread.is_empty(),
            // A changed file of git's is one of several, if only by chance.
            EntryKind::Text => entry.kind() != Kind::Git || item.source.label.as_str() == entry.path,
            EntryKind::Directory | EntryKind::Pattern | EntryKind::Up | EntryKind::Exclusion => false,
        };
        item.skipped().filter(|reason| names_it && !reason.code.is_unchosen())
    }

    /// The first document, if none of what an `up:` entry comes upon may be read, and why.
    fn refused(&self, plan: &Plan) -> Option<EntryFate> {
        let item = &plan.items[self.first?];
        let reason = item.skipped()?;
        Some(EntryFate::Refused(format!("{}: {}", quoted(item.source.label.as_str()), reason.text)))
    }
}

impl Plan {
    /// Says of each entry that selects something what its documents came to.
    pub(super) fn settle_entries(&mut self) {
        let documents = EntryDocuments::of(self);
        let fate = |report: &EntryReport| match &report.fate {
            EntryFate::Brings => Some(documents[report.id.0].fate(self, report)),
            EntryFate::Nothing(_) => documents[report.id.0].refused(self),
            EntryFate::Off
            | EntryFate::OtherTags
            | EntryFate::Missing
            | EntryFate::Invalid(_)
            | EntryFate::ExcludesNothing(_)
            | EntryFate::Excludes(_)
            | EntryFate::Refused(_)
            | EntryFate::Unreadable(_)
            | EntryFate::Failed(_)
            | EntryFate::EndedOtherwise
            | EntryFate::Cached => None,
        };
        let fates: Vec<Option<EntryFate>> = self.reports.iter().map(fate).collect();
        for (report, fate) in self.reports.iter_mut().zip(fates) {
            report.fate = fate.unwrap_or_else(|| report.fate.clone());
        }
    }
}
