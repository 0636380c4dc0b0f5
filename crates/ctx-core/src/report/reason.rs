//! Why a file or an entry is not simply in the block: a word for scripts and words for people.
//!
//! Whatever says why takes it from here: notices, findings, explanations, and the account.

use crate::account::Reason;
use crate::budget::DropReason;
use crate::entry::ScopedEntry;
use crate::read::Unreadable;
use crate::select::{Cause, EntryKind, EntryReport, Idle, LeftOut, Problem, Removal, SkipReason};
use crate::words::counted;

/// Why something is not simply in the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReasonCode {
    /// The entry cannot be used, or the file that it names.
    Problem(Problem),
    /// The search met it and left it out.
    Skipped(SkipReason),
    /// It could not be read as text; the code and the words of whoever tried.
    Unreadable {
        /// A stable word.
        code: &'static str,
        /// What went wrong.
        text: String,
    },
    /// No entry matches the file.
    NoEntry,
    /// It is a directory, and was asked for as a file.
    IsDirectory,
    /// Nothing that the entry could match is there.
    NoMatch,
    /// A directory with nothing but subdirectories.
    OnlySubdirectories,
    /// The names of everything that the entry matches suggest secrets.
    SecretNames(usize),
    /// What the entry would match is ignored, hidden by its dot, or excluded.
    LeftOut {
        /// An example.
        label: String,
        /// Whether the example is a directory that was not searched.
        directory: bool,
        /// Why.
        why: Why,
    },
    /// An ignore rule leaves the file out.
    Ignored,
    /// An exclusion leaves the file out.
    Excluded,
    /// The entry has none of the tags asked for.
    OtherTags,
    /// The entry is turned off.
    Off,
    /// It matches no pattern of those that files have to match.
    NotIncluded,
    /// It matches a pattern of those that leave files out.
    FilteredOut,
    /// It was changed too long ago.
    TooOld,
    /// Its text has none of what is asked for.
    NotContaining,
    /// Entries name other lines of the file.
    OtherLines,
    /// It is not searched.
    Unreached,
    /// The budget has no room.
    Dropped(DropReason),
    /// It is only searched, and there is no query.
    WithoutQuery,
    /// It is only searched, and others match better or it does not match at all.
    Unchosen,
    /// Less than all of the file is wanted.
    Reduced(Reduction),
    /// An exclusion that excludes nothing.
    WithoutEffect {
        /// The exclusion.
        entry: String,
        /// What seems to be the matter.
        idle: Idle,
    },
}

/// Why something that an entry would match is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// An ignore rule, as `FILE:LINE: PATTERN`.
    Ignored(String),
    /// A name with a leading dot.
    DotFile,
    /// The exclusion.
    Excluded(String),
    /// What kept it from being searched or read.
    Skipped(String),
}

/// To what a file is reduced whatever the budget, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// To its name, as asked.
    Name,
    /// To its outline, as asked.
    Outline,
    /// To its name, since there is no outline of it.
    WithoutOutline,
}

/// The code of files that are reduced as asked.
pub const REDUCED: &str = "reduced";

/// The code of files that are searched and of which nothing is printed.
pub const UNCHOSEN: &str = "not-among-the-best";

/// The code of commands that print more than is kept.
pub const OUTPUT_CUT: &str = "output-cut";

/// The code of entries that are none.
pub const INVALID: &str = "invalid";

/// The code of lines that begin after the last one of a file.
pub const PAST_THE_END: &str = "past-the-end";

impl ReasonCode {
    /// Why an entry brings nothing, or why an exclusion excludes nothing; `None` where there is nothing to
    /// say. `entries` are those that were selected with.
    #[must_use]
    pub fn of_entry(entries: &[ScopedEntry], report: &EntryReport) -> Option<Self> {
        let path = &entries.get(report.id.0)?.entry.path;
        if !report.is_used() {
            return None;
        }
        if let Some(problem) = &report.problem {
            return Some(Self::Problem(problem.clone()));
        }
        match report.kind {
            EntryKind::Exclusion => match &report.removal {
                Removal::Nothing(idle) => {
                    Some(Self::WithoutEffect { entry: path.clone(), idle: idle.clone() })
                }
                Removal::Something | Removal::Files(_) => None,
            },
            EntryKind::Text => None,
            EntryKind::Literal | EntryKind::Directory | EntryKind::Pattern | EntryKind::Up => {
                (report.matches == 0).then(|| Self::of_no_match(entries, report))
            }
        }
    }

    fn of_no_match(entries: &[ScopedEntry], report: &EntryReport) -> Self {
        if report.left_out_secrets > 0 {
            return Self::SecretNames(report.left_out_secrets);
        }
        match &report.left_out {
            Some(LeftOut { label, directory, cause, .. }) => {
                let why = match cause {
                    Cause::Ignored(by) => {
                        Why::Ignored(format!("{}:{}: {}", by.file.display(), by.line, by.pattern))
                    }
                    Cause::DotFile => Why::DotFile,
                    Cause::Skipped(reason) => Why::Skipped(reason.to_string()),
                    Cause::Excluded(id) => {
                        Why::Excluded(entries.get(id.0).map_or_else(String::new, |by| by.entry.path.clone()))
                    }
                };
                Self::LeftOut { label: label.to_string(), directory: *directory, why }
            }
            None if report.left_out_subdirectories > 0 => Self::OnlySubdirectories,
            None => Self::NoMatch,
        }
    }

    /// Why a file that was opened could not be read.
    #[must_use]
    pub fn unreadable(error: &Unreadable) -> Self {
        Self::Unreadable { code: error.code(), text: error.to_string() }
    }

