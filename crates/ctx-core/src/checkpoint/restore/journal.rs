//! What a restore is about to do, recorded before it does anything.

use std::path::PathBuf;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::handles::{NoDirectory, Parents, Root};
use crate::checkpoint::CheckpointError;
use crate::checkpoint::entry::{Mode, ObjectId, TreeEntry, TreePath};
use crate::checkpoint::place::CheckpointedTree;
use crate::checkpoint::walk::{TEMPORARY, is_directory};
use crate::store::{StoreError, document, lines};
use crate::words::from_hex;

const FILE: &str = "restore.json";

/// The form of the journal.
pub const VERSION: u32 = 1;

/// The largest journal that is read, in bytes.
const LIMIT: u64 = 1 << 30;

/// A restore that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    pub version: u32,
    /// The checkpoint that is restored.
    pub target: u64,
    /// The checkpoint of the state before.
    pub before: u64,
    pub stage: Stage,
    /// Whether it puts back what another restore did.
    pub back: bool,
    pub steps: Vec<RestoreStep>,
    /// Directories that were not there, each after the one that it is in.
    pub made: Vec<PathText>,
    /// Keys that this version does not know; kept when the journal is rewritten.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// New contents are written beside, under temporary names; no file of the tree is touched.
    Preparing,
    /// Names are exchanged.
    Exchanging,
}

/// What happens to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreStep {
    pub path: PathText,
    /// The directory of the temporary name, from the root.
    pub beside: String,
    /// The temporary name.
    pub temporary: String,
    /// What the path had before; nothing if it was not there.
    #[serde(with = "entry", default, skip_serializing_if = "Option::is_none")]
    pub before: Option<TreeEntry>,
    /// What it is to have; nothing if it is to be deleted.
    #[serde(with = "entry", default, skip_serializing_if = "Option::is_none")]
    pub after: Option<TreeEntry>,
}

impl RestoreStep {
    pub fn beside(&self) -> Vec<u8> {
        decoded(&self.beside).unwrap_or_default()
    }

    pub fn temporary(&self) -> &[u8] {
        self.temporary.as_bytes()
    }

    /// Whether only who may execute it changes.
    pub fn is_mode_alone(&self) -> Option<(TreeEntry, Mode)> {
        let (before, after) = (self.before?, self.after?);
        let is_file = |entry: TreeEntry| entry.mode != Mode::Link;
        (before.id == after.id && is_file(before) && is_file(after)).then_some((before, after.mode))
    }

    /// Whether new contents are needed for it.
    pub fn content(&self) -> Option<ObjectId> {
        self.after.filter(|_| self.is_mode_alone().is_none()).map(|after| after.id)
    }

    /// Whether the path is as it is to be. What is to be deleted is not there if a directory has its name.
    pub fn is_done(&self, root: &Root) -> bool {
        let name = self.path.0.name();
        match (root.directory(self.path.0.parent(), Parents::Required), self.after) {
            (Ok(directory), Some(after)) => directory.has(name, Some(after)),
            (Ok(directory), None) => {
                directory.stat(name).is_ok_and(|stat| stat.is_none_or(|stat| is_directory(&stat)))
            }
            (Err(NoDirectory::Missing | NoDirectory::NotDirectory(_)), after) => after.is_none(),
            (Err(NoDirectory::Failed(_)), _) => false,
        }
    }

    /// The step that puts things back.
    pub fn inverse(&self) -> Self {
        Self { before: self.after, after: self.before, ..self.clone() }
    }
}

/// Temporary names that nobody else has.
pub struct TemporaryNames {
    random: u64,
    given: usize,
}

impl TemporaryNames {
    pub fn new() -> Self {
        use std::hash::{BuildHasher, RandomState};
        Self { random: RandomState::new().hash_one(std::process::id()), given: 0 }
    }

    pub fn next(&mut self) -> String {
        self.given += 1;
        format!("{TEMPORARY}{:016x}-{}", self.random, self.given)
    }
}

impl Journal {
    /// The journal that a command left, if one did.
    pub fn read(place: &CheckpointedTree) -> Result<Option<Self>, CheckpointError> {
        let path = file(place);
        let bytes = lines::read(&path, LIMIT)?;
        let parse = |bytes: Vec<u8>| document::parse_version(&path, &bytes, VERSION);
        let journal: Option<Self> = bytes.map(parse).transpose()?;
        let is_ours = |step: &RestoreStep| {
            step.temporary.starts_with(TEMPORARY)
                && !step.temporary.contains('/')
                && decoded(&step.beside).is_some()
        };
        match journal {
            Some(journal) if !journal.steps.iter().all(is_ours) => Err(StoreError::Damaged {
                path,
                line: 1,
                column: 1,
                reason: "a temporary name is not one of ctx".to_owned(),
            }
            .into()),
            journal => Ok(journal),
        }
    }

    /// Records it, on the disk.
    pub fn write(&self, place: &CheckpointedTree) -> Result<(), CheckpointError> {
        let path = file(place);
        let text = document::text_of(&path, self)?;
        Ok(lines::replace(&path, text.as_bytes())?)
    }

    /// Forgets it: everything is done, or nothing.
    pub fn forget(place: &CheckpointedTree) -> Result<(), CheckpointError> {
        let path = file(place);
        std::fs::remove_file(&path).map_err(CheckpointError::io("remove", &path))
    }
}

fn file(place: &CheckpointedTree) -> PathBuf {
    place.directory.join(FILE)
}

/// A path as text: what is not a plain ASCII character is written as `%` and two digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathText(pub TreePath);

impl Serialize for PathText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&encoded(self.0.bytes()))
    }
}

impl<'de> Deserialize<'de> for PathText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let path = decoded(&text).and_then(|bytes| TreePath::new(&bytes));
        path.map(Self).ok_or_else(|| D::Error::custom("a path of a tree expected"))
    }
}

/// See [`PathText`].
pub fn encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'%' | 0..=0x1f | 0x7f.. => text.push_str(&format!("%{byte:02x}")),
            byte => text.push(char::from(*byte)),
        }
    }
    text
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'%' => {
                let (digits, after) = rest.split_at_checked(2)?;
                bytes.extend(from_hex::<1>(digits)?);
                rest = after;
            }
            byte => bytes.push(*byte),
        }
    }
    Some(bytes)
}

/// `100644 ID`.
mod entry {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Mode, ObjectId, TreeEntry};

    #[allow(clippy::ref_option, reason = "serde passes the field by reference")]
    pub fn serialize<S: Serializer>(entry: &Option<TreeEntry>, serializer: S) -> Result<S::Ok, S::Error> {
        match entry {
            Some(entry) => serializer.collect_str(&format_args!("{} {}", entry.mode.git(), entry.id)),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TreeEntry>, D::Error> {
        let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
        let parse = |text: &str| {
            let (mode, id) = text.split_once(' ')?;
            Some(TreeEntry { mode: Mode::parse(mode.as_bytes())?, id: ObjectId::parse(id.as_bytes())? })
        };
        parse(&text).map(Some).ok_or_else(|| D::Error::custom("a mode and 64 hexadecimal digits expected"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_are_a_text_and_back() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decoded(&encoded(&all)), Some(all));
        assert_eq!(encoded("a b/ä%\n".as_bytes()), "a b/%c3%a4%25%0a");
        assert_eq!(decoded("%2"), None);
    }
}
