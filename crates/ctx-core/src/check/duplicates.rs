//! What is named more than once.

use super::{Finding, Group};
use crate::entry::{Scope, ScopedEntry};
use crate::plan::Plan;
use crate::select::{EntryId, EntryKind};
use crate::store::first_places;

/// Entries that stand twice in a list or in both lists, and files that several literal entries name.
pub(super) fn duplicates(plan: &Plan) -> Vec<Finding> {
    let places = first_places(plan.entries().map(|(scoped, _)| scoped.entry.path.as_str()));
    let mut findings = repeated(&plan.request().entries);
    findings.extend(named_twice(plan, &places));
    findings
}

/// Entries that stand twice in a list or in both lists.
pub(super) fn repeated(entries: &[ScopedEntry]) -> Vec<Finding> {
    let places = first_places(entries.iter().map(|scoped| scoped.entry.path.as_str()));
    let again = places.iter().enumerate().filter(|(place, first)| place != *first);
    again
        .map(|(place, first)| {
            let (scoped, first) = (&entries[place], &entries[*first]);
            let (code, text) = match (first.scope, scoped.scope) {
                (Scope::Global, Scope::Profile | Scope::Session) => {
                    ("in-both-lists", "is in the global list as well".to_owned())
                }
                (Scope::Global | Scope::Profile | Scope::Session, _)
                    if first.entry.path == scoped.entry.path =>
                {
                    ("repeated", "is in the list twice".to_owned())
                }
                (Scope::Global | Scope::Profile | Scope::Session, _) => {
                    ("repeated", format!("is in the list twice, also as '{}'", first.entry.path))
                }
            };
            let subject = scoped.entry.path.clone();
            Finding {
                group: Group::Duplicates,
                code,
                subject,
                scope: Some(scoped.scope),
                profile: None,
                text,
            }
        })
        .collect()
}

/// Files that entries of different spelling name.
fn named_twice(plan: &Plan, places: &[usize]) -> Vec<Finding> {
    let literal: Vec<bool> = plan
        .entries()
        .zip(places)
        .enumerate()
        .map(|(place, ((_, report), first))| report.kind == EntryKind::Literal && place == *first)
        .collect();
    let text = |id: &EntryId| format!("'{}'", plan.request().entries[id.0].entry.path);
    plan.items()
        .iter()
        .map(|item| &item.source)
        .filter_map(|source| {
            let ids = source.brought.entries.iter().filter(|id| literal[id.0]);
            let names: Vec<String> = ids.map(text).collect();
            (names.len() > 1).then(|| Finding {
                group: Group::Duplicates,
                code: "same-file",
                subject: source.label.to_string(),
                scope: None,
                profile: None,
                text: format!("is one file that several entries name: {}", names.join(", ")),
            })
        })
        .collect()
}
