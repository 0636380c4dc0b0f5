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
//! edit is kept, and so is everything that the change would have removed. So it is if the file's project is gone.
//! What a person saves while a command is at work is seen right before a file is replaced: the command takes
//! back what it did and starts over.
//! If a step fails while the command lives, it takes back what it did. The files come before the state
//! and removals come last, so that the files alone make sense as well at each moment.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::{ChangeOutcome, Fault, Unwritten};
use super::files::{self, Sync};
use super::layout::{JOURNAL, StoreFile, StoreLayout};
use super::permissions::Access;
use super::renamed::Renamed;
use super::{FILE_LIMIT, StoreError, document};
use crate::symlink;

/// Room for everything that one import can bring, as JSON within JSON.
const JOURNAL_LIMIT: u64 = 4 << 30;

/// What stands at a path: nothing, a file, a link to a file, or a link to nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileContent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl FileContent {
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

    /// Whether something else is at the path now; what the system does not let us read may be the same.
    fn is_replaced_at(&self, path: &Path) -> bool {
        let is_other_link = cfg!(unix) && symlink::target(path).is_ok_and(|target| target != self.link);
        is_other_link
            || match files::read(path, FILE_LIMIT) {
                Ok(bytes) => bytes.as_deref() != self.text.as_ref().map(String::as_bytes),
                Err(StoreError::Io { .. }) => false,
                Err(_) => true,
            }
    }

    /// Makes it so, through a link where there is one, if what is there still is what it is expected to be.
    fn apply(
        &self,
        file: &StoreFile,
        path: &Path,
        sync: Sync,
        is_expected: impl Fn() -> bool,
    ) -> Result<(), Unwritten> {
        let remove = |path: &Path| {
            if is_expected() {
                Ok(files::remove(path, sync)?)
            } else {
                Err(Unwritten::Edited { path: path.to_owned() })
            }
        };
        #[cfg(unix)]
        if let Some(target) = &self.link {
            if !is_expected() {
                return Err(Unwritten::Edited { path: path.to_owned() });
            }
            files::link(path, target, sync)?;
            let last = symlink::resolve(path)?;
            let applied = match &self.text {
                Some(text) => write(&last, text, file.access(), sync, || true),
                None => files::remove(&last, sync).map_err(Unwritten::Fault),
            };
            // Part of the work was done before the rest could fail.
            return applied.map_err(|error| match error {
                Unwritten::Fault(fault) => Unwritten::Fault(Fault { in_place: true, ..fault }),
                edited @ Unwritten::Edited { .. } => edited,
            });
        }
        match &self.text {
            Some(text) => write(&symlink::resolve(path)?, text, file.access(), sync, is_expected),
            None => remove(path),
        }
    }
}

/// Leaves a file alone that holds the text already, but makes sure that it is on the disk.
fn write(
    path: &Path,
    text: &str,
    access: Access,
    sync: Sync,
    is_expected: impl Fn() -> bool,
) -> Result<(), Unwritten> {
    match files::read(path, FILE_LIMIT) {
        Ok(Some(bytes)) if bytes == text.as_bytes() => Ok(files::sync_directory(files::parent(path), sync)?),
        Ok(Some(_) | None) | Err(_) => files::replace(path, text.as_bytes(), access, sync, is_expected),
    }
}

/// What the files of the store are to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoreJournal {
    files: BTreeMap<StoreFile, FileContent>,
    /// What they held before. Journals of 0.1.0 do not say it: what they name is replaced, whatever it is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    before: BTreeMap<StoreFile, FileContent>,
    /// The history that is renamed with its profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Renamed>,
}

/// What is left to do of a journal that a command left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Remaining {
    /// What these files are to hold, those to be removed last.
    pub files: Vec<(StoreFile, FileContent)>,
    /// The files that a person has edited since; they stay as they are.
    pub edited: Vec<StoreFile>,
}

impl Remaining {
    pub fn get(&self, file: &StoreFile) -> Option<&FileContent> {
        self.files.iter().find(|(name, _)| name == file).map(|(_, content)| content)
    }
}

