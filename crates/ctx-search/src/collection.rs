//! Statistics about a whole collection, and the choice of files that are worth cutting into passages.

use crate::digest::Digest;
use crate::kind::FileKind;
use crate::query::{BITS, Query};
use crate::scan::{Block, Scan};
use crate::score::{exact, rarity};

/// Term saturation of BM25: how quickly repeated words count less.
pub(crate) const K1: f64 = 1.2;

/// The shares of the second, third and fourth best scores that are added to the best one: what keeps mentioning
/// something is about it.
const COHERENCE: [f64; 3] = [0.25, 0.12, 0.06];

/// The best of these scores, which are sorted from the best, with the shares of the next three.
pub(crate) fn together(scores: impl IntoIterator<Item = f64>) -> f64 {
    let mut scores = scores.into_iter();
    let best = scores.next().unwrap_or_default();
    best + scores.zip(COHERENCE).map(|(score, share)| score * share).sum::<f64>()
}

/// The gain of a file's best passage if the names of the file and its directory contain all words of the query.
const COVER: f64 = 0.4;

/// The gain of a file's best passage if the query contains all words of the file's name.
const SAID: f64 = 0.2;

/// The gain of a file's best passage if no other file gets more votes from the messages of earlier commits.
pub(crate) const VOTE: f64 = 0.3;

/// The gain of a file's best passage from the names of the file and its directory.
pub(crate) fn gain_of_name(query: &Query, path: &str) -> f64 {
    COVER * query.cover(path) + SAID * query.said(path).powi(2)
}

/// The most files that are cut into passages, and how many of these are cut regardless of their length.
const MOST_TEXTS: usize = 400;
const LEAST_TEXTS: usize = 80;

/// No more files are cut once they add up to this many bytes, or to one `ENOUGH_SHARE`th of all bytes if that
/// is more.
const ENOUGH_BYTES: u64 = 4 << 20;
const ENOUGH_SHARE: u64 = 16;

/// A file that was scanned.
#[derive(Debug, Clone, Copy)]
pub struct Scanned<'s> {
    /// Its path, with `/` between the names.
    pub path: &'s str,
    /// Its kind.
    pub kind: FileKind,
    /// The result of the scan.
    pub scan: &'s Scan,
    /// The votes of earlier commits for it, from 0 to 1.
    pub vote: f64,
}

/// The indices of the files that are worth cutting, ascending: those whose scans suggest that their passages
/// matter most.
#[must_use]
pub fn worth_cutting(query: &Query, texts: &[Scanned<'_>]) -> Vec<usize> {
    let scores = estimates(query, texts);
    let mut order: Vec<usize> = (0..texts.len()).filter(|place| scores[*place] > 0.0).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then_with(|| texts[*a].path.cmp(texts[*b].path)));
    let all: u64 = texts.iter().map(|text| text.scan.bytes).sum();
    let enough = ENOUGH_BYTES.max(all / ENOUGH_SHARE);
    let mut bytes = 0;
    let is_worth_it = |(count, place): &(usize, usize)| {
        let before = bytes;
        bytes += texts[*place].scan.bytes;
        before < enough || *count < LEAST_TEXTS
    };
    let chosen = order.into_iter().take(MOST_TEXTS).enumerate().take_while(is_worth_it);
    let mut chosen: Vec<usize> = chosen.map(|(_, place)| place).collect();
    chosen.sort_unstable();
    chosen
}

