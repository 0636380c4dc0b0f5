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
pub use candidate::{Candidate, CandidateOutline, Layout, Passages, Reference, ScoredLines};
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
    match job.fit() {
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
    /// By the rule, what is named kept as pins are.
    fn fit(&self) -> Result<Fitted, FitError> {
        if let Some(fitted) = self.with_references() {
            return fitted;
        }
        if let Some(fitted) = self.with_preferred() {
            return fitted;
        }
        if self.candidates.iter().any(|candidate| candidate.named) {
            self.by_rule(&self.firm())
        } else {
            self.by_rule(self.candidates)
        }
    }

    /// If documents are preferred: all of them as if pinned, or else what fits of them without any of the others that
    /// may be dropped.
    fn with_preferred(&self) -> Option<Result<Fitted, FitError>> {
        let is_preferred = self.candidates.iter().any(|candidate| candidate.preferred);
        if !is_preferred || self.limit.is_none() || self.trim == Trim::Fail {
            return None;
        }
        let firm = self.firm();
        let all = firm.iter().map(|one| Candidate { pin: one.pin || one.preferred, ..*one });
        match self.by_rule(&all.collect::<Vec<_>>()) {
            Err(FitError::PinnedOver { .. }) => {}
            fitted => return Some(fitted),
        }
        Some(self.only(&firm, |one| one.pin || one.preferred, DropReason::AskedFor))
    }

    /// By the rule, some of the candidates alone; the others are dropped for this reason.
    fn only(
        &self,
        candidates: &[Candidate<'_>],
        is_kept: impl Fn(&Candidate<'_>) -> bool,
        reason: DropReason,
    ) -> Result<Fitted, FitError> {
        let places: Vec<usize> = (0..candidates.len()).filter(|place| is_kept(&candidates[*place])).collect();
        let kept: Vec<Candidate<'_>> = places.iter().map(|place| candidates[*place]).collect();
        Ok(self.by_rule(&kept)?.among(self.candidates, &places, self.counter, reason))
    }

    /// If the prompt refers to documents: those for which there is room as if pinned, without the others.
    fn with_references(&self) -> Option<Result<Fitted, FitError>> {
        let has_references = self.candidates.iter().any(|candidate| candidate.reference.is_some());
        if !has_references || self.limit.is_none() || self.trim == Trim::Fail {
            return None;
        }
        let firm = self.firm();
        let kept = references::kept(&self.fitting(&firm, &Edges::default()));
        let stays =
            |place: &usize| firm[*place].pin || !firm[*place].is_only_reference() || kept.contains(place);
        let places: Vec<usize> = (0..firm.len()).filter(stays).collect();
        if places.is_empty() {
            return None;
        }
        let decided = places.iter().map(|place| {
            let candidate = self.candidates[*place];
            Candidate { pin: candidate.pin || kept.contains(place), reference: None, ..candidate }
        });
        let decided: Vec<Candidate<'_>> = decided.collect();
        let fitted = Job { candidates: &decided, ..*self }.fit();
        Some(fitted.map(|fitted| fitted.among(self.candidates, &places, self.counter, DropReason::Reference)))
    }

    /// Pins and named documents alone, the named ones shortened, if the rule shortens.
    fn shortened(&self) -> Option<Result<Fitted, FitError>> {
        let is_named = self.candidates.iter().any(|candidate| candidate.named);
        if !is_named || !self.trim.shortens() {
            return None;
        }
        let fitted = self.only(self.candidates, |one| one.pin || one.named, DropReason::by(self.trim));
        fitted.ok().map(Ok)
    }

    /// The candidates, what is named as if pinned.
    fn firm(&self) -> Vec<Candidate<'_>> {
        self.candidates.iter().map(|one| Candidate { pin: one.pin || one.named, ..*one }).collect()
    }

    /// Whether what is never dropped fits, and a frame for documents, which may be larger than one without.
    fn keeps_fit(&self) -> bool {
        let firm = self.firm();
        let frame_fits = firm.is_empty() || self.fitting(&firm, &Edges::default()).frame_over().is_none();
        let kept: Vec<Candidate<'_>> = firm.into_iter().filter(|candidate| candidate.pin).collect();
        frame_fits && self.by_rule(&kept).is_ok()
    }

    fn fitting<'f>(&self, candidates: &'f [Candidate<'f>], edges: &'f Edges) -> Fitting<'f>
    where
        'a: 'f,
    {
        let Self { layout, counter, limit, threads, .. } = *self;
        Fitting { candidates, layout, edges, counter, limit: limit.unwrap_or(u64::MAX), threads }
    }

    fn by_rule(&self, candidates: &[Candidate<'_>]) -> Result<Fitted, FitError> {
        let edges = Edges::default();
        let fitting = self.fitting(candidates, &edges);
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
