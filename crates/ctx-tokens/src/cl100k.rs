//! The pattern of `cl100k_base`:
//!
//! ```text
//!   '(?i:[sdmt]|ll|ve|re)
//! | [^\r\n\p{L}\p{N}]?+\p{L}++
//! | \p{N}{1,3}+
//! |  ?[^\s\p{L}\p{N}]++[\r\n]*+
//! | \s++$
//! | \s*[\r\n]
//! | \s+(?!\S)
//! | \s
//! ```

use std::cell::Cell;
use std::sync::LazyLock;
use std::thread::LocalKey;

use super::classes::{Class, character};
use super::encoding::Encoding;
use super::pattern::{Space, ascii_letters, contraction, number, run, skip, symbols, word};
use super::recent::Recent;
use super::vocabulary::{Special, Vocabulary, places};

/// `cl100k_base`.
pub(super) enum Cl100kBase {}

impl Encoding for Cl100kBase {
    #[inline]
    fn vocabulary() -> &'static Vocabulary {
        static VOCABULARY: Vocabulary = Vocabulary::parse(include_bytes!("tables/cl100k.bin"));
        &VOCABULARY
    }

    fn ranks() -> &'static [[u8; 3]] {
        include_bytes!("tables/cl100k-ranks.bin").as_chunks::<3>().0
    }

    fn places() -> &'static [u32] {
        static PLACES: LazyLock<Vec<u32>> = LazyLock::new(|| places(Cl100kBase::ranks()));
        &PLACES
    }

    fn special() -> &'static [Special] {
        &[
            Special { text: "<|endoftext|>", number: 100_257 },
            Special { text: "<|fim_prefix|>", number: 100_258 },
            Special { text: "<|fim_middle|>", number: 100_259 },
            Special { text: "<|fim_suffix|>", number: 100_260 },
            Special { text: "<|endofprompt|>", number: 100_276 },
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
}

/// The end of the piece that begins at `at`, which must be before the end of the text.
#[inline]
fn piece_end(text: &[u8], at: usize) -> usize {
    let first = character(text, at);
    match first.class {
        Class::Upper | Class::Lower | Class::Caseless => return letters(text, at),
        Class::Number => return number(text, at),
        Class::Other | Class::Mark | Class::Space => {
            if let Some(end) = contraction(text, at) {
                return end;
            }
            let letters = at + first.len;
            let end = self::letters(text, letters);
            if end > letters {
                return end;
            }
        }
        Class::Newline | Class::End => {}
    }
    symbols(text, at, |byte| matches!(byte, b'\r' | b'\n')).unwrap_or_else(|| {
        let space = Space::at(text, at);
        if space.end == text.len() { space.end } else { space.piece_end(text) }
    })
}

/// `\p{L}*`
#[inline]
fn letters(text: &[u8], at: usize) -> usize {
    if let Some(word) = word(text, at) {
        let len = ascii_letters(word);
        if len < 8 && (skip(word, len) as u8) < 0x80 {
            return at + len;
        }
    }
    any_letters(text, at)
}

#[cold]
fn any_letters(text: &[u8], at: usize) -> usize {
    run(text, at, Class::is_letter)
}
