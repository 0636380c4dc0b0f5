//! The account of a plan.

use sha2::{Digest, Sha256};

use super::bytes::Bytes;
use super::documents::Reading;
use super::{Detail, Document, Plan, Source};
use crate::account::{
    Account, EntryRecord, EntryState, FileCounts, FileRecord, Measures, Reason, Status, TokenCounts, Totals,
    VERSION,
};
use crate::budget::{self, DropReason, FitError, Outcome};
use crate::entry::Scope;
use crate::read::Encoding;
use crate::select::{EntryId, EntryKind, EntryReport, Problem};
use crate::words::grouped;

pub(super) fn of(plan: &Plan) -> Account {
    let Totals { measures, file_counts, tokens, bytes } = totals(plan);
    Account {
        version: VERSION,
        profile: plan.request.profile.clone(),
        measures,
        failure: plan.fitted.as_ref().err().map(failure),
        file_counts,
        tokens,
        bytes,
        entries: plan.reports.iter().map(|report| entry(plan, report)).collect(),
        files: files(plan),
    }
}

/// The figures alone: of many files they are much less work than all that can be said of each.
pub(super) fn totals(plan: &Plan) -> Totals {
    let mut file_counts = FileCounts::default();
    let (mut documents, mut whole) = (0, 0);
    for (_, _, standing) in standings(plan) {
        file_counts.add(standing.status);
        documents += standing.tokens;
        whole += standing.whole_tokens.unwrap_or(0);
    }
    plan.reports.iter().filter_map(unreadable).for_each(|_| file_counts.add(Status::Skipped));
    let block = match &plan.fitted {
        Ok(fitted) => fitted.block_tokens,
        Err(FitError::PinnedOver { needed, .. } | FitError::Over { needed, .. }) => *needed,
        Err(FitError::NothingFits { .. }) => 0,
    };
    let frame = signed(block) - signed(documents);
    let tokens = TokenCounts { block, documents, frame, dropped: whole.saturating_sub(documents) };
    Totals { measures: measures(plan), file_counts, tokens, bytes: block_bytes(plan) }
}

/// How it stands with a file.
struct Standing<'a> {
    status: Status,
    /// The tokens of what is printed of it.
    tokens: u64,
    /// The tokens of its whole text.
    whole_tokens: Option<u64>,
    /// What became of it, if it was there to be fitted and something fits.
    outcome: Option<&'a Outcome>,
}

fn standings(plan: &Plan) -> impl Iterator<Item = (&Source, &Reading, Standing<'_>)> {
    let mut outcomes = plan.fitted.as_ref().map(|fitted| fitted.outcomes.iter());
    plan.sources.iter().zip(&plan.readings).map(move |(source, reading)| {
        let bare = |status| Standing { status, tokens: 0, whole_tokens: None, outcome: None };
        let standing = match reading {
            Reading::Document(document) => {
                let whole_tokens = document.extent.tokens(plan.request.measure.counter);
                let outcome = outcomes.as_mut().map(Iterator::next).map_err(|error| *error);
                let (status, tokens) = match outcome {
                    Ok(Some(Outcome::Included { tokens })) => (Status::Included, *tokens),
                    Ok(Some(Outcome::Truncated { tokens, .. })) => (Status::Truncated, *tokens),
                    Ok(Some(Outcome::Dropped { .. }) | None) => (Status::Dropped, 0),
                    Err(error) if error.needs(source.brought.pin) => {
                        (Status::Included, whole_tokens.unwrap_or(0))
                    }
                    Err(_) => (Status::Dropped, 0),
                };
                Standing { status, tokens, whole_tokens, outcome: outcome.ok().flatten() }
            }
            Reading::Dropped { .. } => bare(Status::Dropped),
            Reading::Skipped(_) | Reading::Passed => bare(Status::Skipped),
        };
        (source, reading, standing)
    })
}

fn failure(error: &FitError) -> Reason {
    Reason { code: error.code(), text: error.to_string() }
}

fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

fn measures(plan: &Plan) -> Measures {
    let measure = &plan.request.measure;
    Measures {
        model: measure.model.clone(),
        tokenizer: measure.counter.tokenizer.to_string(),
        factor: measure.counter.factor.number(),
        estimated: measure.estimated,
        window: measure.window,
        budget: measure.limit,
        trim: measure.trim.to_string(),
        format: plan.request.form.format.to_string(),
    }
}

fn block_bytes(plan: &Plan) -> u64 {
    match &plan.fitted {
        Ok(fitted) => plan.block_bytes(fitted),
        Err(error) => {
            let mut bytes = Bytes::default();
            write_needed(plan, error, &mut bytes).map_or(0, |()| bytes.0)
        }
    }
}

/// The block that does not fit.
fn write_needed(plan: &Plan, error: &FitError, out: &mut Bytes) -> std::io::Result<()> {
    let mut candidates = plan.candidates();
    candidates.retain(|candidate| error.needs(candidate.pin));
    let layout = plan.layout();
    let block = budget::take_all(&candidates, &layout);
    block.frame(&layout).write(out, block.documents(&candidates), None)
}

fn entry(plan: &Plan, report: &EntryReport) -> EntryRecord {
    let scoped = &plan.request.entries[report.id.0];
    EntryRecord {
        entry: scoped.entry.path.clone(),
        scope: scoped.scope,
        matches: report.matches,
        state: state(report),
        problem: report.problem.as_ref().map(ToString::to_string),
        tags: scoped.entry.attributes.tags.clone(),
        pinned: scoped.entry.attributes.pin,
    }
}

