//! The SHA-256 of several strings.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::words::{from_hex, hex};

/// The SHA-256 of a list of byte strings, each with its length, so that different lists never look the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of these byte strings, in order.
    #[must_use]
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hash = Sha256::new();
        for text in texts {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        Self(hash.finalize().into())
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl FromStr for Fingerprint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let no_digest = || format!("'{text}' is not a digest (expected 64 hex digits)");
        from_hex(text.as_bytes()).map(Self).ok_or_else(no_digest)
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> Self {
        fingerprint.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprint_is_parsed_from_its_hexadecimal_form() {
        let fingerprint = Fingerprint::of([b"a".as_slice(), b"b"]);
        assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
        assert_ne!(fingerprint, Fingerprint::of([b"ab".as_slice()]));
        assert_ne!(fingerprint, Fingerprint::of([b"a".as_slice(), b"b", b""]));
        for text in ["", "12", &"g".repeat(64), &"1".repeat(65), &"é".repeat(32)] {
            let error = text.parse::<Fingerprint>().unwrap_err();
            assert_eq!(error, format!("'{text}' is not a digest (expected 64 hex digits)"));
        }
    }
}
