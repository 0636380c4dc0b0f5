//! How much the passages of documents matter for a query or, without one, for each other.

use std::cmp::Reverse;

use crate::budget::{Passages, ScoredLines, Showing};
use crate::cache::Checksum;
use crate::entry::{self, LevelOfDetail};
use crate::guard::CleanText;
use ctx_outline::{Headed, Lines, Outline};
use ctx_search::{Digest, Query, Ranked, Scan, Score, Text, UNITS_OF_SAMPLE, Unit, header_row};

/// The passages of a document, and their scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Relevance {
    /// The checksum of the text as it was read.
    checksum: Checksum,
    /// The words of the query in the text, until it is ranked.
    pub(crate) scan: Scan,
    pub(crate) digest: Digest,
    /// How much of the text may be shown.
    showing: Showing,
    /// The whole text, if the document is only part of it.
    whole: Option<CleanText>,
    /// The lines in the outline, if there is one.
    outline: Option<Vec<Lines>>,
    /// Its declarations.
    declared: Vec<Headed>,
    parts: Vec<ScoredLines>,
    /// For each passage, whether it matches the query.
    matches: Vec<bool>,
    /// Its units, which can be shown instead of its passages, each with what it is recognised by.
    units: Vec<(ScoredLines, u64)>,
    /// The rank of the document, from 1; 0 until it is known.
    pub rank: usize,
    /// The score of its best passage.
    pub score: Score,
}

impl Relevance {
    /// The passages of a document, not yet ranked for the query.
    pub(crate) fn of(
        checksum: Checksum,
        label: &str,
        text: &str,
        outline: Option<&Outline<'_>>,
        query: Option<&Query>,
        scan: Scan,
    ) -> Self {
        let digest = Digest::of(&Text { path: label, text, outline }, query);
        Self { scan, digest, ..Self::of_lines(checksum, outline) }.with_parts(LevelOfDetail::Full)
    }

    /// The data for a document whose passages were ranked before it was read.
    pub(crate) fn of_lines(checksum: Checksum, outline: Option<&Outline<'_>>) -> Self {
        Self {
            checksum,
            scan: Scan::default(),
            digest: Digest::default(),
            showing: Showing::OutlineFirst,
            whole: None,
            outline: outline.filter(|outline| !outline.is_whole()).map(|outline| outline.kept().collect()),
            declared: outline.map(|outline| outline.headed().collect()).unwrap_or_default(),
            parts: Vec::new(),
            matches: Vec::new(),
            units: Vec::new(),
            rank: 0,
            score: Score::default(),
        }
    }

    /// Has the header of a table shown above each of its parts.
    pub(crate) fn with_header_row(mut self, text: &str) -> Self {
        let (last, bytes) = header_row(text);
        let lines = Lines { first: 1, last: text.lines().count().max(1) };
        self.declared = vec![Headed { lines, head: Lines { first: 1, last }, bytes }];
        self
    }

    /// The passages of a document whose text is not available, taken from its digest.
    pub(crate) fn of_digest(checksum: Checksum, digest: Digest, level: LevelOfDetail) -> Self {
        Self { digest, ..Self::of_lines(checksum, None) }.with_parts(level)
    }

    fn with_parts(self, level: LevelOfDetail) -> Self {
        let has_outline = self.digest.has_outline;
        let part = |passage: &ctx_search::Passage| ScoredLines {
            lines: passage.lines,
            score: 0,
            bytes: passage.bytes,
            outlined: has_outline.then_some(passage.outlined),
        };
        let parts = self.digest.passages.iter().map(part).collect();
        let showing = if level == LevelOfDetail::Full || !has_outline {
            Showing::OutlineFirst
        } else {
            Showing::Outline
        };
        Self { parts, showing, ..self }
    }

    /// The same passages, ranked as before the text was read; `None` if the text has changed.
    pub(crate) fn ranked_as(self, ranked: &Self) -> Option<Self> {
        let Self { checksum, showing, parts, matches, units, rank, score, .. } = ranked.clone();
        (checksum == self.checksum).then_some(Self { showing, parts, matches, units, rank, score, ..self })
    }

    /// One passage of a document as a separate document.
    pub(crate) fn of_passage(of: &Self, text: &str, score: Score) -> Self {
        let last = text.split_inclusive('\n').count().max(1);
        let bytes = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let part = ScoredLines { lines: Lines { first: 1, last }, score: score.0, bytes, outlined: None };
        let matches = vec![true];
        let bare = Self::of_digest(of.checksum, Digest::default(), LevelOfDetail::Full);
        Self { parts: vec![part], matches, rank: of.rank, score, ..bare }
    }

    /// Parts of a document, of which only those with a score are shown; it ranks as before.
    pub(crate) fn of_parts(of: Option<&Self>, parts: Vec<ScoredLines>) -> Self {
        let bare = Self::of_lines(of.map_or_else(|| Checksum::of(b""), |of| of.checksum), None);
        let (rank, score) = of.map_or_else(Default::default, |of| (of.rank, of.score));
        let matches = parts.iter().map(|part| part.score > 0).collect();
        Self { parts, matches, rank, score, showing: Showing::Chosen, ..bare }
    }

