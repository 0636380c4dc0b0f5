//! Turns text into documents: makes it safe, numbers its lines, and measures it.

use std::time::SystemTime;

use super::item::{Document, KnownFile, Reading};
use super::prefilter::Prefilter;
use super::relevance::Relevance;
use crate::budget::{Outline, next_lines};
use crate::cache::{Cache, Checksum, Key, Record, TextKind, Treatment};
use crate::entry::{Allowed, LevelOfDetail, Lines};
use crate::format::{Format, Sections, begins_output};
use crate::guard::{self, CleanLines, CleanText, TextBuilder};
use crate::models::Tokenizer;
use crate::read::{Contents, DecodedText, Encoding, Stamp};
use crate::report::{Reason, ReasonCode};
use crate::request::ReadOptions;
use crate::select::SelectedBy;
use ctx_outline::Language;
use ctx_search::{Digester, Query, Scan, Scanner, Text, WordCache, is_table};
use ctx_tokens::Measure;

/// Which part of the text becomes the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextExtent {
    /// The whole text, with its language if it is a source file.
    Whole(Option<Language>),
    /// Some lines; with the language if they are the rest of a source file, which competes like a whole one.
    Lines(Lines, Option<Language>),
}

impl TextExtent {
    fn lines(self) -> Option<Lines> {
        match self {
            Self::Whole(_) => None,
            Self::Lines(lines, _) => Some(lines),
        }
    }

    /// The language in which the text can be reduced to its outline.
    pub(crate) fn language(self) -> Option<Language> {
        match self {
            Self::Whole(language) | Self::Lines(_, language) => language,
        }
    }
}

/// The settings for turning text into documents.
pub(crate) struct Making<'a> {
    pub(crate) reader: &'a ReadOptions,
    pub(crate) format: Format,
    /// The other parts of the block that a document could imitate.
    pub(crate) sections: Sections,
    pub(crate) tokenizer: Tokenizer,
    /// Whether token counts are needed.
    pub(crate) counts: bool,
    /// Whether outlines are needed.
    pub(crate) outlines: bool,
    /// The query that passages are ranked for; without one, they are ranked by how the documents import each
    /// other.
    pub(crate) query: Option<&'a Query>,
    /// The scanner for the words of the query.
    pub(crate) scanner: Option<&'a Scanner<'a>>,
    pub(crate) cache: Option<&'a Cache>,
    /// When the command started.
    pub(crate) now: SystemTime,
}

/// What to find out about files that are ranked before they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Look<'a> {
    /// The words of the query in them, to find the files that matter more.
    Words(&'a Scanner<'a>),
    /// Their passages, with the words of a query.
    Passages(Option<&'a Query>),
}

/// How to make a document from text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Handling<'a> {
    /// The path in its label in the block.
    pub(crate) label: &'a str,
    pub(crate) selected_by: &'a SelectedBy,
    pub(crate) allowed: Allowed,
    pub(crate) extent: TextExtent,
    /// The requested level of detail.
    pub(crate) level: LevelOfDetail,
    /// Whether and when its passages are ranked.
    pub(crate) ranking: Ranking,
    /// Whether it is a notebook, whose cells are the text.
    pub(crate) is_notebook: bool,
}

/// When the passages of a document are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ranking {
    /// Never.
    Never,
    /// Together with the passages of the documents that are read along with it.
    Next,
    /// They were ranked before it was read again.
    Before,
}

impl Handling<'_> {
    /// Whether a file with this text is left out because it was printed earlier, and only a pattern
    /// or directory finds it.
    pub(crate) fn leaves_out(&self, text: &str) -> bool {
        !self.selected_by.named && begins_output(text)
    }

    /// Whether a file with this text is left out because its encoding is uncertain, and only a pattern or directory
    /// finds it.
    pub(crate) fn is_unsure(&self, text: &DecodedText<'_>) -> bool {
        !self.selected_by.named && text.encoding.is_unsure()
    }

    /// Why only the name is printed, if so.
    fn reduction_to_name(&self) -> Option<ReasonCode> {
        match (self.level, self.extent.language()) {
            (LevelOfDetail::Name, _) => Some(ReasonCode::ReducedToName),
            (LevelOfDetail::Outline, None) => Some(ReasonCode::WithoutOutline),
            (LevelOfDetail::Outline, Some(_)) | (LevelOfDetail::Full, _) => None,
        }
    }
}

