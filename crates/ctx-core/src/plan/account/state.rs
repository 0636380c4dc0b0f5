//! How it stands with an entry.

use super::Plan;
use super::cost::Cost;
use crate::account::EntryState;
use crate::entry::Kind;
use crate::report::{Reason, ReasonCode};
use crate::select::{EntryKind, EntryReport, Problem, Unused};
use crate::source::command::CommandReport;
use crate::words::quoted;

/// What a person should know about an entry beside its state.
pub(super) fn problem(plan: &Plan, report: &EntryReport, cost: &Cost) -> Option<String> {
    match Reason::of_entry(&plan.request.entries, report) {
        Some(reason) if reason.code == ReasonCode::NoMatch => found_unreadable(plan, cost),
        Some(reason) => Some(reason.text),
        None => failed(plan, report, cost).map(|reason| reason.text.clone()),
    }
}

/// Why an entry shows no files although it found some: the reason the first of them was skipped.
fn found_unreadable(plan: &Plan, cost: &Cost) -> Option<String> {
    let item = &plan.items[cost.first?];
    item.skipped().map(|reason| format!("{}: {}", quoted(item.source.label.as_str()), reason.text))
}

/// How it stands with an entry, by what it matches and by its document, if it names one.
pub(super) fn state(plan: &Plan, report: &EntryReport, cost: &Cost) -> EntryState {
    match (&report.problem, report.kind) {
        _ if report.unused == Some(Unused::Off) => EntryState::Off,
        _ if report.unused == Some(Unused::OtherTags) => EntryState::Filtered,
        (Some(Problem::Missing), _) => EntryState::Missing,
        (Some(_), _) => EntryState::Invalid,
        (None, EntryKind::Exclusion) => EntryState::Exclusion,
        (None, _) if report.matches == 0 => EntryState::NoMatches,
        (
            None,
            EntryKind::Literal | EntryKind::Directory | EntryKind::Pattern | EntryKind::Up | EntryKind::Text,
        ) => of_document(plan, report, cost),
    }
}

/// As far as that is seen in the document: a command that was not run, lines that are not there.
fn of_document(plan: &Plan, report: &EntryReport, cost: &Cost) -> EntryState {
    if let Some(Reason { code, .. }) = failed(plan, report, cost) {
        return if *code == ReasonCode::NotRun {
            EntryState::NotRun
        } else if *code == ReasonCode::NotTrusted {
            EntryState::NotTrusted
        } else if matches!(code, ReasonCode::Invalid | ReasonCode::PastTheEnd) {
            EntryState::Invalid
        } else {
            EntryState::Failed
        };
    }
    match cost.first.and_then(|first| plan.items[first].source.command) {
        Some(CommandReport { exit: Some(_), .. }) => EntryState::Failed,
        Some(CommandReport { cached: true, .. }) => EntryState::Cached,
        Some(_) | None => EntryState::Ok,
    }
}

/// Why an entry that names one document has no text at all, unless what it has is counted as unread.
fn failed<'a>(plan: &'a Plan, report: &EntryReport, cost: &Cost) -> Option<&'a Reason> {
    let item = &plan.items[cost.first.filter(|_| cost.documents == 1)?];
    let entry = &plan.request.entries[report.id.0].entry;
    let names_it = match report.kind {
        EntryKind::Literal => cost.unread().is_empty(),
        // A changed file of git's is one of several, if only by chance.
        EntryKind::Text => entry.kind() != Kind::Git || item.source.label.as_str() == entry.path,
        EntryKind::Directory | EntryKind::Pattern | EntryKind::Up | EntryKind::Exclusion => false,
    };
    item.skipped().filter(|reason| names_it && !reason.code.is_unchosen())
}
