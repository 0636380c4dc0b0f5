//! How many tokens a text has up to each of its line ends.

use memchr::memchr_iter;

use super::encoding::{Encoding, Pieces};

/// The end of a line, and what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineEnd {
    /// Byte offset of what follows the line.
    pub at: usize,
    /// The tokens of the text before that, alone.
    pub tokens: u64,
}

/// Line ends within a longer piece are skipped: each of them costs a count from its beginning.
const LONGEST_SPLIT: usize = 64;

/// The line ends of `text` up to the first with more than `limit` tokens; see
/// [`super::Tokenizer::line_ends`].
///
/// A beginning of the text splits as the text does up to its last piece, which may be a part of one
/// of the text's.
pub(super) fn line_ends<E: Encoding>(text: &str, limit: u64) -> Vec<LineEnd> {
    let bytes = text.as_bytes();
    let mut ends = Ends { found: Vec::new(), limit };
    let mut tokens = 0;
    let mut pieces = Pieces::<E>::of(bytes);
    E::with_recent(text.len(), |recent| {
        while ends.wants(tokens)
            && let Some(piece) = pieces.next()
        {
            if piece.len() <= LONGEST_SPLIT {
                for newline in memchr_iter(b'\n', &bytes[piece.start..piece.end - 1]) {
                    let end = piece.start + newline + 1;
                    ends.add(end, tokens + E::count_beyond(&bytes[piece.start..end], u64::MAX, recent));
                }
            }
            tokens += E::piece_tokens(bytes, piece, recent);
            if piece.end == bytes.len() || bytes[piece.end - 1] == b'\n' {
                ends.add(piece.end, tokens);
            }
        }
    });
    ends.found
}

struct Ends {
    found: Vec<LineEnd>,
    limit: u64,
}

impl Ends {
    /// Whether a line may still end: one was within the limit, and the next is not hopelessly long.
    fn wants(&self, tokens: u64) -> bool {
        let last = self.found.last().map_or(0, |end| end.tokens);
        last <= self.limit && tokens <= self.limit.saturating_mul(2)
    }

    /// A longer beginning can have a token less: then it stands for the shorter one too.
    fn add(&mut self, at: usize, tokens: u64) {
        if self.wants(0) {
            while self.found.last().is_some_and(|end| end.tokens > tokens) {
                self.found.pop();
            }
            self.found.push(LineEnd { at, tokens });
        }
    }
}
