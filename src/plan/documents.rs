//! From files to documents: read, decoded, made safe, numbered, measured; several at a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::numbered::numbered;
use super::{Origin, PlanError, Reader, Request, Source};
use crate::account::{Reason, Tally};
use crate::guard::hidden::HiddenFinding;
use crate::guard::secrets::Finding;
use crate::guard::{self, HiddenPolicy, Policies, SecretPolicy};
use crate::read::{self, Encoding, Text, Unreadable};
use crate::tokens::{Measure, Tokenizer};

/// How many files a worker takes at a time.
const CHUNK: usize = 32;

/// A text that can be printed, and what had to be done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The text as it is counted, hashed and printed.
    pub text: String,
    /// Its tokens.
    pub measure: Measure,
    /// How its bytes were encoded.
    pub encoding: Encoding,
    /// Secrets that were found, by kind.
    pub secrets: Vec<Tally>,
    /// Hidden characters that were found, by code point.
    pub hidden: Vec<Tally>,
}

/// What came of reading a source.
#[derive(Debug, Clone)]
pub enum Reading {
    /// It can be printed.
    Document(Document),
    /// It cannot or must not be read.
    Skipped(Reason),
    /// A rule passes it over in silence: it counts as not selected.
    Passed,
}

/// Reads all sources, in their order.
pub(super) fn read_all(
    sources: &[Source],
    request: &Request,
    threads: usize,
) -> Result<Vec<Reading>, PlanError> {
    let given = request.given.as_ref().map(|given| read::decode(&given.bytes));
    if let (Some(given), Some(Err(error))) = (&request.given, &given) {
        return Err(PlanError::Given { label: given.label.clone(), reason: error.to_string() });
    }
    let given = given.and_then(Result::ok);
    let job =
        Job { reader: &request.reading, tokenizer: request.measure.counter.tokenizer, given: given.as_ref() };
    let next = AtomicUsize::new(0);
    let chunks: Vec<&[Source]> = sources.chunks(CHUNK).collect();
    let work = || {
        let mut buffer = Vec::new();
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = chunks.get(place) else { return done };
            let readings: Vec<Reading> = chunk.iter().map(|source| job.read(source, &mut buffer)).collect();
            done.push((place, readings));
        }
    };
    let workers = threads.clamp(1, chunks.len().max(1));
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(place, _)| *place);
    Ok(done.into_iter().flat_map(|(_, readings)| readings).collect())
}

/// Leaves out what was passed over.
pub(super) fn without_passed(sources: Vec<Source>, readings: &mut Vec<Reading>) -> Vec<Source> {
    let kept = sources
        .into_iter()
        .zip(readings.iter())
        .filter(|(_, reading)| !matches!(reading, Reading::Passed))
        .map(|(source, _)| source)
        .collect();
    readings.retain(|reading| !matches!(reading, Reading::Passed));
    kept
}

/// Fails where the policy is to fail.
pub(super) fn enforce(
    policies: &Policies,
    sources: &[Source],
    readings: &[Reading],
) -> Result<(), PlanError> {
    let forbidden = |what, found: fn(&Document) -> &Vec<Tally>| {
        let files: Vec<String> = sources
            .iter()
            .zip(readings)
            .filter_map(|(source, reading)| match reading {
                Reading::Document(document) if !found(document).is_empty() => {
                    let kinds: Vec<&str> = found(document).iter().map(|tally| tally.kind.as_str()).collect();
                    Some(format!("'{}' ({})", source.label, kinds.join(", ")))
                }
                Reading::Document(_) | Reading::Skipped(_) | Reading::Passed => None,
            })
            .collect();
        if files.is_empty() { Ok(()) } else { Err(PlanError::Forbidden { what, files }) }
    };
    if policies.secrets == SecretPolicy::Fail {
        forbidden("secrets", |document| &document.secrets)?;
    }
    if policies.hidden == HiddenPolicy::Fail {
        forbidden("hidden characters", |document| &document.hidden)?;
    }
    Ok(())
}

struct Job<'a> {
    reader: &'a Reader,
    tokenizer: Tokenizer,
    given: Option<&'a Text>,
}

impl Job<'_> {
    fn read(&self, source: &Source, buffer: &mut Vec<u8>) -> Reading {
        let text = match (&source.origin, self.given) {
            (Origin::Given, Some(text)) => Ok(text.clone()),
            (Origin::Given, None) => Err(Unreadable::NotFound),
            (Origin::File(file), _) => file
                .place
                .open()
                .map_err(Unreadable::from)
                .and_then(|file| read::read(file, self.reader.limits, buffer)),
        };
        match text {
            Ok(text) => self.document(text),
            Err(Unreadable::Binary) if !source.brought.named => Reading::Passed,
            Err(error) => Reading::Skipped(Reason { code: error.code(), text: error.to_string() }),
        }
    }

    fn document(&self, text: Text) -> Reading {
        let Text { text, encoding, .. } = text;
        let cleaned = guard::clean(text, self.reader.policies);
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
        let text = if self.reader.line_numbers { numbered(&cleaned.text) } else { cleaned.text };
        let measure = self.tokenizer.measure(&text);
        let hidden = hidden_tallies(&cleaned.hidden);
        Reading::Document(Document { text, measure, encoding, secrets, hidden })
    }
}

fn secret_tallies(findings: &[Finding]) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = Vec::new();
    for finding in findings {
        let kind = finding.kind.name();
        match tallies.iter_mut().find(|tally| tally.kind == kind) {
            Some(tally) => tally.count += 1,
            None => tallies.push(Tally { kind: kind.to_owned(), count: 1 }),
        }
    }
    tallies
}

fn hidden_tallies(findings: &[HiddenFinding]) -> Vec<Tally> {
    let kind = |char: char| format!("U+{:04X}", u32::from(char));
    findings.iter().map(|finding| Tally { kind: kind(finding.char), count: finding.count }).collect()
}
