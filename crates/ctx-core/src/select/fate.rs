//! What happened to each entry.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::entry::ScopedEntry;
use crate::entry::pattern::below;
use crate::report::{Reason, Unread};
use crate::words::counted;

use super::file::EntryId;
use super::missed::{Missed, MissedReason};
use super::problem::Problem;

/// How many matches of patterns and directories are left out by one kind of ignore file, or by a project's
/// exclusions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOutByFiles {
    /// The number of files.
    pub files: usize,
    /// The number of directories, which were not searched.
    pub directories: usize,
}

impl LeftOutByFiles {
    /// Counts these paths, each with whether it is a directory.
    pub(super) fn of<'a>(paths: impl IntoIterator<Item = &'a (PathBuf, bool)>) -> Self {
        let mut counts = Self::default();
        for (_, is_directory) in paths {
            *if *is_directory { &mut counts.directories } else { &mut counts.files } += 1;
        }
        counts
    }

    /// Both numbers for people: `2 files and 1 directory`; `None` if both are 0.
    #[must_use]
    pub fn in_words(self) -> Option<String> {
        let counts = [(self.files, "file"), (self.directories, "directory")].into_iter();
        let counts: Vec<String> =
            counts.filter(|(count, _)| *count > 0).map(|(count, what)| counted(count, what)).collect();
        (!counts.is_empty()).then(|| counts.join(" and "))
    }
}

/// The kind of an entry, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// One file, or a path that does not exist yet.
    Literal,
    /// The files directly in a directory, or all files below it if requested.
    Directory,
    /// The files that a pattern matches.
    Pattern,
    /// The files with certain names from the root of the tree down to the current directory.
    Up,
    /// What to exclude from patterns and directories.
    Exclusion,
    /// Text, such as that on standard input.
    Text,
}

/// What happened to an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryReport {
    /// The entry.
    pub id: EntryId,
    /// Its kind.
    pub kind: EntryKind,
    /// What happened to it.
    pub fate: EntryFate,
    /// How many different files it selects before filtering; 0 for an exclusion.
    pub matches: usize,
    /// Subdirectories of a directory entry, which `dir/**` would include.
    pub left_out_subdirectories: usize,
    /// Files left out because their names suggest secrets.
    pub left_out_secrets: usize,
    /// Files that the built-in ignore file excludes.
    pub left_out_built_in: usize,
}

/// What happened to an entry, judging by what it matches and, in a plan, by its documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryFate {
    /// It is turned off.
    Off,
    /// It has none of the requested tags.
    OtherTags,
    /// It names a file that does not exist.
    Missing,
    /// It cannot be used.
    Invalid(Problem),
    /// It matches nothing; contains the first thing that it would have matched.
    Nothing(Option<Missed>),
    /// It excludes nothing.
    ExcludesNothing(Idle),
    /// It excludes something: this many files, if counted.
    Excludes(Option<usize>),
    /// It excludes this many files from what a question searches, and none of those that entries find.
    ExcludesFromQuestions(usize),
    /// It includes what it matches.
    Brings,
    /// No file that an `up:` entry finds may be read; contains the first one, and why.
    Refused(String),
    /// None of the files it matches can be used: the number of files for each reason.
    Unreadable(BTreeMap<Unread, usize>),
    /// Its one document has no text.
    Failed(Reason),
    /// Its command ended with an exit code other than 0.
    EndedOtherwise,
    /// The output of its command came from the cache.
    Cached,
}

/// Why an exclusion excludes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Idle {
    /// No pattern or directory finds any file that it matches.
    Unmatched,
    /// The files it matches are named by literal entries.
    OnlyLiterals,
    /// Only entries of an earlier scope find the files it matches.
    EarlierScope,
    /// It matches nothing at its own level, but would at deeper ones.
    Deeper,
    /// It matches nothing, but would if it were written like this, which looks the same.
    LooksLike(String),
}

/// How many files an exclusion excludes, and from what, in words.
pub(crate) fn excluded_in_words(files: Option<usize>, is_of_questions: bool) -> Option<String> {
    let files = counted(files.filter(|count| *count > 0)?, "file");
    let from = if is_of_questions { " from questions" } else { "" };
    Some(format!("excludes {files}{from}"))
}

