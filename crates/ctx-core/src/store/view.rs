//! Reading: without a lock, and yet as if the store stood still.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::error::{Fault, Outcome};
use super::journal::{Content, Journal, Remaining};
use super::layout::{self, Layout, PROFILES, StoreFile};
use super::state::State;
use super::{FILE_LIMIT, List, ProfileName, StoreError, Target, document, files};
use crate::entry::{Provenance, Scope, ScopedEntry};

/// The store at one moment.
///
/// Several files are read one after the other while others may be writing, so at the end
/// they are read once more. If none has changed in between, they all stood side by side at the moment when
/// the first pass ended; else reading starts over.
#[derive(Debug)]
pub struct View<'a> {
    layout: &'a Layout,
    remaining: Remaining,
    seen: RefCell<Vec<Seen>>,
}

#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Journal(Option<Vec<u8>>),
    File(StoreFile, Option<Vec<u8>>),
    Profiles(BTreeSet<ProfileName>),
}

impl<'a> View<'a> {
    pub(super) fn open(layout: &'a Layout) -> Result<Self, StoreError> {
        let bytes = Journal::read(layout)?;
        let remaining = match &bytes {
            Some(bytes) => Journal::parse(layout, bytes)?.remaining(layout),
            None => Remaining::default(),
        };
        Ok(Self { layout, remaining, seen: RefCell::new(vec![Seen::Journal(bytes)]) })
    }

    pub(super) fn still_holds(&self) -> bool {
        self.seen.borrow().iter().all(|seen| {
            let again = match seen {
                Seen::Journal(_) => Journal::read(self.layout).map(Seen::Journal),
                Seen::File(file, _) => read(self.layout, file).map(|bytes| Seen::File(file.clone(), bytes)),
                Seen::Profiles(_) => profiles_on_disk(self.layout).map(Seen::Profiles),
            };
            again.is_ok_and(|again| again == *seen)
        })
    }

    /// The global list; the built-in one as long as there is no file.
    ///
    /// # Errors
    /// Those of reading a store file: damaged, too large, not regular, unreadable.
    pub fn global(&self) -> Result<List, StoreError> {
        Ok(self.list(&StoreFile::Global)?.unwrap_or_else(List::built_in_global))
    }

    /// The list of a profile; the default profile is empty as long as it has no file.
    ///
    /// # Errors
    /// [`StoreError::NoSuchProfile`] and those of reading a store file.
    pub fn profile(&self, name: &ProfileName) -> Result<List, StoreError> {
        match self.list(&StoreFile::Profile(name.clone()))? {
            Some(list) => Ok(list),
            None if name.is_default() => Ok(List::default()),
            None => Err(StoreError::NoSuchProfile { name: name.clone() }),
        }
    }

    /// The entries of the global list and, after them, those of a profile.
    ///
    /// # Errors
    /// As [`View::profile`].
    pub fn entries(&self, profile: &ProfileName) -> Result<Vec<ScopedEntry>, StoreError> {
        let mut entries = self.scoped(&Target::Global)?;
        entries.extend(self.scoped(&Target::Profile(profile.clone()))?);
        Ok(entries)
    }

    /// The entries of a list, with where they come from.
    ///
    /// # Errors
    /// As [`View::profile`].
    pub fn scoped(&self, target: &Target) -> Result<Vec<ScopedEntry>, StoreError> {
        let list = match target {
            Target::Global => self.global()?,
            Target::Profile(name) => self.profile(name)?,
        };
        Ok(list.scoped(self.provenance(target)).collect())
    }

    /// Where the entries of a list come from.
    #[must_use]
    pub fn provenance(&self, target: &Target) -> Provenance {
        let scope = match target {
            Target::Global => Scope::Global,
            Target::Profile(_) => Scope::Profile,
        };
        Provenance { scope, author: self.layout.author() }
    }

    /// Whether there is such a profile.
    ///
    /// # Errors
    /// Those of reading a store file.
    pub fn has_profile(&self, name: &ProfileName) -> Result<bool, StoreError> {
        Ok(name.is_default() || self.bytes(&StoreFile::Profile(name.clone()))?.is_some())
    }

    /// Checks a name that stands in the place of the active profile.
    ///
    /// # Errors
    /// [`StoreError::UnknownProfile`], which names those that exist, and those of reading the store.
    pub fn require_profile(&self, name: &ProfileName) -> Result<(), StoreError> {
        if self.has_profile(name)? {
            return Ok(());
        }
        Err(StoreError::UnknownProfile { name: name.clone(), available: self.profiles()? })
    }

