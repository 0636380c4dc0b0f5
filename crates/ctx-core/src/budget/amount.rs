//! The budget as the user writes it: its size, and what to drop or shorten to stay within it.

use std::fmt;
use std::str::FromStr;

use crate::named::named;
use crate::words::WrongText;

/// The most that a block may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Budget {
    /// A number of tokens.
    Tokens(u64),
    /// Hundredths of a percent of the window, at most 10,000.
    Share(u16),
    /// No cap.
    Unlimited,
}

const WHOLE_WINDOW: u16 = 10_000;

impl Budget {
    /// The budget in percent of the window, if it was given that way.
    #[must_use]
    pub fn percent(self) -> Option<f64> {
        match self {
            Self::Share(hundredths) => Some(f64::from(hundredths) / 100.0),
            Self::Tokens(_) | Self::Unlimited => None,
        }
    }

    /// The most tokens that the block may have, for a window of `window` tokens; `None` without a cap.
    #[must_use]
    pub fn limit(self, window: u64) -> Option<u64> {
        match self {
            Self::Tokens(tokens) => Some(tokens),
            Self::Share(share) => {
                let tokens = u128::from(window) * u128::from(share) / u128::from(WHOLE_WINDOW);
                Some(u64::try_from(tokens).unwrap_or(u64::MAX))
            }
            Self::Unlimited => None,
        }
    }
}

impl Default for Budget {
    /// Three quarters of the window, which leaves the rest for the prompt and the answer.
    fn default() -> Self {
        Self::Share(7_500)
    }
}

impl FromStr for Budget {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = match text.as_bytes().last() {
            _ if text == "none" => Some(Self::Unlimited),
            Some(b'%') => scaled(&text[..text.len() - 1], 100)
                .and_then(|share| u16::try_from(share).ok())
                .filter(|share| *share <= WHOLE_WINDOW)
                .map(Self::Share),
            Some(b'k' | b'K') => scaled(&text[..text.len() - 1], 1_000).map(Self::Tokens),
            Some(b'm' | b'M') => scaled(&text[..text.len() - 1], 1_000_000).map(Self::Tokens),
            Some(_) | None => scaled(text, 1).map(Self::Tokens),
        };
        parsed.ok_or_else(|| WrongText::new(format!(
                "invalid budget '{text}': use N, Nk or Nm tokens (60000, 60k, 1.5m), up to 100% of the window (75%), or none"
            )))
    }
}

/// The decimal number `text` times `unit`. The product must be a whole number.
fn scaled(text: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let denominator = 10u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let numerator = if fraction.is_empty() { 0 } else { fraction.parse::<u64>().ok()? };
    let part = numerator.checked_mul(unit)?;
    (part % denominator == 0).then_some(())?;
    whole.parse::<u64>().ok()?.checked_mul(unit)?.checked_add(part / denominator)
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens(tokens) => write!(f, "{tokens}"),
            Self::Share(share) if share % 100 == 0 => write!(f, "{}%", share / 100),
            Self::Share(share) => write!(f, "{}.{:02}%", share / 100, share % 100),
            Self::Unlimited => f.write_str("none"),
        }
    }
}

named! {
    /// What to drop or shorten if a block is over budget.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Trim read as "trim rule" {
        /// Repeatedly drops the file with the most tokens.
        #[default]
        Largest = "largest",
        /// Shortens all files that exceed a cap, in tokens, which is the same for all of them.
        Truncate = "truncate",
        /// Replaces the largest file, in tokens, with its outline, and drops files only if the outlines do
        /// not fit.
        Outline = "outline",
        /// Drops what matters least for the query: passages and files below a rank.
        Relevant = "relevant",
    }
}

impl Trim {
    /// Whether the rule shortens files named on the command line if they do not fit.
    #[must_use]
    pub fn shortens(self) -> bool {
        match self {
            Self::Truncate | Self::Outline | Self::Relevant => true,
            Self::Largest => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_budgets_are_parsed_and_survive_a_round_trip() {
        for (text, budget) in [
            ("0", Budget::Tokens(0)),
            ("60000", Budget::Tokens(60_000)),
            ("60k", Budget::Tokens(60_000)),
            ("1.5k", Budget::Tokens(1_500)),
            ("0.25m", Budget::Tokens(250_000)),
            ("2M", Budget::Tokens(2_000_000)),
            ("75%", Budget::default()),
            ("12.5%", Budget::Share(1_250)),
            ("100%", Budget::Share(10_000)),
            ("0%", Budget::Share(0)),
            ("none", Budget::Unlimited),
            ("18446744073709551615", Budget::Tokens(u64::MAX)),
        ] {
            assert_eq!(text.parse(), Ok(budget), "{text}");
            assert_eq!(budget.to_string().parse(), Ok(budget), "{text}");
        }
    }

    #[test]
    fn invalid_budgets_are_refused_with_the_valid_forms() {
        for text in [
            "",
            " ",
            "-1",
            "+1",
            "k",
            "%",
            ".5k",
            "5.k",
            "1.5",
            "1,000",
            "1_000",
            "1e3",
            "100.01%",
            "101%",
            "0.001%",
            "1.0001k",
            "5kk",
            "5g",
            "None",
            "nan",
            "18446744073709551616",
            "99999999999999999m",
            "५",
        ] {
            let error = text.parse::<Budget>().expect_err(text).to_string();
            assert!(error.starts_with(&format!("invalid budget '{text}': use N, Nk or Nm")), "{error}");
        }
    }

    #[test]
    fn percentages_are_relative_to_the_window() {
        assert_eq!(Budget::default().limit(200_000), Some(150_000));
        assert_eq!(Budget::Share(3_333).limit(100), Some(33));
        assert_eq!(Budget::Share(10_000).limit(u64::MAX), Some(u64::MAX));
        assert_eq!(Budget::Tokens(7).limit(1), Some(7));
        assert_eq!(Budget::Unlimited.limit(1), None);
    }
}