impl StoreJournal {
    /// The journal that a command left, with its bytes.
    pub fn read(layout: &StoreLayout) -> Result<Option<Vec<u8>>, StoreError> {
        let path = layout.root.join(JOURNAL);
        layout.read(&path, JOURNAL_LIMIT).map_err(|error| about_root(&layout.root, error))
    }

    pub fn parse(layout: &StoreLayout, bytes: &[u8]) -> Result<Self, StoreError> {
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
    pub fn remaining(&self, layout: &StoreLayout) -> Remaining {
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

    fn is_edited(&self, layout: &StoreLayout, file: &StoreFile, after: &FileContent) -> bool {
        // What leads elsewhere by now is nothing that a command has left, and nothing can be written where the
        // project is gone.
        let is_gone = file.project().is_some_and(|directory| !directory.exists());
        if is_gone || layout.check_document(file).is_err() {
            return true;
        }
        let path = layout.path(file);
        let is = |content: &FileContent| content.is_at(&path);
        self.before.get(file).is_some_and(|before| !is(before) && !is(after))
    }
}

/// One file of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileChange {
    pub file: StoreFile,
    pub before: FileContent,
    pub after: FileContent,
}

impl FileChange {
    /// Takes the change back, unless a person has saved the file since.
    fn undo(&self, layout: &StoreLayout) -> Result<(), Unwritten> {
        let path = layout.path(&self.file);
        if self.before.is_replaced_at(&path) && self.after.is_replaced_at(&path) {
            return Ok(());
        }
        self.before.apply(&self.file, &path, Sync::Skipped, || true)
    }
}

/// Brings a file to what it is to hold, if it still holds what it held before, as far as that is known.
fn write_after(
    layout: &StoreLayout,
    file: &StoreFile,
    before: Option<&FileContent>,
    after: &FileContent,
) -> Result<(), Unwritten> {
    let path = layout.path(file);
    // It may be done already, by whoever recorded it.
    let is_expected =
        || before.is_none_or(|before| !before.is_replaced_at(&path) || !after.is_replaced_at(&path));
    after.apply(file, &path, Sync::Required, is_expected)
}

/// One step of a commit; each can be repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JournalStep {
    /// Writes the journal, if the files still hold what it says that they held.
    Record {
        text: String,
        before: BTreeMap<StoreFile, FileContent>,
    },
    Apply(FileChange),
    Rename(Renamed),
    Forget,
}

impl JournalStep {
    pub fn run(&self, layout: &StoreLayout) -> Result<(), Unwritten> {
        match self {
            Self::Record { text, before } => {
                let mut files_before = before.iter().map(|(file, content)| (layout.path(file), content));
                let mut edited = None;
                let is_expected = || {
                    edited = files_before
                        .find(|(path, content)| content.is_replaced_at(path))
                        .map(|(path, _)| path);
                    edited.is_none()
                };
                let path = layout.root.join(JOURNAL);
                let recorded =
                    files::replace(&path, text.as_bytes(), Access::Private, Sync::Required, is_expected);
                recorded.map_err(|error| edited.map_or(error, |path| Unwritten::Edited { path }))
            }
            Self::Apply(FileChange { file, before, after }) => write_after(layout, file, Some(before), after),
            Self::Rename(renamed) => Ok(renamed.apply(layout, Sync::Required)?),
            Self::Forget => Ok(files::remove(&layout.root.join(JOURNAL), Sync::Required)?),
        }
    }

    fn undo(&self, layout: &StoreLayout) -> Result<(), Unwritten> {
        match self {
            Self::Record { .. } => Ok(files::remove(&layout.root.join(JOURNAL), Sync::Skipped)?),
            Self::Apply(change) => change.undo(layout),
            Self::Rename(renamed) => Ok(renamed.undo(layout)?),
            Self::Forget => Ok(()),
        }
    }
}

