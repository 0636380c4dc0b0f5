//! A cache of the pieces met of late and their tokens: most pieces of a text are met again soon.
//!
//! A slot has the key of a piece (see [`super::layout`]) and, in the topmost bits, which a key
//! leaves free, its tokens.

use super::layout::{MIDDLE_MAX, SHORT_MAX, middle_hash, middle_key, short_hash, short_key};
use super::vocabulary::window;

const SHORT_SLOTS_LOG2: u32 = 14;
const SHORT_TOKENS: u32 = u64::BITS - 4;
const MIDDLE_SLOTS_LOG2: u32 = 12;
const MIDDLE_TOKENS: u32 = u128::BITS - 4;

/// The cache of one encoding in one thread.
#[derive(Debug, Default)]
pub(super) struct Recent {
    short: Vec<u64>,
    middle: Vec<u128>,
}

impl Recent {
    /// This cache, ready for use.
    pub(super) fn ready(mut self) -> Self {
        self.short.resize(1 << SHORT_SLOTS_LOG2, 0);
        self.middle.resize(1 << MIDDLE_SLOTS_LOG2, 0);
        self
    }

    /// The tokens of the piece `text[start..end]`, as kept or as `count` says.
    #[inline]
    pub(super) fn tokens(
        &mut self,
        text: &[u8],
        start: usize,
        end: usize,
        count: impl FnOnce() -> u64,
    ) -> u64 {
        let len = end - start;
        if len <= SHORT_MAX {
            let key = short_key(window(text, start) as u64, len);
            let slot = &mut self.short[(short_hash(key) >> (64 - SHORT_SLOTS_LOG2)) as usize];
            if *slot & ((1 << SHORT_TOKENS) - 1) == key {
                return *slot >> SHORT_TOKENS;
            }
            let tokens = count();
            *slot = key | tokens << SHORT_TOKENS;
            tokens
        } else if len <= MIDDLE_MAX {
            let key = middle_key(window(text, start), len);
            let slot = &mut self.middle[(middle_hash(key) >> (64 - MIDDLE_SLOTS_LOG2)) as usize];
            if *slot & ((1 << MIDDLE_TOKENS) - 1) == key {
                return (*slot >> MIDDLE_TOKENS) as u64;
            }
            let tokens = count();
            *slot = key | u128::from(tokens) << MIDDLE_TOKENS;
            tokens
        } else {
            count()
        }
    }
}
