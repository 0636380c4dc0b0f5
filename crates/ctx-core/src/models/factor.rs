use std::fmt;

/// How many tokens of one tokenizer correspond to one token of another, stored in thousandths; from 0.1 to
/// 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor(u32);

const SCALE: u32 = 1000;
const RANGE: std::ops::RangeInclusive<u32> = SCALE / 10..=SCALE * 100;

impl Factor {
    /// The factor 1.
    pub const ONE: Self = Self(SCALE);

    /// The factor for a number, if it is in range; more than three decimals are rounded up.
    #[must_use]
    pub fn from_number(number: f64) -> Option<Self> {
        // A decimal such as 1.35 has no exact binary form; the slack keeps it from becoming 1.351.
        let thousandths = (number * f64::from(SCALE) - 1e-6).ceil();
        let fits = (f64::from(*RANGE.start())..=f64::from(*RANGE.end())).contains(&thousandths);
        fits.then_some(Self(thousandths as u32))
    }

    /// The factor as a number.
    #[must_use]
    pub fn number(self) -> f64 {
        f64::from(self.0) / f64::from(SCALE)
    }

    /// The factor in thousandths.
    #[must_use]
    pub fn thousandths(self) -> u32 {
        self.0
    }

    /// Converts `tokens` from the tokenizer used for counting to the model's tokens, rounded up.
    #[must_use]
    pub fn apply(self, tokens: u64) -> u64 {
        let scaled = (u128::from(tokens) * u128::from(self.0)).div_ceil(u128::from(SCALE));
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }

    /// The highest count for which [`Self::apply`] returns at most `limit`.
    #[must_use]
    pub fn invert(self, limit: u64) -> u64 {
        let scaled = u128::from(limit) * u128::from(SCALE) / u128::from(self.0);
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}

impl Default for Factor {
    fn default() -> Self {
        Self::ONE
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{}.{:03}", self.0 / SCALE, self.0 % SCALE);
        f.pad(digits.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn factors_are_exact_to_three_decimals_and_rounded_up() {
        let thousandths = |number| Factor::from_number(number).map(Factor::thousandths);
        assert_eq!(thousandths(1.0), Some(1000));
        assert_eq!(thousandths(1.35), Some(1350));
        assert_eq!(thousandths(1.0001), Some(1001));
        assert_eq!(thousandths(0.1), Some(100));
        assert_eq!(thousandths(100.0), Some(100_000));
        for number in [0.0, -1.0, 0.09, 100.1, 1e300, f64::NAN, f64::INFINITY] {
            assert_eq!(thousandths(number), None, "{number}");
        }
    }

    #[test]
    fn a_factor_is_shown_without_trailing_zeros() {
        let shown = |number| Factor::from_number(number).map(|factor| factor.to_string());
        assert_eq!(shown(1.0).as_deref(), Some("1"));
        assert_eq!(shown(1.5).as_deref(), Some("1.5"));
        assert_eq!(shown(10.05).as_deref(), Some("10.05"));
    }

    proptest! {
        #[test]
        fn invert_is_the_largest_that_applies_within_the_limit(
            thousandths in RANGE, limit in 0..u64::MAX / 1000,
        ) {
            let factor = Factor(thousandths);
            let most = factor.invert(limit);
            prop_assert!(factor.apply(most) <= limit);
            prop_assert!(factor.apply(most + 1) > limit);
        }
    }
}
