//! Sets of the bytes of a block.

use wide::u8x16;

/// Which of the bytes are what, the first byte lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Masks {
    /// Capital letters.
    pub(super) capitals: u64,
    /// Letters.
    pub(super) letters: u64,
    /// Digits.
    pub(super) digits: u64,
    /// The space.
    pub(super) spaces: u64,
    /// White space, but for line breaks.
    pub(super) white: u64,
    /// Line feed and carriage return.
    pub(super) breaks: u64,
    /// `/`.
    pub(super) slashes: u64,
    /// `'`.
    pub(super) apostrophes: u64,
    /// Bytes beyond ASCII.
    pub(super) beyond: u64,
}

impl Masks {
    /// The masks of a block.
    #[inline]
    pub(super) fn of(block: &[u8; 64]) -> Self {
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