    /// A stable word for scripts.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Problem(problem) => problem.code(),
            Self::Skipped(SkipReason::SecretName(_)) | Self::SecretNames(_) => "secret-name",
            Self::Skipped(_) => "passed-over",
            Self::Unreadable { code, .. } => code,
            Self::NoEntry => "no-entry",
            Self::IsDirectory => "directory",
            Self::NoMatch | Self::OnlySubdirectories => "no-matches",
            Self::LeftOut { why: Why::Ignored(_), .. } | Self::Ignored => "ignored",
            Self::LeftOut { why: Why::DotFile, .. } => "dot-file",
            Self::LeftOut { why: Why::Excluded(_), .. } | Self::Excluded => "excluded",
            Self::LeftOut { why: Why::Skipped(_), .. } => "passed-over",
            Self::Off => "off",
            Self::OtherTags | Self::NotIncluded | Self::FilteredOut | Self::TooOld | Self::NotContaining => {
                "filtered"
            }
            Self::OtherLines => "other-lines",
            Self::Unreached => "unreached",
            Self::Dropped(_) => "over-budget",
            Self::Reduced(_) => REDUCED,
            Self::WithoutQuery | Self::Unchosen => UNCHOSEN,
            Self::WithoutEffect { .. } => "no-effect",
        }
    }

    /// The same for a person, without the name of what it is about.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Problem(problem) => problem.to_string(),
            Self::Skipped(reason) => reason.to_string(),
            Self::Unreadable { text, .. } => text.clone(),
            Self::NoEntry => "no entry matches it".to_owned(),
            Self::IsDirectory => "it is a directory: only files are in a block".to_owned(),
            Self::NoMatch => "matches nothing".to_owned(),
            Self::OnlySubdirectories => "contains only subdirectories, which are skipped".to_owned(),
            Self::SecretNames(count) => {
                let verb = if *count == 1 { "has a name that suggests" } else { "have names that suggest" };
                format!("{} {verb} secrets", counted(*count, "file"))
            }
            Self::LeftOut { label, directory, why } => left_out(label, *directory, why),
            Self::Ignored => "an ignore rule leaves it out".to_owned(),
            Self::Excluded => "an exclusion matches it".to_owned(),
            Self::OtherTags => "the entry has none of the tags asked for".to_owned(),
            Self::Off => "the entry is turned off".to_owned(),
            Self::NotIncluded => "it matches none of the include patterns".to_owned(),
            Self::FilteredOut => "it matches an exclude pattern".to_owned(),
            Self::TooOld => "it was last changed before the time asked for".to_owned(),
            Self::NotContaining => "its text does not contain what is asked for".to_owned(),
            Self::OtherLines => "no entry names these lines".to_owned(),
            Self::Unreached => "it is not searched".to_owned(),
            Self::Dropped(reason) => dropped(*reason).to_owned(),
            Self::WithoutQuery => "only searched, and there is no query".to_owned(),
            Self::Unchosen => "only searched, and none of its passages is among the best".to_owned(),
            Self::Reduced(reduction) => reduced(*reduction).to_owned(),
            Self::WithoutEffect { entry, idle } => without_effect(entry, idle),
        }
    }

    /// The reason as the account keeps it.
    #[must_use]
    pub fn reason(&self) -> Reason {
        Reason { code: self.code(), text: self.describe() }
    }
}

fn reduced(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::Name => "listed by its name alone, as asked",
        Reduction::Outline => "reduced to its outline, as asked",
        Reduction::WithoutOutline => "listed by its name alone: files of this kind have no outline",
    }
}

fn left_out(label: &str, directory: bool, why: &Why) -> String {
    let is = if directory { "is not searched:" } else { "is left out:" };
    match why {
        Why::Ignored(by) => format!("'{label}' {is} ignored by {by}"),
        Why::DotFile => format!("'{label}' {is} its name begins with a dot"),
        Why::Excluded(by) => format!("'{label}' {is} excluded by '{by}'"),
        Why::Skipped(reason) => format!("'{label}' {is} {reason}"),
    }
}

fn dropped(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Largest => "over budget, and the largest",
        DropReason::NoRoom => "does not fit beside the files before it",
        DropReason::Rank => "over budget, and others matter more",
        DropReason::AskedFor => "over budget, and what the command line asks for needs the room",
        DropReason::Reference => "the references in the prompt may use only half the budget",
        DropReason::NoShare => "its share of the budget is too small to show any of it",
    }
}

fn without_effect(entry: &str, idle: &Idle) -> String {
    let name = entry.strip_prefix('!').unwrap_or(entry);
    match idle {
        Idle::Unmatched => "excludes nothing".to_owned(),
        Idle::OnlyLiterals => {
            "excludes nothing: what it matches is named by entries of its own, which are never excluded"
                .to_owned()
        }
        Idle::EarlierScope => {
            "excludes nothing: what it matches comes from the global list, to which only its own exclusions apply"
                .to_owned()
        }
        Idle::Deeper => format!("excludes nothing here: '!**/{name}' does at any depth"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_a_code_and_words() {
        let reason = ReasonCode::LeftOut {
            label: "logs/a.log".to_owned(),
            directory: false,
            why: Why::Ignored(".gitignore:3: *.log".to_owned()),
        };
        assert_eq!(reason.code(), "ignored");
        assert_eq!(reason.describe(), "'logs/a.log' is left out: ignored by .gitignore:3: *.log");
        let deeper = ReasonCode::WithoutEffect { entry: "!*.log".to_owned(), idle: Idle::Deeper };
        assert_eq!(deeper.describe(), "excludes nothing here: '!**/*.log' does at any depth");
    }
}
