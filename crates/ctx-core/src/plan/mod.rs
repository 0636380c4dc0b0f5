//! From entries to a block: the whole way, in one function.
//!
//! [`plan`] selects, reads, counts and fits; the [`Plan`] that comes out prints the block
//! ([`Plan::write`]), says what became of every file ([`Plan::account`]), and what a person should
//! know about it ([`Plan::notices`]).

mod account;
mod bytes;
mod documents;
mod explain;
mod measure;
mod notice;
mod numbered;
mod progress;
mod reading;
mod request;
mod source;
mod stream;
mod tallies;
mod tree;

use std::io;

pub use documents::Document;
pub use explain::{Effect, EntryEffect, Explained, RuleRecord, Verdict};
pub use notice::{Level, Notice, NoticeKind, is_built_in};
pub use progress::Progress;
pub use request::{Detail, Form, Known, Measure, Reader, Request};
pub use source::{Given, Order, Origin, Source};
pub use tree::Directory;

use crate::account::{Account, Totals};
use crate::budget::{self, Candidate, FitError, Fitted, Layout, Outcome};
use crate::entry::{Scope, ScopedEntry};
use crate::select::{self, EntryReport, SelectError};
use crate::world::World;
use bytes::Bytes;
use documents::Reading;
use stream::Late;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Something about the selection as a whole.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// The policy for secrets or hidden characters is to fail, and there are some.
    #[error("{what} in {}", files.join(", "))]
    Forbidden {
        /// `secrets` or `hidden characters`.
        what: &'static str,
        /// Which files hold them, and what.
        files: Vec<String>,
    },
    /// The text that the caller brings along cannot be read.
    #[error("{label} {reason}")]
    Given {
        /// What it is called.
        label: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// Two documents would have the same label.
    #[error("the label '{0}' is also that of a file")]
    AmbiguousLabel(String),
    /// Nothing fits.
    #[error(transparent)]
    Fit(#[from] FitError),
}

/// What will be printed, and what became of the rest.
#[derive(Debug)]
pub struct Plan {
    request: Request,
    reports: Vec<EntryReport>,
    passed_over: Vec<select::Skipped>,
    met_outputs: bool,
    sources: Vec<Source>,
    readings: Vec<Reading>,
    tree: Option<String>,
    fitted: Result<Fitted, FitError>,
    world: World,
}

/// Selects, reads, counts and fits.
///
/// A block that does not fit is still a plan, so that it can be explained: see [`Plan::fits`].
///
/// # Errors
/// See [`PlanError`]; never [`PlanError::Fit`].
pub fn plan(request: Request, world: &World) -> Result<Plan, PlanError> {
    let selected = select::select(&request.entries, world, &request.selection)?;
    let sources = source::order(selected.files, &request, world)?;
    let mut plan = Plan {
        reports: selected.entries,
        passed_over: selected.skipped,
        met_outputs: selected.met_outputs,
        sources,
        readings: Vec::new(),
        tree: None,
        fitted: Ok(Fitted::nothing()),
        world: world.clone(),
        request,
    };
    plan.read(plan.request.known, world)?;
    plan.fitted = plan.fit();
    if plan.has_id() && plan.defers() {
        // An id must not occur in any text: all are needed after all.
        plan.read(Known::ReadNow, world)?;
        plan.fitted = plan.fit();
    }
    Ok(plan)
}

impl Plan {
    /// Whether there is a block (or nothing to make one of).
    ///
    /// # Errors
    /// Why nothing fits.
    pub fn fits(&self) -> Result<(), FitError> {
        self.fitted.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    /// Whether no document was there to be printed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.readings.iter().any(|reading| matches!(reading, Reading::Document(_) | Reading::Dropped { .. }))
    }

    /// Prints the block and, after it, the prompt; nothing if it does not fit.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write(&self, out: &mut impl io::Write, prompt: Option<&str>) -> io::Result<()> {
        self.write_current(out, prompt).map(drop)
    }

    /// The same, and takes up what has become of files in the meantime: a text that was read when it was
    /// printed may be another one then, or not be there any more. Returns what there is to say of that.
    ///
    /// # Errors
    /// What `out` says.
    pub fn print(&mut self, out: &mut impl io::Write, prompt: Option<&str>) -> io::Result<Vec<Notice>> {
        let late = self.write_current(out, prompt)?;
        if late.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.notices();
        for Late { place, reading } in late {
            self.readings[place] = reading;
        }
        self.fitted = self.fit();
        let mut notices = self.notices();
        notices.retain(|notice| !known.contains(notice));
        Ok(notices)
    }

    fn write_current(&self, out: &mut impl io::Write, prompt: Option<&str>) -> io::Result<Vec<Late>> {
        let Ok(fitted) = &self.fitted else { return Ok(Vec::new()) };
        match self.defers() {
            true => stream::write(self, fitted, out, prompt),
            false => self.write_at_hand(fitted, out, prompt).map(|()| Vec::new()),
        }
    }

    /// Prints as much of the block as is at hand.
    fn write_at_hand(
        &self,
        fitted: &Fitted,
        out: &mut impl io::Write,
        prompt: Option<&str>,
    ) -> io::Result<()> {
        let candidates = self.candidates();
        let documents = fitted.documents(&candidates);
        fitted.frame(&self.layout()).write(out, documents, prompt)
    }

    /// The length of the block in bytes.
    fn block_bytes(&self, fitted: &Fitted) -> u64 {
        let mut at_hand = Bytes::default();
        let inner = |document: &Document| document.extent.bytes() - document.text.len() as u64;
        let deferred =
            self.documents().map(|(_, document)| document).filter(|document| document.is_deferred());
        match self.write_at_hand(fitted, &mut at_hand, None) {
            Ok(()) => at_hand.0 + deferred.map(inner).sum::<u64>(),
            Err(_) => 0,
        }
    }

    /// What became of every file.
    #[must_use]
    pub fn account(&self) -> Account {
        account::of(self)
    }

    /// The figures of the account alone.
    #[must_use]
    pub fn totals(&self) -> Totals {
        account::totals(self)
    }

    /// What a person should know about this plan, in a fixed order.
    #[must_use]
    pub fn notices(&self) -> Vec<Notice> {
        notice::of(self)
    }

    /// The entries with what became of them, in the order given.
    pub fn entries(&self) -> impl Iterator<Item = (&ScopedEntry, &EntryReport)> {
        self.reports.iter().map(|report| (&self.request.entries[report.id.0], report))
    }

    /// Where the documents come from and what could not be read, in the order of the block.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Whether files were left out because the command writes them.
    #[doc(hidden)]
    #[must_use]
    pub fn met_outputs(&self) -> bool {
        self.met_outputs
    }

    /// What was passed over and is worth telling, in order of labels.
    #[must_use]
    pub fn passed_over(&self) -> &[select::Skipped] {
        &self.passed_over
    }

    /// The command that lists every file of this plan.
    #[must_use]
    pub fn lister(&self) -> &'static str {
        let of_this_block = self.request.entries.iter().any(|scoped| scoped.scope == Scope::Session);
        match of_this_block || self.request.given.is_some() {
            true => "'ctx render … --dry-run'",
            false => "'ctx show --expand'",
        }
    }

    /// The request that this plan answers.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    fn fit(&self) -> Result<Fitted, FitError> {
        let Measure { counter, limit, trim, .. } = self.request.measure;
        let candidates = self.candidates();
        let sifted = self.readings.iter().any(|reading| matches!(reading, Reading::Dropped { .. }));
        if candidates.is_empty() && !sifted {
            return Ok(Fitted::nothing());
        }
        if !self.request.counts() {
            return Ok(budget::take_all(&candidates, &self.layout()));
        }
        let fit = if sifted { budget::fit_sifted } else { budget::fit };
        fit(&candidates, &self.layout(), counter, limit, trim, self.world.threads)
            .map_err(|error| error.with_estimates(self.request.measure.estimated))
    }

    /// Reads everything that was selected.
    fn read(&mut self, known: Known, world: &World) -> Result<(), PlanError> {
        let mut readings = reading::read_all(&self.sources, &self.request, known, world)?;
        self.sources = documents::without_passed(std::mem::take(&mut self.sources), &mut readings);
        documents::enforce(&self.request.reading.policies, &self.sources, &readings)?;
        self.tree = self.request.form.tree.then(|| tree::drawn(&self.sources));
        self.readings = readings;
        Ok(())
    }

    fn has_id(&self) -> bool {
        self.fitted.as_ref().is_ok_and(|fitted| fitted.id.is_some())
    }

    /// Whether some texts are read when they are printed.
    fn defers(&self) -> bool {
        self.documents().any(|(_, document)| document.is_deferred())
    }

    fn layout(&self) -> Layout<'_> {
        let Form { format, guard, .. } = self.request.form;
        Layout { format, guard, tree: self.tree.as_deref() }
    }

    fn candidates(&self) -> Vec<Candidate<'_>> {
        self.documents().map(|(source, document)| document.candidate(source)).collect()
    }

    /// The documents of which something is in the block, or in the one that does not fit.
    fn printed(&self) -> impl Iterator<Item = (&Source, &Document)> {
        let is_in = |place: usize, pin| match &self.fitted {
            Ok(fitted) => !matches!(fitted.outcomes.get(place), Some(Outcome::Dropped { .. })),
            Err(error) => error.needs(pin),
        };
        let documents = self.documents().enumerate();
        documents
            .filter(move |(place, (source, _))| is_in(*place, source.brought.pin))
            .map(|(_, found)| found)
    }

    fn documents(&self) -> impl Iterator<Item = (&Source, &Document)> {
        self.sources.iter().zip(&self.readings).filter_map(|(source, reading)| match reading {
            Reading::Document(document) => Some((source, document)),
            Reading::Dropped { .. } | Reading::Skipped(_) | Reading::Passed => None,
        })
    }
}
