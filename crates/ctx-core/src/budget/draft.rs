//! A block in the making: which candidates are in it, whether it needs ids, and what it costs.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::ledger::Ledger;
use super::node::{Edge, Edges, Node};
use super::{Block, Candidate, Layout};
use crate::format::{Frame, Hazards, Id, LabelNumbers};
use crate::parallel::parallel;

impl Block<'_> {
    /// The units of the frame without documents, but including the tree, which is only printed along with
    /// documents.
    pub(super) fn frame_units(&self, edges: &Edges) -> u64 {
        let edge = edges.get(&self.layout, None, self.counter);
        match self.layout.around.tree {
            Some(_) => {
                let frame = self.layout.frame(None);
                Ledger::new(&frame, edge, self.counter, BTreeMap::new(), 1).units()
            }
            None => edge.alone,
        }
    }
}

/// A changing selection of candidates and the exact tokens of its block.
pub(super) struct BlockDraft<'a> {
    candidates: Cow<'a, [Candidate<'a>]>,
    block: Block<'a>,
    edges: &'a Edges,
    kept: BTreeSet<usize>,
    labels: LabelNumbers<'a>,
    /// The hazards of each candidate, found when it is first included.
    hazards: Vec<Option<Hazards>>,
    collisions: Collisions,
    plain: Option<Ledger<'a>>,
    guarded: Option<Ledger<'a>>,
}

