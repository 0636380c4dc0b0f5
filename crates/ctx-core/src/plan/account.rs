//! The account of a plan.

use std::collections::HashMap;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeSeq, Serializer};
use sha2::{Digest, Sha256};

use super::entries::EntryDocuments;
use super::{Detail, Document, Item, Plan, listed};
use crate::account::{
    Account, EntryRecord, EntryState, FileCounts, FileRecord, HistoryRecord, InstructionRecord, Measures,
    PartRecord, Status, Tally, TokenCounts, UnsearchedRecord, VERSION, WordsRecord,
};
use crate::budget::{DropReason, Fate, FitError, Trim};
use crate::command::Exit;
use crate::entry::{Kind, LevelOfDetail, Lines, Scope, ScopedEntry};
use crate::read::Encoding;
use crate::report::{Reason, ReasonCode};
use crate::select::{EntryFate, EntryId, EntryReport, Missed, Problem, SelectedBy};
use crate::words::{grouped, hex};

pub(super) fn of(plan: &Plan) -> Account {
    with_files(plan, files(plan).collect())
}

fn with_files<Files>(plan: &Plan, files: Files) -> Account<Files> {
    let tokens = plan.token_counts();
    Account {
        version: VERSION,
        profile: plan.request.profile.clone(),
        project: plan.request.project.clone(),
        looked_through: plan.request.looked_through.clone(),
        settings: Vec::new(),
        measures: plan.measures(),
        failure: plan.block.as_ref().err().map(|error| Reason::new(error.code(), error)),
        file_counts: plan.file_counts(),
        tokens,
        bytes: plan.block_bytes(),
        built_in_ignored: plan.left_out_built_in.files + plan.left_out_built_in.directories,
        instruction: instruction(plan),
        history: history(plan, tokens.history),
        commits: plan.request.commits.record(),
        words: plan.request.words.as_ref().map(WordsRecord::safe),
        entries: {
            let documents = EntryDocuments::of(plan);
            let in_questions = listed::in_questions(&plan.items, &plan.request);
            let record = |report: &EntryReport| EntryRecord {
                in_questions: in_questions.get(&report.id).copied(),
                ..entry(plan, report, &documents[report.id.0])
            };
            plan.reports.iter().map(record).collect()
        },
        files,
        unsearched: unsearched(plan),
        reader: None,
    }
}

fn instruction(plan: &Plan) -> Option<InstructionRecord> {
    let (printed, written) = plan.instruction.as_ref().zip(plan.request.instruction.as_ref())?;
    Some(InstructionRecord {
        tokens: plan.request.measure.counter.tokens(printed),
        sha256: sha256(printed.as_bytes()),
        scopes: written.scopes.clone(),
    })
}

/// How many tokens the history takes in a block. There can be fewer than planned, since nothing separates the
/// history from the documents if there are no documents.
fn history_tokens(plan: &Plan, block: u64, documents: u64) -> u64 {
    let shown = plan.shown.as_ref().map_or(0, |shown| shown.tokens);
    shown.min(block.saturating_sub(documents))
}

fn history(plan: &Plan, printed: u64) -> Option<HistoryRecord> {
    let conversation = plan.request.conversation.as_ref()?;
    let chat = plan.shown.as_ref().and_then(|shown| shown.chat(conversation));
    Some(HistoryRecord {
        name: conversation.name.clone(),
        turns: conversation.turns.len(),
        included: chat.map_or(0, |chat| chat.turns.len()),
        omitted: chat.map_or(0, |chat| chat.omitted),
        // Without a block, the tokens that the history would take.
        tokens: if printed > 0 { printed } else { plan.shown.as_ref().map_or(0, |shown| shown.tokens) },
        share: conversation.share,
        summary: chat.and_then(|chat| chat.summary).map(|summary| summary.turns),
    })
}

/// A file in a plan. It may have several documents.
pub(super) struct PlannedFile<'a> {
    /// Its label or, if it has only one document, that document's label.
    pub label: &'a str,
    /// What happened to its documents.
    pub status: Status,
    /// The best of its documents' ranks; a document without a rank counts as 0.
    pub rank: usize,
}

/// The files of these items, with what happened to each.
pub(super) fn files_of<'a>(
    items: impl IntoIterator<Item = &'a Item>,
    status: impl Fn(&Item) -> Status,
) -> Vec<PlannedFile<'a>> {
    let mut files: Vec<PlannedFile<'_>> = Vec::new();
    let mut with_lines: HashMap<&str, usize> = HashMap::new();
    for item in items {
        let (source, rank) = (&item.source, item.relevance().map_or(0, |relevance| relevance.rank));
        let new = files.len();
        let place = source.lines.map_or(new, |_| *with_lines.entry(source.path()).or_insert(new));
        match files.get_mut(place) {
            Some(file) => {
                let status = file.status.with(status(item));
                *file = PlannedFile { label: source.path(), status, rank: file.rank.min(rank) };
            }
            None => files.push(PlannedFile { label: source.label.as_str(), status: status(item), rank }),
        }
    }
    files
}