impl Making<'_> {
    /// Makes a document from `contents`, or returns the reason why there isn't one.
    pub(crate) fn document(
        &self,
        contents: Contents<'_>,
        handling: Handling<'_>,
        prefilter: Option<&Prefilter>,
    ) -> Reading {
        let Handling { label, selected_by, allowed, extent, level, ranking, .. } = handling;
        let ranked = ranking != Ranking::Never;
        let stamp = contents.stamp.filter(|_| contents.text.encoding == Encoding::Utf8);
        let key = |level| self.key(&stamp?, handling, level);
        let (whole, outlined) = (key(level), key(LevelOfDetail::Outline));
        let is_told_apart = ranked || whole.is_some() || outlined.is_some();
        let checksum =
            if is_told_apart { Checksum::of(contents.text.text.as_bytes()) } else { Checksum::NONE };
        let scan = match (ranking, self.scanner) {
            (Ranking::Next, Some(scanner)) => {
                scanner.scan(label, &contents.text.text, &mut WordCache::default())
            }
            (Ranking::Next | Ranking::Never | Ranking::Before, _) => Scan::default(),
        };
        let known = whole.and_then(|key| self.known(&key, checksum));
        let known_measure = known.and_then(|record| record.measure());
        let DecodedText { text, encoding, lossy, bytes } = contents.text;
        let is_told = lossy || matches!(extent, TextExtent::Lines(..)) || begins_output(&text);
        let is_clean = known.is_some_and(|record| !record.found());
        let allowed = if is_clean { Allowed::ALL_CONTENTS } else { allowed };
        let text = text.into_owned();
        let (text, lines) = match extent {
            TextExtent::Lines(lines, _) => match guard::clean_lines(text, lines, allowed) {
                Ok(CleanLines { text, lines }) => (text, Some(lines)),
                Err(error) => return Reading::Skipped(Reason::new(ReasonCode::PastTheEnd, error)),
            },
            // Nothing is searched for if everything is allowed.
            TextExtent::Whole(_) if allowed == Allowed::ALL_CONTENTS => (text.into(), None),
            TextExtent::Whole(_) => (guard::clean_document(text, allowed), None),
        };
        let bytes = lines.map_or(bytes, |_| text.len() as u64);
        let containing = self.reader.containing.as_ref().filter(|_| !selected_by.typed);
        if containing.is_some_and(|regex| !regex.is_match(&text)) {
            return Reading::Skipped(ReasonCode::NotContaining.into());
        }
        if let Some(because) = handling.reduction_to_name() {
            return Reading::Listed { bytes, because };
        }
        let kind = kind(&text, is_told);
        let is_of_use = self.outlines || ranked || level == LevelOfDetail::Outline;
        let language = extent.language().filter(|_| is_of_use);
        let outline = language.map(|language| ctx_outline::outline(&text, language));
        let mut relevance = match ranking {
            Ranking::Never => None,
            Ranking::Next => Some(Relevance::of(checksum, label, &text, outline.as_ref(), self.query, scan)),
            Ranking::Before => Some(Relevance::of_lines(checksum, outline.as_ref())),
        };
        if is_table(label) && lines.is_none() {
            relevance = relevance.map(|relevance| relevance.with_header_row(&text));
        }
        let first_line = lines.map_or(1, |lines| lines.first);
        let outline = outline.filter(|outline| !outline.is_whole());
        let outline = outline
            .map(|outline| (self.printed(&outline, &text, first_line), outline.kept().collect::<Vec<_>>()));
        let numbered =
            |text: CleanText| if self.reader.line_numbers { numbered(&text, first_line) } else { text };
        let wants_outline = level == LevelOfDetail::Outline;
        let (text, kept, outline) = match outline {
            Some((outline, kept)) if wants_outline => {
                relevance = relevance.map(|relevance| relevance.with_whole(numbered(text)));
                (outline, Some(kept), None)
            }
            Some((outline, kept)) => {
                let Ok(measure) = self.assessed(outlined, checksum, &outline, kind, prefilter) else {
                    return Reading::Dropped { bytes };
                };
                let outline = Outline { text: outline, kept, measure, is_needed: false };
                (numbered(text), None, Some(Box::new(outline)))
            }
            None => (numbered(text), None, None),
        };
        let prefilter = prefilter.filter(|_| outline.is_none());
        let measure = match (known_measure, prefilter) {
            (Some(measure), _) => measure,
            (None, Some(prefilter)) => match prefilter.assess(&text) {
                Ok(measure) => measure,
                Err(exceeded) => {
                    let is_bound = kind != TextKind::Found;
                    self.keep_bound(whole.filter(|_| is_bound), checksum, exceeded);
                    return Reading::Dropped { bytes };
                }
            },
            (None, None) => self.measure(&text),
        };
        if known_measure.is_none() {
            self.keep(whole, checksum, &measure, kind);
        }
        let may_collide = self.format.may_collide(&text, self.sections);
        Reading::Document(Box::new(Document {
            text,
            outlined: kept,
            measure,
            may_collide,
            bytes,
            encoding,
            lossy,
            lines,
            outline,
            relevance: relevance.map(Box::new),
        }))
    }

    /// The printed form of the outline of `text`, whose first line has the number `first`.
    fn printed(&self, outline: &ctx_outline::Outline<'_>, text: &CleanText, first: u64) -> CleanText {
        if self.reader.line_numbers {
            outlined(text, outline, Some(first))
        } else if text.replacements().is_empty() {
            outline.render().into_owned().into()
        } else {
            outlined(text, outline, None)
        }
    }

    /// Extracts the data to keep in place of a file's text.
    pub(crate) fn look_into(
        &self,
        contents: Contents<'_>,
        handling: Handling<'_>,
        look: Look<'_>,
        digester: &mut Digester,
    ) -> KnownFile {
        let Handling { label, allowed, level, .. } = handling;
        let DecodedText { text, bytes, .. } = contents.text;
        let (scan, relevance) = match look {
            Look::Words(scanner) => (scanner.scan(label, &text, digester.words()), None),
            Look::Passages(query) => {
                let checksum = Checksum::of(text.as_bytes());
                let text = guard::clean_document(text.into_owned(), allowed);
                let outline =
                    handling.extent.language().map(|language| ctx_outline::outline(&text, language));
                let text = Text { path: label, text: &text, outline: outline.as_ref() };
                let digest = digester.digest(&text, query);
                (Scan::default(), Some(Box::new(Relevance::of_digest(checksum, digest, level))))
            }
        };
        KnownFile { bytes, scan, relevance }
    }

    /// The cache's record for a file in this state.
    pub(crate) fn record(&self, stamp: &Stamp, handling: Handling<'_>) -> Option<Record> {
        self.cache?.get(&self.key(stamp, handling, handling.level)?)
    }

    /// The cache's record for a key, if its checksum matches and the document was counted to its end.
    fn known(&self, key: &Key, checksum: Checksum) -> Option<Record> {
        let is_counted = |record: &Record| record.measure().is_some();
        self.cache?.get(key).filter(|record| record.checksum() == checksum).filter(is_counted)
    }

    /// Records that a file in this state has too many tokens. Its text was not read to its end and has no
    /// checksum, so the record is only ever used to drop the file.
    pub(crate) fn drop_by_stamp(&self, stamp: &Stamp, handling: Handling<'_>, exceeded: u64) {
        self.keep_bound(self.key(stamp, handling, handling.level), Checksum::NONE, exceeded);
    }

    fn keep_bound(&self, key: Option<Key>, checksum: Checksum, exceeded: u64) {
        if let (Some(key), Some(cache), true) = (key, self.cache, self.counts)
            && let Some(record) = Record::more_than(key, checksum, exceeded)
        {
            cache.put(record);
        }
    }

    fn keep(&self, key: Option<Key>, checksum: Checksum, measure: &Measure, kind: TextKind) {
        if let (Some(key), Some(cache), true) = (key, self.cache, self.counts)
            && let Some(record) = Record::new(key, checksum, measure, kind)
        {
            cache.put(record);
        }
    }

    /// The measure of an outline, from the cache if available.
    ///
    /// # Errors
    /// If the document is certain to be dropped.
    fn assessed(
        &self,
        key: Option<Key>,
        checksum: Checksum,
        outline: &str,
        kind: TextKind,
        prefilter: Option<&Prefilter>,
    ) -> Result<Measure, u64> {
        let known = key.and_then(|key| self.known(&key, checksum));
        if let Some(measure) = known.and_then(|record| record.measure()) {
            return Ok(measure);
        }
        let measure = match prefilter {
            Some(prefilter) => prefilter.assess(outline)?,
            None => self.measure(outline),
        };
        self.keep(key, checksum, &measure, kind);
        Ok(measure)
    }

    fn measure(&self, text: &str) -> Measure {
        if self.counts {
            self.tokenizer.measure(text)
        } else {
            Measure { tokens: 0, bytes: text.len() as u64, core: None }
        }
    }

    /// The key of the file in the count cache; `None` if the cache must not be used for it.
    fn key(&self, stamp: &Stamp, handling: Handling<'_>, level: LevelOfDetail) -> Option<Key> {
        self.cache.filter(|_| stamp.is_settled(self.now))?;
        let Handling { allowed, extent, is_notebook, .. } = handling;
        let treatment = Treatment {
            allowed,
            line_numbers: self.reader.line_numbers,
            notebook: is_notebook,
            lines: extent.lines(),
            level,
            language: extent.language().filter(|_| level == LevelOfDetail::Outline),
            tokenizer: self.tokenizer,
        };
        Some(Key::of(stamp, &treatment))
    }
}

