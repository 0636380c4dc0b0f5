#![doc = include_str!("../README.md")]
//!
//! ## Certain boundaries
//!
//! Counts add up across a **fixed boundary**: a position that no piece can cross, whatever text comes
//! before or after (between a letter and a space, say). [`Tokenizer::measure`] finds the first and the last
//! one.

#[cfg(feature = "o200k")]
mod blocks;
mod boundary;
#[cfg(feature = "cl100k")]
mod cl100k;
mod classes;
mod encoding;
mod layout;
mod limit;
mod merge;
#[cfg(feature = "o200k")]
mod o200k;
mod pattern;
mod recent;
mod ruler;
#[cfg(test)]
mod tests;
mod tokens;
mod vocabulary;

#[cfg(not(any(feature = "o200k", feature = "cl100k")))]
compile_error!("ctx-tokens needs at least one vocabulary: feature o200k or cl100k");

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

pub use limit::Beginning;
use limit::Known;
pub use ruler::Ruler;
pub use tokens::Error;

#[cfg(feature = "cl100k")]
use cl100k::Cl100kBase;
use encoding::Encoding;
#[cfg(feature = "o200k")]
use o200k::O200kBase;

/// One of OpenAI's tokenizers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tokenizer {
    /// `o200k_base`: GPT-4o and all later models.
    #[cfg(feature = "o200k")]
    O200k,
    /// `cl100k_base`: GPT-4, GPT-3.5, the embedding models.
    #[cfg(feature = "cl100k")]
    Cl100k,
}

/// Prefixes of model names and their tokenizers, from tiktoken's `model.py`, the more specific ones first.
const MODELS: &[(&str, &str)] = &[
    ("gpt-4o", "o200k"),
    ("gpt-4.1", "o200k"),
    ("gpt-4.5", "o200k"),
    ("gpt-5", "o200k"),
    ("chatgpt-4o", "o200k"),
    ("o1", "o200k"),
    ("o3", "o200k"),
    ("o4-mini", "o200k"),
    ("gpt-4", "cl100k"),
    ("gpt-3.5", "cl100k"),
    ("gpt-35", "cl100k"),
    ("davinci-002", "cl100k"),
    ("babbage-002", "cl100k"),
    ("text-embedding-ada-002", "cl100k"),
    ("text-embedding-3-", "cl100k"),
];

/// Evaluates an expression in which a name stands for the encoding of a tokenizer.
macro_rules! with_encoding {
    ($tokenizer:expr, $encoding:ident => $work:expr) => {
        match $tokenizer {
            #[cfg(feature = "o200k")]
            $crate::Tokenizer::O200k => {
                type $encoding = $crate::O200kBase;
                $work
            }
            #[cfg(feature = "cl100k")]
            $crate::Tokenizer::Cl100k => {
                type $encoding = $crate::Cl100kBase;
                $work
            }
        }
    };
}
use with_encoding;

/// The counts for text that will be concatenated with other text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    /// The number of tokens in the text alone.
    pub tokens: u64,
    /// The length of the text in bytes.
    pub bytes: u64,
    /// The part of the text whose tokens are the same in every concatenation, if any.
    pub core: Option<Core>,
}

/// `text[start..end]` is between two fixed boundaries (which may coincide).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Core {
    /// Byte offset of the first fixed boundary.
    pub start: usize,
    /// Byte offset of the last fixed boundary.
    pub end: usize,
    /// The number of tokens in `text[start..end]`.
    pub tokens: u64,
}

