//! From measured documents to a selection that fits.
//!
//! The cap is hard: the tokens of the block as printed are at most the limit. Every decision is made
//! on the exact tokens of a whole block; a draft keeps them current while candidates come and
//! go, so that a decision costs the few bytes around a seam and not a recount.
//!
//! Deciding is apart from measuring: a [`Candidate`] comes with its measure, however that was
//! obtained, and candidates that are certainly dropped are neither scanned nor laid out.

mod amount;
mod candidate;
mod chat;
mod collisions;
mod cut;
mod draft;
mod edges;
mod error;
mod first_fit;
mod fitted;
mod fitting;
mod harmless;
mod largest;
mod ledger;
mod level;
mod node;
mod outline;
mod prefilter;
mod references;
mod relevant;
mod search;
mod step;
mod trim;
mod truncate;

#[cfg(test)]
mod tests;

pub use amount::{Budget, BudgetError};
pub use candidate::{Candidate, CandidateOutline, Layout, Passages, Priority, ScoredLines};
pub use chat::{FittedBeside, ShownChat, fit_beside, within_share};
pub(crate) use cut::next_lines;
pub use error::{DocumentCost, FitError, FramePart};
pub use fitted::{DropReason, Fitted, Outcome};
pub use prefilter::{Prefilter, TooMany};
pub use relevant::{VIEWS, to_be_read};
pub use trim::Trim;

use draft::{Basis, Draft};
use edges::Edges;
use fitting::Fitting;

use crate::models::Counter;

/// Decides which of `candidates` are printed, and how, so that the block has at most `limit` tokens.
/// At most `threads` threads count at once.
///
/// Priorities are fitted one by one, the highest first: what fits stays whole, the rule applies to the first that does not
/// fit, and those below it are dropped.
///
/// # Errors
/// If nothing fits although there are candidates, if what must be kept is over the limit by itself, or
/// if the block is over the limit and `trim` drops nothing.
pub fn fit(
    candidates: &[Candidate<'_>],
    layout: &Layout<'_>,
    counter: Counter,
    limit: Option<u64>,
    trim: Trim,
    threads: usize,
) -> Result<Fitted, FitError> {
    let job = Job { candidates, layout: *layout, counter, limit, trim, threads };
    match job.fit_named_whole() {
        Err(error @ FitError::PinnedOver { .. }) => job.shortened().unwrap_or(Err(error)),
        fitted => fitted,
    }
}

/// What is to be fitted, and by which rule.
#[derive(Debug, Clone, Copy)]
struct Job<'a> {
    candidates: &'a [Candidate<'a>],
    layout: Layout<'a>,
    counter: Counter,
    limit: Option<u64>,
    trim: Trim,
    threads: usize,
}

impl<'a> Job<'a> {
    /// What is pinned or named stays whole, or it is an error.
    fn fit_named_whole(&self) -> Result<Fitted, FitError> {
        if self.limit.is_none() || self.trim == Trim::Fail || self.candidates.is_empty() {
            return self.by_rule(self.candidates, Priority::Stored);
        }
        self.fits_from(Priority::Named)?;
        if self.has(Priority::Asked) && self.fits_from(Priority::Asked).is_err() {
            return self.trimmed(Priority::Asked);
        }
        if self.has(Priority::Referenced) {
            return self.with_references();
        }
        self.by_rule(self.candidates, Priority::Stored)
    }

    fn has(&self, priority: Priority) -> bool {
        self.candidates.iter().any(|candidate| candidate.priority == priority)
    }

    /// Whether all candidates of at least this priority fit.
    fn fits_from(&self, lowest: Priority) -> Result<(), FitError> {
        let edges = Edges::default();
        let candidates: Vec<Candidate<'_>> =
            self.candidates.iter().filter(|candidate| candidate.priority >= lowest).copied().collect();
        if candidates.is_empty() {
            return Ok(());
        }
        let fitting = self.fitting(&candidates, Priority::Stored, &edges);
        let needed = fitting.draft(0..candidates.len()).tokens();
        if needed > fitting.limit { Err(fitting.kept_over(needed)) } else { Ok(()) }
    }

    /// Of this priority what the rule leaves beside what is above it, and nothing of what is below.
    fn trimmed(&self, class: Priority) -> Result<Fitted, FitError> {
        self.only(|place| self.candidates[place].priority >= class, class, DropReason::AskedFor)
    }

