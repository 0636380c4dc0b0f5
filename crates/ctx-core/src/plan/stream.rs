//! Printing texts that were not read yet: several threads read ahead, chunk by chunk, while one writes.
//!
//! What is known of such a text was learned from the file in a certain state. One that is no longer in it
//! is read like any other: what the new text holds is made safe too, and where it could be taken for a part
//! of the frame, whose beginning is printed already, or cannot be read, the document is left out: the block
//! is then that of the others.

#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::documents::{Document, Reading, Whole};
use super::{Origin, Plan, reading};
use crate::account::Reason;
use crate::budget::Fitted;
use crate::cache::Checksum;
use crate::format::{self, Around, Frame, Hazards, Labels};
use crate::read::{self, Page};
use crate::select::Place;

/// How many bytes a chunk has, about.
const CHUNK: u64 = 256 * 1024;

/// What became of a file that had changed when its turn came.
pub(super) struct Late {
    /// Its place among the readings.
    pub(super) place: usize,
    pub(super) reading: Reading,
}

/// A document that is printed.
struct Printed<'a> {
    /// Its place among the readings.
    place: usize,
    document: format::Document<'a>,
    /// Its length in bytes.
    bytes: u64,
    /// Where the whole text is, if only its ends are at hand.
    deferred: Option<Deferred<'a>>,
}

struct Deferred<'a> {
    file: &'a Place,
    whole: Whole,
    /// Whether a literal entry names it.
    named: bool,
}

/// Some documents in a row.
struct Chunk<'a> {
    /// How many documents come before.
    first: usize,
    documents: &'a [Printed<'a>],
}

/// A chunk as it is printed.
struct Filled {
    page: Page,
    /// How many documents it has.
    count: usize,
    late: Vec<Late>,
}

/// What one thread makes and gives to the one that writes, and the pages that come back empty.
struct Lane {
    filled: Receiver<Filled>,
    empty: Sender<Page>,
}

/// Prints the block and, after it, the prompt.
///
/// # Errors
/// What `out` says.
pub(super) fn write(
    plan: &Plan,
    fitted: &Fitted,
    out: &mut impl Write,
    prompt: Option<&str>,
) -> io::Result<Vec<Late>> {
    let candidates = plan.candidates();
    let frame = fitted.frame(&plan.layout());
    let printed: Vec<Printed<'_>> = fitted
        .documents(&candidates)
        .zip(documents(plan))
        .map(|(document, (place, known, deferred))| Printed {
            place,
            document,
            bytes: known.extent.bytes(),
            deferred,
        })
        .collect();
    let chunks = chunks(&printed);
    let (mut count, mut late) = (0, Vec::new());
    thread::scope(|scope| {
        let lanes: Vec<Lane> = (0..plan.world.threads.clamp(1, chunks.len().max(1)))
            .map(|lane| {
                let (sender, filled) = sync_channel(1);
                let (empty, returned) = channel();
                let (chunks, threads) = (&chunks, plan.world.threads.max(1));
                scope.spawn(move || {
                    fill(plan, &frame, chunks.iter().skip(lane).step_by(threads), &sender, &returned);
                });
                Lane { filled, empty }
            })
            .collect();
        for (lane, chunk) in lanes.iter().cycle().zip(&chunks) {
            let mut filled = lane.filled.recv().map_err(io::Error::other)?;
            if chunk.first != count && (count == 0 || frame.format.is_numbered()) {
                // Some before it were left out, and that shows in it.
                filled = filled_with(plan, &frame, chunk.documents, count, filled.page);
            }
            if count == 0 && filled.count > 0 {
                out.write_all(frame.opening().as_bytes())?;
            }
            count += filled.count;
            late.extend(filled.late);
            out.write_all(filled.page.bytes())?;
            // A thread that is done wants no more pages.
            let _ = lane.empty.send(filled.page);
        }
        Ok::<(), io::Error>(())
    })?;
    match count {
        0 => frame.write(out, [], prompt)?,
        _ => out.write_all(frame.closing(prompt).as_bytes())?,
    }
    Ok(late)
}

/// The documents, all of which are printed where texts are deferred, with their places.
fn documents(plan: &Plan) -> impl Iterator<Item = (usize, &Document, Option<Deferred<'_>>)> {
    plan.sources.iter().zip(&plan.readings).enumerate().filter_map(|(place, (source, reading))| {
        let Reading::Document(document) = reading else { return None };
        let deferred = match (&source.origin, document.whole_in) {
            (Origin::File { place: file, .. }, Some(whole)) => {
                Some(Deferred { file, whole, named: source.brought.named })
            }
            (Origin::File { .. } | Origin::Given | Origin::Unnameable, _) => None,
        };
        Some((place, document, deferred))
    })
}

