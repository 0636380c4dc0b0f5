//! The rules word for word: every decision lays the whole block out and counts it anew.

use std::collections::BTreeSet;

use super::super::{Candidate, Layout, Priority};
use crate::format::{Hazards, Id, LabelNumbers, PrintedDocument};
use crate::models::Counter;

/// The block of the candidates in `kept`, made the slow way: everything scanned and laid out anew.
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
    layout.frame(id).segments(documents.clone(), None).collect()
}

/// What the rule `largest` says, word for word; `None` where nothing or only part of the pinned fits.
pub(super) fn naive_fit(
    candidates: &[Candidate<'_>],
    layout: &Layout<'_>,
    counter: Counter,
    limit: u64,
) -> Option<BTreeSet<usize>> {
    let over = |kept: &BTreeSet<usize>| counter.tokens(&naive_block(candidates, layout, kept)) > limit;
    let mut kept: BTreeSet<usize> = (0..candidates.len()).collect();
    while over(&kept) {
        let unpinned = kept.iter().copied().filter(|place| candidates[*place].priority != Priority::Pinned);
        kept.remove(&unpinned.max_by_key(|place| (counter.tokens(candidates[*place].text), *place))?);
    }
    (!kept.is_empty() || candidates.is_empty()).then_some(kept)
}
