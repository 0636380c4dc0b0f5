//! From entries to a block: the whole pipeline, in one function.
//!
//! [`plan`] selects, reads, counts and fits. The resulting [`Plan`] prints the block ([`Plan::block`]), lists
//! what happened to every file ([`Plan::account`]), and has notices for the user ([`Plan::notices`]).

mod account;
mod beside;
mod best;
mod block;
mod choose;
mod conditional;
mod ends;
mod entries;
mod explain;
mod explain_entry;
mod fit;
mod hit;
mod join;
mod listed;
mod notice;
mod occurring;
mod parts;
mod places;
mod rank;
mod room;
mod searched;
mod since;
#[cfg(test)]
mod tests;
mod tree;
mod why_out;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ctx_search::{Score, shares_word};

pub use account::FilesToWrite;

pub use crate::budget::Fate;
pub use crate::progress::Progress;
pub use block::{Plan, PrintableBlock};
pub use explain::{Effect, EntryEffect, Explained, RuleRecord, is_only_searched};
pub use explain_entry::{DirectoryRecord, ExplainedCommand, ExplainedEntry};
pub use hit::Hit;
pub(crate) use occurring::occurring;
pub use parts::{FileCounter, FilesInParts};
pub use places::PrintedPlace;
pub use room::{NeededRoom, RoomFor};

pub use crate::document::{Document, Item, Relevance};
pub use crate::request::{
    Detail, Form, Instruction, ListUse, Measure, PlanError, Purpose, ReadOptions, Request, Since, UserMessage,
};
pub use tree::DirectoryTree;

use crate::account::{Account, ReadDocument};
use crate::budget::{DropReason, Priority};
use crate::document::{ReadAll, Session};
use crate::entry::{Attributes, Author, Entry, Kind, Scope, ScopedEntry};
use crate::guard::{self, CleanText};
use crate::report::{Notice, NoticeKind, ReasonCode};
use crate::select::{self, EntryId, EntryKind, EntryReport};
use crate::source::named::NamedLines;
use crate::source::{self, Order, Origin, Source};
use crate::tree::Tree;
use crate::world::World;
use block::Printed;
use listed::ListedSources;

/// Selects, reads, counts and fits.
///
/// A block that does not fit is still a plan, so that you can explain it: see [`Plan::block`].
///
/// # Errors
/// See [`PlanError`]; never [`PlanError::Fit`].
pub fn plan(request: &Request, world: &World) -> Result<Plan, PlanError> {
    match attempt(request, world, true) {
        // The cache was wrong, so try again without it.
        Err(PlanError::Unsettled) => attempt(request, world, false),
        plan => plan,
    }
}

