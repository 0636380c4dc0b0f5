//! The account: what became of every file that was selected.
//!
//! Serialised, it is a documented form of JSON (`version` 1).

mod entry;
mod reader;
mod tally;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::entry::{LevelOfDetail, Scope};
use crate::history::Turns;
use crate::report::Reason;
use crate::source::ImportedBy;
use crate::store::ProfileName;
use crate::words::counted;

pub use entry::{EntryRecord, EntryState, FileCounts};
pub use reader::{BlockReader, BlockView, NoReader, ReadDocument};
pub use tally::{Measures, Status, Tally};

/// The version of the JSON form; it changes when a key changes its meaning or goes away.
pub const VERSION: u32 = 1;

/// One file and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileRecord {
    /// The label, as it is in the block.
    pub path: String,
    /// The entry that brought it (the first, if several match).
    pub entry: String,
    /// Where that entry comes from.
    pub scope: Scope,
    /// `import` if another document names it, `reference` if the prompt refers to it, else the kind of that entry.
    pub origin: &'static str,
    /// The document that imports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_by: Option<ImportedBy>,
    /// The exit code of the command, if it is not 0; 128 plus the number for a signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// What became of the file.
    pub status: Status,
    /// Why, when it is not simply included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// How much of it is in the block: `full`, `outline` or `name`; absent if nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<LevelOfDetail>,
    /// The tokens that its text takes in the block: 0 if it is not there.
    pub tokens: u64,
    /// The tokens of its whole text; absent if it was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_tokens: Option<u64>,
    /// The bytes of its whole text, or the size of the file if it was not read whole; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_bytes: Option<u64>,
    /// The bytes that its text takes in the block: 0 if it is not there.
    pub bytes: u64,
    /// Where it is in the block with the frame around it, as it is printed: its first byte, and the byte after
    /// its last. Only where the whole account is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[u64; 2]>,
    /// The SHA-256 of its text as printed (or, dropped, as it would be), in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Its first and last line, from 1, if it is some lines of a file; the last is `null` if the file could not be
    /// read to there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<[Option<u64>; 2]>,
    /// Its place among the files that were ranked, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// How much the best of its passages matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Whether it may not be trimmed.
    pub pinned: bool,
    /// The tags of the entries that match it, at most 32 and 1 KiB in sum.
    #[serde(serialize_with = "each")]
    pub tags: Arc<Vec<String>>,
    /// How its bytes were decoded, if not as plain UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Secrets that were replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<Tally>,
    /// Hidden characters that were made visible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revealed: Vec<Tally>,
}

fn each<S: Serializer>(texts: &Arc<Vec<String>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(texts.iter())
}

/// The tokens of the block and of what it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TokenCounts {
    /// The block as printed.
    pub block: u64,
    /// The texts of the documents in it.
    pub documents: u64,
    /// The tokens of the history.
    pub history: u64,
    /// The block less its documents and the history (counts do not add across seams, so it may be below zero).
    pub frame: i64,
    /// The tokens that were dropped or cut.
    pub dropped: u64,
}

/// The instruction of the block; its tokens are among those of the frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstructionRecord {
    /// The tokens of its text.
    pub tokens: u64,
    /// The SHA-256 of its text as printed, in hex.
    pub sha256: String,
    /// Its sources, in order.
    pub scopes: Vec<Scope>,
}

/// The history that the block continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HistoryRecord {
    /// What it is called.
    pub name: ProfileName,
    /// How many turns there are to show, those after the summary.
    pub turns: usize,
    /// How many of them are in the block.
    pub included: usize,
    /// How many of the oldest are not.
    pub omitted: usize,
    /// The tokens it takes in the block.
    pub tokens: u64,
    /// The tokens it may take before its beginning moves.
    pub share: u64,
    /// The turns that the summary in the block is about, if there is one.
    pub summary: Option<Turns>,
}

/// The earlier commits whose messages say which files a question is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommitsRecord {
    /// How many there are.
    pub count: usize,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub none: Option<String>,
}

