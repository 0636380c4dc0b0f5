//! The order in which people are shown the passages for words.

use std::collections::HashSet;

use ctx_core::plan::{Hit, Plan};

/// Words in a row that are in more passages say nothing about any of them.
const MOST_EXACT: usize = 3;

/// How many passages are compared with better ones, at least.
const MOST_COMPARED: usize = 30;

/// The passages for words, best first; but those that have the words in a row come before all others, and those that only
/// repeat lines of better ones come last.
pub(super) fn of_words<'p>(plan: &'p Plan, words: &str, most: usize) -> Vec<Hit<'p>> {
    let mut ranked = plan.hits(most.max(MOST_COMPARED));
    let has_several = words.split_whitespace().nth(1).is_some() && !words.contains('\n');
    let exact = if has_several { plan.hits_with(words) } else { Vec::new() };
    if exact.len() <= MOST_EXACT {
        for hit in exact.into_iter().rev() {
            let is_same = |other: &Hit<'_>| (other.label, other.lines) == (hit.label, hit.lines);
            let known = ranked.iter().position(is_same).map(|place| ranked.remove(place));
            ranked.insert(0, known.unwrap_or(hit));
        }
    }
    let mut seen = HashSet::new();
    let mut has_new_line = |hit: &Hit<'p>| {
        let lines = hit.text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.filter(|line| seen.insert(*line)).count() > 0
    };
    let (mut shown, repeated): (Vec<_>, Vec<_>) = ranked.into_iter().partition(|hit| has_new_line(hit));
    shown.extend(repeated);
    shown
}
