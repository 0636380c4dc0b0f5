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
    /// What the first declaration that begins in it and that the query names is called in its file; otherwise, the
    /// smallest declaration or section around its first matching line.
    pub name: Option<String>,
    /// The lines of that declaration, if the query names one.
    pub declared: Option<Lines>,
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
    /// The declaration that the query names and that begins in this passage, whole unless it is too long to be read at once.
    #[must_use]
    pub fn of_declaration(self) -> Self {
        match self.declared.filter(|lines| lines.count() <= MOST_LINES) {
            Some(lines) => self.of_lines(lines),
            None => self,
        }
    }

    /// These lines of its text instead.
    fn of_lines(self, lines: Lines) -> Self {
        let (before, count) = (lines.first - self.first_of_whole, lines.count());
        let mut starts = memchr::memchr_iter(b'\n', self.whole.as_bytes()).map(|newline| newline + 1);
        let start = before.checked_sub(1).map_or(Some(0), |skipped| starts.nth(skipped)).unwrap_or_default();
        let end = starts.nth(count - 1).unwrap_or(self.whole.len());
        let text = &self.whole[start..end];
        Self { lines, text, matching: matching_lines(lines.first, text, self.query), ..self }
    }

    /// The byte offset in `line` of its first word that is also in the query; 0 if it has no such word.
    #[must_use]
    pub fn first_match(&self, line: &str) -> usize {
        let Some(query) = self.query else { return 0 };
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let first = words.into_iter().find(|word| shares_word(word, query));
        first.map_or(0, |word| word.as_ptr() as usize - line.as_ptr() as usize)
    }
}

/// The most lines of a declaration that is shown whole.
const MOST_LINES: usize = 400;

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

/// What all hits in a file need to know of its text.
struct KnownText<'p> {
    declared: Option<Declared<'p>>,
    /// The offset at which each line begins, and the length of the text.
    starts: Vec<usize>,
}

fn starts_of_lines(text: &str) -> Vec<usize> {
    let starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|newline| newline + 1);
    [0].into_iter().chain(starts).filter(|start| *start < text.len()).chain([text.len()]).collect()
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

/// The best passages of items that were ranked for a query, best first: at most `most`.
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

/// The numbers of the lines of a text that contain a word of the query; the first has the number `first`.
fn matching_lines(first: usize, text: &str, query: Option<&Query>) -> Vec<usize> {
    let Some(query) = query else { return Vec::new() };
    let numbered = (first..).zip(text.lines());
    numbered.filter(|(_, line)| shares_word(line, query)).map(|(number, _)| number).collect()
}

