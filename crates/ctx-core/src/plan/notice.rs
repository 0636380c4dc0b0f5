//! What a person should know about a plan: one notice for each kind of thing.

mod history;
mod trimmed;

use std::borrow::Cow;
use std::fmt;

use super::{Document, Plan, Reading};
use crate::account::{Tally, share};
use crate::entry::{Author, Scope, ScopedEntry};
use crate::report::reason::UNCHOSEN;
use crate::report::{Count, ReasonCode, Tokens};
use crate::select::{Cause, EntryKind, EntryReport, Problem, Skipped, Unused};
use crate::source::{Content, Origin};
use crate::store::{BUILT_IN_BEFORE, BUILT_IN_GLOBAL};
use crate::words::{counted, quoted, some_of};

/// From this share of the budget on, in percent, a person is reported.
const NEARLY_FULL: u64 = 90;

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// A person may want to know it.
    Note,
    /// The block is not what a person may expect.
    Warning,
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Entries match nothing.
    Missing,
    /// Exclusions take nothing out.
    Exclusions,
    /// The text on standard input is empty.
    EmptyInput,
    /// A directory entry leaves subdirectories out.
    Subdirectories,
    /// Names that suggest secrets are left out.
    SecretNames,
    /// Something met on the way was skipped.
    PassedOver,
    /// Files could not or must not be read.
    Skipped,
    /// Commands failed, were cut or were not run, or git left filters out.
    Command,
    /// References in the prompt were followed, or not.
    References,
    /// Commands, or what others wrote, are not trusted here.
    Untrusted,
    /// The files of a project set what they may not.
    Forbidden,
    /// Files of a project are not read.
    Project,
    /// Secrets were replaced.
    Redacted,
    /// Hidden characters were made visible.
    Revealed,
    /// Files are not UTF-8.
    Decoded,
    /// Files were dropped or shortened to fit the budget.
    Trimmed,
    /// Turns of the history are omitted or cut, or soon will be.
    History,
    /// The budget is nearly used up.
    NearlyFull,
    /// Entries are only searched, and there is no query.
    WithoutQuery,
    /// There is nothing to print.
    Empty,
}

/// Something that a person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What it is about.
    pub kind: NoticeKind,
    /// How much it matters.
    pub level: Level,
    /// Whether something that was selected was left out, cut, changed or unreadable: what a strict
    /// caller does not accept.
    pub strict: bool,
    /// In words, on one line.
    pub text: String,
}

impl Notice {
    pub(crate) fn note(kind: NoticeKind, text: String) -> Self {
        Self { kind, level: Level::Note, strict: false, text }
    }

    /// A warning, which a strict caller does not accept.
    #[must_use]
    pub fn warning(kind: NoticeKind, text: String) -> Self {
        Self { kind, level: Level::Warning, strict: true, text }
    }

    fn unless_strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// All notices about a plan, in a fixed order.
pub(super) fn of(plan: &Plan) -> Vec<Notice> {
    let mut notices = Vec::new();
    notices.extend(missing(plan));
    notices.extend(listed_missing(plan));
    notices.extend(left_out(plan));
    notices.extend(idle(plan));
    notices.extend(empty_input(plan));
    notices.extend(plan.reports.iter().filter_map(|report| subdirectories(plan, report)));
    notices.extend(secret_names(plan));
    notices.extend(passed_over(plan));
    notices.extend(invalid(plan));
    notices.extend(leading_outside(plan));
    notices.extend(skipped(plan));
    notices.extend(without_query(plan));
    notices.extend(plan.request.notices.iter().cloned());
    notices.extend(referenced(plan));
    notices.extend(redacted(plan));
    notices.extend(revealed(plan));
    notices.extend(in_the_instruction(plan));
    notices.extend(decoded(plan));
    notices.extend(lossy(plan));
    notices.extend(trimmed::notice(plan));
    notices.extend(history::notices(plan));
    notices.extend(nearly_full(plan));
    notices.extend(empty(plan));
    notices
}

/// Entries that are only searched, where there is nothing to search for.
fn without_query(plan: &Plan) -> Option<Notice> {
    let is_searched =
        |report: &&EntryReport| report.is_used() && plan.request.entries[report.id.0].entry.attributes.search;
    let names: Vec<String> =
        plan.reports.iter().filter(is_searched).map(|report| quoted(text_of(plan, report))).collect();
    let text = format!("no prompt and no --query, so nothing is searched in {}", some_of(&names));
    let is_due = plan.request.query.is_none() && !names.is_empty();
    is_due.then(|| Notice::note(NoticeKind::WithoutQuery, text))
}

fn text_of<'a>(plan: &'a Plan, report: &EntryReport) -> Cow<'a, str> {
    plan.request.entries[report.id.0].entry.name()
}

