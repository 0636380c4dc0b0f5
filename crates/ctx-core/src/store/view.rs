//! Reading without a lock, as if the store stood still.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::{ChangeOutcome, Fault};
use super::journal::{FileContent, StoreJournal};
use super::layout::{self, PROFILES, StoreFile, StoreLayout};
use super::state::{Choice, ChosenFor, StateFile};
use super::{List, ProfileName, StoreError, document, symlink};
use crate::entry::{Provenance, Scope, ScopedEntry};

/// The list that a command changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListTarget {
    /// The global list.
    Global,
    /// The list of a profile.
    Profile(ProfileName),
}

/// The store at one moment.
///
/// Several files are read one after the other while other processes may be writing, so at the end the files
/// are read again. If none has changed in between, they all existed together at the moment when the first
/// pass ended; otherwise reading starts over.
#[derive(Debug)]
pub struct View<'a> {
    layout: &'a StoreLayout,
    /// The files that an interrupted change has yet to write or remove.
    remaining: BTreeMap<StoreFile, FileContent>,
    seen: RefCell<Vec<SeenFile>>,
}

#[derive(Debug, PartialEq, Eq)]
enum SeenFile {
    Journal(Option<Vec<u8>>),
    /// A file, with the hash of its contents: a command may read many.
    File(StoreFile, Option<[u8; 32]>),
    /// The profiles in a directory.
    Profiles(PathBuf, BTreeSet<ProfileName>),
}

impl SeenFile {
    fn of_file(file: &StoreFile, bytes: Option<&[u8]>) -> Self {
        Self::File(file.clone(), bytes.map(|bytes| Sha256::digest(bytes).into()))
    }
}

impl<'a> View<'a> {
    pub(super) fn open(layout: &'a StoreLayout) -> Result<Self, StoreError> {
        let bytes = StoreJournal::read(layout)?;
        let remaining = match &bytes {
            Some(bytes) => StoreJournal::parse(layout, bytes)?.remaining(layout).files.into_iter().collect(),
            None => BTreeMap::new(),
        };
        Ok(Self { layout, remaining, seen: RefCell::new(vec![SeenFile::Journal(bytes)]) })
    }

    pub(super) fn still_holds(&self) -> bool {
        self.seen.borrow().iter().all(|seen| {
            let again = match seen {
                SeenFile::Journal(_) => StoreJournal::read(self.layout).map(SeenFile::Journal),
                SeenFile::File(file, _) => {
                    read(self.layout, file).map(|bytes| SeenFile::of_file(file, bytes.as_deref()))
                }
                SeenFile::Profiles(directory, _) => {
                    profiles_on_disk(directory).map(|names| SeenFile::Profiles(directory.clone(), names))
                }
            };
            again.is_ok_and(|again| again == *seen)
        })
    }

    /// The global list; the built-in one if there is no file.
    ///
    /// # Errors
    /// Errors from reading a store file: damaged, too large, not regular, unreadable.
    pub fn global(&self) -> Result<List, StoreError> {
        Ok(self.list(&StoreFile::Global)?.unwrap_or_else(List::built_in_global))
    }

    /// The list of a profile; empty for the default profile without a file.
    ///
    /// # Errors
    /// [`StoreError::NoSuchProfile`] and errors from reading a store file.
    pub fn profile(&self, name: &ProfileName) -> Result<List, StoreError> {
        match self.list(&self.file_of(name)?)? {
            Some(list) => Ok(list),
            None if name.is_default() => Ok(List::default()),
            None => Err(StoreError::NoSuchProfile { name: name.clone() }),
        }
    }

    /// The entries of the global list, followed by those of a profile.
    ///
    /// # Errors
    /// Same as [`View::profile`].
    pub fn entries(&self, profile: &ProfileName) -> Result<Vec<ScopedEntry>, StoreError> {
        let mut entries = self.scoped(&ListTarget::Global)?;
        entries.extend(self.scoped(&ListTarget::Profile(profile.clone()))?);
        Ok(entries)
    }

