//! What the files come to that an entry matches.

use super::{Item, Plan, Reading};
use crate::account::Tally;

/// What the files come to that an entry matches.
#[derive(Debug, Clone, Default)]
pub(super) struct Cost {
    pub(super) tokens: u64,
    /// How many documents it brings, imports included.
    pub(super) documents: usize,
    /// The place of the first of them.
    pub(super) first: Option<usize>,
    binary: usize,
    too_large: usize,
    unreadable: usize,
}

impl Cost {
    fn add(&mut self, plan: &Plan, item: &Item) {
        match &item.reading {
            Reading::Document(document) => {
                self.tokens += plan.request.measure.counter.tokens_of(&document.measure);
            }
            // What a file refers to is no file of the entry's.
            Reading::Skipped(_) if item.source.imported_by.is_some() => {}
            Reading::Skipped(reason) => match reason.code {
                "binary" => self.binary += 1,
                "too-large" => self.too_large += 1,
                "permission-denied" | "not-found" | "not-regular" | "changed" | "io-error" => {
                    self.unreadable += 1;
                }
                _ => {}
            },
            Reading::Known(_) | Reading::Dropped { .. } | Reading::Listed { .. } => {}
        }
    }

    pub(super) fn unread(&self) -> Vec<Tally> {
        let kinds = [("binary", self.binary), ("too large", self.too_large), ("unreadable", self.unreadable)];
        let tally = |(kind, count): (&str, usize)| Tally { kind: kind.to_owned(), count };
        kinds.into_iter().filter(|(_, count)| *count > 0).map(tally).collect()
    }
}

/// By the indices of the entries.
pub(super) fn costs(plan: &Plan) -> Vec<Cost> {
    let mut costs = vec![Cost::default(); plan.request.entries.len()];
    for (place, item) in plan.items.iter().enumerate() {
        for id in &item.source.brought.entries {
            costs[id.0].documents += 1;
            costs[id.0].first.get_or_insert(place);
            costs[id.0].add(plan, item);
        }
    }
    for id in plan.binary.iter().flat_map(|brought| &brought.entries) {
        costs[id.0].binary += 1;
    }
    costs
}