/// Estimates how much each file matters.
fn estimates(query: &Query, texts: &[Scanned<'_>]) -> Vec<f64> {
    let passages = exact(texts.iter().map(|text| text.scan.passages()).sum());
    let mut found = vec![0; query.words().len()];
    for word in texts.iter().flat_map(|text| &text.scan.words) {
        found[word.place] += u64::from(word.blocks);
    }
    let rarity: Vec<f64> = found.iter().map(|found| rarity(passages, exact(*found))).collect();
    let mut scores = query.blended(texts.len(), |asked| {
        let mut weights = [0.0_f64; BITS as usize];
        for ((word, asked), rarity) in query.words().iter().zip(asked).zip(&rarity) {
            let weight = &mut weights[word.bit as usize];
            *weight = weight.max(asked * rarity);
        }
        let sum = |words: u64| -> f64 {
            let has = |bit: &usize| words >> bit & 1 == 1;
            (0..weights.len()).filter(has).map(|bit| weights[bit]).sum()
        };
        texts.iter().map(|text| text.scan.score(&sum)).collect()
    });
    let definers = texts.iter().filter(|text| text.scan.defines).count();
    for (score, text) in scores.iter_mut().zip(texts) {
        if text.scan.matches() {
            *score += gain_of_name(query, text.path);
        }
        if text.scan.defines {
            *score += query.gain_of_definitions() / exact(definers as u64);
        }
        *score = (*score + VOTE * text.vote) * text.kind.factor(query);
    }
    for (file, pointers) in query.pointers(texts.iter().map(|text| text.path)) {
        scores[file] += pointers.iter().map(|pointer| pointer.gain).fold(0.0, f64::max);
    }
    scores
}

impl Scan {
    /// The weight of the words in the best blocks.
    fn score(&self, sum: &impl Fn(u64) -> f64) -> f64 {
        let score = |block: &Block| {
            let often = f64::from(block.hits) / f64::from(block.words.count_ones().max(1));
            sum(block.words | self.in_path) * often * (K1 + 1.0) / (often + K1)
        };
        let mut best = [0.0; 1 + COHERENCE.len()];
        for mut score in self.blocks.iter().map(score) {
            for place in &mut best {
                if score > *place {
                    std::mem::swap(&mut score, place);
                }
            }
        }
        if self.blocks.is_empty() && self.matches() {
            // The words are only in the path, or in overlong lines.
            best[0] = sum(self.in_path) + f64::EPSILON;
        }
        together(best)
    }
}

/// How many passages there are, and how many contain each word of a query. The result is the same whether all
/// files have digests or some were only scanned, except that the number of passages in a scanned file is
/// estimated from its length.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Collection {
    /// How many passages there are.
    pub(crate) passages: u64,
    /// How many passages have each of the words.
    pub(crate) passages_with: Vec<u64>,
    /// The number of words in all passages.
    pub(crate) length: u64,
}

/// The average number of words in a passage of most collections, including the words of the path.
const WORDS_OF_A_PASSAGE: u64 = 240;

impl Collection {
    /// An empty collection.
    pub(crate) fn new(query: &Query) -> Self {
        Self { passages_with: vec![0; query.words().len()], ..Self::default() }
    }

    /// Adds a file that was cut into passages.
    pub(crate) fn add(&mut self, query: &Query, digest: &Digest) {
        for place in digest.postings.iter().filter_map(|posting| query.place_of(posting.word)) {
            self.passages_with[place] += 1;
        }
        self.passages += digest.passages.len() as u64;
        self.length += digest.passages.iter().map(|passage| u64::from(passage.length)).sum::<u64>();
    }

    /// Adds a file that was only scanned.
    pub(crate) fn add_uncut(&mut self, scan: &Scan) {
        for word in &scan.words {
            self.passages_with[word.place] += u64::from(word.blocks);
        }
        self.passages += scan.passages();
        self.length += scan.passages() * WORDS_OF_A_PASSAGE;
    }

    /// How rare each word of the query is.
    pub(crate) fn rarities(&self) -> Vec<f64> {
        let passages = exact(self.passages);
        let rarity = |found: &u64| if *found == 0 { 0.0 } else { rarity(passages, exact(*found)) };
        self.passages_with.iter().map(rarity).collect()
    }

