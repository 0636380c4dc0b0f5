//! Whether some line of the documents that are in a block could be taken for a part of its frame.

use crate::format::Hazards;

/// How many ways there are to take a line of the kept documents for a part of the frame.
#[derive(Debug)]
pub(super) struct Collisions {
    boundaries: usize,
    labels: Vec<LabelUse>,
    clashes: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct LabelUse {
    bearers: usize,
    holders: usize,
}

impl LabelUse {
    fn clashes(self) -> usize {
        usize::from(self.bearers > 0 && self.holders > 0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DraftChange {
    Enter,
    Leave,
}

impl DraftChange {
    fn apply(self, count: &mut usize) {
        match self {
            Self::Enter => *count += 1,
            Self::Leave => *count -= 1,
        }
    }
}

impl Collisions {
    /// For documents with `labels` labels that differ.
    pub(super) fn new(labels: usize) -> Self {
        Self { boundaries: 0, labels: vec![LabelUse::default(); labels], clashes: 0 }
    }

    pub(super) fn hold(&mut self, hazards: &Hazards, change: DraftChange) {
        if hazards.boundary {
            change.apply(&mut self.boundaries);
        }
        for label in &hazards.labels {
            self.update(*label, |label| change.apply(&mut label.holders));
        }
    }

    pub(super) fn bear(&mut self, label: usize, change: DraftChange) {
        self.update(label, |label| change.apply(&mut label.bearers));
    }

    fn update(&mut self, label: usize, update: impl FnOnce(&mut LabelUse)) {
        let label = &mut self.labels[label];
        self.clashes -= label.clashes();
        update(label);
        self.clashes += label.clashes();
    }

    pub(super) fn any(&self) -> bool {
        self.boundaries > 0 || self.clashes > 0
    }
}
