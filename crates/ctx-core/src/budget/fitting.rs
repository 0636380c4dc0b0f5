//! What every rule asks: what must stay, what is certain, and what a decision comes to.

use super::draft::{Basis, Draft};
use super::edges::Edges;
use super::{Candidate, DropReason, FitError, Fitted, Layout, Priority, Trim};
use crate::format::Format;
use crate::models::Counter;
use ctx_tokens::Measure;

/// What is to be fitted into what.
pub(super) struct Fitting<'a> {
    pub(super) candidates: &'a [Candidate<'a>],
    /// What may be dropped or shortened: what has at most this priority. All others stay whole.
    pub(super) class: Priority,
    pub(super) trim: Trim,
    pub(super) layout: Layout<'a>,
    pub(super) edges: &'a Edges,
    pub(super) counter: Counter,
    pub(super) limit: u64,
    /// How many threads may count at once.
    pub(super) threads: usize,
}

impl<'a> Fitting<'a> {
    pub(super) fn draft(&self, kept: impl IntoIterator<Item = usize>) -> Draft<'a> {
        Draft::new(self.candidates, self.basis(), kept)
    }

    pub(super) fn basis(&self) -> Basis<'a> {
        let Self { layout, edges, counter, threads, .. } = *self;
        Basis { layout, edges, counter, threads }
    }

    /// A draft of other candidates for the same block, all of which are kept.
    pub(super) fn draft_of<'d>(&self, candidates: &[Candidate<'d>]) -> Draft<'d>
    where
        'a: 'd,
    {
        Draft::new(candidates, self.basis(), 0..candidates.len())
    }

    /// The block of all candidates, if it fits.
    pub(super) fn everything(&self) -> Option<Fitted> {
        if self.is_surely_over() {
            return None;
        }
        self.all_or_nothing().ok()
    }

    /// Whether it is certain without a count that not all candidates fit.
    pub(super) fn is_surely_over(&self) -> bool {
        self.is_certainly_over((0..self.candidates.len()).map(|place| self.least_units(place)).sum())
    }

    /// Whether a candidate stays whole.
    pub(super) fn is_kept(&self, place: usize) -> bool {
        self.candidates[place].priority > self.class
    }

    pub(super) fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.candidates.len()).filter(|place| self.is_kept(*place))
    }

    /// Those that may be dropped or shortened.
    pub(super) fn others(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.candidates.len()).filter(|place| !self.is_kept(*place))
    }

    /// The tokens of a candidate.
    pub(super) fn tokens(&self, place: usize) -> u64 {
        self.candidates[place].tokens(self.counter)
    }

    /// Units that a candidate adds to every block that it is in, whatever else is.
    pub(super) fn least_units(&self, place: usize) -> u64 {
        least_units(self.counter, self.layout.format, &self.candidates[place].measure)
    }

    /// The most units of a block.
    pub(super) fn most_units(&self) -> u64 {
        self.counter.most_units(self.limit)
    }

    /// Whether documents that add at least `units` cannot be in one block.
    pub(super) fn is_certainly_over(&self, units: u64) -> bool {
        self.counter.rounded(units) > self.limit
    }

    /// The decision where there are no candidates.
    pub(super) fn nothing(&self) -> Result<Fitted, FitError> {
        let mut draft = self.draft([]);
        match draft.tokens() {
            needed if needed > self.limit => Err(self.kept_over(needed)),
            _ => Ok(Fitted::of_draft(&[], self.counter, draft, DropReason::NoRoom)),
        }
    }

    pub(super) fn all_or_nothing(&self) -> Result<Fitted, FitError> {
        let mut draft = self.draft(0..self.candidates.len());
        let needed = draft.tokens();
        if needed > self.limit {
            let estimated = self.counter.is_estimate();
            return Err(FitError::Over { limit: self.limit, needed, estimated });
        }
        Ok(Fitted::of_draft(self.candidates, self.counter, draft, DropReason::NoRoom))
    }

    /// A draft of what stays whole alone.
    pub(super) fn kept_draft(&self) -> Result<Draft<'a>, FitError> {
        let mut draft = self.draft(self.kept());
        let needed = draft.tokens();
        if needed > self.limit { Err(self.kept_over(needed)) } else { Ok(draft) }
    }

    /// The error of pinned and named documents that need so many tokens.
    pub(super) fn kept_over(&self, needed: u64) -> FitError {
        if let Some(error) = self.frame_over() {
            return error;
        }
        let kept = || self.candidates.iter().filter(|candidate| candidate.priority >= Priority::Named);
        let pinned = kept().map(|candidate| candidate.cost(self.counter)).collect();
        let is_named = kept().any(|candidate| candidate.priority == Priority::Named);
        let (limit, estimated) = (self.limit, self.counter.is_estimate());
        let named_under = is_named.then_some(self.trim);
        FitError::PinnedOver { limit, needed, pinned, beside: self.layout.parts(), named_under, estimated }
    }

    /// The error of a frame that no document fits beside.
    pub(super) fn frame_over(&self) -> Option<FitError> {
        let parts = self.layout.parts();
        let needed = self.counter.rounded(self.basis().frame_units());
        let (limit, estimated) = (self.limit, self.counter.is_estimate());
        (!parts.is_empty() && needed > limit).then_some(FitError::FrameOver {
            parts,
            limit,
            needed,
            estimated,
        })
    }

    /// The decision that `draft` holds, or why nothing was kept.
    pub(super) fn conclude(&self, draft: Draft<'_>, reason: DropReason) -> Result<Fitted, FitError> {
        match (0..self.candidates.len()).min_by_key(|place| self.tokens(*place)) {
            Some(smallest) if draft.kept().is_empty() => {
                Err(self.frame_over().unwrap_or_else(|| FitError::NothingFits {
                    limit: self.limit,
                    smallest: self.candidates[smallest].cost(self.counter),
                    needed: self.draft([smallest]).tokens(),
                    estimated: self.counter.is_estimate(),
                }))
            }
            Some(_) | None => Ok(Fitted::of_draft(self.candidates, self.counter, draft, reason)),
        }
    }
}

/// Units that a document adds to every block that it is in, whatever else is.
pub(super) fn least_units(counter: Counter, format: Format, measure: &Measure) -> u64 {
    let core = counter.core(measure).filter(|_| format.prints_texts_as_they_are());
    core.map_or_else(|| counter.least_units(measure.bytes), |core| core.tokens)
}