impl EntryFate {
    /// Why the entry cannot be used, if it cannot.
    #[must_use]
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Missing => Some(&Problem::Missing),
            Self::Invalid(problem) => Some(problem),
            Self::Off
            | Self::OtherTags
            | Self::Nothing(_)
            | Self::ExcludesNothing(_)
            | Self::Excludes(_)
            | Self::ExcludesFromQuestions(_)
            | Self::Brings
            | Self::Refused(_)
            | Self::Unreadable(_)
            | Self::Failed(_)
            | Self::EndedOtherwise
            | Self::Cached => None,
        }
    }

    /// How many files it excludes, if known.
    #[must_use]
    pub fn excluded_files(&self) -> Option<usize> {
        match self {
            Self::Excludes(count) => *count,
            Self::ExcludesFromQuestions(count) => Some(*count),
            Self::ExcludesNothing(_) => Some(0),
            Self::Off
            | Self::OtherTags
            | Self::Missing
            | Self::Invalid(_)
            | Self::Nothing(_)
            | Self::Brings
            | Self::Refused(_)
            | Self::Unreadable(_)
            | Self::Failed(_)
            | Self::EndedOtherwise
            | Self::Cached => None,
        }
    }

    /// How many files it excludes, and from what, in words; `None` if it excludes nothing or that is not
    /// counted.
    #[must_use]
    pub fn exclusion_in_words(&self) -> Option<String> {
        excluded_in_words(self.excluded_files(), matches!(self, Self::ExcludesFromQuestions(_)))
    }

    /// The first thing that it would have matched, if it matches nothing.
    #[must_use]
    pub fn missed(&self) -> Option<&Missed> {
        match self {
            Self::Nothing(missed) => missed.as_ref(),
            Self::Off
            | Self::OtherTags
            | Self::Missing
            | Self::Invalid(_)
            | Self::ExcludesNothing(_)
            | Self::Excludes(_)
            | Self::ExcludesFromQuestions(_)
            | Self::Brings
            | Self::Refused(_)
            | Self::Unreadable(_)
            | Self::Failed(_)
            | Self::EndedOtherwise
            | Self::Cached => None,
        }
    }

    /// Whether it matches nothing because an ignore rule leaves out what it would match.
    #[must_use]
    pub fn is_ignored(&self) -> bool {
        self.missed().is_some_and(|missed| matches!(missed.why, MissedReason::Ignored(_)))
    }

    /// Whether the entry names or matches nothing that exists, without a more specific reason: no selection
    /// rule left out anything that it would match.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        match self {
            Self::Missing | Self::Nothing(None) => true,
            Self::Off
            | Self::OtherTags
            | Self::Invalid(_)
            | Self::Nothing(Some(_))
            | Self::ExcludesNothing(_)
            | Self::Excludes(_)
            | Self::ExcludesFromQuestions(_)
            | Self::Brings
            | Self::Refused(_)
            | Self::Unreadable(_)
            | Self::Failed(_)
            | Self::EndedOtherwise
            | Self::Cached => false,
        }
    }

    /// Whether the entry is used: it is not turned off, and has a requested tag or needs none.
    #[must_use]
    pub fn is_used(&self) -> bool {
        match self {
            Self::Off | Self::OtherTags => false,
            Self::Missing
            | Self::Invalid(_)
            | Self::Nothing(_)
            | Self::ExcludesNothing(_)
            | Self::Excludes(_)
            | Self::ExcludesFromQuestions(_)
            | Self::Brings
            | Self::Refused(_)
            | Self::Unreadable(_)
            | Self::Failed(_)
            | Self::EndedOtherwise
            | Self::Cached => true,
        }
    }
}

impl EntryFate {
    /// The fate of an entry that is not used, if these tags are requested; `None` if it is used.
    #[must_use]
    pub fn of_unused(scoped: &ScopedEntry, tags: &[String]) -> Option<Self> {
        let attributes = &scoped.entry.attributes;
        // Entries for this one block have no tags, and are always included.
        let is_free = tags.is_empty() || scoped.scope.is_for_one_block() || scoped.entry.is_exclusion();
        if attributes.off {
            Some(Self::Off)
        } else if !is_free && !tags.iter().any(|tag| attributes.tags.contains(tag)) {
            Some(Self::OtherTags)
        } else {
            None
        }
    }
}

impl From<Problem> for EntryFate {
    fn from(problem: Problem) -> Self {
        if problem == Problem::Missing { Self::Missing } else { Self::Invalid(problem) }
    }
}

impl EntryReport {
    /// Whether the entry is used: it is not turned off, and has a requested tag or needs none.
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.fate.is_used()
    }

    /// How many subdirectories of a directory entry, written as `path`, are left out, and how to include them;
    /// `None` if there are none.
    #[must_use]
    pub fn left_out_below(&self, path: &str) -> Option<String> {
        let count = Some(self.left_out_subdirectories).filter(|count| *count > 0)?;
        let subdirectories = counted(count, "subdirectory");
        let verb = if count == 1 { "is" } else { "are" };
        let all = below(path);
        Some(format!("{subdirectories} of '{path}' {verb} left out: '{all}' includes everything below it"))
    }
}
