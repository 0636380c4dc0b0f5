//! What was found in texts that are made safe, text by text.

use std::fmt;

use super::hidden::HiddenFinding;
use super::secrets::SecretFinding;
use crate::words::counted;

/// The secrets and the hidden characters of texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Secrets that were replaced.
    pub secrets: Vec<SecretFinding>,
    /// Hidden characters that were made visible, by code point.
    pub hidden: Vec<HiddenFinding>,
}

impl Findings {
    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty() && self.hidden.is_empty()
    }
}

/// `2 secrets redacted (github-token), 1 hidden character made visible (U+202E)`.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: Vec<&str> = self.secrets.iter().map(|secret| secret.kind.name()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut codes: Vec<String> =
            self.hidden.iter().map(|hidden| format!("U+{:04X}", u32::from(hidden.char))).collect();
        codes.sort_unstable();
        codes.dedup();
        let characters = self.hidden.iter().map(|hidden| hidden.count).sum();
        if !kinds.is_empty() {
            let secrets = counted(self.secrets.len(), "secret");
            write!(f, "{secrets} redacted ({})", kinds.join(", "))?;
        }
        let comma = if kinds.is_empty() { "" } else { ", " };
        if codes.is_empty() {
            return Ok(());
        }
        let characters = counted(characters, "hidden character");
        write!(f, "{comma}{characters} made visible ({})", codes.join(", "))
    }
}
