//! The scores of a file, its passages and its units.

use ctx_outline::Lines;

use crate::digest::Digest;
use crate::query::{GivenName, Pointer};
use crate::score::Score;

/// How much a file and each of its passages matter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ranked {
    /// The score of its best passage; 0 if it has none.
    pub score: Score,
    /// The scores of its passages, in order; empty if none matches.
    pub passages: Vec<Score>,
    /// Whether each passage contains a word of the query or defines a name in the query; empty if none does.
    /// Without a query, all are `true`.
    pub matches: Vec<bool>,
    /// The scores of its units, in order; empty if none of its passages matches, and without a query.
    pub units: Vec<Score>,
}

impl Ranked {
    /// Multiplies all scores.
    pub(crate) fn scale(&mut self, factor: f64) {
        for score in self.passages.iter_mut().chain(&mut self.units).chain([&mut self.score]) {
            *score = Score::of(score.number() * factor);
        }
    }

    /// Gives the units that a pointer points to the score of the best passage that it points to.
    pub(crate) fn point(&mut self, digest: &Digest, pointer: &Pointer) {
        let Some(lines) = pointer.lines else { return };
        let shares = |others: Lines| others.first <= lines.last && lines.first <= others.last;
        let pointed = digest.passages.iter().zip(&self.passages).filter(|(passage, _)| shares(passage.lines));
        let Some(best) = pointed.map(|(_, score)| *score).max() else { return };
        for (unit, score) in digest.units.iter().zip(&mut self.units) {
            if shares(unit.lines) {
                *score = best.max(*score);
            }
        }
    }

    pub(crate) fn by_weights(weights: &[f64]) -> Self {
        Self::new(weights.iter().copied().map(Score::of).collect(), vec![true; weights.len()])
    }

    pub(crate) fn new(passages: Vec<Score>, matches: Vec<bool>) -> Self {
        Self {
            score: passages.iter().copied().max().unwrap_or_default(),
            passages,
            matches,
            units: Vec::new(),
        }
    }

    /// Gives a passage, and the unit of it that has the name, at least this score.
    pub(crate) fn raise(&mut self, digest: &Digest, passage: usize, given: &GivenName, least: Score) {
        let has_it = |overlap: usize| {
            digest.overlap_words.iter().any(|one| one.overlap as usize == overlap && one.word == given.word)
        };
        let here =
            digest.overlaps.iter().enumerate().filter(|(_, overlap)| overlap.passage as usize == passage);
        let units = here.filter(|(at, _)| has_it(*at)).map(|(_, overlap)| overlap.unit as usize);
        let Some(unit) =
            units.reduce(|best, one| if self.units[one] > self.units[best] { one } else { best })
        else {
            return;
        };
        self.units[unit] = self.units[unit].max(least);
        self.passages[passage] = self.passages[passage].max(least);
        self.score = self.score.max(least);
    }
}
