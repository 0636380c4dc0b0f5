//! Printing texts that were not read yet: several threads read ahead, chunk by chunk, while one writes.
//!
//! What is known of such a text was learned from the file in a certain state, and it must still be in
//! it: another text could be longer, or forge a part of the frame that is already printed.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::{Origin, Plan};
use crate::budget::Fitted;
use crate::format::{self, Around, Frame};
use crate::read::{self, Page, Stamp, Unreadable};
use crate::select::Place;

/// How many bytes a chunk has, about.
const CHUNK: u64 = 256 * 1024;

/// A file is no longer what it was when the block was planned.
#[derive(Debug, thiserror::Error)]
#[error("'{label}' changed while it was being printed: what was printed is not complete")]
pub struct Moved {
    label: String,
}

/// A document that is printed.
struct Printed<'a> {
    document: format::Document<'a>,
    /// Its length in bytes.
    bytes: u64,
    /// Where the whole text is, if only its ends are at hand.
    deferred: Option<Deferred<'a>>,
}

struct Deferred<'a> {
    place: &'a Place,
    stamp: Stamp,
}

/// Some documents in a row.
struct Chunk<'a> {
    /// How many documents come before.
    first: usize,
    documents: &'a [Printed<'a>],
}

/// What one thread makes and gives to the one that writes, and the pages that come back empty.
struct Lane {
    filled: Receiver<io::Result<Page>>,
    empty: Sender<Page>,
}

/// Prints the block and, after it, the prompt.
///
/// # Errors
/// What `out` says, or [`Moved`].
pub(super) fn write(
    plan: &Plan,
    fitted: &Fitted,
    out: &mut impl Write,
    prompt: Option<&str>,
) -> io::Result<()> {
    let candidates = plan.candidates();
    let frame = fitted.frame(&plan.layout());
    let printed: Vec<Printed<'_>> = fitted
        .documents(&candidates)
        .zip(plan.printed())
        .map(|(document, (source, known))| {
            let deferred = match (&source.origin, known.whole_in) {
                (Origin::File { place, .. }, Some(stamp)) => Some(Deferred { place, stamp }),
                (Origin::File { .. } | Origin::Given, _) => None,
            };
            Printed { document, bytes: known.extent.bytes(), deferred }
        })
        .collect();
    let chunks = chunks(&printed);
    out.write_all(frame.opening().as_bytes())?;
    thread::scope(|scope| {
        let lanes: Vec<Lane> = (0..plan.threads.clamp(1, chunks.len().max(1)))
            .map(|lane| {
                let (sender, filled) = sync_channel(1);
                let (empty, returned) = channel();
                let (chunks, threads) = (&chunks, plan.threads.max(1));
                scope.spawn(move || {
                    fill(&frame, chunks.iter().skip(lane).step_by(threads), &sender, &returned);
                });
                Lane { filled, empty }
            })
            .collect();
        for (lane, _) in lanes.iter().cycle().zip(&chunks) {
            let page = lane.filled.recv().map_err(io::Error::other)??;
            out.write_all(page.bytes())?;
            // A thread that is done wants no more pages.
            let _ = lane.empty.send(page);
        }
        Ok::<(), io::Error>(())
    })?;
    out.write_all(frame.closing(prompt).as_bytes())
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

/// Fills a page for each chunk, until that fails or nobody wants it.
fn fill<'a>(
    frame: &Frame<'_>,
    chunks: impl Iterator<Item = &'a Chunk<'a>>,
    filled: &SyncSender<io::Result<Page>>,
    empty: &Receiver<Page>,
) {
    for chunk in chunks {
        let page = filled_with(frame, chunk, empty.try_recv().unwrap_or_default());
        let failed = page.is_err();
        if filled.send(page).is_err() || failed {
            return;
        }
    }
}

fn filled_with(frame: &Frame<'_>, chunk: &Chunk<'_>, mut page: Page) -> io::Result<Page> {
    page.clear();
    for (place, printed) in (chunk.first..).zip(chunk.documents) {
        let Around { before, after } = frame.around(place, &printed.document);
        page.push(before.as_bytes());
        match &printed.deferred {
            None => page.push(frame.format.body(printed.document.text).as_bytes()),
            Some(deferred) => {
                let opened = deferred.place.open().map_err(Unreadable::from);
                let read = opened.and_then(|file| read::again(file, &deferred.stamp, &mut page));
                read.map_err(|_| Moved { label: printed.document.label.to_owned() })
                    .map_err(io::Error::other)?;
            }
        }
        page.push(after.as_bytes());
    }
    Ok(page)
}
