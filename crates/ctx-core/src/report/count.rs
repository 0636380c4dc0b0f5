//! Numbers for people: grouped by thousands, and with `~` if they are estimates.

use std::fmt;

use crate::words::grouped;

/// A number that may be an estimate: `51,204` or `~51,204`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count {
    /// The number.
    pub number: u64,
    /// Whether it is an estimate.
    pub estimated: bool,
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.estimated { "~" } else { "" }, grouped(self.number))
    }
}

/// Formats a number of tokens, counted or estimated: `1 token`, `~51,204 tokens`.
#[must_use]
pub fn tokens(number: u64, estimated: bool) -> String {
    format!("{} {}", Count { number, estimated }, if number == 1 { "token" } else { "tokens" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_and_estimates_marked() {
        assert_eq!(Count { number: 51_204, estimated: false }.to_string(), "51,204");
        assert_eq!(Count { number: 51_204, estimated: true }.to_string(), "~51,204");
    }

    #[test]
    fn one_token_is_singular() {
        assert_eq!(tokens(1, false), "1 token");
        assert_eq!(tokens(1, true), "~1 token");
        assert_eq!(tokens(0, false), "0 tokens");
        assert_eq!(tokens(2_000, true), "~2,000 tokens");
    }
}