/// The account's totals. If there are many files, the totals are much faster to compute than the whole
/// account.
impl Plan {
    /// How the tokens were counted.
    #[must_use]
    pub fn measures(&self) -> Measures {
        let measure = &self.request.measure;
        Measures {
            model: measure.model.clone(),
            tokenizer: measure.counter.tokenizer.to_string(),
            factor: measure.counter.usual_factor(),
            factors: measure.counter.tokenizer.factors(),
            estimated: measure.estimated,
            window: measure.window,
            budget: self.limit,
            budget_covers_prompt: measure.covers_prompt(),
            budget_percent: measure.budget.percent(),
            trim: measure.trim.to_string(),
            format: self.request.form.format.to_string(),
        }
    }

    /// The account without its files: there may be a million, and [`Self::records`] has them one by one.
    #[must_use]
    pub fn account_without_files(&self) -> Account {
        with_files(self, Vec::new())
    }

    /// The account to be written, whose files are made one by one.
    #[must_use]
    pub fn account_to_write(&self) -> Account<FilesToWrite<'_>> {
        with_files(self, FilesToWrite(self))
    }

    /// The files of the account, but without their positions in the block.
    pub fn records(&self) -> impl Iterator<Item = FileRecord> + '_ {
        self.items.iter().map(|item| record(self, item)).chain(self.unread_files())
    }

    /// One of [`Self::records`], by its index.
    #[must_use]
    pub fn record(&self, place: usize) -> Option<FileRecord> {
        match self.items.get(place) {
            Some(item) => Some(record(self, item)),
            None => self.unread_files().nth(place - self.items.len()),
        }
    }

    /// The records of files that entries name but that cannot be opened.
    fn unread_files(&self) -> impl Iterator<Item = FileRecord> + '_ {
        self.reports.iter().filter_map(|report| unread(self, report))
    }

    /// How many files have each status.
    #[must_use]
    pub fn file_counts(&self) -> FileCounts {
        let mut counts = FileCounts::default();
        let files = files_of(&self.items, |item| self.status(item));
        files.iter().for_each(|file| counts.add(file.status));
        let unread = self.reports.iter().filter_map(|report| unreadable(self, report));
        unread.for_each(|_| counts.add(Status::Skipped));
        counts
    }

    /// How many tokens the block and its parts take.
    #[must_use]
    pub fn token_counts(&self) -> TokenCounts {
        let (mut documents, mut whole) = (0, 0);
        for item in &self.items {
            let tokens = self.printed_tokens(item);
            documents += tokens;
            whole += self.whole_tokens(item).unwrap_or(tokens);
        }
        let prompt = self.prompt_tokens();
        let counted = match &self.block {
            Ok(block) => block.tokens,
            Err(FitError::PinnedOver { needed, .. } | FitError::FrameOver { needed, .. }) => *needed,
            Err(FitError::NothingFits { .. } | FitError::Unread) => 0,
        };
        let covered = if self.request.measure.covers_prompt() { prompt } else { 0 };
        let block = counted.saturating_sub(covered);
        let history = if block > 0 { history_tokens(self, block, documents) } else { 0 };
        let frame = signed(block) - signed(documents) - signed(history);
        TokenCounts { block, prompt, documents, history, frame, dropped: whole.saturating_sub(documents) }
    }
}

impl Plan {
    /// What happened to an item, in one word.
    fn status(&self, item: &Item) -> Status {
        match item.fate {
            Fate::Skipped(_) => Status::Skipped,
            Fate::Listed(_) => Status::Included,
            Fate::Unchanged => Status::Unchanged,
            Fate::Dropped { .. } => Status::Dropped,
            Fate::Outlined { .. } => Status::Outlined,
            Fate::Truncated(_) => Status::Truncated,
            Fate::Undecided if !item.is_printed(self.block.as_ref().err()) => Status::Dropped,
            Fate::Undecided | Fate::Included { .. } if item.is_outline() => Status::Outlined,
            Fate::Undecided | Fate::Included { .. } if item.bytes_cut() > 0 => Status::Truncated,
            Fate::Undecided | Fate::Included { .. } => Status::Included,
        }
    }