/// The steps that make a change: one for one file, and through the journal for several.
pub(super) fn steps(
    layout: &StoreLayout,
    mut changes: Vec<FileChange>,
    history: Option<Renamed>,
) -> Result<Vec<JournalStep>, StoreError> {
    if changes.len() < 2 && history.is_none() {
        return Ok(changes.into_iter().map(JournalStep::Apply).collect());
    }
    let journal = StoreJournal {
        files: changes.iter().map(|change| (change.file.clone(), change.after.clone())).collect(),
        before: changes.iter().map(|change| (change.file.clone(), change.before.clone())).collect(),
        history: history.clone(),
    };
    let path = layout.root.join(JOURNAL);
    let text = document::text_of(&path, &journal)?;
    let before = journal.before;
    if text.len() as u64 > JOURNAL_LIMIT {
        return Err(StoreError::Unstorable { path, reason: format!("larger than {JOURNAL_LIMIT} bytes") });
    }
    changes.sort_by_key(|change| change.after.is_nothing());
    let applications = changes.into_iter().map(JournalStep::Apply).chain(history.map(JournalStep::Rename));
    Ok([JournalStep::Record { text, before }]
        .into_iter()
        .chain(applications)
        .chain([JournalStep::Forget])
        .collect())
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
    layout: &StoreLayout,
    changes: Vec<FileChange>,
    history: Option<Renamed>,
) -> Result<(), StoreError> {
    let steps = steps(layout, changes, history)?;
    for (done, step) in steps.iter().enumerate() {
        match step.run(layout) {
            Ok(()) => {}
            Err(Unwritten::Edited { path }) => {
                return Err(match take_back(layout, &steps[..done]) {
                    ChangeOutcome::NothingChanged => StoreError::Edited { path },
                    outcome => {
                        Fault::of("replace", &path)(std::io::Error::other("it is being edited")).with(outcome)
                    }
                });
            }
            Err(Unwritten::Fault(fault)) => {
                let outcome = match step {
                    JournalStep::Forget if fault.in_place => ChangeOutcome::NotDurable,
                    JournalStep::Record { .. }
                    | JournalStep::Apply(_)
                    | JournalStep::Rename(_)
                    | JournalStep::Forget => take_back(layout, &steps[..done + usize::from(fault.in_place)]),
                };
                return Err(fault.with(outcome));
            }
        }
    }
    Ok(())
}

/// Undoes steps, the last one first: as long as the journal is there, readers see the whole change.
pub(super) fn take_back(layout: &StoreLayout, steps: &[JournalStep]) -> ChangeOutcome {
    if steps.iter().rev().try_for_each(|step| step.undo(layout)).is_ok() {
        ChangeOutcome::NothingChanged
    } else if layout.root.join(JOURNAL).exists() {
        ChangeOutcome::Recorded
    } else {
        ChangeOutcome::NotDurable
    }
}

/// The directories of the projects that the journal names, which a command has left.
pub(super) fn projects(layout: &StoreLayout) -> Result<BTreeSet<PathBuf>, StoreError> {
    let Some(bytes) = StoreJournal::read(layout)? else { return Ok(BTreeSet::new()) };
    let journal = StoreJournal::parse(layout, &bytes)?;
    Ok(journal.files.keys().filter_map(|file| file.project().map(Path::to_owned)).collect())
}

/// Finishes what a command that was killed has recorded, but for the files that a person has edited
/// since, which it gives back. Only for the holder of the lock.
pub(super) fn recover(layout: &StoreLayout) -> Result<Vec<StoreFile>, StoreError> {
    let Some(bytes) = StoreJournal::read(layout)? else { return Ok(Vec::new()) };
    let journal = StoreJournal::parse(layout, &bytes)?;
    loop {
        let Remaining { files, edited } = journal.remaining(layout);
        let finished = files
            .iter()
            .try_for_each(|(file, after)| write_after(layout, file, journal.before.get(file), after))
            .and_then(|()| {
                journal.history.iter().try_for_each(|history| history.apply(layout, Sync::Required))?;
                JournalStep::Forget.run(layout)
            });
        match finished {
            Ok(()) => return Ok(edited),
            // It counts as edited the next time.
            Err(Unwritten::Edited { .. }) => {}
            Err(Unwritten::Fault(fault)) => return Err(fault.nothing_changed()),
        }
    }
}
