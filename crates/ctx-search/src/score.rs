//! How much a passage matters.

use std::fmt;

/// How much a passage matters, in millionths. The words of the query add at most 1, for the passage that matches
/// them best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(pub i64);

impl Score {
    /// A score from a number.
    #[must_use]
    pub fn of(score: f64) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "a score is a small number")]
        Self((score * 1e6).round() as i64)
    }

    /// The score as a number: about 1 for the passage that matches the words of the query best.
    #[must_use]
    pub fn number(self) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "a score is a small number")]
        let millionths = self.0 as f64;
        millionths / 1e6
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thousandths = (self.0 + 500).div_euclid(1_000);
        write!(f, "{}.{:03}", thousandths.div_euclid(1_000), thousandths.rem_euclid(1_000))
    }
}

/// Divides all numbers by the largest.
pub(crate) fn scale(numbers: &mut [f64]) {
    let most = numbers.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        numbers.iter_mut().for_each(|number| *number /= most);
    }
}

/// How rare a word is if `found` of `texts` files contain it.
pub(crate) fn rarity(texts: f64, found: f64) -> f64 {
    (1.0 + (texts - found + 0.5) / (found + 0.5)).ln()
}

#[allow(clippy::cast_precision_loss, reason = "a count of what is in memory")]
pub(crate) fn exact(count: u64) -> f64 {
    count as f64
}