    /// The entries of a list, with their provenance.
    ///
    /// # Errors
    /// Same as [`View::profile`].
    pub fn scoped(&self, target: &ListTarget) -> Result<Vec<ScopedEntry>, StoreError> {
        let list = match target {
            ListTarget::Global => self.global()?,
            ListTarget::Profile(name) => self.profile(name)?,
        };
        Ok(list.scoped(self.provenance(target)?).collect())
    }

    /// The provenance of a list's entries.
    ///
    /// # Errors
    /// Errors from reading a store file.
    pub fn provenance(&self, target: &ListTarget) -> Result<Provenance, StoreError> {
        let file = self.file(target)?;
        let scope = match target {
            ListTarget::Global => Scope::Global,
            ListTarget::Profile(_) if file.project().is_some() => Scope::Project,
            ListTarget::Profile(_) => Scope::Profile,
        };
        Ok(Provenance { scope, author: self.layout.author(&file) })
    }

    fn file(&self, target: &ListTarget) -> Result<StoreFile, StoreError> {
        match target {
            ListTarget::Global => Ok(StoreFile::Global),
            ListTarget::Profile(name) => self.file_of(name),
        }
    }

    /// The file for a name: the project's or, if it has none with that name, the user's own.
    fn file_of(&self, name: &ProfileName) -> Result<StoreFile, StoreError> {
        let own = self.layout.own(name);
        let users = StoreFile::Profile(name.clone());
        let is_own = own == users || name.is_default() || self.bytes(&own)?.is_some();
        Ok(if is_own || self.bytes(&users)?.is_none() { own } else { users })
    }

    /// Whether a name means one of the user's own profiles although a project is in use.
    ///
    /// # Errors
    /// Errors from reading a store file.
    pub fn is_beside_project(&self, name: &ProfileName) -> Result<bool, StoreError> {
        Ok(self.file_of(name)? != self.layout.own(name))
    }

    /// Whether the profile exists.
    ///
    /// # Errors
    /// Errors from reading a store file.
    pub fn has_profile(&self, name: &ProfileName) -> Result<bool, StoreError> {
        Ok(name.is_default() || self.bytes(&self.file_of(name)?)?.is_some())
    }

    /// Checks a name that is used instead of the active profile.
    ///
    /// # Errors
    /// [`StoreError::UnknownProfile`], which lists the existing ones, and errors from reading the store.
    pub fn require_profile(&self, name: &ProfileName) -> Result<(), StoreError> {
        if self.has_profile(name)? {
            return Ok(());
        }
        Err(StoreError::UnknownProfile { name: name.clone(), available: self.profiles()? })
    }

    /// All profiles, `default` first, then by name; a project's first, followed by the user's own.
    ///
    /// # Errors
    /// [`StoreError::Io`] if a directory cannot be read.
    pub fn profiles(&self) -> Result<Vec<ProfileName>, StoreError> {
        let mut names = self.own_profiles()?;
        if self.layout.project.is_some() {
            let users = self.listed(&self.layout.root.join(PROFILES))?;
            let known: BTreeSet<ProfileName> = names.iter().cloned().collect();
            names.extend(users.into_iter().filter(|name| !known.contains(name)));
        }
        Ok(names)
    }

    /// The profiles of the project, or of the user if there is none: `default` first, then by name.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the directory cannot be read.
    pub fn own_profiles(&self) -> Result<Vec<ProfileName>, StoreError> {
        self.layout.check_profiles()?;
        let mut names = self.listed(&self.layout.profiles())?;
        names.insert(ProfileName::default_profile());
        Ok(names.into_iter().collect())
    }

    /// The profiles in a directory, as if the rest of an interrupted change had been made.
    fn listed(&self, directory: &Path) -> Result<BTreeSet<ProfileName>, StoreError> {
        let mut names = profiles_on_disk(directory)?;
        self.seen.borrow_mut().push(SeenFile::Profiles(directory.to_owned(), names.clone()));
        for (file, content) in &self.remaining {
            let path = self.layout.path(file);
            let name = path.file_name().filter(|_| path.parent() == Some(directory));
            match (name.and_then(layout::profile_name), &content.text) {
                (Some(name), Some(_)) => drop(names.insert(name)),
                (Some(name), None) => drop(names.remove(&name)),
                (None, _) => {}
            }
        }
        Ok(names)
    }

