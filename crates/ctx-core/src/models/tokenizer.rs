//! The tokenizers: OpenAI's, which count exactly, and estimates by bytes or by script.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use ctx_tokens::{Beginning, Measure};

use super::scripts::{ScriptFactors, VOCABULARY};

/// How tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tokenizer {
    /// One of OpenAI's, exact.
    Exact(ctx_tokens::Tokenizer),
    /// Bytes / 4, rounded up: an estimate.
    Bytes4,
    /// The tokens of `o200k` times a factor for each script: an estimate, in [twentieths](super::scripts::PARTS)
    /// of a token.
    Weighted(ScriptFactors),
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self::O200K
    }
}

impl Tokenizer {
    /// OpenAI's `o200k_base`, exact.
    pub const O200K: Self = Self::Exact(ctx_tokens::Tokenizer::O200k);

    /// OpenAI's `cl100k_base`, exact.
    pub const CL100K: Self = Self::Exact(ctx_tokens::Tokenizer::Cl100k);

    /// Every tokenizer with a name, the default first.
    pub const ALL: [Self; 3] = [Self::O200K, Self::CL100K, Self::Bytes4];

    /// The exact tokenizer, unless this one only estimates.
    const fn exact(self) -> Option<ctx_tokens::Tokenizer> {
        match self {
            Self::Exact(exact) => Some(exact),
            Self::Bytes4 | Self::Weighted(_) => None,
        }
    }

    /// The tokenizer whose pieces are counted.
    const fn pieces(self) -> Option<ctx_tokens::Tokenizer> {
        match self {
            Self::Exact(exact) => Some(exact),
            Self::Weighted(_) => Some(VOCABULARY),
            Self::Bytes4 => None,
        }
    }

    /// The factor of each script, if each has its own.
    #[must_use]
    pub fn factors(&self) -> Option<BTreeMap<&'static str, f64>> {
        match self {
            Self::Exact(_) | Self::Bytes4 => None,
            Self::Weighted(factors) => Some(factors.iter().collect()),
        }
    }

    /// How many units one token counts as: the minimum, and the usual number.
    #[must_use]
    pub fn of_a_token(self) -> [u64; 2] {
        match self {
            Self::Exact(_) | Self::Bytes4 => [1, 1],
            Self::Weighted(factors) => [factors.least(), factors.usual()],
        }
    }

    /// The number of tokens in `text` alone; special tokens count as plain text.
    #[must_use]
    pub fn count(self, text: &str) -> u64 {
        if let Self::Weighted(factors) = self {
            return factors.count(text);
        }
        self.exact().map_or_else(|| quarter(text.len()), |exact| exact.count(text))
    }

    /// The number of tokens in `text` if it is at most `limit`. Doesn't read far beyond the limit.
    #[must_use]
    pub fn at_most(self, text: &str, limit: u64) -> Option<u64> {
        if let Self::Weighted(factors) = self {
            return factors.at_most(text, limit);
        }
        match self.exact() {
            Some(exact) => exact.at_most(text, limit),
            None => Some(quarter(text.len())).filter(|tokens| *tokens <= limit),
        }
    }

    /// Whether text that begins with `head` is certain to have more than `limit` tokens, whatever follows.
    #[must_use]
    pub fn definitely_exceeds(self, head: &str, limit: u64) -> bool {
        if let Self::Weighted(factors) = self {
            return factors.definitely_exceeds(head, limit);
        }
        match self.exact() {
            Some(exact) => exact.definitely_exceeds(head, limit),
            None => quarter(head.len()) > limit,
        }
    }

    /// Whether the part of `text` that has the same tokens whatever comes before and after `text` has more
    /// than `limit` tokens. Doesn't read far beyond the limit.
    #[must_use]
    pub fn core_exceeds(self, text: &str, limit: u64) -> bool {
        let core = self.pieces().and_then(|pieces| pieces.core(text));
        core.is_some_and(|core| self.at_most(&text[core], limit).is_none())
    }

    /// A byte offset on a character boundary, before which `text` has at most `limit` tokens, and nearly that
    /// many if it is long enough.
    #[must_use]
    pub fn prefix_within(self, text: &str, limit: u64) -> usize {
        if let Self::Weighted(factors) = self {
            return factors.prefix_within(text, limit);
        }
        match self.exact() {
            Some(exact) => exact.prefix_within(text, limit),
            None => {
                let bytes = usize::try_from(limit.saturating_mul(4)).unwrap_or(usize::MAX);
                (0..=bytes.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
            }
        }
    }

    /// The line ends of `text`, each with the number of tokens before it. Stops at `limit` tokens, but
    /// includes the next line end unless its line is longer than the limit. The end of the text counts as a
    /// line end.
    #[must_use]
    pub fn line_ends(self, text: &str, limit: u64) -> Vec<Beginning> {
        if let Self::Weighted(factors) = self {
            return factors.line_ends(text, limit);
        }
        if let Some(exact) = self.exact() {
            return exact.line_ends(text, limit);
        }
        let mut ends: Vec<Beginning> = Vec::new();
        for line in text.split_inclusive('\n') {
            let last = ends.last().copied().unwrap_or(Beginning { at: 0, tokens: 0 });
            let at = last.at + line.len();
            let tokens = quarter(at);
            if last.tokens > limit || tokens > limit.saturating_mul(2) {
                break;
            }
            ends.push(Beginning { at, tokens });
        }
        ends
    }

    /// The start of the part of `text` that has the same tokens whatever comes before and after `text`.
    /// Doesn't count anything.
    #[must_use]
    pub fn first_boundary(self, text: &str) -> Option<usize> {
        self.pieces()?.first_boundary(text)
    }

    /// Counts `text` and finds the part that has the same tokens whatever comes before and after `text`.
    #[must_use]
    pub fn measure(self, text: &str) -> Measure {
        if let Self::Weighted(factors) = self {
            return factors.measure(text);
        }
        match self.exact() {
            Some(exact) => exact.measure(text),
            None => Measure { tokens: quarter(text.len()), bytes: text.len() as u64, core: None },
        }
    }

    /// Whether counts are an estimate, to be shown with `~`.
    #[must_use]
    pub fn is_estimate(self) -> bool {
        self.exact().is_none()
    }

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact(exact) => exact.name(),
            Self::Weighted(_) => VOCABULARY.name(),
            Self::Bytes4 => "bytes4",
        }
    }
}

