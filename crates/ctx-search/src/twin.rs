//! Files that say the same again: translations, versions and copies, whose paths differ in one directory.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::rank::{Document, Ranked, Score};

/// The share of its score that a file keeps for each better twin.
const KEPT: f64 = 0.5;

/// This many twins are compared with each other.
const MOST: usize = 8;

/// Lowers the scores of files with twins that score higher, so that the first of them leaves room for other files.
pub(crate) fn discount(documents: &[Document<'_>], ranked: &mut [Ranked]) {
    let mut order: Vec<usize> =
        (0..documents.len()).filter(|place| ranked[*place].score > Score(0)).collect();
    order.sort_by_key(|place| (Reverse(ranked[*place].score), documents[*place].path));
    let mut better: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for place in order {
        let document = &documents[place];
        let mut twins = 0;
        for key in without_each_directory(document.path) {
            let here = better.entry(key).or_default();
            twins = twins.max(here.iter().filter(|other| are_alike(document, &documents[**other])).count());
            if here.len() < MOST {
                here.push(place);
            }
        }
        ranked[place].scale(KEPT.powi(i32::try_from(twins).unwrap_or(i32::MAX)));
    }
}

/// What is before and after each directory of a path.
fn without_each_directory(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut start = 0;
    path.match_indices('/').map(move |(end, _)| {
        let parts = (&path[..start], &path[end..]);
        start = end + 1;
        parts
    })
}

/// Whether two files have about as many lines, as a text and its translation do.
fn are_alike(one: &Document<'_>, other: &Document<'_>) -> bool {
    let lines = |document: &Document<'_>| document.digest.passages.last().map_or(0, |last| last.lines.last);
    let (fewer, more) = (lines(one).min(lines(other)), lines(one).max(lines(other)));
    (more - fewer) * 20 <= more
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Digest, Query, Text, rank};

    /// The scores of files for a question about budgets, as shares of the first one's.
    fn shares(files: &[(&str, &str)]) -> Vec<f64> {
        let query = Query::new("what is a budget?");
        let digest = |(path, text): &(&str, &str)| Digest::of(&Text::new(path, text), Some(&query));
        let digests: Vec<Digest> = files.iter().map(digest).collect();
        let documents = files.iter().zip(&digests).map(|((path, _), digest)| Document::new(path, digest));
        let ranked = rank(Some(&query), &documents.collect::<Vec<_>>());
        ranked.iter().map(|one| one.score.number() / ranked[0].score.number()).collect()
    }

    fn assert_shares(files: &[(&str, &str)], expected: &[f64]) {
        let shares = shares(files);
        let is_equal = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-4;
        assert!(shares.iter().zip(expected).all(is_equal), "{shares:?}");
    }

    #[test]
    fn each_translation_counts_half_of_the_one_before_it() {
        let text = "# The budget\n";
        let files =
            [("docs/de/a.md", text), ("docs/en/a.md", text), ("docs/fr/a.md", text), ("docs/fr/b.md", text)];
        assert_shares(&files, &[1.0, 0.5, 0.25, 1.0]);
    }

    #[test]
    fn files_of_other_names_or_lengths_or_depths_are_no_twins() {
        let text = "# The budget\n";
        let files =
            [("a/x.md", text), ("x.md", text), ("a/b/x.md", text), ("a/c/d/x.md", text), ("a/y.md", text)];
        assert!(shares(&files).into_iter().all(|share| share > 0.9), "{:?}", shares(&files));
        let shares = shares(&[("de/a.md", text), ("en/a.md", "# The budget\n\n")]);
        assert!(shares[1] > 0.9, "{shares:?}");
    }
}
