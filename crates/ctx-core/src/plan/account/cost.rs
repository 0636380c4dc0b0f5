//! What the files come to that an entry matches.

use std::collections::BTreeMap;

use super::{Item, Plan, Reading};
use crate::account::Tally;
use crate::report::Unread;

/// What the files come to that an entry matches.
#[derive(Debug, Clone, Default)]
pub(super) struct Cost {
    pub(super) tokens: u64,
    /// How many documents it brings, imports included.
    pub(super) documents: usize,
    /// The place of the first of them.
    pub(super) first: Option<usize>,
    unread: BTreeMap<Unread, usize>,
}

impl Cost {
    fn add(&mut self, plan: &Plan, item: &Item) {
        match &item.reading {
            Reading::Document(document) => {
                self.tokens += plan.request.measure.counter.tokens_of(&document.measure);
            }
            // What a file refers to is no file of the entry's.
            Reading::Skipped(_) if item.source.imported_by.is_some() => {}
            Reading::Skipped(reason) => {
                reason.code.unread().into_iter().for_each(|unread| self.count(unread));
            }
            Reading::Known(_) | Reading::Dropped { .. } | Reading::Listed { .. } => {}
        }
    }

    pub(super) fn unread(&self) -> Vec<Tally> {
        self.unread.iter().map(|(kind, count)| Tally { kind: kind.to_string(), count: *count }).collect()
    }

    fn count(&mut self, unread: Unread) {
        *self.unread.entry(unread).or_default() += 1;
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
        costs[id.0].count(Unread::Binary);
    }
    costs
}