/// A quarter of `bytes`, rounded up.
fn quarter(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

impl fmt::Display for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tokenizer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|tokenizer| tokenizer.name() == text);
        found.ok_or_else(|| format!("unknown tokenizer '{text}': use o200k, cl100k or bytes4"))
    }
}

/// Text prepared for cutting and counting many of its prefixes.
#[derive(Debug, Clone)]
pub enum Ruler<'a> {
    /// A ruler for one of OpenAI's tokenizers.
    Exact(ctx_tokens::Ruler<'a>),
    /// The text, and the tokenizer that estimates its tokens.
    Estimate(Tokenizer, &'a str),
}

impl<'a> Ruler<'a> {
    /// Reads as much of `text` as is needed to cut prefixes of at most `most` tokens.
    #[must_use]
    pub fn new(tokenizer: Tokenizer, text: &'a str, most: u64) -> Self {
        let exact = tokenizer.exact().map(|exact| ctx_tokens::Ruler::new(exact, text, most));
        exact.map_or(Self::Estimate(tokenizer, text), Self::Exact)
    }

    /// Like [`Tokenizer::prefix_within`], but for this text.
    #[must_use]
    pub fn prefix_within(&self, limit: u64) -> usize {
        match self {
            Self::Exact(ruler) => ruler.prefix_within(limit),
            Self::Estimate(tokenizer, text) => tokenizer.prefix_within(text, limit),
        }
    }

    /// Like [`Tokenizer::measure`], but for `other`, whose first `shared` bytes are the same as in this text.
    #[must_use]
    pub fn measure_of(&self, other: &str, shared: usize) -> Measure {
        match self {
            Self::Exact(ruler) => ruler.measure_of(other, shared),
            Self::Estimate(tokenizer, _) => tokenizer.measure(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_estimate_respects_every_limit(text in "\\PC{0,40}(\n\\PC{0,9}){0,5}", limit in 0_u64..30) {
            let tokens = Tokenizer::Bytes4.count(&text);
            prop_assert_eq!(tokens, (text.len() as u64).div_ceil(4));
            prop_assert_eq!(Tokenizer::Bytes4.at_most(&text, limit).is_some(), tokens <= limit);
            let end = Tokenizer::Bytes4.prefix_within(&text, limit);
            prop_assert!(Tokenizer::Bytes4.count(&text[..end]) <= limit);
            prop_assert!(end == text.len() || end as u64 + 4 > limit * 4);
            for line in Tokenizer::Bytes4.line_ends(&text, limit) {
                prop_assert_eq!(Tokenizer::Bytes4.count(&text[..line.at]), line.tokens);
                prop_assert!(line.at == text.len() || text[..line.at].ends_with('\n'));
            }
        }

        #[test]
        fn the_core_exceeds_a_limit_if_its_measure_does(text in "([a-z ]{0,9}[\n.]){0,20}", limit in 0_u64..30) {
            for tokenizer in Tokenizer::ALL {
                let expected = tokenizer.measure(&text).core.is_some_and(|core| core.tokens > limit);
                prop_assert_eq!(tokenizer.core_exceeds(&text, limit), expected);
            }
        }
    }
}