fn chunks<'a>(printed: &'a [Printed<'a>]) -> Vec<Chunk<'a>> {
    let mut chunks = Vec::new();
    let (mut first, mut bytes) = (0, 0);
    for (place, document) in printed.iter().enumerate() {
        bytes += document.bytes;
        if bytes >= CHUNK || place + 1 == printed.len() {
            chunks.push(Chunk { first, documents: &printed[first..=place] });
            (first, bytes) = (place + 1, 0);
        }
    }
    chunks
}

/// Fills a page for each chunk, until nobody wants it.
fn fill<'a>(
    plan: &Plan,
    frame: &Frame<'_>,
    chunks: impl Iterator<Item = &'a Chunk<'a>>,
    filled: &SyncSender<Filled>,
    empty: &Receiver<Page>,
) {
    for chunk in chunks {
        let page = empty.try_recv().unwrap_or_default();
        if filled.send(filled_with(plan, frame, chunk.documents, chunk.first, page)).is_err() {
            return;
        }
    }
}

/// The documents that come after `first` others, in an old page.
fn filled_with(
    plan: &Plan,
    frame: &Frame<'_>,
    documents: &[Printed<'_>],
    first: usize,
    mut page: Page,
) -> Filled {
    page.clear();
    let (mut count, mut late) = (0, Vec::new());
    for printed in documents {
        let found = push(plan, frame, first + count, printed, &mut page);
        let is_printed = found.as_ref().is_none_or(|late| matches!(late.reading, Reading::Document(_)));
        count += usize::from(is_printed);
        late.extend(found);
    }
    Filled { page, count, late }
}

/// Adds a document that comes after `index` others; says so if it is not what was expected.
fn push(
    plan: &Plan,
    frame: &Frame<'_>,
    index: usize,
    printed: &Printed<'_>,
    page: &mut Page,
) -> Option<Late> {
    let start = page.bytes().len();
    let Around { before, after } = frame.around(index, &printed.document);
    page.push(before.as_bytes());
    match &printed.deferred {
        None => page.push(frame.format.body(printed.document.text).as_bytes()),
        Some(deferred) => {
            if push_whole(deferred, page).is_none() {
                page.truncate(start);
                return Some(push_late(plan, frame, index, printed, deferred, page));
            }
        }
    }
    page.push(after.as_bytes());
    None
}

/// Adds the text that a file is known to have, if it still has it.
fn push_whole(deferred: &Deferred<'_>, page: &mut Page) -> Option<()> {
    let start = page.bytes().len();
    let Whole { stamp, checksum } = &deferred.whole;
    read::again(deferred.file.open().ok()?, stamp, page).ok()?;
    (Checksum::of(&page.bytes()[start..]) == *checksum).then_some(())
}

/// Adds a document whose file has changed as it is now, or nothing of it.
fn push_late(
    plan: &Plan,
    frame: &Frame<'_>,
    index: usize,
    printed: &Printed<'_>,
    deferred: &Deferred<'_>,
    page: &mut Page,
) -> Late {
    let changed = || Reason { code: "changed", text: "changed while the block was being printed".to_owned() };
    let reading = match reading::read_now(plan, deferred.file, deferred.named) {
        Reading::Document(now)
            if collides(plan, &now) || now.is_forbidden(&plan.request.reading.policies) =>
        {
            Reading::Skipped(changed())
        }
        Reading::Document(now) => {
            let document = format::Document { label: printed.document.label, text: &now.text };
            let Around { before, after } = frame.around(index, &document);
            page.push(before.as_bytes());
            page.push(frame.format.body(&now.text).as_bytes());
            page.push(after.as_bytes());
            Reading::Document(now)
        }
        Reading::Passed | Reading::Dropped { .. } => Reading::Skipped(changed()),
        Reading::Skipped(reason) => Reading::Skipped(reason),
    };
    Late { place: printed.place, reading }
}

/// Whether a text could be taken for a part of the frame.
fn collides(plan: &Plan, document: &Document) -> bool {
    let labels = || Labels::new(plan.sources.iter().map(|source| source.label.as_str()));
    document.may_collide
        && Hazards::of(plan.request.form.format, &document.text, &labels()) != Hazards::default()
}
