//! What happened to an entry.

use serde::Serialize;

use super::{Measures, Status, Tally};
use crate::entry::{Attributes, Scope};
use crate::named::named;
use crate::report::ReasonCode;
use crate::select::{EntryFate, excluded_in_words};
use crate::words::counted;

/// One entry and what it matched.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntryRecord {
    /// The entry, as stored.
    pub entry: String,
    /// Its scope.
    pub scope: Scope,
    /// `path`, `exclusion`, `stdin`, `git` or `command`.
    pub kind: &'static str,
    /// How many files it matches.
    pub matches: usize,
    /// The tokens of the whole files, as far as they were read. A file counts for each entry that matches it.
    pub tokens: u64,
    /// How many of those files are `binary`, `too large`, `written by ctx` or `unreadable`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Tally>,
    /// How many subdirectories of a directory are left out; absent if none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out_subdirectories: Option<usize>,
    /// `ok`, `missing`, `no-matches`, `exclusion`, `invalid`, `filtered`, `off`, or, for a command, `cached`,
    /// `not-run`, `not-trusted` or `failed`.
    pub state: EntryState,
    /// Whether it is whole in every question, or its files compete with all others; absent for an entry that brings
    /// nothing, and in a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_questions: Option<InQuestions>,
    /// What is wrong with it, in words; absent if nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// How many files an exclusion excludes from those that entries find or, if it excludes none of them, from
    /// what a question searches; absent for other entries, and if not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes_out: Option<usize>,
    /// Whether it excludes files only from what a question searches.
    #[serde(skip)]
    pub is_of_questions: bool,
    /// Its attributes.
    #[serde(flatten)]
    pub attributes: Attributes,
}

named! {
    /// What questions do with an entry.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum InQuestions {
        /// They print it whole.
        Whole = "whole",
        /// They print of it what answers them.
        Competes = "competes",
    }
}

named! {
    /// The state of an entry.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum EntryState {
        /// It matches at least one file.
        Ok = "ok",
        /// A literal path that does not exist.
        Missing = "missing",
        /// A pattern or directory without files.
        NoMatches = "no-matches",
        /// It excludes files instead of adding them.
        Exclusion = "exclusion",
        /// It is not a valid entry.
        Invalid = "invalid",
        /// A tag option left it out.
        Filtered = "filtered",
        /// It is turned off.
        Off = "off",
        /// A command whose output was cached.
        Cached = "cached",
        /// A command that runs only when a block is printed or sent.
        NotRun = "not-run",
        /// A command that is not trusted here.
        NotTrusted = "not-trusted",
        /// A command that ended with an exit code other than 0, or did not run.
        Failed = "failed",
    }
}

impl EntryState {
    /// The state of an entry with this fate.
    #[must_use]
    pub fn of(fate: &EntryFate) -> Self {
        match fate {
            EntryFate::Off => Self::Off,
            EntryFate::OtherTags => Self::Filtered,
            EntryFate::Missing => Self::Missing,
            EntryFate::Invalid(_) => Self::Invalid,
            EntryFate::Nothing(_) | EntryFate::Refused(_) => Self::NoMatches,
            EntryFate::ExcludesNothing(_) | EntryFate::Excludes(_) | EntryFate::ExcludesFromQuestions(_) => {
                Self::Exclusion
            }
            EntryFate::Brings | EntryFate::Unreadable(_) => Self::Ok,
            EntryFate::Failed(reason) if reason.code == ReasonCode::NotRun => Self::NotRun,
            EntryFate::Failed(reason) if reason.code == ReasonCode::NotTrusted => Self::NotTrusted,
            EntryFate::Failed(reason) if reason.code.makes_invalid() => Self::Invalid,
            EntryFate::Failed(_) | EntryFate::EndedOtherwise => Self::Failed,
            EntryFate::Cached => Self::Cached,
        }
    }
}

/// How many files have each status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct FileCounts {
    /// All selected files.
    pub selected: usize,
    /// In the block, whole.
    pub included: usize,
    /// In the block, but cut.
    pub truncated: usize,
    /// Reduced to their outlines.
    pub outlined: usize,
    /// Not printed again, because the reader has them.
    pub unchanged: usize,
    /// Dropped to fit the budget.
    pub dropped: usize,
    /// Skipped, because ctx can't or may not read them.
    pub skipped: usize,
}

impl EntryRecord {
    /// How many files an exclusion excludes, and from what, in words; `None` if it excludes nothing or that is not
    /// counted.
    #[must_use]
    pub fn exclusion_in_words(&self) -> Option<String> {
        excluded_in_words(self.takes_out, self.is_of_questions)
    }

    /// `42 files, 50,392 tokens, 2 binary`; `what` is the word for one match. Files that are only searched are not
    /// counted.
    #[must_use]
    pub fn amount(&self, what: &str, measures: &Measures) -> String {
        let matches = counted(self.matches, what);
        if self.attributes.search {
            return matches;
        }
        let unread = self.unread.iter().map(|tally| format!(", {tally}"));
        std::iter::once(format!("{matches}, {}", measures.tokens(self.tokens))).chain(unread).collect()
    }
}

impl FileCounts {
    /// How many files are in the block, at least in part.
    #[must_use]
    pub fn printed(&self) -> usize {
        self.included + self.outlined + self.truncated
    }

    /// Counts one more file.
    pub fn add(&mut self, status: Status) {
        self.selected += 1;
        *match status {
            Status::Included => &mut self.included,
            Status::Outlined => &mut self.outlined,
            Status::Truncated => &mut self.truncated,
            Status::Unchanged => &mut self.unchanged,
            Status::Dropped => &mut self.dropped,
            Status::Skipped => &mut self.skipped,
        } += 1;
    }
}
