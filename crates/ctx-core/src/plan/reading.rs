//! From files to documents: read, decoded, made safe, numbered, measured; several at a time.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::documents::{Document, Reading, Whole};
use super::numbered::numbered;
use super::tallies::{hidden_tallies, secret_tallies};
use super::{Detail, Known, Origin, Plan, PlanError, Progress, Reader, Request, Source};
use crate::account::Reason;
use crate::budget::{Expected, Extent, Layout, Sieve, Trim};
use crate::cache::{Cache, Checksum, Coreless, Key, Record, Subject, Treatment};
use crate::format::Format;
use crate::guard::{self, HiddenPolicy, Policies, SecretPolicy};
use crate::parallel::parallel;
use crate::read::{self, Contents, Encoding, Page, Stamp, Text, Unreadable};
use crate::select::{Kind, Place};
use crate::world::World;
use ctx_tokens::{Measure, Tokenizer};

/// How many files a worker takes at a time.
const CHUNK: usize = 8;

/// From this many files on, reading the smallest first is worth asking for their sizes.
const WORTH_SORTING: usize = 64;

/// From this many files on, the count cache is worth its reading.
const WORTH_CACHING: usize = 16;

/// Reads all sources, in their order.
pub(super) fn read_all(
    sources: &[Source],
    request: &Request,
    known: Known,
    world: &World,
) -> Result<Vec<Reading>, PlanError> {
    let given = request.given.as_ref().map(|given| read::decode(&given.bytes));
    if let (Some(given), Some(Err(error))) = (&request.given, &given) {
        return Err(PlanError::Given { label: given.label.clone(), reason: error.to_string() });
    }
    let given = given.and_then(Result::ok);
    let directory = request.cache.as_ref().filter(|_| sources.len() >= WORTH_CACHING);
    let cache = directory.map(|directory| Cache::at(directory.clone()));
    let sieve = sieve(request, sources);
    let job = Job {
        reader: &request.reading,
        format: request.form.format,
        tokenizer: request.measure.counter.tokenizer,
        counts: request.counts(),
        defers: known == Known::ReadLater
            && is_deferrable(request)
            && cache.as_ref().is_some_and(|cache| !cache.is_empty()),
        given: given.as_ref(),
        sieve: sieve.as_ref(),
        cache: cache.as_ref(),
        progress: request.progress.as_deref(),
        world,
    };
    if let Some(progress) = job.progress {
        progress.expect(sources.len());
    }
    let readings = job.read_all(sources);
    // A cache that cannot be written costs the next command some time, and nothing else.
    let _ = cache.map(|cache| cache.save());
    Ok(readings)
}

/// Reads a file that was expected to be another one.
pub(super) fn read_now(plan: &Plan, place: &Place, named: bool) -> Reading {
    let Request { reading, form, measure, .. } = &plan.request;
    let job = Job {
        reader: reading,
        format: form.format,
        tokenizer: measure.counter.tokenizer,
        counts: plan.request.counts(),
        defers: false,
        given: None,
        sieve: None,
        cache: None,
        progress: None,
        world: &plan.world,
    };
    or_reason(job.read_file(place, false, &mut Page::default()), named)
}

/// What comes of reading a file, which a literal entry may name.
fn or_reason(reading: Result<Reading, Unreadable>, named: bool) -> Reading {
    match reading {
        Ok(reading) => reading,
        Err(Unreadable::Binary) if !named => Reading::Passed,
        Err(error) => Reading::Skipped(Reason { code: error.code(), text: error.to_string() }),
    }
}

/// Why a file whose name is not text is not read.
fn not_utf8() -> Reason {
    Reason { code: "name-not-utf-8", text: "the name is not UTF-8; a pattern takes it".to_owned() }
}

/// Whether a text is not needed before it is printed if its measure and its ends are known.
fn is_deferrable(request: &Request) -> bool {
    let Reader { line_numbers, containing, .. } = &request.reading;
    let whole = request.measure.limit.is_none() && containing.is_none() && !line_numbers;
    let plain = request.form.format.is_framed_by_ends() && !request.form.guard;
    match request.detail {
        Detail::Block | Detail::Counts => whole && plain,
        Detail::Account => false,
    }
}