/// Makes a plan. Fails with [`PlanError::Unsettled`] if the cache turns out to be wrong.
fn attempt(request: &Request, world: &World, trusts_cache: bool) -> Result<Plan, PlanError> {
    let mut request = request.clone();
    let view = since::view(&request, world);
    request.compare_view(&view);
    let provided = std::mem::take(&mut request.provided);
    request.selection.provided = provided.iter().flat_map(|text| text.entries.iter().copied()).collect();
    let selected = select::select(&request.entries, world, &request.selection)?;
    let lookup = request.reading.lookup();
    let named = NamedLines::of(&selected.files, &request.entries, lookup);
    let mut sources = source::order(
        selected.files,
        selected.refused,
        provided,
        &request.entries,
        &named,
        world.home.as_deref(),
        request.order,
    )
    .map_err(|label| PlanError::AmbiguousLabel(label.to_string()))?;
    if let Purpose::Search(_) = request.purpose {
        hit::keep_below(&world.cwd, &mut sources, &request.entries);
    }
    let count = sources.len();
    let is_nothing = |origin: &Origin| matches!(origin, Origin::Provided(Ok(bytes)) if bytes.is_empty());
    sources.retain(|source| !is_nothing(&source.origin));
    if sources.len() < count {
        let text = "standard input is empty".to_owned();
        request.notices.push(Notice::warning(NoticeKind::EmptyInput, text));
    }
    let mut sources =
        source::imports::with_imports(sources, &request.entries, lookup, world, &request.selection);
    let ranked = sources.iter_mut().filter(|source| request.ranks(source));
    source::mark(ranked, Tree::around(world).root());
    let request = Arc::new(request);
    let session = Session::new(&request, world, trusts_cache, sources.len());
    let ListedSources { sources, crowded_out } = listed::chosen(sources, &request, &session)?;
    let ReadAll { items, passed_over, words } = read(&session, sources, &request)?;
    // The instruction is never left out because of a secret; the secret is redacted.
    let clean =
        |written: &Instruction| guard::clean(written.text.clone(), request.reading.allowed.in_contents());
    let instruction = request.instruction.as_ref().map(clean);
    let tree = tree::in_front(&items, request.form.tree).map(|tree| tree.drawn(&|_| true));
    let fitting_root = entries::fitting_root(&request.entries, &selected.entries, world);
    let mut plan = Plan {
        fitting_root,
        why_missing: entries::why_missing(&request.entries, &selected.entries, world),
        reports: selected.entries,
        skipped: selected.skipped,
        met_outputs: selected.met_outputs,
        idle_filters: selected.idle_filters,
        left_out_built_in: selected.left_out_built_in,
        left_out_by_own_files: selected.left_out_by_own_files,
        left_out_by_project: selected.left_out_by_project,
        cut_lines: selected.cut_lines,
        items,
        passed_over,
        crowded_out,
        without_room: Vec::new(),
        words,
        tree,
        instruction,
        view,
        gone: Vec::new(),
        shown: None,
        block: Ok(Printed::default()),
        limit: request.measure.limit,
        request: Arc::clone(&request),
    };
    let waiting = plan.take_out_conditional(world);
    plan.join_unchanged(&session)?;
    plan.leave_out_unchanged();
    let cut = plan.cut_beside();
    plan.make_room(&cut, world.threads);
    plan.fold_tree(world.threads);
    if plan.request.purpose == Purpose::Block {
        plan.fit_reading(world.threads, &session)?;
        plan.add_conditional(waiting, world.threads, &session)?;
        plan.join_complete(world.threads, &session)?;
    }
    plan.restore_texts(cut.ends_of);
    plan.leave_out_unchanged_parts(world.threads);
    session.finish();
    plan.settle_entries();
    Ok(plan)
}

/// Reads and ranks the sources. Files that are only searched are replaced by the passages found in them.
fn read(session: &Session<'_>, sources: Vec<Source>, request: &Request) -> Result<ReadAll, PlanError> {
    let ReadAll { mut items, passed_over, .. } = session.read_all(sources)?;
    let words = rank::rank(&mut items, request, session)?;
    match request.purpose {
        Purpose::Search(most) => {
            choose::find_units(&mut items);
            let places: Vec<usize> = hit::best(&items, most).iter().map(|found| found.place).collect();
            session.read_these(&mut items, &places)?;
        }
        Purpose::Block => items = searched::with_passages(items, request, session)?,
    }
    items.iter_mut().for_each(|item| item.priority = request.priority(&item.source));
    if words.are_vague {
        choose::sample_tables(&mut items, request);
    } else {
        choose::choose(&mut items, request);
        items.iter_mut().for_each(|item| leave_out_unasked(item, request));
    }
    if request.order == Order::Score {
        items.sort_by_key(place_by_score);
    }
    Ok(ReadAll { items, passed_over, words })
}

/// In a search for declarations, leaves out a file that has none and whose name does not answer the question.
fn leave_out_unasked(item: &mut Item, request: &Request) {
    let Some(query) = request.query.as_ref().filter(|_| request.looked_through.is_some()) else { return };
    let is_without_outline = item.fate == Fate::Listed(ReasonCode::WithoutOutline);
    if is_without_outline && item.priority == Priority::Stored && !shares_word(item.source.path(), query) {
        item.fate = Fate::Dropped { reason: DropReason::Unmatched };
    }
}

