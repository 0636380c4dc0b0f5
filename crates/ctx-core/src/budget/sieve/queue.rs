//! What the rules that decide in order are certain to drop.
//!
//! `first-fit` decides on a document once all before it are decided upon, so its decisions can be
//! made as soon as these are read, by the rule's own words: the block of what was kept so far is
//! at hand. `truncate` chooses in the same way who takes part, each capped at the least; from those who do,
//! it is known beyond which length no text can be shown.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::state::{Applicant, Arrival, State};
use super::{Measuring, Weighed, least_units};
use crate::budget::collisions::Collisions;
use crate::budget::cut;
use crate::budget::ledger::{Ledger, Node};
use crate::budget::truncate::{Ceiling, Part};
use crate::budget::{Candidate, Extent, Layout};
use crate::format::{Document, Frame, Hazards, Id, Labels};
use ctx_tokens::Measure;

/// What of a document asks for room.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shares {
    /// All of it.
    Whole,
    /// What a cap leaves of it.
    Capped {
        /// The least cap, in tokens.
        least: u64,
    },
}

#[derive(Debug)]
pub(super) struct Queue<'a> {
    measuring: Measuring,
    layout: Layout<'a>,
    shares: Shares,
    labels: Labels<'a>,
    pins: Vec<bool>,
    has_pins: bool,
    known: Known,
    state: Mutex<State>,
}

/// What is known before a document is taken in, without waiting for others. The numbers only ever fall
/// and `full` never goes back: what was known a moment ago still holds.
#[derive(Debug)]
struct Known {
    /// A document that is certain to add more units is dropped.
    room: AtomicU64,
    /// The tokens of the smallest document that was dropped, which may have to be named, while
    /// nothing is kept; then 0.
    smallest: AtomicU64,
    /// No text is shown with more tokens.
    ceiling: AtomicU64,
    /// Whether something may be forgotten, and more than enough was left out already.
    full: AtomicBool,
}

impl<'a> Queue<'a> {
    pub(super) fn new(
        measuring: Measuring,
        layout: Layout<'a>,
        shares: Shares,
        labels: Labels<'a>,
        pins: Vec<bool>,
    ) -> Self {
        let least = match shares {
            Shares::Whole => 0,
            Shares::Capped { least } => least,
        };
        let ids = layout.format.carries_ids();
        let ledger = |id| {
            let frame = Frame { format: layout.format, tree: layout.tree, id };
            Ledger::new(&frame, measuring.counter, std::collections::BTreeMap::new(), 1)
        };
        let state = State {
            plain: (!(ids && layout.guard)).then(|| ledger(None)),
            guarded: ids.then(|| ledger(Some(Id::FIRST))),
            collisions: Collisions::new(labels.len()),
            arrivals: pins.iter().map(|_| Arrival::Awaited).collect(),
            pins_awaited: pins.iter().filter(|pin| **pin).count(),
            next: 0,
            kept: false,
            certain: 0,
            arrived: 0,
            smallest: None,
            spare: None,
            ceiling: Ceiling::new(measuring.limit, least),
            dropped: Vec::new(),
        };
        let known = Known {
            room: AtomicU64::new(measuring.most_units()),
            smallest: AtomicU64::new(u64::MAX),
            ceiling: AtomicU64::new(u64::MAX),
            full: AtomicBool::new(matches!(shares, Shares::Whole)),
        };
        let has_pins = pins.contains(&true);
        Self { measuring, layout, shares, labels, pins, has_pins, known, state: Mutex::new(state) }
    }

    pub(super) fn weigh(&self, text: &str) -> Option<Weighed> {
        let measuring = &self.measuring;
        let smallest = self.known.smallest.load(Ordering::Relaxed);
        if self.asks_too_much(text) && measuring.exceeds_tokens(text, smallest) {
            return None;
        }
        let ceiling = self.known.ceiling.load(Ordering::Relaxed);
        let is_long = smallest == 0 && measuring.exceeds_tokens(text, ceiling);
        Some(match is_long {
            true => self.beginning(text, ceiling),
            false => Weighed { extent: measuring.whole(text), length: text.len() },
        })
    }

