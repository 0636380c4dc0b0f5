//! Text that repeats itself: what was found out of a block of bytes holds for every copy of it that follows, so
//! a long run costs a comparison of bytes instead of a look at each character.

/// The bytes of a block: a multiple of the lengths of most units of which people make a line.
pub(super) const BLOCK: usize = 192;

/// How many bytes from `at` on are copies of the block before it.
#[inline(never)]
pub(super) fn after(text: &[u8], at: usize) -> usize {
    let Some(block) = text[..at].last_chunk::<BLOCK>() else { return 0 };
    BLOCK * text[at..].as_chunks::<BLOCK>().0.iter().take_while(|next| *next == block).count()
}

/// How many bytes before `at` are copies of the block from there on.
#[inline(never)]
pub(super) fn before(text: &[u8], at: usize) -> usize {
    let Some(block) = text[at..].first_chunk::<BLOCK>() else { return 0 };
    BLOCK * text[..at].as_rchunks::<BLOCK>().1.iter().rev().take_while(|previous| *previous == block).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_found_on_both_sides_up_to_the_first_difference() {
        let text = format!("x{}y", "=-".repeat(500)).into_bytes();
        assert_eq!(after(&text, 1 + BLOCK), 4 * BLOCK);
        assert_eq!(before(&text, 1001 - BLOCK), 4 * BLOCK);
        assert_eq!(after(&text, BLOCK), 0, "its block begins with the x");
        assert_eq!(before(&text, 1002 - BLOCK), 0, "its block ends with the y");
        assert_eq!((after(&text, 9), before(&text, text.len() - 9)), (0, 0), "there is no whole block");
    }
}
