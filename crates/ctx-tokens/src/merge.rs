//! Byte-pair merging of a piece that is not a token of its own: of all neighbouring parts that
//! merge to a token those with the token of the lowest rank do, the leftmost of equals, until none
//! are left.

mod heap;
mod parts;
mod windows;

#[cfg(test)]
pub(super) use windows::MERGED;
pub(super) use windows::Walk;

use super::vocabulary::Vocabulary;

/// The longest piece in bytes that is merged at once.
const AT_ONCE: usize = 64;

/// The number of tokens of a piece.
pub(super) fn count(vocabulary: &Vocabulary, piece: &[u8]) -> u64 {
    if piece.len() <= AT_ONCE {
        parts::of_64(vocabulary, piece).count() as u64
    } else {
        Walk::through(vocabulary, piece, u64::MAX).tokens()
    }
}

/// The end of each token of a part of a piece that is merged at once, instead of what is in `ends`.
fn ends_into(vocabulary: &Vocabulary, part: &[u8], ends: &mut Vec<usize>) {
    ends.clear();
    match part.len() {
        0..=64 => ends.extend(parts::of_64(vocabulary, part).ends()),
        65..=512 => ends.extend(parts::of_512(vocabulary, part).ends()),
        513..=4096 => ends.extend(parts::of_4096(vocabulary, part).ends()),
        _ => heap::ends_into(vocabulary, part, ends),
    }
}
