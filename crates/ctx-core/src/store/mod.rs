//! The store: a directory of JSON files with the global list, the profiles and the active profile.
//!
//! Readers take no lock; see [`View`] for why they see a consistent state. Writers go through [`Store::update`],
//! one at a time:
//!
//! 1. take the lock on `store.lock`;
//! 2. finish what a killed command left behind (its journal, its temporary files), except for what a person
//!    has edited since;
//! 3. read, change in memory, compare;
//! 4. write what differs: a temporary file, synced, renamed, and the directory synced; several files
//!    through the journal;
//! 5. report success.

pub mod document;
mod error;
mod files;
mod journal;
mod layout;
pub(crate) mod lines;
mod list;
mod lock;
mod on_disk;
mod permissions;
mod renamed;
mod spelling;
mod state;
#[doc(hidden)]
pub mod symlink;
mod transaction;
mod view;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use crate::profile_name::{ProfileName, QUESTIONS};
pub use error::{StoreError, StoreErrorKind};
pub use files::FILE_LIMIT;
pub(crate) use layout::JOURNAL;
pub use list::{Defaults, LONGEST_INSTRUCTION, List, MoveTo, READER, Setting, Switch};
pub(crate) use lock::Lock;
pub use spelling::{ByPath, distinct, first_places, is_same_path};
pub use state::{Choice, ChoicePlace, ChosenFor};
pub use transaction::Transaction;
pub(crate) use view::names_in;
pub use view::{ListTarget, View};

use error::{ChangeOutcome, Fault};
use journal::StoreJournal;
use layout::{StoreFile, StoreLayout};
use lines::{ATTEMPTS, LineWriter};
use permissions::Access;

use crate::fs::Owners;

/// How long a writer waits for the others.
const PATIENCE: Duration = Duration::from_secs(10);

/// A store in a given directory; nothing is read or created before it is needed.
///
/// Reading takes no lock, and sees the state of one moment even while others write.
#[derive(Debug, Clone)]
pub struct Store {
    layout: StoreLayout,
    patience: Duration,
}

impl Store {
    /// The store in a directory, which need not exist yet.
    #[must_use]
    pub fn at(root: PathBuf) -> Self {
        Self { layout: StoreLayout::of_user(root), patience: PATIENCE }
    }

    /// The files of a store, whether they exist or not, and everything else among its profiles, histories and
    /// to-do lists.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let root = self.root();
        let named = [StoreFile::Global.to_string(), StoreFile::State.to_string()];
        let others = [layout::MODELS, layout::JOURNAL, layout::LOCK].map(str::to_owned);
        let mut files: Vec<PathBuf> = named.into_iter().chain(others).map(|name| root.join(name)).collect();
        for directory in [layout::PROFILES, layout::HISTORIES, layout::TODO] {
            let entries = std::fs::read_dir(root.join(directory)).into_iter().flatten().flatten();
            files.extend(entries.map(|entry| entry.path()));
        }
        files
    }

    /// The store's directory: the option's value, or the variable's, or else `ctx` in the configuration directory.
    /// An empty variable counts as unset.
    ///
    /// # Errors
    /// [`StoreError::NoRoot`] if none of the three is known.
    #[doc(hidden)]
    pub fn root_from(
        flag: Option<PathBuf>,
        home: Option<OsString>,
        config_dir: Option<PathBuf>,
    ) -> Result<PathBuf, StoreError> {
        flag.or_else(|| home.filter(|home| !home.is_empty()).map(PathBuf::from))
            .or_else(|| config_dir.map(|dir| dir.join("ctx")))
            .ok_or(StoreError::NoRoot)
    }

    /// Checks that a directory that somebody named for the store can exist: without one at the usual place, there is
    /// no store, but nobody named that place.
    ///
    /// # Errors
    /// If it would be in something that is not a directory.
    #[doc(hidden)]
    pub fn check_named(root: &Path) -> Result<(), StoreError> {
        match root.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                Err(Fault::of("read", root)(error).with(ChangeOutcome::NothingAsked))
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.layout.root
    }

    /// The contents of the user's own `models.json`; `None` if there is none, or if others may have written it.
    ///
    /// # Errors
    /// If it cannot be read, is not a regular file or is too large.
    pub fn models(&self) -> Result<Option<Vec<u8>>, StoreError> {
        if self.is_of_others() {
            Ok(None)
        } else {
            files::read(&self.layout.root.join(layout::MODELS), FILE_LIMIT)
        }
    }

    /// The directory of the profiles.
    #[must_use]
    pub fn profiles_directory(&self) -> PathBuf {
        self.layout.profiles()
    }

    /// The directory of the histories.
    #[must_use]
    pub fn histories_directory(&self) -> PathBuf {
        self.layout.histories()
    }

    /// The directories of to-do lists: the project's, if there is one, and that of the user's store.
    pub(crate) fn todo_directories(&self) -> Vec<PathBuf> {
        self.layout.todo_lists()
    }

    /// Refuses a link, or a file that belongs to somebody else, on the path to a to-do list.
    pub(crate) fn check_todo_list(&self, path: &Path) -> Result<(), StoreError> {
        self.layout.check_todo_list(path)
    }

    /// All profiles, `default` first, then by name.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the directory cannot be read.
    pub fn profiles(&self) -> Result<Vec<ProfileName>, StoreError> {
        self.read(|view| view.profiles())
    }

    /// The active profile: `default` until another one is chosen.
    ///
    /// # Errors
    /// [`StoreError::ActiveProfileGone`] and errors from reading a store file.
    pub fn active(&self) -> Result<ProfileName, StoreError> {
        self.read(|view| view.active())
    }
}