    /// By the rule, some of the candidates alone; the others are dropped for this reason.
    fn only(
        &self,
        is_among: impl Fn(usize) -> bool,
        class: Priority,
        reason: DropReason,
    ) -> Result<Fitted, FitError> {
        let places: Vec<usize> = (0..self.candidates.len()).filter(|place| is_among(*place)).collect();
        let some: Vec<Candidate<'_>> = places.iter().map(|place| self.candidates[*place]).collect();
        Ok(self.by_rule(&some, class)?.among(self.candidates, &places, self.counter, reason))
    }

    /// The references for which there is room stay whole; the others are dropped, or stored ones.
    fn with_references(&self) -> Result<Fitted, FitError> {
        let edges = Edges::default();
        let kept = references::kept(&self.fitting(self.candidates, Priority::Referenced, &edges));
        let settled = |(place, one): (usize, &Candidate<'a>)| match one.priority {
            Priority::Referenced if !kept.contains(&place) => {
                Candidate { priority: Priority::Stored, ..*one }
            }
            Priority::Stored
            | Priority::Referenced
            | Priority::Asked
            | Priority::Named
            | Priority::Pinned => *one,
        };
        let settled: Vec<Candidate<'_>> = self.candidates.iter().enumerate().map(settled).collect();
        let is_dropped = |place: usize| {
            let was = &self.candidates[place];
            was.priority == Priority::Referenced && !was.is_stored_too && !kept.contains(&place)
        };
        if (0..settled.len()).all(is_dropped) {
            return self.by_rule(&settled, Priority::Stored);
        }
        let job = Job { candidates: &settled, ..*self };
        job.only(|place| !is_dropped(place), Priority::Stored, DropReason::Reference)
    }

    /// Pins and named documents alone, the named ones shortened, if the rule shortens and something of each is left.
    fn shortened(&self) -> Option<Result<Fitted, FitError>> {
        if !self.has(Priority::Named) || !self.trim.shortens() {
            return None;
        }
        let fitted = self.trimmed(Priority::Named).ok()?;
        let is_there = |(candidate, outcome): (&Candidate<'_>, &Outcome)| {
            candidate.priority != Priority::Named || !matches!(outcome, Outcome::Dropped { .. })
        };
        self.candidates.iter().zip(&fitted.outcomes).all(is_there).then_some(Ok(fitted))
    }

    /// Whether what is never dropped fits, and a frame for documents, which may be larger than one without.
    fn keeps_fit(&self) -> bool {
        let edges = Edges::default();
        let fitting = self.fitting(self.candidates, Priority::Stored, &edges);
        let frame_fits = self.candidates.is_empty() || fitting.frame_over().is_none();
        frame_fits && fitting.draft([]).tokens() <= fitting.limit && self.fits_from(Priority::Named).is_ok()
    }

    fn fitting<'f>(&self, candidates: &'f [Candidate<'f>], class: Priority, edges: &'f Edges) -> Fitting<'f>
    where
        'a: 'f,
    {
        let Self { layout, counter, limit, trim, threads, .. } = *self;
        let limit = limit.unwrap_or(u64::MAX);
        Fitting { candidates, class, trim, layout, edges, counter, limit, threads }
    }

    /// By the rule, which applies to what has at most this priority.
    fn by_rule(&self, candidates: &[Candidate<'_>], class: Priority) -> Result<Fitted, FitError> {
        let edges = Edges::default();
        let fitting = self.fitting(candidates, class, &edges);
        match self.trim {
            _ if candidates.is_empty() => fitting.nothing(),
            _ if self.limit.is_none() => fitting.all_or_nothing(),
            Trim::Largest => largest::fit(&fitting),
            Trim::FirstFit => first_fit::fit(&fitting),
            Trim::Truncate => truncate::fit(&fitting),
            Trim::Outline => outline::fit(&fitting),
            Trim::Relevant => relevant::fit(&fitting),
            Trim::Fail => fitting.all_or_nothing(),
        }
    }
}

/// Takes all candidates without counting anything: for a block without a cap, when nobody asked what
/// it costs. The counts of the result are 0.
#[must_use]
pub fn take_all(candidates: &[Candidate<'_>], layout: &Layout<'_>) -> Fitted {
    let edges = Edges::default();
    let basis = Basis { layout: *layout, edges: &edges, counter: Counter::default(), threads: 1 };
    let draft = Draft::new(candidates, basis, 0..candidates.len());
    let outcomes = vec![Outcome::Included { tokens: 0 }; candidates.len()];
    Fitted { outcomes, id: draft.id(), block_tokens: 0, document_tokens: 0 }
}
