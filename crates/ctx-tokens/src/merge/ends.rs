//! Where the tokens of a part of a piece end that is merged at once.

use super::{heap, parts};
use crate::vocabulary::Vocabulary;

/// The longest piece in bytes that is merged at once.
pub(super) const AT_ONCE: usize = 64;

/// The end of each token of a part of a piece that is merged at once, instead of what is in `ends`.
pub(super) fn ends_into(vocabulary: &Vocabulary, part: &[u8], ends: &mut Vec<usize>) {
    ends.clear();
    match part.len() {
        0..=64 => ends.extend(parts::of_64(vocabulary, part).ends()),
        65..=512 => ends.extend(parts::of_512(vocabulary, part).ends()),
        513..=4096 => ends.extend(parts::of_4096(vocabulary, part).ends()),
        _ => heap::ends_into(vocabulary, part, ends),
    }
}