impl Store {
    /// This store, as one that others may have written. Its files are used only if they belong to these users
    /// and are not links, and its entries can reach no further than a project's (see
    /// [`crate::select::bound`]).
    #[must_use]
    pub fn of_others(self, owners: Owners) -> Self {
        Self { layout: self.layout.of_others(owners), ..self }
    }

    /// This store, with the profiles of a project on top. `directory` is the project's, absolute and with all
    /// links above it resolved. Its files are used only if they belong to these users and are not links.
    #[must_use]
    pub fn with_project(self, directory: PathBuf, owners: Owners) -> Self {
        Self { layout: self.layout.with_project(directory, owners), ..self }
    }

    /// This store in a work root, for which a profile can be chosen.
    #[must_use]
    pub fn in_root(mut self, place: ChoicePlace) -> Self {
        self.layout.place = Some(place);
        self
    }

    /// This store without the profiles of a project.
    #[must_use]
    pub fn of_user_alone(&self) -> Self {
        let mut store = self.clone();
        store.layout.project = None;
        store
    }

    /// The root of the project whose profiles are in use, if any.
    #[must_use]
    pub fn project_root(&self) -> Option<&Path> {
        self.layout.project.as_deref()?.parent()
    }

    /// Whether others may have written the store.
    #[must_use]
    pub fn is_of_others(&self) -> bool {
        self.layout.is_of_others()
    }
}

#[doc(hidden)]
impl Store {
    /// This store with a different limit for waiting for the lock.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Reads several things as they were at one moment; `reading` may be called more than once.
    ///
    /// # Errors
    /// Errors from `reading`, and from reading the journal.
    pub fn read<T, E: From<StoreError>>(&self, reading: impl Fn(&View) -> Result<T, E>) -> Result<T, E> {
        let mut attempt = 1;
        loop {
            let view = View::open(&self.layout)?;
            let result = reading(&view);
            if view.still_holds() || attempt == ATTEMPTS {
                return result;
            }
            attempt += 1;
        }
    }

    /// See [`View::global`].
    ///
    /// # Errors
    /// Same as [`View::global`].
    pub fn global(&self) -> Result<List, StoreError> {
        self.read(|view| view.global())
    }

    /// See [`View::profile`].
    ///
    /// # Errors
    /// Same as [`View::profile`].
    pub fn profile(&self, name: &ProfileName) -> Result<List, StoreError> {
        self.read(|view| view.profile(name))
    }

    /// The files of an unfinished change that were edited after its command was interrupted, and so are left
    /// alone; `None` if no change is unfinished, or if its command is still at work.
    ///
    /// # Errors
    /// Errors from reading the journal.
    pub fn unfinished(&self) -> Result<Option<Vec<PathBuf>>, StoreError> {
        let Some(bytes) = StoreJournal::read(&self.layout)? else { return Ok(None) };
        if Lock::is_held(&self.layout.root.join(layout::LOCK)) {
            return Ok(None);
        }
        let remaining = StoreJournal::parse(&self.layout, &bytes)?.remaining(&self.layout);
        Ok(Some(remaining.edited.iter().map(|file| self.layout.path(file)).collect()))
    }

