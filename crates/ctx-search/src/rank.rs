//! The score of every passage of a collection.

use std::fmt;

use crate::digest::Digest;
use crate::graph::{self, Precision, Weights};
use crate::query::Query;

/// Term saturation of BM25: how soon more of the same word counts for less.
const K1: f64 = 1.2;

/// Length penalty of BM25, from 0 to 1.
const B: f64 = 0.75;

/// What a file's best passage gains from its second, third and fourth.
const COHERENCE: [f64; 3] = [0.25, 0.12, 0.06];

/// The most that the graph adds where there is a query.
const PRIOR: f64 = 0.01;

/// How much a passage matters, in millionths. The words of the query add at most 1, for the passage that they match best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(pub i64);

impl Score {
    fn of(score: f64) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "a score is a small number")]
        Self((score * 1e6).round() as i64)
    }
}

impl Score {
    /// The score as a number: about 1 for the passage that the words of the query match best.
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
    /// The scores of its passages, in their order; empty where none matches.
    pub passages: Vec<Score>,
    /// Whether each passage has a word of the query or defines one of its names; empty where none does. Without a query
    /// all are `true`.
    pub matches: Vec<bool>,
}

/// Ranks the passages of digests for a query, or without one by how the texts import from each other. The digests must
/// have the query's words; whatever others they have changes nothing.
#[must_use]
pub fn rank(query: Option<&Query>, digests: &[&Digest]) -> Vec<Ranked> {
    rank_with(query, digests, &Weights::of(digests, precision_for(query)))
}

/// From this many texts on, a word that more than a third of them have tells nothing.
const MANY: usize = 12;

/// Whether a query tells some of the texts from the others: a word of it, or a name that it writes, is in some of them and
/// in at most a third; of a few texts, whether anything of it is found.
#[must_use]
pub fn tells_apart(query: &Query, digests: &[&Digest]) -> bool {
    let most = if digests.len() < MANY { digests.len() } else { digests.len() / 3 };
    let tells = |count: usize| (1..=most).contains(&count);
    let definers =
        |name: &u64| digests.iter().filter(|digest| !digest.definitions_of(*name).is_empty()).count();
    query.names().iter().map(definers).any(tells) || texts_with(query, digests).into_iter().any(tells)
}

/// How many texts have each of the words of a query.
fn texts_with(query: &Query, digests: &[&Digest]) -> Vec<usize> {
    let mut texts = vec![0; query.words().len()];
    for digest in digests {
        let mut has = vec![false; texts.len()];
        digest
            .postings
            .iter()
            .filter_map(|posting| query.place_of(posting.word))
            .for_each(|word| has[word] = true);
        texts.iter_mut().zip(has).for_each(|(texts, has)| *texts += usize::from(has));
    }
    texts
}

/// How exact the weights for a ranking have to be.
#[must_use]
pub fn precision_for(query: Option<&Query>) -> Precision {
    if query.is_some() { Precision::Rough } else { Precision::Fine }
}

/// The same where the weights of the digests are known already. What they define has to be in the digests only as far as
/// the query names it, and what they import not at all.
#[must_use]
pub fn rank_with(query: Option<&Query>, digests: &[&Digest], weights: &Weights) -> Vec<Ranked> {
    let weights = by_digest(digests, &weights.0);
    let Some(query) = query else { return weights.map(Ranked::by_weights).collect() };
    let mut scores = bm25(query, digests);
    define(query, digests, &mut scores);
    by_digest(digests, &scores).zip(weights).map(of_digest).collect()
}

/// The parts of what is known of all passages that are about the passages of one digest each.
fn by_digest<'n, T>(digests: &[&Digest], mut rest: &'n [T]) -> impl Iterator<Item = &'n [T]> {
    digests.iter().map(move |digest| {
        let (here, others) = rest.split_at(digest.passages.len().min(rest.len()));
        rest = others;
        here
    })
}

impl Ranked {
    fn by_weights(weights: &[u32]) -> Self {
        let passages = weights.iter().map(|weight| Score(i64::from(*weight))).collect();
        Self::new(passages, vec![true; weights.len()])
    }

    fn new(passages: Vec<Score>, matches: Vec<bool>) -> Self {
        Self { score: passages.iter().copied().max().unwrap_or_default(), passages, matches }
    }
}

