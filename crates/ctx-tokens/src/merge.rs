//! Byte-pair merging of a piece that is not a token of its own: of all neighbouring parts that
//! merge to a token those with the token of the lowest rank do, the leftmost of equals, until none
//! are left.

mod ends;
mod heap;
mod parts;
mod windows;

#[cfg(test)]
pub(super) use windows::MERGED;
pub(super) use windows::Walk;

use super::vocabulary::Vocabulary;
use ends::AT_ONCE;

/// The number of tokens of a piece.
pub(super) fn count(vocabulary: &Vocabulary, piece: &[u8]) -> u64 {
    if piece.len() <= AT_ONCE {
        parts::of_64(vocabulary, piece).count() as u64
    } else {
        Walk::through(vocabulary, piece, u64::MAX).tokens()
    }
}

/// Calls for the end of each token of a piece.
pub(super) fn for_each_end(vocabulary: &Vocabulary, piece: &[u8], found: impl FnMut(usize)) {
    if piece.len() <= AT_ONCE {
        parts::of_64(vocabulary, piece).ends().for_each(found);
    } else {
        Walk::through(vocabulary, piece, u64::MAX).ends(vocabulary, piece).into_iter().for_each(found);
    }
}