    /// Changes the store: everything that `changing` does becomes visible at once or, if it or anything else
    /// fails, none of it. Nothing is written if nothing differs at the end. If somebody has saved one of the files
    /// in the meantime, `changing` is called again with the new contents.
    ///
    /// # Errors
    /// Errors from `changing`; [`StoreError::Busy`], [`StoreError::Unsafe`], [`StoreError::Io`] with what
    /// happened to the change, [`StoreError::Unstorable`], and errors from reading a store file.
    pub fn update<T, E: From<StoreError>>(
        &self,
        changing: impl FnMut(&mut Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        self.update_and(changing, |value, _| Ok(value))
    }

    /// Like [`Store::update`], followed by `then` before anybody else can write.
    ///
    /// # Errors
    /// Those of [`Store::update`], and errors from `then`, which is not called if the rest fails.
    pub(crate) fn update_and<T, U, E: From<StoreError>>(
        &self,
        mut changing: impl FnMut(&mut Transaction) -> Result<T, E>,
        then: impl FnOnce(T, &LineWriter) -> Result<U, E>,
    ) -> Result<U, E> {
        let writer = self.lock()?;
        let mut transaction = Transaction::new(&self.layout, &writer.kept_edits);
        let mut attempt = 1;
        let value = loop {
            let value = changing(&mut transaction)?;
            match journal::commit(&self.layout, transaction.changes()?, transaction.renamed_history()) {
                Err(StoreError::Edited { .. }) if attempt < ATTEMPTS => {
                    transaction = Transaction::new(&self.layout, &[]);
                    attempt += 1;
                }
                committed => {
                    committed?;
                    break value;
                }
            }
        };
        then(value, &writer)
    }

    /// Waits for its turn, and then does the work as the only writer. Repeats the work if somebody has saved
    /// the file in the meantime.
    pub(crate) fn writing<T, E: From<StoreError>>(
        &self,
        mut work: impl FnMut(&LineWriter) -> Result<T, E>,
    ) -> Result<T, E> {
        let writer = self.lock()?;
        writer.until_unedited(|| work(&writer))
    }

    /// The contents of a store file that is not a list; `None` if it does not exist. Files that anyone could
    /// have put there are not read.
    ///
    /// # Errors
    /// [`StoreError::Unsafe`], and errors from reading a store file.
    pub(crate) fn read_own(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let bytes = self.layout.read(&self.layout.root.join(name), FILE_LIMIT)?;
        if bytes.is_some() {
            files::check_safe(&self.layout.root)?;
        }
        Ok(bytes)
    }

    /// Changes a store file that is not a list, one writer at a time.
    ///
    /// # Errors
    /// Errors from `changing`, and from changing the store.
    pub(crate) fn replace_own(
        &self,
        name: &str,
        mut changing: impl FnMut(Option<Vec<u8>>) -> Result<Vec<u8>, StoreError>,
    ) -> Result<(), StoreError> {
        self.writing(|writer| {
            let before = self.read_own(name)?;
            let after = changing(before.clone())?;
            if before.as_ref() == Some(&after) {
                return Ok(());
            }
            writer.replace(&self.layout.root.join(name), before.as_deref(), &after)
        })
    }

    /// Checks the directories, takes the lock, and cleans up after killed commands.
    fn lock(&self) -> Result<LineWriter, StoreError> {
        let profiles = self.layout.root.join(layout::PROFILES);
        self.layout.check(&profiles)?;
        self.layout.check(&self.layout.root.join(layout::LOCK))?;
        let made = files::create_directory(&profiles, Access::Private);
        made.map_err(Fault::nothing_changed)?;
        files::check_safe(&self.layout.root)?;
        files::check_safe(&profiles)?;
        let mut locks = vec![Lock::acquire(&self.layout.root.join(layout::LOCK), self.patience)?];
        // A project can belong to several stores. Always lock in this order, to avoid deadlocks.
        let projects = journal::projects(&self.layout)?.into_iter().chain(self.layout.project.clone());
        for project in projects.collect::<BTreeSet<_>>() {
            locks.extend(Lock::of_directory(&project, self.patience)?);
        }
        let edited = journal::recover(&self.layout).map_err(StoreError::before_any_change)?;
        self.layout.written_directories().iter().for_each(|directory| files::sweep(directory));
        Ok(LineWriter::new(locks, self.layout.clone(), edited))
    }
}
