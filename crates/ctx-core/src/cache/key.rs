//! The key of a record.

use sha2::{Digest, Sha256};
use twox_hash::XxHash3_64;

use crate::entry::{Allowance, Allowed, LevelOfDetail, Lines};
use crate::models::Tokenizer;
use crate::read::Stamp;
use ctx_outline::Language;

/// The version of the cache format and of the meaning of its records; a new number discards all old ones. It must
/// change with any change to decoding, redaction, hidden characters, numbering or counting. The package's version
/// does that for every release.
const VERSION: &str = concat!("17 ", env!("CARGO_PKG_VERSION"));

/// What happens to a file's text before it is counted, and what it is counted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Treatment {
    /// What is left unchanged in the text.
    pub allowed: Allowed,
    /// Whether lines are numbered.
    pub line_numbers: bool,
    /// Whether the file is a notebook whose cells are the text, which depends on its name.
    pub notebook: bool,
    /// Which lines of the file are counted, if not all.
    pub lines: Option<Lines>,
    /// How much of it is counted.
    pub level: LevelOfDetail,
    /// The language of its outline, from its name or first line, if the outline is what is counted.
    pub language: Option<Language>,
    /// What counts the tokens.
    pub tokenizer: Tokenizer,
}

/// A checksum of a file's bytes. A program that writes through a memory mapping can change a file without
/// changing anything that the [`Key`] depends on. In that case, the record is for different contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksum(pub(super) u64);

impl Checksum {
    /// Used instead of a checksum if the bytes were not read to the end.
    pub const NONE: Self = Self(0);

    /// The checksum of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(XxHash3_64::oneshot(bytes))
    }

    /// It in hex.
    #[must_use]
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

/// The first half of a SHA-256 over everything that a count depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(pub(super) [u8; 16]);

impl Key {
    /// The key of a file in its current state, with its text treated this way.
    ///
    /// Device and inode identify the file, unlike a name, which can later refer to a different file. Size and
    /// modification time change with most changes, and the change time with all others, since programs cannot
    /// set it.
    #[must_use]
    pub fn of(stamp: &Stamp, treatment: &Treatment) -> Self {
        let mut bytes = Vec::with_capacity(160);
        bytes.extend_from_slice(VERSION.as_bytes());
        for number in [stamp.device, stamp.inode, stamp.size] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for time in [stamp.modified, stamp.changed] {
            bytes.extend_from_slice(&time.seconds.to_le_bytes());
            bytes.extend_from_slice(&time.nanoseconds.to_le_bytes());
        }
        let Treatment { allowed, line_numbers, notebook, lines, level, language, tokenizer } = treatment;
        for word in allowed.each().map(Allowance::name).chain([tokenizer.name()]) {
            bytes.extend_from_slice(word.as_bytes());
            bytes.push(0);
        }
        if let Tokenizer::Weighted(factors) = tokenizer {
            bytes.extend_from_slice(&factors.parts());
        }
        bytes.push(u8::from(*line_numbers));
        bytes.push(u8::from(*notebook));
        if let Some(Lines { first, last }) = lines {
            bytes.extend_from_slice(&first.to_le_bytes());
            bytes.extend_from_slice(&last.unwrap_or(u64::MAX).to_le_bytes());
        }
        bytes.extend_from_slice(level.to_string().as_bytes());
        if let Some(language) = language {
            bytes.extend_from_slice(format!("{language:?}").as_bytes());
        }
        Self::of_bytes(&bytes)
    }

    /// A key that depends only on the bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut key = [0; 16];
        key.copy_from_slice(&Sha256::digest(bytes)[..16]);
        Self(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Time;

    #[test]
    fn everything_that_a_count_depends_on_changes_the_key() {
        let time = Time { seconds: 7, nanoseconds: 8 };
        let stamp = Stamp { device: 1, inode: 2, size: 3, modified: time, changed: time };
        let treatment = Treatment {
            allowed: Allowed::default(),
            line_numbers: false,
            notebook: false,
            lines: None,
            level: LevelOfDetail::Full,
            language: None,
            tokenizer: Tokenizer::O200K,
        };
        let later = Time { seconds: 7, nanoseconds: 9 };
        let secrets = Allowed::from_iter([Allowance::Secrets]);
        let hidden = Allowed::from_iter([Allowance::Hidden]);
        let keys = [
            Key::of(&stamp, &treatment),
            Key::of(&Stamp { device: 9, ..stamp }, &treatment),
            Key::of(&Stamp { inode: 9, ..stamp }, &treatment),
            Key::of(&Stamp { size: 9, ..stamp }, &treatment),
            Key::of(&Stamp { modified: later, ..stamp }, &treatment),
            Key::of(&Stamp { changed: later, ..stamp }, &treatment),
            Key::of(&stamp, &Treatment { allowed: secrets, ..treatment }),
            Key::of(&stamp, &Treatment { allowed: hidden, ..treatment }),
            Key::of(&stamp, &Treatment { line_numbers: true, ..treatment }),
            Key::of(&stamp, &Treatment { notebook: true, ..treatment }),
            Key::of(&stamp, &Treatment { lines: "1-4".parse().ok(), ..treatment }),
            Key::of(&stamp, &Treatment { lines: "1-5".parse().ok(), ..treatment }),
            Key::of(&stamp, &Treatment { level: LevelOfDetail::Outline, ..treatment }),
            Key::of(&stamp, &Treatment { language: Some(Language::Rust), ..treatment }),
            Key::of(&stamp, &Treatment { tokenizer: Tokenizer::CL100K, ..treatment }),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{index}");
        }
    }
}
