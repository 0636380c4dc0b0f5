//! Fits priorities one by one, highest first: documents that fit stay whole, the rule applies to the first
//! priority that does not fit, and lower ones are dropped.

use std::collections::BTreeSet;

use super::draft::BlockDraft;
use super::fitting::Fitting;
use super::{Candidate, DropReason, Fate, FitError, Fitted, Priority, Trim, largest, relevant, truncate};

impl<'a> Fitting<'a> {
    pub(super) fn fit(&self) -> Result<Fitted, FitError> {
        match self.fit_named_whole() {
            Err(error @ FitError::PinnedOver { .. }) => {
                self.shortened().unwrap_or(Err(error)).map_err(|error| self.with_way_out(error))
            }
            fitted => fitted,
        }
    }

    /// Withdraws the suggestion of another rule if even truncating the named documents would not help.
    fn with_way_out(&self, mut error: FitError) -> FitError {
        if let FitError::PinnedOver { named_under: rule @ Some(_), .. } = &mut error
            && !matches!((Fitting { trim: Trim::Truncate, ..*self }).shortened(), Some(Ok(_)))
        {
            *rule = None;
        }
        error
    }

    /// Keeps pinned and named files whole; it is an error if they do not fit.
    pub(super) fn fit_named_whole(&self) -> Result<Fitted, FitError> {
        match self.fit_found_whole() {
            Err(FitError::PinnedOver { .. }) if self.has(Priority::Found) => {
                let candidates = self.competing(Priority::Found);
                Fitting { candidates: &candidates, ..*self }.fit_found_whole()
            }
            fitted => fitted,
        }
    }