    /// All profiles, `default` first, then by name.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the directory cannot be read.
    pub fn profiles(&self) -> Result<Vec<ProfileName>, StoreError> {
        let mut names = profiles_on_disk(self.layout)?;
        self.seen.borrow_mut().push(Seen::Profiles(names.clone()));
        for (file, content) in &self.remaining.files {
            match file {
                StoreFile::Profile(name) if content.text.is_some() => drop(names.insert(name.clone())),
                StoreFile::Profile(name) => drop(names.remove(name)),
                StoreFile::Global | StoreFile::State => {}
            }
        }
        names.insert(ProfileName::default_profile());
        Ok(names.into_iter().collect())
    }

    /// The profile that `state.json` names, whether it exists or not.
    ///
    /// # Errors
    /// Those of reading a store file.
    pub fn stored_active(&self) -> Result<ProfileName, StoreError> {
        let file = StoreFile::State;
        let state: Option<State> =
            self.bytes(&file)?.map(|bytes| document::parse(&self.layout.path(&file), &bytes)).transpose()?;
        Ok(state.unwrap_or_default().profile)
    }

    /// The active profile.
    ///
    /// # Errors
    /// [`StoreError::ActiveProfileGone`] and those of reading a store file.
    pub fn active(&self) -> Result<ProfileName, StoreError> {
        let name = self.stored_active()?;
        if self.has_profile(&name)? { Ok(name) } else { Err(StoreError::ActiveProfileGone { name }) }
    }

    /// Checks that a list could be stored in the place of another.
    ///
    /// # Errors
    /// [`StoreError::Unstorable`].
    pub fn check_storable(&self, target: &Target, list: &List) -> Result<(), StoreError> {
        document::to_write(&self.layout.path(&StoreFile::from(target)), list).map(drop)
    }

    fn list(&self, file: &StoreFile) -> Result<Option<List>, StoreError> {
        self.bytes(file)?.map(|bytes| document::parse(&self.layout.path(file), &bytes)).transpose()
    }

    fn bytes(&self, file: &StoreFile) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(Content { text, .. }) = self.remaining.get(file) {
            return Ok(text.clone().map(String::into_bytes));
        }
        let bytes = read(self.layout, file)?;
        self.seen.borrow_mut().push(Seen::File(file.clone(), bytes.clone()));
        Ok(bytes)
    }
}

fn read(layout: &Layout, file: &StoreFile) -> Result<Option<Vec<u8>>, StoreError> {
    layout.read(&layout.path(file), FILE_LIMIT).map_err(|error| match (file, &error) {
        // What stands in the way of all profiles is not to be looked for in one of them.
        (StoreFile::Profile(_), StoreError::Io { .. }) => directory(layout).err().unwrap_or(error),
        (StoreFile::Profile(_) | StoreFile::Global | StoreFile::State, _) => error,
    })
}

fn profiles_on_disk(layout: &Layout) -> Result<BTreeSet<ProfileName>, StoreError> {
    let names = directory(layout)?.into_iter().filter(|path| path.exists());
    Ok(names.filter_map(|path| layout::profile_name(path.file_name()?)).collect())
}

/// Profiles whose files are symbolic links that lead to no file, or in a circle.
pub(super) fn broken_links(layout: &Layout) -> Result<BTreeSet<ProfileName>, StoreError> {
    let links = directory(layout)?.into_iter().filter(|path| path.is_symlink() && !path.exists());
    Ok(links.filter_map(|path| layout::profile_name(path.file_name()?)).collect())
}

/// Files among the profiles whose names break the rule for profiles, sorted; they are never used.
pub(super) fn strays(layout: &Layout) -> Result<Vec<PathBuf>, StoreError> {
    let is_stray = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| layout::profile_name(name).is_none() && !files::is_temporary(name, None))
    };
    let mut strays: Vec<PathBuf> = directory(layout)?.into_iter().filter(is_stray).collect();
    strays.sort();
    Ok(strays)
}

/// The directories of the store, and those that its links lead to, in which everyone may write.
pub(super) fn unsafe_directories(layout: &Layout) -> BTreeSet<PathBuf> {
    let profiles = directory(layout).unwrap_or_default().into_iter();
    let profiles = profiles.filter(|path| path.file_name().and_then(layout::profile_name).is_some());
    let files =
        [StoreFile::Global, StoreFile::State].map(|file| layout.path(&file)).into_iter().chain(profiles);
    let links = files.filter(|path| path.is_symlink());
    let targets = links.filter_map(|path| Some(path.canonicalize().ok()?.parent()?.to_owned()));
    let all = [layout.root.clone(), layout.root.join(PROFILES)].into_iter().chain(targets);
    let is_unsafe = |path: &PathBuf| matches!(files::check_safe(path), Err(StoreError::Unsafe { .. }));
    all.filter(is_unsafe).collect()
}

fn directory(layout: &Layout) -> Result<Vec<PathBuf>, StoreError> {
    let path = layout.root.join(PROFILES);
    layout.check(&path)?;
    let listed = match fs::read_dir(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened.and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect()),
    };
    listed.map_err(|error| Fault::of("list", &path)(error).with(Outcome::NothingAsked))
}
