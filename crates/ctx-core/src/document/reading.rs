//! From sources to documents, several at a time, in the order of the block.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use sha2::{Digest, Sha256};

use super::item::{CountedText, Document, Reading};
use super::making::{Handling, Look, Making, Ranking, TextExtent, numbered};
use super::prefilter::Prefilter;
use crate::budget::{Priority, Trim};
use crate::cache::{Cache, Checksum, Record};
use crate::entry::{Author, LevelOfDetail};
use crate::fs::{FileKind, FileMetadata};
use crate::guard;
use crate::parallel::{helper, parallel};
use crate::progress::Progress;
use crate::read::{self, Contents, Encoding, Page, Unreadable};
use crate::report::{Reason, ReasonCode};
use crate::request::{Detail, PlanError, Purpose, ReadOptions, Request};
use crate::select::FilePlace;
use crate::source::{Origin, Source};
use crate::world::World;
use ctx_outline::Language;
use ctx_search::{Digester, Scanner};
use ctx_tokens::Measure;

/// How many files a worker takes at once.
const CHUNK: usize = 8;

/// With at least this many files, it is worth asking for their sizes in order to read the smallest first.
const WORTH_SORTING: usize = 64;

pub(crate) struct SourceReader<'a> {
    request: &'a Request,
    making: Making<'a>,
    /// Finds documents that are certain to be dropped.
    prefilter: Option<Prefilter>,
    /// Whether these are counted, too.
    counts_dropped: bool,
    /// For each source, whether it is ranked before it is read.
    lazy: &'a [bool],
    /// What to find out about these sources.
    look: Look<'a>,
    /// When the passages of a document are ranked.
    ranking: Ranking,
    progress: Option<&'a Progress>,
    threads: usize,
    /// Whether a file turned out to differ from the cache's record for its stamp.
    was_misled: AtomicBool,
}

/// A source to read, with what is known about it beforehand. There may be a million, few of them with a record.
struct ToRead {
    place: usize,
    size: u64,
    /// The count cache's record for the file in its current state.
    record: Option<Box<Record>>,
    /// Whether that record has everything that a list tells about the document if it is dropped.
    is_told: bool,
    /// Whether the document is certain to be dropped.
    is_dropped: bool,
}

impl ToRead {
    /// The measure of the file in the cache.
    fn measure(&self) -> Option<Measure> {
        self.record.as_ref()?.measure()
    }

    /// Whether the file has more than this many tokens according to the cache.
    fn exceeds(&self, tokens: u64) -> bool {
        self.record.as_ref().is_some_and(|record| record.exceeds(tokens))
    }
}

impl<'a> SourceReader<'a> {
    pub(crate) fn new(
        request: &'a Request,
        cache: Option<&'a Cache>,
        lazy: &'a [bool],
        look: Look<'a>,
        scanner: Option<&'a Scanner<'a>>,
        ranking: Ranking,
        world: &'a World,
    ) -> Self {
        let (form, measure) = (&request.form, &request.measure);
        let is_searching = request.entries.iter().any(|scoped| scoped.entry.attributes.search);
        // Which references are dropped depends on all the others, so nothing is certain in advance.
        let refers = request.entries.iter().any(|scoped| scoped.author == Author::Prompt);
        // Documents with a condition only get the room that the others leave.
        let has_conditions = request.entries.iter().any(|scoped| !scoped.entry.attributes.when.is_empty());
        let counts_dropped = request.detail != Detail::Block;
        let is_bound = measure.ceiling.is_none() && request.purpose == Purpose::Block;
        let needs_texts =
            counts_dropped && (request.sums_everything || request.reader().is_some() || !is_bound);
        let is_certain = !is_searching && !refers && !has_conditions && !needs_texts;
        let prefilter = match (measure.limit, measure.trim) {
            (Some(limit), Trim::Largest | Trim::Outline) if is_certain => {
                Some(Prefilter::new(measure.counter, form.format, limit))
            }
            (_, Trim::Largest | Trim::Outline | Trim::Truncate | Trim::Relevant) => None,
        };
        let making = Making {
            reader: &request.reading,
            format: form.format,
            sections: request.sections(),
            tokenizer: measure.counter.tokenizer,
            counts: request.counts(),
            outlines: measure.limit.is_some() && measure.trim == Trim::Outline,
            query: request.query.as_ref(),
            scanner,
            cache,
            now: world.now,
        };
        let progress = request.progress.as_deref();
        Self {
            request,
            making,
            prefilter,
            counts_dropped,
            lazy,
            look,
            ranking,
            progress,
            threads: world.threads,
            was_misled: AtomicBool::new(false),
        }
    }