    /// The weight of each word of the query: the rarer, the higher. Each facet has the sum of its share.
    pub(crate) fn weights(&self, query: &Query) -> Vec<f64> {
        let rarities = self.rarities();
        let mut weights = vec![0.0; query.words().len()];
        for facet in query.facets() {
            let weighed: Vec<f64> =
                query.weights(facet).iter().zip(&rarities).map(|(weight, rarity)| weight * rarity).collect();
            let sum: f64 = weighed.iter().sum();
            weights
                .iter_mut()
                .zip(weighed)
                .for_each(|(all, one)| *all += query.share(facet) * one / sum.max(f64::MIN_POSITIVE));
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Ranked, Scanner, Text, WordCache, rank, rank_among};

    fn texts(count: usize) -> Vec<(String, String)> {
        let text = |number: usize| {
            let often = number % 7;
            format!("{}{}\n", "budget of it\n".repeat(often), "some other line\n".repeat(4_000))
        };
        (0..count).map(|number| (format!("src/f{number:03}.md"), text(number))).collect()
    }

    fn scans(query: &Query, texts: &[(String, String)]) -> Vec<Scan> {
        let scanner = Scanner::new(query);
        texts.iter().map(|(path, text)| scanner.scan(path, text, &mut WordCache::default())).collect()
    }

    fn chosen(query: &Query, texts: &[(String, String)], vote_for: usize) -> Vec<usize> {
        let scans = scans(query, texts);
        let scanned = |(place, ((path, _), scan)): (usize, (&'_ (String, String), &'_ Scan))| {
            (place, path.clone(), scan.clone(), if place == vote_for { 1.0 } else { 0.0 })
        };
        let all: Vec<_> = texts.iter().zip(&scans).enumerate().map(scanned).collect();
        let all: Vec<Scanned<'_>> = all
            .iter()
            .map(|(_, path, scan, vote)| Scanned { path, kind: FileKind::of(path), scan, vote: *vote })
            .collect();
        worth_cutting(query, &all)
    }

    #[test]
    fn texts_worth_cutting_match_the_query_or_have_commit_votes() {
        let texts = texts(15);
        let matching = [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13];
        assert_eq!(chosen(&Query::new("the budget"), &texts, usize::MAX), matching);
        assert_eq!(
            chosen(&Query::new("the budget"), &texts, 7),
            [&matching[..6], &[7], &matching[6..]].concat()
        );
        assert_eq!(chosen(&Query::new("zebras"), &texts, usize::MAX), Vec::<usize>::new());
    }

    #[test]
    fn texts_worth_cutting_are_the_best_of_many() {
        let texts = texts(140);
        let chosen = chosen(&Query::new("the budget"), &texts, usize::MAX);
        assert_eq!(chosen.len(), LEAST_TEXTS);
        assert!((0..140).filter(|place| place % 7 > 4).all(|place| chosen.contains(&place)), "{chosen:?}");
    }

    #[test]
    fn ranking_of_the_texts_worth_cutting_is_close_to_the_ranking_of_all() {
        let query = Query::new("where is the budget applied");
        let texts: Vec<(String, String)> = (0..60)
            .map(|number| {
                let word = if number % 3 == 0 { "budget" } else { "cost" };
                (
                    format!("f{number}.rs"),
                    format!("fn f{number}() {{}}\n{}", format!("apply({word});\n").repeat(number)),
                )
            })
            .collect();
        let scans = scans(&query, &texts);
        let digests: Vec<Digest> =
            texts.iter().map(|(path, text)| Digest::of(&Text::new(path, text), Some(&query))).collect();
        let documents: Vec<Document<'_>> =
            texts.iter().zip(&digests).map(|((path, _), digest)| Document::new(path, digest)).collect();
        let whole = rank(Some(&query), &documents);
        let scanned = texts.iter().zip(&scans).map(|((path, _), scan)| Scanned {
            path,
            kind: FileKind::of(path),
            scan,
            vote: 0.0,
        });
        let scanned: Vec<Scanned<'_>> = scanned.collect();
        let cut: Vec<Option<&Digest>> =
            (0..60).map(|place| digests.get(place).filter(|_| place >= 30)).collect();
        let part = rank_among(&query, &scanned, &cut);
        assert!(part[..30].iter().all(|uncut| *uncut == Ranked::default()));
        for (whole, part) in whole[30..].iter().zip(&part[30..]) {
            assert!((whole.score.0 - part.score.0).abs() < 100_000, "{whole:?} {part:?}");
        }
    }
}
