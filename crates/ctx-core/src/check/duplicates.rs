//! What is named more than once.

use std::collections::BTreeMap;

use super::{Finding, Group};
use crate::entry::{Scope, ScopedEntry};
use crate::plan::Plan;
use crate::select::{EntryId, EntryReport};
use crate::store::first_places;
use crate::words::counted;

/// Entries that are in a list twice, and those of different spelling that match the same files. What the global list
/// has as well does no harm.
pub(super) fn duplicates(plan: &Plan) -> Vec<Finding> {
    let asked = plan.entries().filter(|(_, report)| report.is_used());
    let asked: Vec<ScopedEntry> = asked.map(|(scoped, _)| scoped.clone()).collect();
    let mut findings = repeated(&asked);
    findings.extend(named_twice(plan));
    findings
}

/// Entries that are in a list twice.
fn repeated(entries: &[ScopedEntry]) -> Vec<Finding> {
    let places = first_places(entries.iter().map(|scoped| &scoped.entry));
    let again = places.iter().enumerate().filter(|(place, first)| place != *first);
    again
        .map(|(place, first)| (&entries[place], &entries[*first]))
        .filter(|(scoped, first)| first.scope != Scope::Global || scoped.scope == Scope::Global)
        .map(|(scoped, first)| {
            let text = if first.entry.name() == scoped.entry.name() {
                "is in the list twice".to_owned()
            } else {
                format!("is in the list twice, also as '{}'", first.entry.name())
            };
            let finding = Finding::new(Group::Duplicates, "repeated", scoped.entry.name(), text);
            Finding { scope: Some(scoped.scope), ..finding }
        })
        .collect()
}

/// Entries of different spelling that match exactly the same files, with the same attributes.
fn named_twice(plan: &Plan) -> Vec<Finding> {
    let entries = &plan.request().entries;
    let places = first_places(entries.iter().map(|scoped| &scoped.entry));
    let mut files: Vec<Vec<usize>> = vec![Vec::new(); entries.len()];
    for (file, item) in plan.items().iter().enumerate() {
        for id in &item.source.selected_by.entries {
            files[id.0].push(file);
        }
    }
    let mut first: BTreeMap<&[usize], EntryId> = BTreeMap::new();
    let mut findings = Vec::new();
    for (scoped, report) in plan.entries() {
        let EntryReport { id, matches, .. } = report;
        let matched = files[id.0].as_slice();
        let is_filtered = matched.len() != *matches;
        if !report.is_used() || is_filtered || matched.is_empty() || places[id.0] != id.0 {
            continue;
        }
        let known = *first.entry(matched).or_insert(*id);
        let before = &entries[known.0].entry;
        let is_of_both = entries[known.0].scope == Scope::Global && scoped.scope != Scope::Global;
        if known != *id && !is_of_both && before.attributes == scoped.entry.attributes {
            let count = if matched.len() == 1 { "file".to_owned() } else { counted(matched.len(), "file") };
            let text = format!("matches the same {count} as '{}'", before.name());
            let finding = Finding::new(Group::Duplicates, "same-files", scoped.entry.name(), text);
            findings.push(Finding { scope: Some(scoped.scope), ..finding });
        }
    }
    findings
}
