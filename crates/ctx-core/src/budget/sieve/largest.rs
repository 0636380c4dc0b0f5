//! What the rule `largest` is certain to drop.
//!
//! A block has at least the tokens that its documents are certain to add. As soon as the documents
//! that are smaller than one (of equals: earlier) are over the limit by themselves, the rule reaches
//! that one before the block can fit.

use std::collections::BinaryHeap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Measuring;
use crate::budget::Extent;
use crate::budget::fitting::least_units;
use ctx_tokens::Measure;

#[derive(Debug)]
pub(super) struct Largest {
    /// A document with more tokens is certain to be dropped.
    bound: AtomicU64,
    /// The tokens of the smallest document so far: if nothing fits, the smallest is named.
    smallest: AtomicU64,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    units: u64,
    is_pinned: bool,
    /// Of those that were dropped, the one that the rule drops last.
    smallest_dropped: Option<Sized>,
    largest: BinaryHeap<Sized>,
}

/// In the order in which the rule drops, first last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Sized {
    tokens: u64,
    place: usize,
    units: u64,
}

impl Largest {
    pub(super) fn new() -> Self {
        Self { bound: AtomicU64::new(u64::MAX), smallest: AtomicU64::new(u64::MAX), kept: Mutex::default() }
    }

    pub(super) fn weigh(&self, measuring: &Measuring, text: &str) -> Option<Extent> {
        let smallest = self.smallest.load(Ordering::Relaxed);
        let bound = self.bound.load(Ordering::Relaxed).max(smallest);
        let tokenizer = measuring.counter.tokenizer;
        let dropped = tokenizer.surely_more(text, measuring.counter.unscaled(bound))
            || measuring.exceeds_tokens(text, bound);
        (!dropped).then(|| measuring.whole(text))
    }

    /// A document with more of the tokenizer's tokens than this is certain to be dropped.
    pub(super) fn telling_tokens(&self, measuring: &Measuring) -> u64 {
        let smallest = self.smallest.load(Ordering::Relaxed);
        measuring.counter.unscaled(self.bound.load(Ordering::Relaxed).max(smallest))
    }

    pub(super) fn surely_drops(&self, measuring: &Measuring, head: &str) -> bool {
        measuring.counter.tokenizer.surely_more(head, self.telling_tokens(measuring))
    }

    /// Takes a document in; gives back the places of those that are now certain to be dropped,
    /// itself perhaps among them. Pinned documents only take room.
    pub(super) fn admit(
        &self,
        measuring: &Measuring,
        place: usize,
        measure: &Measure,
        pin: bool,
    ) -> Vec<usize> {
        let units = least_units(measuring.counter, measuring.format, measure);
        let tokens = measuring.counter.tokens_of(measure);
        self.smallest.fetch_min(tokens, Ordering::Relaxed);
        let mut kept = self.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let sized = Sized { tokens, place, units };
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
            let fits_beside_none = kept.units - top.units > measuring.most_units();
            let is_needed = kept.largest.len() == 1 && !kept.is_pinned;
            if !fits_beside_none && (top.units <= measuring.most_units() || is_needed) {
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
}
