//! Why an entry selects or excludes nothing, in words.

use super::{EntryFate, EntryId, EntryKind, EntryReport, Idle, Missed, MissedReason};
use crate::entry::{Scope, ScopedEntry};
use crate::fs::alike::difference;
use crate::report::{Reason, ReasonCode};
use crate::words::{counted, quoted};

impl Reason {
    /// Why an entry selects nothing, or why an exclusion excludes nothing; `None` if there is no reason to give.
    /// `entries` are the ones used in the selection.
    #[must_use]
    pub fn of_entry(entries: &[ScopedEntry], report: &EntryReport) -> Option<Self> {
        match &report.fate {
            EntryFate::Missing | EntryFate::Invalid(_) => {
                report.fate.problem().map(|problem| Self::new(problem.code(), problem))
            }
            EntryFate::Nothing(missed) => {
                (report.kind != EntryKind::Text).then(|| of_no_match(entries, report, missed.as_ref()))
            }
            EntryFate::ExcludesNothing(idle) => Some(without_effect(entries.get(report.id.0)?, idle)),
            EntryFate::Refused(text) => Some(Self::new(ReasonCode::Refused, text)),
            EntryFate::Failed(reason) => Some(reason.clone()),
            EntryFate::Off
            | EntryFate::OtherTags
            | EntryFate::Excludes(_)
            | EntryFate::ExcludesFromQuestions(_)
            | EntryFate::Brings
            | EntryFate::Unreadable(_)
            | EntryFate::EndedOtherwise
            | EntryFate::Cached => None,
        }
    }
}

fn of_no_match(entries: &[ScopedEntry], report: &EntryReport, missed: Option<&Missed>) -> Reason {
    match (missed, report.left_out_secrets) {
        (Some(missed), 0) => of_missed(entries, missed),
        (None, 0) if report.left_out_subdirectories > 0 => ReasonCode::OnlySubdirectories.into(),
        (None, 0) => ReasonCode::NoMatch.into(),
        (_, count) => {
            let verb = if count == 1 { "has a name that suggests" } else { "have names that suggest" };
            Reason::new(ReasonCode::SecretName, format!("{} {verb} secrets", counted(count, "file")))
        }
    }
}

fn of_missed(entries: &[ScopedEntry], missed: &Missed) -> Reason {
    let Missed { label, why, is_directory, .. } = missed;
    let is = if *is_directory { "is not searched" } else { "is left out" };
    let by = |by: &EntryId| entries.get(by.0).map_or("", |by| by.entry.path.as_str());
    let text = if let MissedReason::Excluded(id) = why {
        format!("'{label}' {is}: excluded by '{}'", by(id))
    } else {
        format!("'{label}' {is}: {why}")
    };
    Reason::new(why.code(), text)
}

fn without_effect(scoped: &ScopedEntry, idle: &Idle) -> Reason {
    let entry = &scoped.entry.path;
    let name = entry.strip_prefix('!').unwrap_or(entry);
    let nothing = ReasonCode::NoEffect.describe();
    let text = match idle {
        Idle::Unmatched => nothing.to_owned(),
        Idle::OnlyLiterals => {
            format!("{nothing}: the files it matches have their own entries, which are never excluded")
        }
        Idle::EarlierScope if scoped.scope == Scope::Project => format!(
            "{nothing}: the files it matches come from your own entries, to which a project's exclusions do not apply"
        ),
        Idle::EarlierScope => format!(
            "{nothing}: the files it matches come from the global list, to which only its own exclusions apply"
        ),
        Idle::Deeper => format!("{nothing} here; '!**/{name}' matches at any depth"),
        Idle::LooksLike(real) => {
            let how = difference(name, real).map_or_else(String::new, |how| format!("; {how}"));
            format!("{nothing}{how}: {}", quoted(format!("!{real}")))
        }
    };
    Reason::new(ReasonCode::NoEffect, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exclusion_without_effect_names_one_that_has_it() {
        let exclusion = ScopedEntry::typed(crate::entry::Entry::new("!*.log"));
        let deeper = without_effect(&exclusion, &Idle::Deeper);
        assert_eq!(deeper.code.code(), "no-effect");
        assert_eq!(deeper.text, "excludes nothing here; '!**/*.log' matches at any depth");
        assert_eq!(serde_json::to_value(ReasonCode::NotIncluded).unwrap(), ReasonCode::NotIncluded.code());
    }
}
