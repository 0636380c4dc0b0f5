//! What is known of a text that is measured more than once.

use super::boundary;
use super::encoding::Encoding;
use super::merge::Walk;
use super::pattern::Piece;

/// From so many bytes on a piece is not merged anew for each beginning.
const LONG: usize = 1024;

/// So many bytes lie between two places of which the tokens before them are kept.
const STEP: usize = 4096;

/// What is known of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// Certain boundaries, ascending, and the tokens before each.
    marks: Vec<Reached>,
    long: Vec<Long>,
}

/// A long piece, or a beginning of one.
#[derive(Debug, Clone)]
struct Long {
    piece: Piece,
    walk: Walk,
}

impl Known {
    pub(super) fn of<E: Encoding>(text: &str, most: u64) -> Self {
        let bytes = text.as_bytes();
        let mut known = Self::default();
        let mut now = Reached { at: 0, tokens: 0 };
        let mut step = STEP;
        E::with_recent(bytes.len(), |recent| {
            while now.at < bytes.len() && now.tokens <= most {
                if now.at >= step && boundary::is_certain(text, now.at) {
                    known.marks.push(now);
                    step = now.at + STEP;
                }
                let end = E::piece_end(bytes, now.at);
                let piece = Piece { start: now.at, end };
                now.tokens += if piece.len() < LONG {
                    E::piece_tokens(bytes, piece, recent)
                } else {
                    let walk = Walk::through(E::vocabulary(), piece.of(bytes), most - now.tokens);
                    let tokens = walk.tokens();
                    known.long.push(Long { piece: piece.up_to(walk.end()), walk });
                    tokens
                };
                now.at = end;
            }
        });
        known
    }

    /// The last certain boundary that is kept of those with at most `tokens` before them.
    pub(super) fn before_tokens(&self, tokens: u64) -> Reached {
        self.last_mark(|mark| mark.tokens <= tokens)
    }

    fn last_mark(&self, belongs: impl Fn(&Reached) -> bool) -> Reached {
        let next = self.marks.partition_point(belongs);
        next.checked_sub(1).map_or(Reached { at: 0, tokens: 0 }, |last| self.marks[last])
    }

    /// The merge of a long piece, or of a beginning of it.
    pub(super) fn walk(&self, start: usize) -> Option<(Piece, &Walk)> {
        let index = self.long.binary_search_by_key(&start, |long| long.piece.start).ok()?;
        Some((self.long[index].piece, &self.long[index].walk))
    }

    pub(super) fn tokens_of<E: Encoding>(&self, text: &str, other: &str, shared: usize) -> u64 {
        let bytes = other.as_bytes();
        let Reached { mut at, mut tokens } = self.last_mark(|mark| mark.at < shared);
        E::with_recent(STEP, |recent| {
            while at < bytes.len() {
                let piece = Piece { start: at, end: E::piece_end(bytes, at) };
                at = piece.end;
                let long = if piece.len() < LONG { None } else { self.walk(piece.start) };
                tokens += match long {
                    None => E::piece_tokens(bytes, piece, recent),
                    Some((known, walk)) => {
                        let same = shared.min(known.end).min(piece.end);
                        let begin = &text.as_bytes()[known.start..same];
                        walk.tokens_with(E::vocabulary(), begin, &bytes[same..piece.end])
                    }
                };
            }
        });
        tokens
    }
}

/// A place in the text and the tokens before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reached {
    pub(super) at: usize,
    pub(super) tokens: u64,
}
