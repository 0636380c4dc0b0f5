//! The score of every passage of a collection.

use std::fmt;

use crate::digest::Digest;
use crate::graph::{self, Rounds};
use crate::query::{Asked, Query};

/// How soon more of the same word counts for less.
const K1: f64 = 1.2;

/// How much a long passage is held against it.
const B: f64 = 0.75;

/// What a file's best passage gains from its second, third and fourth.
const COHERENCE: [f64; 3] = [0.25, 0.12, 0.06];

/// The most that the graph adds where there is a query.
const PRIOR: f64 = 0.01;

/// How much a passage matters, in millionths: a passage with the most of the query's words has 1 for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(pub i64);

impl Score {
    fn of(score: f64) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "a score is a small number")]
        Self((score * 1e6).round() as i64)
    }
}

impl Score {
    /// The score as a number: 1 is about that of the passage with the most of the query's words.
    #[must_use]
    pub fn number(self) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "a score is a small number")]
        let millionths = self.0 as f64;
        millionths / 1e6
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thousandths = (self.0 + 500).div_euclid(1_000);
        write!(f, "{}.{:03}", thousandths.div_euclid(1_000), thousandths.rem_euclid(1_000))
    }
}

/// How much a text matters, and each of its passages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ranked {
    /// The score of its best passage; 0 if it has none.
    pub score: Score,
    /// The scores of its passages, in their order.
    pub passages: Vec<Score>,
    /// Whether each passage has a word of the query or defines one of its names; without a query all do.
    pub matches: Vec<bool>,
}

/// Ranks the passages of digests for a query, or without one by how the texts import from each other. The digests must
/// have the query's words; whatever others they have changes nothing.
#[must_use]
pub fn rank(query: Option<&Query>, digests: &[&Digest]) -> Vec<Ranked> {
    let rounds = if query.is_some() { Rounds::Few } else { Rounds::Many };
    let weights = graph::weights(digests, rounds);
    let Some(query) = query else {
        let ranked = |weights: Vec<f64>| ranked(&weights, vec![true; weights.len()]);
        return weights.into_iter().map(ranked).collect();
    };
    let mut scores = bm25(query, digests);
    define(query, digests, &mut scores);
    let mut ranking = Vec::with_capacity(digests.len());
    for (mut scores, weights) in scores.into_iter().zip(weights) {
        let matches: Vec<bool> = scores.iter().map(|score| *score > 0.0).collect();
        cohere(&mut scores);
        let with_prior = scores.iter().zip(&weights).zip(&matches);
        let scores: Vec<f64> = with_prior
            .map(|((score, weight), matches)| if *matches { score + PRIOR * weight } else { 0.0 })
            .collect();
        ranking.push(ranked(&scores, matches));
    }
    ranking
}

fn ranked(scores: &[f64], matches: Vec<bool>) -> Ranked {
    let passages: Vec<Score> = scores.iter().copied().map(Score::of).collect();
    Ranked { score: passages.iter().copied().max().unwrap_or_default(), passages, matches }
}

/// BM25 of every passage as a share of the largest.
fn bm25(query: &Query, digests: &[&Digest]) -> Vec<Vec<f64>> {
    let lengths =
        || digests.iter().flat_map(|digest| &digest.passages).map(|passage| u64::from(passage.length));
    let passages = exact(lengths().count() as u64);
    let average = exact(lengths().sum::<u64>()) / passages.max(1.0);
    let mut scores: Vec<Vec<f64>> = digests.iter().map(|digest| vec![0.0; digest.passages.len()]).collect();
    for Asked { word, count } in query.words() {
        let found: usize = digests.iter().map(|digest| digest.postings_of(*word).len()).sum();
        let found = exact(found as u64);
        let rarity = (1.0 + (passages - found + 0.5) / (found + 0.5)).ln() * f64::from(*count);
        for (digest, scores) in digests.iter().zip(&mut scores) {
            for posting in digest.postings_of(*word) {
                let at = usize::try_from(posting.passage).unwrap_or(usize::MAX);
                let (Some(passage), Some(score)) = (digest.passages.get(at), scores.get_mut(at)) else {
                    continue;
                };
                let often = f64::from(posting.count);
                let norm = K1 * (1.0 - B + B * f64::from(passage.length) / average);
                *score += rarity * often * (K1 + 1.0) / (often + norm);
            }
        }
    }
    let most = scores.iter().flatten().copied().fold(0.0, f64::max);
    if most > 0.0 {
        scores.iter_mut().flatten().for_each(|score| *score /= most);
    }
    scores
}

