//! The units of a block whose documents come and go, kept up to date by recounting only the seams.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::node::{Edge, Node};
use crate::format::Frame;
use crate::models::Counter;
use crate::parallel::parallel;

/// How many solid documents each span in [`Ledger::whole`] covers.
const STRIDE: usize = 4;

/// A block: its documents by index, and its units.
#[derive(Debug)]
pub(super) struct Ledger<'a> {
    counter: Counter,
    edge: &'a Edge,
    first: String,
    between: String,
    /// Whether joints end with the document's number. Digits are separate pieces for every tokenizer, so the
    /// units of the numbers depend only on how many documents there are.
    numbered: bool,
    nodes: BTreeMap<usize, Node>,
    units: u64,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(
        frame: &Frame<'_>,
        edge: &'a Edge,
        counter: Counter,
        nodes: BTreeMap<usize, Node>,
        threads: usize,
    ) -> Self {
        let numbered = frame.format.is_numbered();
        let mut ledger = Self {
            counter,
            edge,
            first: frame.joint(true),
            between: frame.joint(false),
            numbered,
            nodes,
            units: 0,
        };
        let numbers: u64 = (1..=ledger.nodes.len()).map(|number| ledger.number(number)).sum();
        ledger.units = ledger.whole(threads) + numbers;
        ledger
    }

    /// The units of the block as printed, or as it would be printed without documents.
    pub(super) fn units(&self) -> u64 {
        self.units
    }

    pub(super) fn insert(&mut self, place: usize, node: Node) {
        let (from, to) = self.neighbours(place);
        self.units -= self.span(from, to);
        self.nodes.insert(place, node);
        self.units += self.span(from, to) + self.number(self.nodes.len());
    }

    pub(super) fn remove(&mut self, place: usize) {
        let (from, to) = self.neighbours(place);
        self.units -= self.span(from, to) + self.number(self.nodes.len());
        self.nodes.remove(&place);
        self.units += self.span(from, to);
    }

    /// The units of the whole block minus the numbers, counted in spans between solid documents, so that
    /// several threads can count a large block.
    fn whole(&self, threads: usize) -> u64 {
        let solid = |(place, node): (&usize, &Node)| match node {
            Node::Solid { units, .. } => Some((*place, *units)),
            Node::Loose(_) => None,
        };
        let stops: Vec<(usize, u64)> = self.nodes.iter().filter_map(solid).step_by(STRIDE).collect();
        let inner: u64 = stops.iter().map(|(_, units)| units).sum();
        let starts = std::iter::once(None).chain(stops.iter().map(|(place, _)| Some(*place)));
        let ends = stops.iter().map(|(place, _)| Some(*place)).chain(std::iter::once(None));
        let spans: Vec<(Option<usize>, Option<usize>)> = starts.zip(ends).collect();
        let count = |spans: &[(Option<usize>, Option<usize>)]| {
            spans.iter().map(|(from, to)| self.span(*from, *to)).sum::<u64>()
        };
        inner + parallel(&spans, threads, count).into_iter().sum::<u64>()
    }

    /// The units of the last number if there are `count` documents.
    fn number(&self, count: usize) -> u64 {
        if self.numbered { self.counter.units(&count.to_string()) } else { 0 }
    }

    /// The nearest solid documents before and after the index `place`.
    fn neighbours(&self, place: usize) -> (Option<usize>, Option<usize>) {
        let solid = |(place, node): (&usize, &Node)| node.is_solid().then_some(*place);
        let after = (Bound::Excluded(place), Bound::Unbounded);
        (self.nodes.range(..place).rev().find_map(solid), self.nodes.range(after).find_map(solid))
    }

    /// The units from the inner part of the solid document `from` (or the block's beginning) to the inner part of
    /// the solid document `to` (or the block's end), minus the documents' numbers.
    fn span(&self, from: Option<usize>, to: Option<usize>) -> u64 {
        let first = self.nodes.keys().next().copied();
        let (mut seam, mut units) = match from.and_then(|from| self.nodes.get(&from)) {
            Some(Node::Solid { tail, .. }) => (tail.clone(), 0),
            Some(Node::Loose(_)) | None => (self.edge.opening.clone(), self.edge.opening_units),
        };
        let bounds =
            (from.map_or(Bound::Unbounded, Bound::Excluded), to.map_or(Bound::Unbounded, Bound::Included));
        for (place, node) in self.nodes.range(bounds) {
            seam.push_str(if first == Some(*place) { &self.first } else { &self.between });
            if self.numbered {
                units += self.counter.units(&seam);
                seam.clear();
            }
            match node {
                Node::Loose(text) => seam.push_str(text),
                Node::Solid { head, units: inner, tail } => {
                    seam.push_str(head);
                    units += self.counter.units(&seam);
                    if to == Some(*place) {
                        return units;
                    }
                    units += inner;
                    seam.clear();
                    seam.push_str(tail);
                }
            }
        }
        seam.push_str(&self.edge.closing);
        units + self.counter.units(&seam) + self.edge.closing_units
    }
}