/// Whether an entry is one of the built-in global ones, which need not match anything.
#[must_use]
pub fn is_built_in(scoped: &ScopedEntry) -> bool {
    let path = scoped.entry.path.as_str();
    scoped.scope == Scope::Global && (BUILT_IN_GLOBAL.contains(&path) || path == BUILT_IN_BEFORE)
}

/// Stored entries that match nothing.
fn missing(plan: &Plan) -> Option<Notice> {
    let absent = absent(plan, |author| author != Author::List);
    let strict = absent.iter().any(|report| report.problem.is_some());
    let names: Vec<String> = absent.into_iter().map(|report| absent_in_words(plan, report)).collect();
    let text = format!("not found, left out: {}", some_of(&names));
    (!names.is_empty()).then(|| Notice::note(NoticeKind::Missing, text).unless_strict(strict))
}

/// Lines of a list that match nothing: whoever wrote the list meant them for this block.
fn listed_missing(plan: &Plan) -> Option<Notice> {
    let absent = absent(plan, |author| author == Author::List);
    let names: Vec<String> = absent.into_iter().map(|report| absent_in_words(plan, report)).collect();
    let text = format!("listed but not found: {}", some_of(&names));
    (!names.is_empty()).then(|| Notice::warning(NoticeKind::Missing, text))
}

fn absent(plan: &Plan, is_by: impl Fn(Author) -> bool) -> Vec<&EntryReport> {
    let scoped = |report: &EntryReport| &plan.request.entries[report.id.0];
    let is_asked = |report: &&EntryReport| {
        report.is_used() && !is_built_in(scoped(report)) && is_by(scoped(report).author)
    };
    let is_absent = |report: &&EntryReport| match (&report.problem, report.kind) {
        (Some(Problem::Missing), _) => true,
        // A warning of its own says so.
        (None, EntryKind::Text) if scoped(report).scope == Scope::Session => false,
        (None, EntryKind::Pattern | EntryKind::Directory | EntryKind::Up | EntryKind::Text) => {
            report.matches == 0 && report.left_out.is_none()
        }
        (None | Some(_), _) => false,
    };
    plan.reports.iter().filter(is_asked).filter(is_absent).collect()
}

fn absent_in_words(plan: &Plan, report: &EntryReport) -> String {
    let name = quoted(text_of(plan, report));
    if report.problem.is_some() { name } else { format!("{name} (0 matches)") }
}

/// Entries for which there is something, which is left out.
fn left_out(plan: &Plan) -> Option<Notice> {
    let of_entry = |report: &EntryReport| {
        report.left_out.as_ref()?;
        let reason = ReasonCode::of_entry(&plan.request.entries, report)?;
        Some(format!("{} ({})", quoted(text_of(plan, report)), reason.describe()))
    };
    let is_asked =
        |report: &&EntryReport| report.matches == 0 && !is_built_in(&plan.request.entries[report.id.0]);
    let asked: Vec<&EntryReport> = plan.reports.iter().filter(is_asked).collect();
    let names: Vec<String> = asked.iter().filter_map(|report| of_entry(report)).collect();
    let hint =
        if asked.iter().any(|report| is_ignored(report)) { "; --no-ignore lifts ignore rules" } else { "" };
    let text = format!("0 matches: {}{hint}", some_of(&names));
    (!names.is_empty()).then(|| Notice::note(NoticeKind::Missing, text))
}

fn is_ignored(report: &EntryReport) -> bool {
    report.left_out.as_ref().is_some_and(|left_out| matches!(left_out.cause, Cause::Ignored(_)))
}

