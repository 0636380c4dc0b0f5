//! The rank of documents among each other, by what their passages matter.

use std::cmp::Reverse;

use super::{Item, Measure, Purpose, Request};
use crate::document::Indexes;
use crate::source::git::EarlierCommits;
use ctx_search::{Document, FileKind, Query, Ranked, Score, names_text};

/// Ranks all documents that have passages: those that are only searched among themselves, since no other passage can
/// be printed in their place, and the others among themselves.
///
/// A question none of whose words tells the files apart does not count: then READMEs come first, and the others by how they
/// import from each other. Returns whether it is so. Documents in which nothing answers a question that counts have no score
/// where everything is looked through, and else come after the others in the same order.
pub(super) fn rank(items: &mut [Item], request: &Request, indexes: Option<&Indexes>) -> bool {
    let mut ranked: Vec<&mut Item> = items.iter_mut().filter(|item| item.relevance().is_some()).collect();
    let commits = &request.commits;
    match request.purpose {
        Purpose::Search(_) => {}
        Purpose::Block => {
            let is_searched = |item: &&mut Item| item.source.selected_by.searched.is_some();
            let (searched, others): (Vec<_>, Vec<_>) = ranked.into_iter().partition(is_searched);
            let scores = scores(request.query.as_ref(), &searched, commits);
            settle(searched, &scores, request.query.as_ref());
            ranked = others;
        }
    }
    let tells = |query: &&Query| !request.has_question || tells_apart(query, &ranked, commits);
    let query = request.query.as_ref().filter(tells);
    let is_vague = request.has_question && query.is_none() && !ranked.is_empty();
    let asked = query.map(|query| scores(Some(query), &ranked, commits));
    let is_a_choice = request.purpose == Purpose::Block && request.looked_through.is_none();
    let all = match asked {
        Some(asked) if !is_a_choice => asked,
        Some(asked) => {
            let others = if has_room_for_others(request, &ranked, &asked) {
                by_imports(&mut ranked, indexes)
            } else {
                ranked.iter().map(|item| unimported(item)).collect()
            };
            let settled = |((asked, other), item): ((Ranked, Ranked), &&mut Item)| {
                if asked.score > Score(0) { asked } else { below(other, item.source.label.as_str()) }
            };
            asked.into_iter().zip(others).zip(&ranked).map(settled).collect()
        }
        None => {
            // Without a question the names are there from the beginning.
            let others = by_imports(&mut ranked, indexes.filter(|_| request.has_question));
            let introduces = |label: &str| introduction(label, request.query.as_ref()).filter(|_| is_vague);
            let settled = |(other, item): (Ranked, &&mut Item)| {
                let label = item.source.label.as_str();
                match introduces(label) {
                    Some(score) => with_scores(other, |_| score),
                    None => among_all(other, label),
                }
            };
            others.into_iter().zip(&ranked).map(settled).collect()
        }
    };
    settle(ranked, &all, query);
    is_vague
}

/// The scores of items by how they import from each other, whose names the indexes add.
fn by_imports(items: &mut [&mut Item], indexes: Option<&Indexes>) -> Vec<Ranked> {
    if let Some(indexes) = indexes {
        indexes.name(items.iter_mut().filter_map(|item| item.known.as_mut()));
    }
    scores(None, items, &EarlierCommits::Off)
}

/// The same of an item that nobody imports.
fn unimported(item: &Item) -> Ranked {
    let passages = item.relevance().map_or(0, |relevance| relevance.digest.passages.len());
    Ranked { passages: vec![Score(0); passages], ..Ranked::default() }
}

/// Whether a question tells the documents apart by a word that is not about everything.
fn tells_apart(query: &Query, items: &[&mut Item], commits: &EarlierCommits) -> bool {
    query
        .telling()
        .is_some_and(|telling| ctx_search::tells_apart(&telling, &documents(Some(&telling), items, commits)))
}

