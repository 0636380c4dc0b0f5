//! From a text that was read to a document: made safe, numbered, measured.

use std::time::SystemTime;

use super::item::{Document, Outline, Reading};
use super::numbered::{numbered, numbered_outline};
use super::request::Reader;
use super::tallies::{hidden_tallies, secret_tallies};
use crate::account::Reason;
use crate::budget::Prefilter;
use crate::cache::{Cache, Checksum, Key, Record, Subject, Treatment};
use crate::entry::Lines;
use crate::format::{Format, Sections};
use crate::guard::{self, Cleaned, CleanedLines, Policies, SecretPolicy};
use crate::read::{Contents, Encoding, Stamp, Text};
use crate::select::Brought;
use ctx_outline::Language;
use ctx_tokens::{Measure, Tokenizer};

/// How much of a text is the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// All of it, in a language if it is the text of a source file.
    Whole(Option<Language>),
    /// Some lines.
    Lines(Lines),
}

impl Extent {
    fn lines(self) -> Option<Lines> {
        match self {
            Self::Whole(_) => None,
            Self::Lines(lines) => Some(lines),
        }
    }

    /// The language in which the text can be reduced to its outline.
    fn language(self) -> Option<Language> {
        match self {
            Self::Whole(language) => language,
            Self::Lines(_) => None,
        }
    }
}

/// How documents are made of texts.
pub(super) struct Making<'a> {
    pub(super) reader: &'a Reader,
    pub(super) format: Format,
    /// What else is in the block that a document could imitate.
    pub(super) sections: Sections,
    pub(super) tokenizer: Tokenizer,
    /// Whether anybody needs to know tokens.
    pub(super) counts: bool,
    /// Whether outlines are of use.
    pub(super) outlines: bool,
    pub(super) cache: Option<&'a Cache>,
    /// When the command began.
    pub(super) now: SystemTime,
}

impl Making<'_> {
    /// The document of a text; `None` if a rule of selection leaves it out in silence.
    pub(super) fn document(
        &self,
        contents: Contents<'_>,
        brought: &Brought,
        extent: Extent,
        prefilter: Option<&Prefilter>,
    ) -> Option<Reading> {
        let policies = self.reader.policies_for(brought);
        let stamp = contents.stamp.filter(|_| contents.text.encoding == Encoding::Utf8);
        let subject = stamp
            .and_then(|stamp| self.key(&stamp, policies, extent.lines()))
            .map(|key| Subject { key, checksum: Checksum::of(contents.text.text.as_bytes()) });
        let known = subject.and_then(|subject| {
            self.cache?.get(&subject.key).filter(|record| record.checksum() == subject.checksum)
        });
        let Text { text, encoding, lossy, bytes } = contents.text;
        let is_clean = known.is_some_and(|record| !record.found());
        let cleaned = match extent {
            Extent::Lines(lines) => {
                let policies = if is_clean { Policies::allowing_all() } else { policies };
                guard::clean_lines(text.into_owned(), lines, policies)
            }
            Extent::Whole(_) if is_clean => Ok(Cleaned::unchanged(text.into_owned()).into()),
            Extent::Whole(_) => Ok(guard::clean(text.into_owned(), policies).into()),
        };
        let (Cleaned { text, secrets, hidden }, lines) = match cleaned {
            Ok(CleanedLines { cleaned, range }) => (cleaned, range),
            Err(error) => {
                return Some(Reading::Skipped(Reason { code: "past-the-end", text: error.to_string() }));
            }
        };
        let (secrets, hidden) = (secret_tallies(&secrets), hidden_tallies(&hidden));
        let containing = self.reader.containing.as_ref().filter(|_| !brought.unfiltered);
        if containing.is_some_and(|regex| !regex.is_match(&text)) {
            return None;
        }
        if policies.secrets == SecretPolicy::Skip && !secrets.is_empty() {
            let kinds: Vec<&str> = secrets.iter().map(|tally| tally.kind.as_str()).collect();
            let text = format!("holds secrets: {}", kinds.join(", "));
            return Some(Reading::Skipped(Reason { code: "secrets", text }));
        }
        let language = extent.language().filter(|_| self.outlines);
        let outline = language.and_then(|language| self.outline(&text, language));
        let first_line = lines.map_or(1, |range| range.first);
        let text = if self.reader.line_numbers { numbered(&text, first_line) } else { text };
        let measure = match (known, prefilter) {
            (Some(record), _) => record.measure(),
            (None, Some(prefilter)) => match prefilter.assess(&text) {
                Some(measure) => measure,
                None => return Some(Reading::Dropped { bytes }),
            },
            (None, None) => self.measure(&text),
        };
        let found = !secrets.is_empty() || !hidden.is_empty();
        if let (Some(subject), Some(cache), None, true) = (subject, self.cache, known, self.counts)
            && let Some(record) = Record::new(subject, &measure, found)
        {
            cache.put(record);
        }
        let may_collide = self.format.may_collide(&text, self.sections);
        Some(Reading::Document(Document {
            text,
            measure,
            may_collide,
            bytes,
            encoding,
            lossy,
            secrets,
            hidden,
            lines,
            outline,
        }))
    }

    /// What a text declares; `None` if its outline is all of it.
    fn outline(&self, text: &str, language: Language) -> Option<Outline> {
        let outline = ctx_outline::outline(text, language);
        if outline.is_whole() {
            return None;
        }
        let text = match self.reader.line_numbers {
            true => numbered_outline(&outline),
            false => outline.render().to_owned(),
        };
        let measure = self.measure(&text);
        Some(Outline { text, measure })
    }

    /// What the cache knows of a file in this state.
    pub(super) fn record(&self, stamp: &Stamp, policies: Policies, lines: Option<Lines>) -> Option<Record> {
        self.cache?.get(&self.key(stamp, policies, lines)?)
    }

    fn measure(&self, text: &str) -> Measure {
        match self.counts {
            true => self.tokenizer.measure(text),
            false => Measure { tokens: 0, bytes: text.len() as u64, core: None },
        }
    }

    /// What the count cache knows such a file by; `None` where it may not be used.
    fn key(&self, stamp: &Stamp, policies: Policies, lines: Option<Lines>) -> Option<Key> {
        self.cache.filter(|_| stamp.is_settled(self.now))?;
        let treatment =
            Treatment { policies, line_numbers: self.reader.line_numbers, lines, tokenizer: self.tokenizer };
        Some(Key::of(stamp, &treatment))
    }
}
