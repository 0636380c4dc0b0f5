//! The steps that show more and more of the documents, and their order.

use std::cmp::Reverse;

use super::{Candidate, Passages, Priority, Showing};
use crate::models::Counter;

/// The outline of a document is ranked like passages with this share of the document's score, in percent.
const OUTLINE_SHARE: i64 = 70;

/// The rest of a document is ranked like passages with this share of its score, in percent.
const REST_SHARE: i64 = 20;

/// The rest of a document of more passages than this is ranked lower, in proportion: whole small documents are worth more
/// than more of a large one.
const LONG: usize = 20;

/// The rest of a document of more passages than this comes after all other documents.
const HUGE: usize = 10 * LONG;

/// How many of a document's passages count in full, best first. The n-th one after these counts
/// [`HALF_AFTER`] / ([`HALF_AFTER`] + n) of its score, so that one long document doesn't displace all others.
const IN_FULL: usize = 10;
const HALF_AFTER: i64 = 20;

/// A step that shows more of a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PassageStep {
    /// The score that it is ranked by.
    pub(super) score: i64,
    pub(super) place: usize,
    pub(super) part: usize,
    pub(super) shown: ShownPassage,
    /// The approximate number of units it adds.
    pub(super) units: u64,
    /// Whether it only fills the remaining room.
    pub(super) fills: bool,
}

/// How much of a passage is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ShownPassage {
    Outline,
    Whole,
}

/// All steps, most important first. Only the examined ones are sorted, since most don't fit.
pub(super) struct Steps {
    steps: Vec<PassageStep>,
    /// How many steps are sorted so far.
    ordered: usize,
    /// The steps that come after all others: overlong ones, and documents without passages.
    last: Vec<PassageStep>,
    /// How many steps have to be included; these come first.
    guaranteed: usize,
}

/// How many steps are sorted at first.
const FIRST_ORDERED: usize = 1_024;

