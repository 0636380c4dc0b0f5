//! What is otherwise left out or changed, and may be let through.

use std::fmt;
use std::ops::BitOr;

use crate::named::named;

named! {
    /// What an entry can let through, or the command line for one block.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Allowance read as "allowance" {
        /// Files that ignore rules leave out.
        Ignored = "ignored",
        /// Files whose names suggest secrets; their contents are redacted as ever.
        SecretNames = "secret-names",
        /// The same, and secrets in contents as they are.
        Secrets = "secrets",
        /// Hidden characters as they are.
        Hidden = "hidden",
    }
}

/// A set of what is let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Allowed(u8);

impl Allowed {
    /// Everything that a text can hold.
    pub const ALL_CONTENTS: Self = Self(Self::bit(Allowance::Secrets) | Self::bit(Allowance::Hidden));

    const fn bit(allowance: Allowance) -> u8 {
        1 << allowance as u8
    }

    /// Whether it is let through.
    #[must_use]
    pub fn has(self, allowance: Allowance) -> bool {
        self.0 & Self::bit(allowance) != 0
    }

    /// Whether names that suggest secrets are.
    #[must_use]
    pub fn has_secret_names(self) -> bool {
        self.has(Allowance::SecretNames) || self.has(Allowance::Secrets)
    }

    /// What of it concerns the text of a document, and not which documents there are.
    #[must_use]
    pub fn in_contents(self) -> Self {
        Self(self.0 & Self::ALL_CONTENTS.0)
    }

    /// Whether nothing is let through.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// What of it the other does not let through.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Each of it, in the order of [`Allowance::ALL`].
    pub fn each(self) -> impl Iterator<Item = Allowance> {
        Allowance::ALL.into_iter().filter(move |allowance| self.has(*allowance))
    }
}

impl FromIterator<Allowance> for Allowed {
    fn from_iter<I: IntoIterator<Item = Allowance>>(allowances: I) -> Self {
        Self(allowances.into_iter().fold(0, |set, allowance| set | Self::bit(allowance)))
    }
}

impl BitOr for Allowed {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.each().map(Allowance::name).collect();
        f.write_str(&words.join(","))
    }
}
