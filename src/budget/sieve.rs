//! Which documents `largest` is certain to drop, known while they are still being read.
//!
//! A block has at least the tokens that its documents are certain to add. As soon as the documents
//! that are smaller than one (of equals: earlier) are over the limit by themselves, the rule reaches
//! that one before the block can fit. So its text can be forgotten, and a document that is larger need
//! not be counted to its end.

use std::collections::BinaryHeap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Counter, least_units};
use crate::format::Format;
use crate::tokens::Measure;

/// Takes documents in any order and from several threads; what it lets through does not depend on
/// either.
#[derive(Debug)]
pub struct Sieve {
    counter: Counter,
    format: Format,
    limit: u64,
    bound: AtomicU64,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    units: u64,
    largest: BinaryHeap<Sized>,
}

/// In the order in which the rule drops, first last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Sized {
    tokens: u64,
    place: usize,
    units: u64,
}

/// What is counted before anything is known. A document's tokens and those that it adds to a block
/// differ only around the seams, so one with twice the limit and some more fits no block.
fn first_bound(limit: u64) -> u64 {
    limit.saturating_mul(2).saturating_add(10_000)
}

impl Sieve {
    /// A sieve for a block of at most `limit` tokens.
    #[must_use]
    pub fn new(counter: Counter, format: Format, limit: u64) -> Self {
        Self { counter, format, limit, bound: AtomicU64::new(first_bound(limit)), kept: Mutex::default() }
    }

    /// A document with more of the tokenizer's tokens than this is certain to be dropped. It only
    /// ever falls.
    #[must_use]
    pub fn bound(&self) -> u64 {
        self.counter.unscaled(self.bound.load(Ordering::Relaxed))
    }

    /// Takes a document in; gives back the places of those that are now certain to be dropped,
    /// itself perhaps among them. Pinned documents only take room.
    pub fn admit(&self, place: usize, measure: &Measure, pin: bool) -> Vec<usize> {
        let units = least_units(self.counter, self.format, measure);
        let mut kept = self.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        kept.units += units;
        if !pin {
            kept.largest.push(Sized { tokens: self.counter.tokens_of(measure), place, units });
        }
        let mut dropped = Vec::new();
        while let Some(top) = kept.largest.peek().copied() {
            if self.counter.rounded(kept.units - top.units) <= self.limit {
                break;
            }
            kept.largest.pop();
            kept.units -= top.units;
            self.bound.fetch_min(top.tokens, Ordering::Relaxed);
            dropped.push(top.place);
        }
        dropped
    }
}
