//! What a search finds, for people and scripts.

use std::cmp::Reverse;
use std::path::PathBuf;

use super::{Item, Plan, Purpose};
use crate::budget::ScoredLines;
use crate::select::FilePlace;
use ctx_outline::Lines;
use ctx_search::{Score, shares_word};

/// A passage that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit<'a> {
    /// The label of its file.
    pub label: &'a str,
    /// Where that is, if it is a file.
    pub path: Option<PathBuf>,
    /// Its lines, from 1.
    pub lines: Lines,
    /// How much it matters.
    pub score: Score,
    /// Its text.
    pub text: &'a str,
    /// Those of its lines that have a word of the query.
    pub matching: Vec<usize>,
}

/// A passage that matches.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundPassage {
    /// The place of its item.
    pub(super) place: usize,
    /// Its lines, from the first of the document on.
    pub(super) lines: Lines,
    pub(super) score: Score,
}

/// The passages of an item that match.
pub(super) fn matching(place: usize, item: &Item) -> Vec<FoundPassage> {
    let found = |part: &ScoredLines| FoundPassage { place, lines: part.lines, score: Score(part.score) };
    item.relevance().into_iter().flat_map(|relevance| relevance.matching()).map(found).collect()
}

/// The best passages of items that were ranked for a query, best first, at most `most` of them.
pub(super) fn best(items: &[Item], most: usize) -> Vec<FoundPassage> {
    let of_item = |(place, item): (usize, &Item)| matching(place, item);
    let mut all: Vec<FoundPassage> = items.iter().enumerate().flat_map(of_item).collect();
    let key = |one: &FoundPassage| (Reverse(one.score), &items[one.place].source.label, one.lines.first);
    if most < all.len() {
        all.select_nth_unstable_by(most, |a, b| key(a).cmp(&key(b)));
        all.truncate(most);
    }
    all.sort_by(|a, b| key(a).cmp(&key(b)));
    all
}

impl Plan {
    /// The best passages that a search found, best first, each with so many lines before and after it.
    #[must_use]
    pub fn hits(&self, context: usize) -> Vec<Hit<'_>> {
        let most = match self.request.purpose {
            Purpose::Block => 0,
            Purpose::Search(most) => most,
        };
        best(&self.items, most).iter().filter_map(|found| self.hit(found, context)).collect()
    }

    fn hit(&self, found: &FoundPassage, context: usize) -> Option<Hit<'_>> {
        let item = &self.items[found.place];
        let document = item.document.as_ref()?;
        let before = document.lines.map_or(0, |range| usize::try_from(range.first).unwrap_or(1) - 1);
        let end = document.text.lines().count().max(found.lines.last);
        let shown = Lines {
            first: found.lines.first.saturating_sub(context).max(1),
            last: found.lines.last.saturating_add(context).min(end),
        };
        let lines = Lines { first: shown.first + before, last: shown.last + before };
        let text = document.excerpt(shown);
        let query = self.request.query.as_ref();
        let is_matching = |line: &str| query.is_some_and(|query| shares_word(line, query));
        let numbered = (lines.first..).zip(text.lines());
        let matching = numbered.filter(|(_, line)| is_matching(line)).map(|(number, _)| number).collect();
        let path = item.source.place().map(FilePlace::path);
        Some(Hit { label: item.source.label.as_str(), path, lines, score: found.score, text, matching })
    }
}
