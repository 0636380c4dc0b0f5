//! Messages for the user: one notice for each kind of fact.

use std::fmt;

use crate::profile_name::ProfileName;

/// How important a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Something worth knowing.
    Note,
    /// The block may not be what the user expects.
    Warning,
    /// Something the user could do.
    Hint,
}

/// The subject of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Entries match nothing.
    Missing,
    /// Exclusions exclude nothing.
    Exclusions,
    /// Filters match nothing.
    Filters,
    /// The text on standard input is empty.
    EmptyInput,
    /// A directory entry leaves subdirectories out.
    Subdirectories,
    /// Files whose names suggest secrets are left out.
    SecretNames,
    /// Ignore files that git does not read exclude something.
    IgnoreFiles,
    /// Something that a search came across was skipped.
    PassedOver,
    /// Files could not or must not be read.
    Skipped,
    /// Commands failed or were not run, their output was cut, or git skipped filters.
    Command,
    /// References in the prompt were followed, or not.
    References,
    /// Commands, or settings that others wrote, are not trusted here.
    Untrusted,
    /// A project's files contain settings that they may not contain.
    Forbidden,
    /// A project's files are not read.
    Project,
    /// Secrets were replaced.
    Redacted,
    /// Hidden characters were made visible.
    Revealed,
    /// Embedded data was left out.
    OmittedData,
    /// Files are not UTF-8.
    Decoded,
    /// Nothing has changed since the reader's earlier block, or that block's manifest cannot be used.
    Since,
    /// Files were dropped or shortened to fit the budget.
    Trimmed,
    /// No word of the question distinguishes the files.
    Question,
    /// Turns of the history are omitted or cut, or soon will be.
    History,
    /// The budget is nearly used up.
    NearlyFull,
    /// The block exceeds the model's window.
    Window,
    /// Entries are only searched, and there is no query.
    WithoutQuery,
    /// There is nothing to print.
    Empty,
}

/// What to do about a notice or a finding. The caller words it, since only the caller knows which command to
/// suggest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Add entries.
    AddEntries,
    /// Ask a question about everything, or add entries.
    AskOrAdd {
        /// The question that was asked of the entries, if any.
        question: Option<Box<str>>,
    },
    /// Name what the code calls things.
    NameWords,
    /// List the entries and what they match.
    ShowEntries,
    /// List all files, and whether each is in the block.
    ShowFiles,
    /// List the contents of the block, and what is missing.
    ShowPlan,
    /// Lift the ignore rules.
    LiftIgnoreRules,
    /// Ignore the project's exclusions.
    LiftProjectExclusions,
    /// Lift the built-in ignore rules, for some names or together with all others.
    LiftBuiltInRules,
    /// Allow names that suggest secrets.
    AllowSecretNames,
    /// Allow the name of a listed file that suggests secrets.
    AllowSecretName {
        /// The entry.
        entry: String,
        /// Whether it is on the global list.
        is_global: bool,
    },
    /// Say how a file is encoded.
    SayEncoding,
    /// Allow embedded data.
    AllowData,
    /// Filter by other patterns.
    FilterBy {
        /// Whether they exclude files.
        excludes: bool,
        /// The patterns.
        patterns: Vec<String>,
    },
    /// Show the untrusted items.
    ShowUntrusted {
        /// The number of commands, settings and so on.
        items: usize,
        /// The profile that the user named for this command, if any.
        profile: Option<String>,
    },
    /// Make a block, which runs commands.
    RunCommands {
        /// Whether the block is for a question.
        asks: bool,
    },
    /// Make a block, which runs readers.
    RunReaders {
        /// Whether the block is for a question.
        asks: bool,
    },
    /// Choose a trim rule that shortens files or keeps important ones, or see where the tokens go.
    TrimOtherwise,
    /// Have a history summarised.
    CompressHistory {
        /// Its name.
        name: ProfileName,
    },
    /// Finish an interrupted restore, or undo it.
    FinishRestore,
}

/// A message for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its subject.
    pub kind: NoticeKind,
    /// Its severity.
    pub level: Severity,
    /// Why a strict caller does not accept the block: something selected was left out, cut, changed or
    /// unreadable. For a note, this may be only part of the message.
    pub strict: Option<String>,
    /// The message, on one line.
    pub text: String,
    /// What to do about it.
    pub hint: Option<Hint>,
}

impl Notice {
    /// A message that a strict caller accepts.
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
