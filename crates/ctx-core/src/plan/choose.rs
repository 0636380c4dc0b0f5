//! Chooses the units that answer a question: whole declarations and sections, of the best files most.
//!
//! The value of a unit depends on the score of its file and on its share of that score, so that a good unit of the
//! first file comes before the best unit of the twentieth. Units of little value are left out, however much room
//! there is, and so are those whose text an earlier unit has.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::{Item, Request};
use ctx_search::Score;

/// The part of a unit's value, from 0 to 1, that depends on its file alone.
const BY_FILE: f64 = 0.2;

/// The power of a unit's share of its file's score. Below 1, units that score less count for more.
const SHARE_POWER: f64 = 0.7;

/// How much less a file counts than the one ranked before it, in addition to its lower score.
const NEXT_FILE: f64 = 0.97;

/// The least share of its file's score that a unit has to have.
const LEAST_SHARE: f64 = 0.1;

/// The least share of the best value that a unit has to have.
const LEAST_VALUE: f64 = 0.1;

/// Units of up to this many bytes may have the same text as others.
const MOST_REPEATED: u32 = 120;

/// Roughly the bytes in a token of code.
const BYTES_OF_TOKEN: u64 = 3;

/// Lets a search find units instead of passages.
pub(super) fn find_units(items: &mut [Item]) {
    items.iter_mut().filter_map(Item::relevance_mut).for_each(|one| one.show_units(u64::MAX));
}

/// Chooses among the units of all items if a question looks through them.
pub(super) fn choose(items: &mut [Item], request: &Request) {
    if request.query.is_none() || request.looked_through.is_none() {
        return;
    }
    let room = request.measure.limit.map_or(u64::MAX, |limit| limit.saturating_mul(BYTES_OF_TOKEN));
    let mut chosen: Vec<&mut Item> = items.iter_mut().filter(|item| score(item) > 0.0).collect();
    chosen.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.source.label.cmp(&b.source.label)));
    let least = chosen.first().map_or(0.0, |first| LEAST_VALUE * score(first));
    let mut printed = BTreeSet::new();
    let mut weight = 1.0;
    for item in chosen {
        if let Some(relevance) = item.relevance_mut() {
            relevance.show_units(room);
        }
        choose_of(item, weight, least, &mut printed);
        weight *= NEXT_FILE;
    }
}

fn score(item: &Item) -> f64 {
    item.relevance().map_or(0.0, |relevance| relevance.score.number())
}

/// Chooses among the units of one file. `printed` is what the units chosen so far are recognised by.
fn choose_of(item: &mut Item, weight: f64, least: f64, printed: &mut BTreeSet<u64>) {
    let file = score(item);
    let Some(relevance) = item.relevance_mut() else { return };
    let mut units: Vec<_> = relevance.shown().enumerate().collect();
    if units.is_empty() {
        return;
    }
    units.sort_by_key(|(index, (unit, _))| (Reverse(unit.score), *index));
    let mut values = vec![Score::default(); units.len()];
    for (index, (unit, likeness)) in units {
        let share = Score(unit.score).number() / file;
        let value = weight * file * (BY_FILE + (1.0 - BY_FILE) * share.max(0.0).powf(SHARE_POWER));
        let matters = unit.score > 0 && share >= LEAST_SHARE && value >= least;
        let is_new = likeness.is_none_or(|likeness| unit.bytes <= MOST_REPEATED || printed.insert(likeness));
        if matters && is_new {
            values[index] = Score::of(value).max(Score(1));
        }
    }
    relevance.choose(&values);
}
