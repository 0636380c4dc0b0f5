//! Ranks documents against each other by their passages.

use std::cmp::{Ordering, Reverse};

use super::{Item, Measure, PlanError, Purpose, Request};
use crate::account::WordsRecord;
use crate::document::{QuestionWords, Session};
use crate::source::Source;
use crate::source::git::EarlierCommits;
use ctx_search::{Digest, Document, FileKind, Occurrence, Query, Ranked, Scan, Scanned, Score, names_text};

/// Ranks all documents with passages: searched ones separately, since no other passage can be printed in their
/// place, and then the others.
///
/// A question whose words do not distinguish the files is ignored: READMEs come first, followed by the
/// others, ranked by imports. Otherwise, in a search of everything, documents that do not answer the question get no
/// score. In other blocks they come last, ranked by imports if there is room for them, and by kind if not.
pub(super) fn rank(
    items: &mut [Item],
    request: &Request,
    session: &Session<'_>,
) -> Result<QuestionWords, PlanError> {
    let mut ranked: Vec<&mut Item> = items.iter_mut().filter(|item| item.scan().is_some()).collect();
    let (missing, hardly_any) = occurrence(request, &ranked);
    let commits = &request.commits;
    match request.purpose {
        Purpose::Search(_) => {}
        Purpose::Block => {
            let is_searched = |item: &&mut Item| item.source.selected_by.searched.is_some();
            let (mut searched, others): (Vec<_>, Vec<_>) = ranked.into_iter().partition(is_searched);
            let scores = match &request.query {
                Some(query) => scores(query, &mut searched, commits, session)?,
                None => by_imports(&mut searched, session)?,
            };
            settle(searched, &scores, request.query.as_ref());
            ranked = others;
        }
    }
    let names_files = request.words.as_ref().is_some_and(|words| !words.paths.is_empty());
    let tells =
        |query: &&Query| request.question.is_none() || names_files || tells_apart(query, &ranked, commits);
    let query = request.query.as_ref().filter(tells);
    let is_vague = request.question.is_some() && query.is_none() && !ranked.is_empty();
    let missing = if query.is_none() && !hardly_any { Vec::new() } else { missing };
    let asked = query.map(|query| scores(query, &mut ranked, commits, session)).transpose()?;
    let is_a_choice = request.purpose == Purpose::Block && request.looked_through.is_none();
    let all = match asked {
        Some(asked) if !is_a_choice => asked,
        Some(asked) => {
            let others = if has_room_for_others(request, &ranked, &asked) {
                by_imports(&mut ranked, session)?
            } else {
                asked.clone()
            };
            let settled = |((asked, other), item): ((Ranked, Ranked), &&mut Item)| {
                if asked.score > Score(0) { asked } else { below(other, item.source.file_kind()) }
            };
            asked.into_iter().zip(others).zip(&ranked).map(settled).collect()
        }
        None => {
            let others = by_imports(&mut ranked, session)?;
            let introduces =
                |source: &Source| introduction(source, request.query.as_ref()).filter(|_| is_vague);
            let settled = |(other, item): (Ranked, &&mut Item)| match introduces(&item.source) {
                Some(score) => with_scores(other, |_| score),
                None => among_all(other, item.source.file_kind()),
            };
            others.into_iter().zip(&ranked).map(settled).collect()
        }
    };
    settle(ranked, &all, query);
    Ok(QuestionWords { are_vague: is_vague, hardly_any, missing })
}

