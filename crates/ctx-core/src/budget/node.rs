//! A document as the ledger of a block counts it, and the text before and after all documents, counted once for
//! all drafts of a block.

use std::sync::OnceLock;

use super::Layout;
use crate::format::{Frame, Id, PrintedDocument};
use crate::models::Counter;
use ctx_tokens::Measure;

/// A document with the parts of the frame around it.
#[derive(Debug)]
pub(super) enum Node {
    /// It has an inner part whose count does not depend on what is around it.
    Solid {
        /// The text before that part.
        head: String,
        /// The units of that part.
        units: u64,
        /// The text after that part.
        tail: String,
    },
    /// It has no such part, and is counted together with its neighbours.
    Loose(String),
}

impl Node {
    pub(super) fn new(
        frame: &Frame<'_>,
        counter: Counter,
        document: &PrintedDocument<'_>,
        measure: &Measure,
    ) -> Self {
        let (before, after) = (frame.before(document), frame.after(document));
        let body = frame.format.body(document.text);
        let measure = match body {
            std::borrow::Cow::Borrowed(_) => *measure,
            std::borrow::Cow::Owned(_) => counter.tokenizer.measure(&body),
        };
        match counter.core(&measure) {
            Some(core) => Self::around(
                counter,
                core.tokens,
                before + &body[..core.start],
                body[core.end..].to_owned() + &after,
            ),
            None => Self::whole(counter, before + &body + &after),
        }
    }

    /// The node with this many units between its head and its tail.
    fn around(counter: Counter, units: u64, head: String, tail: String) -> Self {
        let (head, inner_head) = Self::head(counter, head);
        let (tail, inner_tail) = Self::tail(counter, tail);
        Self::Solid { head, units: inner_head + units + inner_tail, tail }
    }

    fn whole(counter: Counter, text: String) -> Self {
        match counter.core(&counter.tokenizer.measure(&text)) {
            Some(core) => Self::Solid {
                head: text[..core.start].to_owned(),
                units: core.tokens,
                tail: text[core.end..].to_owned(),
            },
            None => Self::Loose(text),
        }
    }

    /// The part at the beginning of `text` whose count may depend on what precedes it, and the units of the
    /// rest.
    pub(super) fn head(counter: Counter, mut text: String) -> (String, u64) {
        match counter.core(&counter.tokenizer.measure(&text)) {
            Some(core) => {
                let units = counter.units(&text[core.start..]);
                text.truncate(core.start);
                (text, units)
            }
            None => (text, 0),
        }
    }

    /// The part at the end of `text` whose count may depend on what follows it, and the units of the rest.
    pub(super) fn tail(counter: Counter, mut text: String) -> (String, u64) {
        match counter.core(&counter.tokenizer.measure(&text)) {
            Some(core) => {
                let units = counter.units(&text[..core.end]);
                text.drain(..core.end);
                (text, units)
            }
            None => (text, 0),
        }
    }

    pub(super) fn is_solid(&self) -> bool {
        match self {
            Self::Solid { .. } => true,
            Self::Loose(_) => false,
        }
    }
}

/// The edges of a block, with and without ids, as far as the budget covers them.
#[derive(Debug, Default)]
pub(super) struct Edges {
    plain: OnceLock<Edge>,
    guarded: OnceLock<Edge>,
}

/// The frame around the documents.
#[derive(Debug)]
pub(super) struct Edge {
    /// The end of the text before the documents; the units of the rest never change.
    pub(super) opening: String,
    pub(super) opening_units: u64,
    /// The beginning of the text after the documents; the units of the rest never change.
    pub(super) closing: String,
    pub(super) closing_units: u64,
    /// The units of the text printed without any documents.
    pub(super) alone: u64,
}

impl Edges {
    pub(super) fn get(&self, layout: &Layout<'_>, id: Option<Id>, counter: Counter) -> &Edge {
        let edge = if id.is_some() { &self.guarded } else { &self.plain };
        edge.get_or_init(|| {
            let frame = layout.frame(id);
            Edge::new(&Frame { around: frame.around.in_budget(), ..frame }, counter)
        })
    }
}

impl Edge {
    fn new(frame: &Frame<'_>, counter: Counter) -> Self {
        let (opening, opening_units) = Node::tail(counter, frame.opening());
        let (closing, closing_units) = Node::head(counter, frame.closing());
        let alone = counter.units(&frame.alone());
        Self { opening, opening_units, closing, closing_units, alone }
    }
}
