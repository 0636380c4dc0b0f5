//! Why a file or an entry is not in the block, or not in full: a code for scripts and a message for people.
//!
//! Everything that gives a reason takes it from here: notices, findings, explanations, and the account.

use std::fmt;

use serde::Serialize;

macro_rules! codes {
    ($($variant:ident => $code:literal, $words:literal;)+) => {
        /// Why something is not in the block, or not in full.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        pub enum ReasonCode {
            $(#[doc = $words] #[serde(rename = $code)] $variant,)+
        }

        impl ReasonCode {
            /// A stable code for scripts.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                }
            }

            /// The reason for people, without the name of its subject. A [`Reason`] may have more detail.
            #[must_use]
            pub const fn describe(self) -> &'static str {
                match self {
                    $(Self::$variant => $words,)+
                }
            }
        }
    };
}

// One variant for each thing to report, and one code for each thing that scripts have to distinguish.
codes! {
    Invalid => "invalid", "not a valid entry";
    InvalidLines => "invalid-lines", "it has no such lines";
    LinesOfDirectory => "invalid-lines", "only files have lines, and this is a directory";
    LinesOfPattern => "invalid-lines", "only files have lines, and this is a pattern";
    NoHome => "no-home", "the home directory is not known";
    NotFound => "not-found", "not found";
    PermissionDenied => "permission-denied", "permission denied";
    IoError => "io-error", "cannot be read";
    Unreadable => "unreadable", "cannot be read";
    NotRegular => "not-regular", "not a regular file";
    Binary => "binary", "binary file";
    UnknownEncoding => "unknown-encoding", "its encoding is uncertain";
    TooLarge => "too-large", "too large";
    WrittenByCtx => "written-by-ctx", "it begins like the output of ctx";
    Condition => "condition", "no other document matches its condition";
    Changed => "changed", "changed while being read";
    PastTheEnd => "past-the-end", "its lines are past the end of the file";
    NoSuchName => "no-such-name", "it has nothing of that name";
    WithoutNames => "no-such-name", "in files of this kind, ctx finds nothing by name";
    SecretName => "secret-name", "the name suggests secrets";
    Outside => "outside", "it is outside this directory tree";
    LinkOutside => "link-outside", "link leads outside this directory tree";
    TooWide => "too-wide", "the home directory and the directories above it are not searched as a whole";
    InsideGit => "inside-git", "it is in a git directory, which is never entered";
    IsOutput => "is-output", "it is the manifest or the output of this command";
    IsStandardOutput => "is-standard-output", "standard output goes to it";
    UnsafeIgnoreFile => "unsafe-ignore-file", "ignore file cannot be read safely";
    UnsafeGitConfiguration => "unsafe-git-configuration", "git configuration cannot be read safely";
    TooManyImports => "too-many-imports", "too many imports";

    NotTrusted => "not-trusted", "not trusted here";
    CannotBeTrusted => "not-trusted", "cannot be trusted";
    NotRun => "not-run", "not run";
    NotRead => "not-read", "not read";
    ReadLater => "not-read", "left for the next command, since reading takes long";
    NothingRead => "no-output", "its reader prints no text";
    NotStarted => "not-started", "the program cannot be started";
    TimedOut => "timed-out", "timed out";
    Failed => "failed", "the program failed";
    NoOutput => "no-output", "no output";
    NoRepository => "no-repository", "there is no repository";
    UnknownRevision => "unknown-revision", "unknown revision";
    NoList => "no-list", "there is no such list";
    OutputCut => "output-cut", "part of the output is omitted";

    NoEntry => "no-entry", "not on your list";
    IsDirectory => "directory", "it is a directory, and only files are printed";
    NoMatch => "no-matches", "matches nothing";
    Refused => "no-matches", "it finds only files that it may not read";
    OnlySubdirectories => "no-matches", "contains only subdirectories, which are left out";
    NoEffect => "no-effect", "excludes nothing";
    Ignored => "ignored", "an ignore rule leaves it out";
    DotFile => "dot-file", "its name begins with a dot";
    Excluded => "excluded", "an exclusion matches it";
    PassedOver => "passed-over", "it is left out";
    Off => "off", "the entry is turned off";
    OtherTags => "filtered", "the entry has none of the requested tags";
    NotIncluded => "filtered", "it matches none of the include patterns";
    FilteredOut => "filtered", "it matches an exclude pattern";
    TooOld => "filtered", "it was last changed before the requested time";
    NotContaining => "filtered", "its text does not match the requested expression";
    OtherLines => "other-lines", "no entry names these lines";
    Unreached => "unreached", "it is not searched";
    WithoutQuery => "not-among-the-best", "only searched, and there is no query";
    OverShare => "over-share", "only searched, and the matches exceed their share of the budget";
    Unchosen => "not-among-the-best", "only searched, and none of its passages is among the best";
    Unmatched => "not-among-the-best", "nothing in it seems to answer the question";

    ReducedToName => "reduced", "listed by name only, as requested";
    ReducedToOutline => "reduced", "reduced to its outline, as requested";
    WithoutOutline => "reduced", "listed by name only: files of this kind have no outline";
    OverBudget => "over-budget", "over budget";
    NothingFits => "nothing-fits", "nothing fits the budget";
    Unread => "unread", "nothing fits the budget";
    PinnedOverBudget => "pinned-over-budget", "the pinned and named files alone exceed the budget";
    TreeOverBudget => "tree-over-budget", "the directory tree alone exceeds the budget";
    FrameOverBudget => "frame-over-budget", "the lines around the files alone exceed the budget";
}

