//! What is wrong with the files of a plan.

use super::duplicates::duplicates;
use super::{Finding, Group};
use crate::account::{Account, FileRecord, HistoryRecord, Reason, Status, Tally};
use crate::entry::{Attributes, ScopedEntry, SecretAllowance};
use crate::plan::{Notice, NoticeKind, Plan, is_built_in};
use crate::report::reason::{OUTPUT_CUT, REDUCED, UNCHOSEN};
use crate::report::{ReasonCode, Tokens};
use crate::select::{EntryKind, EntryReport, Problem, SkipReason};
use crate::words::{counted, quoted};

/// Everything that is wrong with a plan, by group: whatever a strict render refuses, and patterns that
/// match nothing, duplicates, and names that suggest secrets.
#[must_use]
pub fn of_plan(plan: &Plan, account: &Account) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        plan.entries().filter_map(|(scoped, report)| entry(plan, scoped, report)).collect();
    findings.extend(plan.entries().flat_map(|(scoped, _)| allowances(scoped)));
    findings.extend(of_stored(plan));
    findings.extend(empty(plan));
    findings.extend(duplicates(plan));
    findings.extend(passed_over(plan));
    findings.extend(account.with_status(Status::Skipped).filter_map(skipped));
    findings.extend(account.files.iter().filter_map(redacted));
    findings.extend(account.files.iter().filter_map(revealed));
    match plan.fits() {
        Ok(()) => findings.extend(account.files.iter().filter_map(|file| trimmed(account, file))),
        Err(error) => findings.push(Finding {
            group: Group::Budget,
            code: error.code(),
            subject: account.profile.clone().unwrap_or_default(),
            scope: None,
            profile: None,
            text: error.to_string(),
        }),
    }
    findings.extend(account.history.as_ref().and_then(over_share));
    findings.sort_by_key(|finding| finding.group);
    findings
}

/// A history of which turns are not in the block.
fn over_share(history: &HistoryRecord) -> Option<Finding> {
    let turns = counted(history.omitted, "earlier turn");
    (history.omitted > 0).then(|| Finding {
        group: Group::Budget,
        code: "history-over-share",
        subject: format!("history '{}'", history.name),
        scope: None,
        profile: None,
        text: format!("is over its share of {}: {turns} omitted", Tokens::new(history.share, false)),
    })
}

/// An entry that matches nothing, or an exclusion that excludes nothing; what else is wrong with an entry shows as a file that is skipped.
fn entry(plan: &Plan, scoped: &ScopedEntry, report: &EntryReport) -> Option<Finding> {
    if !report.is_used() || is_built_in(scoped) {
        return None;
    }
    let reason = ReasonCode::of_entry(&plan.request().entries, report)?;
    let (code, text) = match (&report.problem, report.kind) {
        (Some(Problem::Missing), _) | (None, EntryKind::Exclusion) => (reason.code(), reason.describe()),
        (None, EntryKind::Pattern | EntryKind::Directory | EntryKind::Up) => {
            ("no-matches", no_matches(&reason))
        }
        (Some(_), _) | (None, EntryKind::Literal | EntryKind::Text) => return None,
    };
    let subject = scoped.entry.name().into_owned();
    Some(Finding { group: Group::Entries, code, subject, scope: Some(scoped.scope), profile: None, text })
}

/// What an entry allows beyond the rules.
fn allowances(scoped: &ScopedEntry) -> Vec<Finding> {
    let Attributes { secrets, hidden, force, .. } = scoped.entry.attributes;
    let path = &scoped.entry.path;
    let of_secrets = match secrets {
        SecretAllowance::Nothing => None,
        SecretAllowance::Names => Some("names that suggest secrets are allowed".to_owned()),
        SecretAllowance::Contents => Some("secrets are allowed, in names and contents".to_owned()),
    };
    let of_force = || {
        format!(
            "has the attribute 'force' of an older version: 'ctx set {0} --allow-secrets' replaces it, \
             'ctx set {0} --no-allow-secrets' removes it",
            quoted(path)
        )
    };
    let told = [
        (Group::Secrets, "allows-secrets", of_secrets),
        (Group::Secrets, "force", force.then(of_force)),
        (
            Group::HiddenCharacters,
            "allows-hidden",
            hidden.then(|| "hidden characters are allowed".to_owned()),
        ),
    ];
    let finding = |(group, code, text): (Group, &'static str, Option<String>)| {
        let (subject, scope) = (path.clone(), Some(scoped.scope));
        Some(Finding { group, code, subject, scope, profile: None, text: text? })
    };
    told.into_iter().filter_map(finding).collect()
}