/// What is certain to be dropped need be neither kept nor counted, unless somebody wants to know all.
fn sieve<'a>(request: &Request, sources: &'a [Source]) -> Option<Sieve<'a>> {
    let limit = request.measure.limit?;
    let counter = request.measure.counter;
    let layout = Layout { format: request.form.format, guard: request.form.guard, tree: None };
    let expected = |source: &'a Source| Expected { label: source.label.as_str(), pin: source.brought.pin };
    let expected: Vec<Expected<'a>> = sources.iter().map(expected).collect();
    match (request.detail, request.measure.trim) {
        // What a tree takes is known only when all was read: decisions in order must wait for it.
        (Detail::Block, Trim::FirstFit | Trim::Truncate) if request.form.tree => None,
        (Detail::Block, trim) => Sieve::new(counter, layout, limit, trim, &expected),
        (Detail::Counts | Detail::Account, _) => None,
    }
}

struct Job<'a> {
    reader: &'a Reader,
    format: Format,
    tokenizer: Tokenizer,
    counts: bool,
    defers: bool,
    given: Option<&'a Text<'a>>,
    sieve: Option<&'a Sieve<'a>>,
    cache: Option<&'a Cache>,
    progress: Option<&'a Progress>,
    world: &'a World,
}

impl Job<'_> {
    fn read_all(&self, sources: &[Source]) -> Vec<Reading> {
        let slots: Vec<Mutex<Reading>> = sources.iter().map(|_| Mutex::new(Reading::Passed)).collect();
        let order = self.order(sources);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut buffer = Page::default();
            loop {
                let start = next.fetch_add(1, Ordering::Relaxed) * CHUNK;
                let Some(rest) = order.get(start..) else { return };
                let chunk = &rest[..CHUNK.min(rest.len())];
                for &place in chunk {
                    self.fill(&slots, place, &sources[place], &mut buffer);
                }
                if let Some(progress) = self.progress {
                    progress.advance(chunk.len());
                }
            }
        };
        let workers = self.world.threads.clamp(1, sources.len().div_ceil(CHUNK).max(1));
        thread::scope(|scope| {
            (1..workers).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        let readings =
            slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner));
        readings.zip(sources).map(|(reading, source)| self.shortened(reading, source.brought.pin)).collect()
    }

    /// In which order the sources are best read. Once the small ones are in, the sieve for the largest
    /// knows of every other one that it is too large after a few lines; and once the pinned ones are,
    /// a sieve in order knows what room there is for the others.
    fn order(&self, sources: &[Source]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..sources.len()).collect();
        let Some(sieve) = self.sieve else { return order };
        if sieve.is_in_order() {
            order.sort_by_key(|place| !sources[*place].brought.pin);
        } else if sources.len() >= WORTH_SORTING {
            let size = |source: &Source| match &source.origin {
                Origin::Given | Origin::Unnameable => 0,
                Origin::File { place, .. } => place.metadata().map_or(0, |metadata| metadata.size),
            };
            let sizes =
                parallel(sources, self.world.threads, |part| part.iter().map(size).collect::<Vec<_>>())
                    .concat();
            order.sort_by_key(|place| sizes[*place]);
        }
        order
    }

    /// Reads a source into its slot, and empties the slots of those that are now certain to go.
    fn fill(&self, slots: &[Mutex<Reading>], place: usize, source: &Source, buffer: &mut Page) {
        let slot = |place: usize| slots[place].lock().unwrap_or_else(PoisonError::into_inner);
        let reading = self.read(source, buffer);
        let mut own = slot(place);
        *own = reading;
        let Some(sieve) = self.sieve else { return };
        let gone = match &*own {
            Reading::Document(document) => sieve.admit(place, &document.candidate(source)),
            Reading::Dropped { .. } | Reading::Skipped(_) | Reading::Passed => sieve.pass(place),
        };
        drop(own);
        for place in gone {
            let mut slot = slot(place);
            if let Reading::Document(document) = &*slot
                && !document.has_findings()
            {
                *slot = Reading::Dropped { bytes: document.bytes };
            }
        }
    }

    /// Leaves of a text only what can still be shown of it.
    fn shortened(&self, reading: Reading, pin: bool) -> Reading {
        match (reading, self.sieve) {
            (Reading::Document(mut document), Some(sieve)) if !pin && !document.has_findings() => {
                if let Some(weighed) = sieve.shorten(&document.text, &document.extent) {
                    document.extent = weighed.cut(&mut document.text);
                }
                Reading::Document(document)
            }
            (reading, _) => reading,
        }
    }

    fn read(&self, source: &Source, buffer: &mut Page) -> Reading {
        let pin = source.brought.pin;
        let reading = match (&source.origin, self.given) {
            (Origin::Given, Some(text)) => {
                Ok(self.document(Contents { text: text.clone(), stamp: None }, pin))
            }
            (Origin::Given, None) => Err(Unreadable::NotFound),
            (Origin::Unnameable, _) => Ok(Reading::Skipped(not_utf8())),
            (Origin::File { place, .. }, _) => self.read_file(place, pin, buffer),
        };
        or_reason(reading, source.brought.named)
    }

    fn read_file(&self, place: &Place, pin: bool, buffer: &mut Page) -> Result<Reading, Unreadable> {
        if let Some(document) = self.deferred(place) {
            return Ok(Reading::Document(document));
        }
        let glance = read::glance(place.open()?, self.reader.limits, buffer)?;
        if !pin && self.is_surely_dropped(&glance.text().text) {
            return Ok(Reading::Dropped { bytes: glance.text().bytes });
        }
        Ok(self.document(glance.settle()?, pin))
    }

    fn document(&self, contents: Contents<'_>, pin: bool) -> Reading {
        let usable = contents.stamp.filter(|_| contents.text.encoding == Encoding::Utf8);
        let subject = usable
            .and_then(|stamp| self.key(&stamp))
            .map(|key| Subject { key, checksum: Checksum::of(contents.text.text.as_bytes()) });
        let record = subject.and_then(|subject| {
            self.cache?.get(&subject.key).filter(|record| record.checksum() == subject.checksum)
        });
        if let Some(record) = record.filter(|record| !record.found()) {
            return self.known(contents.text.text.into_owned(), record, pin);
        }
        let Text { text, encoding, lossy, bytes } = contents.text;
        let cleaned = guard::clean(text.into_owned(), self.reader.policies);
        if self.reader.containing.as_ref().is_some_and(|regex| !regex.is_match(&cleaned.text)) {
            return Reading::Passed;
        }
        let secrets = secret_tallies(&cleaned.secrets);
        if self.reader.policies.secrets == SecretPolicy::Skip && !secrets.is_empty() {
            let kinds: Vec<&str> = secrets.iter().map(|tally| tally.kind.as_str()).collect();
            return Reading::Skipped(Reason {
                code: "secrets",
                text: format!("holds secrets: {}", kinds.join(", ")),
            });
        }
        let hidden = hidden_tallies(&cleaned.hidden);
        let mut text = if self.reader.line_numbers { numbered(&cleaned.text) } else { cleaned.text };
        let may_collide = self.format.may_collide(&text);
        // What the policy forbids is told of every file, even of one that would be dropped.
        let forbidden = !secrets.is_empty() || !hidden.is_empty();
        let extent = match self.sieve.filter(|_| !pin && !forbidden).map(|sieve| sieve.weigh(&text)) {
            Some(Some(weighed)) => weighed.cut(&mut text),
            Some(None) => return Reading::Dropped { bytes },
            None => Extent::Whole(record.map_or_else(|| self.measure(&text), |record| record.measure())),
        };
        if let (Some(subject), Some(cache), None, true) = (subject, self.cache, record, self.counts)
            && let Extent::Whole(measure) = &extent
            && let Some(record) = Record::new(subject, self.tokenizer, measure, &text, forbidden)
        {
            cache.put(if may_collide { record } else { record.clear_of(self.format) });
        }
        let whole_in = None;
        Reading::Document(Document {
            text,
            extent,
            whole_in,
            may_collide,
            bytes,
            encoding,
            lossy,
            secrets,
            hidden,
        })
    }

    /// Whether a few lines are enough to know that a text is dropped, whatever else is in it.
    fn is_surely_dropped(&self, text: &str) -> bool {
        let Reader { policies, line_numbers, containing, .. } = self.reader;
        let decides = |policies: &Policies| match (policies.secrets, policies.hidden) {
            (SecretPolicy::Skip | SecretPolicy::Fail, _) | (_, HiddenPolicy::Fail) => true,
            (SecretPolicy::Redact | SecretPolicy::Allow, HiddenPolicy::Show | HiddenPolicy::Allow) => false,
        };
        let Some(sieve) = self.sieve.filter(|_| containing.is_none() && !decides(policies)) else {
            return false;
        };
        let most = sieve.telling_length();
        if text.len() <= most {
            return false;
        }
        guard::untouched_head(text, most, *policies).is_some_and(|head| {
            let head = if *line_numbers { Cow::Owned(numbered(head)) } else { Cow::Borrowed(head) };
            sieve.surely_drops(&head)
        })
    }

    /// A document of which all is known but its text: nothing was found in it before.
    fn known(&self, text: String, record: Record, pin: bool) -> Reading {
        let bytes = text.len() as u64;
        if self.reader.containing.as_ref().is_some_and(|regex| !regex.is_match(&text)) {
            return Reading::Passed;
        }
        let text = if self.reader.line_numbers { numbered(&text) } else { text };
        let may_collide = self.format.may_collide(&text);
        if let Some(cache) = self.cache.filter(|_| !may_collide && !record.is_clear_of(self.format)) {
            cache.put(record.clear_of(self.format));
        }
        let extent = Extent::Whole(record.measure());
        let document = Document { may_collide, bytes, ..clean_document(text, extent) };
        self.shortened(Reading::Document(document), pin)
    }

    /// A document whose text can wait until it is printed.
    fn deferred(&self, place: &Place) -> Option<Document> {
        let cache = self.cache.filter(|_| self.defers)?;
        let metadata = place.metadata().ok()?;
        if metadata.kind != Kind::Regular || metadata.size > self.reader.limits.max_bytes {
            return None;
        }
        let stamp = Stamp::of_metadata(&metadata)?;
        let record = cache.get(&self.key(&stamp)?)?;
        let Coreless { ends, measure } = record.coreless(self.format)?;
        let document = clean_document(ends, Extent::Ends(measure));
        let checksum = record.checksum();
        Some(Document { whole_in: Some(Whole { stamp, checksum }), ..document })
    }

    fn measure(&self, text: &str) -> Measure {
        match self.counts {
            true => self.tokenizer.measure(text),
            false => Measure { tokens: 0, bytes: text.len() as u64, core: None },
        }
    }

    /// What the count cache knows such a file by; `None` where it may not be used.
    fn key(&self, stamp: &Stamp) -> Option<Key> {
        self.cache.filter(|_| stamp.is_settled(self.world.now))?;
        let treatment = Treatment {
            policies: self.reader.policies,
            line_numbers: self.reader.line_numbers,
            tokenizer: self.tokenizer,
        };
        Some(Key::of(stamp, &treatment))
    }
}

/// A document in which nothing was found.
fn clean_document(text: String, extent: Extent) -> Document {
    Document {
        text,
        extent,
        whole_in: None,
        may_collide: false,
        bytes: extent.bytes(),
        encoding: Encoding::Utf8,
        lossy: false,
        secrets: Vec::new(),
        hidden: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