    /// The checksum of the text as it was read.
    pub(crate) fn checksum(&self) -> Checksum {
        self.checksum
    }

    /// The passages that match the query.
    pub(crate) fn matching(&self) -> impl Iterator<Item = &ScoredLines> {
        self.parts.iter().zip(&self.matches).filter(|(_, matches)| **matches).map(|(part, _)| part)
    }

    /// The same passages and scores, for a document that is only the outline of `whole`.
    pub(crate) fn with_whole(self, whole: CleanText) -> Self {
        Self { whole: Some(whole), showing: Showing::Outline, ..self }
    }

    /// What the budget needs to know about the passages; `text` is the document's text, which is these lines of its file
    /// unless it is all of it.
    pub(crate) fn passages<'a>(&'a self, text: &'a CleanText, lines: Option<entry::Lines>) -> Passages<'a> {
        let before = lines.map_or(0, entry::Lines::before);
        Passages {
            before: usize::try_from(before).unwrap_or(usize::MAX),
            is_labelled: false,
            text: self.whole.as_ref().unwrap_or(text),
            parts: &self.parts,
            outline: self.outline.as_deref(),
            declared: &self.declared,
            showing: self.showing,
        }
    }

    /// Stores the scores of the passages for a query, if there is one.
    pub(crate) fn take(&mut self, ranked: &Ranked, query: Option<&Query>) {
        if query.is_some() && self.showing == Showing::OutlineFirst {
            self.showing = Showing::Passages;
        }
        self.scan = Scan::default();
        let digest = std::mem::take(&mut self.digest);
        self.score = ranked.score;
        self.matches.clone_from(&ranked.matches);
        self.parts.iter_mut().zip(&ranked.passages).for_each(|(part, score)| part.score = score.0);
        let unit = |(unit, score): (&Unit, &Score)| {
            let (lines, bytes, score) = (unit.lines, unit.bytes, score.0);
            (ScoredLines { lines, score, bytes, outlined: None }, unit.likeness)
        };
        let without = query.is_none().then_some(&Score(0)).into_iter().cycle();
        self.units = digest.units.iter().zip(ranked.units.iter().chain(without)).map(unit).collect();
    }

    /// Shows only the header of a table that has more than `most` bytes, and a sample of its rows that has no more.
    pub(crate) fn show_sample(&mut self, most: u64) {
        let bytes: u64 = self.parts.iter().map(|part| u64::from(part.bytes)).sum();
        if self.units.is_empty() || bytes <= most {
            return;
        }
        let mut parts: Vec<ScoredLines> = self.units.iter().map(|(unit, _)| *unit).collect();
        parts.iter_mut().for_each(|part| part.score = 0);
        for (place, part) in parts.iter_mut().enumerate().take(UNITS_OF_SAMPLE) {
            let is_header = place == 0;
            if is_header || u64::from(part.bytes) <= most {
                part.score = self.score.0.max(1);
            }
        }
        self.matches = vec![false; parts.len()];
        self.parts = parts;
        self.showing = Showing::Chosen;
    }

    /// Replaces its passages by its units, if it has any and none that matters has more bytes than `most`.
    pub(crate) fn show_units(&mut self, most: u64) {
        let is_too_long =
            |(unit, _): &(ScoredLines, u64)| unit.score == self.score.0 && u64::from(unit.bytes) > most;
        if self.showing == Showing::Passages && !self.units.is_empty() && !self.units.iter().any(is_too_long)
        {
            self.parts = self.units.iter().map(|(unit, _)| *unit).collect();
            self.matches = self.parts.iter().map(|unit| unit.score > 0).collect();
        } else {
            self.units = Vec::new();
        }
    }

    /// Replaces the passages of a table by those of its rows that match, and its header. Each further row counts less, so that
    /// a table with many leaves room for others.
    pub(crate) fn show_rows(&mut self) {
        const NEXT_PERCENT: i64 = 90;
        self.show_units(u64::MAX);
        let mut best: Vec<&mut ScoredLines> = self.parts.iter_mut().filter(|part| part.score > 0).collect();
        best.sort_by_key(|part| Reverse(part.score));
        let mut percent = 100;
        for part in best {
            part.score = (part.score * percent / 100).max(1);
            percent = (percent * NEXT_PERCENT / 100).max(1);
        }
        if let (false, true, Some(header)) =
            (self.units.is_empty(), self.matches.contains(&true), self.parts.first_mut())
        {
            header.score = self.score.0;
            self.matches[0] = true;
        }
    }

    /// What is shown, each with what it is recognised by if it is a unit.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (ScoredLines, Option<u64>)> {
        let likeness = |index: usize| self.units.get(index).map(|(_, likeness)| *likeness);
        self.parts.iter().enumerate().map(move |(index, part)| (*part, likeness(index)))
    }

    /// Sets which of what is shown has a value: those with a value above 0, the highest first.
    pub(crate) fn choose(&mut self, values: &[Score]) {
        if self.showing == Showing::Passages {
            self.showing = Showing::Chosen;
        }
        self.parts.iter_mut().zip(values).for_each(|(part, value)| part.score = value.0);
    }
}
