//! An encoding: a pattern that splits a text into pieces, and the vocabulary that merges them.

use std::cell::Cell;
use std::thread::LocalKey;

use super::recent::Recent;
use super::vocabulary::{CL100K, O200K, Vocabulary};
use super::{cl100k, merge, o200k};

/// A pattern and its vocabulary.
pub(super) trait Encoding {
    /// The tokens.
    fn vocabulary() -> &'static Vocabulary;

    /// The end of the piece that begins at `at`, which lies before the end of the text.
    fn piece_end(text: &[u8], at: usize) -> usize;

    /// The tokens of the piece `text[start..end]`.
    fn piece_tokens(text: &[u8], start: usize, end: usize) -> u64 {
        if Self::vocabulary().contains(text, start, end) {
            1
        } else {
            merge::count(Self::vocabulary(), text, start, end)
        }
    }

    /// The pieces of `text`.
    fn count_pieces(text: &[u8]) -> u64 {
        let mut at = 0;
        let mut pieces = 0;
        while at < text.len() {
            at = Self::piece_end(text, at);
            pieces += 1;
        }
        pieces
    }

    /// The cache of this thread.
    fn recent() -> &'static LocalKey<Cell<Recent>>;

    /// The tokens of `text`.
    fn count(text: &[u8]) -> u64 {
        let mut recent = Self::recent().take().ready();
        let mut at = 0;
        let mut tokens = 0;
        while at < text.len() {
            let end = Self::piece_end(text, at);
            tokens += recent.tokens(text, at, end, || Self::piece_tokens(text, at, end));
            at = end;
        }
        Self::recent().set(recent);
        tokens
    }
}

/// `o200k_base`.
pub(super) enum O200kBase {}

/// `cl100k_base`.
pub(super) enum Cl100kBase {}

impl Encoding for O200kBase {
    #[inline]
    fn vocabulary() -> &'static Vocabulary {
        &O200K
    }

    fn recent() -> &'static LocalKey<Cell<Recent>> {
        thread_local!(static RECENT: Cell<Recent> = Cell::default());
        &RECENT
    }

    #[inline]
    fn piece_end(text: &[u8], at: usize) -> usize {
        o200k::piece_end(text, at)
    }
}

impl Encoding for Cl100kBase {
    #[inline]
    fn vocabulary() -> &'static Vocabulary {
        &CL100K
    }

    fn recent() -> &'static LocalKey<Cell<Recent>> {
        thread_local!(static RECENT: Cell<Recent> = Cell::default());
        &RECENT
    }

    #[inline]
    fn piece_end(text: &[u8], at: usize) -> usize {
        cl100k::piece_end(text, at)
    }
}