/// The words of the question that no file contains, and whether hardly any occurs, if everything is searched.
fn occurrence(request: &Request, items: &[&mut Item]) -> (Vec<String>, bool) {
    let asked = request.query.as_ref().filter(|_| request.looked_through.is_some());
    let telling = asked.and_then(|query| Some((query, query.telling()?, request.question.as_ref()?)));
    // What is kept whole isn't scanned, and may contain the words.
    let telling = telling.filter(|_| !items.is_empty());
    let Some((query, telling, question)) = telling else { return (Vec::new(), false) };
    let scanned = scanned(items, &vec![0.0; items.len()]);
    let Occurrence { missing, hardly_any } = ctx_search::occurrence(question, query, &telling, &scanned);
    let owned = |missing: Vec<&str>| missing.into_iter().map(str::to_owned).collect();
    let missing = match &request.words {
        None => owned(missing),
        // Names stand for words that the code doesn't have.
        Some(WordsRecord { program: None, words, .. }) => {
            let names: Vec<&str> = words.iter().map(String::as_str).collect();
            let scans: Vec<&Scan> = items.iter().filter_map(|item| item.scan()).collect();
            let found = ctx_search::found(&names, query, &scans);
            let missing = names.into_iter().zip(found).filter(|(_, is_found)| *is_found == Some(false));
            owned(missing.map(|(name, _)| name).collect())
        }
        Some(_) => Vec::new(),
    };
    (missing, hardly_any)
}

/// Scores items by how they import from each other, after cutting all of them into passages.
fn by_imports(items: &mut [&mut Item], session: &Session<'_>) -> Result<Vec<Ranked>, PlanError> {
    static NOTHING: Digest = Digest::new();
    session.cut(items.iter_mut().map(|item| &mut **item), None)?;
    let documents = items.iter().map(|item| {
        let digest = item.relevance().map_or(&NOTHING, |relevance| &relevance.digest);
        Document::new(item.source.path(), digest)
    });
    let documents: Vec<Document<'_>> = documents.collect();
    Ok(ctx_search::rank(None, &documents))
}

/// Whether a question distinguishes the documents by a word that is not too common, or names one.
fn tells_apart(query: &Query, items: &[&mut Item], commits: &EarlierCommits) -> bool {
    if ctx_search::names_one(query, items.iter().map(|item| item.source.path())) {
        return true;
    }
    query.telling().is_some_and(|telling| {
        let votes = votes(&telling, items, commits);
        ctx_search::tells_apart(query, &telling, &scanned(items, &votes))
    })
}

/// Roughly the most bytes in a token; guessing too high does no harm.
const BYTES_OF_TOKEN: u64 = 8;

/// Up to this many documents are all cut into passages, since that takes no noticeable time.
const FEW: usize = 80;

/// Whether documents that do not answer the question may be printed, because they are few or the others do not
/// fill the budget.
fn has_room_for_others(request: &Request, items: &[&mut Item], scored: &[Ranked]) -> bool {
    let Measure { limit, ceiling, .. } = request.measure;
    let Some(limit) = limit.max(ceiling) else { return false };
    let matching = items.iter().zip(scored).filter(|(_, ranked)| ranked.score > Score(0));
    let passages = matching.filter_map(|(item, _)| item.relevance()).flat_map(|one| &one.digest.passages);
    let bytes: u64 = passages.map(|passage| u64::from(passage.bytes)).sum();
    items.len() <= FEW || bytes < limit.saturating_mul(BYTES_OF_TOKEN)
}

/// Raises the scores of files that no other file imports to that of their kind, so that these files come
/// last, ordered by kind.
fn among_all(ranked: Ranked, kind: FileKind) -> Ranked {
    let least = least(kind);
    with_scores(ranked, |one| one.max(least))
}

/// Lowers the scores of a document that does not answer the question, so that it ranks below all that do.
fn below(ranked: Ranked, kind: FileKind) -> Ranked {
    /// Any score divided by this is below that of every matching document.
    const TO_BELOW: i64 = 20_000;
    const README: Score = Score(100);
    let score = |one: Score| match kind {
        FileKind::Readme => README,
        FileKind::Ordinary
        | FileKind::Prose
        | FileKind::Licence
        | FileKind::Test
        | FileKind::Example
        | FileKind::ChangeLog
        | FileKind::Generated
        | FileKind::Metadata => Score(one.0 / TO_BELOW + least(kind).0),
    };
    with_scores(Ranked { matches: Vec::new(), ..ranked }, score)
}

/// The score of a file of which only the kind is known.
fn least(kind: FileKind) -> Score {
    Score(kind as i64 + 1)
}

