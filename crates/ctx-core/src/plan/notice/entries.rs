//! Notices about what happened to the entries.

use crate::entry::{Author, Scope};
use crate::plan::{Item, Plan};
use crate::report::{Hint, Notice, NoticeKind, Reason, ReasonCode};
use crate::select::{EntryFate, EntryKind, EntryReport, Idle, Problem};
use crate::words::{counted, quoted, some_of};
use std::borrow::Cow;

pub(super) fn text_of<'a>(plan: &'a Plan, report: &EntryReport) -> Cow<'a, str> {
    plan.request.entries[report.id.0].entry.name()
}

/// Reports entries that are only searched, if there is no query.
pub(super) fn without_query(plan: &Plan) -> Option<Notice> {
    let is_searched =
        |report: &&EntryReport| report.is_used() && plan.request.entries[report.id.0].entry.attributes.search;
    let names: Vec<String> =
        plan.reports.iter().filter(is_searched).map(|report| quoted(text_of(plan, report))).collect();
    let text = format!("no prompt and no query, so nothing is searched in {}", some_of(&names));
    let is_due = plan.request.query.is_none() && !names.is_empty();
    is_due.then(|| Notice::note(NoticeKind::WithoutQuery, text))
}

/// Reports entries that match nothing here, each once, with the reason if there is one. Stored directories
/// that contain only subdirectories are not mentioned, since `add` has already reported them.
pub(super) fn missing(plan: &Plan) -> Option<Notice> {
    let scoped = |report: &EntryReport| &plan.request.entries[report.id.0];
    let reason = |report: &EntryReport| Reason::of_entry(&plan.request.entries, report);
    let mut absent = absent(plan, |author| author != Author::List);
    absent.retain(|report| {
        let is_told = reason(report).is_some_and(|reason| reason.code == ReasonCode::OnlySubdirectories);
        !is_told || scoped(report).scope == Scope::Session
    });
    let is_left_out = |report: &&EntryReport| report.fate.missed().is_some() && !scoped(report).is_built_in();
    let left_out: Vec<&EntryReport> = plan.reports.iter().filter(is_left_out).collect();
    let is_gone = |report: &&EntryReport| report.kind != EntryKind::Directory;
    let heading = if absent.iter().any(is_gone) { "not found, left out" } else { "0 matches" };
    let because =
        |report: &EntryReport| Some(format!("{} ({})", quoted(text_of(plan, report)), reason(report)?.text));
    let names = absent.iter().map(|report| absent_in_words(plan, report));
    let names: Vec<String> = names.chain(left_out.iter().filter_map(|report| because(report))).collect();
    let fits = plan.fitting_root.as_ref().filter(|_| !absent.is_empty());
    let fits = fits.map_or_else(String::new, |root| format!("; the list fits {root}"));
    let text = format!("{heading}: {}{fits}", some_of(&names));
    let files: Vec<String> = absent
        .iter()
        .filter(|report| report.fate == EntryFate::Missing)
        .map(|report| quoted(text_of(plan, report)))
        .collect();
    let refused = (!files.is_empty()).then(|| format!("not found, left out: {}", some_of(&files)));
    let hint = left_out.iter().any(|report| report.fate.is_ignored()).then_some(Hint::LiftIgnoreRules);
    (!names.is_empty())
        .then(|| Notice::note(NoticeKind::Missing, text).unless_strict(refused).with_hint(hint))
}

/// Reports lines of a list of paths that match nothing; whoever wrote the list meant them for this block.
pub(super) fn listed_missing(plan: &Plan) -> Option<Notice> {
    let absent = absent(plan, |author| author == Author::List);
    let names: Vec<String> = absent.into_iter().map(|report| absent_in_words(plan, report)).collect();
    let text = format!("listed but not found: {}", some_of(&names));
    (!names.is_empty()).then(|| Notice::warning(NoticeKind::Missing, text))
}

fn absent(plan: &Plan, is_by: impl Fn(Author) -> bool) -> Vec<&EntryReport> {
    let scoped = |report: &EntryReport| &plan.request.entries[report.id.0];
    let is_asked = |report: &&EntryReport| !scoped(report).is_built_in() && is_by(scoped(report).author);
    // There is a separate notice for text entries on the command line.
    let is_absent = |report: &&EntryReport| {
        let is_typed_text = report.kind == EntryKind::Text && scoped(report).scope == Scope::Session;
        report.fate.is_absent() && !(report.fate == EntryFate::Nothing(None) && is_typed_text)
    };
    plan.reports.iter().filter(is_asked).filter(is_absent).collect()
}

fn absent_in_words(plan: &Plan, report: &EntryReport) -> String {
    let name = quoted(text_of(plan, report));
    match plan.why_missing.get(&report.id) {
        Some(why) => format!("{name} ({why})"),
        None if report.fate == EntryFate::Missing => name,
        None => format!("{name} (0 matches)"),
    }
}

