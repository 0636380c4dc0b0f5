//! The list of the checkpoints of a tree.
//!
//! The list decides which checkpoints exist; git has their contents. It is replaced as a whole after git has
//! finished, so a killed command leaves either the old list or the new one.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::entry::ObjectId;
use super::{CheckpointError, CheckpointedTree};
use crate::fs::Identity;
use crate::store::{document, lines};

const FILE: &str = "checkpoints.json";

/// The version of the file's format.
const VERSION: u32 = 1;

/// The largest list that ctx accepts, in bytes.
const LIMIT: u64 = 64 << 20;

/// The most unsaved paths that are recorded for one checkpoint.
pub const MOST_UNSAVED: usize = 1_000;

/// A checkpoint in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Its number, which is never reused.
    pub number: u64,
    /// When it was made: in UTC, in whole seconds.
    pub time: String,
    /// The description given by whoever made it.
    #[serde(default)]
    pub text: String,
    /// How many files and links it contains.
    pub files: usize,
    /// How many files and links were added, changed or deleted since the previous checkpoint.
    pub changed: usize,
    /// The unsaved paths, at most [`MOST_UNSAVED`].
    #[serde(default)]
    pub unsaved: Vec<Unsaved>,
    /// How many paths were not saved.
    #[serde(default)]
    pub unsaved_count: usize,
    /// Why the tracked files were unknown, so that no ignored file was saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untold: Option<String>,
    /// The turn of a history that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// Git's tree of all its paths.
    pub tree: ObjectId,
    /// The identity of the directory it was made from.
    pub(super) identity: Identity,
    /// Keys that this version does not know; kept when the list is rewritten.
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// A path that is not in any checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsaved<P = String> {
    /// The path from the root: its bytes or, in the list, escaped if it is not plain text.
    pub path: P,
    /// Why.
    pub reason: UnsavedReason,
}

/// Why a path is not in any checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnsavedReason {
    /// More than 10 MiB.
    TooLarge,
    /// Not a file, directory or link.
    Special,
    /// The name suggests a secret.
    SecretName,
    /// It cannot be read, or an ignore file in it cannot be read safely.
    Unreadable,
    /// It changed each time it was read.
    Changing,
    /// A git directory, whatever its name.
    GitDirectory,
    /// A temporary file of an earlier restore whose contents are in no checkpoint.
    Leftover,
}

impl UnsavedReason {
    /// The reason in words.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::TooLarge => "larger than 10 MiB",
            Self::Special => "not a regular file",
            Self::SecretName => "the name suggests a secret",
            Self::Unreadable => "cannot be read",
            Self::Changing => "changed while it was read",
            Self::GitDirectory => "a git directory",
            Self::Leftover => "left by a restore",
        }
    }
}

/// All checkpoints of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CheckpointRecord {
    pub version: u32,
    /// The tree, for people who look at the store.
    pub root: String,
    /// The next number to use.
    pub next: u64,
    pub checkpoints: Vec<Checkpoint>,
    /// Keys that this version does not know.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl CheckpointRecord {
    /// Reads the list; empty if it does not exist yet.
    pub fn read(place: &CheckpointedTree) -> Result<Self, CheckpointError> {
        let path = file(&place.directory);
        let bytes = lines::read(&path, LIMIT)?;
        if let Some(bytes) = bytes {
            return Ok(document::parse_version(&path, &bytes, VERSION)?);
        }
        Ok(Self {
            version: VERSION,
            root: place.root.display().to_string(),
            next: 1,
            checkpoints: Vec::new(),
            unknown: Map::new(),
        })
    }

    pub fn write(&self, place: &CheckpointedTree) -> Result<(), CheckpointError> {
        let path = file(&place.directory);
        let text = document::text_of(&path, self)?;
        if text.len() as u64 > LIMIT {
            Err(CheckpointError::ListFull { limit: LIMIT })
        } else {
            Ok(lines::replace(&path, text.as_bytes())?)
        }
    }

    pub fn get(&self, number: u64) -> Result<&Checkpoint, CheckpointError> {
        let found = self.checkpoints.iter().find(|checkpoint| checkpoint.number == number);
        found.ok_or(CheckpointError::Unknown { number })
    }
}

fn file(directory: &Path) -> PathBuf {
    directory.join(FILE)
}
