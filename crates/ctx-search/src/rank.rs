//! The score of every passage of a collection.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::collection::{Collection, K1, Scanned, VOTE, gain_of_name, together};
use crate::digest::{Digest, Passage};
use crate::graph;
use crate::kind::{FileKind, is_table};
use crate::ordinary::is_ordinary;
use crate::place::raised;
use crate::promise::promise;
use crate::query::{Pointer, Query};
use crate::ranked::Ranked;
use crate::score::{Score, exact};
use crate::twin::{are_exported, twins_before};
use crate::unit_score::{row_scores, unit_scores};
use crate::word::{by_script, each_word};

/// Length penalty of BM25, from 0 to 1.
const B: f64 = 0.75;

/// The gain of a passage if the query contains all words of a name that it declares.
const NAME: f64 = 0.1;

/// The share of a file's gain (from its name and its votes) that goes to its other matching passages.
const OTHERS: f64 = 0.6;

/// The factor that puts a passage of one overlong line after all others.
const OVERLONG_FACTOR: f64 = 0.001;

/// A file to be ranked.
#[derive(Debug, Clone, Copy)]
pub struct Document<'d> {
    /// Its path, with `/` between the names.
    pub path: &'d str,
    /// Its kind.
    pub kind: FileKind,
    /// The digest of the file.
    pub digest: &'d Digest,
    /// The votes of earlier commits for it, from 0 to 1: see [`votes`](crate::votes).
    pub vote: f64,
}