/// The score of a README, or of a document such as `ARCHITECTURE.md` if the question names it, for a question
/// that distinguishes nothing. It is above that of all imported files, and higher near the root.
fn introduction(source: &Source, query: Option<&Query>) -> Option<Score> {
    const MOST_WEIGHT: i64 = 1_000_000;
    const DEEPEST: i64 = 9;
    let (label, kind) = (source.path(), source.file_kind());
    let introduces = kind == FileKind::Readme || query.is_some_and(|query| names_text(query, label));
    let depth = i64::try_from(label.matches('/').count()).unwrap_or(DEEPEST).min(DEEPEST);
    introduces.then_some(Score(MOST_WEIGHT * (DEEPEST + 2 - depth) + least(kind).0))
}

fn with_scores(mut ranked: Ranked, score: impl Fn(Score) -> Score) -> Ranked {
    ranked.passages.iter_mut().for_each(|one| *one = score(*one));
    ranked.score = ranked.passages.iter().copied().max().unwrap_or_default();
    ranked
}

/// The scores of items for a query. Only items worth cutting are ranked, whether or not the others are cut, so the
/// result is the same for items read before and after ranking.
fn scores(
    query: &Query,
    items: &mut [&mut Item],
    commits: &EarlierCommits,
    session: &Session<'_>,
) -> Result<Vec<Ranked>, PlanError> {
    let votes = votes(query, items, commits);
    let mut is_chosen = vec![false; items.len()];
    let chosen = ctx_search::worth_cutting(query, &scanned(items, &votes));
    chosen.into_iter().for_each(|place| is_chosen[place] = true);
    let chosen = items.iter_mut().zip(&is_chosen).filter(|(_, is_chosen)| **is_chosen);
    session.cut(chosen.map(|(item, _)| &mut **item), Some(query))?;
    let digests = items
        .iter()
        .zip(&is_chosen)
        .map(|(item, is_chosen)| item.relevance().filter(|_| *is_chosen).map(|relevance| &relevance.digest));
    let digests: Vec<Option<&Digest>> = digests.collect();
    Ok(ctx_search::rank_among(query, &scanned(items, &votes), &digests))
}

/// The votes of earlier commits for each item.
fn votes(query: &Query, items: &[&mut Item], commits: &EarlierCommits) -> Vec<f64> {
    if commits.messages().is_empty() {
        return vec![0.0; items.len()];
    }
    let votes = ctx_search::votes(query, commits.messages());
    let vote = |item: &&mut Item| commits.path_of(item.source.path()).map_or(0.0, |path| votes.of(&path));
    items.iter().map(vote).collect()
}

fn scanned<'i>(items: &'i [&mut Item], votes: &[f64]) -> Vec<Scanned<'i>> {
    static NOTHING: Scan = Scan::new();
    let of = |(item, vote): (&'i &mut Item, &f64)| {
        // An item that could not be read again has no scan.
        let scan = item.scan().unwrap_or(&NOTHING);
        Scanned { path: item.source.path(), kind: item.source.file_kind(), scan, vote: *vote }
    };
    items.iter().zip(votes).map(of).collect()
}

/// Sets the scores of items for a query, and their ranks.
fn settle(mut items: Vec<&mut Item>, scores: &[Ranked], query: Option<&Query>) {
    for (item, ranked) in items.iter_mut().zip(scores) {
        if let Some(relevance) = item.relevance_mut() {
            relevance.take(ranked, query);
        }
    }
    for known in items.iter_mut().filter_map(|item| item.known.as_mut()) {
        known.scan = Scan::default();
    }
    // Items that are not worth cutting are not ranked.
    items.retain(|item| item.relevance().is_some());
    items.sort_by(|a, b| by_score(a, b));
    for (rank, item) in (1..).zip(items) {
        if let Some(relevance) = item.relevance_mut() {
            relevance.rank = rank;
        }
    }
}

/// The order of items by their scores, the best first.
pub(super) fn by_score(a: &Item, b: &Item) -> Ordering {
    let score = |item: &Item| item.relevance().map(|relevance| Reverse(relevance.score));
    (score(a), &a.source.label).cmp(&(score(b), &b.source.label))
}
