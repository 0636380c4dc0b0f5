//! What a person should know: one notice for each kind of thing.

use std::fmt;

use crate::store::ProfileName;

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// A person may want to know it.
    Note,
    /// The block is not what a person may expect.
    Warning,
    /// What a person could do about it.
    Hint,
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Entries match nothing.
    Missing,
    /// No entry has a tag that was asked for.
    Tags,
    /// Exclusions exclude nothing.
    Exclusions,
    /// The text on standard input is empty.
    EmptyInput,
    /// A directory entry leaves subdirectories out.
    Subdirectories,
    /// Names that suggest secrets are left out.
    SecretNames,
    /// Ignore files that git does not read leave something out.
    IgnoreFiles,
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
    /// What the reader has of earlier blocks is known, or why not.
    Since,
    /// Files were dropped or shortened to fit the budget.
    Trimmed,
    /// The question tells nothing.
    Question,
    /// Turns of the history are omitted or cut, or soon will be.
    History,
    /// The budget is nearly used up.
    NearlyFull,
    /// Entries are only searched, and there is no query.
    WithoutQuery,
    /// There is nothing to print.
    Empty,
}

/// What a person could do about a notice or a finding. Only the caller knows how that is asked for, so it has no words here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Add entries.
    AddEntries,
    /// List the entries and what they match.
    ShowEntries,
    /// List what is in the block and what is not.
    ShowPlan,
    /// Lift the ignore rules.
    LiftIgnoreRules,
    /// Leave the project's exclusions out.
    LiftProjectExclusions,
    /// Lift the built-in ignore rules, for some names or with all others.
    LiftBuiltInRules,
    /// Allow names that suggest secrets.
    AllowSecretNames,
    /// Look at what is not trusted.
    ShowUntrusted {
        /// How many commands, settings and the like.
        items: usize,
    },
    /// Make a block, for which commands are run.
    RunCommands {
        /// Whether it answers a question.
        asks: bool,
    },
    /// Choose a trim rule that shortens files or keeps those that matter, or look at where the tokens are.
    TrimOtherwise,
    /// Have a history summarised.
    CompressHistory {
        /// Its name.
        name: ProfileName,
    },
    /// Finish a restore that was interrupted, or put everything back.
    FinishRestore,
}

/// Something that a person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its subject.
    pub kind: NoticeKind,
    /// Its score.
    pub level: Severity,
    /// What a strict caller does not accept, in words: that something that was selected was left out, cut, changed or
    /// unreadable. Of a note that may be a part.
    pub strict: Option<String>,
    /// In words, on one line.
    pub text: String,
    /// What to do about it.
    pub hint: Option<Hint>,
}

impl Notice {
    /// What a person should know and a strict caller accepts.
    #[must_use]
    pub fn note(kind: NoticeKind, text: String) -> Self {
        Self { kind, level: Severity::Note, strict: None, text, hint: None }
    }

    /// A warning, which a strict caller does not accept.
    #[must_use]
    pub fn warning(kind: NoticeKind, text: String) -> Self {
        Self { level: Severity::Warning, strict: Some(text.clone()), ..Self::note(kind, text) }
    }

    pub(crate) fn unless_strict(self, strict: impl Into<Option<String>>) -> Self {
        Self { strict: strict.into(), ..self }
    }

    pub(crate) fn with_hint(self, hint: impl Into<Option<Hint>>) -> Self {
        Self { hint: hint.into(), ..self }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