impl Tokenizer {
    /// Every tokenizer whose feature is on.
    pub const ALL: &'static [Self] = &[
        #[cfg(feature = "o200k")]
        Self::O200k,
        #[cfg(feature = "cl100k")]
        Self::Cl100k,
    ];

    /// The tokenizer of one of OpenAI's models, as in tiktoken; `None` if the model is unknown or the feature is
    /// off.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// assert_eq!(Tokenizer::for_model("gpt-4o-mini"), Some(Tokenizer::O200k));
    /// assert_eq!(Tokenizer::for_model("gpt-4-turbo"), Some(Tokenizer::Cl100k));
    /// assert_eq!(Tokenizer::for_model("llama-3"), None);
    /// ```
    #[must_use]
    pub fn for_model(name: &str) -> Option<Self> {
        // A fine-tuned model (`ft:gpt-4o:…`) uses the tokenizer of its base.
        let base = name.strip_prefix("ft:").unwrap_or(name);
        let (_, tokenizer) = MODELS.iter().find(|(prefix, _)| base.starts_with(prefix))?;
        tokenizer.parse().ok()
    }

    /// The number of tokens in `text`; special tokens in it count as plain text.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// assert_eq!(Tokenizer::O200k.count("fn main() {}"), 4);
    /// ```
    #[must_use]
    pub fn count(self, text: &str) -> u64 {
        with_encoding!(self, E => E::count(text.as_bytes()))
    }

    /// The number of tokens in `text` if it is at most `limit`. Doesn't read far beyond the limit.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// assert_eq!(Tokenizer::O200k.at_most("fn main() {}", 4), Some(4));
    /// assert_eq!(Tokenizer::O200k.at_most("fn main() {}", 3), None);
    /// ```
    #[must_use]
    pub fn at_most(self, text: &str, limit: u64) -> Option<u64> {
        with_encoding!(self, E => E::at_most(text.as_bytes(), limit))
    }

    /// Whether every string that begins with `head` has more than `limit` tokens; `false` if that isn't
    /// certain.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// let head = "one, two, three, four, ".repeat(10);
    /// assert!(Tokenizer::O200k.definitely_exceeds(&head, 20));
    /// assert!(!Tokenizer::O200k.definitely_exceeds(&head, 200));
    /// ```
    #[must_use]
    pub fn definitely_exceeds(self, head: &str, limit: u64) -> bool {
        let certain = self.core(head).map_or("", |core| &head[core]);
        with_encoding!(self, E => E::has_more_pieces(certain.as_bytes(), limit))
    }

    /// Splits `text` into pieces, as the tokenizer does before merging, and calls `found` with each piece and its
    /// number of tokens until it returns `false`. No token crosses a piece, and most words are one piece.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// let mut pieces = Vec::new();
    /// let text = "fn antidisestablishment()";
    /// Tokenizer::O200k.for_each_piece(text, |piece, tokens| {
    ///     pieces.push((&text[piece], tokens));
    ///     true
    /// });
    /// assert_eq!(pieces, [("fn", 1), (" antidisestablishment", 4), ("()", 1)]);
    /// ```
    pub fn for_each_piece(self, text: &str, found: impl FnMut(Range<usize>, u64) -> bool) {
        with_encoding!(self, E => E::for_each_piece(text.as_bytes(), found));
    }

    /// The tokens of `text`; special tokens in it are plain text.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// assert_eq!(Tokenizer::O200k.encode("fn main() {}"), [13682, 2758, 416, 9902]);
    /// ```
    #[must_use]
    pub fn encode(self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        with_encoding!(self, E => E::encode(text.as_bytes(), &mut tokens));
        tokens
    }

    /// The tokens of `text`, with special tokens in it recognised. Use it only for text you wrote: in somebody
    /// else's, `<|endoftext|>` ends your document.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// assert_eq!(Tokenizer::O200k.encode_with_special("a<|endoftext|>"), [64, 199_999]);
    /// assert_eq!(Tokenizer::O200k.encode("a<|endoftext|>").len(), 8);
    /// ```
    #[must_use]
    pub fn encode_with_special(self, text: &str) -> Vec<u32> {
        with_encoding!(self, E => tokens::encode_with_special::<E>(text))
    }

    /// The bytes that tokens stand for; a special token stands for its name. A slice of tokens can end inside
    /// a character.
    ///
    /// # Errors
    /// [`Error::UnknownToken`] if no token has one of these numbers.
    ///
    /// ```
    /// # use ctx_tokens::{Error, Tokenizer};
    /// assert_eq!(Tokenizer::O200k.decode(&[13682, 2758])?, b"fn main");
    /// assert_eq!(Tokenizer::O200k.decode(&[300_000]), Err(Error::UnknownToken(300_000)));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn decode(self, tokens: &[u32]) -> Result<Vec<u8>, Error> {
        with_encoding!(self, E => tokens::decode::<E>(tokens))
    }

    /// The text that tokens stand for.
    ///
    /// # Errors
    /// As for [`Self::decode`], and [`Error::NotUtf8`] if the bytes of the tokens aren't UTF-8.
    ///
    /// ```
    /// # use ctx_tokens::{Error, Tokenizer};
    /// let tokens = Tokenizer::O200k.encode("Zoë 🦀");
    /// assert_eq!(Tokenizer::O200k.decode_text(&tokens)?, "Zoë 🦀");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn decode_text(self, tokens: &[u32]) -> Result<String, Error> {
        String::from_utf8(self.decode(tokens)?).map_err(|_| Error::NotUtf8)
    }

    /// The longest prefix of `text` that has at most `limit` tokens, or nearly the longest: it ends at the end of
    /// a token and between two characters.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// assert_eq!(Tokenizer::O200k.truncate("one two three four", 3), "one two three");
    /// ```
    #[must_use]
    pub fn truncate(self, text: &str, limit: u64) -> &str {
        &text[..self.prefix_within(text, limit)]
    }

    /// The length in bytes of the prefix that [`Self::truncate`] returns.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// assert_eq!(Tokenizer::O200k.prefix_within("one two three four", 3), "one two three".len());
    /// assert_eq!(Tokenizer::O200k.prefix_within("one", 3), 3);
    /// ```
    #[must_use]
    pub fn prefix_within(self, text: &str, limit: u64) -> usize {
        with_encoding!(self, E => limit::prefix_within::<E>(text, limit, &Known::default()))
    }

    /// The line ends of `text`, each with the number of tokens before it. Includes every line end with at
    /// most `limit` tokens before it, and the next one unless its line is longer than the limit. The end of
    /// the text counts as a line end.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// let ends = Tokenizer::O200k.line_ends("one\ntwo\n", 100);
    /// assert_eq!(ends.iter().map(|end| (end.at, end.tokens)).collect::<Vec<_>>(), [(4, 2), (8, 4)]);
    /// ```
    #[must_use]
    pub fn line_ends(self, text: &str, limit: u64) -> Vec<Beginning> {
        with_encoding!(self, E => limit::line_ends::<E>(text, limit))
    }

    /// The part of `text` between its first and last fixed boundary, if any. Doesn't count anything.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// let (tokenizer, text) = (Tokenizer::O200k, "let a = 1;\nlet b = 2;\n");
    /// let core = tokenizer.core(text).expect("a boundary");
    /// let whole = |before: &str| tokenizer.count(&format!("{before}{text}"));
    /// let before_core = |before: &str| tokenizer.count(&format!("{before}{}", &text[..core.start]));
    /// assert_eq!(whole("[a.rs]") - before_core("[a.rs]"), whole("") - before_core(""));
    /// ```
    #[must_use]
    pub fn core(self, text: &str) -> Option<Range<usize>> {
        let (start, end) = boundary::first_and_last(text)?;
        Some(start..end)
    }

    /// Where [`Self::core`] begins, without looking at the end of the text.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// let (tokenizer, text) = (Tokenizer::O200k, "let a = 1;\nlet b = 2;\n");
    /// assert_eq!(tokenizer.first_boundary(text), tokenizer.core(text).map(|core| core.start));
    /// assert_eq!(tokenizer.first_boundary(""), None);
    /// ```
    #[must_use]
    pub fn first_boundary(self, text: &str) -> Option<usize> {
        boundary::first(text)
    }

    /// Counts `text` and finds its first and last fixed boundary.
    ///
    /// ```
    /// # use ctx_tokens::Tokenizer;
    /// let text = "let answer = 42;\nlet question = None;\n";
    /// let measure = Tokenizer::O200k.measure(text);
    /// assert_eq!((measure.tokens, measure.bytes), (11, text.len() as u64));
    /// let core = measure.core.expect("a boundary");
    /// assert_eq!(core.tokens, Tokenizer::O200k.count(&text[core.start..core.end]));
    /// ```
    #[must_use]
    pub fn measure(self, text: &str) -> Measure {
        let bytes = text.len() as u64;
        let Some(Range { start, end }) = self.core(text) else {
            return Measure { tokens: self.count(text), bytes, core: None };
        };
        let core = Core { start, end, tokens: self.count(&text[start..end]) };
        let around = self.count(&text[..start]) + self.count(&text[end..]);
        Measure { tokens: core.tokens + around, bytes, core: Some(core) }
    }

    /// The number of pieces that `text` is split into before merging, for benchmarks.
    #[doc(hidden)]
    #[must_use]
    pub fn count_pieces(self, text: &str) -> u64 {
        with_encoding!(self, E => E::count_pieces(text.as_bytes()))
    }

    /// `o200k` or `cl100k`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "o200k")]
            Self::O200k => "o200k",
            #[cfg(feature = "cl100k")]
            Self::Cl100k => "cl100k",
        }
    }
}

impl fmt::Display for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Parses `o200k` or `cl100k`, with or without `_base` at the end.
impl FromStr for Tokenizer {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.strip_suffix("_base").unwrap_or(text);
        let found = Self::ALL.iter().copied().find(|tokenizer| tokenizer.name() == name);
        found.ok_or_else(|| Error::UnknownTokenizer(text.to_owned()))
    }
}
