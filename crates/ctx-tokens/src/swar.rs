//! Eight bytes of ASCII at once: each function gives how many of the first bytes of a word are of a
//! kind. Bytes beyond ASCII are of no kind.

const ONES: u64 = u64::MAX / 255;
const TOP: u64 = ONES << 7;

/// The eight bytes from `at`, the first lowest.
#[inline]
pub(super) fn word(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(at..)?.first_chunk()?))
}

/// Capital letters.
#[inline]
pub(super) fn capitals(word: u64) -> usize {
    leading(within(word, b'A', b'Z'))
}

/// Small letters.
#[inline]
pub(super) fn smalls(word: u64) -> usize {
    leading(within(word, b'a', b'z'))
}

/// Letters.
#[inline]
pub(super) fn letters(word: u64) -> usize {
    leading(within(word | (ONES << 5), b'a', b'z'))
}

/// Bytes that are `byte`.
#[inline]
pub(super) fn equal(word: u64, byte: u8) -> usize {
    (word ^ (ONES * u64::from(byte))).trailing_zeros() as usize / 8
}

/// The word without its first `count` bytes, of which it has at most eight.
#[inline]
pub(super) fn skip(word: u64, count: usize) -> u64 {
    word >> (4 * count) >> (4 * count)
}

/// The top bit of each byte from `first` to `last`.
#[inline]
fn within(word: u64, first: u8, last: u8) -> u64 {
    let low = word & !TOP;
    let from = low + ONES * u64::from(0x80 - first);
    let beyond = low + ONES * u64::from(0x7f - last);
    from & !beyond & !word & TOP
}

#[inline]
fn leading(tops: u64) -> usize {
    (!tops & TOP).trailing_zeros() as usize / 8
}
