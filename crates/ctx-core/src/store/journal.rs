//! Changes to several files that are seen as one.
//!
//! A change to one file is atomic by itself: it is a rename. A change to several goes through a
//! journal, in these steps:
//!
//! 1. Record: `journal.json` appears, by a rename, with the new contents of all the files.
//! 2. Apply: each file is brought to what the journal says; doing it twice is like doing it once.
//! 3. Forget: the journal is removed.
//!
//! The first step decides. Readers take what the journal says about a file instead of the file, so from
//! then on they see the whole change and before it nothing; a command that is killed at any point
//! leaves one of the two. The next writer, who holds the lock, repeats the second and third step.
//! A file that by then is neither what it was nor what it was to become has been edited by a person: the
//! edit is kept, and so is everything that the change would have removed.
//! If a step fails while the command lives, it takes back what it did. The files come before the state
//! and removals come last, so that the files alone make sense as well at each moment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::{ChangeOutcome, Fault};
use super::files::{self, Sync};
use super::layout::{JOURNAL, Layout, StoreFile};
use super::renamed::Renamed;
use super::{FILE_LIMIT, StoreError, document};
use crate::symlink;

/// Room for everything that one import can bring, as JSON within JSON.
const JOURNAL_LIMIT: u64 = 4 << 30;

/// What stands at a path: nothing, a file, a link to a file, or a link to nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Content {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Content {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Whether this is what stands at the path.
    fn is_at(&self, path: &Path) -> bool {
        let is_same_link = cfg!(not(unix)) || symlink::target(path).is_ok_and(|target| target == self.link);
        // What is too large, no regular file, or unreadable is not what a command wrote.
        let is_same_text = || {
            files::read(path, FILE_LIMIT)
                .is_ok_and(|bytes| bytes.as_deref() == self.text.as_ref().map(String::as_bytes))
        };
        is_same_link && is_same_text()
    }

    /// Makes it so, through a link where there is one.
    fn apply(&self, path: &Path, sync: Sync) -> Result<(), Fault> {
        #[cfg(unix)]
        if let Some(target) = &self.link {
            files::link(path, target, sync)?;
        }
        let applied = match &self.text {
            Some(text) => write(&symlink::resolve(path)?, text, sync),
            None if self.link.is_some() => files::remove(&symlink::resolve(path)?, sync),
            None => files::remove(path, sync),
        };
        // With a link, part of the work was done before the rest could fail.
        applied.map_err(|fault| Fault { in_place: fault.in_place || self.link.is_some(), ..fault })
    }
}

/// Leaves a file alone that holds the text already, but makes sure that it is on the disk.
fn write(path: &Path, text: &str, sync: Sync) -> Result<(), Fault> {
    match files::read(path, FILE_LIMIT) {
        Ok(Some(bytes)) if bytes == text.as_bytes() => files::sync_directory(files::parent(path), sync),
        Ok(Some(_) | None) | Err(_) => files::replace(path, text.as_bytes(), sync),
    }
}

/// What the files of the store are to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Journal {
    files: BTreeMap<StoreFile, Content>,
    /// What they held before. Journals of 0.1.0 do not say it: what they name is replaced, whatever it is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    before: BTreeMap<StoreFile, Content>,
    /// The history that is renamed with its profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Renamed>,
}

/// What is left to do of a journal that a command left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Remaining {
    /// What these files are to hold, those to be removed last.
    pub files: Vec<(StoreFile, Content)>,
    /// The files that a person has edited since; they stay as they are.
    pub edited: Vec<StoreFile>,
}

impl Remaining {
    pub fn get(&self, file: &StoreFile) -> Option<&Content> {
        self.files.iter().find(|(name, _)| name == file).map(|(_, content)| content)
    }
}

impl Journal {
    /// The journal that a command left, with its bytes.
    pub fn read(layout: &Layout) -> Result<Option<Vec<u8>>, StoreError> {
        let path = layout.root.join(JOURNAL);
        layout.read(&path, JOURNAL_LIMIT).map_err(|error| about_root(&layout.root, error))
    }

    pub fn parse(layout: &Layout, bytes: &[u8]) -> Result<Self, StoreError> {
        let path = layout.root.join(JOURNAL);
        let journal: Self = document::parse(&path, bytes)?;
        // What others wrote must not lead what is written elsewhere.
        let makes_link = journal.files.values().any(|content| content.link.is_some());
        let leaves = journal.files.keys().any(|file| matches!(file, StoreFile::Project { .. }));
        if (makes_link || leaves) && layout.is_of_others() {
            return Err(StoreError::Linked { path });
        }
        Ok(journal)
    }

    /// Compares the files with what the journal says of them.
    pub fn remaining(&self, layout: &Layout) -> Remaining {
        let (edited, untouched): (Vec<_>, Vec<_>) =
            self.files.iter().partition(|(file, after)| self.is_edited(layout, file, after));
        let (removed, mut files): (Vec<_>, Vec<_>) =
            untouched.into_iter().partition(|(_, after)| after.is_nothing());
        if edited.is_empty() {
            files.extend(removed);
        }
        Remaining {
            files: files.into_iter().map(|(file, after)| (file.clone(), after.clone())).collect(),
            edited: edited.into_iter().map(|(file, _)| file.clone()).collect(),
        }
    }

