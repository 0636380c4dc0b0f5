//! A cache of the numbers of tokens in recent pieces. Most pieces soon occur again.
//!
//! A slot contains the key of a piece, as in the table of the middle tokens (see [`super::layout`]), and, in
//! the topmost bits, which a key leaves free, the number of its tokens.

use super::layout::{MIDDLE_MAX, middle_hash, middle_key};
use super::pattern::Piece;
use super::vocabulary::window;

/// The number of slots, which take up 256 KiB.
const SLOTS: usize = 1 << SLOTS_LOG2;
const SLOTS_LOG2: u32 = 14;

/// Where the number of tokens begins in a slot.
const TOKENS: u32 = u128::BITS - 4;

/// The cache is allocated once this many bytes have been counted, in one string or several.
const WORTHWHILE: usize = 4096;

/// The bytes of a window that belong to the key, by the length of the piece.
static KEPT: [u128; MIDDLE_MAX + 1] = {
    let mut kept = [0; MIDDLE_MAX + 1];
    let mut len = 1;
    while len <= MIDDLE_MAX {
        kept[len] = middle_key(u128::MAX, len) & (u128::MAX >> 8);
        len += 1;
    }
    kept
};

/// The cache of one encoding in one thread.
#[derive(Debug, Default)]
pub(super) struct Recent {
    slots: Option<Box<[u128; SLOTS]>>,
    seen: usize,
}

impl Recent {
    /// This cache, allocated if another `len` bytes of text make it worthwhile.
    pub(super) fn ready_for(mut self, len: usize) -> Self {
        self.seen = self.seen.saturating_add(len);
        if self.slots.is_none() && self.seen >= WORTHWHILE {
            self.slots = vec![0; SLOTS].into_boxed_slice().try_into().ok();
        }
        self
    }

    /// The number of tokens in a piece, if it is cached.
    #[inline(always)]
    pub(super) fn get(&self, text: &[u8], piece: Piece) -> Option<u64> {
        let key = key(text, piece)?;
        let slot = self.slots.as_deref()?[index(key)];
        (slot & ((1 << TOKENS) - 1) == key).then_some((slot >> TOKENS) as u64)
    }

    /// Caches the number of tokens in a piece unless the piece is long.
    #[inline]
    pub(super) fn keep(&mut self, text: &[u8], piece: Piece, tokens: u64) {
        if let (Some(key), Some(slots)) = (key(text, piece), self.slots.as_deref_mut()) {
            slots[index(key)] = key | u128::from(tokens) << TOKENS;
        }
    }
}

/// The key of a piece that isn't long.
#[inline]
fn key(text: &[u8], piece: Piece) -> Option<u128> {
    let kept = KEPT.get(piece.len())?;
    Some(window(text, piece.start) & kept | (piece.len() as u128) << 120)
}

#[inline]
fn index(key: u128) -> usize {
    (middle_hash(key) >> (u64::BITS - SLOTS_LOG2)) as usize
}