    /// How many tokens the printed part of an item takes.
    pub(super) fn printed_tokens(&self, item: &Item) -> u64 {
        match &item.fate {
            Fate::Included { tokens } | Fate::Outlined { tokens } => *tokens,
            Fate::Truncated(part) => part.tokens,
            Fate::Undecided if item.is_printed(self.block.as_ref().err()) => {
                item.document.as_ref().map_or(0, |document| self.tokens_of(document))
            }
            Fate::Undecided | Fate::Unchanged | Fate::Dropped { .. } | Fate::Listed(_) | Fate::Skipped(_) => {
                0
            }
        }
    }

    /// How many tokens an item's whole text has. For a document that is only part of its file, this is known
    /// only if it is dropped or cut.
    fn whole_tokens(&self, item: &Item) -> Option<u64> {
        let is_printed = item.is_printed(self.block.as_ref().err());
        let is_reduced = item.is_outline() && is_printed && !matches!(item.fate, Fate::Truncated(_));
        let is_known = item.has_tokens() && item.fate != Fate::Unchanged && !is_reduced;
        is_known.then(|| item.tokens(self.request.measure.counter))
    }

    fn tokens_of(&self, document: &Document) -> u64 {
        self.request.measure.counter.tokens_of(&document.measure)
    }

    /// Why an item is not included in full.
    fn reason(&self, item: &Item) -> Option<Reason> {
        let over_budget = |text| Some(Reason::new(ReasonCode::OverBudget, text));
        let error = self.block.as_ref().err();
        match (&item.fate, &item.document) {
            (Fate::Outlined { .. }, _) => over_budget("over budget, reduced to its outline".to_owned()),
            (Fate::Truncated(part), _) => over_budget(omitted(part.omitted_lines)),
            (Fate::Unchanged, _) => None,
            (Fate::Dropped { reason }, _) => Some((*reason).into()),
            (Fate::Listed(because), _) => Some((*because).into()),
            (Fate::Skipped(reason), _) => Some(reason.clone()),
            (Fate::Undecided, None) if item.counted.is_none() => {
                Some(DropReason::by(self.request.measure.trim).into())
            }
            (Fate::Undecided, _) if error.is_some() => error.map(|error| error.code().into()),
            (Fate::Undecided | Fate::Included { .. }, _) if item.is_outline() => {
                Some(ReasonCode::ReducedToOutline.into())
            }
            (Fate::Undecided | Fate::Included { .. }, _) => output_cut(item.bytes_cut()),
        }
    }
}

fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

fn entry(plan: &Plan, report: &EntryReport, documents: &EntryDocuments) -> EntryRecord {
    let scoped = &plan.request.entries[report.id.0];
    EntryRecord {
        kind: scoped.entry.kind().name(),
        entry: scoped.entry.name().into_owned(),
        scope: scoped.scope,
        matches: report.matches,
        left_out_subdirectories: Some(report.left_out_subdirectories).filter(|count| *count > 0),
        tokens: documents.tokens,
        unread: documents.unread(),
        state: EntryState::of(&report.fate),
        in_questions: None,
        problem: Reason::of_entry(&plan.request.entries, report)
            .filter(|reason| reason.code != ReasonCode::NoMatch)
            .map(|reason| reason.text),
        takes_out: report.fate.excluded_files(),
        is_of_questions: matches!(report.fate, EntryFate::ExcludesFromQuestions(_)),
        attributes: scoped.entry.attributes.clone(),
    }
}

/// The files of an account. Each record is created only when it is written.
#[derive(Debug)]
pub struct FilesToWrite<'p>(&'p Plan);

impl Serialize for FilesToWrite<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        files(self.0).try_for_each(|file| list.serialize_element(&file))?;
        list.end()
    }
}

fn files(plan: &Plan) -> impl Iterator<Item = FileRecord> + '_ {
    files_at(plan, 0..plan.items.len()).chain(plan.unread_files())
}

/// The records of the items at these indices, which are in order.
pub(super) fn files_at(
    plan: &Plan,
    places: impl IntoIterator<Item = usize>,
) -> impl Iterator<Item = FileRecord> {
    let error = plan.block.as_ref().err();
    let (mut ranges, mut next) = (plan.ranges().into_iter(), 0);
    let file = move |place: usize| {
        let item = &plan.items[place];
        let before = plan.items[next..place].iter().filter(|item| item.is_printed(error)).count();
        next = place + 1;
        ranges.by_ref().take(before).for_each(drop);
        let range = if item.is_printed(error) { ranges.next() } else { None };
        FileRecord { range, ..record(plan, item) }
    };
    places.into_iter().map(file)
}