/// About the most bytes of a token, where a guess too high does not hurt.
const BYTES_OF_TOKEN: u64 = 8;

/// Whether documents in which nothing answers the question may be printed, since the others do not fill the budget.
fn has_room_for_others(request: &Request, items: &[&mut Item], scored: &[Ranked]) -> bool {
    let Measure { limit, ceiling, .. } = request.measure;
    let Some(limit) = limit.max(ceiling) else { return false };
    let matching = items.iter().zip(scored).filter(|(_, ranked)| ranked.score > Score(0));
    let passages = matching.filter_map(|(item, _)| item.relevance()).flat_map(|one| &one.digest.passages);
    let bytes: u64 = passages.map(|passage| u64::from(passage.bytes)).sum();
    bytes < limit.saturating_mul(BYTES_OF_TOKEN)
}

/// A document that is ranked by imports: what nobody imports comes after what others do, by the kind of the file.
fn among_all(ranked: Ranked, label: &str) -> Ranked {
    let least = least(FileKind::of(label));
    with_scores(ranked, |one| one.max(least))
}

/// A document in which nothing answers the question, below all that do.
fn below(ranked: Ranked, label: &str) -> Ranked {
    /// From the whole range of scores to one below that of any document that matches.
    const TO_BELOW: i64 = 20_000;
    const README: Score = Score(100);
    let kind = FileKind::of(label);
    let score = |one: Score| match kind {
        FileKind::Readme => README,
        FileKind::Ordinary
        | FileKind::Test
        | FileKind::ChangeLog
        | FileKind::Generated
        | FileKind::Metadata => Score(one.0 / TO_BELOW + least(kind).0),
    };
    with_scores(Ranked { matches: Vec::new(), ..ranked }, score)
}

/// The score of a file that nothing is known of but its kind.
fn least(kind: FileKind) -> Score {
    Score(kind as i64 + 1)
}

/// The score of a README, or of a text that a question names which tells nothing apart, above all that others import: the
/// nearer to the root, the higher.
fn introduction(label: &str, query: Option<&Query>) -> Option<Score> {
    const MOST_WEIGHT: i64 = 1_000_000;
    const DEEPEST: i64 = 9;
    let kind = FileKind::of(label);
    let introduces = kind == FileKind::Readme || query.is_some_and(|query| names_text(query, label));
    let depth = i64::try_from(label.matches('/').count()).unwrap_or(DEEPEST).min(DEEPEST);
    introduces.then_some(Score(MOST_WEIGHT * (DEEPEST + 2 - depth) + least(kind).0))
}

fn with_scores(mut ranked: Ranked, score: impl Fn(Score) -> Score) -> Ranked {
    ranked.passages.iter_mut().for_each(|one| *one = score(*one));
    ranked.score = ranked.passages.iter().copied().max().unwrap_or_default();
    ranked
}

/// What is ranked of items that have passages, with the votes for a query.
fn documents<'i>(
    query: Option<&Query>,
    items: &'i [&mut Item],
    commits: &EarlierCommits,
) -> Vec<Document<'i>> {
    let votes = query.map(|query| ctx_search::votes(query, commits.messages()));
    let vote = |label: &str| votes.as_ref().zip(commits.path_of(label)).map(|(votes, path)| votes.of(&path));
    let document = |item: &'i &mut Item| {
        let path = item.source.label.as_str();
        Some(Document { path, digest: &item.relevance()?.digest, vote: vote(path).unwrap_or(0.0) })
    };
    items.iter().filter_map(document).collect()
}

/// The scores of items for a query, or without one by how they import from each other.
fn scores(query: Option<&Query>, items: &[&mut Item], commits: &EarlierCommits) -> Vec<Ranked> {
    ctx_search::rank(query, &documents(query, items, commits))
}

/// Gives items their scores for a query, and their ranks by these.
fn settle(mut items: Vec<&mut Item>, scores: &[Ranked], query: Option<&Query>) {
    for (item, ranked) in items.iter_mut().zip(scores) {
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
