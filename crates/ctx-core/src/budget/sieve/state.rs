//! The block of what a queue has kept so far, and what waits.

use super::queue::Shares;
use crate::budget::collisions::{Change, Collisions};
use crate::budget::ledger::{Ledger, Node};
use crate::budget::truncate::Ceiling;
use crate::format::Hazards;

/// A document that asks for room.
#[derive(Debug)]
pub(super) struct Applicant {
    pub(super) plain: Option<Node>,
    pub(super) guarded: Option<Node>,
    pub(super) hazards: Hazards,
    pub(super) label: Option<usize>,
    pub(super) units: u64,
}

#[derive(Debug)]
pub(super) enum Arrival {
    Awaited,
    Nothing,
    /// `None` asks for no room: nothing of it can be shown.
    Document {
        applicant: Option<Applicant>,
        tokens: Option<u64>,
    },
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) plain: Option<Ledger>,
    pub(super) guarded: Option<Ledger>,
    pub(super) collisions: Collisions,
    pub(super) arrivals: Vec<Arrival>,
    pub(super) pins_awaited: usize,
    /// All before this place is decided.
    pub(super) next: usize,
    pub(super) kept: bool,
    /// Units that what is kept adds to every block.
    pub(super) certain: u64,
    /// Units that all that arrived adds to every block.
    pub(super) arrived: u64,
    pub(super) smallest: Option<Smallest>,
    /// The first of the dropped that can be cut.
    pub(super) spare: Option<usize>,
    pub(super) ceiling: Ceiling,
    /// Dropped, but not yet to be forgotten.
    pub(super) dropped: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Smallest {
    pub(super) tokens: u64,
    pub(super) place: usize,
}

impl State {
    pub(super) fn arrival(&mut self, place: usize) -> Arrival {
        std::mem::replace(&mut self.arrivals[place], Arrival::Nothing)
    }

    pub(super) fn enter(&mut self, place: usize, applicant: Applicant) {
        self.collide(&applicant.hazards, applicant.label, Change::Enter);
        let Applicant { plain, guarded, .. } = applicant;
        for (ledger, node) in [(&mut self.plain, plain), (&mut self.guarded, guarded)] {
            if let (Some(ledger), Some(node)) = (ledger, node) {
                ledger.insert(place, node);
            }
        }
    }

    pub(super) fn leave(&mut self, place: usize, hazards: &Hazards, label: Option<usize>) {
        self.collide(hazards, label, Change::Leave);
        for ledger in [&mut self.plain, &mut self.guarded].into_iter().flatten() {
            ledger.remove(place);
        }
    }

    pub(super) fn collide(&mut self, hazards: &Hazards, label: Option<usize>, change: Change) {
        self.collisions.hold(hazards, change);
        if let Some(label) = label {
            self.collisions.bear(label, change);
        }
    }

    /// The units that stay whatever is put after all that is there.
    pub(super) fn settled_units(&self) -> u64 {
        let ledgers = [&self.plain, &self.guarded].into_iter().flatten();
        ledgers.map(Ledger::settled_units).min().unwrap_or(0)
    }

    pub(super) fn units(&self, guard: bool) -> u64 {
        let guarded = self.guarded.as_ref().filter(|_| guard || self.collisions.any());
        guarded.or(self.plain.as_ref()).map_or(0, Ledger::units)
    }

    pub(super) fn drop_one(&mut self, place: usize, tokens: Option<u64>, shares: Shares) {
        self.dropped.push(place);
        if let Some(tokens) = tokens {
            let smallest = Smallest { tokens, place };
            self.smallest = Some(self.smallest.map_or(smallest, |known| known.min(smallest)));
        }
        if let Shares::Capped { least } = shares
            && tokens.is_none_or(|tokens| tokens > least)
        {
            self.spare = self.spare.or(Some(place));
        }
    }
}
