//! Changes to several files that appear as one.
//!
//! A change to one file is atomic, because it is a rename. A change to several files goes through a journal, in
//! these steps:
//!
//! 1. Record: `journal.json` appears, by a rename, with the new contents of all the files.
//! 2. Apply: each file is changed according to the journal; doing this twice has the same result.
//! 3. Forget: the journal is removed.
//!
//! The first step decides. Readers use the contents in the journal instead of a file, so they see nothing of
//! the change before that step and all of it afterwards; a command killed at any point leaves one of these
//! two states. The next writer, who holds the lock, repeats the second and third steps. A file that is then
//! neither in its old nor in its new state was edited by a person: the edit is kept, and so is everything
//! that the change would have removed. The same applies if the file's project is gone. If a person saves a
//! file while a command is at work, this is noticed just before the file is replaced: the command undoes what
//! it did and starts over. If a step fails while the command is alive, it undoes what it did. The files come
//! before the state and removals come last, so that the files are consistent at each moment even without the
//! journal.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::{ChangeOutcome, Fault, Unwritten};
use super::files::{self, Sync};
use super::layout::{JOURNAL, StoreFile, StoreLayout};
use super::permissions::Access;
use super::renamed::Renamed;
use super::symlink;
use super::{FILE_LIMIT, StoreError, document};
use crate::read::marks::unmarked;

/// The largest journal, in bytes: enough for everything that one import can contain, as JSON within JSON.
const JOURNAL_LIMIT: u64 = 4 << 30;

/// The state of a path: nothing, a file, a link to a file, or a dangling link.
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

    /// Whether this is the state of the path.
    fn is_at(&self, path: &Path) -> bool {
        let is_same_link = cfg!(not(unix)) || symlink::target(path).is_ok_and(|target| target == self.link);
        // A file that is too large, not regular, or unreadable is not what a command wrote.
        let is_same_text =
            || files::read(path, FILE_LIMIT).is_ok_and(|bytes| bytes.map(text_of) == self.text);
        is_same_link && is_same_text()
    }

    /// Whether the path has a different state now. If the system does not let us read it, it is assumed to be
    /// the same.
    fn is_replaced_at(&self, path: &Path) -> bool {
        let is_other_link = cfg!(unix) && symlink::target(path).is_ok_and(|target| target != self.link);
        is_other_link
            || match files::read(path, FILE_LIMIT) {
                Ok(bytes) => bytes.map(text_of) != self.text,
                Err(StoreError::Io { .. }) => false,
                Err(_) => true,
            }
    }

    /// Whether a file that was just moved here has other contents. If the system does not let us read it, they
    /// are assumed to be the same.
    fn is_replaced_by(&self, moved: &Path) -> bool {
        match files::holds(moved, self.text.as_ref().map(String::as_bytes), moved) {
            Ok(is_same) => {
                !is_same && files::read(moved, FILE_LIMIT).is_ok_and(|now| now.map(text_of) != self.text)
            }
            Err(StoreError::Io { .. }) => false,
            Err(_) => true,
        }
    }

    /// Applies the state, through a link if there is one, if the current state is one of the expected ones; none
    /// means any.
    fn apply(&self, file: &StoreFile, path: &Path, sync: Sync, expected: &[&Self]) -> Result<(), Unwritten> {
        let is_now = || expected.is_empty() || expected.iter().any(|state| !state.is_replaced_at(path));
        let has_come_out =
            |at: &Path| expected.is_empty() || expected.iter().any(|state| !state.is_replaced_by(at));
        #[cfg(unix)]
        if let Some(target) = &self.link {
            if !is_now() {
                return Err(Unwritten::Edited { path: path.to_owned() });
            }
            files::link(path, target, sync)?;
            let last = symlink::resolve(path)?;
            let applied = match &self.text {
                Some(text) => write(&last, text, file.access(), sync, |_| true),
                None => files::remove(&last, sync).map_err(Unwritten::Fault),
            };
            // Part of the work had been done before the rest failed.
            return applied.map_err(|error| match error {
                Unwritten::Fault(fault) => Unwritten::Fault(Fault { in_place: true, ..fault }),
                edited @ Unwritten::Edited { .. } => edited,
            });
        }
        let last = if self.text.is_some() { symlink::resolve(path)? } else { path.to_owned() };
        let is_expected = |at: &Path| if at == last { is_now() } else { has_come_out(at) };
        match &self.text {
            Some(text) => write(&last, text, file.access(), sync, is_expected),
            None => files::remove_if(&last, sync, is_expected),
        }
    }
}

/// The text of a store file. UTF-16, in which other programs may write it, is decoded.
pub(super) fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(&unmarked(error.as_bytes())).into_owned())
}

/// Writes the text, unless the file already contains it; then only makes sure that it is on disk.
fn write(
    path: &Path,
    text: &str,
    access: Access,
    sync: Sync,
    is_expected: impl Fn(&Path) -> bool,
) -> Result<(), Unwritten> {
    match files::read(path, FILE_LIMIT) {
        Ok(Some(bytes)) if bytes == text.as_bytes() => Ok(files::sync_directory(files::parent(path), sync)?),
        Ok(Some(_) | None) | Err(_) => files::replace(path, text.as_bytes(), access, sync, is_expected),
    }
}