/// What is here because the prompt refers to it.
fn referenced(plan: &Plan) -> Option<Notice> {
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

/// A text that was to be read from standard input and is empty.
fn empty_input(plan: &Plan) -> Option<Notice> {
    let is_nothing =
        |origin: &Origin| matches!(origin, Origin::Provided(Content::Bytes(bytes)) if bytes.is_empty());
    let is_empty = plan.items.iter().any(|item| is_nothing(&item.source.origin));
    is_empty.then(|| Notice::warning(NoticeKind::EmptyInput, "standard input is empty".to_owned()))
}

/// Exclusions that take nothing out.
fn idle(plan: &Plan) -> Option<Notice> {
    let of_entry = |report: &EntryReport| {
        let reason = ReasonCode::of_entry(&plan.request.entries, report)?;
        let is_idle = matches!(reason, ReasonCode::WithoutEffect { .. });
        is_idle.then(|| format!("{} {}", quoted(text_of(plan, report)), reason.describe()))
    };
    let names: Vec<String> = plan.reports.iter().filter_map(of_entry).collect();
    (!names.is_empty()).then(|| Notice::note(NoticeKind::Exclusions, some_of(&names)))
}

fn subdirectories(plan: &Plan, report: &EntryReport) -> Option<Notice> {
    let text = report.left_out_below(&text_of(plan, report))?;
    Some(Notice::note(NoticeKind::Subdirectories, text))
}

fn secret_names(plan: &Plan) -> Option<Notice> {
    let is_secret = |skipped: &&Skipped| matches!(skipped.reason, crate::select::SkipReason::SecretName(_));
    let files = plan.passed_over.iter().filter(is_secret).count();
    let text = format!(
        "{} left out: the name suggests secrets; 'ctx add --allow-secrets' takes it",
        counted(files, "file")
    );
    (files > 0).then(|| Notice::note(NoticeKind::SecretNames, text))
}

fn passed_over(plan: &Plan) -> Option<Notice> {
    let names: Vec<String> = plan
        .passed_over
        .iter()
        .filter(|skipped| !matches!(skipped.reason, crate::select::SkipReason::SecretName(_)))
        .map(|skipped| format!("{} ({})", quoted(skipped.label.as_str()), skipped.reason))
        .collect();
    let text = format!("passed over: {}", some_of(&names));
    (!names.is_empty()).then(|| Notice::warning(NoticeKind::PassedOver, text))
}

/// Whether the entry itself is at fault, and no file.
fn is_invalid(problem: &Problem) -> bool {
    match problem {
        Problem::Invalid(_)
        | Problem::Forbidden(_)
        | Problem::NoHome
        | Problem::InsideGit
        | Problem::Names(_)
        | Problem::Lines(_)
        | Problem::LinesOfDirectory
        | Problem::LinesOfPattern => true,
        Problem::Missing
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

/// Stored entries that a link of the checkout would lead out of it: no fault of the user's, and yet not
/// what a strict caller expects.
fn leading_outside(plan: &Plan) -> Option<Notice> {
    let names: Vec<String> = plan
        .reports
        .iter()
        .filter(|report| is_stored_link_outside(plan, report))
        .filter_map(|report| {
            let problem = report.problem.as_ref()?;
            Some(format!("{} ({problem})", quoted(text_of(plan, report))))
        })
        .chain(plan.items.iter().filter_map(found_link_outside))
        .collect();
    let text = format!("{} skipped: {}", counted(names.len(), "entry"), some_of(&names));
    (!names.is_empty()).then(|| Notice::note(NoticeKind::Skipped, text).unless_strict(true))
}

/// A link out of the tree that an `up:` entry came upon.
fn found_link_outside(item: &super::Item) -> Option<String> {
    match &item.reading {
        Reading::Skipped(reason) if reason.code == "link-outside" => {
            Some(format!("{} ({})", quoted(item.source.label.as_str()), reason.text))
        }
        Reading::Skipped(_) | Reading::Document(_) | Reading::Listed { .. } | Reading::Dropped { .. } => None,
    }
}

fn is_stored_link_outside(plan: &Plan, report: &EntryReport) -> bool {
    let scope = plan.request.entries[report.id.0].scope;
    matches!(report.problem, Some(Problem::LinkOutside(_))) && scope != Scope::Session
}

fn invalid(plan: &Plan) -> Option<Notice> {
    let named = |report: &EntryReport| {
        let problem = report.problem.as_ref().filter(|problem| is_invalid(problem))?;
        Some(format!("{} ({problem})", quoted(text_of(plan, report))))
    };
    let names: Vec<String> = plan.reports.iter().filter_map(named).collect();
    let text = format!("{} skipped: {}", counted(names.len(), "entry"), some_of(&names));
    (!names.is_empty()).then(|| Notice::warning(NoticeKind::Skipped, text))
}

fn skipped(plan: &Plan) -> Option<Notice> {
    let of_files =
        plan.reports.iter().filter(|report| report.is_used() && !is_stored_link_outside(plan, report));
    let unreadable = of_files.filter_map(|report| {
        let of_a_file = |problem: &&Problem| **problem != Problem::Missing && !is_invalid(problem);
        let problem = report.problem.as_ref().filter(of_a_file)?;
        Some(format!("{} ({problem})", quoted(text_of(plan, report))))
    });
    let unread = plan.items.iter().filter_map(|item| match &item.reading {
        // Said of all such commands at once.
        Reading::Skipped(reason)
            if matches!(reason.code, "not-trusted" | "not-run" | "link-outside" | UNCHOSEN) =>
        {
            None
        }
        Reading::Skipped(reason) => Some(format!("{} ({})", quoted(item.source.label.as_str()), reason.text)),
        Reading::Document(_) | Reading::Listed { .. } | Reading::Dropped { .. } => None,
    });
    let names: Vec<String> = unreadable.chain(unread).collect();
    let text = format!("{} skipped: {}", counted(names.len(), "file"), some_of(&names));
    (!names.is_empty()).then(|| Notice::warning(NoticeKind::Skipped, text))
}

fn redacted(plan: &Plan) -> Option<Notice> {
    let found = Found::of(plan, |document| &document.secrets, Tally::to_string);
    found.in_words("secret", "redacted").map(|text| Notice::warning(NoticeKind::Redacted, text))
}

fn revealed(plan: &Plan) -> Option<Notice> {
    let found = Found::of(plan, |document| &document.hidden, |tally| tally.kind.clone());
    found.in_words("hidden character", "made visible").map(|text| Notice::warning(NoticeKind::Revealed, text))
}

/// What had to be done to the instruction.
fn in_the_instruction(plan: &Plan) -> Vec<Notice> {
    let Some(instruction) = &plan.instruction else { return Vec::new() };
    let warned = |kind, tallies: &[Tally], what: &str, became: &str| {
        let count: usize = tallies.iter().map(|tally| tally.count).sum();
        let text = format!("{} {became} in the instruction", counted(count, what));
        (count > 0).then(|| Notice::warning(kind, text))
    };
    let secrets = warned(NoticeKind::Redacted, &instruction.secrets, "secret", "redacted");
    let hidden = warned(NoticeKind::Revealed, &instruction.hidden, "hidden character", "made visible");
    secrets.into_iter().chain(hidden).collect()
}

fn is_standard_input(plan: &Plan, item: &super::Item) -> bool {
    let path = |id: &crate::select::EntryId| plan.request.entries[id.0].entry.path.as_str();
    item.source.brought.entries.iter().any(|id| path(id) == "-")
}

/// What was found in the texts of the block.
struct Found {
    count: usize,
    files: Vec<String>,
}

impl Found {
    fn of(plan: &Plan, tallies: impl Fn(&Document) -> &[Tally], in_words: impl Fn(&Tally) -> String) -> Self {
        let mut found = Self { count: 0, files: Vec::new() };
        for (item, document) in plan.printed() {
            let tallies = tallies(document);
            if !tallies.is_empty() {
                found.count += tallies.iter().map(|tally| tally.count).sum::<usize>();
                let kinds: Vec<String> = tallies.iter().map(&in_words).collect();
                found.files.push(format!("{} ({})", quoted(item.source.label.as_str()), kinds.join(", ")));
            }
        }
        found
    }

    fn in_words(&self, what: &str, became: &str) -> Option<String> {
        let files = counted(self.files.len(), "file");
        let text = format!("{} {became} in {files}: {}", counted(self.count, what), some_of(&self.files));
        (self.count > 0).then_some(text)
    }
}

fn decoded(plan: &Plan) -> Option<Notice> {
    let names: Vec<String> = plan
        .printed()
        .filter(|(_, document)| document.encoding.is_guess())
        .map(|(item, _)| quoted(item.source.label.as_str()))
        .collect();
    let text = format!("{} read as Windows-1252: {}", counted(names.len(), "file"), some_of(&names));
    (!names.is_empty()).then(|| Notice::note(NoticeKind::Decoded, text))
}

fn lossy(plan: &Plan) -> Option<Notice> {
    let names: Vec<String> = plan
        .printed()
        .filter(|(_, document)| document.lossy)
        .map(|(item, document)| format!("{} ({})", quoted(item.source.label.as_str()), document.encoding))
        .collect();
    let text = format!("{} only in part decodable: {}", counted(names.len(), "file"), some_of(&names));
    (!names.is_empty()).then(|| Notice::note(NoticeKind::Decoded, text))
}

fn nearly_full(plan: &Plan) -> Option<Notice> {
    let block = plan.block.as_ref().ok()?;
    let limit = plan.request.measure.limit.filter(|limit| *limit > 0)?;
    let percent = share(block.tokens, limit);
    let share = Count { number: percent, estimated: plan.request.measure.estimated };
    let text = format!("the block takes {share}% of the budget of {}", Tokens::new(limit, false));
    (percent >= NEARLY_FULL).then(|| Notice::note(NoticeKind::NearlyFull, text))
}

fn empty(plan: &Plan) -> Option<Notice> {
    // Whoever only talks need not keep files.
    let talks = plan.request.instruction.is_some() || plan.request.conversation.is_some();
    let only_talks = talks && plan.request.entries.iter().all(is_built_in);
    if !plan.is_empty() || only_talks {
        return None;
    }
    let has = |problem: fn(&Problem) -> bool| {
        plan.reports.iter().any(|report| report.problem.as_ref().is_some_and(problem))
    };
    let secrets = plan.reports.iter().any(|report| report.left_out_secrets > 0);
    let provides = plan.reports.iter().any(|report| report.kind == EntryKind::Text);
    let why = if plan.request.entries.is_empty() {
        "there are no entries; 'ctx add PATH' keeps some"
    } else if plan.items.iter().any(|item| item.source.place().is_none() && is_standard_input(plan, item)) {
        "the text on standard input was skipped"
    } else if !plan.items.is_empty() && plan.items.iter().all(is_unchosen) {
        "what is kept is only searched, and nothing in it matches"
    } else if plan.request.entries.is_empty()
        || (!plan.items.is_empty() && plan.request.reading.containing.is_none())
        || has(Problem::is_of_reading)
    {
        "no file could be read"
    } else if provides {
        // Only a filter takes the text away without a trace.
        "the filters leave nothing over"
    } else if plan.reports.iter().all(|report| !report.is_used() || report.kind == EntryKind::Exclusion)
        && plan.reports.iter().any(|report| report.unused == Some(Unused::OtherTags))
    {
        "no entry has the tag"
    } else if plan.met_outputs {
        "what the entries match is what this command writes"
    } else if plan.reports.iter().any(|report| report.matches > 0) {
        "the filters leave nothing over"
    } else if secrets {
        "the names of what the entries match suggest secrets"
    } else if has(|problem| matches!(problem, Problem::LinkOutside(_) | Problem::Outside)) {
        "what the entries name leads outside the project"
    } else if has(|problem| *problem == Problem::InsideGit) {
        "what the entries name lies in .git, which is never entered"
    } else if plan.reports.iter().any(is_ignored) {
        "the ignore rules leave nothing over; --no-ignore takes it"
    } else if plan.request.entries.iter().any(|scoped| scoped.scope == Scope::Session) {
        "no entry matches a file here; adding --dry-run lists them"
    } else {
        "no entry matches a file here; 'ctx show' lists them"
    };
    Some(Notice::warning(NoticeKind::Empty, format!("the context is empty: {why}")))
}

fn is_unchosen(item: &super::Item) -> bool {
    matches!(&item.reading, Reading::Skipped(reason) if reason.code == UNCHOSEN)
}
