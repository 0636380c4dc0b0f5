//! The to-do lists of a store: where they are, and how they are read and changed.

use std::path::{Path, PathBuf};

use super::{TodoError, TodoList};
use crate::entry::Author;
use crate::store::lines::{self, LineWriter};
use crate::store::{FILE_LIMIT, ProfileName, Store, StoreError, Transaction, document, names_in};

const EXTENSION: &str = ".json";

/// A list and its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedList {
    /// Its name.
    pub name: ProfileName,
    /// The list.
    pub list: TodoList,
}

/// The result of importing a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The list.
    pub name: ProfileName,
    /// How many tasks are new.
    pub tasks: usize,
    /// Whether the list was created.
    pub is_new: bool,
}

/// A list as stored in its file.
struct StoredList {
    path: PathBuf,
    bytes: Option<Vec<u8>>,
    list: Option<TodoList>,
}

impl StoredList {
    /// Replaces the stored list, unless somebody has saved the file since.
    fn replace(&self, writer: &LineWriter, list: &TodoList) -> Result<(), StoreError> {
        let text = document::to_write(&self.path, list)?;
        writer.replace(&self.path, self.bytes.as_deref(), text.as_bytes())
    }
}

/// Reading and changing the to-do lists of a store.
impl Store {
    /// Where a list is: in the project, or else in the user's store; a new one belongs to the project.
    fn todo_file(&self, name: &ProfileName) -> PathBuf {
        let files = self.todo_files(name);
        let there = files.iter().find(|file| file.symlink_metadata().is_ok());
        there.or(files.first()).cloned().unwrap_or_default()
    }

    fn todo_files(&self, name: &ProfileName) -> Vec<PathBuf> {
        let file = format!("{name}{EXTENSION}");
        self.todo_directories().into_iter().map(|directory| directory.join(&file)).collect()
    }

