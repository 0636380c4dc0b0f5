//! What a search finds, for people and scripts.

use std::cmp::Reverse;

use super::searched::excerpt;
use super::{Item, Plan, Purpose};
use crate::budget::ScoredLines;
use ctx_outline::Lines;
use ctx_search::{Score, shares_word};

/// A passage that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit<'a> {
    /// The label of its file.
    pub label: &'a str,
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
    lines: Lines,
    score: Score,
}

/// The best passages of items that were ranked for a query, best first, at most `most` of them.
pub(super) fn best(items: &[Item], most: usize) -> Vec<FoundPassage> {
    let of_item = |(place, item): (usize, &Item)| {
        let found =
            move |part: &ScoredLines| FoundPassage { place, lines: part.lines, score: Score(part.score) };
        item.relevance()
            .into_iter()
            .flat_map(move |relevance| relevance.matching().map(found))
            .collect::<Vec<_>>()
    };
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
    /// The best passages that a search found, best first.
    #[must_use]
    pub fn hits(&self) -> Vec<Hit<'_>> {
        let most = match self.request.purpose {
            Purpose::Block => 0,
            Purpose::Search(most) | Purpose::SearchAll(most) => most,
        };
        best(&self.items, most).iter().filter_map(|found| self.hit(found)).collect()
    }

    fn hit(&self, found: &FoundPassage) -> Option<Hit<'_>> {
        let item = &self.items[found.place];
        let document = item.document()?;
        let before = document.lines.map_or(0, |range| usize::try_from(range.first).unwrap_or(1) - 1);
        let lines = Lines { first: found.lines.first + before, last: found.lines.last + before };
        let text = excerpt(&document.text, found.lines);
        let query = self.request.query.as_ref();
        let is_matching = |line: &str| query.is_some_and(|query| shares_word(line, query));
        let numbered = (lines.first..).zip(text.lines());
        let matching = numbered.filter(|(_, line)| is_matching(line)).map(|(number, _)| number).collect();
        Some(Hit { label: item.source.label.as_str(), lines, score: found.score, text, matching })
    }
}
