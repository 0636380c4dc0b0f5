//! Problems with the files of a plan.

use super::{Finding, Group};
use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};

use crate::account::{Account, FileRecord, HistoryRecord, Status, Tally};
use crate::entry::{Allowance, Scope, ScopedEntry};
use crate::git::rule_file::CutLine;
use crate::plan::{FilesInParts, Plan};
use crate::report::{Hint, Notice, NoticeKind, Reason, ReasonCode};
use crate::select::{EntryFate, EntryId, EntryKind, EntryReport, Missed};
use crate::store::first_places;
use crate::words::{counted, grouped, tokens};

/// All problems with a plan, by group: anything that a strict render refuses, and also patterns that match
/// nothing, duplicates, and names that suggest secrets.
#[must_use]
pub fn of_plan(plan: &Plan, account: &Account) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        plan.entries().filter_map(|(scoped, report)| entry(plan, scoped, report)).collect();
    findings.extend(plan.entries().flat_map(|(scoped, _)| allowances(scoped)));
    findings.extend(of_stored(plan));
    findings.extend(empty(plan));
    findings.extend(duplicates(plan));
    findings.extend(passed_over(plan));
    findings.extend(plan.cut_lines().iter().map(cut_line));
    findings.extend(of_files(plan));
    match plan.block() {
        Ok(_) => findings.extend(over_budget(plan, account)),
        Err(error) => {
            let profile = account.profile.clone().unwrap_or_default();
            findings.push(Finding::new(Group::Budget, error.code().code(), profile, error.to_string()));
        }
    }
    findings.extend(account.history.as_ref().and_then(over_share));
    let over_window = plan.notices().into_iter().find(|notice| notice.kind == NoticeKind::Window);
    findings.extend(over_window.map(|notice| of_notice(plan, Group::Budget, "over-window", notice)));
    findings.sort_by_key(|finding| finding.group);
    findings
}

/// Problems with files other than that they do not fit.
fn of_files(plan: &Plan) -> impl Iterator<Item = Finding> {
    let (mut left_out, mut with_secrets, mut with_hidden) = (Vec::new(), Vec::new(), Vec::new());
    for file in plan.records() {
        left_out.extend(skipped(&file).filter(|_| file.status == Status::Skipped));
        with_secrets.extend(redacted(&file));
        with_hidden.extend(revealed(&file));
    }
    left_out.into_iter().chain(with_secrets).chain(with_hidden)
}

/// A history with turns that are not in the block.
fn over_share(history: &HistoryRecord) -> Option<Finding> {
    let turns = counted(history.omitted, "earlier turn");
    let text = format!("is over its share of {}: {turns} omitted", tokens(history.share, false));
    let subject = format!("history '{}'", history.name);
    (history.omitted > 0).then(|| Finding::new(Group::Budget, "history-over-share", subject, text))
}

/// An entry that matches nothing, or an exclusion that excludes nothing. Other problems with an entry show up as
/// skipped files.
fn entry(plan: &Plan, scoped: &ScopedEntry, report: &EntryReport) -> Option<Finding> {
    if scoped.is_built_in() {
        return None;
    }
    let reason = || Reason::of_entry(&plan.request().entries, report);
    let Reason { code, text } = match &report.fate {
        EntryFate::Missing | EntryFate::ExcludesNothing(_) => reason()?,
        EntryFate::Nothing(_) if report.kind != EntryKind::Literal => no_matches(reason()?),
        // Each file that may not be read is a separate finding.
        EntryFate::Refused(_) => ReasonCode::NoMatch.into(),
        EntryFate::Nothing(_)
        | EntryFate::Off
        | EntryFate::OtherTags
        | EntryFate::Invalid(_)
        | EntryFate::Excludes(_)
        | EntryFate::ExcludesFromQuestions(_)
        | EntryFate::Brings
        | EntryFate::Unreadable(_)
        | EntryFate::Failed(_)
        | EntryFate::EndedOtherwise
        | EntryFate::Cached => return None,
    };
    let finding = Finding::new(Group::Entries, code.code(), scoped.entry.name(), text);
    Some(Finding { scope: Some(scoped.scope), ..finding })
}

/// Findings for what an entry allows: names that suggest secrets, secrets, and hidden characters.
fn allowances(scoped: &ScopedEntry) -> Vec<Finding> {
    let found = |allowance| {
        let (group, code, text) = match allowance {
            Allowance::Ignored | Allowance::Data => return None,
            Allowance::SecretNames => {
                (Group::Secrets, "allows-secret-names", "names that suggest secrets are allowed")
            }
            Allowance::Secrets => {
                (Group::Secrets, "allows-secrets", "secrets are allowed, in names and contents")
            }
            Allowance::Hidden => (Group::HiddenCharacters, "allows-hidden", "hidden characters are allowed"),
        };
        let finding = Finding::new(group, code, &scoped.entry.path, text);
        Some(Finding { scope: Some(scoped.scope), ..finding })
    };
    scoped.entry.attributes.allow.each().filter_map(found).collect()
}

