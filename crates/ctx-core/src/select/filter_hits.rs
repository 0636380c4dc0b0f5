//! Which patterns of filters match something.

use std::collections::BTreeSet;

/// The alternatives of the filters that match something, by number.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct FilterHits {
    /// Whether they were tried on any file.
    pub has_tried: bool,
    /// Those of the patterns that include files.
    pub include: BTreeSet<usize>,
    /// Those of the patterns that exclude files.
    pub exclude: BTreeSet<usize>,
}

/// A pattern that matches none of the files that it was tried on, or some of whose alternatives don't.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleFilter {
    /// Whether it excludes files.
    pub excludes: bool,
    /// The whole pattern.
    pub pattern: String,
    /// The alternatives that match nothing, if others match.
    pub alternatives: Vec<String>,
    /// Patterns that match and that were probably meant.
    pub meant: Vec<String>,
}