    /// The candidates, with those of this priority competing like stored ones.
    fn competing(&self, class: Priority) -> Vec<Candidate<'a>> {
        let priority =
            |one: &Candidate<'a>| if one.priority == class { Priority::Stored } else { one.priority };
        self.candidates.iter().map(|one| Candidate { priority: priority(one), ..*one }).collect()
    }

    /// Keeps passages found by searched entries whole, too.
    fn fit_found_whole(&self) -> Result<Fitted, FitError> {
        if self.block.limit.is_none() || self.candidates.is_empty() {
            return self.by_rule();
        }
        self.fits_from(Priority::Named)?;
        if self.has(Priority::Asked) && self.fits_from(Priority::Asked).is_err() {
            return self.trimmed(Priority::Asked);
        }
        if self.has(Priority::Referenced) { self.with_references() } else { self.by_rule() }
    }

    fn has(&self, priority: Priority) -> bool {
        self.candidates.iter().any(|candidate| candidate.priority == priority)
    }

    /// Checks that all candidates of at least this priority fit.
    fn fits_from(&self, lowest: Priority) -> Result<(), FitError> {
        let candidates: Vec<Candidate<'_>> =
            self.candidates.iter().filter(|candidate| candidate.priority >= lowest).copied().collect();
        if candidates.is_empty() {
            return Ok(());
        }
        let fitting = Fitting { candidates: &candidates, ..*self };
        let needed = fitting.draft(0..candidates.len()).tokens();
        if needed > fitting.limit() { Err(fitting.kept_over(needed)) } else { Ok(()) }
    }

    /// Applies the rule to this priority, with everything above it whole and everything below it dropped.
    fn trimmed(&self, class: Priority) -> Result<Fitted, FitError> {
        let fitting = Fitting { class, ..*self };
        fitting.only(|place| self.candidates[place].priority >= class, DropReason::AskedFor)
    }

    /// Applies the rule to some of the candidates; the others are dropped for this reason.
    fn only(&self, is_among: impl Fn(usize) -> bool, reason: DropReason) -> Result<Fitted, FitError> {
        let places: Vec<usize> = (0..self.candidates.len()).filter(|place| is_among(*place)).collect();
        let some: Vec<Candidate<'_>> = places.iter().map(|place| self.candidates[*place]).collect();
        let fitted = Fitting { candidates: &some, ..*self }.by_rule()?;
        Ok(fitted.among(self.candidates.len(), &places, reason))
    }

    /// Keeps references whole if they fit. The others are dropped or compete with stored documents. If the rule
    /// ranks passages, at least the best one of each of these is shown, as far as there is room.
    fn with_references(&self) -> Result<Fitted, FitError> {
        let kept = Fitting { class: Priority::Referenced, ..*self }.references();
        let shown = (self.trim == Trim::Relevant).then(|| self.with_these_references(&kept, Priority::Shown));
        match shown {
            Some(fitted @ (Ok(_) | Err(FitError::Unread))) => fitted,
            Some(Err(_)) | None => self.with_these_references(&kept, Priority::Stored),
        }
    }

    /// Keeps these references whole. The others compete like documents of the priority `competing`, or are
    /// dropped if only the prompt includes them.
    fn with_these_references(&self, kept: &BTreeSet<usize>, competing: Priority) -> Result<Fitted, FitError> {
        let is_kept =
            |place: usize| self.candidates[place].priority != Priority::Referenced || kept.contains(&place);
        let settled = |(place, one): (usize, &Candidate<'a>)| {
            let priority = if is_kept(place) { one.priority } else { competing };
            Candidate { priority, ..*one }
        };
        let settled: Vec<Candidate<'_>> = self.candidates.iter().enumerate().map(settled).collect();
        let fitting = Fitting { candidates: &settled, ..*self };
        let is_in = |place: usize| is_kept(place) || self.candidates[place].is_stored_too;
        if (0..settled.len()).any(is_in) {
            fitting.only(is_in, DropReason::Reference)
        } else {
            fitting.by_rule()
        }
    }

    /// The indices of the references that stay whole: the first ones, up to half the limit or up to the room
    /// that the other documents leave, whichever is more.
    fn references(&self) -> BTreeSet<usize> {
        let is_reference = |place: &usize| self.candidates[*place].priority == Priority::Referenced;
        let others = (0..self.candidates.len()).filter(|place| !is_reference(place));
        let left_over = self.limit().saturating_sub(self.draft(others).tokens());
        let room = left_over.max(self.limit() / 2);
        let mut references: Vec<usize> = (0..self.candidates.len()).filter(is_reference).collect();
        let mut tokens: u64 = references.iter().map(|place| self.tokens(*place)).sum();
        let mut draft = self.draft(self.kept().chain(references.iter().copied()));
        while let Some(last) = references.last().copied() {
            if tokens <= room && draft.tokens() <= self.limit() {
                break;
            }
            tokens -= self.tokens(last);
            draft.remove(last);
            references.pop();
        }
        references.into_iter().collect()
    }

    /// Fits only the pinned and named documents, with the named ones shortened. `None` if no document is
    /// named, if the rule does not shorten, or if it would drop a named document (an error with the rule
    /// `outline`).
    pub(super) fn shortened(&self) -> Option<Result<Fitted, FitError>> {
        if !self.has(Priority::Named) || !self.trim.shortens() {
            return None;
        }
        let fitted = match self.trimmed(Priority::Named) {
            Err(error @ FitError::PinnedOver { least: Some(_), .. }) => return Some(Err(error)),
            fitted => fitted.ok(),
        };
        let Some(fitted) = fitted else { return self.outlines_over().map(Err) };
        let is_there = |(candidate, outcome): (&Candidate<'_>, &Fate)| {
            candidate.priority != Priority::Named || !matches!(outcome, Fate::Dropped { .. })
        };
        if self.candidates.iter().zip(&fitted.fates).all(is_there) {
            Some(Ok(fitted))
        } else {
            self.outlines_over().map(Err)
        }
    }

    /// The error if the named documents are too large together with the pinned ones even as outlines.
    fn outlines_over(&self) -> Option<FitError> {
        let kept = self.candidates.iter().filter(|one| one.priority >= Priority::Named);
        let is_named = |one: &Candidate<'a>| one.priority == Priority::Named;
        let outlined = kept.map(|one| one.outlined().filter(|_| is_named(one)).unwrap_or(*one));
        let outlined: Vec<Candidate<'a>> = outlined.collect();
        let fitting = Fitting { candidates: &outlined, ..*self };
        let is_over = self.trim == Trim::Outline && self.candidates.iter().any(is_named);
        is_over.then(|| self.shortened_over(fitting.draft(0..outlined.len()).units()))
    }

    /// Whether everything that is never dropped fits, including a frame for documents, which may be larger
    /// than the frame without any.
    pub(super) fn keeps_fit(&self) -> bool {
        let frame_fits = self.candidates.is_empty() || self.frame_over().is_none();
        frame_fits && self.draft([]).tokens() <= self.limit() && self.fits_from(Priority::Named).is_ok()
    }

    fn by_rule(&self) -> Result<Fitted, FitError> {
        if self.candidates.is_empty() {
            return self.nothing();
        }
        if self.block.limit.is_none() {
            return Ok(self.all(&mut self.draft(0..self.candidates.len())));
        }
        match self.trim {
            Trim::Largest | Trim::Outline => largest::fit(self),
            Trim::Truncate => truncate::fit(self),
            Trim::Relevant => relevant::fit(self),
        }
    }

    /// A block without documents, or the error if the rest alone exceeds the budget.
    fn nothing(&self) -> Result<Fitted, FitError> {
        let mut draft: BlockDraft<'_> = self.draft([]);
        match draft.tokens() {
            needed if needed > self.limit() => Err(self.kept_over(needed)),
            _ => Ok(self.all(&mut draft)),
        }
    }
}