fn no_matches(reason: Reason) -> Reason {
    if matches!(reason.code, ReasonCode::NoMatch | ReasonCode::OnlySubdirectories) {
        return reason;
    }
    let code = ReasonCode::NoMatch;
    Reason::new(code, format!("{}: {}", code.describe(), reason.text))
}

/// Parts of the stored lists that are not used: not trusted, invalid, or not read.
fn of_stored(plan: &Plan) -> Vec<Finding> {
    let of_kind = |kind, code| {
        let notices = plan.request().notices.iter().filter(move |notice| notice.kind == kind);
        notices.map(move |notice| of_notice(plan, Group::Entries, code, notice.clone()))
    };
    let untrusted = of_kind(NoticeKind::Untrusted, "not-trusted");
    let forbidden = of_kind(NoticeKind::Forbidden, "invalid");
    untrusted.chain(forbidden).chain(of_kind(NoticeKind::Project, "not-read")).collect()
}

/// A context that is empty although it has entries.
fn empty(plan: &Plan) -> Option<Finding> {
    let asked_for = plan.entries().any(|(scoped, _)| !scoped.is_built_in() && !scoped.entry.is_exclusion());
    let is_only_searched =
        plan.entries().any(|(scoped, report)| scoped.entry.attributes.search && report.is_used());
    if is_only_searched {
        return None;
    }
    let notice = plan.notices().into_iter().find(|notice| notice.kind == NoticeKind::Empty)?;
    asked_for.then(|| of_notice(plan, Group::Entries, "empty", notice))
}

/// A notice about the profile.
fn of_notice(plan: &Plan, group: Group, code: &'static str, Notice { text, hint, .. }: Notice) -> Finding {
    let profile = plan.request().profile.clone().unwrap_or_default();
    Finding { hint, ..Finding::new(group, code, profile, text) }
}

fn passed_over(plan: &Plan) -> impl Iterator<Item = Finding> {
    plan.skipped().iter().filter(|skipped| !skipped.why.stays_in_tree()).map(left_out)
}

pub(super) fn left_out(skipped: &Missed) -> Finding {
    let code = skipped.why.code();
    let text = format!("left out: {}", skipped.why);
    Finding::new(group_of(code), code.code(), skipped.label.as_str(), text)
}

pub(super) fn cut_line(cut: &CutLine) -> Finding {
    Finding::new(
        Group::Files,
        "cut-ignore-rule",
        cut.to_string(),
        "the rule ends at a NUL character, as in git",
    )
}

fn skipped(file: &FileRecord) -> Option<Finding> {
    // A file that is only searched is not a problem, nor is a command that does not run here. A notice covers the
    // commands that are not trusted.
    let Reason { code, text } = file.reason.as_ref()?;
    let is_due = !code.is_unchosen() && !code.is_pending() && *code != ReasonCode::NotTrusted;
    let is_named = *code == ReasonCode::SecretName && matches!(file.scope, Scope::Global | Scope::Profile);
    let hint = is_named
        .then(|| Hint::AllowSecretName { entry: file.entry.clone(), is_global: file.scope == Scope::Global });
    is_due.then(|| Finding { hint, ..about(file, group_of(*code), code.code(), text.clone()) })
}

fn group_of(code: ReasonCode) -> Group {
    if code.is_of_entry() {
        Group::Entries
    } else if code == ReasonCode::SecretName {
        Group::Secrets
    } else {
        Group::Files
    }
}

fn redacted(file: &FileRecord) -> Option<Finding> {
    let text = format!("redacted: {}", told(&file.redacted)?);
    Some(about(file, Group::Secrets, "redacted", text))
}

fn revealed(file: &FileRecord) -> Option<Finding> {
    let text = format!("made visible: {}", told(&file.revealed)?);
    Some(about(file, Group::HiddenCharacters, "hidden-characters", text))
}

fn told(tallies: &[Tally]) -> Option<String> {
    let each: Vec<String> = tallies.iter().map(Tally::to_string).collect();
    (!each.is_empty()).then(|| each.join(", "))
}

/// The files that the budget drops or shortens: each one that an entry names, and the others together if there are
/// several.
fn over_budget(plan: &Plan, account: &Account) -> impl Iterator<Item = Finding> {
    let is_named = |place: usize| plan.items().get(place).is_some_and(|item| item.source.selected_by.named);
    let in_parts = FilesInParts::of(plan);
    let mut others = in_parts.counter();
    let mut each: Vec<(bool, Finding)> = Vec::new();
    for (place, file) in plan.records().enumerate() {
        let Some(finding) = trimmed(account, &file) else { continue };
        if !is_named(place) {
            others.add(&file);
        }
        if is_named(place) || others.total() <= 1 {
            each.push((is_named(place), finding));
        }
    }
    let count = others.total();
    each.retain(|(is_named, _)| *is_named || count <= 1);
    let each = each.into_iter().map(|(_, finding)| finding);
    each.chain((count > 1).then(|| together(account, count)))
}

