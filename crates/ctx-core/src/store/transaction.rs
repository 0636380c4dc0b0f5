//! Changes are made in memory first; differences are written at the end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::Fault;
use super::journal::{FileChange, FileContent, text_of};
use super::layout::{StoreFile, StoreLayout};
use super::renamed::Renamed;
use super::state::{ActiveProfile, Choice, ChosenFor, StateFile};
use super::symlink;
use super::{List, ListTarget, ProfileName, StoreError, View, document, files};
use crate::entry::Entry;

/// The store as one writer sees and changes it; see [`super::Store::update`].
///
/// Each file is read when it is first needed, so a damaged one only stops changes that need it.
#[derive(Debug)]
pub struct Transaction<'a> {
    layout: &'a StoreLayout,
    kept_edits: Vec<PathBuf>,
    state: Option<ChangeSlot<StateFile>>,
    lists: BTreeMap<StoreFile, ChangeSlot<List>>,
    renamed: Option<Renamed>,
}

/// The old and the new state of a file.
#[derive(Debug)]
struct ChangeSlot<T> {
    before: FileContent,
    now: Option<ReadValue<T>>,
}

/// A value together with the text that it was read from, so that an unchanged one is not rewritten.
#[derive(Debug)]
struct ReadValue<T> {
    value: T,
    link: Option<PathBuf>,
    /// The value when it was read, if it was.
    read: Option<T>,
    /// The text that it was read from; `None` if there was no file.
    text: Option<String>,
}

impl<T: Clone + PartialEq + Serialize + DeserializeOwned> ReadValue<T> {
    fn new(value: T) -> Self {
        Self { value, link: None, read: None, text: None }
    }

    fn content(&self, path: &Path) -> Result<FileContent, StoreError> {
        let text = if self.read.as_ref() == Some(&self.value) {
            self.text.clone()
        } else {
            Some(document::to_write(path, &self.value)?)
        };
        Ok(FileContent { link: self.link.clone(), text })
    }
}

impl<T: Clone + PartialEq + Serialize + DeserializeOwned> ChangeSlot<T> {
    /// Reads a file; `implied` is the value if it does not exist.
    fn load(layout: &StoreLayout, file: &StoreFile, implied: Option<T>) -> Result<Self, StoreError> {
        let path = &layout.path(file);
        layout.check_document(file)?;
        let link = observed_link(path)?;
        let bytes = layout.read_document(file).map_err(StoreError::before_any_change)?;
        let value = match &bytes {
            Some(bytes) => Some(document::parse(path, bytes).map_err(|error| file.about(error))?),
            None => implied,
        };
        let before = FileContent { link, text: bytes.map(text_of) };
        let FileContent { link, text } = before.clone();
        Ok(Self {
            before,
            now: value.map(|value: T| ReadValue { read: Some(value.clone()), value, link, text }),
        })
    }

    fn change(&self, layout: &StoreLayout, file: StoreFile) -> Result<Option<FileChange>, StoreError> {
        let path = layout.path(&file);
        let after = match &self.now {
            Some(document) => document.content(&path)?,
            None if self.before.text.is_none() => self.before.clone(),
            None => FileContent::default(),
        };
        if after == self.before {
            return Ok(None);
        }
        if after.text.is_some() {
            if let StoreFile::Project { .. } | StoreFile::Cleared { .. } = file {
                let made = files::create_directory(files::parent(&path), file.access());
                made.map_err(Fault::nothing_changed)?;
            }
            let first = after.link.as_ref().map_or(path.clone(), |link| files::parent(&path).join(link));
            let last = symlink::resolve(&first).map_err(Fault::nothing_changed)?;
            files::check_safe(files::parent(&last))?;
        }
        Ok(Some(FileChange { file, before: self.before.clone(), after }))
    }
}

/// The target of a profile that is a link, so that it stays a link when it is renamed. This only applies to
/// systems where anybody can create links.
#[cfg(unix)]
fn observed_link(path: &Path) -> Result<Option<PathBuf>, StoreError> {
    symlink::target(path).map_err(Fault::nothing_changed)
}

#[cfg(not(unix))]
fn observed_link(_: &Path) -> Result<Option<PathBuf>, StoreError> {
    Ok(None)
}

impl<'a> Transaction<'a> {
    /// A change to the store; `edited` are the files that the preceding recovery left alone.
    pub(super) fn new(layout: &'a StoreLayout, edited: &[StoreFile]) -> Self {
        let kept_edits = edited.iter().map(|file| layout.path(file)).collect();
        Self { layout, kept_edits, state: None, lists: BTreeMap::new(), renamed: None }
    }

    /// The files that a person edited after a command was interrupted, so that the command's changes to them were
    /// not made.
    #[must_use]
    pub fn kept_edits(&self) -> &[PathBuf] {
        &self.kept_edits
    }

