//! Several lists as one JSON document, for a team.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeOwned, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::entry::Entry;
use crate::entry::pattern::{self, TargetError};
use crate::entry::value;
use crate::select;
use crate::source::kind::{TextSource, is_of_a_kind};
use crate::store::document::{self, Damage};
use crate::store::{List, ListTarget, ProfileName, READER, Setting};
use crate::words::WrongText;
use crate::world::World;

/// The largest document that is read, in bytes: more than any store can export, but not unlimited.
pub const MAX_BYTES: u64 = 1 << 30;

/// How many alternatives of patterns are examined; more than anyone has in all of their lists.
const MOST_ALTERNATIVES: usize = 1 << 17;

/// The nesting depth of a profile in the document.
const LEVELS: usize = 2;

/// The version of the format.
const VERSION: u64 = 1;

/// Lists on their way from one store to another. Their names may also be plain strings, to find out whether
/// only a name is invalid.
#[derive(Debug, Clone, PartialEq)]
pub struct Bundle<N: Ord = ProfileName> {
    /// The global list.
    pub global: Option<List>,
    /// The profiles, by name.
    pub profiles: BTreeMap<N, List>,
    /// Keys of the document that this version does not know; they belong to no list.
    pub unknown: Vec<String>,
}

/// Why a document cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// It does not look like an export.
    #[error(transparent)]
    Damaged(Damage),
    /// A profile's name is invalid.
    #[error(transparent)]
    InvalidName(Damage),
}

/// An entry that no store may contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The list that contains it.
    pub target: ListTarget,
    /// The text of the entry.
    pub path: String,
    /// What is wrong with it.
    pub flaw: Flaw,
}

/// What is wrong with an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// Its path or pattern.
    Path(TargetError),
    /// The text after `git:`, `cmd:` and so on.
    Kind(WrongText),
    /// It is standard input, which cannot be stored.
    StandardInput,
    /// An attribute that does not apply to its kind.
    Attribute(&'static str),
    /// One of its tags.
    Tag {
        /// The text of the tag.
        tag: String,
        /// What is wrong with it.
        error: WrongText,
    },
}

impl Bundle {
    /// Reads a document, with or without a byte-order mark.
    ///
    /// # Errors
    /// [`BundleError`], with line and column.
    pub fn parse(bytes: &[u8]) -> Result<Self, BundleError> {
        document::read_around(bytes, LEVELS).map_err(|damage| {
            match document::read_around::<Bundle<String>>(bytes, LEVELS) {
                Ok(_) => BundleError::InvalidName(damage),
                Err(damage) => BundleError::Damaged(damage),
            }
        })
    }

    /// Whether it contains no list at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.global.is_none() && self.profiles.is_empty()
    }

    /// The lists, the global one first.
    pub fn lists(&self) -> impl Iterator<Item = (ListTarget, &List)> {
        let global = self.global.iter().map(|list| (ListTarget::Global, list));
        global.chain(self.profiles.iter().map(|(name, list)| (ListTarget::Profile(name.clone()), list)))
    }

    /// Removes settings that are always the user's own choice, and returns which list had them.
    pub fn leave_out_what_stays(&mut self) -> Vec<(ListTarget, String)> {
        let readers = |list: &List| {
            list.readers.keys().map(|extension| format!("{READER}{extension}")).collect::<Vec<_>>()
        };
        let readers: Vec<(ListTarget, String)> = self
            .lists()
            .flat_map(|(target, list)| readers(list).into_iter().map(move |name| (target.clone(), name)))
            .collect();
        let kept: Vec<(ListTarget, Setting)> = self
            .lists()
            .flat_map(|(target, list)| {
                let set =
                    move |setting: &Setting| setting.stays_here() && list.defaults.get(*setting).is_some();
                Setting::ALL.into_iter().filter(set).map(move |setting| (target.clone(), setting))
            })
            .collect();
        for list in self.global.iter_mut().chain(self.profiles.values_mut()) {
            kept.iter().for_each(|(_, setting)| list.defaults.set(*setting, None));
            list.readers.clear();
        }
        kept.into_iter().map(|(target, setting)| (target, setting.name().to_owned())).chain(readers).collect()
    }
}

/// Entries of these lists that no store may contain. As everywhere, an existing path is literal. Once the limit on
/// alternatives is reached, no more patterns are examined; a command that uses them reports the excess.
#[must_use]
pub fn invalid<L: Borrow<List>>(
    lists: impl IntoIterator<Item = (ListTarget, L)>,
    world: &World,
) -> Vec<Invalid> {
    let mut invalid = Vec::new();
    let mut left = MOST_ALTERNATIVES;
    for (target, list) in lists {
        for entry in &list.borrow().paths {
            let found = |flaw| Invalid { target: target.clone(), path: entry.name().into_owned(), flaw };
            let flaw = path_flaw(&entry.path, world, &mut left);
            let flaws = flaw.into_iter().chain(entry.misapplied().map(Flaw::Attribute));
            invalid.extend(flaws.chain(tag_flaws(entry)).map(found));
        }
    }
    invalid
}

