//! Finds where the pieces of `o200k_base` begin in ASCII text, sixty-four bytes at a time.
//!
//! A set of bytes is a mask, with the first byte in the lowest bit. The pattern's rules for neighbours become
//! shifts and its rules for runs become carries, so there is no branch for the processor to mispredict, as there
//! would be for each character in a loop. Decisions that depend on bytes beyond the block, and the few that would
//! need a loop, are left to [`super::o200k::piece_end`], which decides the same way.

use wide::u8x16;

use super::encoding::BLOCK;

/// The bytes of a block at which a piece certainly begins, if one begins at the first byte. More pieces may
/// begin after the last of these bytes.
#[inline]
pub(super) fn piece_starts(block: &[u8; BLOCK]) -> u64 {
    let Masks { capitals, letters, digits, spaces, white, breaks, slashes, apostrophes, beyond } =
        Masks::of(block);
    let gaps = white | breaks;
    let symbols = !(letters | digits | gaps | beyond);

    // A line break after symbols belongs to them, and so do slashes after it.
    let tails = breaks & symbols << 1;
    let slashed = breaks.wrapping_add(tails) & !breaks & slashes;
    // The line break of a blank line ends a piece with all white space back to the end of the line above.
    let indents = white & breaks << 1;
    let blank = white.wrapping_add(indents) & !white & breaks;
    let contractions = apostrophes & letters << 1;
    let open = beyond | slashed | blank | contractions;
    let closed = (open & open.wrapping_neg()).wrapping_sub(1);

    let (gap, symbol) = (first_of_run(gaps), first_of_run(symbols));
    let (word, number) = (first_of_run(letters), first_of_run(digits));
    // Everything before the last run is certain, and so are positions within a word or number.
    let runs = (gap | symbol | word | number) & closed;
    let certain = u64::MAX.checked_shr(runs.leading_zeros()).unwrap_or(0);

    let capital_after_small = capitals & (letters & !capitals) << 1;
    let last_white = white & !(gaps >> 1);
    let behind_space = symbol & spaces << 1;
    let single = symbol & !(symbols >> 1) & !behind_space;
    let starts = gap & !tails
        | indents
        | last_white
        | symbol & !behind_space
        | word & !((white | single) << 1)
        | number;
    1 | starts & certain | (capital_after_small | groups(digits, number)) & closed
}

/// The first byte of each run.
#[inline]
fn first_of_run(mask: u64) -> u64 {
    mask & !(mask << 1)
}

/// The first digit of each group of three, except for the first group of a run.
#[inline]
fn groups(digits: u64, first: u64) -> u64 {
    let behind_three = digits & digits << 1 & digits << 2 & digits << 3;
    let mut last = first << 3 & behind_three;
    let mut all = last;
    while last != 0 {
        last = last << 3 & behind_three;
        all |= last;
    }
    all
}

/// The class of each byte in a block, as one mask per class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Masks {
    /// Capital letters.
    capitals: u64,
    /// Letters.
    letters: u64,
    /// Digits.
    digits: u64,
    /// The space.
    spaces: u64,
    /// White space, except for line breaks.
    white: u64,
    /// Line feed and carriage return.
    breaks: u64,
    /// `/`.
    slashes: u64,
    /// `'`.
    apostrophes: u64,
    /// Bytes outside ASCII.
    beyond: u64,
}

impl Masks {
    /// The masks of a block.
    #[inline]
    fn of(block: &[u8; BLOCK]) -> Self {
        let mut masks = Self::default();
        for (index, part) in block.as_chunks::<LANES>().0.iter().enumerate() {
            let bytes = u8x16::from(*part);
            let place = |mask: u8x16| u64::from(mask.to_bitmask()) << (index * LANES);
            let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
            let breaks = is(b'\n') | is(b'\r');
            masks.capitals |= place(within(bytes, b'A', b'Z'));
            masks.letters |= place(within(bytes | u8x16::splat(0x20), b'a', b'z'));
            masks.digits |= place(within(bytes, b'0', b'9'));
            masks.spaces |= place(is(b' '));
            masks.white |= place(is(b' ') | within(bytes, b'\t', b'\r')) & !place(breaks);
            masks.breaks |= place(breaks);
            masks.slashes |= place(is(b'/'));
            masks.apostrophes |= place(is(b'\''));
            masks.beyond |= place(bytes);
        }
        masks
    }
}

const LANES: usize = 16;

/// All ones where a byte is from `first` to `last`.
#[inline]
fn within(bytes: u8x16, first: u8, last: u8) -> u8x16 {
    let above = bytes - u8x16::splat(first);
    above.min(u8x16::splat(last - first)).simd_eq(above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_in_the_masks_of_its_classes() {
        for byte in 0..=255_u8 {
            for place in 0..64 {
                let mut block = [b'-'; 64];
                block[place] = byte;
                let masks = Masks::of(&block);
                let is = |mask: u64, expected: bool| assert_eq!(mask, u64::from(expected) << place, "{byte}");
                is(masks.capitals, byte.is_ascii_uppercase());
                is(masks.letters, byte.is_ascii_alphabetic());
                is(masks.digits, byte.is_ascii_digit());
                is(masks.spaces, byte == b' ');
                is(masks.white, matches!(byte, b' ' | b'\t' | 0x0b | 0x0c));
                is(masks.breaks, matches!(byte, b'\r' | b'\n'));
                is(masks.slashes, byte == b'/');
                is(masks.apostrophes, byte == b'\'');
                is(masks.beyond, byte >= 0x80);
            }
        }
    }
}
