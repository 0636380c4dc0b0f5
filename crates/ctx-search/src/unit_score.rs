//! The scores of units, from those of the passages that they share lines with.

use std::collections::BTreeSet;

use crate::collection::{Collection, together};
use crate::digest::Digest;
use crate::query::Query;
use crate::score::Score;
use crate::table::UNITS_OF_SAMPLE;
use crate::word::Word;

/// The score of each unit of a file whose passages have these scores. A unit gets the score of a passage as far as
/// the words that the passage is found by are in the unit; the best unit has the score of the best passage.
pub(crate) fn unit_scores(digest: &Digest, passages: &[Score], weight: impl Fn(Word) -> f64) -> Vec<Score> {
    let hits = hits(digest, weight);
    let mut given: Vec<Vec<f64>> = vec![Vec::new(); digest.units.len()];
    let mut start = 0;
    for same in digest.overlaps.chunk_by(|a, b| a.passage == b.passage) {
        let here = &hits[start..start + same.len()];
        start += same.len();
        let Some(score) = usize::try_from(same[0].passage).ok().and_then(|at| passages.get(at)) else {
            continue;
        };
        let most = here.iter().copied().fold(0.0, f64::max);
        let longest = f64::from(same.iter().map(|overlap| overlap.bytes).max().unwrap_or(1));
        for (overlap, hit) in same.iter().zip(here) {
            let share = if most > 0.0 { hit / most } else { f64::from(overlap.bytes) / longest };
            if let Some(unit) = given.get_mut(overlap.unit as usize) {
                unit.push(score.number() * share);
            }
        }
    }
    given.iter_mut().for_each(|scores| scores.sort_by(|a, b| b.total_cmp(a)));
    let sums: Vec<f64> = given.into_iter().map(together).collect();
    let best = passages.iter().copied().max().unwrap_or_default().number();
    let most = sums.iter().copied().fold(0.0, f64::max);
    sums.into_iter().map(|sum| Score::of(if most > 0.0 { sum * best / most } else { 0.0 })).collect()
}

/// The score of each row, or few rows, of a table. They are compared with each other instead of with what is around them: the
/// one with most of the words of the query has the score of the best passage. If none has any, a sample has it.
pub(crate) fn row_scores(digest: &Digest, best: Score, query: &Query) -> Vec<Score> {
    let found = digest.overlap_words.iter().filter_map(|found| {
        let overlap = digest.overlaps.get(found.overlap as usize)?;
        Some((overlap.unit as usize, query.place_of(found.word)?))
    });
    let found: BTreeSet<(usize, usize)> = found.collect();
    let mut collection = Collection::new(query);
    collection.passages = digest.units.len() as u64;
    found.iter().for_each(|(_, place)| collection.passages_with[*place] += 1);
    let weights = collection.weights(query);
    let mut hits = vec![0.0; digest.units.len()];
    for (unit, place) in found {
        if let Some(hit) = hits.get_mut(unit) {
            *hit += weights[place];
        }
    }
    let mut most = hits.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        most = 1.0;
        hits.iter_mut().take(UNITS_OF_SAMPLE).for_each(|hit| *hit = most);
    }
    hits.into_iter().map(|hit| Score::of(best.number() * hit / most)).collect()
}

/// For each overlap, the weights of the words of the query that are in it.
fn hits(digest: &Digest, weight: impl Fn(Word) -> f64) -> Vec<f64> {
    let mut hits = vec![0.0; digest.overlaps.len()];
    for found in &digest.overlap_words {
        if let Some(hit) = hits.get_mut(found.overlap as usize) {
            *hit += weight(found.word);
        }
    }
    hits
}
