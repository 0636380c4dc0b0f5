//! What all rules share: which documents must stay, which cannot fit, and how a decision is built.

use super::cut::CutText;
use super::draft::BlockDraft;
use super::fitted::Truncated;
use super::node::Edges;
use super::{Block, Candidate, DropReason, Fate, FitError, Fitted, Priority, Trim};
use crate::format::Format;
use crate::models::Counter;
use ctx_tokens::Measure;

/// What is to be fitted, into which block, and by which rule.
#[derive(Clone, Copy)]
pub(super) struct Fitting<'a> {
    pub(super) candidates: &'a [Candidate<'a>],
    /// What may be dropped or shortened: anything of at most this priority. The rest stays whole.
    pub(super) class: Priority,
    pub(super) trim: Trim,
    pub(super) block: Block<'a>,
    pub(super) edges: &'a Edges,
}

/// How much of a candidate is printed.
#[derive(Debug, Clone)]
pub(super) enum PrintedPart {
    Whole,
    Outline,
    Cut(Box<CutText>),
    Nothing,
}

impl PrintedPart {
    /// The printed part of `whole`.
    pub(super) fn of<'p>(&'p self, whole: Candidate<'p>) -> Option<Candidate<'p>> {
        match self {
            Self::Whole => Some(whole),
            Self::Outline => whole.outlined(),
            // The marker line could be another document's label.
            Self::Cut(cut) => {
                let CutText { text, measure, lines, .. } = &**cut;
                let change = whole.in_part();
                let (lines, measure) = (*lines, *measure);
                Some(Candidate { lines, text, measure, may_collide: true, change, ..whole })
            }
            Self::Nothing => None,
        }
    }
}

