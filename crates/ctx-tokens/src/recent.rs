//! A cache of the pieces met of late and their tokens: most pieces of a text are met again soon.
//!
//! A slot has the key of a piece (see [`super::layout`]) and, in the topmost bits, which a key
//! leaves free, its tokens.

use super::layout::{MIDDLE_MAX, SHORT_MAX, middle_hash, middle_key, short_hash, short_key};
use super::pattern::Piece;
use super::vocabulary::window;

const SHORT_SLOTS_LOG2: u32 = 14;
const SHORT_TOKENS: u32 = u64::BITS - 4;
const MIDDLE_SLOTS_LOG2: u32 = 12;
const MIDDLE_TOKENS: u32 = u128::BITS - 4;

/// From so many bytes on, of one text or of several, there is room for the cache.
const WORTHWHILE: usize = 4096;

/// The cache of one encoding in one thread.
#[derive(Debug, Default)]
pub(super) struct Recent {
    short: Vec<u64>,
    middle: Vec<u128>,
    seen: usize,
}

impl Recent {
    /// This cache, with room if another text of `len` bytes makes it worthwhile.
    pub(super) fn ready_for(mut self, len: usize) -> Self {
        self.seen = self.seen.saturating_add(len);
        if self.short.is_empty() && self.seen >= WORTHWHILE {
            self.short = vec![0; 1 << SHORT_SLOTS_LOG2];
            self.middle = vec![0; 1 << MIDDLE_SLOTS_LOG2];
        }
        self
    }

    /// The tokens of a piece, if they are kept.
    #[inline(always)]
    pub(super) fn get(&self, text: &[u8], piece: Piece) -> Option<u64> {
        let len = piece.len();
        if len <= SHORT_MAX {
            let key = short_key(window(text, piece.start) as u64, len);
            let slot = self.short.get(short_index(key))?;
            (slot & ((1 << SHORT_TOKENS) - 1) == key).then_some(slot >> SHORT_TOKENS)
        } else if len <= MIDDLE_MAX {
            let key = middle_key(window(text, piece.start), len);
            let slot = self.middle.get(middle_index(key))?;
            (slot & ((1 << MIDDLE_TOKENS) - 1) == key).then_some((slot >> MIDDLE_TOKENS) as u64)
        } else {
            None
        }
    }

    /// Keeps the tokens of a piece unless it is long.
    #[inline]
    pub(super) fn keep(&mut self, text: &[u8], piece: Piece, tokens: u64) {
        let len = piece.len();
        if len <= SHORT_MAX {
            let key = short_key(window(text, piece.start) as u64, len);
            if let Some(slot) = self.short.get_mut(short_index(key)) {
                *slot = key | tokens << SHORT_TOKENS;
            }
        } else if len <= MIDDLE_MAX {
            let key = middle_key(window(text, piece.start), len);
            if let Some(slot) = self.middle.get_mut(middle_index(key)) {
                *slot = key | u128::from(tokens) << MIDDLE_TOKENS;
            }
        }
    }
}

#[inline]
fn short_index(key: u64) -> usize {
    (short_hash(key) >> (64 - SHORT_SLOTS_LOG2)) as usize
}

#[inline]
fn middle_index(key: u128) -> usize {
    (middle_hash(key) >> (64 - MIDDLE_SLOTS_LOG2)) as usize
}