/// The new contents of store files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoreJournal {
    files: BTreeMap<StoreFile, FileContent>,
    /// Their previous contents. Journals from version 0.1.0 do not have them: the files they name are always
    /// replaced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    before: BTreeMap<StoreFile, FileContent>,
    /// The history that is renamed with its profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Renamed>,
}

/// The remaining work of a journal that a command left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remaining {
    /// The new contents of these files, with removals last.
    pub files: Vec<(StoreFile, FileContent)>,
    /// The files that a person has edited since; they stay unchanged.
    pub edited: Vec<StoreFile>,
}

impl StoreJournal {
    /// The bytes of the journal that a command left behind, if any.
    pub fn read(layout: &StoreLayout) -> Result<Option<Vec<u8>>, StoreError> {
        let path = layout.root.join(JOURNAL);
        layout.read(&path, JOURNAL_LIMIT).map_err(|error| about_root(&layout.root, error))
    }

    pub fn parse(layout: &StoreLayout, bytes: &[u8]) -> Result<Self, StoreError> {
        let path = layout.root.join(JOURNAL);
        let journal: Self = document::parse(&path, bytes)?;
        // A journal that others wrote must not make us write elsewhere.
        let makes_link = journal.files.values().any(|content| content.link.is_some());
        let leaves = journal.files.keys().any(|file| matches!(file, StoreFile::Project { .. }));
        if (makes_link || leaves) && layout.is_of_others() {
            return Err(StoreError::Linked { path });
        }
        Ok(journal)
    }

    /// Compares the files with the journal.
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
        // A command leaves no links here, and nothing can be written if the project is gone.
        let is_gone = file.project().is_some_and(|directory| !directory.exists());
        if is_gone || layout.check_document(file).is_err() {
            return true;
        }
        let path = layout.path(file);
        let is = |content: &FileContent| content.is_at(&path);
        self.before.get(file).is_some_and(|before| !is(before) && !is(after))
    }
}

/// The change to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileChange {
    pub file: StoreFile,
    pub before: FileContent,
    pub after: FileContent,
}

impl FileChange {
    /// Undoes the change, unless a person has saved the file since.
    fn undo(&self, layout: &StoreLayout) -> Result<(), Unwritten> {
        let path = layout.path(&self.file);
        if self.before.is_replaced_at(&path) && self.after.is_replaced_at(&path) {
            return Ok(());
        }
        match self.before.apply(&self.file, &path, Sync::Skipped, &[&self.before, &self.after]) {
            // It has been saved just now.
            Err(Unwritten::Edited { .. }) => Ok(()),
            undone => undone,
        }
    }
}

/// Changes a file to its new contents, if it still has its previous ones, as far as they are known.
fn write_after(
    layout: &StoreLayout,
    file: &StoreFile,
    before: Option<&FileContent>,
    after: &FileContent,
) -> Result<(), Unwritten> {
    // The command that recorded the change may already have made it.
    let expected: Vec<&FileContent> = before.into_iter().flat_map(|before| [before, after]).collect();
    after.apply(file, &layout.path(file), Sync::Required, &expected)
}

/// One step of a commit; each can be repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JournalStep {
    /// Writes the journal, if the files still have their recorded previous contents.
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
                let edited = || {
                    let files = before.iter().map(|(file, content)| (layout.path(file), content));
                    files.filter(|(path, content)| content.is_replaced_at(path)).map(|(path, _)| path).next()
                };
                let path = layout.root.join(JOURNAL);
                let is_expected = |_: &Path| edited().is_none();
                let recorded =
                    files::replace(&path, text.as_bytes(), Access::Private, Sync::Required, is_expected);
                recorded.map_err(|error| match error {
                    Unwritten::Edited { path } => Unwritten::Edited { path: edited().unwrap_or(path) },
                    fault @ Unwritten::Fault(_) => fault,
                })
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

/// The steps of a change: a single step for one file, or the steps of the journal for several.
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

/// If the journal, the first file that is read, is unreadable, the whole store may be at fault.
fn about_root(root: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::Io { fault, outcome } if std::fs::read_dir(root).is_err() => {
            let fault = Fault { operation: "read the store", path: root.to_owned(), ..fault };
            StoreError::Io { fault, outcome }
        }
        error => error,
    }
}

/// Makes a change, completely or not at all.
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

/// Undoes steps, the last one first: while the journal exists, readers see the whole change.
pub(super) fn take_back(layout: &StoreLayout, steps: &[JournalStep]) -> ChangeOutcome {
    if steps.iter().rev().try_for_each(|step| step.undo(layout)).is_ok() {
        ChangeOutcome::NothingChanged
    } else if layout.root.join(JOURNAL).exists() {
        ChangeOutcome::Recorded
    } else {
        ChangeOutcome::NotDurable
    }
}

/// The directories of the projects in a journal that a command left behind.
pub(super) fn projects(layout: &StoreLayout) -> Result<BTreeSet<PathBuf>, StoreError> {
    let Some(bytes) = StoreJournal::read(layout)? else { return Ok(BTreeSet::new()) };
    let journal = StoreJournal::parse(layout, &bytes)?;
    Ok(journal.files.keys().filter_map(|file| file.project().map(Path::to_owned)).collect())
}

/// Finishes what a killed command recorded, except for files that a person has edited since, which it returns.
/// Only for the holder of the lock.
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
            // The file counts as edited the next time.
            Err(Unwritten::Edited { .. }) => {}
            Err(Unwritten::Fault(fault)) => return Err(fault.nothing_changed()),
        }
    }
}
