//! The rules, taken literally: every decision lays out the whole block and counts it again.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::super::{Candidate, Layout, Priority};
use crate::format::{Hazards, Id, LabelNumbers, PrintedDocument};
use crate::models::Counter;

/// The block of the candidates in `kept`, made the slow way: everything is scanned and laid out again.
pub(super) fn naive_block(
    candidates: &[Candidate<'_>],
    layout: &Layout<'_>,
    kept: &BTreeSet<usize>,
) -> String {
    let documents: Vec<PrintedDocument<'_>> =
        kept.iter().map(|place| candidates[*place].document()).collect();
    let labels = LabelNumbers::new(documents.iter().map(|document| document.label));
    let collides = |hazards: Hazards| hazards.boundary || !hazards.labels.is_empty();
    let forged = documents.iter().any(|document| {
        collides(Hazards::of(layout.format, document.text, &labels, layout.around.sections()))
    }) || Hazards::of_frame(layout.format, &layout.around, &labels).into_iter().any(collides);
    let around = layout.around.strings();
    let texts = documents.iter().flat_map(|document| [document.text, document.label]);
    let texts = texts.chain(around.iter().map(|text| &**text));
    let id = (layout.format.carries_ids() && (layout.guard || forged)).then(|| Id::absent_from(texts));
    layout.frame(id).segments(documents.clone()).collect()
}

/// The rule `largest` for documents that the prompt does not refer to, taken literally: the least important
/// goes first, and among those, the largest. `None` if nothing fits, or if what is never dropped does not.
pub(super) fn naive_fit(
    candidates: &[Candidate<'_>],
    layout: &Layout<'_>,
    counter: Counter,
    limit: u64,
) -> Option<BTreeSet<usize>> {
    let over = |kept: &BTreeSet<usize>| counter.tokens(&naive_block(candidates, layout, kept)) > limit;
    let mut kept: BTreeSet<usize> = (0..candidates.len()).collect();
    while over(&kept) {
        let others = kept.iter().copied().filter(|place| candidates[*place].priority < Priority::Named);
        let place = others.max_by_key(|place| {
            let Candidate { priority, text, .. } = candidates[*place];
            (Reverse(priority), counter.tokens(text), *place)
        });
        kept.remove(&place?);
    }
    (!kept.is_empty() || candidates.is_empty()).then_some(kept)
}