impl Steps {
    /// The steps of the candidates with at most this priority. For a document named on the command line, the
    /// best passage comes before everything else, so that some of each such document is shown. A document
    /// that does not matter has no other steps, unless none does.
    pub(super) fn of(candidates: &[Candidate<'_>], class: Priority, counter: Counter) -> Self {
        let (mut steps, mut last, mut guaranteed) = (Vec::new(), Vec::new(), 0);
        let mut push = |step: PassageStep| if step.score > 0 { steps.push(step) } else { last.push(step) };
        let others = || candidates.iter().enumerate().filter(|(_, one)| one.priority <= class);
        // Those that stay whole count as well: what is on a list may be all that matters.
        let is_ranked = |one: &Candidate<'_>| one.priority <= class || one.passages.is_some();
        let all_matter = !candidates.iter().any(|one| is_ranked(one) && one.matters());
        for (place, candidate) in others() {
            let whole = || PassageStep {
                score: 0,
                place,
                part: 0,
                shown: ShownPassage::Whole,
                units: candidate.measure.tokens,
                fills: false,
            };
            let mut best: Option<PassageStep> = None;
            let matters = all_matter || candidate.matters();
            let mut visit = |step: PassageStep| {
                let key = |step: &PassageStep| (step.score, step.shown, Reverse(step.part));
                best = best.into_iter().chain([step]).max_by_key(key);
                if matters {
                    push(step);
                }
            };
            match candidate.some_passages() {
                Some(passages) => each_step(counter, place, passages, &mut visit),
                None => visit(whole()),
            }
            if candidate.priority.is_kept() {
                guaranteed += 1;
                push(PassageStep { score: i64::MAX, ..best.unwrap_or_else(whole) });
            }
        }
        Self { steps, ordered: 0, last, guaranteed }
    }

    fn order_more(&mut self) {
        if self.ordered == self.steps.len() {
            self.steps.append(&mut self.last);
        }
        let key = |step: &PassageStep| (Reverse(step.score), step.shown, step.place, step.part);
        let more = self.ordered.max(FIRST_ORDERED).min(self.steps.len() - self.ordered);
        let rest = &mut self.steps[self.ordered..];
        if more < rest.len() {
            rest.select_nth_unstable_by_key(more, key);
        }
        rest[..more].sort_unstable_by_key(key);
        self.ordered += more;
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len() + self.last.len()
    }

    /// The steps that have to be included.
    pub(super) fn guaranteed(&mut self) -> &[PassageStep] {
        self.first(self.guaranteed)
    }

    /// The first `count` steps.
    pub(super) fn first(&mut self, count: usize) -> &[PassageStep] {
        let count = count.min(self.len());
        while self.ordered < count {
            self.order_more();
        }
        &self.steps[..count]
    }

    /// The steps to examine: the first ones, up to about `view` percent of `most_units`.
    pub(super) fn in_view(&mut self, most_units: u64, view: u64) -> &[PassageStep] {
        let most = most_units.saturating_mul(view) / 100;
        let (mut sum, mut count) = (0_u64, 0);
        while sum <= most && count < self.len() {
            count += 1;
            let step = self.first(count)[count - 1];
            sum = sum.saturating_add(step.units);
        }
        self.first(count)
    }

    /// Removes the first `count` steps.
    pub(super) fn forget(&mut self, count: usize) {
        self.steps.drain(..count);
        self.ordered -= count;
    }
}

fn each_step(counter: Counter, place: usize, passages: Passages<'_>, visit: &mut impl FnMut(PassageStep)) {
    let step = |part: usize, score, shown, bytes: u32| {
        let score = if passages.parts[part].is_overlong() { i64::MIN } else { score };
        let units = counter.usual_units(u64::from(bytes));
        PassageStep { score, place, part, shown, units, fills: false }
    };
    if passages.showing == Showing::Chosen {
        let chosen = passages.parts.iter().enumerate().filter(|(_, part)| part.score > 0);
        return chosen.for_each(|(part, one)| visit(step(part, one.score, ShownPassage::Whole, one.bytes)));
    }
    let scores = diminished(&passages);
    let best = scores.iter().copied().max().unwrap_or(0);
    for (part, (one, score)) in passages.parts.iter().zip(scores).enumerate() {
        let score = score.max(rest_score(best, passages.parts.len()));
        if let Some(outlined) = one.outlined.filter(|_| passages.showing != Showing::Passages) {
            visit(step(part, score.max(best * OUTLINE_SHARE / 100), ShownPassage::Outline, outlined));
        }
        if passages.showing != Showing::Outline {
            visit(step(part, score, ShownPassage::Whole, one.bytes));
        }
    }
}

/// The score of the rest of a document with this best score and this many passages.
fn rest_score(best: i64, count: usize) -> i64 {
    if count > HUGE {
        return best.min(1);
    }
    best * REST_SHARE * (LONG as i64) / (100 * count.max(LONG) as i64)
}

/// The scores of the passages, reduced for those after the first [`IN_FULL`].
fn diminished(passages: &Passages<'_>) -> Vec<i64> {
    let mut scores: Vec<i64> = passages.parts.iter().map(|part| part.score).collect();
    if scores.len() > IN_FULL {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by_key(|part| (Reverse(scores[*part]), *part));
        let is_positive = |part: &usize| passages.parts[*part].score > 0;
        for (part, after) in order.into_iter().take_while(is_positive).skip(IN_FULL).zip(1..) {
            scores[part] = scores[part] * HALF_AFTER / (HALF_AFTER + after);
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::ScoredLines;
    use crate::guard::CleanText;
    use ctx_outline::Lines;

    #[test]
    fn passages_after_the_best_ten_count_less_and_less() {
        let part =
            |score: i64| ScoredLines { score, lines: Lines { first: 1, last: 1 }, bytes: 1, outlined: None };
        let mut parts = vec![part(100); 12];
        parts.insert(3, part(50));
        parts.insert(5, part(-40));
        let passages = Passages {
            text: CleanText::EMPTY,
            before: 0,
            is_labelled: false,
            parts: &parts,
            outline: None,
            declared: &[],
            showing: Showing::Passages,
        };
        let full = [100; 10];
        let expected = [&full[..3], &[43], &full[..1], &[-40], &full[..6], &[95, 90]].concat();
        assert_eq!(diminished(&passages), expected);
    }
}