impl<'a> Fitting<'a> {
    pub(super) fn draft(&self, kept: impl IntoIterator<Item = usize>) -> BlockDraft<'a> {
        BlockDraft::new(self.candidates.into(), self.block, self.edges, kept)
    }

    /// A draft with the printed part of each candidate.
    pub(super) fn draft_of<'p>(&self, part: impl Fn(usize) -> &'p PrintedPart) -> BlockDraft<'p>
    where
        'a: 'p,
    {
        let printed = |(place, candidate): (usize, &Candidate<'a>)| part(place).of(*candidate);
        let printed: Vec<Candidate<'p>> = self.candidates.iter().enumerate().filter_map(printed).collect();
        let all = 0..printed.len();
        BlockDraft::new(printed.into(), self.block, self.edges, all)
    }

    /// The most tokens that the block may have.
    pub(super) fn limit(&self) -> u64 {
        self.block.limit.unwrap_or(u64::MAX)
    }

    /// The decision to print all candidates; `None` if they do not fit.
    pub(super) fn everything(&self) -> Option<Fitted> {
        if self.is_surely_over() {
            return None;
        }
        let mut draft = self.draft(0..self.candidates.len());
        (draft.tokens() <= self.limit()).then(|| self.all(&mut draft))
    }

    /// The decision to print all candidates, which `draft` contains.
    pub(super) fn all(&self, draft: &mut BlockDraft<'_>) -> Fitted {
        self.decided(|_| &PrintedPart::Whole, DropReason::by(self.trim), draft)
    }

    /// Whether it is certain, even without counting, that not all candidates fit.
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

    /// The indices of the candidates that may be dropped or shortened.
    pub(super) fn others(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.candidates.len()).filter(|place| !self.is_kept(*place))
    }

    /// The printed part of a candidate that a rule does not touch.
    pub(super) fn untouched(&self, place: usize) -> &'static PrintedPart {
        if self.is_kept(place) { &PrintedPart::Whole } else { &PrintedPart::Nothing }
    }

    /// The tokens of a candidate.
    pub(super) fn tokens(&self, place: usize) -> u64 {
        self.candidates[place].tokens(self.block.counter)
    }

    /// The units that a candidate adds to any block that contains it.
    pub(super) fn least_units(&self, place: usize) -> u64 {
        least_units(self.block.counter, self.block.layout.format, &self.candidates[place].measure)
    }

    /// The most units that the block may have.
    pub(super) fn most_units(&self) -> u64 {
        self.block.counter.most_units(self.limit())
    }

    /// Whether documents that add at least `units` cannot be in one block together.
    pub(super) fn is_certainly_over(&self, units: u64) -> bool {
        self.block.counter.rounded(units) > self.limit()
    }

    /// A draft of only what stays whole.
    pub(super) fn kept_draft(&self) -> Result<BlockDraft<'a>, FitError> {
        let mut draft = self.draft(self.kept());
        let needed = draft.tokens();
        if needed > self.limit() { Err(self.kept_over(needed)) } else { Ok(draft) }
    }

    /// The error for pinned and named documents that need this many units even if the named ones are shortened.
    pub(super) fn shortened_over(&self, least: u64) -> FitError {
        let kept = (0..self.candidates.len()).filter(|place| self.candidates[*place].priority.is_kept());
        let mut error = self.kept_over(self.draft(kept).tokens());
        match &mut error {
            FitError::PinnedOver { least: known, needed, .. } => {
                // Documents that the rule doesn't shorten need as much as before.
                *known = Some(self.block.counter.rounded(least)).filter(|least| *least < *needed);
            }
            FitError::NothingFits { .. } | FitError::FrameOver { .. } | FitError::Unread => {}
        }
        error
    }

    /// The error for pinned and named documents that need this many tokens.
    pub(super) fn kept_over(&self, needed: u64) -> FitError {
        if let Some(error) = self.frame_over() {
            return error;
        }
        let counter = self.block.counter;
        let kept = || self.candidates.iter().filter(|candidate| candidate.priority.is_kept());
        let pinned = kept().map(|candidate| candidate.cost(counter)).collect();
        let is_named = kept().any(|candidate| candidate.priority != Priority::Pinned);
        FitError::PinnedOver {
            limit: self.limit(),
            needed,
            least: None,
            pinned,
            beside: self.block.layout.parts(),
            named_under: is_named.then_some(self.trim),
            estimated: counter.is_estimate(),
        }
    }

    /// The error for a frame that leaves no room for documents.
    pub(super) fn frame_over(&self) -> Option<FitError> {
        let parts = self.block.layout.parts();
        let needed = self.block.counter.rounded(self.block.frame_units(self.edges));
        let (limit, estimated) = (self.limit(), self.block.counter.is_estimate());
        let is_over = !parts.is_empty() && needed > limit;
        is_over.then_some(FitError::FrameOver { parts, limit, needed, estimated })
    }

    /// The error if none of the documents fits, each at the lowest level of detail that the rule allows.
    pub(super) fn nothing_fits(&self, least: impl Fn(&Candidate<'a>) -> Candidate<'a>) -> FitError {
        let counter = self.block.counter;
        let candidates: Vec<Candidate<'_>> = self.candidates.iter().map(least).collect();
        let fitting = Fitting { candidates: &candidates, ..*self };
        let smallest = (0..candidates.len()).min_by_key(|place| fitting.tokens(*place)).unwrap_or(0);
        self.frame_over().unwrap_or_else(|| FitError::NothingFits {
            limit: self.limit(),
            nearest: candidates[smallest].cost(counter),
            is_passage: false,
            needed: fitting.draft([smallest]).tokens(),
            estimated: counter.is_estimate(),
        })
    }

    /// The decision to print only what is never dropped, if there is anything to print.
    pub(super) fn kept_alone(&self, mut draft: BlockDraft<'_>, reason: DropReason) -> Option<Fitted> {
        let is_something = !draft.kept().is_empty();
        is_something.then(|| self.decided(|place| self.untouched(place), reason, &mut draft))
    }

    /// The decision to print this much of each candidate, as in `draft`; the others are dropped for this reason.
    pub(super) fn decided<'p>(
        &self,
        part: impl Fn(usize) -> &'p PrintedPart,
        reason: DropReason,
        draft: &mut BlockDraft<'_>,
    ) -> Fitted {
        let counter = self.block.counter;
        let outcome = |(place, candidate): (usize, &Candidate<'_>)| match part(place) {
            PrintedPart::Whole => Fate::Included { tokens: candidate.tokens(counter) },
            PrintedPart::Outline => {
                let outlined = candidate.outlined().unwrap_or(*candidate);
                Fate::Outlined { tokens: outlined.tokens(counter) }
            }
            PrintedPart::Cut(cut) => {
                let CutText { text, measure, omitted_lines, lines, kept } = (**cut).clone();
                let tokens = counter.tokens_of(&measure);
                Fate::Truncated(Box::new(Truncated { tokens, text, omitted_lines, lines, kept }))
            }
            PrintedPart::Nothing => {
                let is_unmatched = reason == DropReason::Rank && !candidate.matters();
                Fate::Dropped { reason: if is_unmatched { DropReason::Unmatched } else { reason } }
            }
        };
        Fitted::new(self.candidates.iter().enumerate().map(outcome).collect(), draft)
    }
}

/// The units that a document adds to any block that contains it.
pub(crate) fn least_units(counter: Counter, format: Format, measure: &Measure) -> u64 {
    let core = counter.core(measure).filter(|_| format.prints_texts_as_they_are());
    core.map_or_else(|| counter.least_units(measure.bytes), |core| core.tokens)
}
