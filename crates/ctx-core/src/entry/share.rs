//! How much of a budget an entry may use.

use std::fmt;
use std::str::FromStr;

/// A share of the budget, in percent from 1 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share(u64);

/// A text is no share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a share is a percentage from 1% to 100%")]
pub struct NoShare;

impl Default for Share {
    fn default() -> Self {
        Self(20)
    }
}

impl Share {
    /// So much of `whole`, rounded down.
    #[must_use]
    pub fn of(self, whole: u64) -> u64 {
        u64::try_from(u128::from(whole) * u128::from(self.0) / 100).unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0)
    }
}

impl FromStr for Share {
    type Err = NoShare;

    fn from_str(text: &str) -> Result<Self, NoShare> {
        let digits = text.strip_suffix('%').unwrap_or(text);
        let percent: u64 = digits.parse().map_err(|_| NoShare)?;
        (1..=100).contains(&percent).then_some(Self(percent)).ok_or(NoShare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_is_a_percentage() {
        assert_eq!("35%".parse::<Share>().map(|share| share.of(1_000)), Ok(350));
        assert_eq!("20".parse(), Ok(Share::default()));
        for text in ["0%", "101%", "a", "", "-1%", "20%%"] {
            assert_eq!(text.parse::<Share>(), Err(NoShare), "{text}");
        }
    }
}
