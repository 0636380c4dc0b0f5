//! What a reader already has from earlier blocks, as a manifest records it for the next one.

use serde::{Deserialize, Serialize};

use crate::select::Label;
use ctx_outline::Lines;

/// What a reader has, and how it was printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockReader {
    /// How it was printed.
    #[serde(flatten)]
    pub view: BlockView,
    /// The documents, in order of their labels.
    pub documents: Vec<ReadDocument>,
}

/// The settings that affect how documents are labelled and printed. Only readers of the same view can be told what
/// has changed.
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
    /// The label, as in the block.
    pub path: String,
    /// The SHA-256 of its text as printed, in hex.
    pub sha256: String,
    /// For a passage found by a search, the label of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Which lines of its file the reader has, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<ReadParts>,
}

/// Some of the lines of a file that a reader has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadParts {
    /// The checksum of the file's whole text in hex; the lines are those of this text only.
    pub of: String,
    /// The first and last line of each part, counted from 1.
    pub lines: Vec<[u64; 2]>,
}

impl ReadParts {
    /// The same parts, counted from the line after these lines.
    #[must_use]
    pub fn after(&self, before: u64) -> Self {
        let lines = self.lines.iter().map(|part| part.map(|line| line.saturating_sub(before))).collect();
        Self { of: self.of.clone(), lines }
    }

    /// Whether most of these lines are among them.
    #[must_use]
    pub fn have_most_of(&self, lines: Lines) -> bool {
        let (first, last) = (lines.first as u64, lines.last as u64);
        let is_in = |line: &u64| self.lines.iter().any(|[first, last]| (first..=last).contains(&line));
        (first..=last).filter(is_in).count() * 2 > lines.count()
    }
}

/// Why it is unknown what the reader has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoReader {
    /// There is no manifest.
    Missing,
    /// The manifest is for a block that was not printed.
    NotPrinted,
    /// The block had another format.
    Format,
    /// Files were labelled differently.
    Labels,
    /// Lines were numbered and now are not, or the other way around.
    LineNumbers,
    /// The manifest is from another directory.
    Root,
}

impl NoReader {
    /// The reason in words, to follow the name of the manifest.
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
    /// Why documents of the two views cannot be compared; `None` if they can.
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
    /// The document with this label.
    #[must_use]
    pub fn find(&self, label: &str) -> Option<&ReadDocument> {
        let place = self.documents.binary_search_by(|document| document.path.as_str().cmp(label));
        place.ok().map(|place| &self.documents[place])
    }
}

impl ReadDocument {
    /// Adds the parts that the reader had before of the same text.
    pub(crate) fn join(&mut self, before: Self) {
        if let (Some(parts), Some(before)) = (&mut self.parts, before.parts)
            && parts.of == before.of
        {
            parts.lines.extend(before.lines);
            parts.lines.sort_unstable();
            parts.lines.dedup();
        }
    }

    /// Whether a block can contain the document: its label and its checksum are well-formed.
    pub(super) fn is_valid(&self) -> bool {
        let is_hash = self.sha256.len() == 64 && self.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash && Label::is_one(&self.path)
    }
}