/// What is known about a text besides its tokens; `is_told` is set if an account tells more about it.
fn kind(text: &CleanText, is_told: bool) -> TextKind {
    match (text.replacements().is_empty(), is_told) {
        (false, _) => TextKind::Found,
        (true, true) => TextKind::Clean,
        (true, false) => TextKind::Plain,
    }
}

/// `text` with `N: ` before each line, counted from `first`.
pub(crate) fn numbered(text: &CleanText, first: u64) -> CleanText {
    let mut numbered = TextBuilder::of(text, text.len() + text.len() / 8);
    let mut at = 0;
    for (number, line) in (first..).zip(text.split_inclusive('\n')) {
        numbered.push(&format!("{number}: "));
        numbered.keep(at..at + line.len());
        at += line.len();
    }
    numbered.finish()
}

/// The outline of `text`, with `N: ` before each line as in [`numbered`] if the number of its first line is given.
fn outlined(text: &CleanText, outline: &ctx_outline::Outline<'_>, first: Option<u64>) -> CleanText {
    let rendered = outline.render();
    let mut outlined = TextBuilder::of(text, rendered.len() * 9 / 8);
    let mut omitted = outline.omitted().iter().peekable();
    let mut rest = text.as_str();
    let mut number = 1;
    for line in rendered.split_inclusive('\n') {
        if let Some(run) = omitted.next_if(|run| run.first == number) {
            outlined.push(line);
            next_lines(&mut rest, run.count());
            number = run.last + 1;
        } else {
            if let Some(first) = first {
                outlined.push(&format!("{}: ", number as u64 + first - 1));
            }
            let at = text.len() - rest.len();
            outlined.keep(at..at + next_lines(&mut rest, 1).len());
            number += 1;
        }
    }
    outlined.finish()
}

#[cfg(test)]
mod tests {
    use ctx_outline::{Language, outline};

    use super::{numbered, outlined};
    use crate::guard::CleanText;

    #[test]
    fn numbered_outline_keeps_the_numbers_of_the_source_file() {
        let source = "use a::b;\n\nfn one() {\n    b();\n    b();\n    b();\n    b();\n}\n\nfn two() {}\n";
        let outline = outline(source, Language::Rust);
        let text = CleanText::from(source.to_owned());
        assert_eq!(outlined(&text, &outline, None).as_str(), outline.render());
        assert_eq!(
            outlined(&text, &outline, Some(1)).as_str(),
            "1: use a::b;\n2: \n3: fn one() {\n[… 4 lines omitted …]\n8: }\n9: \n10: fn two() {}\n"
        );
    }

    #[test]
    fn every_line_gets_a_number_and_keeps_its_line_end() {
        for (text, first, expected) in
            [("x\r\n\ny", 1, "1: x\r\n2: \n3: y"), ("", 1, ""), ("a\nb\n", 10, "10: a\n11: b\n")]
        {
            assert_eq!(numbered(&CleanText::from(text.to_owned()), first).as_str(), expected);
        }
    }
}