/// Ranks the passages of one digest by what they have of the query and by their weights.
fn of_digest((scores, weights): (&[f64], &[u32])) -> Ranked {
    let matches = |score: &f64| *score > 0.0;
    if !scores.iter().any(matches) {
        return Ranked::default();
    }
    let matches: Vec<bool> = scores.iter().map(matches).collect();
    let mut scores = scores.to_vec();
    cohere(&mut scores);
    let matching = scores.iter_mut().zip(weights).zip(&matches).filter(|(_, matches)| **matches);
    matching.for_each(|((score, weight), _)| *score += PRIOR * f64::from(*weight) / 1e6);
    Ranked::new(scores.into_iter().map(Score::of).collect(), matches)
}

/// BM25 of every passage as a share of the largest.
fn bm25(query: &Query, digests: &[&Digest]) -> Vec<f64> {
    let lengths = || digests.iter().flat_map(|digest| &digest.passages).map(|passage| passage.length);
    let count = lengths().count();
    let passages = exact(count as u64);
    let average = exact(lengths().map(u64::from).sum()) / passages.max(1.0);
    let rarity = |found: &u64| (1.0 + (passages - exact(*found) + 0.5) / (exact(*found) + 0.5)).ln();
    let rarities: Vec<f64> = found(query, digests).iter().map(rarity).collect();
    let mut scores = vec![0.0; count];
    let mut rest = scores.as_mut_slice();
    for digest in digests {
        let (here, others) = rest.split_at_mut(digest.passages.len());
        rest = others;
        for posting in &digest.postings {
            let Some(place) = query.place_of(posting.word) else { continue };
            let at = usize::try_from(posting.passage).unwrap_or(usize::MAX);
            let (Some(passage), Some(score)) = (digest.passages.get(at), here.get_mut(at)) else { continue };
            let (asked, often) = (f64::from(query.words()[place].count), f64::from(posting.count));
            let norm = K1 * (1.0 - B + B * f64::from(passage.length) / average);
            *score += rarities[place] * asked * often * (K1 + 1.0) / (often + norm);
        }
    }
    graph::scale(&mut scores);
    scores
}

/// How many passages have each of the words of a query.
fn found(query: &Query, digests: &[&Digest]) -> Vec<u64> {
    let mut found = vec![0; query.words().len()];
    let postings = digests.iter().flat_map(|digest| &digest.postings);
    postings.filter_map(|posting| query.place_of(posting.word)).for_each(|place| found[place] += 1);
    found
}

#[allow(clippy::cast_precision_loss, reason = "a count of what is in memory")]
fn exact(count: u64) -> f64 {
    count as f64
}

/// Adds what passages gain that define a name of the query.
fn define(query: &Query, digests: &[&Digest], scores: &mut [f64]) {
    for name in query.names() {
        let definers: usize = digests.iter().map(|digest| digest.definitions_of(*name).len()).sum();
        if definers == 0 {
            continue;
        }
        let gain = 1.0 / exact(definers as u64);
        let mut first = 0;
        for digest in digests {
            for definition in digest.definitions_of(*name) {
                let at = usize::try_from(definition.passage).unwrap_or(usize::MAX);
                if let Some(score) = scores.get_mut(first + at) {
                    *score += gain;
                }
            }
            first += digest.passages.len();
        }
    }
}

/// Adds to the best passage of a file a part of its next three: a file that goes on about something is about it.
fn cohere(scores: &mut [f64]) {
    let mut order: Vec<usize> = (0..scores.len()).filter(|place| scores[*place] > 0.0).collect();
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
    fn query_of_words_that_a_third_of_many_texts_have_tells_nothing() {
        let texts: Vec<(String, String)> = (0..15)
            .map(|number| (format!("f{number}.md"), format!("This project has part {number}.\n")))
            .collect();
        let tells = |query: &str, most: usize| {
            let query = Query::new(query);
            let digest =
                |(path, text): &(String, String)| Digest::of(&Text::new(path, text), Keep::Only(&query));
            let digests: Vec<Digest> = texts.iter().take(most).map(digest).collect();
            tells_apart(&query, &digests.iter().collect::<Vec<_>>())
        };
        assert!(!tells("what does this project do?", 15));
        assert!(!tells("zebras", 15));
        assert!(tells("which part of the project is 7?", 15));
        assert!(tells("what does this project do?", 3));
        assert!(!tells("zebras", 3));
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
