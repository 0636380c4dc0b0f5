//! The rank of documents among each other, by what their passages matter.

use std::cmp::Reverse;

use super::{Item, Purpose, Request};
use crate::document::Indexes;
use crate::source::git::EarlierCommits;
use ctx_search::{Digest, Document, Query, Score};

/// Ranks all documents that have passages: those that are only searched among themselves, since no other passage can
/// be printed in their place, and the others among themselves.
///
/// A question none of whose words tells the files apart does not count: then READMEs come first. Returns whether it is so.
pub(super) fn rank(items: &mut [Item], request: &Request, indexes: Option<&Indexes>) -> bool {
    let mut ranked: Vec<&mut Item> = items.iter_mut().filter(|item| item.relevance().is_some()).collect();
    match request.purpose {
        Purpose::Search(_) => {}
        Purpose::Block => {
            let is_searched = |item: &&mut Item| item.source.selected_by.searched.is_some();
            let (searched, others): (Vec<_>, Vec<_>) = ranked.into_iter().partition(is_searched);
            rank_these(searched, request.query.as_ref(), &request.commits, nothing_settled);
            ranked = others;
        }
    }
    let tells = |query: &&Query| !request.has_question || ctx_search::tells_apart(query, &digests(&ranked));
    let query = request.query.as_ref().filter(tells);
    let is_vague = request.has_question && query.is_none() && !ranked.is_empty();
    if let Some(indexes) = indexes.filter(|_| is_vague) {
        indexes.name(ranked.iter_mut().filter_map(|item| item.known.as_mut()));
    }
    rank_these(ranked, query, &request.commits, if is_vague { readme_score } else { nothing_settled });
    is_vague
}

fn nothing_settled(_: &str) -> Option<Score> {
    None
}

/// The score of a README, above all that others import: the nearer to the root, the higher.
fn readme_score(label: &str) -> Option<Score> {
    const MOST_WEIGHT: i64 = 1_000_000;
    const DEEPEST: i64 = 9;
    let (depth, name) = (label.matches('/').count(), label.rsplit('/').next().unwrap_or(label));
    let depth = i64::try_from(depth).unwrap_or(DEEPEST).min(DEEPEST);
    let is_readme = name.split('.').next().is_some_and(|stem| stem.eq_ignore_ascii_case("readme"));
    is_readme.then_some(Score(MOST_WEIGHT * (DEEPEST + 2 - depth)))
}

/// Ranks items; `settled` has the scores of those that are not ranked but settled by their labels.
fn rank_these(
    mut items: Vec<&mut Item>,
    query: Option<&Query>,
    commits: &EarlierCommits,
    settled: fn(&str) -> Option<Score>,
) {
    let votes = query.map(|query| ctx_search::votes(query, commits.messages()));
    let vote = |label: &str| votes.as_ref().zip(commits.path_of(label)).map(|(votes, path)| votes.of(&path));
    let documents = items.iter().filter_map(|item| document(item));
    let documents: Vec<Document<'_>> =
        documents.map(|one| Document { vote: vote(one.path).unwrap_or(0.0), ..one }).collect();
    let mut ranking = ctx_search::rank(query, &documents);
    for (item, ranked) in items.iter_mut().zip(&mut ranking) {
        if let Some(score) = settled(item.source.label.as_str()) {
            ranked.score = score;
            ranked.passages.fill(score);
        }
        if let Some(relevance) = item.relevance_mut() {
            relevance.take(ranked, query);
        }
    }
    let score = |item: &Item| item.relevance().map(|relevance| Reverse(relevance.score));
    items.sort_by(|a, b| (score(a), &a.source.label).cmp(&(score(b), &b.source.label)));
    for (rank, item) in (1..).zip(items) {
        if let Some(relevance) = item.relevance_mut() {
            relevance.rank = rank;
        }
    }
}

/// What is ranked of an item.
fn document(item: &Item) -> Option<Document<'_>> {
    let digest = &item.relevance()?.digest;
    Some(Document::new(item.source.label.as_str(), digest))
}

fn digests<'i>(items: &'i [&mut Item]) -> Vec<&'i Digest> {
    items.iter().filter_map(|item| Some(&item.relevance()?.digest)).collect()
}
