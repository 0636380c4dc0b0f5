//! What a search finds, for people and scripts.

use std::cmp::Reverse;

use super::Plan;
use super::searched::excerpt;
use crate::budget::Part;
use ctx_outline::Lines;
use ctx_search::{Score, is_word_of};

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

impl Plan {
    /// The best passages of the documents that were ranked for the query, best first, at most `most` of them.
    #[must_use]
    pub fn hits(&self, most: usize) -> Vec<Hit<'_>> {
        let hits = self.items.iter().filter_map(|item| {
            let (document, relevance) = (item.document()?, item.relevance()?);
            let before = document.lines.map_or(0, |range| usize::try_from(range.first).unwrap_or(1) - 1);
            let hit = |part: &Part| Hit {
                label: item.source.label.as_str(),
                lines: Lines { first: part.lines.first + before, last: part.lines.last + before },
                score: Score(part.score),
                text: excerpt(&document.text, part.lines),
                matching: Vec::new(),
            };
            Some(relevance.matching().map(hit).collect::<Vec<_>>())
        });
        let mut hits: Vec<Hit<'_>> = hits.flatten().collect();
        hits.sort_by_key(|hit| (Reverse(hit.score), hit.label, hit.lines.first));
        hits.truncate(most);
        if let Some(query) = &self.request.query {
            for hit in &mut hits {
                let lines = (hit.lines.first..).zip(hit.text.lines());
                hit.matching =
                    lines.filter(|(_, line)| is_word_of(line, query)).map(|(number, _)| number).collect();
            }
        }
        hits
    }
}