    pub(crate) fn read_all(&self, sources: &[Source]) -> Result<Vec<Reading>, PlanError> {
        // Sources that are never read are certain to be dropped.
        let unread = || Mutex::new(Reading::Dropped { bytes: 0 });
        let slots: Vec<Mutex<Reading>> = sources.iter().map(|_| unread()).collect();
        let turns = self.turns(sources, &slots);
        if let Some(progress) = self.progress {
            progress.expect(turns.len());
        }
        let next = AtomicUsize::new(0);
        let work = || {
            let (mut page, mut digester) = (Page::default(), Digester::default());
            loop {
                let start = next.fetch_add(1, Ordering::Relaxed) * CHUNK;
                let Some(rest) = turns.get(start..).filter(|rest| !rest.is_empty()) else {
                    return;
                };
                let chunk = &rest[..CHUNK.min(rest.len())];
                for turn in chunk {
                    self.fill(&slots, turn, &sources[turn.place], &mut page, &mut digester);
                }
                if let Some(progress) = self.progress {
                    progress.advance(chunk.len());
                }
            }
        };
        let workers = self.threads.clamp(1, turns.len().div_ceil(CHUNK).max(1));
        thread::scope(|scope| {
            (1..workers).for_each(|_| drop(helper(scope, work)));
            work();
        });
        if self.was_misled.load(Ordering::Relaxed) {
            return Err(PlanError::Unsettled);
        }
        let readings =
            slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner));
        let mut readings: Vec<Reading> = readings.collect();
        let is_gone =
            |reading: &Reading| matches!(reading, Reading::Dropped { .. } | Reading::Counted { .. });
        if readings.iter().any(is_gone) {
            let others = readings.iter_mut().zip(sources).filter(|(_, source)| !is_kept(source));
            for (reading, _) in others {
                if let Reading::Document(document) = reading
                    && let Some(outline) = &mut document.outline
                {
                    outline.is_needed = true;
                }
            }
        }
        Ok(readings)
    }

    /// The sources to read, in the best order: once the small files have been read, the prefilter recognises every
    /// other one as too large after a few lines. Sources that are certain to be dropped according to the cache are
    /// not read at all; their slots are filled here.
    fn turns(&self, sources: &[Source], slots: &[Mutex<Reading>]) -> Vec<ToRead> {
        let bare = |place| ToRead { place, size: 0, record: None, is_told: false, is_dropped: false };
        let Some(prefilter) = self.prefilter.as_ref().filter(|_| sources.len() >= WORTH_SORTING) else {
            return (0..sources.len()).map(bare).collect();
        };
        let places: Vec<usize> = (0..sources.len()).collect();
        let look = |part: &[usize]| part.iter().map(|at| self.look(*at, &sources[*at])).collect::<Vec<_>>();
        let mut turns: Vec<ToRead> = parallel(&places, self.threads, look).into_iter().flatten().collect();
        turns.sort_by_key(|turn| turn.size);
        let mut dropped = vec![false; sources.len()];
        for turn in &turns {
            if let Some(measure) = turn.measure() {
                let source = &sources[turn.place];
                let label = source.label.as_str();
                let gone = prefilter.offer(turn.place, label, &measure, None, is_kept(source));
                gone.into_iter().for_each(|place| dropped[place] = true);
            }
        }
        let most = prefilter.telling_tokens();
        turns.retain_mut(|turn| {
            let exceeds = turn.exceeds(most) && !is_kept(&sources[turn.place]);
            turn.is_dropped = dropped[turn.place] || exceeds;
            let unread = if turn.is_dropped { self.unread(turn) } else { None };
            let is_read = unread.is_none();
            if let Some(unread) = unread {
                *slots[turn.place].lock().unwrap_or_else(PoisonError::into_inner) = unread;
            }
            is_read
        });
        turns
    }

    /// The reading of a source whose record shows that it will be dropped; `None` if it has to be read first.
    fn unread(&self, turn: &ToRead) -> Option<Reading> {
        if !self.counts_dropped {
            return Some(Reading::Dropped { bytes: turn.size });
        }
        let is_told = turn.is_told && self.request.detail == Detail::Counts;
        let measure = turn.measure().filter(|_| is_told)?;
        let tokens = self.request.measure.counter.tokens_of(&measure);
        let text = CountedText { tokens, bytes: turn.size, sha256: None };
        Some(Reading::Counted { bytes: measure.bytes, text: Box::new(text) })
    }

    /// What is known about a source before it is opened.
    fn look(&self, place: usize, source: &Source) -> ToRead {
        let metadata = source.place().and_then(|place| place.metadata().ok());
        let handling = self.handling(source);
        let record = metadata.and_then(|metadata| self.known(&metadata, handling));
        let is_plain = handling.level == LevelOfDetail::Full && handling.ranking == Ranking::Never;
        let is_told = is_plain && record.is_some_and(|record| record.tells_all());
        let size = metadata.map_or(0, |metadata| metadata.stamp.size);
        ToRead { place, size, record: record.map(Box::new), is_told, is_dropped: false }
    }

    /// The cache's result for a file, if it is enough to drop it.
    fn known(&self, metadata: &FileMetadata, handling: Handling<'_>) -> Option<Record> {
        let reader = self.making.reader;
        if reader.containing.is_some()
            || reader.encoding_of(handling.selected_by).is_some()
            || self.may_be_outlined(handling)
            || metadata.kind != FileKind::Regular
            || metadata.stamp.size > reader.max_bytes
        {
            return None;
        }
        self.making.record(&metadata.stamp.identified()?, handling)
    }

    /// Whether the rule may print its outline instead; if so, its own tokens do not decide whether it is dropped.
    fn may_be_outlined(&self, handling: Handling<'_>) -> bool {
        self.making.outlines && handling.extent.language().is_some()
    }

    /// Reads a source into its slot, and empties the slots of sources that are now certain to be dropped.
    fn fill(
        &self,
        slots: &[Mutex<Reading>],
        turn: &ToRead,
        source: &Source,
        page: &mut Page,
        digester: &mut Digester,
    ) {
        let slot = |place: usize| slots[place].lock().unwrap_or_else(PoisonError::into_inner);
        let drops = |prefilter: &Prefilter| turn.exceeds(prefilter.telling_tokens());
        let exceeds = || !is_kept(source) && self.prefilter.as_ref().is_some_and(drops);
        let is_dropped = turn.is_dropped || exceeds();
        if is_dropped && let Some(reading) = self.unread(turn).or_else(|| self.hashed(turn, source, page)) {
            *slot(turn.place) = reading;
            return;
        }
        let reading = self.read(source, turn, page, digester);
        let (measure, outline) = match &reading {
            Reading::Document(document) => {
                (Some(document.measure), document.outline.as_ref().map(|outline| outline.measure))
            }
            Reading::Known(_)
            | Reading::Dropped { .. }
            | Reading::Counted { .. }
            | Reading::Listed { .. }
            | Reading::Skipped(_) => (None, None),
        };
        let offered = turn.measure();
        if offered.is_some() && offered != measure {
            self.was_misled.store(true, Ordering::Relaxed);
        }
        let gone = if is_dropped { self.dropped_reading(&reading) } else { None };
        *slot(turn.place) = gone.unwrap_or(reading);
        let Some(prefilter) = self.prefilter.as_ref().filter(|_| offered.is_none()) else { return };
        let Some(measure) = measure else { return };
        let label = source.label.as_str();
        for place in prefilter.offer(turn.place, label, &measure, outline.as_ref(), is_kept(source)) {
            let mut slot = slot(place);
            if let Some(gone) = self.dropped_reading(&slot) {
                *slot = gone;
            }
        }
    }

    /// The reading of a file that is certain to be dropped, with its hash but without making a document of it, if its
    /// record has everything else.
    fn hashed(&self, turn: &ToRead, source: &Source, page: &mut Page) -> Option<Reading> {
        let reader = self.making.reader;
        let measure = turn.measure().filter(|_| turn.is_told && !reader.line_numbers)?;
        let glance = read::glance(source.place()?.open().ok()?, reader.max_bytes, None, page).ok()?;
        let Contents { text, stamp } = glance.settle().ok()?;
        let is_same = |record: &Record| record.checksum() == Checksum::of(text.text.as_bytes());
        let record = self.making.record(&stamp?, self.handling(source)).filter(is_same);
        let sha256 = Some(Box::new(Sha256::digest(text.text.as_bytes()).into()));
        let tokens = self.request.measure.counter.tokens_of(&measure);
        let counted = Box::new(CountedText { tokens, bytes: text.bytes, sha256 });
        (record.as_ref() == turn.record.as_deref())
            .then_some(Reading::Counted { bytes: measure.bytes, text: counted })
    }

    /// The prefilter, if documents that are certain to be dropped need not be counted.
    fn prefilter_that_skips(&self) -> Option<&Prefilter> {
        self.prefilter.as_ref().filter(|_| !self.counts_dropped)
    }

    /// What remains of a reading that is certain to be dropped, if it is of a document that was made.
    fn dropped_reading(&self, reading: &Reading) -> Option<Reading> {
        if let Reading::Document(document) = reading { self.dropped(document) } else { None }
    }

    /// What remains of a document that is certain to be dropped; `None` if the account tells more about it.
    fn dropped(&self, document: &Document) -> Option<Reading> {
        if !self.counts_dropped {
            return Some(Reading::Dropped { bytes: document.bytes });
        }
        let is_hashed = self.request.detail == Detail::Account;
        let text = || CountedText {
            tokens: self.request.measure.counter.tokens_of(&document.measure),
            bytes: document.bytes,
            sha256: is_hashed.then(|| Box::new(Sha256::digest(document.text.as_bytes()).into())),
        };
        let bytes = document.whole_bytes();
        document.is_plain().then(|| Reading::Counted { bytes, text: Box::new(text()) })
    }

    fn read(&self, source: &Source, turn: &ToRead, page: &mut Page, digester: &mut Digester) -> Reading {
        // A source that was already offered to the prefilter is not offered again.
        let offered = is_kept(source) || turn.measure().is_some();
        let prefilter = self.prefilter_that_skips().filter(|_| !offered);
        let handling = self.handling(source);
        let is_lazy = self.lazy.get(turn.place).copied().unwrap_or(false);
        let reading = match &source.origin {
            Origin::Provided(Err(reason)) => Ok(Reading::Skipped(reason.clone())),
            Origin::Provided(Ok(bytes)) => {
                read::decode(bytes, self.making.reader.encoding_of(&source.selected_by))
                    .map(|text| self.making.document(Contents { text, stamp: None }, handling, prefilter))
            }
            Origin::File { place, .. } if is_lazy => self.know_file(place, handling, page, digester),
            Origin::File { place, .. } => self.read_file(place, handling, prefilter, page),
        };
        reading.unwrap_or_else(|error| Reading::Skipped(Reason::new(error.code(), error)))
    }

    /// Looks into a file, and returns the data to keep in place of its text.
    fn know_file(
        &self,
        place: &FilePlace,
        handling: Handling<'_>,
        page: &mut Page,
        digester: &mut Digester,
    ) -> Result<Reading, Unreadable> {
        let max_bytes = self.making.reader.max_bytes;
        let said = self.making.reader.encoding_of(handling.selected_by);
        let contents = match read::glance(place.open()?, max_bytes, said, page) {
            Err(Unreadable::Binary) => {
                return self.by_reader(place, |text| {
                    Reading::Known(Box::new(self.making.look_into(text, handling, self.look, digester)))
                });
            }
            glance => glance?.settle()?,
        };
        if handling.is_unsure(&contents.text) {
            return Ok(Reading::Skipped(ReasonCode::UnknownEncoding.into()));
        }
        if handling.leaves_out(&contents.text.text) {
            return Ok(Reading::Skipped(ReasonCode::WrittenByCtx.into()));
        }
        let contents = if handling.is_notebook { contents.with_notebook_rendered() } else { contents };
        Ok(Reading::Known(Box::new(self.making.look_into(contents, handling, self.look, digester))))
    }

    /// What becomes of the text that a reader makes of a file that is not text.
    fn by_reader(
        &self,
        place: &FilePlace,
        made: impl FnOnce(Contents<'_>) -> Reading,
    ) -> Result<Reading, Unreadable> {
        let ReadOptions { readers, max_bytes, .. } = self.making.reader;
        match readers.text(place, *max_bytes) {
            None => Err(Unreadable::Binary),
            Some(Err(reason)) => Ok(Reading::Skipped(reason)),
            Some(Ok(bytes)) => read::decode(&bytes, None).map(|text| made(Contents { text, stamp: None })),
        }
    }

    /// How to make a document from a source's text. Only files have outlines.
    fn handling<'s>(&self, source: &'s Source) -> Handling<'s> {
        let reader = self.making.reader;
        let allowed = reader.allowed_for(&source.selected_by);
        let label = source.path();
        let ranking = if self.request.ranks(source) { self.ranking } else { Ranking::Never };
        let level = source.selected_by.level.min(reader.level);
        let is_notebook =
            !reader.raw && source.place().is_some_and(|place| place.has_extension(read::NOTEBOOK_EXTENSION));
        let of_name = if is_notebook { Some(Language::Markdown) } else { Language::of_path(label) };
        let is_of_use = self.making.outlines || ranking != Ranking::Never || level == LevelOfDetail::Outline;
        // The name of a script usually has no extension.
        let is_script = is_of_use && !label.rsplit('/').next().is_some_and(|name| name.contains('.'));
        let of_script = || {
            let place = source.place().filter(|_| is_script)?;
            Language::of_first_line(&read::first_line(place.open().ok()?)?)
        };
        let language = of_name.or_else(of_script);
        let (extent, level) = match (source.place(), source.lines) {
            (_, Some(lines)) => {
                let language = language.filter(|_| source.is_rest);
                let level = if source.is_rest { level } else { LevelOfDetail::Full };
                (TextExtent::Lines(lines, language), level)
            }
            (Some(_), None) if source.selected_by.searched.is_some() => {
                (TextExtent::Whole(language), LevelOfDetail::Full)
            }
            (Some(_), None) => (TextExtent::Whole(language), level),
            (None, None) => (TextExtent::Whole(None), LevelOfDetail::Full),
        };
        Handling { label, selected_by: &source.selected_by, allowed, extent, level, ranking, is_notebook }
    }

    fn read_file(
        &self,
        place: &FilePlace,
        handling: Handling<'_>,
        prefilter: Option<&Prefilter>,
        buffer: &mut Page,
    ) -> Result<Reading, Unreadable> {
        let reader = self.making.reader;
        let said = reader.encoding_of(handling.selected_by);
        let glance = match read::glance(place.open()?, reader.max_bytes, said, buffer) {
            Err(Unreadable::Binary) => {
                return self.by_reader(place, |text| self.making.document(text, handling, prefilter));
            }
            glance => glance?,
        };
        if handling.is_unsure(glance.text()) {
            return glance.settle().map(|_| Reading::Skipped(ReasonCode::UnknownEncoding.into()));
        }
        if handling.is_notebook {
            let contents = glance.settle()?.with_notebook_rendered();
            return Ok(self.making.document(contents, handling, prefilter));
        }
        let text = glance.text();
        if handling.leaves_out(&text.text) {
            return glance.settle().map(|_| Reading::Skipped(ReasonCode::WrittenByCtx.into()));
        }
        let exceeded = prefilter.and_then(|prefilter| self.surely_too_many(prefilter, handling, &text.text));
        if let Some(exceeded) = exceeded {
            // A later change would show in the stamp of a settled file.
            if let (Some(stamp), Encoding::Utf8) = (glance.stamp(), text.encoding) {
                self.making.drop_by_stamp(&stamp, handling, exceeded);
            }
            return Ok(Reading::Dropped { bytes: text.bytes });
        }
        Ok(self.making.document(glance.settle()?, handling, prefilter))
    }

    /// The number of tokens that `text` exceeds, if a few lines are enough to know that it will be dropped.
    fn surely_too_many(&self, prefilter: &Prefilter, handling: Handling<'_>, text: &str) -> Option<u64> {
        let reader = self.making.reader;
        let Handling { allowed, extent, level, .. } = handling;
        let is_reduced = level != LevelOfDetail::Full || matches!(extent, TextExtent::Lines(..));
        let is_partial = is_reduced || self.may_be_outlined(handling);
        if is_partial || reader.containing.is_some() {
            return None;
        }
        prefilter.telling_lengths().into_iter().filter(|most| text.len() > *most).find_map(|most| {
            let head = guard::head(text, most)?;
            let shown = if reader.line_numbers {
                Cow::Owned(numbered(&head.to_owned().into(), 1).into_string())
            } else {
                Cow::Borrowed(head)
            };
            prefilter.surely_drops(&shown).filter(|_| guard::is_untouched(head, allowed))
        })
    }
}

/// Whether a source is never dropped.
fn is_kept(source: &Source) -> bool {
    Priority::of(&source.selected_by) >= Priority::Asked
}