#[allow(clippy::cast_precision_loss, reason = "a count of what is in memory")]
fn exact(count: u64) -> f64 {
    count as f64
}

/// Adds what passages gain that define a name of the query.
fn define(query: &Query, digests: &[&Digest], scores: &mut [Vec<f64>]) {
    for name in query.names() {
        let definers: usize = digests.iter().map(|digest| digest.definitions_of(*name).len()).sum();
        if definers == 0 {
            continue;
        }
        let gain = 1.0 / exact(definers as u64);
        for (digest, scores) in digests.iter().zip(scores.iter_mut()) {
            for definition in digest.definitions_of(*name) {
                let at = usize::try_from(definition.passage).unwrap_or(usize::MAX);
                if let Some(score) = scores.get_mut(at) {
                    *score += gain;
                }
            }
        }
    }
}

/// Adds to the best passage of a file a part of its next three: a file that goes on about something is about it.
fn cohere(scores: &mut [f64]) {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let Some((best, next)) = order.split_first() else { return };
    let gain: f64 = next.iter().zip(COHERENCE).map(|(place, share)| share * scores[*place]).sum();
    scores[*best] += gain;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Keep, Text};

    fn ranked(query: Option<&str>, texts: &[(&str, &str)]) -> Vec<Ranked> {
        let query = query.map(Query::new);
        let keep = query.as_ref().map_or(Keep::Nothing, Keep::Only);
        let digests: Vec<Digest> =
            texts.iter().map(|(path, text)| Digest::of(&Text::new(path, text), keep)).collect();
        rank(query.as_ref(), &digests.iter().collect::<Vec<_>>())
    }

    fn scores(query: Option<&str>, texts: &[(&str, &str)]) -> Vec<Score> {
        ranked(query, texts).into_iter().map(|ranked| ranked.score).collect()
    }

    #[test]
    fn rank_text_with_the_words_is_above_one_without() {
        let texts =
            [("a.md", "About tokens.\n"), ("b.md", "About budgets and their limits.\n"), ("c.md", "Else.\n")];
        let scores = scores(Some("what limits the budget?"), &texts);
        assert!(scores[1] > scores[0] && scores[1] > scores[2]);
        assert_eq!((scores[0], scores[2]), (Score(0), Score(0)));
    }

    #[test]
    fn rank_words_of_the_path_count() {
        let texts = [("src/net/http.rs", "fn a() {}\n"), ("src/db/sql.rs", "fn a() {}\n")];
        let scores = scores(Some("http"), &texts);
        assert!(scores[0] > scores[1]);
    }

    #[test]
    fn rank_definer_is_above_those_that_mention_a_name_often() {
        let texts = [
            ("a.rs", "fn x() { fit_all(); fit_all(); fit_all(); fit_all(); }\n"),
            ("b.rs", "fn fit_all() {}\n"),
        ];
        let scores = scores(Some("what does fit_all do with what it has"), &texts);
        assert!(scores[1] > scores[0], "{scores:?}");
    }

    #[test]
    fn rank_without_a_query_is_by_imported_names() {
        let texts = [
            ("a.py", "from core import Engine\n"),
            ("b.py", "from core import Engine\n"),
            ("core.py", "class Engine:\n    pass\n"),
            ("d.py", "def alone():\n    toString()\n"),
        ];
        let scores = scores(None, &texts);
        assert!(scores[2] > scores[0] && scores[0] > scores[3], "{scores:?}");
        assert_eq!(scores[2], Score(1_000_000));
    }

    #[test]
    fn rank_of_nothing_is_nothing() {
        assert_eq!(scores(Some("x"), &[]), []);
        assert_eq!(scores(Some("?"), &[("a.md", "a\n")]), [Score(0)]);
        assert_eq!(scores(None, &[("a.md", "")]), [Score(0)]);
    }

    #[test]
    fn score_is_shown_in_thousandths() {
        assert_eq!(Score(1_234_567).to_string(), "1.235");
        assert_eq!(Score(0).to_string(), "0.000");
    }
}
