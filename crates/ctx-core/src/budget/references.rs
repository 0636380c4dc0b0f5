//! Documents that the prompt refers to: they come after what is pinned or named, and before all others.

use std::collections::BTreeSet;

use super::Priority;
use super::fitting::Fitting;

/// Which of the references are kept: everything that come first, up to half the limit, or to what the others leave
/// over if that is more.
pub(super) fn kept(fitting: &Fitting<'_>) -> BTreeSet<usize> {
    let is_reference = |place: &usize| fitting.candidates[*place].priority == Priority::Referenced;
    let others = (0..fitting.candidates.len()).filter(|place| !is_reference(place));
    let left_over = fitting.limit.saturating_sub(fitting.draft(others).tokens());
    let room = left_over.max(fitting.limit / 2);
    let mut references: Vec<usize> = (0..fitting.candidates.len()).filter(is_reference).collect();
    let mut tokens: u64 = references.iter().map(|place| fitting.tokens(*place)).sum();
    let mut draft = fitting.draft(fitting.kept().chain(references.iter().copied()));
    while let Some(last) = references.last().copied() {
        if tokens <= room && draft.tokens() <= fitting.limit {
            break;
        }
        tokens -= fitting.tokens(last);
        draft.remove(last);
        references.pop();
    }
    references.into_iter().collect()
}