/// How a file that a pattern or directory finds is counted if its contents keep it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unread {
    /// It is not text.
    Binary,
    /// It is text in an encoding that is not certain.
    UnknownEncoding,
    /// It is too large to be read.
    TooLarge,
    /// It was printed earlier.
    WrittenByCtx,
    /// The system denies access, or reading fails.
    Unreadable,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Binary => "binary",
            Self::UnknownEncoding => "of uncertain encoding",
            Self::TooLarge => "too large",
            Self::WrittenByCtx => "written by ctx",
            Self::Unreadable => "unreadable",
        })
    }
}

impl ReasonCode {
    /// How a file skipped for this reason is counted; `None` if its contents are used.
    #[must_use]
    pub fn unread(self) -> Option<Unread> {
        if matches!(
            self,
            Self::NotFound | Self::PermissionDenied | Self::IoError | Self::NotRegular | Self::Changed
        ) {
            Some(Unread::Unreadable)
        } else if self == Self::TooLarge {
            Some(Unread::TooLarge)
        } else if self == Self::WrittenByCtx {
            Some(Unread::WrittenByCtx)
        } else if self == Self::UnknownEncoding {
            Some(Unread::UnknownEncoding)
        } else {
            (self == Self::Binary).then_some(Unread::Binary)
        }
    }

    /// Whether a file skipped for this reason is left out without a notice; `is_found`: whether a pattern or
    /// directory finds it, and no entry names it.
    #[must_use]
    pub fn passes_over(self, is_found: bool) -> bool {
        self == Self::NotContaining
            || is_found && matches!(self, Self::Binary | Self::NothingRead | Self::WrittenByCtx)
    }

    /// Whether the file is only searched, and none of it is printed.
    #[must_use]
    pub fn is_unchosen(self) -> bool {
        matches!(self, Self::WithoutQuery | Self::OverShare | Self::Unchosen)
    }

    /// Whether one notice covers everything skipped for this reason.
    #[must_use]
    pub fn has_own_notice(self) -> bool {
        matches!(self, Self::NotTrusted | Self::LinkOutside) || self.is_pending() || self.is_unchosen()
    }

    /// Whether the program that would provide the text was not run here.
    #[must_use]
    pub fn is_pending(self) -> bool {
        matches!(self, Self::NotRun | Self::NotRead | Self::ReadLater)
    }

    /// Whether the entry is at fault rather than the file.
    #[must_use]
    pub fn is_of_entry(self) -> bool {
        matches!(self, Self::Invalid | Self::InsideGit | Self::NoHome)
    }

    /// Whether an entry is invalid if its only document is skipped for this reason.
    #[must_use]
    pub fn makes_invalid(self) -> bool {
        matches!(self, Self::Invalid | Self::PastTheEnd | Self::NoSuchName | Self::WithoutNames)
    }

    /// Whether a rule leaves the document out or there is no output, so that the request is not at fault.
    #[must_use]
    pub fn excuses_request(self) -> bool {
        matches!(self, Self::Outside | Self::NoOutput | Self::SecretName) || self.is_pending()
    }

    /// Whether only part of the document is in the block, whatever the budget.
    #[must_use]
    pub fn is_reduction(self) -> bool {
        matches!(self, Self::ReducedToName | Self::ReducedToOutline | Self::WithoutOutline | Self::OutputCut)
    }
}

/// Why a file or an entry has its status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// For scripts, such as `over-budget` or `too-large`.
    pub code: ReasonCode,
    /// For a person.
    pub text: String,
}

impl Reason {
    /// A reason with more detail than its code.
    pub fn new(code: ReasonCode, text: impl ToString) -> Self {
        Self { code, text: text.to_string() }
    }

    /// The reason for skipping a file whose name suggests secrets of this kind.
    pub(crate) fn secret_name(kind: &str) -> Self {
        let code = ReasonCode::SecretName;
        Self::new(code, format!("{} ({kind})", code.describe()))
    }
}

impl From<ReasonCode> for Reason {
    fn from(code: ReasonCode) -> Self {
        Self::new(code, code.describe())
    }
}
