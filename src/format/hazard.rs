//! What in a document could be taken for the block's own boundaries and labels.

use std::collections::HashMap;

use super::{Format, text, xml};

/// What one text holds of the block's own lines or elements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Hazards {
    /// A boundary of the block.
    pub(crate) boundary: bool,
    /// The numbers of the labels held, ascending, each once.
    pub(crate) labels: Vec<usize>,
}

/// The labels that documents may have, each with a number; equal labels share one.
#[derive(Debug, Clone)]
pub(crate) struct Labels<'a> {
    numbers: HashMap<&'a str, usize>,
}

impl<'a> Labels<'a> {
    pub(crate) fn new(labels: impl Iterator<Item = &'a str>) -> Self {
        let mut numbers = HashMap::new();
        for label in labels {
            let next = numbers.len();
            numbers.entry(label).or_insert(next);
        }
        Self { numbers }
    }

    pub(crate) fn find(&self, label: &str) -> Option<usize> {
        self.numbers.get(label).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
}

impl Hazards {
    /// What `text` holds that could be taken for a part of the frame in `format`.
    pub(crate) fn of(format: Format, text: &str, labels: &Labels<'_>) -> Self {
        match format {
            Format::Text => text::hazards(text, labels),
            Format::Xml => xml::hazards(text),
            Format::Markdown | Format::Json => Self::default(),
        }
    }

    /// What `tree` holds; where a format escapes the tree, it can hold nothing.
    pub(crate) fn of_tree(format: Format, tree: &str, labels: &Labels<'_>) -> Self {
        match format {
            Format::Text => text::hazards(tree, labels),
            Format::Xml | Format::Markdown | Format::Json => Self::default(),
        }
    }
}