/// The record of an item, without its position in the block.
fn record(plan: &Plan, item: &Item) -> FileRecord {
    let status = plan.status(item);
    let record = FileRecord {
        status,
        level: level(item, status),
        tokens: plan.printed_tokens(item),
        whole_tokens: plan.whole_tokens(item),
        whole_bytes: item.whole_bytes,
        reason: plan.reason(item),
        ..bare(plan, item)
    };
    match &item.document {
        Some(_) if item.fate == Fate::Unchanged => {
            FileRecord { sha256: hash_of_reader(plan, item), ..record }
        }
        Some(document) => printed(plan, record, document, item),
        None => FileRecord { sha256: hash_of_dropped(item), ..record },
    }
}

fn unsearched(plan: &Plan) -> Vec<UnsearchedRecord> {
    let closed = plan.skipped.iter().filter(|missed| missed.why.closes_a_directory());
    let record = |missed: &Missed| UnsearchedRecord {
        path: missed.label.as_str().to_owned(),
        reason: Reason::new(missed.why.code(), &missed.why),
    };
    closed.map(record).collect()
}

/// How much of an item is in the block, if any.
fn level(item: &Item, status: Status) -> Option<LevelOfDetail> {
    match (status, &item.document) {
        (Status::Unchanged | Status::Dropped | Status::Skipped, _) => None,
        (Status::Outlined, _) => Some(LevelOfDetail::Outline),
        (Status::Included | Status::Truncated, Some(_)) => Some(LevelOfDetail::Full),
        (Status::Included | Status::Truncated, None) => Some(LevelOfDetail::Name),
    }
}

/// Why an existing file that an entry names cannot be opened.
fn unreadable<'p>(plan: &'p Plan, report: &'p EntryReport) -> Option<(&'p Problem, &'p ScopedEntry)> {
    let scoped = &plan.request.entries[report.id.0];
    let is_there = |problem: &&Problem| **problem != Problem::Missing && !scoped.entry.is_exclusion();
    report.fate.problem().filter(is_there).map(|problem| (problem, scoped))
}

/// The record of a file that an entry names but that cannot be opened.
pub(super) fn unread(plan: &Plan, report: &EntryReport) -> Option<FileRecord> {
    let (problem, scoped) = unreadable(plan, report)?;
    let name = scoped.entry.name().into_owned();
    let mut selected_by = SelectedBy::default();
    selected_by.unite(report.id, scoped);
    Some(FileRecord {
        reason: Some(Reason::new(problem.code(), problem)),
        pinned: scoped.entry.attributes.pin,
        tags: selected_by.tags,
        ..nothing_of(name.clone(), name, scoped.scope, origin(scoped))
    })
}

/// The record of a skipped source, without any further data.
fn nothing_of(path: String, entry: String, scope: Scope, origin: &'static str) -> FileRecord {
    FileRecord {
        path,
        entry,
        scope,
        origin,
        imported_by: None,
        exit: None,
        status: Status::Skipped,
        reason: None,
        level: None,
        tokens: 0,
        whole_tokens: None,
        whole_bytes: None,
        bytes: 0,
        range: None,
        sha256: None,
        lines: None,
        parts: Vec::new(),
        rank: None,
        score: None,
        pinned: false,
        tags: Arc::default(),
        encoding: None,
        redacted: Vec::new(),
        revealed: Vec::new(),
        omitted_data: None,
        only_competes: false,
    }
}

/// The origin of a document, in one word.
fn origin(scoped: &ScopedEntry) -> &'static str {
    match scoped.scope {
        Scope::Prompt => "reference",
        Scope::Global | Scope::Profile | Scope::Project | Scope::Session => scoped.entry.kind().name(),
    }
}

fn bare(plan: &Plan, item: &Item) -> FileRecord {
    let source = &item.source;
    // Entries for whole files take precedence over entries for lines, so the deciding entry is of the same
    // kind as the document.
    let decides = |id: &&EntryId| {
        let is_partial = plan.request.entries[id.0].entry.attributes.is_partial();
        plan.reports[id.0].is_used() && is_partial == (source.lines.is_some() && !source.is_rest)
    };
    let entries = &source.selected_by.entries;
    // A passage can come from a search entry.
    let first = entries.iter().find(decides).or(source.selected_by.searched.as_ref());
    let first = first.map(|id| &plan.request.entries[id.0]);
    let entry = first.map_or_else(|| "-".to_owned(), |scoped| scoped.entry.name().into_owned());
    let scope = first.map_or(Scope::Session, |scoped| scoped.scope);
    let origin = match source.imported_by {
        Some(_) => "import",
        None => first.map_or(Kind::Path.name(), origin),
    };
    FileRecord {
        imported_by: source.imported_by.as_deref().cloned(),
        exit: source.command.as_ref().and_then(|command| command.exit).map(Exit::status),
        lines: source.lines.map(|Lines { first, last }| [Some(first), last]),
        rank: item.relevance().map(|relevance| relevance.rank).filter(|rank| *rank > 0),
        score: item.relevance().map(|relevance| relevance.score.number()),
        pinned: source.selected_by.pin,
        only_competes: plan.only_competes(item),
        tags: Arc::clone(&source.selected_by.tags),
        ..nothing_of(source.label.to_string(), entry, scope, origin)
    }
}