    /// The names of all lists, the project's and the user's own, `default` first, then by their bytes.
    ///
    /// # Errors
    /// If a directory of lists cannot be read.
    pub fn todo_names(&self) -> Result<Vec<ProfileName>, TodoError> {
        let mut names: Vec<ProfileName> = Vec::new();
        for directory in self.todo_directories() {
            self.check_todo_list(&directory)?;
            names.extend(names_in(&directory, EXTENSION)?);
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// The list that a command works on: `named`, or the only one, or 'default'.
    ///
    /// # Errors
    /// If none is named, and a directory of lists cannot be read.
    pub fn todo_list_meant(&self, named: Option<ProfileName>) -> Result<ProfileName, TodoError> {
        if let Some(named) = named {
            return Ok(named);
        }
        Ok(match self.todo_names()?.as_slice() {
            [only] => only.clone(),
            _ => ProfileName::default_profile(),
        })
    }

    /// Whether a list is the user's own although a project is in use.
    #[must_use]
    pub fn is_todo_list_beside_project(&self, name: &ProfileName) -> bool {
        self.project_root().is_some() && self.todo_file(name).starts_with(self.root())
    }

    /// The list that an entry by this author names; a project's entries only name the project's lists.
    ///
    /// # Errors
    /// Same as [`Store::todo_list`].
    pub fn todo_list_for(&self, name: &ProfileName, author: Author) -> Result<TodoList, TodoError> {
        let file = match author {
            Author::Project => self.todo_files(name).swap_remove(0),
            Author::User | Author::CommandLine | Author::List | Author::Prompt => self.todo_file(name),
        };
        self.read_todo_list(&file)?.ok_or_else(|| TodoError::Unknown { name: name.clone() })
    }

    /// Reads a list.
    ///
    /// # Errors
    /// [`TodoError::Unknown`], and errors from reading a store file.
    pub fn todo_list(&self, name: &ProfileName) -> Result<TodoList, TodoError> {
        self.todo_list_if_any(name)?.ok_or_else(|| TodoError::Unknown { name: name.clone() })
    }

    fn todo_list_if_any(&self, name: &ProfileName) -> Result<Option<TodoList>, StoreError> {
        Ok(self.stored_todo_list(name)?.list)
    }

    fn read_todo_list(&self, path: &Path) -> Result<Option<TodoList>, StoreError> {
        Ok(self.stored(path.to_owned())?.list)
    }

    fn stored_todo_list(&self, name: &ProfileName) -> Result<StoredList, StoreError> {
        self.stored(self.todo_file(name))
    }

    fn stored(&self, path: PathBuf) -> Result<StoredList, StoreError> {
        self.check_todo_list(&path)?;
        let bytes = lines::read(&path, FILE_LIMIT)?;
        let list = bytes.as_deref().map(|bytes| document::parse(&path, bytes)).transpose()?;
        Ok(StoredList { path, bytes, list })
    }

    /// Changes a list, or creates it if allowed, and returns its new state.
    ///
    /// # Errors
    /// [`TodoError::Unknown`], errors from `changing`, and from changing the store.
    pub fn change_todo_list(
        &self,
        name: &ProfileName,
        may_make: bool,
        mut changing: impl FnMut(&mut TodoList) -> Result<(), TodoError>,
    ) -> Result<TodoList, TodoError> {
        if !may_make {
            // A misspelled name must not create a list.
            self.todo_list(name)?;
        }
        self.writing(|writer| {
            let stored = self.stored_todo_list(name)?;
            let made = || may_make.then(|| TodoList::new(name));
            let unknown = || TodoError::Unknown { name: name.clone() };
            let mut list = stored.list.clone().or_else(made).ok_or_else(unknown)?;
            changing(&mut list)?;
            if stored.list.as_ref() != Some(&list) {
                stored.replace(writer, &list)?;
            }
            Ok(list)
        })
    }

    /// Changes the store and imports to-do lists, without letting another writer in between. All lists are
    /// imported, or none if one already exists and `merge` is not set. Merging adds missing tasks to a list.
    ///
    /// # Errors
    /// [`TodoError::Exists`], errors from `changing`, and from changing the store.
    pub fn update_and_import<T, E: From<StoreError> + From<TodoError>>(
        &self,
        imported: &[NamedList],
        merge: bool,
        mut changing: impl FnMut(&mut Transaction) -> Result<T, E>,
    ) -> Result<(T, Vec<Merged>), E> {
        let changing = |store: &mut Transaction<'_>| {
            self.check_todo_import(imported, merge)?;
            changing(store)
        };
        self.update_and(changing, |value, writer| {
            let merge = |named| {
                writer
                    .until_unedited(|| self.merge_todo_list(writer, named))
                    .map_err(StoreError::after_others)
            };
            let merged: Result<_, StoreError> = imported.iter().map(merge).collect();
            Ok((value, merged?))
        })
    }

    /// Checks that [`Store::update_and_import`] would not be refused.
    ///
    /// # Errors
    /// [`TodoError::Exists`], and errors from reading a store file.
    pub fn check_todo_import(&self, imported: &[NamedList], merge: bool) -> Result<(), TodoError> {
        for NamedList { name, .. } in imported {
            if self.todo_list_if_any(name)?.is_some() && !merge {
                return Err(TodoError::Exists { name: name.clone() });
            }
        }
        Ok(())
    }

    fn merge_todo_list(
        &self,
        writer: &LineWriter,
        NamedList { name, list: imported }: &NamedList,
    ) -> Result<Merged, StoreError> {
        let mut stored = self.stored_todo_list(name)?;
        let is_new = stored.list.is_none();
        let empty = || TodoList { tasks: Vec::new(), ..imported.clone() };
        let mut list = stored.list.take().unwrap_or_else(empty);
        let known = list.tasks.len();
        for task in &imported.tasks {
            let is_known = |other: &super::Task| other.task_description == task.task_description;
            if is_new || !list.tasks[..known].iter().any(is_known) {
                list.tasks.push(task.clone());
            }
        }
        let tasks = list.tasks.len() - known;
        if is_new || tasks > 0 {
            stored.replace(writer, &list)?;
        }
        Ok(Merged { name: name.clone(), tasks, is_new })
    }

    /// Removes a list.
    ///
    /// # Errors
    /// [`TodoError::Unknown`], and errors from changing the store. A damaged list can be removed.
    pub fn remove_todo_list(&self, name: &ProfileName) -> Result<(), TodoError> {
        let is_there = || self.todo_file(name).symlink_metadata().is_ok();
        let unknown = || TodoError::Unknown { name: name.clone() };
        if !is_there() {
            return Err(unknown());
        }
        self.check_todo_list(&self.todo_file(name))?;
        self.writing(
            |writer| if is_there() { Ok(writer.remove(&self.todo_file(name))?) } else { Err(unknown()) },
        )
    }

    /// Removes all lists whose tasks are done, and returns their names.
    ///
    /// # Errors
    /// If a list cannot be read, and errors from changing the store.
    pub fn remove_finished_todo_lists(&self) -> Result<Vec<ProfileName>, TodoError> {
        if self.finished_todo_lists()?.is_empty() {
            return Ok(Vec::new());
        }
        let mut finished = Vec::new();
        self.writing(|writer| {
            for name in self.finished_todo_lists()? {
                let stored = self.stored_todo_list(&name)?;
                if stored.list.as_ref().is_some_and(TodoList::is_finished) {
                    writer.remove_unedited(&stored.path, stored.bytes.as_deref())?;
                    finished.push(name);
                }
            }
            Ok::<_, TodoError>(())
        })?;
        Ok(finished)
    }

    fn finished_todo_lists(&self) -> Result<Vec<ProfileName>, TodoError> {
        let mut finished = Vec::new();
        // The user's own lists are left alone in a project.
        for name in self.todo_names()?.into_iter().filter(|name| !self.is_todo_list_beside_project(name)) {
            if self.todo_list_if_any(&name)?.is_some_and(|list| list.is_finished()) {
                finished.push(name);
            }
        }
        Ok(finished)
    }
}
