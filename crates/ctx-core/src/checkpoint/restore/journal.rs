//! The plan of a restore, recorded before anything is done.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::handles::{NoDirectory, Root};
use super::request::SkippedPath;
use super::rules;
use crate::checkpoint::CheckpointError;
use crate::checkpoint::entry::{Mode, ObjectId, TreeEntry, TreePath, decoded, encoded};
use crate::checkpoint::place::CheckpointedTree;
use crate::checkpoint::walk::{TEMPORARY, is_directory};
use crate::store::{StoreError, document, lines};

const FILE: &str = "restore.json";

/// The version of the journal's format.
const VERSION: u32 = 1;

/// The largest journal that ctx accepts, in bytes.
const LIMIT: u64 = 1 << 30;

/// A restore in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    pub version: u32,
    /// The checkpoint to restore.
    pub target: u64,
    /// The checkpoint of the previous state.
    pub before: u64,
    pub stage: Stage,
    /// Whether it undoes another restore.
    pub back: bool,
    pub steps: Vec<RestoreStep>,
    /// Directories that did not exist, each after its parent.
    pub made: Vec<TreePath>,
    /// Keys that this version does not know; kept when the journal is rewritten.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// The steps of a restore.
#[derive(Debug, Default)]
pub struct RestorePlan {
    /// Deletions first, from the bottom up, then the rest by path.
    pub changes: Vec<RestoreStep>,
    /// Paths that cannot be restored.
    pub skipped: Vec<SkippedPath>,
    /// Directories that do not exist yet, each after its parent.
    pub made: Vec<TreePath>,
    /// Files that are not in the checkpoint but stay, because the restored rules ignore them.
    pub ignored: Vec<TreePath>,
    /// Files that are not in the checkpoint and stay, because newer files are not to be deleted.
    pub newer: Vec<TreePath>,
    /// How many files exist now.
    pub files: usize,
}

impl RestorePlan {
    /// How many files it deletes.
    pub fn deleted(&self) -> usize {
        self.changes.iter().filter(|change| change.after.is_none()).count()
    }

    /// Whether it neither creates a file nor changes an ignore file. Undoing it then deletes nothing.
    pub fn only_brings_back(&self) -> bool {
        let is_plain = |change: &RestoreStep| change.before.is_some() && change.path.name() != rules::NAME;
        self.changes.iter().all(is_plain)
    }
}

/// How far a restore has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// New contents are written under temporary names; no file of the tree is touched.
    Preparing,
    /// Names are exchanged.
    Exchanging,
}

/// The change of one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreStep {
    pub path: TreePath,
    /// The directory of the temporary name, relative to the root: the nearest existing parent that stays.
    pub beside: String,
    /// The temporary name; empty while the step is only planned.
    pub temporary: String,
    /// The previous entry of the path; `None` if it did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<TreeEntry>,
    /// The new entry; `None` if the path is to be deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<TreeEntry>,
}

impl RestoreStep {
    /// A change of one path, with this directory for its temporary name.
    pub fn new(path: &TreePath, before: Option<TreeEntry>, after: Option<TreeEntry>, beside: &[u8]) -> Self {
        Self { path: path.clone(), beside: encoded(beside), temporary: String::new(), before, after }
    }

    pub fn beside(&self) -> Vec<u8> {
        decoded(&self.beside).unwrap_or_default()
    }

    pub fn temporary(&self) -> &[u8] {
        self.temporary.as_bytes()
    }

    /// Whether only its executable bit changes.
    pub fn is_mode_alone(&self) -> Option<(TreeEntry, Mode)> {
        let (before, after) = (self.before?, self.after?);
        let is_file = |entry: TreeEntry| entry.mode != Mode::Link;
        (before.id == after.id && is_file(before) && is_file(after)).then_some((before, after.mode))
    }

    /// The new contents that it needs, if any.
    pub fn content(&self) -> Option<ObjectId> {
        self.after.filter(|_| self.is_mode_alone().is_none()).map(|after| after.id)
    }

    /// Whether the path is already right. A path to delete counts as gone if a directory has its name.
    pub fn is_done(&self, root: &Root) -> bool {
        let name = self.path.name();
        match (root.directory(self.path.parent()), self.after) {
            (Ok(directory), Some(after)) => directory.has(name, Some(after)),
            (Ok(directory), None) => {
                directory.stat(name).is_ok_and(|stat| stat.is_none_or(|stat| is_directory(&stat)))
            }
            (Err(NoDirectory::Missing | NoDirectory::NotDirectory(_)), after) => after.is_none(),
            (Err(NoDirectory::Failed(_)), _) => false,
        }
    }
}

/// Unique temporary names.
pub fn temporary_names() -> impl Iterator<Item = String> {
    use std::hash::{BuildHasher, RandomState};
    let random = RandomState::new().hash_one(std::process::id());
    (1_usize..).map(move |count| format!("{TEMPORARY}{random:016x}-{count}"))
}

impl Journal {
    /// The journal of a plan.
    pub fn of(target: u64, before: u64, plan: &RestorePlan) -> Self {
        let steps = plan.changes.iter().cloned().zip(temporary_names());
        Self {
            version: VERSION,
            target,
            before,
            stage: Stage::Preparing,
            back: false,
            steps: steps.map(|(step, temporary)| RestoreStep { temporary, ..step }).collect(),
            made: plan.made.clone(),
            unknown: Map::new(),
        }
    }

    /// Reads the journal of an interrupted command, if any.
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
                reason: "a temporary name is not one that ctx makes".to_owned(),
            }
            .into()),
            journal => Ok(journal),
        }
    }

    /// Writes the journal to disk.
    pub fn write(&self, place: &CheckpointedTree) -> Result<(), CheckpointError> {
        let path = file(place);
        let text = document::text_of(&path, self)?;
        Ok(lines::replace(&path, text.as_bytes())?)
    }

    /// Deletes the journal, once everything is done or nothing has changed.
    pub fn forget(place: &CheckpointedTree) -> Result<(), CheckpointError> {
        let path = file(place);
        std::fs::remove_file(&path).map_err(CheckpointError::io("remove", &path))
    }
}

fn file(place: &CheckpointedTree) -> PathBuf {
    place.directory.join(FILE)
}
