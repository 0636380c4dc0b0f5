//! The pieces of a text, one after the other.

use std::marker::PhantomData;

use super::blocks::BLOCK;
use super::encoding::Encoding;
use super::pattern::Piece;

/// The pieces of a text, found a block at a time where that is possible.
pub(super) struct Pieces<'t, E> {
    text: &'t [u8],
    /// Where the next piece begins.
    at: usize,
    /// Where the block begins that was looked at last.
    block: usize,
    /// Where pieces end in it that are still to be given.
    ends: u64,
    encoding: PhantomData<E>,
}

impl<'t, E: Encoding> Pieces<'t, E> {
    pub(super) fn of(text: &'t [u8]) -> Self {
        Self { text, at: 0, block: 0, ends: 0, encoding: PhantomData }
    }

    /// Looks at the block from here on; says whether a piece is certain to end in it.
    #[inline]
    fn look(&mut self) -> bool {
        let block = self.text[self.at..].first_chunk::<BLOCK>();
        let starts = block.map_or(1, E::piece_starts);
        self.block = self.at;
        self.ends = starts & (starts - 1);
        self.ends != 0
    }
}

impl<E: Encoding> Iterator for Pieces<'_, E> {
    type Item = Piece;

    #[inline]
    fn next(&mut self) -> Option<Piece> {
        let start = self.at;
        self.at = if self.ends != 0 || start < self.text.len() && self.look() {
            let end = self.block + self.ends.trailing_zeros() as usize;
            self.ends &= self.ends - 1;
            end
        } else if start < self.text.len() {
            E::piece_end(self.text, start)
        } else {
            return None;
        };
        Some(Piece { start, end: self.at })
    }
}
