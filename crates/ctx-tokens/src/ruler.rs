//! Counts many prefixes of the same text, reusing what was learned when it was first read.

use super::boundary;
use super::limit::{Known, prefix_within};
use super::{Core, Measure, Tokenizer, with_encoding};

/// Text that is read once, so that you can cut and count its prefixes quickly.
///
/// ```
/// use ctx_tokens::{Ruler, Tokenizer};
///
/// let text = "one two three\nfour five six\n";
/// let ruler = Ruler::new(Tokenizer::O200k, text, 100);
/// let end = ruler.prefix_within(3);
/// assert_eq!(&text[..end], "one two three");
/// let cut = format!("{} […]\n", &text[..end]);
/// assert_eq!(ruler.measure_of(&cut, end), Tokenizer::O200k.measure(&cut));
/// ```
#[derive(Debug, Clone)]
pub struct Ruler<'a> {
    tokenizer: Tokenizer,
    text: &'a str,
    known: Known,
    /// The first fixed boundary.
    first: Option<usize>,
}

impl<'a> Ruler<'a> {
    /// Reads as much of `text` as is needed for prefixes of at most `most` tokens.
    #[must_use]
    pub fn new(tokenizer: Tokenizer, text: &'a str, most: u64) -> Self {
        let known = with_encoding!(tokenizer, E => Known::of::<E>(text, most));
        Self { tokenizer, text, known, first: boundary::first(text) }
    }

    /// The same as [`Tokenizer::prefix_within`].
    #[must_use]
    pub fn prefix_within(&self, limit: u64) -> usize {
        with_encoding!(self.tokenizer, E => prefix_within::<E>(self.text, limit, &self.known))
    }

    /// The same as [`Tokenizer::measure`] for `other`, whose first `shared` bytes are those of this text.
    #[must_use]
    pub fn measure_of(&self, other: &str, shared: usize) -> Measure {
        let first = self.first.filter(|first| *first < shared);
        let ends = first
            .or_else(|| boundary::first_from(other, shared.saturating_sub(4)))
            .zip(boundary::last(other));
        let (tokens, bytes) = (self.tokens_of(other, shared), other.len() as u64);
        let core = ends.map(|(start, end)| {
            let around =
                self.tokens_of(&other[..start], shared.min(start)) + self.tokenizer.count(&other[end..]);
            Core { start, end, tokens: tokens - around }
        });
        Measure { tokens, bytes, core }
    }

    fn tokens_of(&self, other: &str, shared: usize) -> u64 {
        with_encoding!(self.tokenizer, E => self.known.tokens_of::<E>(self.text, other, shared))
    }
}
