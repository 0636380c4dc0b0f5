//! Profile names: checked once, at the edge, and trusted after that.

use std::cmp::Ordering;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::words::{WrongText, hex};

/// The name of the history of questions asked here.
pub const QUESTIONS: &str = "@ask";

const DEFAULT: &str = "default";
const MAX_LENGTH: usize = 64;

/// The name of a profile: `[A-Za-z0-9][A-Za-z0-9_-]{0,63}`.
///
/// Names are sorted as in listings: `default` first, then by their bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProfileName(String);

const EMPTY: &str = "Profile name cannot be empty";
const CHARACTERS: &str = "Profile name must start with an ASCII letter or digit and can only contain ASCII letters, \
                          digits, hyphens, and underscores";
const TOO_LONG: &str = "Profile name can have at most 64 characters";

impl ProfileName {
    /// The profile that always exists.
    #[must_use]
    pub fn default_profile() -> Self {
        Self(DEFAULT.to_owned())
    }

    /// The name of the history of questions below a root, which no profile can have.
    #[must_use]
    pub fn of_questions(root: &Path) -> Self {
        let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
        Self(format!("{QUESTIONS}-{}", hex(&digest[..8])))
    }

    /// The history in a file with this name, without its extension.
    #[must_use]
    pub fn of_history(text: &str) -> Option<Self> {
        let is_digest =
            |digest: &str| digest.len() == 16 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        let of_questions = text
            .strip_prefix(QUESTIONS)
            .and_then(|rest| rest.strip_prefix('-'))
            .filter(|rest| is_digest(rest));
        match of_questions {
            Some(_) => Some(Self(text.to_owned())),
            None => text.parse().ok(),
        }
    }

    /// The rule for names, which also applies to histories and to-do lists.
    pub const RULE: &str = "at most 64 letters, digits, hyphens and underscores, the first a letter or digit";

    /// Whether this is the profile that always exists.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.0 == DEFAULT
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ProfileName {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Self, WrongText> {
        let starts_well = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        if text.is_empty() {
            Err(WrongText::new(EMPTY))
        } else if !starts_well || !text.bytes().all(is_allowed) {
            Err(WrongText::new(CHARACTERS))
        } else if text.len() > MAX_LENGTH {
            Err(WrongText::new(TOO_LONG))
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The rest identifies the root, which the reader knows or is told.
        f.write_str(if self.0.starts_with(QUESTIONS) { QUESTIONS } else { &self.0 })
    }
}

impl Ord for ProfileName {
    fn cmp(&self, other: &Self) -> Ordering {
        (!self.is_default(), &self.0).cmp(&(!other.is_default(), &other.0))
    }
}

impl PartialOrd for ProfileName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for ProfileName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ProfileName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

/// Checks the name while parsing, so that an error has its position.
struct NameVisitor;

impl Visitor<'_> for NameVisitor {
    type Value = ProfileName;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a profile, which is a string")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<ProfileName, E> {
        name.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_profile_names_are_parsed() {
        let longest = "a".repeat(64);
        for good in ["a", "7", "Api-2_x", "default", longest.as_str()] {
            assert!(good.parse::<ProfileName>().is_ok(), "{good}");
        }
        let too_long = "a".repeat(65);
        let fault = |text: &str| text.parse::<ProfileName>().err();
        assert_eq!(fault(""), Some(WrongText::new(EMPTY)));
        assert_eq!(fault(&too_long), Some(WrongText::new(TOO_LONG)));
        for bad in ["-a", "_a", ".", "..", "a/b", "a.b", "a b", "ä", "a\0"] {
            assert_eq!(fault(bad), Some(WrongText::new(CHARACTERS)), "{bad}");
        }
    }

    #[test]
    fn history_of_questions_has_a_different_name_for_each_root() {
        let [one, other] = ["/a", "/b"].map(|root| ProfileName::of_questions(Path::new(root)));
        assert_ne!(one, other);
        assert_eq!(one.to_string(), QUESTIONS);
        assert_eq!(ProfileName::of_history(one.as_str()), Some(one.clone()));
        assert!(one.as_str().parse::<ProfileName>().is_err());
        assert_eq!(ProfileName::of_history("@ask-x"), None);
        assert_eq!(ProfileName::of_history("review"), "review".parse().ok());
    }

    #[test]
    fn the_default_profile_is_listed_first() {
        let mut names: Vec<ProfileName> =
            ["b", "default", "A", "a"].iter().map(|n| n.parse().unwrap()).collect();
        names.sort();
        let names: Vec<&str> = names.iter().map(ProfileName::as_str).collect();
        assert_eq!(names, ["default", "A", "a", "b"]);
    }
}