/// Adds a document's data, other than its token counts, to its record.
fn printed(plan: &Plan, record: FileRecord, document: &Document, item: &Item) -> FileRecord {
    let text = item.text().unwrap_or(&document.text);
    let bytes = match record.status {
        Status::Included | Status::Outlined | Status::Truncated => text.len() as u64,
        Status::Unchanged | Status::Dropped | Status::Skipped => 0,
    };
    FileRecord {
        bytes,
        parts: parts(plan, document, item),
        sha256: hash(plan, text),
        encoding: (document.encoding != Encoding::Utf8).then(|| document.encoding.to_string()),
        redacted: Tally::of_secrets(text.replaced()),
        revealed: Tally::of_hidden(text.replaced()),
        omitted_data: text.omitted_data(),
        ..record
    }
}

/// The lines of its source that are printed, if not all of them are.
pub(super) fn parts(plan: &Plan, document: &Document, item: &Item) -> Vec<PartRecord> {
    let is_printed = item.is_printed(plan.block.as_ref().err());
    let kept = match (&item.fate, &document.outlined, &document.outline) {
        // This rule cuts what would be printed without a budget.
        (Fate::Truncated(part), Some(outlined), _) if plan.request.measure.trim == Trim::Truncate => {
            part.kept.first().map_or_else(Vec::new, |kept| beginning(outlined, kept.last))
        }
        (Fate::Truncated(part), _, _) => part.kept.clone(),
        (Fate::Outlined { .. }, _, Some(outline)) => outline.kept.clone(),
        (Fate::Undecided | Fate::Included { .. }, Some(outlined), _) if is_printed => outlined.clone(),
        (Fate::Undecided | Fate::Included { .. } | Fate::Outlined { .. }, _, _)
        | (Fate::Unchanged | Fate::Dropped { .. } | Fate::Listed(_) | Fate::Skipped(_), _, _) => Vec::new(),
    };
    let before = document.lines_before() as u64;
    let part =
        |run: ctx_outline::Lines| PartRecord { lines: [run.first as u64 + before, run.last as u64 + before] };
    kept.into_iter().map(part).collect()
}

/// The lines of a text that are in the first `shown` lines of its outline, which has a line for each gap.
fn beginning(kept: &[ctx_outline::Lines], shown: usize) -> Vec<ctx_outline::Lines> {
    let (mut left, mut next) = (shown, 1);
    let mut lines = Vec::new();
    for run in kept {
        left = left.saturating_sub(usize::from(run.first > next));
        let count = run.count().min(left);
        if count > 0 {
            lines.push(ctx_outline::Lines { first: run.first, last: run.first + count - 1 });
        }
        left -= count;
        next = run.last + 1;
    }
    lines
}

fn output_cut(bytes: u64) -> Option<Reason> {
    let text = format!("{} bytes of the output omitted", grouped(bytes));
    (bytes > 0).then(|| Reason::new(ReasonCode::OutputCut, text))
}

fn omitted(lines: u64) -> String {
    format!("{} {} omitted", grouped(lines), if lines == 1 { "line" } else { "lines" })
}

/// The hash of a document that the reader already has.
fn hash_of_reader(plan: &Plan, item: &Item) -> Option<String> {
    Some(plan.request.reader()?.find(item.source.label.as_str())?.sha256.clone())
}

/// The hash of a document that was dropped before the others were fitted.
fn hash_of_dropped(item: &Item) -> Option<String> {
    item.counted.as_ref()?.sha256.as_ref().map(|hash| hex(&**hash))
}

/// The hash of `text`; only for a complete account, since hashing means another pass over all the text.
fn hash(plan: &Plan, text: &str) -> Option<String> {
    match plan.request.detail {
        Detail::Block | Detail::Counts => None,
        Detail::Account => Some(sha256(text.as_bytes())),
    }
}

pub(super) fn sha256(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}
