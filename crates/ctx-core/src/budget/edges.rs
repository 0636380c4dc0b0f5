//! What is before and after the documents, counted once for all drafts of a block.

use std::sync::OnceLock;

use super::Layout;
use super::node::Node;
use crate::format::{Frame, Id};
use crate::models::Counter;

/// The edges of a block, without ids and with.
#[derive(Debug, Default)]
pub(super) struct Edges {
    plain: OnceLock<Edge>,
    guarded: OnceLock<Edge>,
}

/// What is around the documents.
#[derive(Debug)]
pub(super) struct Edge {
    /// The end of what is before the documents; the units of the rest never change.
    pub(super) opening: String,
    pub(super) opening_units: u64,
    /// The beginning of what is after the documents; the units of the rest never change.
    pub(super) closing: String,
    pub(super) closing_units: u64,
    /// The units of what is printed where there are no documents.
    pub(super) alone: u64,
}

impl Edges {
    pub(super) fn get(&self, layout: &Layout<'_>, id: Option<Id>, counter: Counter) -> &Edge {
        let edge = if id.is_some() { &self.guarded } else { &self.plain };
        edge.get_or_init(|| Edge::new(&layout.frame(id), counter))
    }
}

impl Edge {
    fn new(frame: &Frame<'_>, counter: Counter) -> Self {
        let (opening, opening_units) = Node::tail(counter, frame.opening());
        let (closing, closing_units) = Node::head(counter, frame.closing(None));
        let alone = counter.units(&frame.alone(None));
        Self { opening, opening_units, closing, closing_units, alone }
    }
}
