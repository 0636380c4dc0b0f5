//! From entries to a block: the whole way, in one function.
//!
//! [`plan`] selects, reads, counts and fits; the [`Plan`] that comes out prints the block
//! ([`Plan::write`]), says what became of every file ([`Plan::account`]), and what a person should
//! know about it ([`Plan::notices`]).

mod account;
mod bytes;
mod document;
mod explain;
mod explain_entry;
mod fit;
mod forbidden;
mod hit;
mod instruction;
mod item;
mod known;
mod measure;
mod notice;
mod numbered;
mod reading;
mod referred;
mod relevance;
mod request;
mod searched;
mod session;
mod tallies;
#[cfg(test)]
mod tests;
mod tree;
mod why_out;

use std::io;
use std::sync::Arc;

pub use crate::progress::{Progress, Work};
pub use explain::{Effect, EntryEffect, Explained, RuleRecord, Verdict};
pub use explain_entry::{DirectoryRecord, ExplainedCommand, ExplainedEntry};
pub use forbidden::Forbidden;
pub use hit::Hit;
pub use item::{Document, Item, Outline, Reading};
pub use known::Known;
pub use notice::is_built_in;
pub use referred::Referred;
pub use relevance::Relevance;
pub use request::{Detail, Form, Instruction, Measure, Purpose, Reader, Request};
pub use tree::Directory;

use crate::account::{Account, Totals};
use crate::budget::{self, Candidate, FitError, Layout, Shown};
use crate::entry::{Scope, ScopedEntry};
use crate::format::{self, Around, Frame, Id};
use crate::report::Notice;
use crate::select::{self, Brought, EntryId, EntryReport, LeftOutByFiles, SelectError};
use crate::source::{self, Source};
use crate::world::World;
use bytes::Bytes;
use forbidden::Parts;
use instruction::Instructed;
use known::Trust;
use reading::Misled;
use session::{ReadAll, Session};

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Something about the selection as a whole.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// The policy for secrets or hidden characters is to fail, and there are some.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Two documents would have the same label.
    #[error("the label '{0}' is also that of a file")]
    AmbiguousLabel(String),
    /// Files changed while they were being read, again and again.
    #[error("the files change while they are being read")]
    Unsettled,
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
    left_out_built_in: usize,
    left_out_by_own_files: LeftOutByFiles,
    items: Vec<Item>,
    forbidden: Option<Forbidden>,
    /// The entries of each file that is not among the items because it is binary and was not named.
    binary: Vec<Arc<Brought>>,
    tree: Option<String>,
    instruction: Option<Instructed>,
    /// What is shown of the conversation.
    shown: Option<Shown>,
    block: Result<Block, FitError>,
}

/// What the block is made of beside its documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Block {
    /// The id that boundaries and labels carry, if they need one.
    id: Option<Id>,
    /// The tokens of the block as printed, without a prompt.
    tokens: u64,
}

/// Selects, reads, counts and fits.
///
/// A block that does not fit, or that holds what a policy forbids, is still a plan, so that it can be explained: see
/// [`Plan::fits`] and [`Plan::is_allowed`].
///
/// # Errors
/// See [`PlanError`]; never [`PlanError::Fit`] or [`PlanError::Forbidden`].
pub fn plan(request: Request, world: &World) -> Result<Plan, PlanError> {
    match attempt(request.clone(), world, Trust::Cached)? {
        Some(plan) => Ok(plan),
        // Without what is cached nothing can be misled.
        None => attempt(request, world, Trust::Nothing)?.ok_or(PlanError::Unsettled),
    }
}

/// A plan; `None` if what is cached is not to be trusted.
fn attempt(mut request: Request, world: &World, trust: Trust) -> Result<Option<Plan>, PlanError> {
    let provided = std::mem::take(&mut request.provided);
    request.selection.provided = provided.iter().flat_map(|text| text.entries.iter().copied()).collect();
    let selected = select::select(&request.entries, world, &request.selection)?;
    let mut sources = source::order(
        selected.files,
        selected.refused,
        provided,
        &request.entries,
        &selected.entries,
        request.order,
    )
    .map_err(|label| PlanError::AmbiguousLabel(label.to_string()))?;
    if matches!(request.purpose, Purpose::Search(_)) {
        sources.retain(|source| source.brought.searched.is_some());
    }
    let limits = request.reading.limits;
    let sources = source::imports::with_imports(
        sources,
        &request.entries,
        &selected.entries,
        limits,
        world,
        &request.selection,
    );
    let reading = request.clone();
    let session = Session::new(&reading, world, trust, &sources);
    let Ok(read) = read(&session, sources, &request) else { return Ok(None) };
    let ReadAll { items, binary } = read;
    let instruction = instruction::of(&request);
    let parts = Parts {
        items: &items,
        instruction: instruction.as_ref(),
        conversation: request.conversation.as_ref(),
    };
    let forbidden = parts.forbidden(&request.reading.policies.strictest());
    let tree = tree::in_front(&items, request.form.tree);
    let mut plan = Plan {
        reports: selected.entries,
        passed_over: selected.skipped,
        met_outputs: selected.met_outputs,
        left_out_built_in: selected.left_out_built_in,
        left_out_by_own_files: selected.left_out_by_own_files,
        items,
        forbidden,
        binary,
        tree,
        instruction,
        shown: None,
        block: Ok(Block::default()),
        request,
    };
    if plan.request.purpose == Purpose::Block && plan.fit_reading(world.threads, &session).is_err() {
        return Ok(None);
    }
    session.finish();
    Ok(Some(plan))
}

