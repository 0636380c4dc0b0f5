//! Finds out which documents the rules `largest` and `outline` are certain to drop, while documents are still
//! being read.
//!
//! Each document adds at least some tokens to a block, whatever its level of detail. Once the documents that
//! are smaller than a given one (or as large, but earlier) exceed the limit on their own, even at their
//! lowest level of detail, the rule will drop the given one before the block can fit. So that document need
//! not be counted to its end or kept in memory. The prefilter never guesses: the decision on what passes is
//! the same as if everything had passed.

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::budget::least_units;
use crate::format::Format;
use crate::models::{Counter, Tokenizer};
use ctx_tokens::Measure;

/// Text with more than this many bytes per token of the limit is counted up to the limit before it is
/// measured.
const LONG: u64 = 16;

/// Accepts documents in any order and from several threads; the result depends on neither.
#[derive(Debug)]
pub struct Prefilter {
    counter: Counter,
    format: Format,
    limit: u64,
    /// A document with more tokens than this is certain to be dropped.
    bound: AtomicU64,
    /// The tokens of the smallest document so far. If nothing fits, the error names the smallest.
    smallest: AtomicU64,
    kept: Mutex<KeptUnits>,
}

#[derive(Debug, Default)]
struct KeptUnits {
    units: u64,
    is_pinned: bool,
    /// Of the dropped documents, the one that the rule drops last.
    smallest_dropped: Option<SizedDocument>,
    largest: BinaryHeap<SizedDocument>,
}

/// A document and its size. The rule drops the greatest one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SizedDocument {
    tokens: u64,
    place: usize,
    units: u64,
}

impl Prefilter {
    /// A prefilter for a block of at most `limit` tokens.
    #[must_use]
    pub fn new(counter: Counter, format: Format, limit: u64) -> Self {
        Self {
            counter,
            format,
            limit,
            bound: AtomicU64::new(u64::MAX),
            smallest: AtomicU64::new(u64::MAX),
            kept: Mutex::default(),
        }
    }

    /// How many bytes of a document are worth [checking](Self::surely_drops) before it is made safe, and how
    /// many if these are not enough.
    #[must_use]
    pub fn telling_lengths(&self) -> [usize; 2] {
        /// The bytes per piece: roughly the usual number, and a larger one.
        const BYTES: [u64; 2] = [4, 8];
        let [_, usual] = self.counter.tokenizer.of_a_token();
        let tokens = self.telling_tokens() / usual;
        let length = |bytes| tokens.saturating_mul(bytes).saturating_add(256);
        BYTES.map(|bytes| usize::try_from(length(bytes)).unwrap_or(usize::MAX))
    }

    /// If every unpinned document that begins with `head` is certain to be dropped, the number of the
    /// tokenizer's tokens that it exceeds.
    #[must_use]
    pub fn surely_drops(&self, head: &str) -> Option<u64> {
        let most = self.telling_tokens();
        self.counter.tokenizer.definitely_exceeds(head, most).then_some(most)
    }

    /// The measure of an unpinned document.
    ///
    /// # Errors
    /// If the document is certain to be dropped; the error is the number of the tokenizer's tokens that it
    /// exceeds.
    pub fn assess(&self, text: &str) -> Result<Measure, u64> {
        let tokenizer = self.counter.tokenizer;
        let most = self.telling_tokens();
        if tokenizer.definitely_exceeds(text, most) {
            return Err(most);
        }
        // Most pieces are one token, so counting once to the end is cheaper than counting to the limit and then
        // again.
        let [_, usual] = tokenizer.of_a_token();
        if text.len() as u64 > (most / usual).saturating_mul(LONG) && tokenizer.at_most(text, most).is_none()
        {
            return Err(most);
        }
        let measure = tokenizer.measure(text);
        if measure.tokens > most { Err(most) } else { Ok(measure) }
    }

    /// Adds a document with its label, with the measure of its outline if the rule may print that instead. Returns the
    /// indices of the documents that are now certain to be dropped, which may include this one. Pinned
    /// documents only take up room.
    pub fn offer(
        &self,
        place: usize,
        label: &str,
        measure: &Measure,
        outline: Option<&Measure>,
        pin: bool,
    ) -> Vec<usize> {
        let units = |measure: &Measure| least_units(self.counter, self.format, measure);
        let tokens = self.counter.tokens_of(outline.unwrap_or(measure));
        let units = outline.map_or(u64::MAX, units).min(units(measure)) + self.units_of_label(label);
        self.smallest.fetch_min(tokens, Ordering::Relaxed);
        let most = self.counter.most_units(self.limit);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let sized = SizedDocument { tokens, place, units };
        if !pin && kept.smallest_dropped.is_some_and(|dropped| sized > dropped) {
            return vec![place];
        }
        kept.units += units;
        kept.is_pinned |= pin;
        if !pin {
            kept.largest.push(sized);
        }
        let mut dropped = Vec::new();
        while let Some(top) = kept.largest.peek().copied() {
            let fits_beside_none = kept.units - top.units > most;
            let is_needed = kept.largest.len() == 1 && !kept.is_pinned;
            if !fits_beside_none && (top.units <= most || is_needed) {
                break;
            }
            kept.largest.pop();
            kept.units -= top.units;
            kept.smallest_dropped = Some(top);
            self.bound.fetch_min(top.tokens, Ordering::Relaxed);
            dropped.push(top.place);
        }
        dropped
    }

    /// The fewest units of a label, whatever is around it: no token has parts of two runs of letters or digits.
    fn units_of_label(&self, label: &str) -> u64 {
        match self.counter.tokenizer {
            Tokenizer::Exact(_) if label.is_ascii() && !label.contains('\'') => runs(label),
            Tokenizer::Exact(_) | Tokenizer::Weighted(_) | Tokenizer::Bytes4 => 0,
        }
    }

    /// An unpinned document with more of the tokenizer's tokens than this is certain to be dropped.
    #[must_use]
    pub fn telling_tokens(&self) -> u64 {
        let smallest = self.smallest.load(Ordering::Relaxed);
        self.counter.unscaled(self.bound.load(Ordering::Relaxed).max(smallest))
    }
}

/// How many runs of letters and of digits there are.
fn runs(text: &str) -> u64 {
    let kind = |byte: u8| (byte.is_ascii_alphabetic(), byte.is_ascii_digit());
    let mut before = (false, false);
    let begins = |byte: &u8| {
        let is_new = kind(*byte) != before && byte.is_ascii_alphanumeric();
        before = kind(*byte);
        is_new
    };
    text.as_bytes().iter().copied().filter(begins).count() as u64
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn letters_and_digits_are_runs_of_their_own() {
        for (text, expected) in [("", 0), ("_/-", 0), ("m/112/file-1a2.txt", 7), ("aB", 1), ("a.b", 2)] {
            assert_eq!(runs(text), expected, "{text}");
        }
    }
}