fn path_flaw(path: &str, world: &World, left: &mut usize) -> Option<Flaw> {
    if path == "-" {
        return Some(Flaw::StandardInput);
    }
    if is_of_a_kind(path.strip_prefix('!').unwrap_or(path)) {
        return TextSource::of(path).err().map(Flaw::Kind);
    }
    let error = pattern::flaw(path, left)?;
    let exists = !path.is_empty()
        && !path.starts_with('!')
        && select::path_of(path, world).is_ok_and(|path| path.exists());
    (!exists).then_some(Flaw::Path(error))
}

fn tag_flaws(entry: &Entry) -> impl Iterator<Item = Flaw> {
    let flaw = |tag: &String| value::tag(tag).err().map(|error| Flaw::Tag { tag: tag.clone(), error });
    entry.attributes.tags.iter().filter_map(flaw)
}

impl Serialize for Bundle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_struct("Bundle", 3)?;
        document.serialize_field("version", &VERSION)?;
        match &self.global {
            Some(list) => document.serialize_field("global", list)?,
            None => document.skip_field("global")?,
        }
        document.serialize_field("profiles", &self.profiles)?;
        document.end()
    }
}

impl<N: Ord> Default for Bundle<N> {
    fn default() -> Self {
        Self { global: None, profiles: BTreeMap::new(), unknown: Vec::new() }
    }
}

impl<'de, N: Ord + DeserializeOwned> Deserialize<'de> for Bundle<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self::default())
    }
}

/// Reads the keys of the document into an empty bundle.
impl<'de, N: Ord + DeserializeOwned> Visitor<'de> for Bundle<N> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an export: an object with \"version\" and \"profiles\"")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        let mut version = None;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "version" => version = Some(checked(&map.next_value()?)?),
                "global" => self.global = map.next_value()?,
                "profiles" => self.profiles = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    self.unknown.push(key);
                }
            }
        }
        match version {
            Some(()) => Ok(self),
            None => Err(A::Error::custom("not an export: it has no \"version\"")),
        }
    }
}

fn checked<E: serde::de::Error>(version: &Value) -> Result<(), E> {
    if version.as_u64() == Some(VERSION) {
        return Ok(());
    }
    Err(if version.is_number() {
        E::custom(format_args!("version {version} of the format is not known; this is {VERSION}"))
    } else {
        E::custom(format_args!("the version must be the number {VERSION}, not {version}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> String {
        Bundle::parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn an_export_survives_a_round_trip() {
        let text = r#"{"version":1,"global":{"paths":["a"]},"profiles":{"x":{"later":1,"paths":[{"path":"b","pin":true,"k":[]}]}}}"#;
        let bundle = Bundle::parse(text.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&bundle).unwrap(), text);
    }

    #[test]
    fn invalid_export_is_refused_with_line_and_column() {
        for (text, message) in [
            ("[]", "line 1, column 1: invalid type: sequence, expected an export"),
            ("{\"profiles\":{}}", "line 1, column 15: not an export: it has no \"version\""),
            ("{\"version\":2}", "line 1, column 13: version 2 of the format is not known; this is 1"),
            ("{\"version\":\"1\"}", "line 1, column 15: the version must be the number 1, not \"1\""),
            ("{\"version\":1,\n\"profiles\":{\"x\":[]}}", "line 2, column 16: invalid type: sequence"),
            (
                "{\"version\":1,\"profiles\":{\"x\":{\"paths\":[1]}}}",
                "expected an entry, which is a string or an object",
            ),
            ("{\"version\":1,\"profiles\":{\"x\":{\"paths\":[\"\\u0000\"]}}}", "a path contains a NUL"),
            ("{\"version\":1,\"profiles\":{\"x\":{},\n \"x\":{}}}", "the key \"x\" appears twice"),
            ("{\"version\":1", "EOF while parsing"),
            ("\u{feff}\u{feff}{}", "expected value"),
            ("\u{feff}{}", "it has no \"version\""),
        ] {
            assert!(reason(text).contains(message), "{text}: {}", reason(text));
        }
    }

    #[test]
    fn invalid_name_is_distinguished_from_other_errors() {
        let text = "{\"version\":1,\n\"profiles\":{\"a b\":{}}}";
        let error = Bundle::parse(text.as_bytes()).unwrap_err();
        assert!(matches!(&error, BundleError::InvalidName(damage) if damage.line == 2), "{error}");
    }
}
