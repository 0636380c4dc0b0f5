//! The pattern of `o200k_base`:
//!
//! ```text
//!   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! | [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! | \p{N}{1,3}
//! |  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! | \s*[\r\n]+
//! | \s+(?!\S)
//! | \s+
//! ```

use std::cell::Cell;
use std::sync::LazyLock;
use std::thread::LocalKey;

use super::blocks;
use super::classes::{Class, character};
use super::encoding::{BLOCK, Encoding};
use super::pattern::{Space, capitals, contraction, number, run, skip, smalls, symbols, word};
use super::recent::Recent;
use super::vocabulary::{Special, Vocabulary, places};

/// `o200k_base`.
pub(super) enum O200kBase {}

impl Encoding for O200kBase {
    #[inline]
    fn vocabulary() -> &'static Vocabulary {
        static VOCABULARY: Vocabulary = Vocabulary::parse(include_bytes!("tables/o200k.bin"));
        &VOCABULARY
    }

    fn ranks() -> &'static [[u8; 3]] {
        include_bytes!("tables/o200k-ranks.bin").as_chunks::<3>().0
    }

    fn places() -> &'static [u32] {
        static PLACES: LazyLock<Vec<u32>> = LazyLock::new(|| places(O200kBase::ranks()));
        &PLACES
    }

    fn special() -> &'static [Special] {
        &[
            Special { text: "<|endoftext|>", number: 199_999 },
            Special { text: "<|endofprompt|>", number: 200_018 },
        ]
    }

    fn recent() -> &'static LocalKey<Cell<Recent>> {
        thread_local!(static RECENT: Cell<Recent> = Cell::default());
        &RECENT
    }

    #[inline]
    fn piece_end(text: &[u8], at: usize) -> usize {
        piece_end(text, at)
    }

    #[inline]
    fn piece_starts(block: &[u8; BLOCK]) -> u64 {
        blocks::piece_starts(block)
    }
}

/// The end of the piece that begins at `at`, which must be before the end of the text.
#[inline]
fn piece_end(text: &[u8], at: usize) -> usize {
    let first = character(text, at);
    let word = match first.class {
        Class::Upper | Class::Lower | Class::Caseless => letters(text, at),
        Class::Other | Class::Space => letters(text, at + first.len),
        Class::Mark => mixed(text, at + first.len).or_else(|| mixed(text, at)),
        Class::Number => return number(text, at),
        Class::Newline | Class::End => None,
    };
    if let Some(end) = word {
        return contraction(text, end).unwrap_or(end);
    }
    symbols(text, at, |byte| matches!(byte, b'\r' | b'\n' | b'/'))
        .unwrap_or_else(|| Space::at(text, at).piece_end(text))
}

/// The end of the letters and marks that one of the alternatives for words matches from `at`, if any.
#[inline]
fn letters(text: &[u8], at: usize) -> Option<usize> {
    if let Some(word) = word(text, at) {
        let capitals = capitals(word);
        let len = capitals + smalls(skip(word, capitals));
        if len < 8 && (skip(word, len) as u8) < 0x80 {
            return (len > 0).then_some(at + len);
        }
    }
    any_letters(text, at)
}

#[cold]
fn any_letters(text: &[u8], at: usize) -> Option<usize> {
    mixed(text, at).or_else(|| {
        let end = run(text, at, |class| class == Class::Upper);
        (end > at).then_some(end)
    })
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`: if no small letter follows the first run, the
/// match goes back to the last character that is in both sets.
#[inline]
fn mixed(text: &[u8], mut at: usize) -> Option<usize> {
    let mut shared = None;
    loop {
        at = run(text, at, |class| class == Class::Upper);
        let end = run(text, at, |class| matches!(class, Class::Caseless | Class::Mark));
        let next = character(text, end).class;
        if next == Class::Lower {
            return Some(run(text, end, small));
        }
        if end > at {
            shared = Some(end);
        }
        if next != Class::Upper {
            return shared;
        }
        at = end;
    }
}

fn small(class: Class) -> bool {
    matches!(class, Class::Lower | Class::Caseless | Class::Mark)
}