/// Reads and ranks the sources; of those that are searched, what was found is read.
fn read(session: &Session<'_>, sources: Vec<Source>, request: &Request) -> Result<ReadAll, Misled> {
    let ReadAll { mut items, binary } = session.read_all(sources)?;
    relevance::rank(&mut items, request, session.indexes());
    match request.purpose {
        Purpose::Search(most) | Purpose::SearchAll(most) => {
            let places: Vec<usize> = hit::best(&items, most).iter().map(|found| found.place).collect();
            session.read_these(&mut items, &places)?;
        }
        Purpose::Block => items = searched::with_passages(items, request, session)?,
    }
    Ok(ReadAll { items, binary })
}

impl Plan {
    /// Whether there is a block (or nothing to make one of).
    ///
    /// # Errors
    /// Why nothing fits.
    pub fn fits(&self) -> Result<(), FitError> {
        self.block.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    /// Whether nothing is in the documents that a policy forbids. If something is, nothing may be printed.
    ///
    /// # Errors
    /// What is in which of them.
    pub fn is_allowed(&self) -> Result<(), PlanError> {
        self.forbidden.clone().map_or(Ok(()), |forbidden| Err(forbidden.into()))
    }

    /// How many files that an entry matches are left out because they are binary.
    #[must_use]
    pub fn binary_files(&self, entry: EntryId) -> usize {
        self.binary.iter().filter(|brought| brought.entries.contains(&entry)).count()
    }

    /// Whether no document was there to be printed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.iter().all(|item| matches!(item.reading, Reading::Skipped(_)))
    }

    /// Whether there is nothing to be printed, not even an instruction or a conversation.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.is_empty() && !self.request.sections().any()
    }

    /// Prints the block and, after it, the prompt; nothing if it does not fit.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write(&self, out: &mut impl io::Write, prompt: Option<&str>) -> io::Result<()> {
        let (Ok(block), None) = (&self.block, &self.forbidden) else { return Ok(()) };
        self.write_printed(block.id, out, prompt)
    }

    fn write_printed(
        &self,
        id: Option<Id>,
        out: &mut impl io::Write,
        prompt: Option<&str>,
    ) -> io::Result<()> {
        self.frame(id).write(out, self.documents(), prompt)
    }

    fn frame(&self, id: Option<Id>) -> Frame<'_> {
        let Layout { format, around, .. } = self.layout();
        Frame { format, around, id }
    }

    /// What is printed, or would be if it fitted.
    fn documents(&self) -> impl Iterator<Item = format::Document<'_>> {
        self.printed().filter_map(|(item, _)| {
            Some(format::Document { label: item.source.label.as_str(), text: item.text()? })
        })
    }

    /// Where each document is in the block with its frame, in bytes, for who asks for the whole account.
    fn ranges(&self) -> Vec<[u64; 2]> {
        match (self.request.detail, &self.block) {
            (Detail::Account, Ok(block)) => self.frame(block.id).ranges(self.documents()).collect(),
            (Detail::Account, Err(_)) | (Detail::Block | Detail::Counts, _) => Vec::new(),
        }
    }

    /// The length in bytes of the block, or of the one that does not fit.
    fn block_bytes(&self) -> u64 {
        let mut bytes = Bytes::default();
        let id = match &self.block {
            Ok(block) => block.id,
            Err(_) => {
                let needed: Vec<Candidate<'_>> =
                    self.printed().filter_map(|(item, _)| item.candidate()).collect();
                budget::take_all(&needed, &self.layout()).id
            }
        };
        self.write_printed(id, &mut bytes, None).map_or(0, |()| bytes.0)
    }

    /// The SHA-256 of the block without a prompt, in hex; `None` if there is no block.
    #[must_use]
    pub fn sha256(&self) -> Option<String> {
        let mut block = Vec::new();
        self.write(&mut block, None).ok()?;
        (!block.is_empty()).then(|| account::sha256(&block))
    }

    /// What of the block the prompt refers to.
    #[must_use]
    pub fn references(&self) -> Vec<Referred> {
        let is_of_prompt = |item: &&Item| {
            item.source.brought.entries.iter().any(|id| self.request.entries[id.0].scope == Scope::Prompt)
        };
        let referred = self.printed().map(|(item, _)| item).filter(is_of_prompt);
        referred
            .map(|item| Referred {
                path: item.source.label.as_str().to_owned(),
                sha256: account::sha256(item.text().unwrap_or_default().as_bytes()),
            })
            .collect()
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

    /// The sources with what became of them, in the order of the block.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// How many files the built-in ignore file leaves out.
    #[must_use]
    pub fn left_out_built_in(&self) -> usize {
        self.left_out_built_in
    }

    /// Whether files were left out because the command writes them.
    #[doc(hidden)]
    #[must_use]
    pub fn met_outputs(&self) -> bool {
        self.met_outputs
    }

    /// What was skipped and is worth telling, in order of labels.
    #[must_use]
    pub fn passed_over(&self) -> &[select::Skipped] {
        &self.passed_over
    }

    /// The request that this plan answers.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    fn layout(&self) -> Layout<'_> {
        let Form { format, guard, .. } = self.request.form;
        let chat = self.shown.as_ref().zip(self.conversation()).and_then(|(shown, talk)| shown.chat(talk));
        let instruction = self.instruction.as_ref().map(|instruction| instruction.text.as_str());
        let tree = self.tree.as_deref();
        let tree_alone = tree.is_some() && self.items.iter().any(Item::is_listed);
        Layout { format, guard, around: Around { tree, tree_alone, instruction, chat } }
    }

    /// The documents of which something is in the block, or in the one that does not fit.
    fn printed(&self) -> impl Iterator<Item = (&Item, &Document)> + Clone {
        let error = self.block.as_ref().err();
        let printed = self.items.iter().filter(move |item| item.is_printed(error));
        printed.filter_map(|item| Some((item, item.document()?)))
    }
}
