//! What happened to each entry after its documents were read, and where entries that match nothing here would
//! match.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::{Item, Plan};
use crate::account::Tally;
use crate::command::CommandReport;
use crate::entry::pattern::has_wildcards;
use crate::entry::{Author, Kind, ScopedEntry};
use crate::fs::alike::{alike, difference};
use crate::fs::{Notation, with_tilde};
use crate::git::{OUTSIDE_SPARSE_CHECKOUT, is_outside_sparse_checkout};
use crate::report::{Reason, Unread};
use crate::select::{EntryFate, EntryId, EntryKind, EntryReport, path_of};
use crate::tree::Tree;
use crate::words::quoted;
use crate::world::World;

/// The documents of an entry.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryDocuments {
    pub(super) tokens: u64,
    /// How many there are, including imports.
    count: usize,
    /// The index of the first one.
    first: Option<usize>,
    unread: BTreeMap<Unread, usize>,
}

impl EntryDocuments {
    /// The documents of every entry, by its index.
    pub(super) fn of(plan: &Plan) -> Vec<Self> {
        let mut all = vec![Self::default(); plan.request.entries.len()];
        for (place, item) in plan.items.iter().enumerate() {
            for id in &item.source.selected_by.entries {
                all[id.0].add(plan, place, item);
            }
        }
        for (source, code) in &plan.passed_over {
            let Some(unread) = code.unread() else { continue };
            for id in &source.selected_by.entries {
                *all[id.0].unread.entry(unread).or_default() += 1;
            }
        }
        all
    }

    fn add(&mut self, plan: &Plan, place: usize, item: &Item) {
        self.count += 1;
        self.first.get_or_insert(place);
        self.tokens += item.tokens(plan.request.measure.counter);
        // An imported file does not belong to the entry.
        let skipped = item.skipped().filter(|_| item.source.imported_by.is_none());
        if let Some(unread) = skipped.and_then(|reason| reason.code.unread()) {
            *self.unread.entry(unread).or_default() += 1;
        }
    }

    pub(super) fn unread(&self) -> Vec<Tally> {
        self.unread.iter().map(|(kind, count)| Tally { kind: kind.to_string(), count: *count }).collect()
    }

    /// The fate of an entry with these documents.
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
        match first.and_then(|item| item.source.command.as_deref()) {
            Some(CommandReport { exit: Some(_), .. }) => EntryFate::EndedOtherwise,
            Some(CommandReport { cached: true, .. }) => EntryFate::Cached,
            Some(_) | None => EntryFate::Brings,
        }
    }

    /// Why an entry that names one document has no text, unless its file is already counted as unread.
    fn failed<'i>(&self, plan: &Plan, report: &EntryReport, item: &'i Item) -> Option<&'i Reason> {
        let entry = &plan.request.entries[report.id.0].entry;
        let names_it = match report.kind {
            EntryKind::Literal => self.unread.is_empty(),
            // A changed file from git is one of several, even if there happens to be only one.
            EntryKind::Text => entry.kind() != Kind::Git || item.source.label.as_str() == entry.path,
            EntryKind::Directory | EntryKind::Pattern | EntryKind::Up | EntryKind::Exclusion => false,
        };
        item.skipped().filter(|reason| names_it && !reason.code.is_unchosen())
    }

    /// If an `up:` entry finds only files that may not be read, the first one and the reason.
    fn refused(&self, plan: &Plan) -> Option<EntryFate> {
        let item = &plan.items[self.first?];
        let reason = item.skipped()?;
        Some(EntryFate::Refused(format!("{}: {}", quoted(item.source.label.as_str()), reason.text)))
    }
}