    /// The choice in `state.json` for this place, whether the profile exists or not.
    ///
    /// # Errors
    /// Errors from reading a store file.
    pub fn choice(&self) -> Result<Choice, StoreError> {
        Ok(self.state()?.choice(self.layout.here()))
    }

    /// Where else a profile was chosen.
    ///
    /// # Errors
    /// Errors from reading a store file.
    pub fn chosen_elsewhere(&self, name: &ProfileName) -> Result<Vec<ChosenFor>, StoreError> {
        Ok(self.state()?.elsewhere(self.layout.here(), name))
    }

    fn state(&self) -> Result<StateFile, StoreError> {
        let file = StoreFile::State;
        let parsed = self.bytes(&file)?.map(|bytes| document::parse(&self.layout.path(&file), &bytes));
        Ok(parsed.transpose()?.unwrap_or_default())
    }

    /// The active profile.
    ///
    /// # Errors
    /// [`StoreError::ActiveProfileGone`] and errors from reading a store file.
    pub fn active(&self) -> Result<ProfileName, StoreError> {
        let name = self.choice()?.profile;
        if self.has_profile(&name)? && !self.is_beside_project(&name)? {
            Ok(name)
        } else {
            Err(StoreError::ActiveProfileGone { name })
        }
    }

    /// Checks that a list could replace another one in the store.
    ///
    /// # Errors
    /// [`StoreError::Unstorable`].
    pub fn check_storable(&self, target: &ListTarget, list: &List) -> Result<(), StoreError> {
        document::to_write(&self.layout.path(&self.file(target)?), list).map(drop)
    }

    fn list(&self, file: &StoreFile) -> Result<Option<List>, StoreError> {
        let parsed = self.bytes(file)?.map(|bytes| document::parse(&self.layout.path(file), &bytes));
        parsed.transpose().map_err(|error| file.about(error))
    }

    fn bytes(&self, file: &StoreFile) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(FileContent { text, .. }) = self.remaining.get(file) {
            return Ok(text.clone().map(String::into_bytes));
        }
        let bytes = read(self.layout, file)?;
        self.seen.borrow_mut().push(SeenFile::of_file(file, bytes.as_deref()));
        Ok(bytes)
    }
}

fn read(layout: &StoreLayout, file: &StoreFile) -> Result<Option<Vec<u8>>, StoreError> {
    layout.read_document(file).map_err(|error| {
        // An error that concerns all profiles must not be blamed on one of them.
        if matches!((file, &error), (StoreFile::Profile(_), StoreError::Io { .. })) {
            directory(&layout.root.join(PROFILES)).err().unwrap_or(error)
        } else {
            error
        }
    })
}

fn profiles_on_disk(path: &Path) -> Result<BTreeSet<ProfileName>, StoreError> {
    let names = directory(path)?.into_iter().filter(|path| path.exists());
    Ok(names.filter_map(|path| layout::profile_name(path.file_name()?)).collect())
}

/// The names of the files in a directory with this ending, without it, if they are valid profile names; none
/// if the directory does not exist.
pub(crate) fn names_in(path: &Path, ending: &str) -> Result<Vec<ProfileName>, StoreError> {
    let name =
        |path: PathBuf| path.file_name()?.to_str()?.strip_suffix(ending).and_then(ProfileName::of_history);
    Ok(directory(path)?.into_iter().filter_map(name).collect())
}

pub(super) fn directory(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let listed = match fs::read_dir(path) {
        Err(error) if symlink::is_absence(path, &error) => return Ok(Vec::new()),
        opened => opened.and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect()),
    };
    listed.map_err(|error| Fault::of("list", path)(error).with(ChangeOutcome::NothingAsked))
}