    /// The store as it was before this change.
    ///
    /// # Errors
    /// Errors from reading the journal.
    pub fn before(&self) -> Result<View<'a>, StoreError> {
        View::open(self.layout)
    }

    /// The changes to the files, without rewriting unchanged ones.
    pub(super) fn changes(&self) -> Result<Vec<FileChange>, StoreError> {
        let lists = self.lists.iter().map(|(file, slot)| slot.change(self.layout, file.clone()));
        let state = self.state.iter().map(|slot| slot.change(self.layout, StoreFile::State));
        lists.chain(state).filter_map(Result::transpose).collect()
    }

    /// The history that is renamed with its profile.
    pub(super) fn renamed_history(&self) -> Option<Renamed> {
        self.renamed.clone()
    }

    /// A list, to be read and changed.
    ///
    /// # Errors
    /// [`StoreError::NoSuchProfile`] and errors from reading a store file.
    pub fn list_mut(&mut self, target: &ListTarget) -> Result<&mut List, StoreError> {
        let missing = match target {
            ListTarget::Global => ProfileName::default_profile(),
            ListTarget::Profile(name) => name.clone(),
        };
        let file = self.file(target)?;
        match &mut self.slot(file)?.now {
            Some(document) => Ok(&mut document.value),
            None => Err(StoreError::NoSuchProfile { name: missing }),
        }
    }

    /// Whether the profile exists now.
    ///
    /// # Errors
    /// Errors from reading a store file.
    pub fn has_profile(&mut self, name: &ProfileName) -> Result<bool, StoreError> {
        let file = self.file_of(name)?;
        Ok(self.slot(file)?.now.is_some())
    }

    /// Creates a new profile and returns its empty list; the active profile stays the same.
    ///
    /// # Errors
    /// [`StoreError::ProfileExists`] and errors from reading a store file.
    pub fn create_profile(&mut self, name: &ProfileName) -> Result<&mut List, StoreError> {
        let slot = self.slot(self.layout.own(name))?;
        if slot.now.is_some() {
            return Err(StoreError::ProfileExists { name: name.clone() });
        }
        let link = slot.before.link.clone();
        let document = slot.now.insert(ReadValue { link, ..ReadValue::new(List::default()) });
        Ok(&mut document.value)
    }

    /// Writes the file of the default profile, if it does not exist.
    ///
    /// # Errors
    /// Errors from reading a store file.
    pub fn write_default(&mut self) -> Result<(), StoreError> {
        let slot = self.slot(self.layout.own(&ProfileName::default_profile()))?;
        if slot.before.text.is_none() {
            slot.now = Some(ReadValue::new(List::default()));
        }
        Ok(())
    }

    /// Replaces the entries of a list with these, keeps the old ones, and returns how many there were. Clearing an
    /// empty list does not change what [`Transaction::bring_back`] restores.
    ///
    /// # Errors
    /// Same as [`Transaction::list_mut`].
    pub fn clear(&mut self, target: &ListTarget, paths: Vec<Entry>) -> Result<usize, StoreError> {
        let before = std::mem::replace(&mut self.list_mut(target)?.paths, paths);
        let count = before.len();
        if count > 0 {
            let cleared = self.cleared(target)?;
            self.slot(cleared)?.now = Some(ReadValue::new(List::of(before)));
        }
        Ok(count)
    }

    /// Restores the entries that a list had when it was last cleared, before its current ones; returns how many,
    /// if there are any.
    ///
    /// # Errors
    /// Same as [`Transaction::list_mut`].
    pub fn bring_back(&mut self, target: &ListTarget) -> Result<Option<usize>, StoreError> {
        let cleared = self.cleared(target)?;
        let Some(ReadValue { value: mut back, .. }) = self.slot(cleared)?.now.take() else { return Ok(None) };
        let count = back.paths.len();
        let list = self.list_mut(target)?;
        let now = std::mem::take(&mut list.paths);
        let new: Vec<Entry> =
            now.into_iter().filter(|entry| back.position(&entry.name()).is_none()).collect();
        back.paths.extend(new);
        self.list_mut(target)?.paths = back.paths;
        Ok(Some(count))
    }

    fn cleared(&mut self, target: &ListTarget) -> Result<StoreFile, StoreError> {
        let list = self.file(target)?;
        Ok(self.layout.cleared(&list))
    }

    fn file(&mut self, target: &ListTarget) -> Result<StoreFile, StoreError> {
        match target {
            ListTarget::Global => Ok(StoreFile::Global),
            ListTarget::Profile(name) => self.file_of(name),
        }
    }

    /// Deletes a profile, unless it is the default one, the active one, or protected. Returns the other places
    /// where it was chosen, and chooses the default profile there.
    ///
    /// # Errors
    /// [`StoreError::DeleteDefault`], [`StoreError::NoSuchProfile`], [`StoreError::DeleteActive`], and errors
    /// from reading a store file.
    pub fn delete_profile(
        &mut self,
        name: &ProfileName,
        protected: &[ProfileName],
    ) -> Result<Vec<ChosenFor>, StoreError> {
        if name.is_default() {
            return Err(StoreError::DeleteDefault);
        }
        self.require(name)?;
        if self.choice()?.profile == *name || protected.contains(name) {
            return Err(StoreError::DeleteActive);
        }
        self.slot(self.layout.own(name))?.now = None;
        let here = self.layout.here();
        let state = self.state()?;
        let elsewhere = state.elsewhere(here, name);
        state.release(here, name);
        Ok(elsewhere)
    }

    /// Renames a profile and its history; it stays chosen wherever it was.
    ///
    /// # Errors
    /// [`StoreError::HistoryExists`], [`StoreError::RenameDefault`], [`StoreError::RenameToDefault`],
    /// [`StoreError::NoSuchProfile`], [`StoreError::ProfileExists`], and errors from reading a store file.
    pub fn rename_profile(&mut self, old: &ProfileName, new: &ProfileName) -> Result<(), StoreError> {
        if old.is_default() {
            return Err(StoreError::RenameDefault);
        }
        if new.is_default() {
            return Err(StoreError::RenameToDefault);
        }
        self.require(old)?;
        if self.has_own(new)? {
            return Err(StoreError::ProfileExists { name: new.clone() });
        }
        self.renamed = Renamed::of(self.layout, old, new)?;
        let moved = self.slot(self.layout.own(old))?.now.take();
        self.slot(self.layout.own(new))?.now = moved;
        let here = self.layout.here();
        self.state()?.rename(here, old, new);
        Ok(())
    }

    /// The previously active profile, if any.
    ///
    /// # Errors
    /// Errors from reading a store file.
    pub fn previous(&mut self) -> Result<Option<ProfileName>, StoreError> {
        Ok(self.choice()?.previous)
    }

    /// The choice in `state.json` for this place, whether the profile exists or not.
    ///
    /// # Errors
    /// Errors from reading a store file.
    pub fn choice(&mut self) -> Result<Choice, StoreError> {
        let here = self.layout.here();
        Ok(self.state()?.choice(here))
    }

    /// Makes a profile active here.
    ///
    /// # Errors
    /// [`StoreError::NoSuchProfile`] and errors from reading a store file.
    pub fn set_active(&mut self, name: &ProfileName) -> Result<(), StoreError> {
        self.require(name)?;
        let here = self.layout.here();
        let Choice { profile, previous, .. } = self.choice()?;
        let previous = if profile == *name { previous } else { Some(profile) };
        self.state()?.choose(here, ActiveProfile { active: name.clone(), previous });
        Ok(())
    }

    /// The previous profile of places without their own choice.
    ///
    /// # Errors
    /// Errors from reading a store file.
    pub fn previous_everywhere(&mut self) -> Result<Option<ProfileName>, StoreError> {
        Ok(self.state()?.everywhere().and_then(|everywhere| everywhere.previous.clone()))
    }

    /// Makes a profile active where none was chosen.
    ///
    /// # Errors
    /// [`StoreError::NoSuchProfile`] and errors from reading a store file.
    pub fn set_active_everywhere(&mut self, name: &ProfileName) -> Result<(), StoreError> {
        self.require(name)?;
        let before = self.state()?.everywhere().cloned();
        let active =
            before.as_ref().map_or_else(ProfileName::default_profile, |before| before.active.clone());
        if before.is_none() || active != *name {
            let previous = (active != *name).then_some(active);
            self.state()?.choose_everywhere(ActiveProfile { active: name.clone(), previous });
        }
        Ok(())
    }

    /// The file for a name: the project's or, if it has none with that name, the user's own.
    fn file_of(&mut self, name: &ProfileName) -> Result<StoreFile, StoreError> {
        let (own, users) = (self.layout.own(name), StoreFile::Profile(name.clone()));
        let is_own = own == users || self.slot(own.clone())?.now.is_some();
        Ok(if is_own || self.slot(users.clone())?.now.is_none() { own } else { users })
    }

    fn has_own(&mut self, name: &ProfileName) -> Result<bool, StoreError> {
        Ok(self.slot(self.layout.own(name))?.now.is_some())
    }

    fn require(&mut self, name: &ProfileName) -> Result<(), StoreError> {
        let name = name.clone();
        if self.has_own(&name)? {
            Ok(())
        } else if self.has_profile(&name)? {
            Err(StoreError::NotOfProject { name })
        } else {
            Err(StoreError::NoSuchProfile { name })
        }
    }

    fn slot(&mut self, file: StoreFile) -> Result<&mut ChangeSlot<List>, StoreError> {
        use std::collections::btree_map::Entry;
        match self.lists.entry(file) {
            Entry::Occupied(slot) => Ok(slot.into_mut()),
            Entry::Vacant(place) => {
                let implied = match place.key() {
                    StoreFile::Global => Some(List::built_in_global()),
                    StoreFile::Profile(name) | StoreFile::Project { name, .. } => {
                        name.is_default().then(List::default)
                    }
                    StoreFile::State | StoreFile::Cleared { .. } => None,
                };
                let slot = ChangeSlot::load(self.layout, place.key(), implied)?;
                Ok(place.insert(slot))
            }
        }
    }

    fn state(&mut self) -> Result<&mut StateFile, StoreError> {
        let slot = match self.state.take() {
            Some(slot) => slot,
            None => ChangeSlot::load(self.layout, &StoreFile::State, Some(StateFile::default()))?,
        };
        let slot = self.state.insert(slot);
        Ok(&mut slot.now.get_or_insert_with(|| ReadValue::new(StateFile::default())).value)
    }
}
