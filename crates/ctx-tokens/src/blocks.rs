//! Where the pieces of `o200k_base` begin in ASCII text, for sixty-four bytes at once.
//!
//! A set of bytes is a mask, the first byte lowest. What the pattern says of neighbours is a shift, what it
//! says of runs a carry; so there is no branch for a processor to guess wrong, as there is for each character
//! when one looks at them in turn. What depends on a byte beyond the block, and the few things that would need a
//! loop, are left to [`super::o200k::piece_end`], which decides the same.

use super::masks::Masks;

/// How many bytes are looked at together.
pub(super) const BLOCK: usize = 64;

/// The bytes of a block at which a piece is certain to begin, if one begins at the first byte. There may be more
/// behind the last of them.
#[inline]
pub(super) fn piece_starts(block: &[u8; BLOCK]) -> u64 {
    let Masks { capitals, letters, digits, spaces, white, breaks, slashes, apostrophes, beyond } =
        Masks::of(block);
    let gaps = white | breaks;
    let symbols = !(letters | digits | gaps | beyond);

    // A line break behind symbols belongs to them, and so do slashes behind it.
    let tails = breaks & symbols << 1;
    let slashed = breaks.wrapping_add(tails) & !breaks & slashes;
    // A line break ends the piece of all white space before it, from the line above on.
    let indents = white & breaks << 1;
    let blank = white.wrapping_add(indents) & !white & breaks;
    let contractions = apostrophes & letters << 1;
    let open = beyond | slashed | blank | contractions;
    let closed = (open & open.wrapping_neg()).wrapping_sub(1);

    let (gap, symbol) = (first_of_run(gaps), first_of_run(symbols));
    let (word, number) = (first_of_run(letters), first_of_run(digits));
    // What is before the last run is certain, and so are places within a word or number.
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

/// The first digit of each group of three, but for the first group of a run.
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