/// Ranks the passages of files for a query or, without one, by how the files import from each other. The
/// digests must be for the query.
#[must_use]
pub fn rank(query: Option<&Query>, documents: &[Document<'_>]) -> Vec<Ranked> {
    let digests: Vec<&Digest> = documents.iter().map(|document| document.digest).collect();
    let Some(query) = query else {
        let weights = graph::weights(&digests);
        return by_digest(&digests, &weights).map(Ranked::by_weights).collect();
    };
    let mut collection = Collection::new(query);
    digests.iter().for_each(|digest| collection.add(query, digest));
    rank_all(query, documents, &collection)
}

/// Ranks the passages of the files that have a digest, which are those
/// [`worth_cutting`](crate::worth_cutting). The other files of the collection only count in the statistics.
#[must_use]
pub fn rank_among(query: &Query, texts: &[Scanned<'_>], digests: &[Option<&Digest>]) -> Vec<Ranked> {
    static NOTHING: Digest = Digest::new();
    let mut collection = Collection::new(query);
    for (text, digest) in texts.iter().zip(digests) {
        match digest {
            Some(digest) => collection.add(query, digest),
            None => collection.add_uncut(text.scan),
        }
    }
    let documents = texts.iter().zip(digests).map(|(text, digest)| {
        let digest = digest.unwrap_or(&NOTHING);
        Document { path: text.path, kind: text.kind, digest, vote: text.vote }
    });
    let documents: Vec<Document<'_>> = documents.collect();
    rank_all(query, &documents, &collection)
}

fn rank_all(query: &Query, documents: &[Document<'_>], collection: &Collection) -> Vec<Ranked> {
    let digests: Vec<&Digest> = documents.iter().map(|document| document.digest).collect();
    let mut scores = bm25(query, &digests, collection);
    for (score, passage) in scores.iter_mut().zip(digests.iter().flat_map(|digest| &digest.passages)) {
        *score += NAME * passage.share_said().powi(2);
    }
    define(query, &digests, &mut scores);
    let pointers = query.pointers(documents.iter().map(|document| document.path));
    let ranked = by_digest(&digests, &scores).zip(documents).enumerate().map(|(file, (scores, document))| {
        document.ranked(query, scores, pointers.get(&file).map_or(&[], Vec::as_slice))
    });
    let mut ranked: Vec<Ranked> = ranked.collect();
    let weights = collection.weights(query);
    let weight = |word| query.place_of(word).map_or(0.0, |place| weights[place]);
    for (file, (ranked, digest)) in ranked.iter_mut().zip(&digests).enumerate() {
        if !ranked.passages.is_empty() {
            ranked.units = if is_table(documents[file].path) {
                row_scores(digest, ranked.score, query)
            } else {
                unit_scores(digest, &ranked.passages, weight)
            };
            pointers.get(&file).into_iter().flatten().for_each(|pointer| ranked.point(digest, pointer));
        }
    }
    discount_twins(documents, &mut ranked);
    promise(query, &digests, &mut ranked);
    ranked
}

/// Lowers the scores of translations and copies of files that score higher, and of what was exported from a notebook, so
/// that the best leaves room for other files.
fn discount_twins(documents: &[Document<'_>], ranked: &mut [Ranked]) {
    /// The share of its scores that a file keeps for each better twin.
    const KEPT: f64 = 0.5;
    /// The page that a notebook was exported to is longer, and less worth than a translation.
    const EXPORTED: usize = 2;
    let mut order: Vec<usize> =
        (0..documents.len()).filter(|place| ranked[*place].score > Score(0)).collect();
    order.sort_by_key(|place| (Reverse(ranked[*place].score), documents[*place].path));
    let lines = |digest: &Digest| digest.passages.last().map_or(0, |last| last.lines.last);
    let file = |place: &usize| (documents[*place].path, lines(documents[*place].digest));
    let twins = twins_before(&order.iter().map(file).collect::<Vec<_>>());
    let exported = are_exported(order.iter().map(|place| documents[*place].path));
    for ((place, twins), is_exported) in order.into_iter().zip(twins).zip(exported) {
        let twins = if is_exported { twins + EXPORTED } else { twins };
        ranked[place].scale(KEPT.powi(i32::try_from(twins).unwrap_or(i32::MAX)));
    }
}

/// In a collection of at least this many files, a single word that is in more than a third of them doesn't
/// distinguish any.
const MANY: usize = 12;

/// Whether a query distinguishes some of the files from the others. It does if one of its words, or the
/// definition of a name that it writes, is in at least one file and at most a third of them, or if messages
/// vote for that many. Two words are enough, however common: "handle" and "closed" may each be everywhere,
/// but few passages are about both. With only a few files, any occurrence is enough. Only words that are also
/// in `telling` count (see [`Query::telling`]), and the votes are the ones for `telling`.
#[must_use]
pub fn tells_apart(query: &Query, telling: &Query, texts: &[Scanned<'_>]) -> bool {
    let most = if texts.len() < MANY { texts.len() } else { texts.len() / 3 };
    let tells = |count: usize| (1..=most).contains(&count);
    let definers = texts.iter().filter(|text| text.scan.defines).count();
    let voted = texts.iter().filter(|text| text.vote > 0.0).count();
    let found = texts_with(query, telling, texts);
    let has_several = found.iter().filter(|count| **count > 0).count() > 1;
    tells(definers) || has_several || found.into_iter().any(tells) || tells(voted)
}

/// Whether the evidence names a file with one of these paths that no other can be meant by.
#[must_use]
pub fn names_one<'p>(query: &Query, paths: impl Iterator<Item = &'p str>) -> bool {
    raised(query.places(), query.written_in(), paths)
        .values()
        .flatten()
        .any(|raised| raised.alternatives == 1)
}

/// The fewest letters of a word that is worth reporting as missing.
const SHORTEST_MISSING: usize = 3;

/// What nobody looks for in the code: what stands for a secret, and parts of dates, as in a log that was pasted.
const NO_WORDS: [&str; 20] = [
    "REDACTED", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Which words of a question occur in a collection.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Occurrence<'q> {
    /// The words that no file contains in any form, neither whole nor in part. Ordinary words are left out. Extensions of file names are left out, and
    /// so are words such as "misspelled", which describe the subject and may well have synonyms.
    pub missing: Vec<&'q str>,
    /// Whether hardly any word occurs, so that the question is probably in other words than the code.
    pub hardly_any: bool,
}

/// Which words of a question occur in files. Only words that are also in `telling` count (see [`Query::telling`]).
#[must_use]
pub fn occurrence<'q>(
    question: &'q str,
    query: &Query,
    telling: &Query,
    texts: &[Scanned<'_>],
) -> Occurrence<'q> {
    /// A question of fewer words, or with a name, says too little to tell, unless none of them occurs.
    const FEWEST_WORDS: f64 = 3.0;
    /// The share of the words below which they hardly occur.
    const RARE: f64 = 0.34;
    let found = texts_with(query, telling, texts);
    let mut missing: Vec<&str> = Vec::new();
    let (mut asked, mut there) = (0.0, 0.0);
    for word in question.split(|c: char| !c.is_alphanumeric() && c != '_').flat_map(by_script) {
        let at = word.as_ptr() as usize - question.as_ptr() as usize;
        let (mut parts, mut parts_there) = (0_u64, 0_u64);
        each_word(word, &mut |part| {
            parts += u64::from(telling.asks_for(part));
            parts_there += u64::from(query.place_of(part).is_some_and(|place| found[place] > 0));
        });
        if parts == 0 || parts_there == 0 && is_ordinary(word) {
            continue;
        }
        // Without blanks, a pair of letters is about half a word.
        let words = if word.is_ascii() { 1.0 } else { (exact(parts) / 2.0).max(1.0) };
        asked += words;
        there += words * exact(parts_there) / exact(parts);
        let is_short = word.chars().count() < SHORTEST_MISSING || question[..at].ends_with('.');
        let describes = word.ends_with("ed") && !word.ends_with("eed");
        let is_word = !word.chars().all(char::is_numeric) && !NO_WORDS.contains(&word);
        if parts_there == 0 && is_word && !is_short && !describes && !missing.contains(&word) {
            missing.push(word);
        }
    }
    let is_enough = asked >= FEWEST_WORDS && query.names().is_empty();
    let is_rare = if is_enough { there <= RARE * asked } else { asked > 0.0 && there <= 0.0 };
    let hardly_any = is_rare && query.is_only_asked();
    Occurrence { missing, hardly_any }
}

/// For each word of `query`, how many files contain it; 0 for words that aren't in `telling`.
fn texts_with(query: &Query, telling: &Query, scanned: &[Scanned<'_>]) -> Vec<usize> {
    let mut texts = vec![0; query.words().len()];
    let words = scanned.iter().flat_map(|text| &text.scan.words);
    words
        .filter(|found| telling.asks_for(query.words()[found.place].word))
        .for_each(|found| texts[found.place] += 1);
    texts
}

/// Splits the values for all passages by digest.
fn by_digest<'n, T>(digests: &[&Digest], mut rest: &'n [T]) -> impl Iterator<Item = &'n [T]> {
    digests.iter().map(move |digest| {
        let (here, others) = rest.split_at(digest.passages.len().min(rest.len()));
        rest = others;
        here
    })
}

impl<'d> Document<'d> {
    /// A file without messages of earlier commits.
    #[must_use]
    pub fn new(path: &'d str, digest: &'d Digest) -> Self {
        Self { path, kind: FileKind::of(path), digest, vote: 0.0 }
    }

    /// Ranks the passages by how they match the query and by the kind of their file.
    fn ranked(&self, query: &Query, scores: &[f64], pointers: &[Pointer]) -> Ranked {
        let mut matches: Vec<bool> = scores.iter().map(|score| *score > 0.0).collect();
        let matches_at_all = matches.contains(&true);
        if scores.is_empty() || (!matches_at_all && self.vote <= 0.0 && pointers.is_empty()) {
            return Ranked::default();
        }
        let mut scores = scores.to_vec();
        cohere(&mut scores);
        let named = if matches_at_all { gain_of_name(query, self.path) } else { 0.0 };
        let gain = VOTE * self.vote + named;
        let best = (0..scores.len()).rev().max_by(|a, b| scores[*a].total_cmp(&scores[*b]));
        let factor = self.kind.factor(query);
        for (place, score) in scores.iter_mut().enumerate() {
            if Some(place) == best {
                *score += gain;
            } else if matches[place] {
                *score += OTHERS * gain;
            }
            *score *= factor;
            if self.digest.passages[place].is_overlong() {
                *score *= OVERLONG_FACTOR;
            }
        }
        for (place, gain) in self.pointed_to(pointers, best) {
            scores[place] += gain;
            matches[place] = true;
        }
        Ranked::new(scores.into_iter().map(Score::of).collect(), matches)
    }
}

impl Document<'_> {
    /// The passages that pointers point to, with the largest gain of each; `best` stands for the whole file.
    fn pointed_to(&self, pointers: &[Pointer], best: Option<usize>) -> BTreeMap<usize, f64> {
        let mut gains: BTreeMap<usize, f64> = BTreeMap::new();
        for pointer in pointers {
            let is_meant = |(_, passage): &(usize, &Passage)| {
                pointer.lines.is_some_and(|lines| {
                    passage.lines.first <= lines.last && lines.first <= passage.lines.last
                })
            };
            let meant = self.digest.passages.iter().enumerate().filter(is_meant).map(|(place, _)| place);
            let mut meant: Vec<usize> = meant.collect();
            if meant.is_empty() {
                meant.extend(best);
            }
            for place in meant {
                let gain = gains.entry(place).or_default();
                *gain = gain.max(pointer.gain);
            }
        }
        gains
    }
}

/// BM25 of every passage as a share of the highest.
fn bm25(query: &Query, digests: &[&Digest], collection: &Collection) -> Vec<f64> {
    let count = digests.iter().map(|digest| digest.passages.len()).sum();
    let passages = exact(collection.passages);
    let average = exact(collection.length) / passages.max(1.0);
    let rarity = collection.rarities();
    query.blended(count, |asked| {
        let weights: Vec<f64> = asked.iter().zip(&rarity).map(|(asked, rarity)| asked * rarity).collect();
        let mut scores = vec![0.0; count];
        let mut rest = scores.as_mut_slice();
        for digest in digests {
            let (here, others) = rest.split_at_mut(digest.passages.len());
            rest = others;
            for posting in &digest.postings {
                let Some(place) = query.place_of(posting.word) else { continue };
                let at = usize::try_from(posting.passage).unwrap_or(usize::MAX);
                let (Some(passage), Some(score)) = (digest.passages.get(at), here.get_mut(at)) else {
                    continue;
                };
                let often = f64::from(posting.count);
                let norm = K1 * (1.0 - B + B * f64::from(passage.length) / average);
                *score += weights[place] * often * (K1 + 1.0) / (often + norm);
            }
        }
        scores
    })
}

/// Adds the gain of passages that define a name in the query.
fn define(query: &Query, digests: &[&Digest], scores: &mut [f64]) {
    for name in query.names() {
        let definers: usize = digests.iter().map(|digest| digest.definitions_of(*name).len()).sum();
        if definers == 0 {
            continue;
        }
        let gain = query.gain_of_definitions() / exact(definers as u64);
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

/// Adds parts of the scores of a file's next three passages to its best one.
fn cohere(scores: &mut [f64]) {
    let mut order: Vec<usize> = (0..scores.len()).filter(|place| scores[*place] > 0.0).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let Some(best) = order.first() else { return };
    scores[*best] = together(order.iter().map(|place| scores[*place]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Evidence;
    use crate::{Scan, Scanner, Text, WordCache};

    fn ranked(query: Option<&str>, texts: &[(&str, &str)]) -> Vec<Ranked> {
        let query = query.map(Query::new);
        let digests: Vec<Digest> =
            texts.iter().map(|(path, text)| Digest::of(&Text::new(path, text), query.as_ref())).collect();
        let document = |((path, _), digest)| Document::new(path, digest);
        rank(query.as_ref(), &texts.iter().copied().zip(&digests).map(document).collect::<Vec<_>>())
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
    fn rank_definition_is_above_frequent_mentions() {
        let texts = [
            ("a.rs", "fn x() { fit_all(); fit_all(); fit_all(); fit_all(); }\n"),
            ("b.rs", "fn fit_all() {}\n"),
        ];
        let scores = scores(Some("what does fit_all do with what it has"), &texts);
        assert!(scores[1] > scores[0], "{scores:?}");
    }

    #[test]
    fn rank_without_a_query_depends_on_imported_names() {
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
    fn query_that_matches_no_text_or_too_many_does_not_tell_texts_apart() {
        let texts: Vec<(String, String)> = (0..15)
            .map(|number| (format!("f{number}.md"), format!("This project has part {number}.\n")))
            .collect();
        let tells = |query: &str, most: usize| {
            let query = Query::new(query);
            let scanner = Scanner::new(&query);
            let scan = |(path, text): &(String, String)| scanner.scan(path, text, &mut WordCache::default());
            let scans: Vec<Scan> = texts.iter().take(most).map(scan).collect();
            let scanned = texts.iter().zip(&scans).map(|((path, _), scan)| Scanned {
                path,
                kind: FileKind::of(path),
                scan,
                vote: 0.0,
            });
            tells_apart(&query, &query, &scanned.collect::<Vec<_>>())
        };
        assert!(!tells("what does this project do?", 15));
        assert!(!tells("zebras", 15));
        assert!(tells("which part of the project is 7?", 15));
        assert!(tells("which parts has a project?", 15));
        assert!(!tells("which project has zebras?", 15));
        assert!(tells("what does this project do?", 3));
        assert!(!tells("zebras", 3));
    }

    #[test]
    fn words_are_missing_if_no_text_contains_them_in_any_form() {
        let missing = |question| {
            let query = Query::new(question);
            let scan = Scanner::new(&query).scan(
                "a/kraken.py",
                "def load_plugins(): pass\n",
                &mut WordCache::default(),
            );
            let texts = [Scanned { path: "a/kraken.py", kind: FileKind::Ordinary, scan: &scan, vote: 0.0 }];
            occurrence(question, &query, &query.telling().unwrap(), &texts).missing
        };
        assert_eq!(missing("How are plugins loaded, and where do krakens sleep?"), ["sleep"]);
        assert_eq!(
            missing("why are feeds and misplaced speed in load_balancer or a.toml, 7 of them"),
            ["feeds", "speed"]
        );
        assert_eq!(missing("検索とkrakenの一覧"), ["検索と", "の一覧"]);
        assert_eq!(missing("why 760, on Fri Nov 27 2026, is it [REDACTED] by xylophones"), ["xylophones"]);
    }

    #[test]
    fn words_hardly_occur_if_a_question_is_in_another_language() {
        let hardly_any = |question: &str| {
            let query = Query::new(question);
            let text = "fn load_plugins() {} // where krakens sleep over http\n";
            let scan = Scanner::new(&query).scan("a/kraken.rs", text, &mut WordCache::default());
            let texts = [Scanned { path: "a/kraken.rs", kind: FileKind::Ordinary, scan: &scan, vote: 0.0 }];
            occurrence(question, &query, &query.telling().unwrap(), &texts).hardly_any
        };
        assert!(hardly_any("Wie werden Erweiterungen beim Starten geladen, und über HTTP?"));
        assert!(hardly_any("プラグインはどこで読み込まれますか"));
        assert!(!hardly_any("How are plugins loaded, and do krakens fly over http?"));
        assert!(!hardly_any("Wie lädt `load_plugins` eine Erweiterung beim Starten?"));
        assert!(hardly_any("Wo ist die Konfusionsmatrix?"));
        assert!(hardly_any("elephants"), "a name");
        assert!(hardly_any("`no_elephant`"), "a name in backticks");
        assert!(!hardly_any("what about src/elephants.rs:7?"), "a place");
        assert!(!hardly_any("krakens and elephants"));
    }

    #[test]
    fn tells_apart_if_messages_vote_for_a_few_texts() {
        let query = Query::new("zebra stampede");
        let scan = Scanner::new(&query).scan("a.py", "def step(): pass\n", &mut WordCache::default());
        let tells = |voted: usize, count: usize| {
            let vote = |place: usize| if place < voted { 1.0 } else { 0.0 };
            let scanned =
                |place| Scanned { path: "a.py", kind: FileKind::Ordinary, scan: &scan, vote: vote(place) };
            tells_apart(&query, &query, &(0..count).map(scanned).collect::<Vec<_>>())
        };
        assert!(tells(1, 40) && tells(13, 40) && tells(3, 3));
        assert!(!tells(0, 40) && !tells(14, 40));
    }

    #[test]
    fn rank_file_whose_name_has_the_words_is_above_one_that_has_them_elsewhere() {
        let text = "fn a() { log_request(); }\n";
        let texts = [("src/a/mod.rs", text), ("src/b/logger.rs", text), ("src/request/mod.rs", text)];
        let scores = scores(Some("where are requests logged"), &texts);
        assert!(scores[1] > scores[0] && scores[2] > scores[0], "{scores:?}");
    }

    #[test]
    fn rank_votes_of_messages_score_a_file_without_words_of_the_query() {
        let query = Query::new("the budget");
        let digest = |text| Digest::of(&Text::new("a.rs", text), Some(&query));
        let digests = [digest("fn one() {}\n"), digest("fn budget() {}\n"), digest("fn two() {}\n")];
        let document = |(digest, vote)| Document { vote, ..Document::new("a.rs", digest) };
        let documents: Vec<Document<'_>> = digests.iter().zip([0.0, 0.0, 1.0]).map(document).collect();
        let ranked = rank(Some(&query), &documents);
        assert_eq!(ranked[0], Ranked::default());
        assert_eq!((ranked[2].score, ranked[2].matches.as_slice()), (Score(300_000), &[false][..]));
        assert!(ranked[1].score > ranked[2].score);
    }

    #[test]
    fn rank_title_of_a_report_counts_beside_its_body() {
        let body = "I call start with a table of cells, and then the table has no cells.\n".repeat(5);
        let texts = [
            ("src/a.rs", "fn a() { table(); cells(); start(); }\n"),
            ("src/b.rs", "fn b() { theme(); colour(); }\n"),
        ];
        let scores = scores(Some(&format!("Colour of the theme is wrong\n\n{body}")), &texts);
        assert!(scores[1].0 * 10 > scores[0].0 * 7, "{scores:?}");
    }

    #[test]
    fn rank_lines_that_a_trace_points_to_come_first() {
        let text = "fn handle_all() {\n    step();\n}\n\n".repeat(100);
        let other = "fn handle() { fail(); } // handle the failure\n".repeat(5);
        let texts = [("src/a.rs", text.as_str()), ("src/b.rs", &other)];
        let digests: Vec<Digest> =
            texts.iter().map(|(path, text)| Digest::of(&Text::new(path, text), None)).collect();
        let documents: Vec<Document<'_>> =
            texts.iter().zip(&digests).map(|((path, _), digest)| Document::new(path, digest)).collect();
        let evidence =
            Evidence { piped: vec!["at x (/app/src/a.rs:201:5)"], ..Evidence::of("why does it fail?") };
        let ranked = rank(Query::from(&evidence).as_ref(), &documents);
        let best = ranked[0].passages.iter().position(|score| *score == ranked[0].score).unwrap();
        let lines = digests[0].passages[best].lines;
        assert!(lines.first <= 201 && 201 <= lines.last && ranked[0].score > ranked[1].score, "{ranked:?}");
    }

    #[test]
    fn rank_name_counts_more_than_its_parts() {
        let texts = [
            ("src/a.js", "let x = exportScale\nreturn\nreturn\n"),
            ("src/b.js", "export let y\nexport let z\nexport let scale\nexport let w\n"),
        ];
        let scores = scores(Some("exportScale of it"), &texts);
        assert!(scores[0].0 > 2 * scores[1].0, "{scores:?}");
    }

    #[test]
    fn rank_reports_are_hardly_about_tests_manuals_and_examples() {
        let text = "fn budget() { exceeded(); }\n";
        let texts = [("src/a.rs", text), ("tests/b.rs", text), ("examples/c.rs", text), ("docs/d.md", text)];
        let share = |scores: Vec<Score>| -> Vec<i64> {
            scores.iter().map(|score| score.0 * 100 / scores[0].0).collect()
        };
        let asked = share(scores(Some("why is the budget exceeded?"), &texts));
        assert!(asked[1] > 60 && asked[2..].iter().all(|share| *share > 70), "{asked:?}");
        let reported = share(scores(Some("The budget is exceeded\n\nEvery time."), &texts));
        assert!(reported[1..].iter().all(|share| *share < 60), "{reported:?}");
    }

    #[test]
    fn rank_tests_and_manifests_are_below_code_unless_they_or_a_change_are_asked_about() {
        let texts = [
            ("src/a.js", "budget();\n"),
            ("tests/b.js", "budget();\n"),
            ("package.json", "budget();\n"),
            ("jsr.json", "budget();\n"),
        ];
        let share = |evidence: &Evidence<'_>| -> Vec<i64> {
            let query = Query::from(evidence);
            let digests = texts.map(|(path, text)| Digest::of(&Text::new(path, text), query.as_ref()));
            let document = |((path, _), digest)| Document::new(path, digest);
            let documents: Vec<Document<'_>> = texts.into_iter().zip(&digests).map(document).collect();
            let scores: Vec<i64> =
                rank(query.as_ref(), &documents).iter().map(|ranked| ranked.score.0).collect();
            scores.iter().map(|score| score * 10 / scores[0]).collect()
        };
        let asked = Evidence::of("what is a budget?");
        assert_eq!(share(&asked), [10, 7, 6, 6]);
        assert_eq!(share(&Evidence::of("which fixtures have a budget?"))[1], 9);
        assert!(share(&Evidence::of("which version has a budget?"))[2] >= 10);
        let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-key\n+budget\n";
        let changed = share(&Evidence { piped: vec![diff], ..asked });
        assert!(changed[1] == 9 && changed[2..].iter().all(|share| *share >= 10), "{changed:?}");
    }

    #[test]
    fn rank_change_logs_come_last_unless_a_version_is_asked_for() {
        let texts = [("CHANGES.md", "# 1.2\n\nThe budget.\n"), ("b.md", "# A b\n\nThe budget.\n")];
        let of = |query| scores(Some(query), &texts);
        assert!(of("the budget")[0] < of("the budget")[1]);
        assert!(of("the budget of version 1.2")[0] > of("the budget of version 1.2")[1]);
    }

    #[test]
    fn rank_licences_come_last_unless_one_is_asked_for() {
        let texts =
            [("LICENSE", "Limited liability.\n\nA licence.\n"), ("b.rs", "fn limited() {}\n// a licence\n")];
        let of = |query| scores(Some(query), &texts);
        assert!(of("what is limited")[0] < of("what is limited")[1]);
        assert!(of("which licence")[0] > of("which licence")[1]);
    }

    #[test]
    fn rank_name_with_only_words_of_the_query_is_above_one_with_others() {
        let texts = [
            ("src/a/one.rs", "fn parse_header() {}\n"),
            ("src/a/two.rs", "fn parse_header_into_line() {}\n"),
            ("src/b/header.rs", "fn parse() {}\n"),
            ("src/b/header_line.rs", "fn parse() {}\n"),
        ];
        let scores = scores(Some("where are headers parsed"), &texts);
        assert!(scores[0] > scores[1] && scores[2] > scores[3], "{scores:?}");
    }

    #[test]
    fn rank_each_translation_counts_half_of_the_one_before_it() {
        let files = ["docs/de/a.md", "docs/en/a.md", "docs/fr/a.md", "docs/fr/b.md"];
        let scores = scores(Some("what is a budget?"), &files.map(|path| (path, "# The budget\n")));
        let shares: Vec<i64> =
            scores.iter().map(|score| (score.0 * 100 + scores[0].0 / 2) / scores[0].0).collect();
        assert_eq!(shares, [100, 50, 25, 100]);
    }

    #[test]
    fn rank_overlong_line_comes_last() {
        let long = "budget ".repeat(200) + "\n";
        let scores = scores(Some("budget"), &[("a.js", &long), ("b.js", "let a = 1, budget = 2;\n")]);
        assert!(scores[0] < scores[1] && scores[0] > Score(0), "{scores:?}");
    }

    #[test]
    fn rank_of_empty_input_is_empty_or_zero() {
        assert_eq!(scores(Some("x"), &[]), []);
        assert_eq!(scores(Some("?"), &[("a.md", "a\n")]), [Score(0)]);
        assert_eq!(scores(None, &[("a.md", "")]), [Score(0)]);
    }

    /// The files whose scores are at least the promised share of the best, if these names are given.
    fn promised<'p>(names: &[&str], texts: &[(&'p str, &str)]) -> Vec<&'p str> {
        let evidence = Evidence { names: names.to_vec(), ..Evidence::of("why does it fail?") };
        let query = Query::from(&evidence);
        let digest = |(path, text): &(&str, &str)| Digest::of(&Text::new(path, text), query.as_ref());
        let digests: Vec<Digest> = texts.iter().map(digest).collect();
        let documents: Vec<Document<'_>> =
            texts.iter().zip(&digests).map(|((path, _), digest)| Document::new(path, digest)).collect();
        let ranked = rank(query.as_ref(), &documents);
        let least = Score::of(0.6);
        let best = |ranked: &Ranked| ranked.score >= least && ranked.units.iter().any(|unit| *unit >= least);
        texts.iter().zip(&ranked).filter(|(_, ranked)| best(ranked)).map(|((path, _), _)| *path).collect()
    }

    #[test]
    fn each_given_name_has_a_place() {
        let many = "fn open_key() { shut_key(); turn_key(); key(); }\n".repeat(3);
        let far = format!("{}\n// LAST_LOCK is over\n", "let cell = table(cell);\n".repeat(200));
        let texts = [
            ("src/a.rs", many.as_str()),
            ("src/b.rs", &far),
            ("src/c.rs", "struct Door;\nimpl Door {\n    fn fit(self) {}\n}\n"),
            ("src/d.rs", "struct Wall;\nimpl Wall {\n    fn fit(self) { fit(); fit(); }\n}\n"),
        ];
        let names = ["open_key", "shut_key", "turn_key", "key"];
        assert_eq!(promised(&names, &texts), ["src/a.rs"]);
        assert_eq!(promised(&[&names[..], &["LAST_LOCK"]].concat(), &texts), ["src/a.rs", "src/b.rs"]);
        assert_eq!(promised(&[&names[..], &["Door::fit"]].concat(), &texts), ["src/a.rs", "src/c.rs"]);
    }

    #[test]
    fn score_is_displayed_with_three_decimals() {
        assert_eq!(Score(1_234_567).to_string(), "1.235");
        assert_eq!(Score(0).to_string(), "0.000");
    }
}