    /// Whether what asks for room of `text` is certain to be too much.
    fn asks_too_much(&self, text: &str) -> bool {
        let Measuring { counter, .. } = self.measuring;
        let room = self.known.room.load(Ordering::Relaxed);
        match self.shares {
            Shares::Whole => self.measuring.exceeds_units(text, room),
            Shares::Capped { .. } if !self.known.full.load(Ordering::Relaxed) => false,
            Shares::Capped { least } if self.measuring.exceeds_tokens(text, least) => {
                let cutter = cut::Cutter::new(counter, text, cut::lines(text), least);
                let cut = cutter.cut(least, cut::Place::LineEnd);
                cut.is_none_or(|cut| self.measuring.exceeds_units(&cut.text, room))
            }
            Shares::Capped { .. } => self.measuring.exceeds_units(text, room),
        }
    }

    /// Of the tokenizer's tokens, so many at the beginning of a text tell whether it is dropped.
    pub(super) fn telling_tokens(&self) -> u64 {
        let smallest = self.known.smallest.load(Ordering::Relaxed);
        match self.shares {
            _ if smallest > 0 => u64::MAX,
            Shares::Whole => self.known.room.load(Ordering::Relaxed),
            Shares::Capped { least } => self.measuring.counter.unscaled(least),
        }
    }

    pub(super) fn surely_drops(&self, head: &str) -> bool {
        let Measuring { counter, .. } = self.measuring;
        if self.known.smallest.load(Ordering::Relaxed) > 0 {
            return false;
        }
        let room = self.known.room.load(Ordering::Relaxed);
        match self.shares {
            Shares::Whole => self.measuring.exceeds_units(head, room),
            Shares::Capped { least } => {
                self.known.full.load(Ordering::Relaxed)
                    && self.measuring.exceeds_units(&cut::marker(1), room)
                    && counter.tokenizer.surely_more(head, counter.unscaled(least))
            }
        }
    }

    /// As much of `text` as says how it is cut for caps up to one above `ceiling`.
    fn beginning(&self, text: &str, ceiling: u64) -> Weighed {
        let Measuring { counter, .. } = self.measuring;
        let most = counter.unscaled(ceiling.saturating_add(1));
        let length = match counter.tokenizer.line_ends(text, most).last() {
            Some(end) if end.tokens > most => end.at,
            Some(_) | None => {
                let beyond = most.saturating_mul(2).saturating_add(64);
                counter.tokenizer.prefix_within(text, beyond)
            }
        };
        let extent = Extent::Beginning { bytes: text.len() as u64, lines: cut::lines(text) };
        Weighed { extent, length }
    }

    pub(super) fn shorten(&self, text: &str, measure: &Measure) -> Option<Weighed> {
        let ceiling = self.known.ceiling.load(Ordering::Relaxed);
        let long = self.measuring.counter.tokens_of(measure) > ceiling;
        let something_is_kept = self.known.smallest.load(Ordering::Relaxed) == 0;
        (long && something_is_kept).then(|| self.beginning(text, ceiling))
    }

    pub(super) fn admit(&self, place: usize, candidate: &Candidate<'_>) -> Vec<usize> {
        let applicant = self.applicant(candidate);
        let tokens = candidate.extent.tokens(self.measuring.counter);
        let mut state = self.state();
        state.arrived += least_units(&self.measuring, &candidate.extent);
        self.take(&mut state, place, Arrival::Document { applicant, tokens })
    }