/// The key for sorting by score: first sources that were asked for but cannot be ranked, and those that the prompt refers
/// to, then the others by score, and unprinted ones last.
fn place_by_score(item: &Item) -> (u8, Reverse<Score>) {
    match item.relevance() {
        _ if item.source.selected_by.reference.is_some() => (0, Reverse(Score::default())),
        Some(relevance) => (1, Reverse(relevance.score)),
        None if item.priority >= Priority::Asked => (0, Reverse(Score::default())),
        None => (2, Reverse(Score::default())),
    }
}

impl Plan {
    /// The SHA-256 of the block without a prompt, in hex; `None` if there is no block.
    #[must_use]
    pub fn sha256(&self) -> Option<String> {
        let mut block = Vec::new();
        self.block().ok()?.write_without_prompt(&mut block).ok()?;
        (!block.is_empty()).then(|| account::sha256(&block))
    }

    /// The documents in the block that the prompt refers to.
    #[must_use]
    pub fn references(&self) -> Vec<ReadDocument> {
        let is_of_prompt = |item: &&Item| {
            item.source.selected_by.entries.iter().any(|id| self.request.entries[id.0].scope == Scope::Prompt)
        };
        self.printed().map(|(item, _)| item).filter(is_of_prompt).map(since::read_document).collect()
    }

    /// The files that the question is about, because the command line or the question names them, as entries relative to
    /// the work root.
    #[must_use]
    pub fn named_files(&self) -> Vec<Entry> {
        let is_named = |report: &&EntryReport| {
            let scoped = &self.request.entries[report.id.0];
            scoped.scope.is_for_one_block() && !scoped.is_whole() && report.kind == EntryKind::Literal
        };
        let entry = |report: &EntryReport| {
            let is_of_it = |item: &&Item| item.source.selected_by.entries.contains(&report.id);
            let item = self.items.iter().find(is_of_it).filter(|item| item.source.place().is_some())?;
            let Attributes { lines, name, .. } = self.request.entries[report.id.0].entry.attributes.clone();
            let mut entry = Entry::new(item.source.path());
            (entry.attributes.lines, entry.attributes.name) = (lines, name);
            Some(entry)
        };
        self.reports.iter().filter(is_named).filter_map(entry).collect()
    }

    /// The texts that the command line adds and that cannot be read again: what was piped, and the output of commands.
    pub fn named_texts(&self) -> impl Iterator<Item = (&str, &CleanText)> {
        let is_typed = |id: &EntryId| {
            let ScopedEntry { author, entry, .. } = &self.request.entries[id.0];
            let is_gone = matches!(entry.kind(), Kind::StandardInput | Kind::Command);
            *author == Author::CommandLine && is_gone
        };
        let typed =
            self.items.iter().filter(move |item| item.source.selected_by.entries.iter().any(is_typed));
        typed.filter_map(|item| Some((item.source.label.as_str(), &item.document.as_ref()?.text)))
    }

    /// How many files were met that are not text, by the extensions of their names in lower case.
    #[must_use]
    pub fn binary_files(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for (source, _) in self.passed_over.iter().filter(|(_, code)| *code == ReasonCode::Binary) {
            if let Some(extension) = Path::new(source.path()).extension() {
                *counts.entry(extension.to_string_lossy().to_lowercase()).or_default() += 1;
            }
        }
        counts
    }

    /// What happened to every file.
    #[must_use]
    pub fn account(&self) -> Account {
        account::of(self)
    }

    /// Notices about this plan, in a fixed order.
    #[must_use]
    pub fn notices(&self) -> Vec<Notice> {
        notice::of(self)
    }

    /// The notice about entries that cannot be used, if there are any.
    #[must_use]
    pub fn unusable_entries(&self) -> Option<Notice> {
        notice::unusable(self)
    }
}