impl Plan {
    /// Sets the fate of each entry that selects something, from its documents.
    pub(super) fn settle_entries(&mut self) {
        let documents = EntryDocuments::of(self);
        let fate = |report: &EntryReport| {
            let documents = &documents[report.id.0];
            match report.fate {
                EntryFate::Brings => Some(documents.fate(self, report)),
                EntryFate::Nothing(_) => documents.refused(self),
                // The fates of the others are already known.
                EntryFate::Off
                | EntryFate::OtherTags
                | EntryFate::Missing
                | EntryFate::Invalid(_)
                | EntryFate::ExcludesNothing(_)
                | EntryFate::Excludes(_)
                | EntryFate::ExcludesFromQuestions(_)
                | EntryFate::Refused(_)
                | EntryFate::Unreadable(_)
                | EntryFate::Failed(_)
                | EntryFate::EndedOtherwise
                | EntryFate::Cached => None,
            }
        };
        let fates: Vec<Option<EntryFate>> = self.reports.iter().map(fate).collect();
        for (report, fate) in self.reports.iter_mut().zip(fates) {
            report.fate = fate.unwrap_or_else(|| report.fate.clone());
        }
    }
}

/// How many directories above the work root are examined.
const MOST_ABOVE: usize = 32;

/// The nearest repository or project above the work root, but below the home directory, in which the
/// beginning of a relative entry exists. Only entries on the user's lists that match nothing here are
/// considered.
pub(super) fn fitting_root(
    entries: &[ScopedEntry],
    reports: &[EntryReport],
    world: &World,
) -> Option<String> {
    let scoped = reports.iter().filter(|report| report.fate.is_absent()).map(|report| &entries[report.id.0]);
    let beginnings: Vec<String> = scoped
        .filter(|scoped| scoped.author == Author::User && !scoped.is_built_in())
        .filter_map(beginning)
        .collect();
    if beginnings.is_empty() {
        return None;
    }
    let is_home = |directory: &&Path| world.home.as_deref().is_some_and(|home| home.starts_with(directory));
    let is_root = |directory: &&Path| directory.join(".git").exists() || directory.join(".ctx").is_dir();
    let around = world.root.ancestors().skip(1).take(MOST_ABOVE).take_while(|directory| !is_home(directory));
    let fits = |root: &&Path| beginnings.iter().any(|path| root.join(path).exists());
    let root = around.filter(is_root).find(fits)?;
    Some(with_tilde(&Notation::HERE.shown(root), world.home.as_deref()))
}

/// In how many directories names that look the same are looked for.
const MOST_DIRECTORIES: usize = 20;

/// How a file differs whose name looks the same as that of a listed path that is not found, or why that is not here.
pub(super) fn why_missing(
    entries: &[ScopedEntry],
    reports: &[EntryReport],
    world: &World,
) -> HashMap<EntryId, String> {
    let is_listed = |report: &&EntryReport| entries[report.id.0].author == Author::List;
    let missing = reports.iter().filter(is_listed).filter(|report| report.fate == EntryFate::Missing);
    let of = |report: &EntryReport| {
        let path = path_of(&entries[report.id.0].entry.path, world).ok()?;
        let real = alike(&path).filter(|real| Tree::around(world).contains(real));
        let how = real.and_then(|real| difference(path.to_str()?, real.to_str()?));
        let is_outside = || is_outside_sparse_checkout(&path, world);
        Some((report.id, how.or_else(|| is_outside().then(|| OUTSIDE_SPARSE_CHECKOUT.to_owned()))?))
    };
    missing.take(MOST_DIRECTORIES).filter_map(of).collect()
}

/// The part of a relative path before its first wildcard.
fn beginning(scoped: &ScopedEntry) -> Option<String> {
    let path = scoped.entry.path.as_str();
    let is_relative = scoped.entry.kind() == Kind::Path && !path.starts_with('~');
    if !is_relative || !Notation::HERE.root(path).is_empty() {
        return None;
    }
    let names: Vec<&str> = path.split('/').take_while(|name| !has_wildcards(name)).collect();
    Some(names.join("/")).filter(|beginning| !beginning.is_empty())
}
