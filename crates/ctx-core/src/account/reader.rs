//! What a reader has of the blocks that were printed, as a manifest keeps it for the next block.

use serde::{Deserialize, Serialize};

use crate::select::Label;

/// What a reader has, and how it was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockReader {
    /// How it was shown.
    #[serde(flatten)]
    pub view: BlockView,
    /// The documents, in order of their labels.
    pub documents: Vec<ReadDocument>,
}

/// What decides how a document is called and printed: readers of one view can be told what has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockView {
    /// The format of the block.
    pub format: String,
    /// How files are labelled: `root` or `absolute`.
    pub paths: String,
    /// Whether lines are numbered.
    pub line_numbers: bool,
    /// The SHA-256 of the path of the work root, in hex.
    pub root: String,
}

/// A document that a reader has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadDocument {
    /// The label, as it was in the block.
    pub path: String,
    /// The SHA-256 of its text as printed, in hex.
    pub sha256: String,
    /// For a passage found by a search, the label of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Why nothing is known of what the reader has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoReader {
    /// There is no manifest.
    Missing,
    /// It is that of a block that was not printed.
    NotPrinted,
    /// The block had another format.
    Format,
    /// Files were labelled otherwise.
    Labels,
    /// Lines were numbered and are not, or the other way around.
    LineNumbers,
    /// It was made elsewhere.
    Root,
}

impl NoReader {
    /// In words, after the name of the manifest.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Missing => "does not exist yet",
            Self::NotPrinted => "is from output that was not printed",
            Self::Format => "is from output in another format",
            Self::Labels => "is from output with other labels",
            Self::LineNumbers => "is from output with other line numbering",
            Self::Root => "is from another directory",
        }
    }
}

impl BlockView {
    /// Why a reader of this view cannot be told what has changed in the other one, if that is so.
    #[must_use]
    pub fn differs_from(&self, other: &Self) -> Option<NoReader> {
        let differs = [
            (self.format != other.format, NoReader::Format),
            (self.root != other.root, NoReader::Root),
            (self.paths != other.paths, NoReader::Labels),
            (self.line_numbers != other.line_numbers, NoReader::LineNumbers),
        ];
        differs.into_iter().find_map(|(differs, why)| differs.then_some(why))
    }
}

impl BlockReader {
    /// The document of this label.
    #[must_use]
    pub fn find(&self, label: &str) -> Option<&ReadDocument> {
        let place = self.documents.binary_search_by(|document| document.path.as_str().cmp(label));
        place.ok().map(|place| &self.documents[place])
    }
}

impl ReadDocument {
    /// Whether it can have been in a block.
    pub(super) fn is_valid(&self) -> bool {
        let is_hash = self.sha256.len() == 64 && self.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash && Label::is_one(&self.path)
    }
}
