//! What becomes of a document with secrets or hidden characters in it.

use crate::named::named;

named! {
    /// What becomes of a document with secrets in it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum SecretPolicy read as "policy" {
        /// Each secret is replaced by a marker.
        #[default]
        Redact = "redact",
        /// The document is left out.
        Skip = "skip",
        /// Secrets are not looked for.
        Allow = "allow",
    }
}

named! {
    /// What becomes of a document with hidden characters in it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum HiddenPolicy read as "policy" {
        /// Each hidden character is written out.
        #[default]
        Show = "show",
        /// Hidden characters are not looked for.
        Allow = "allow",
    }
}

/// Both policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Policies {
    /// For secrets.
    pub secrets: SecretPolicy,
    /// For hidden characters.
    pub hidden: HiddenPolicy,
}

impl Policies {
    /// Nothing is looked for.
    #[must_use]
    pub fn allowing_all() -> Self {
        Self { secrets: SecretPolicy::Allow, hidden: HiddenPolicy::Allow }
    }

    /// Whether what is found in a text decides over more than how it is printed.
    #[must_use]
    pub fn are_decisive(&self) -> bool {
        match (self.secrets, self.hidden) {
            (SecretPolicy::Skip, _) => true,
            (SecretPolicy::Redact | SecretPolicy::Allow, HiddenPolicy::Show | HiddenPolicy::Allow) => false,
        }
    }
}

/// The policies that the command line names. What it leaves open, an entry may allow for its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChosenPolicies {
    /// For secrets.
    pub secrets: Option<SecretPolicy>,
    /// For hidden characters.
    pub hidden: Option<HiddenPolicy>,
}

impl ChosenPolicies {
    /// The policies where no entry allows anything.
    #[must_use]
    pub fn strictest(self) -> Policies {
        Policies { secrets: self.secrets.unwrap_or_default(), hidden: self.hidden.unwrap_or_default() }
    }

    /// The policies for a file of which entries allow secrets or hidden characters.
    #[must_use]
    pub fn allowing(self, secrets: bool, hidden: bool) -> Policies {
        let Policies { secrets: strict_secrets, hidden: strict_hidden } = self.strictest();
        Policies {
            secrets: if secrets && self.secrets.is_none() { SecretPolicy::Allow } else { strict_secrets },
            hidden: if hidden && self.hidden.is_none() { HiddenPolicy::Allow } else { strict_hidden },
        }
    }
}
