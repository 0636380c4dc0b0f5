//! A place for each name that somebody gave beside a question.

use crate::digest::Digest;
use crate::query::{GivenName, Query};
use crate::ranked::Ranked;
use crate::score::Score;

/// The least share of the best score that the best place of a given name has.
const PROMISED: f64 = 0.6;

/// A single word that nothing declares is only promised a place if at most this many files have it.
const FEW: usize = 3;

/// Where a name is declared or written.
#[derive(Debug, Clone, Copy)]
struct Written {
    file: usize,
    passage: usize,
    is_in_scope: bool,
}

/// Raises the score of the best place of each given name: where it is declared, or else written.
pub(crate) fn promise(query: &Query, digests: &[&Digest], ranked: &mut [Ranked]) {
    let best = ranked.iter().map(|one| one.score.number()).fold(0.0, f64::max).min(1.0);
    let least = Score::of(PROMISED * best);
    for given in query.given() {
        let score = |one: &Written| {
            ranked[one.file].passages.get(one.passage).copied().filter(|score| *score > Score(0))
        };
        let all = declared(given, digests).or_else(|| written(given, digests)).unwrap_or_default();
        let best = all.into_iter().filter_map(|one| Some(((one.is_in_scope, score(&one)?), one)));
        let best = best.reduce(|best, one| if one.0 > best.0 { one } else { best });
        if let Some((_, at)) = best {
            ranked[at.file].raise(digests[at.file], at.passage, given, least);
        }
    }
}

fn is_in_scope(given: &GivenName, digest: &Digest) -> bool {
    given.scope.is_some_and(|scope| !digest.definitions_of(scope).is_empty())
}

fn declared(given: &GivenName, digests: &[&Digest]) -> Option<Vec<Written>> {
    let of_file = |(file, digest): (usize, &&Digest)| -> Vec<Written> {
        let is_in_scope = is_in_scope(given, digest);
        let at = |passage: u32| Written { file, passage: passage as usize, is_in_scope };
        digest.definitions_of(given.name).iter().map(|one| at(one.passage)).collect()
    };
    let all: Vec<Written> = digests.iter().enumerate().flat_map(of_file).collect();
    (!all.is_empty()).then_some(all)
}

fn written(given: &GivenName, digests: &[&Digest]) -> Option<Vec<Written>> {
    let of_file = |(file, digest): (usize, &&Digest)| -> Vec<Written> {
        let is_in_scope = is_in_scope(given, digest);
        let with_it = digest.postings.iter().filter(|posting| posting.word == given.word);
        with_it.map(|one| Written { file, passage: one.passage as usize, is_in_scope }).collect()
    };
    let all: Vec<Vec<Written>> =
        digests.iter().enumerate().map(of_file).filter(|all| !all.is_empty()).collect();
    (given.is_compound || all.len() <= FEW).then(|| all.concat())
}