impl Plan {
    /// The best passages of a search, best first and at most `most`, and none that scores far below the best.
    #[must_use]
    pub fn hits(&self, most: usize) -> Vec<Hit<'_>> {
        let query = self.request.query.as_ref();
        let mut hits = self.hits_asking(most, |name| query.is_some_and(|query| query.writes(name)));
        let least = hits.first().map_or(0, |best| best.score.0.saturating_mul(WORTH_A_LOOK) / 100);
        hits.retain(|hit| hit.score.0 >= least);
        hits
    }

    /// The best passages of a search, best first, however they score. Only declarations of this name count as those that the
    /// query names.
    #[must_use]
    pub fn hits_of(&self, name: &str) -> Vec<Hit<'_>> {
        self.hits_asking(usize::MAX, |other| other == name)
    }

    fn hits_asking(&self, most: usize, is_asked: impl Fn(&str) -> bool) -> Vec<Hit<'_>> {
        let known = &mut BTreeMap::new();
        let found = best(&self.items, self.most_looked_at().min(most));
        found.iter().filter_map(|found| self.hit(found, known, &is_asked)).collect()
    }

    fn most_looked_at(&self) -> usize {
        match self.request.purpose {
            Purpose::Block => 0,
            Purpose::Search(most) => most,
        }
    }

    /// The passages of a search that have this text word for word, best first.
    #[must_use]
    pub fn hits_with(&self, text: &str) -> Vec<Hit<'_>> {
        let finder = memchr::memmem::Finder::new(text);
        let has = |whole: &str| finder.find(whole.as_bytes()).is_some();
        let of_item = |place: usize| self.items[place].document.as_ref();
        let mut known = BTreeMap::new();
        let all = best(&self.items, self.most_looked_at()).into_iter();
        let mut files = BTreeMap::new();
        let mut is_in_file = |place: usize| {
            *files.entry(place).or_insert_with(|| of_item(place).is_some_and(|one| has(one.text.as_str())))
        };
        let hits = all.filter(|found| is_in_file(found.place));
        hits.filter_map(|found| self.hit(&found, &mut known, &|_| false))
            .filter(|hit| has(hit.text))
            .collect()
    }

    /// A line of a passage, with at most `around` lines before it and after it.
    #[must_use]
    pub fn around<'p>(&'p self, hit: Hit<'p>, line: usize, around: usize) -> Hit<'p> {
        let before = hit.first_of_whole - 1;
        let last = before + hit.whole.lines().count();
        let lines = Lines {
            first: line.saturating_sub(around).max(hit.first_of_whole),
            last: line.saturating_add(around).min(last),
        };
        let declared = self.request.reading.lookup().declared(hit.label, hit.whole);
        let declared = declared.filter(|_| hit.path.is_some());
        let name = declared.and_then(|declared| declared.name_around(line - before));
        Hit { name, declared: None, ..hit.of_lines(lines) }
    }

    /// For each of these lines of passages, what the smallest declaration or section around it is called.
    #[must_use]
    pub fn names_around<'p>(&'p self, lines: &[(&Hit<'p>, usize)]) -> Vec<Option<String>> {
        // A file may be there in several parts.
        let mut known: BTreeMap<(&'p str, usize), Option<Declared<'p>>> = BTreeMap::new();
        let name = |(hit, line): &(&Hit<'p>, usize)| {
            hit.path.as_ref()?;
            let declared = || self.request.reading.lookup().declared(hit.label, hit.whole);
            let declared = known.entry((hit.label, hit.first_of_whole)).or_insert_with(declared);
            declared.as_ref()?.name_around(line + 1 - hit.first_of_whole)
        };
        lines.iter().map(name).collect()
    }

    fn hit<'p>(
        &'p self,
        found: &FoundPassage,
        known: &mut BTreeMap<usize, KnownText<'p>>,
        is_asked: &impl Fn(&str) -> bool,
    ) -> Option<Hit<'p>> {
        let item = &self.items[found.place];
        let document = item.document.as_ref()?;
        let before = document.lines_before();
        let lines = Lines { first: found.lines.first + before, last: found.lines.last + before };
        let whole = document.text.as_str();
        let label = item.source.path();
        let KnownText { declared, starts } = known.entry(found.place).or_insert_with(|| KnownText {
            declared: self.request.reading.lookup().declared(label, whole),
            starts: starts_of_lines(whole),
        });
        let start = |line: usize| starts.get(line).copied().unwrap_or(whole.len());
        let text = &whole[start(found.lines.first - 1)..start(found.lines.last)];
        let query = self.request.query.as_ref();
        let matching = matching_lines(lines.first, text, query);
        let path = item.source.place().map(FilePlace::path);
        let shown = matching.first().map_or(found.lines.first, |line| line - before);
        let declared = declared.as_ref().filter(|_| path.is_some());
        let named = declared.and_then(|declared| declared.named_within(found.lines, is_asked));
        let (name, declared) = match named {
            Some((name, Lines { first, last })) => {
                (Some(name), Some(Lines { first: first + before, last: last + before }))
            }
            None => (declared.and_then(|declared| declared.name_around(shown)), None),
        };
        let first_of_whole = before + 1;
        Some(Hit {
            label,
            path,
            lines,
            score: found.score,
            name,
            declared,
            text,
            matching,
            whole,
            first_of_whole,
            query,
        })
    }
}