fn state(report: &EntryReport) -> EntryState {
    match (&report.problem, report.kind) {
        _ if report.other_tags => EntryState::Filtered,
        (Some(Problem::Missing), _) => EntryState::Missing,
        (Some(_), _) => EntryState::Invalid,
        (None, EntryKind::Exclusion) => EntryState::Exclusion,
        (None, _) if report.matches == 0 => EntryState::NoMatches,
        (None, EntryKind::Literal | EntryKind::Directory | EntryKind::Pattern) => EntryState::Ok,
    }
}

fn files(plan: &Plan) -> Vec<FileRecord> {
    let mut records: Vec<FileRecord> = standings(plan)
        .map(|(source, reading, standing)| {
            let Standing { status, tokens, whole_tokens, outcome } = standing;
            let record = FileRecord { status, tokens, whole_tokens, ..bare(plan, source) };
            match reading {
                Reading::Document(document) => printed(plan, record, document, outcome),
                Reading::Dropped { .. } => {
                    let reason = DropReason::by(plan.request.measure.trim);
                    FileRecord { reason: Some(dropped(reason)), ..record }
                }
                Reading::Skipped(reason) => FileRecord { reason: Some(reason.clone()), ..record },
                Reading::Passed => record,
            }
        })
        .collect();
    records.extend(plan.reports.iter().filter_map(|report| unread(plan, report)));
    records
}

/// Why a file that an entry names cannot even be opened, if it is there.
fn unreadable(report: &EntryReport) -> Option<&Problem> {
    report.problem.as_ref().filter(|problem| !matches!(problem, Problem::Missing) && !report.other_tags)
}

/// The record of a file that an entry names and that cannot even be opened.
pub(super) fn unread(plan: &Plan, report: &EntryReport) -> Option<FileRecord> {
    let problem = unreadable(report)?;
    let scoped = &plan.request.entries[report.id.0];
    Some(FileRecord {
        path: scoped.entry.path.clone(),
        entry: scoped.entry.path.clone(),
        scope: scoped.scope,
        status: Status::Skipped,
        reason: Some(Reason { code: problem.code(), text: problem.to_string() }),
        tokens: 0,
        whole_tokens: None,
        bytes: 0,
        sha256: None,
        pinned: scoped.entry.attributes.pin,
        tags: scoped.entry.attributes.tags.clone(),
        encoding: None,
        redacted: Vec::new(),
        revealed: Vec::new(),
    })
}

fn bare(plan: &Plan, source: &Source) -> FileRecord {
    let asked = |id: &&EntryId| !plan.reports[id.0].other_tags;
    let first = source.brought.entries.iter().find(asked).map(|id| &plan.request.entries[id.0]);
    FileRecord {
        path: source.label.to_string(),
        entry: first.map_or_else(|| "-".to_owned(), |scoped| scoped.entry.path.clone()),
        scope: first.map_or(Scope::Session, |scoped| scoped.scope),
        status: Status::Skipped,
        reason: None,
        tokens: 0,
        whole_tokens: None,
        bytes: 0,
        sha256: None,
        pinned: source.brought.pin,
        tags: source.brought.tags.clone(),
        encoding: None,
        redacted: Vec::new(),
        revealed: Vec::new(),
    }
}

/// What there is to say of a document beside its figures.
fn printed(plan: &Plan, record: FileRecord, document: &Document, outcome: Option<&Outcome>) -> FileRecord {
    let reason = match (outcome, &plan.fitted) {
        (Some(Outcome::Truncated { omitted_lines, .. }), _) => {
            Some(Reason { code: "over-budget", text: omitted(*omitted_lines) })
        }
        (Some(Outcome::Dropped { reason, .. }), _) => Some(dropped(*reason)),
        (None, Err(error)) => Some(in_the_way(error)),
        (Some(Outcome::Included { .. }), _) | (None, Ok(_)) => None,
    };
    let (bytes, text) = match (outcome, record.status) {
        (Some(Outcome::Truncated { text, .. }), _) => (text.len() as u64, text),
        (_, Status::Included) => (document.extent.bytes(), &document.text),
        (_, Status::Truncated | Status::Dropped | Status::Skipped) => (0, &document.text),
    };
    FileRecord {
        reason,
        bytes,
        sha256: hash(plan, text),
        encoding: (document.encoding != Encoding::Utf8).then(|| document.encoding.to_string()),
        redacted: document.secrets.clone(),
        revealed: document.hidden.clone(),
        ..record
    }
}

fn omitted(lines: u64) -> String {
    format!("{} {} omitted", grouped(lines), if lines == 1 { "line" } else { "lines" })
}

/// Why a document is not printed when nothing is.
fn in_the_way(error: &FitError) -> Reason {
    let text = match error {
        FitError::NothingFits { .. } => "nothing fits the budget",
        FitError::PinnedOver { .. } => "the pinned files alone are over the budget",
        FitError::Over { .. } => "the block is over the budget, and nothing may give way",
    };
    Reason { code: error.code(), text: text.to_owned() }
}

fn dropped(reason: DropReason) -> Reason {
    let text = match reason {
        DropReason::Largest => "over budget, and the largest",
        DropReason::NoRoom => "does not fit beside what stands before it",
        DropReason::NoShare => "its share of the budget shows none of it",
    };
    Reason { code: "over-budget", text: text.to_owned() }
}

/// The hash of a text, for who asks for the whole account: it costs a pass over everything.
fn hash(plan: &Plan, text: &str) -> Option<String> {
    match plan.request.detail {
        Detail::Block | Detail::Counts => None,
        Detail::Account => Some(sha256(text)),
    }
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
