//! The kinds of secrets that are known by their shape.

use std::fmt;

/// What a secret is for, as far as its shape tells. Each row of the table has its own, by a stable name in kebab
/// case, as it is in `[REDACTED:<name>]`: `github-token`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretKind(pub(in crate::guard) &'static str);

impl SecretKind {
    /// Signed or encrypted JSON web tokens; the values of headers are searched for them.
    pub(super) const JWT: Self = Self("jwt");
    /// Private keys, which may reach over the ends of lines.
    pub(super) const PRIVATE_KEY: Self = Self("private-key");

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// The text that takes the place of a secret of this kind.
    #[must_use]
    pub fn marker(self) -> String {
        format!("[REDACTED:{}]", self.0)
    }
}

impl fmt::Display for SecretKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}