/// Reports the files, directories and patterns that the prompt refers to.
pub(super) fn referenced(plan: &Plan) -> Option<Notice> {
    let name = |report: &EntryReport| {
        let is_reference = plan.request.entries[report.id.0].scope == Scope::Prompt;
        let name = is_reference.then(|| quoted(text_of(plan, report)))?;
        match report.kind {
            EntryKind::Literal if report.matches == 0 => None,
            EntryKind::Literal => Some(name),
            EntryKind::Directory
            | EntryKind::Pattern
            | EntryKind::Up
            | EntryKind::Exclusion
            | EntryKind::Text => Some(format!("{name} ({})", counted(report.matches, "file"))),
        }
    };
    let names: Vec<String> = plan.reports.iter().filter_map(name).collect();
    let text = format!("from the prompt: {}", some_of(&names));
    (!names.is_empty()).then(|| Notice::note(NoticeKind::References, text))
}

/// Reports exclusions on the command line that exclude nothing. For stored ones, `add` reported this once, and `show` and
/// `check` report it too, unless they only look like what they are to exclude.
pub(super) fn idle(plan: &Plan) -> Option<Notice> {
    let is_meant = |report: &&EntryReport| {
        let looks_like = matches!(report.fate, EntryFate::ExcludesNothing(Idle::LooksLike(_)));
        looks_like || plan.request.entries[report.id.0].scope == Scope::Session
    };
    let of_entry = |report: &EntryReport| {
        let reason = Reason::of_entry(&plan.request.entries, report)?;
        let is_idle = reason.code == ReasonCode::NoEffect;
        is_idle.then(|| format!("{} {}", quoted(text_of(plan, report)), reason.text))
    };
    let names: Vec<String> = plan.reports.iter().filter(is_meant).filter_map(of_entry).collect();
    (!names.is_empty()).then(|| Notice::note(NoticeKind::Exclusions, some_of(&names)))
}

/// Reports the subdirectories that a directory on the command line leaves out. For a stored directory, `add`
/// reported them once, and `show` still does.
pub(super) fn subdirectories(plan: &Plan, report: &EntryReport) -> Option<Notice> {
    let is_typed = plan.request.entries[report.id.0].scope == Scope::Session;
    is_typed.then_some(())?;
    let text = report.left_out_below(&text_of(plan, report))?;
    Some(Notice::note(NoticeKind::Subdirectories, text))
}

/// Whether the entry itself is at fault, not a file.
pub(super) fn is_invalid(problem: &Problem) -> bool {
    match problem {
        Problem::Invalid(_)
        | Problem::Forbidden(_)
        | Problem::NoHome
        | Problem::InsideGit
        | Problem::TooWide
        | Problem::Names(_)
        | Problem::Lines(_)
        | Problem::LinesOfDirectory
        | Problem::LinesOfPattern => true,
        Problem::Missing
        | Problem::NotTrusted
        | Problem::PermissionDenied
        | Problem::Io(_)
        | Problem::NotRegular
        | Problem::SecretName(_)
        | Problem::Outside
        | Problem::LinkOutside(_)
        | Problem::IsOutput
        | Problem::IsStandardOutput => false,
    }
}

/// Reports stored entries that lead out of the checkout through a link in it. This is not the user's fault,
/// but not what a strict caller expects either.
pub(super) fn leading_outside(plan: &Plan) -> Option<Notice> {
    let names: Vec<String> = plan
        .reports
        .iter()
        .filter(|report| is_stored_link_outside(plan, report))
        .filter_map(|report| {
            let problem = report.fate.problem()?;
            Some(format!("{} ({problem})", quoted(text_of(plan, report))))
        })
        .chain(plan.items.iter().filter_map(found_link_outside))
        .collect();
    let text = format!("{} left out: {}", counted(names.len(), "entry"), some_of(&names));
    (!names.is_empty()).then(|| Notice::note(NoticeKind::Skipped, text.clone()).unless_strict(text))
}

/// A link that an `up:` entry found and that leads out of the tree.
fn found_link_outside(item: &Item) -> Option<String> {
    let reason = item.skipped().filter(|reason| reason.code == ReasonCode::LinkOutside)?;
    Some(format!("{} ({})", quoted(item.source.label.as_str()), reason.text))
}

pub(super) fn is_stored_link_outside(plan: &Plan, report: &EntryReport) -> bool {
    let scope = plan.request.entries[report.id.0].scope;
    matches!(report.fate, EntryFate::Invalid(Problem::LinkOutside(_))) && scope != Scope::Session
}

pub(in crate::plan) fn unusable(plan: &Plan) -> Option<Notice> {
    let named = |report: &EntryReport| {
        let problem = report.fate.problem().filter(|problem| is_invalid(problem))?;
        Some(format!("{} ({problem})", quoted(text_of(plan, report))))
    };
    let names: Vec<String> = plan.reports.iter().filter_map(named).collect();
    let text = format!("{} left out: {}", counted(names.len(), "entry"), some_of(&names));
    (!names.is_empty()).then(|| Notice::warning(NoticeKind::Skipped, text))
}