impl<'a> BlockDraft<'a> {
    /// The block of those of the candidates that are in `kept`.
    pub(super) fn new(
        candidates: Cow<'a, [Candidate<'a>]>,
        block: Block<'a>,
        edges: &'a Edges,
        kept: impl IntoIterator<Item = usize>,
    ) -> Self {
        let labels = LabelNumbers::new(candidates.iter().map(|candidate| candidate.label));
        let mut draft = Self {
            block,
            edges,
            kept: BTreeSet::new(),
            hazards: vec![None; candidates.len()],
            collisions: Collisions::new(labels.len()),
            labels,
            candidates,
            plain: None,
            guarded: None,
        };
        let Layout { format, around, .. } = block.layout;
        for hazards in Hazards::of_frame(format, &around, &draft.labels) {
            draft.collisions.hold(&hazards, true);
        }
        for place in kept {
            draft.insert(place);
        }
        draft
    }

    pub(super) fn kept(&self) -> &BTreeSet<usize> {
        &self.kept
    }

    pub(super) fn insert(&mut self, place: usize) {
        if self.kept.insert(place) {
            self.count(place, true);
            for id in [None, Some(Id::FIRST)] {
                if self.ledger(id).is_some() {
                    let node = self.node(place, id);
                    if let Some(ledger) = self.ledger(id) {
                        ledger.insert(place, node);
                    }
                }
            }
        }
    }

    pub(super) fn remove(&mut self, place: usize) {
        if self.kept.remove(&place) {
            self.count(place, false);
            for ledger in [&mut self.plain, &mut self.guarded].into_iter().flatten() {
                ledger.remove(place);
            }
        }
    }

    /// Replaces a candidate with another one that has the same label.
    pub(super) fn replace(&mut self, place: usize, candidate: Candidate<'a>) {
        let was_kept = self.kept.contains(&place);
        self.remove(place);
        self.candidates.to_mut()[place] = candidate;
        self.hazards[place] = None;
        if was_kept {
            self.insert(place);
        }
    }

    /// The tokens of the block as printed.
    pub(super) fn tokens(&mut self) -> u64 {
        let units = self.units();
        self.block.counter.rounded(units)
    }

    pub(super) fn units(&mut self) -> u64 {
        let id = self.is_guarded().then_some(Id::FIRST);
        if self.kept.is_empty() {
            return self.edge(id).alone;
        }
        match self.ledger(id) {
            Some(ledger) => ledger.units(),
            None => self.open_ledger(id),
        }
    }

    /// The id that the block's boundaries and labels carry.
    pub(super) fn id(&self) -> Option<Id> {
        self.is_guarded().then(|| {
            let around = self.block.layout.around.strings();
            let kept = || self.kept.iter().map(|place| &self.candidates[*place]);
            let texts = kept().map(|candidate| candidate.text.as_str());
            let labels = kept().map(|candidate| candidate.label);
            Id::absent_from(texts.chain(labels).chain(around.iter().map(|text| &**text)))
        })
    }

    fn is_guarded(&self) -> bool {
        self.block.layout.format.carries_ids() && (self.block.layout.guard || self.collisions.any())
    }

    /// Counts the hazards and the label of a candidate that is added or removed.
    fn count(&mut self, place: usize, comes_in: bool) {
        let Layout { format, around, .. } = self.block.layout;
        let candidate = &self.candidates[place];
        let hazards = self.hazards[place].get_or_insert_with(|| {
            if candidate.may_collide {
                Hazards::of(format, candidate.text, &self.labels, around.sections())
            } else {
                Hazards::default()
            }
        });
        self.collisions.hold(hazards, comes_in);
        self.collisions.bear(self.labels.number(place), comes_in);
    }

    fn edge(&self, id: Option<Id>) -> &'a Edge {
        self.edges.get(&self.block.layout, id, self.block.counter)
    }

    fn ledger(&mut self, id: Option<Id>) -> Option<&mut Ledger<'a>> {
        match id {
            None => self.plain.as_mut(),
            Some(_) => self.guarded.as_mut(),
        }
    }

    fn open_ledger(&mut self, id: Option<Id>) -> u64 {
        let nodes = self.nodes(id);
        let ledger =
            Ledger::new(&self.frame(id), self.edge(id), self.block.counter, nodes, self.block.threads);
        let units = ledger.units();
        match id {
            None => self.plain = Some(ledger),
            Some(_) => self.guarded = Some(ledger),
        }
        units
    }

    /// The nodes of all included candidates, computed on several threads if there are many.
    fn nodes(&self, id: Option<Id>) -> BTreeMap<usize, Node> {
        let kept: Vec<usize> = self.kept.iter().copied().collect();
        let nodes = parallel(&kept, self.block.threads, |places| {
            places.iter().map(|place| (*place, self.node(*place, id))).collect::<Vec<_>>()
        });
        nodes.into_iter().flatten().collect()
    }

    fn frame(&self, id: Option<Id>) -> Frame<'a> {
        self.block.layout.frame(id)
    }

    fn node(&self, place: usize, id: Option<Id>) -> Node {
        let candidate = &self.candidates[place];
        Node::new(&self.frame(id), self.block.counter, &candidate.document(), &candidate.measure)
    }
}

/// Counts what could be mistaken for parts of the frame in the documents of a block.
#[derive(Debug)]
struct Collisions {
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

/// Increments `number` if a candidate is added, and decrements it if one is removed.
fn count(number: &mut usize, comes_in: bool) {
    if comes_in {
        *number += 1;
    } else {
        *number -= 1;
    }
}

impl Collisions {
    /// No collisions yet, for documents with `labels` different labels.
    fn new(labels: usize) -> Self {
        Self { boundaries: 0, labels: vec![LabelUse::default(); labels], clashes: 0 }
    }

    fn hold(&mut self, hazards: &Hazards, comes_in: bool) {
        if hazards.boundary {
            count(&mut self.boundaries, comes_in);
        }
        for label in &hazards.labels {
            self.update(*label, |label| count(&mut label.holders, comes_in));
        }
    }

    fn bear(&mut self, label: usize, comes_in: bool) {
        self.update(label, |label| count(&mut label.bearers, comes_in));
    }

    fn update(&mut self, label: usize, update: impl FnOnce(&mut LabelUse)) {
        let label = &mut self.labels[label];
        self.clashes -= label.clashes();
        update(label);
        self.clashes += label.clashes();
    }

    fn any(&self) -> bool {
        self.boundaries > 0 || self.clashes > 0
    }
}
