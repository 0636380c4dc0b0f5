//! The account: what happened to every selected file.
//!
//! It is serialised in a documented JSON format (`version` 1).

mod entry;
mod reader;
mod tally;

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::entry::{LevelOfDetail, Lines, Scope};
use crate::guard::Findings;
use crate::history::Turns;
use crate::report::Reason;
use crate::source::ImportedBy;
use crate::source::git::CommitsRecord;
use crate::store::ProfileName;
use crate::words::WrongText;

pub use entry::{EntryRecord, EntryState, FileCounts, InQuestions};
pub use reader::{BlockReader, BlockView, NoReader, ReadDocument, ReadParts};
pub use tally::{Measures, Status, Tally};

/// The version of the JSON format. It changes when a key changes its meaning or is removed.
pub const VERSION: u32 = 1;

/// A part of a document's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartRecord {
    /// Its first and last line, counted from 1.
    pub lines: [u64; 2],
}

/// One file and what happened to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileRecord {
    /// The label, as in the block.
    pub path: String,
    /// The entry that selected it (the first, if several match).
    pub entry: String,
    /// The scope of that entry.
    pub scope: Scope,
    /// `import` if another document imports it, `reference` if the prompt refers to it, or else the kind of
    /// the entry.
    pub origin: &'static str,
    /// The document that imports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_by: Option<ImportedBy>,
    /// The exit code of the command if it is not 0, or 128 plus the number of the signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// What happened to the file.
    pub status: Status,
    /// The reason for the status; absent if the file is simply included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// How much of it is in the block: `full`, `outline` or `name`; absent if it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<LevelOfDetail>,
    /// The tokens its text takes in the block; 0 if it is not there.
    pub tokens: u64,
    /// The tokens of its whole text; absent if it was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_tokens: Option<u64>,
    /// The bytes of its whole text, or the size of the file if it was not read whole; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_bytes: Option<u64>,
    /// The bytes its text takes in the block; 0 if it is not there.
    pub bytes: u64,
    /// Its position in the printed block, including its label: the first byte, and the byte after the last.
    /// Only present in a complete account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[u64; 2]>,
    /// The SHA-256 of its text as printed (or as it would be printed, if dropped), in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Its first and last line, counted from 1, if it is a range of lines; the last is `null` if the file could
    /// not be read that far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<[Option<u64>; 2]>,
    /// The parts of its source that are printed, in order, if it is printed only in part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartRecord>,
    /// Its position among the ranked files, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// The score of its best passage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Whether it is never trimmed.
    pub pinned: bool,
    /// The tags of the entries that match it, at most 32 tags and 1 KiB in total.
    #[serde(serialize_with = "each")]
    pub tags: Arc<Vec<String>>,
    /// How its bytes were decoded, if not as plain UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The replaced secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<Tally>,
    /// The hidden characters made visible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revealed: Vec<Tally>,
    /// The bytes of embedded data that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted_data: Option<usize>,
    /// Whether nobody asked for it, so that it only competes for room in a search.
    #[serde(skip)]
    pub only_competes: bool,
}

impl FileRecord {
    /// What happened to it, in words for people.
    #[must_use]
    pub fn in_words(&self) -> &'static str {
        match (self.status, self.level) {
            (Status::Included, Some(LevelOfDetail::Name)) => Status::Truncated.in_words(),
            (status, _) => status.in_words(),
        }
    }

    /// The label of its file, even if only some of its lines are included.
    #[must_use]
    pub fn file(&self) -> &str {
        let lines = self.lines.and_then(|[first, last]| Some(Lines { first: first?, last }));
        let whole = lines.and_then(|lines| self.path.strip_suffix(&format!(":{lines}")));
        whole.unwrap_or(&self.path)
    }
}

fn each<S: Serializer>(texts: &Arc<Vec<String>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(texts.iter())
}

/// The tokens of the block and its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TokenCounts {
    /// The block as printed, without the prompt.
    pub block: u64,
    /// What the prompt adds to that.
    pub prompt: u64,
    /// The documents in it.
    pub documents: u64,
    /// The tokens of the history.
    pub history: u64,
    /// The block minus its documents and the history. It can be negative, since counts do not simply add up.
    pub frame: i64,
    /// The tokens that were dropped or cut.
    pub dropped: u64,
}

impl TokenCounts {
    /// Everything that is printed.
    #[must_use]
    pub fn printed(&self) -> u64 {
        self.block.saturating_add(self.prompt)
    }

    /// What counts towards the budget of these measures.
    #[must_use]
    pub fn in_budget(&self, measures: &Measures) -> u64 {
        if measures.budget_covers_prompt { self.printed() } else { self.block }
    }
}