/// The files that the budget leaves out or prints in part, as one finding.
fn together(account: &Account, count: usize) -> Finding {
    let counts = &account.file_counts;
    let all = counted(counts.selected - counts.skipped - counts.unchanged, "file");
    let limit = tokens(account.measures.budget.unwrap_or(0), false);
    let text = format!("{} of {all} do not fit in {limit}", grouped(count as u64));
    let profile = account.profile.clone().unwrap_or_default();
    let finding = Finding::new(Group::Budget, ReasonCode::OverBudget.code(), profile, text);
    Finding { hint: Some(Hint::ShowFiles), ..finding }
}

/// Why a file is left out or in part. A file that is reduced as requested, or whose source was already cut, does
/// not count.
fn reason_for_trimming(file: &FileRecord) -> Option<&Reason> {
    match file.status {
        Status::Dropped | Status::Outlined | Status::Truncated => {
            file.reason.as_ref().filter(|reason| !reason.code.is_reduction())
        }
        Status::Included | Status::Unchanged | Status::Skipped => None,
    }
}

fn trimmed(account: &Account, file: &FileRecord) -> Option<Finding> {
    let reason = reason_for_trimming(file)?.text.as_str();
    let tokens = tokens(file.whole_tokens.unwrap_or(0), account.measures.estimated);
    let text = format!("{}, {tokens}: {reason}", file.status.in_words());
    Some(about(file, Group::Budget, file.status.name(), text))
}

fn about(file: &FileRecord, group: Group, code: &'static str, text: String) -> Finding {
    Finding { scope: Some(file.scope), ..Finding::new(group, code, &file.path, text) }
}

/// Entries that are on a list twice, and entries with different spellings that match the same files.
/// A profile may repeat global entries.
fn duplicates(plan: &Plan) -> Vec<Finding> {
    let asked = plan.entries().filter(|(_, report)| report.is_used());
    let asked: Vec<&ScopedEntry> = asked.map(|(scoped, _)| scoped).collect();
    let mut findings = repeated(&asked);
    findings.extend(named_twice(plan));
    findings
}

/// Entries that are on a list twice.
fn repeated(entries: &[&ScopedEntry]) -> Vec<Finding> {
    let places = first_places(entries.iter().map(|scoped| &scoped.entry));
    let again = places.iter().enumerate().filter(|(place, first)| place != *first);
    again
        .map(|(place, first)| (entries[place], entries[*first]))
        .filter(|(scoped, first)| first.scope != Scope::Global || scoped.scope == Scope::Global)
        .map(|(scoped, first)| {
            let text = if first.entry.name() == scoped.entry.name() {
                "is in the list twice".to_owned()
            } else {
                format!("is in the list twice, also as '{}'", first.entry.name())
            };
            let finding = Finding::new(Group::Duplicates, "repeated", scoped.entry.name(), text);
            Finding { scope: Some(scoped.scope), ..finding }
        })
        .collect()
}

/// Entries with different spellings that match exactly the same files, with the same attributes.
fn named_twice(plan: &Plan) -> Vec<Finding> {
    let entries = &plan.request().entries;
    let places = first_places(entries.iter().map(|scoped| &scoped.entry));
    // For each entry, the number of its files and the sum of a random number per file: a list of entries by file
    // would be too large.
    let mut files: Vec<(usize, u64)> = vec![(0, 0); entries.len()];
    let numbers = RandomState::new();
    for (file, item) in plan.items().iter().enumerate() {
        let number = numbers.hash_one(file);
        for id in &item.source.selected_by.entries {
            let (count, sum) = &mut files[id.0];
            (*count, *sum) = (*count + 1, sum.wrapping_add(number));
        }
    }
    let mut first: BTreeMap<(usize, u64), EntryId> = BTreeMap::new();
    let mut findings = Vec::new();
    for (scoped, report) in plan.entries() {
        let EntryReport { id, matches, .. } = report;
        let matched @ (count, _) = files[id.0];
        let is_filtered = count != *matches;
        if !report.is_used() || is_filtered || count == 0 || places[id.0] != id.0 {
            continue;
        }
        let known = *first.entry(matched).or_insert(*id);
        let before = &entries[known.0].entry;
        let is_of_both = entries[known.0].scope == Scope::Global && scoped.scope != Scope::Global;
        if known != *id && !is_of_both && before.attributes == scoped.entry.attributes {
            let same = if count == 1 { "file".to_owned() } else { counted(count, "file") };
            let text = format!("matches the same {same} as '{}'", before.name());
            let finding = Finding::new(Group::Duplicates, "same-files", scoped.entry.name(), text);
            findings.push(Finding { scope: Some(scoped.scope), ..finding });
        }
    }
    findings
}
