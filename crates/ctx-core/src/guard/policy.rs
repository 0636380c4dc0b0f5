//! What becomes of a document with secrets or hidden characters in it.

use std::fmt;
use std::str::FromStr;

macro_rules! policy {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident => $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// Every policy, the default first.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $name {
            type Err = UnknownPolicy;

            fn from_str(name: &str) -> Result<Self, UnknownPolicy> {
                let policy = Self::ALL.iter().find(|policy| policy.name() == name).copied();
                policy.ok_or_else(|| UnknownPolicy {
                    name: name.to_owned(),
                    known: concat!($($text, " ",)+).trim_ascii_end(),
                })
            }
        }
    };
}

policy! {
    /// What becomes of a document with secrets in it.
    SecretPolicy {
        /// Each secret is replaced by a marker.
        #[default]
        Redact => "redact",
        /// The document is left out.
        Skip => "skip",
        /// The command fails.
        Fail => "fail",
        /// Secrets are not looked for.
        Allow => "allow",
    }
}

policy! {
    /// What becomes of a document with hidden characters in it.
    HiddenPolicy {
        /// Each hidden character is written out.
        #[default]
        Show => "show",
        /// The command fails.
        Fail => "fail",
        /// Hidden characters are not looked for.
        Allow => "allow",
    }
}

/// A name that no policy has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown policy '{name}': one of {known}")]
pub struct UnknownPolicy {
    name: String,
    known: &'static str,
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
            (SecretPolicy::Skip | SecretPolicy::Fail, _) | (_, HiddenPolicy::Fail) => true,
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