/// The instruction in the block; its tokens are part of the frame's.
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
    /// Its name.
    pub name: ProfileName,
    /// How many turns there are after the summary.
    pub turns: usize,
    /// How many of these turns are in the block.
    pub included: usize,
    /// How many of the oldest turns are not in the block.
    pub omitted: usize,
    /// The tokens it takes in the block.
    pub tokens: u64,
    /// The tokens it may take before its oldest turns are left out.
    pub share: u64,
    /// The turns that the summary in the block covers, if there is one.
    pub summary: Option<Turns>,
}

/// What was searched for besides the question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WordsRecord {
    /// The program that chose some of it, if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The names.
    pub words: Vec<String>,
    /// The paths of files that matter more.
    pub paths: Vec<String>,
    /// How many other names the program chose, which do not occur here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<usize>,
    /// The tokens that the program was sent; 0 if its names were cached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

impl WordsRecord {
    /// The same without secrets and hidden characters.
    #[must_use]
    pub fn safe(&self) -> Self {
        let mut findings = Findings::default();
        let mut safe = |texts: &[String]| texts.iter().map(|text| findings.clean(text.clone())).collect();
        Self { words: safe(&self.words), paths: safe(&self.paths), ..self.clone() }
    }
}

/// A directory that could not be searched, so that files in it may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnsearchedRecord {
    /// Its label.
    pub path: String,
    /// The reason.
    pub reason: Reason,
}

/// A setting that applies to the block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingRecord {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// Where it is set: `profile`, `project`, `all profiles` or `$CTX_MODEL`.
    pub from: &'static str,
}

/// The project in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectRecord {
    /// Its root, as `~/…` below the home directory.
    pub root: String,
    /// How many items on the lists are not trusted here.
    pub pending: usize,
}

/// The whole account.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Account<Files = Vec<FileRecord>> {
    /// [`VERSION`].
    pub version: u32,
    /// The profile in use; absent if only session entries were used.
    pub profile: Option<String>,
    /// The project that the profile belongs to, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectRecord>,
    /// The directory that a question searches, as the entry that finds its files is called.
    #[serde(skip)]
    pub looked_through: Option<String>,
    /// The settings that apply, in a fixed order. Callers that show them fill this in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingRecord>,
    /// How the tokens were counted.
    #[serde(flatten)]
    pub measures: Measures,
    /// Why no block can be printed, if the selected files don't fit. The account then describes the block
    /// that does not fit, with everything that must be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Reason>,
    /// How many files have each status.
    pub file_counts: FileCounts,
    /// The tokens of the block and its parts.
    pub tokens: TokenCounts,
    /// The bytes of the block, without the prompt.
    pub bytes: u64,
    /// How many files, and directories that are not searched, the built-in ignore file excludes from all patterns and
    /// directories.
    pub built_in_ignored: usize,
    /// The instruction to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<InstructionRecord>,
    /// The history that the block continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryRecord>,
    /// The earlier commits, if they are used for a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<CommitsRecord>,
    /// What was searched for besides the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<WordsRecord>,
    /// The entries, in the order in which they apply.
    pub entries: Vec<EntryRecord>,
    /// The files, in the order of the block.
    pub files: Files,
    /// The directories that could not be searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsearched: Vec<UnsearchedRecord>,
    /// What the reader has after reading the block, so that a later block can contain only the changes. Whoever prints the
    /// block fills this in, with [`Plan::reader`](crate::plan::Plan::reader).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<BlockReader>,
}

impl Account {
    /// Files with this status, in the order of the block.
    pub fn with_status(&self, status: Status) -> impl Iterator<Item = &FileRecord> {
        self.files.iter().filter(move |file| file.status == status)
    }
}

/// The part of a manifest that describes what the reader has.
#[derive(Deserialize)]
struct WrittenAccount {
    version: u32,
    reader: Option<BlockReader>,
}

impl BlockReader {
    /// The reader in a manifest; `None` if its block was not printed.
    ///
    /// # Errors
    /// If `bytes` is not a manifest, or has another version.
    pub fn of_manifest(bytes: &[u8]) -> Result<Option<Self>, WrongText> {
        let refused = || WrongText::new("it is not a manifest, or it is damaged");
        let mut manifest: WrittenAccount = serde_json::from_slice(bytes).map_err(|_| refused())?;
        let documents = manifest.reader.iter_mut().map(|reader| &mut reader.documents);
        documents.for_each(|documents| documents.sort_by(|one, other| one.path.cmp(&other.path)));
        let is_whole =
            manifest.reader.iter().flat_map(|reader| &reader.documents).all(ReadDocument::is_valid);
        if manifest.version == VERSION && is_whole { Ok(manifest.reader) } else { Err(refused()) }
    }
}

/// `part` of `whole` in percent, rounded down; 100 if `whole` is 0.
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
    fn large_shares_do_not_overflow_and_the_share_of_nothing_is_100_percent() {
        assert_eq!(share(51_204, 150_000), 34);
        assert_eq!(share(0, 0), 100);
        assert_eq!(share(u64::MAX, u64::MAX), 100);
    }
}