    pub(super) fn pass(&self, place: usize) -> Vec<usize> {
        self.take(&mut self.state(), place, Arrival::Nothing)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn applicant(&self, candidate: &Candidate<'_>) -> Option<Applicant> {
        match self.shares {
            Shares::Capped { least } if !candidate.pin => {
                let part = Part::least(self.measuring.counter, candidate, least);
                part.of(*candidate).map(|part| self.applying(&part))
            }
            Shares::Whole | Shares::Capped { .. } => Some(self.applying(candidate)),
        }
    }

    fn applying(&self, candidate: &Candidate<'_>) -> Applicant {
        let Layout { format, tree, guard } = self.layout;
        let counter = self.measuring.counter;
        let document = Document { label: candidate.label, text: candidate.text };
        let measure = candidate.measure(counter);
        let node = |id| Node::new(&Frame { format, tree, id }, counter, &document, &measure);
        let ids = format.carries_ids();
        let plain = (!(ids && guard)).then(|| node(None));
        let guarded = ids.then(|| node(Some(Id::FIRST)));
        let units = [&plain, &guarded].into_iter().flatten().map(Node::certain_units).min();
        Applicant {
            hazards: match candidate.may_collide {
                true => Hazards::of(format, candidate.text, &self.labels),
                false => Hazards::default(),
            },
            label: self.labels.find(candidate.label),
            units: units.unwrap_or(0),
            plain,
            guarded,
        }
    }

    fn take(&self, state: &mut State, place: usize, arrival: Arrival) -> Vec<usize> {
        let Some(slot) = state.arrivals.get_mut(place) else { return Vec::new() };
        *slot = arrival;
        if self.pins[place] {
            state.pins_awaited -= 1;
        }
        if state.pins_awaited == 0 {
            if state.next == 0 {
                self.keep_pinned(state);
            }
            self.decide(state);
        }
        self.tell(state);
        self.forget(state)
    }

    fn keep_pinned(&self, state: &mut State) {
        let pinned = (0..self.pins.len()).filter(|place| self.pins[*place]);
        for place in pinned {
            if let Arrival::Document { applicant: Some(applicant), .. } = state.arrival(place) {
                state.certain += applicant.units;
                state.kept = true;
                state.enter(place, applicant);
            }
        }
    }

    /// Decides on all that arrived and has nothing undecided before it.
    fn decide(&self, state: &mut State) {
        while state.next < self.pins.len() && !matches!(state.arrivals[state.next], Arrival::Awaited) {
            let place = state.next;
            state.next += 1;
            if let (Arrival::Document { applicant, tokens }, false) = (state.arrival(place), self.pins[place])
            {
                let kept = applicant.is_some_and(|applicant| self.is_kept(state, place, applicant));
                match (kept, self.shares) {
                    (true, Shares::Capped { .. }) => state.ceiling.add(tokens),
                    (true, Shares::Whole) => {}
                    (false, shares) => state.drop_one(place, tokens, shares),
                }
            }
        }
    }

    fn is_kept(&self, state: &mut State, place: usize, applicant: Applicant) -> bool {
        let most = self.measuring.most_units();
        let units = applicant.units;
        if state.certain + units > most {
            return false;
        }
        let (hazards, label) = (applicant.hazards.clone(), applicant.label);
        state.enter(place, applicant);
        if state.units(self.layout.guard) > most {
            state.leave(place, &hazards, label);
            return false;
        }
        state.certain += units;
        state.kept = true;
        // Decisions are made in order, but a pinned document may stand after any of them.
        if !self.has_pins {
            state.certain = state.certain.max(state.settled_units());
        }
        true
    }

    /// Lets those know who weigh.
    fn tell(&self, state: &State) {
        let Known { room, smallest, ceiling, full } = &self.known;
        room.store(self.measuring.most_units().saturating_sub(state.certain), Ordering::Relaxed);
        let tokens = state.smallest.map_or(u64::MAX, |smallest| smallest.tokens);
        smallest.store(if state.kept { 0 } else { tokens }, Ordering::Relaxed);
        if let Shares::Capped { .. } = self.shares
            && self.is_over(state)
        {
            ceiling.store(state.ceiling.get(), Ordering::Relaxed);
            full.store(state.spare.is_some(), Ordering::Relaxed);
        }
    }

    /// Whether not everything can be in one block, so that the rule comes to trimming.
    fn is_over(&self, state: &State) -> bool {
        state.arrived > self.measuring.most_units()
    }

    /// Those of the dropped whose texts are of no use any more.
    fn forget(&self, state: &mut State) -> Vec<usize> {
        let spared = state.smallest.filter(|_| !state.kept).map(|smallest| smallest.place);
        match self.shares {
            Shares::Capped { .. } if !self.is_over(state) => return Vec::new(),
            Shares::Capped { .. } | Shares::Whole => {}
        }
        let is_spared = |place: &usize| Some(*place) == spared || Some(*place) == state.spare;
        let (left, gone) = state.dropped.iter().partition(|place| is_spared(place));
        state.dropped = left;
        gone
    }
}
