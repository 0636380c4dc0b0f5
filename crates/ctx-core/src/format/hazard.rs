//! What in a document could be taken for the block's own boundaries and labels.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::line::skeleton;

/// What one text holds of the block's own lines or elements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hazards {
    /// A boundary of the block.
    pub boundary: bool,
    /// The numbers of the labels held, ascending, each once.
    pub labels: Vec<usize>,
}

/// The labels that documents may have, each with a number; labels that look alike share one.
#[derive(Debug, Clone, Default)]
pub struct LabelNumbers<'a> {
    /// By what a reader sees of them.
    numbers: HashMap<Cow<'a, str>, usize, RandomState>,
    /// The number of each label that was given.
    given: Vec<usize>,
}

impl<'a> LabelNumbers<'a> {
    /// The set of these labels.
    pub fn new(labels: impl Iterator<Item = &'a str>) -> Self {
        let mut numbers = HashMap::with_capacity_and_hasher(labels.size_hint().0, RandomState::default());
        let mut number = |label| {
            let next = numbers.len();
            *numbers.entry(skeleton(label)).or_insert(next)
        };
        let given = labels.map(&mut number).collect();
        Self { numbers, given }
    }

    /// The number of the label that was given at this place.
    pub fn number(&self, place: usize) -> usize {
        self.given[place]
    }

    /// The position of a label in the set.
    pub fn find(&self, label: &str) -> Option<usize> {
        self.numbers.get(&*skeleton(label)).copied()
    }

    /// How many labels there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
}
