//! Searched entries: the passages in their files that match the query become documents, up to a share of the
//! budget.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::hit::{self, FoundPassage};
use super::{PlanError, Relevance, Request};
use crate::document::Session;
use crate::document::{Document, Item, Reading};
use crate::entry;
use crate::report::ReasonCode;
use crate::select::{EntryId, Label};
use crate::source::Source;

/// Roughly how many tokens a passage's label takes.
const AROUND: u64 = 12;

/// Inserts the best passages of files that are only searched: best first, in place of the first file of their
/// entry. The files themselves follow, as skipped.
pub(super) fn with_passages(
    mut items: Vec<Item>,
    request: &Request,
    session: &Session<'_>,
) -> Result<Vec<Item>, PlanError> {
    if items.iter().all(|item| item.source.selected_by.searched.is_none()) {
        return Ok(items);
    }
    let mut entries: Vec<EntryId> =
        items.iter().filter_map(|item| item.source.selected_by.searched).collect();
    entries.sort_unstable();
    entries.dedup();
    let mut runs: Vec<Vec<FoundPassage>> = Vec::with_capacity(entries.len());
    // The indices of the files whose matching passages did not fit in their entry's share.
    let mut too_large = BTreeSet::new();
    for entry in &entries {
        runs.push(chosen(&mut items, *entry, request, session, &mut too_large)?);
    }
    let chosen: BTreeSet<Label> =
        runs.iter().flatten().map(|run| items[run.place].source.label.clone()).collect();
    let mut passages: Vec<Vec<Item>> = runs
        .iter()
        .map(|runs| runs.iter().filter_map(|run| passage(&items[run.place], run, request)).collect())
        .collect();
    let mut all = Vec::with_capacity(items.len());
    for (place, item) in items.into_iter().enumerate() {
        let Some(entry) = item.source.selected_by.searched else {
            all.push(item);
            continue;
        };
        all.append(&mut passages[entries.partition_point(|other| *other < entry)]);
        if !chosen.contains(&item.source.label) {
            let reading = without_passage(&item, request, too_large.contains(&place));
            all.push(Item::new(item.source, reading));
        }
    }
    Ok(all)
}

/// Why no part of a file is printed.
fn without_passage(item: &Item, request: &Request, is_too_large: bool) -> Reading {
    let unchosen = if request.query.is_none() {
        ReasonCode::WithoutQuery
    } else if is_too_large {
        ReasonCode::OverShare
    } else {
        ReasonCode::Unchosen
    };
    Reading::Skipped(item.skipped().cloned().unwrap_or_else(|| unchosen.into()))
}

/// After this many passages in a row that do not fit in the share, the others are not examined.
const MOST_MISSES: usize = 16;

/// The best passages of an entry's files that fit in its share, best first, with neighbours joined. Records
/// the files with a matching passage for which there was no room.
fn chosen(
    items: &mut [Item],
    entry: EntryId,
    request: &Request,
    session: &Session<'_>,
    too_large: &mut BTreeSet<usize>,
) -> Result<Vec<FoundPassage>, PlanError> {
    let measure = &request.measure;
    let share = request.entries[entry.0].entry.attributes.share.unwrap_or_default();
    let mut room = share.of(measure.limit.unwrap_or(measure.window));
    let mut runs: Vec<FoundPassage> = Vec::new();
    let mut misses = 0;
    show_rows(items, entry);
    for FoundPassage { place, lines, score } in candidates(items, entry) {
        session.read_these(items, &[place])?;
        let Some(document) = &items[place].document else { continue };
        let tokens = measure.counter.tokens(document.excerpt(lines)) + AROUND;
        if tokens > room {
            too_large.insert(place);
            misses += 1;
            if misses == MOST_MISSES {
                break;
            }
            continue;
        }
        misses = 0;
        room -= tokens;
        runs.push(FoundPassage { place, lines, score });
    }
    Ok(joined(runs))
}

/// Lets the rows of tables match instead of their passages, with the header before them.
fn show_rows(items: &mut [Item], entry: EntryId) {
    let is_table = |item: &&mut Item| {
        item.source.selected_by.searched == Some(entry) && ctx_search::is_table(item.source.path())
    };
    items.iter_mut().filter(is_table).filter_map(Item::relevance_mut).for_each(Relevance::show_rows);
}

/// The matching passages of an entry's files, best first.
fn candidates(items: &[Item], entry: EntryId) -> Vec<FoundPassage> {
    let of_entry =
        items.iter().enumerate().filter(|(_, item)| item.source.selected_by.searched == Some(entry));
    let of_item = |(place, item): (usize, &Item)| hit::matching(place, item);
    let mut candidates: Vec<FoundPassage> = of_entry.flat_map(of_item).collect();
    candidates.sort_by_key(|one| (Reverse(one.score), &items[one.place].source.label, one.lines.first));
    candidates
}

/// Joins neighbouring passages, and returns all of them, best first.
fn joined(mut runs: Vec<FoundPassage>) -> Vec<FoundPassage> {
    runs.sort_by_key(|run| (run.place, run.lines.first));
    let mut joined: Vec<FoundPassage> = Vec::with_capacity(runs.len());
    for run in runs {
        match joined.last_mut() {
            Some(last) if last.place == run.place && last.lines.last + 1 == run.lines.first => {
                last.lines.last = run.lines.last;
                last.score = last.score.max(run.score);
            }
            Some(_) | None => joined.push(run),
        }
    }
    joined.sort_by_key(|run| (Reverse(run.score), run.place, run.lines.first));
    joined
}

/// Makes an item of a passage, with the lines in its label.
fn passage(item: &Item, run: &FoundPassage, request: &Request) -> Option<Item> {
    let document = item.document.as_deref()?;
    let text = document.part(run.lines);
    let lines = entry::Lines { first: run.lines.first as u64, last: Some(run.lines.last as u64) };
    let label = item.source.label.with_lines(lines);
    let document = Document {
        measure: request.measure.counter.tokenizer.measure(&text),
        may_collide: request.form.format.may_collide(&text, request.sections()),
        bytes: text.len() as u64,
        outlined: None,
        encoding: document.encoding,
        lossy: document.lossy,
        lines: document.lines,
        outline: None,
        relevance: item
            .relevance()
            .map(|relevance| Box::new(Relevance::of_passage(relevance, &text, run.score))),
        text,
    };
    let source = Source { label, lines: Some(lines), ..item.source.clone() };
    Some(Item::new(source, Reading::Document(Box::new(document))))
}

#[cfg(test)]
mod tests {
    use ctx_outline::Lines;
    use ctx_search::Score;

    use super::*;

    #[test]
    fn adjacent_passages_are_joined_and_the_best_come_first() {
        let run = |place, first, last, score| FoundPassage {
            place,
            lines: Lines { first, last },
            score: Score(score),
        };
        let joined = joined(vec![run(1, 1, 5, 3), run(0, 10, 20, 9), run(1, 6, 9, 12), run(1, 11, 12, 4)]);
        let firsts: Vec<[usize; 3]> =
            joined.iter().map(|run| [run.place, run.lines.first, run.lines.last]).collect();
        assert_eq!(firsts, [[1, 1, 9], [0, 10, 20], [1, 11, 12]]);
    }
}
