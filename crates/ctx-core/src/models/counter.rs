//! Tokens as a model counts them: a tokenizer's counts, times a factor if they are an estimate.
//!
//! Sums are computed in **units**, which add up across fixed boundaries: the tokenizer's own tokens, twentieths
//! of a token if each script has its own factor, or bytes if tokens are estimated from bytes. Rounding happens
//! once, at the end.

use ctx_tokens::{Core, Measure};

use super::scripts::PARTS;
use super::{Factor, Tokenizer};

/// Counts tokens for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Counter {
    /// The tokenizer that counts.
    pub tokenizer: Tokenizer,
    /// The factor for its counts.
    pub factor: Factor,
}

impl Counter {
    /// The number of tokens in `text` alone.
    #[must_use]
    pub fn tokens(&self, text: &str) -> u64 {
        self.rounded(self.units(text))
    }

    /// The number of tokens in measured text.
    #[must_use]
    pub fn tokens_of(&self, measure: &Measure) -> u64 {
        self.rounded(match self.tokenizer {
            Tokenizer::Exact(_) | Tokenizer::Weighted(_) => measure.tokens,
            Tokenizer::Bytes4 => measure.bytes,
        })
    }

    /// Whether counts are an estimate, to be shown with `~`.
    #[must_use]
    pub fn is_estimate(&self) -> bool {
        self.tokenizer.is_estimate() || self.factor != Factor::ONE
    }

    /// Roughly how many of the model's tokens correspond to one of the tokenizer's, for text in Latin
    /// letters.
    #[must_use]
    pub fn usual_factor(&self) -> f64 {
        match self.tokenizer {
            Tokenizer::Weighted(factors) => factors.latin(),
            Tokenizer::Exact(_) | Tokenizer::Bytes4 => self.factor.number(),
        }
    }

    /// The number of units in `text` alone, from which the model's tokens are computed.
    pub fn units(&self, text: &str) -> u64 {
        match self.tokenizer {
            Tokenizer::Exact(_) | Tokenizer::Weighted(_) => self.tokenizer.count(text),
            Tokenizer::Bytes4 => text.len() as u64,
        }
    }

    /// The part of measured text that has the same tokens whatever comes before and after the text, counted
    /// in units instead of tokens.
    pub fn core(&self, measure: &Measure) -> Option<Core> {
        match self.tokenizer {
            Tokenizer::Exact(_) | Tokenizer::Weighted(_) => measure.core,
            Tokenizer::Bytes4 => {
                let end = usize::try_from(measure.bytes).ok()?;
                Some(Core { start: 0, end, tokens: measure.bytes })
            }
        }
    }

    /// The fewest units that `bytes` bytes of text can have, whatever surrounds them: no token is longer than
    /// 128 bytes.
    pub fn least_units(&self, bytes: u64) -> u64 {
        match self.tokenizer {
            Tokenizer::Exact(_) | Tokenizer::Weighted(_) => {
                let [least, _] = self.tokenizer.of_a_token();
                bytes / 128 * least
            }
            Tokenizer::Bytes4 => bytes,
        }
    }

    /// Roughly how many units `bytes` bytes of text have.
    pub fn usual_units(&self, bytes: u64) -> u64 {
        /// A typical number of bytes per token.
        const BYTES_IN_TOKEN: u64 = 4;
        let [_, usual] = self.tokenizer.of_a_token();
        self.units_of(bytes.div_ceil(BYTES_IN_TOKEN) * usual)
    }

    /// Whether `text` is certain to have more than `room` units, whatever surrounds it.
    pub fn exceeds(&self, text: &str, room: u64) -> bool {
        match self.tokenizer {
            Tokenizer::Exact(_) | Tokenizer::Weighted(_) => {
                self.least_units(text.len() as u64) > room || self.tokenizer.core_exceeds(text, room)
            }
            Tokenizer::Bytes4 => text.len() as u64 > room,
        }
    }

    /// Converts units to the model's tokens, rounded up.
    pub fn rounded(&self, units: u64) -> u64 {
        let tokens = match self.tokenizer {
            Tokenizer::Exact(_) => units,
            Tokenizer::Weighted(_) => units.div_ceil(PARTS),
            Tokenizer::Bytes4 => units.div_ceil(4),
        };
        self.factor.apply(tokens)
    }

    /// The most units for which [`Self::rounded`] gives at most `tokens`.
    pub fn most_units(&self, tokens: u64) -> u64 {
        self.units_of(self.unscaled(tokens))
    }

    /// The most units that text with `tokens` tokens of the tokenizer can have.
    pub fn units_of(&self, tokens: u64) -> u64 {
        match self.tokenizer {
            Tokenizer::Exact(_) | Tokenizer::Weighted(_) => tokens,
            Tokenizer::Bytes4 => tokens.saturating_mul(4),
        }
    }

    /// The most tokens of the tokenizer that amount to at most `tokens` of the model.
    pub fn unscaled(&self, tokens: u64) -> u64 {
        let most = self.factor.invert(tokens);
        match self.tokenizer {
            Tokenizer::Exact(_) | Tokenizer::Bytes4 => most,
            Tokenizer::Weighted(_) => most.saturating_mul(PARTS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_round_up_and_mark_the_estimate() {
        let factor = Factor::from_number(1.15).unwrap();
        let counter = Counter { tokenizer: Tokenizer::Bytes4, factor };
        assert_eq!(counter.tokens("12345678"), 3);
        assert_eq!(counter.tokens(""), 0);
        assert_eq!(counter.unscaled(3), 2);
        assert!(counter.is_estimate());
        assert!(!Counter::default().is_estimate());
    }
}