fn no_matches(reason: &ReasonCode) -> String {
    if matches!(reason, ReasonCode::NoMatch | ReasonCode::OnlySubdirectories) {
        return reason.describe();
    }
    format!("matches nothing: {}", reason.describe())
}

/// What the stored lists say that is not used.
fn of_stored(plan: &Plan) -> Vec<Finding> {
    let profile = plan.request().profile.clone().unwrap_or_default();
    let of_kind = |kind, code| {
        let notices = plan.request().notices.iter().filter(move |notice| notice.kind == kind);
        let (group, subject) = (Group::Entries, profile.clone());
        notices.map(move |Notice { text, .. }| Finding {
            group,
            code,
            subject: subject.clone(),
            scope: None,
            profile: None,
            text: text.clone(),
        })
    };
    let untrusted = of_kind(NoticeKind::Untrusted, "not-trusted");
    let forbidden = of_kind(NoticeKind::Forbidden, "invalid");
    untrusted.chain(forbidden).chain(of_kind(NoticeKind::Project, "not-read")).collect()
}

/// A context that is empty although there are entries for it.
fn empty(plan: &Plan) -> Option<Finding> {
    let asked_for = plan.entries().any(|(scoped, _)| !is_built_in(scoped) && !scoped.entry.is_exclusion());
    let is_only_searched =
        plan.entries().any(|(scoped, report)| scoped.entry.attributes.search && report.is_used());
    if is_only_searched {
        return None;
    }
    let notice = plan.notices().into_iter().find(|notice| notice.kind == NoticeKind::Empty)?;
    let Notice { text, .. } = notice;
    let subject = plan.request().profile.clone().unwrap_or_default();
    asked_for.then_some(Finding {
        group: Group::Entries,
        code: "empty",
        subject,
        scope: None,
        profile: None,
        text,
    })
}

fn passed_over(plan: &Plan) -> impl Iterator<Item = Finding> {
    plan.passed_over().iter().map(|skipped| {
        let (group, code) = match &skipped.reason {
            SkipReason::SecretName(_) => (Group::Secrets, "secret-name"),
            SkipReason::LeavesTree
            | SkipReason::BrokenLink
            | SkipReason::TooManyLinks
            | SkipReason::UnreadableDirectory(_)
            | SkipReason::UnsafeRules(_)
            | SkipReason::NotRegular => (Group::Files, "passed-over"),
        };
        let subject = skipped.label.to_string();
        Finding {
            group,
            code,
            subject,
            scope: None,
            profile: None,
            text: format!("left out: {}", skipped.reason),
        }
    })
}

fn skipped(file: &FileRecord) -> Option<Finding> {
    // Nothing is wrong with a file that is only searched, nor with a command that this one does not run.
    let reason = file.reason.as_ref().filter(|reason| !matches!(reason.code, UNCHOSEN | "not-run"))?;
    let group = match reason.code {
        "invalid" | "inside-git" | "no-home" => Group::Entries,
        "secret-name" | "secrets" => Group::Secrets,
        _ => Group::Files,
    };
    Some(about(file, group, reason.code, reason.text.clone()))
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

fn trimmed(account: &Account, file: &FileRecord) -> Option<Finding> {
    let code = match file.status {
        Status::Dropped => "dropped",
        Status::Outlined => "outlined",
        Status::Truncated => "truncated",
        Status::Included | Status::Skipped => return None,
    };
    // What is reduced as asked, or was cut before it came here, is not trimmed.
    let is_trimmed = |reason: &&Reason| reason.code != REDUCED && reason.code != OUTPUT_CUT;
    let reason = file.reason.as_ref().filter(is_trimmed)?.text.as_str();
    let tokens = Tokens::new(file.whole_tokens.unwrap_or(0), account.measures.estimated);
    Some(about(file, Group::Budget, code, format!("{code}, {tokens}: {reason}")))
}

fn about(file: &FileRecord, group: Group, code: &'static str, text: String) -> Finding {
    Finding { group, code, subject: file.path.clone(), scope: Some(file.scope), profile: None, text }
}