impl fmt::Display for CommitsRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.none {
            Some(why) => write!(f, "none ({why})"),
            None => write!(f, "{}", counted(self.count, "commit")),
        }
    }
}

/// A setting that holds for the block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingRecord {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub value: String,
    /// Where it says so: `profile`, `project`, `all profiles` or `$CTX_MODEL`.
    pub from: &'static str,
}

/// A project that is in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectRecord {
    /// Its root, below the home directory as `~/…`.
    pub root: String,
    /// How many items on the lists are not trusted here..
    pub pending: usize,
}

/// The whole account.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Account {
    /// [`VERSION`].
    pub version: u32,
    /// The profile that was used; absent when only session entries were.
    pub profile: Option<String>,
    /// The project whose profile that is, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectRecord>,
    /// The settings that hold, in a fixed order: whoever shows them says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingRecord>,
    /// What the counts mean.
    #[serde(flatten)]
    pub measures: Measures,
    /// Why there is no block: what was selected does not fit. The account is then that of the block
    /// that does not fit: everything that must be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Reason>,
    /// How many files have each status.
    pub file_counts: FileCounts,
    /// The tokens of the block and its parts.
    pub tokens: TokenCounts,
    /// The bytes of the block.
    pub bytes: u64,
    /// How many files the built-in ignore file excludes from all patterns and directories.
    pub built_in_ignored: usize,
    /// The instruction to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<InstructionRecord>,
    /// The history that the block continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryRecord>,
    /// The earlier commits, where a question is asked of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<CommitsRecord>,
    /// The entries, in the order in which they count.
    pub entries: Vec<EntryRecord>,
    /// The files, in the order of the block.
    pub files: Vec<FileRecord>,
    /// What the reader has once the block is read, for a later one that only has what has changed: who prints the block
    /// says so, with [`Plan::reader`](crate::plan::Plan::reader).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<BlockReader>,
}

/// The figures of an account, without its entries and files.
#[derive(Debug, Clone, PartialEq)]
pub struct Totals {
    /// What the counts mean.
    pub measures: Measures,
    /// How many files have each status.
    pub file_counts: FileCounts,
    /// The tokens of the block and its parts.
    pub tokens: TokenCounts,
    /// The bytes of the block.
    pub bytes: u64,
}

impl Account {
    /// Files with this status, in the order of the block.
    pub fn with_status(&self, status: Status) -> impl Iterator<Item = &FileRecord> {
        self.files.iter().filter(move |file| file.status == status)
    }
}

/// A manifest, as far as it says what the reader has.
#[derive(Deserialize)]
struct WrittenAccount {
    version: u32,
    reader: Option<BlockReader>,
}

impl BlockReader {
    /// What a manifest says of the reader; `None` if its block was not printed.
    ///
    /// # Errors
    /// If it is none, or none of this version of its form.
    pub fn of_manifest(bytes: &[u8]) -> Result<Option<Self>, NoManifest> {
        let mut manifest: WrittenAccount = serde_json::from_slice(bytes).map_err(|_| NoManifest)?;
        let documents = manifest.reader.iter_mut().map(|reader| &mut reader.documents);
        documents.for_each(|documents| documents.sort_by(|one, other| one.path.cmp(&other.path)));
        let is_whole =
            manifest.reader.iter().flat_map(|reader| &reader.documents).all(ReadDocument::is_valid);
        if manifest.version == VERSION && is_whole { Ok(manifest.reader) } else { Err(NoManifest) }
    }
}

/// A text is not the JSON of an account, or says what cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is not a manifest, or it is damaged")]
pub struct NoManifest;

/// `part` of `whole` in percent, rounded down; all of nothing is 100.
#[must_use]
pub fn share(part: u64, whole: u64) -> u64 {
    if whole == 0 {
        100
    } else {
        u64::try_from(u128::from(part) * 100 / u128::from(whole)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_do_not_overflow_and_survive_an_empty_whole() {
        assert_eq!(share(51_204, 150_000), 34);
        assert_eq!(share(0, 0), 100);
        assert_eq!(share(u64::MAX, u64::MAX), 100);
    }
}