    fn is_edited(&self, layout: &Layout, file: &StoreFile, after: &Content) -> bool {
        // What leads elsewhere by now is nothing that a command has left.
        if layout.check_document(file).is_err() {
            return true;
        }
        let path = layout.path(file);
        let is = |content: &Content| content.is_at(&path);
        self.before.get(file).is_some_and(|before| !is(before) && !is(after))
    }
}

/// One file of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileChange {
    pub file: StoreFile,
    pub before: Content,
    pub after: Content,
}

/// One step of a commit; each can be repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Record(String),
    Apply(FileChange),
    Rename(Renamed),
    Forget,
}

impl Step {
    pub fn run(&self, layout: &Layout) -> Result<(), Fault> {
        match self {
            Self::Record(text) => files::replace(&layout.root.join(JOURNAL), text.as_bytes(), Sync::Required),
            Self::Apply(change) => change.after.apply(&layout.path(&change.file), Sync::Required),
            Self::Rename(renamed) => renamed.apply(layout, Sync::Required),
            Self::Forget => files::remove(&layout.root.join(JOURNAL), Sync::Required),
        }
    }

    fn undo(&self, layout: &Layout) -> Result<(), Fault> {
        match self {
            Self::Record(_) => files::remove(&layout.root.join(JOURNAL), Sync::Skipped),
            Self::Apply(change) => change.before.apply(&layout.path(&change.file), Sync::Skipped),
            Self::Rename(renamed) => renamed.undo(layout),
            Self::Forget => Ok(()),
        }
    }
}

/// The steps that make a change: one for one file, and through the journal for several.
pub(super) fn steps(
    layout: &Layout,
    mut changes: Vec<FileChange>,
    history: Option<Renamed>,
) -> Result<Vec<Step>, StoreError> {
    if changes.len() < 2 && history.is_none() {
        return Ok(changes.into_iter().map(Step::Apply).collect());
    }
    let journal = Journal {
        files: changes.iter().map(|change| (change.file.clone(), change.after.clone())).collect(),
        before: changes.iter().map(|change| (change.file.clone(), change.before.clone())).collect(),
        history: history.clone(),
    };
    let path = layout.root.join(JOURNAL);
    let text = document::text_of(&path, &journal)?;
    if text.len() as u64 > JOURNAL_LIMIT {
        return Err(StoreError::Unstorable { path, reason: format!("larger than {JOURNAL_LIMIT} bytes") });
    }
    changes.sort_by_key(|change| change.after.is_nothing());
    let applications = changes.into_iter().map(Step::Apply).chain(history.map(Step::Rename));
    Ok([Step::Record(text)].into_iter().chain(applications).chain([Step::Forget]).collect())
}

/// What is in the way of the first file that is read is in the way of the whole store.
fn about_root(root: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::Io { fault, outcome } if std::fs::read_dir(root).is_err() => {
            let fault = Fault { operation: "read the store", path: root.to_owned(), ..fault };
            StoreError::Io { fault, outcome }
        }
        error => error,
    }
}

/// Makes a change, whole or not at all.
pub(super) fn commit(
    layout: &Layout,
    changes: Vec<FileChange>,
    history: Option<Renamed>,
) -> Result<(), StoreError> {
    let steps = steps(layout, changes, history)?;
    for (done, step) in steps.iter().enumerate() {
        if let Err(fault) = step.run(layout) {
            let outcome = match step {
                Step::Forget if fault.in_place => ChangeOutcome::NotDurable,
                Step::Record(_) | Step::Apply(_) | Step::Rename(_) | Step::Forget => {
                    take_back(layout, &steps[..done + usize::from(fault.in_place)])
                }
            };
            return Err(fault.with(outcome));
        }
    }
    Ok(())
}

/// Undoes steps, the last one first: as long as the journal is there, readers see the whole change.
fn take_back(layout: &Layout, steps: &[Step]) -> ChangeOutcome {
    if steps.iter().rev().try_for_each(|step| step.undo(layout)).is_ok() {
        ChangeOutcome::NothingChanged
    } else if layout.root.join(JOURNAL).exists() {
        ChangeOutcome::Recorded
    } else {
        ChangeOutcome::NotDurable
    }
}

/// Finishes what a command that was killed has recorded, but for the files that a person has edited
/// since, which it gives back. Only for the holder of the lock.
pub(super) fn recover(layout: &Layout) -> Result<Vec<StoreFile>, StoreError> {
    let Some(bytes) = Journal::read(layout)? else { return Ok(Vec::new()) };
    let journal = Journal::parse(layout, &bytes)?;
    let Remaining { files, edited } = journal.remaining(layout);
    files
        .iter()
        .try_for_each(|(file, content)| content.apply(&layout.path(file), Sync::Required))
        .and_then(|()| journal.history.iter().try_for_each(|history| history.apply(layout, Sync::Required)))
        .and_then(|()| Step::Forget.run(layout))
        .map_err(|fault| fault.with(ChangeOutcome::NothingChanged))?;
    Ok(edited)
}
