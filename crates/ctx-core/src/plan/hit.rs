//! The results of a search, for people and scripts.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Item, Plan, Purpose};
use crate::budget::ScoredLines;
use crate::declared::Declared;
use crate::entry::ScopedEntry;
use crate::fs::resolved;
use crate::select::FilePlace;
use crate::source::Source;
use ctx_outline::Lines;
use ctx_search::{Query, Score, shares_word};

/// A passage that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit<'a> {
    /// The label of its file.
    pub label: &'a str,
    /// The path of its file, if it comes from a file.
    pub path: Option<PathBuf>,
    /// Its lines, counted from 1.
    pub lines: Lines,
    /// Its score.
    pub score: Score,
    /// What the first declaration in it that the query names is called in its file; otherwise, the smallest
    /// declaration or section around its first matching line.
    pub name: Option<String>,
    /// Its text.
    pub text: &'a str,
    /// The numbers of the lines that contain a word of the query.
    pub matching: Vec<usize>,
    /// The whole text that it comes from.
    pub whole: &'a str,
    /// The line number at which the whole text begins, counted from 1.
    pub first_of_whole: usize,
    query: Option<&'a Query>,
}

impl Hit<'_> {
    /// The byte offset in `line` of its first word that is also in the query; 0 if it has no such word.
    #[must_use]
    pub fn first_match(&self, line: &str) -> usize {
        let Some(query) = self.query else { return 0 };
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let first = words.into_iter().find(|word| shares_word(word, query));
        first.map_or(0, |word| word.as_ptr() as usize - line.as_ptr() as usize)
    }
}

/// A passage that scores less than this percentage of the best score is not worth showing.
const WORTH_A_LOOK: i64 = 10;

/// A passage that matches.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundPassage {
    /// The index of its item.
    pub(super) place: usize,
    /// Its lines, counted from the first line of the document.
    pub(super) lines: Lines,
    pub(super) score: Score,
}

/// The matching passages of an item.
pub(super) fn matching(place: usize, item: &Item) -> Vec<FoundPassage> {
    let found = |part: &ScoredLines| FoundPassage { place, lines: part.lines, score: Score(part.score) };
    item.relevance().into_iter().flat_map(|relevance| relevance.matching()).map(found).collect()
}

/// If everything below the current directory is searched, leaves out files outside it, unless an entry with
/// the `search` attribute found them.
pub(super) fn keep_below(cwd: &Path, sources: &mut Vec<Source>, entries: &[ScopedEntry]) {
    if !entries.iter().any(ScopedEntry::is_whole) {
        return;
    }
    let cwd = resolved(cwd);
    sources.retain(|source| {
        let of = source.selected_by.entries.iter().map(|id| &entries[id.0]);
        let is_below = |place: &FilePlace| resolved(place.path()).starts_with(&cwd);
        of.into_iter().any(|scoped| scoped.is_whole() || scoped.entry.attributes.search)
            || source.place().is_none_or(is_below)
    });
}

/// The best passages of items that were ranked for a query, best first: at most `most`, and none that scores
/// far below the best.
pub(super) fn best(items: &[Item], most: usize) -> Vec<FoundPassage> {
    let of_item = |(place, item): (usize, &Item)| matching(place, item);
    let mut all: Vec<FoundPassage> = items.iter().enumerate().flat_map(of_item).collect();
    let key = |one: &FoundPassage| (Reverse(one.score), &items[one.place].source.label, one.lines.first);
    if most < all.len() {
        all.select_nth_unstable_by(most, |a, b| key(a).cmp(&key(b)));
        all.truncate(most);
    }
    all.sort_by(|a, b| key(a).cmp(&key(b)));
    let least = all.first().map_or(0, |best| best.score.0.saturating_mul(WORTH_A_LOOK) / 100);
    all.retain(|one| one.score.0 >= least);
    all
}

impl Plan {
    /// The best passages of a search, best first.
    #[must_use]
    pub fn hits(&self) -> Vec<Hit<'_>> {
        let most = match self.request.purpose {
            Purpose::Block => 0,
            Purpose::Search(most) => most,
        };
        // A file's declarations serve all hits in it.
        let mut declared = BTreeMap::new();
        best(&self.items, most).iter().filter_map(|found| self.hit(found, &mut declared)).collect()
    }

    fn hit<'p>(
        &'p self,
        found: &FoundPassage,
        declared: &mut BTreeMap<usize, Option<Declared<'p>>>,
    ) -> Option<Hit<'p>> {
        let item = &self.items[found.place];
        let document = item.document.as_ref()?;
        let before = document.lines.map_or(0, |lines| usize::try_from(lines.first).unwrap_or(1) - 1);
        let lines = Lines { first: found.lines.first + before, last: found.lines.last + before };
        let text = document.excerpt(found.lines);
        let query = self.request.query.as_ref();
        let is_matching = |line: &str| query.is_some_and(|query| shares_word(line, query));
        let numbered = (lines.first..).zip(text.lines());
        let matching: Vec<usize> =
            numbered.filter(|(_, line)| is_matching(line)).map(|(number, _)| number).collect();
        let path = item.source.place().map(FilePlace::path);
        let label = item.source.path();
        let declared = declared
            .entry(found.place)
            .or_insert_with(|| self.request.reading.lookup().declared(label, &document.text));
        let shown = matching.first().map_or(found.lines.first, |line| line - before);
        let is_asked = |name: &str| query.is_some_and(|query| query.writes(name));
        let name = declared.as_ref().filter(|_| path.is_some()).and_then(|declared| {
            declared.name_within(found.lines, is_asked).or_else(|| declared.name_around(shown))
        });
        let (whole, first_of_whole) = (document.text.as_str(), before + 1);
        Some(Hit {
            label,
            path,
            lines,
            score: found.score,
            name,
            text,
            matching,
            whole,
            first_of_whole,
            query,
        })
    }
}
