//! A list and its tasks, with the keys of Amazon Q Developer CLI.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::store::{ProfileName, StoreError, distinct};
use crate::words::counted;

/// Tasks in order, with their context.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object with a list of \"tasks\"")]
pub struct TodoList {
    /// The id given by the program that created the list.
    #[serde(default)]
    pub id: String,
    /// What the list is for.
    #[serde(default)]
    pub description: String,
    /// The tasks; a task's number is its position, counted from 1.
    #[serde(default)]
    pub tasks: Vec<Task>,
    /// What was learned along the way.
    #[serde(default)]
    pub context: Vec<String>,
    /// Files that were changed along the way, as they were named.
    #[serde(default)]
    pub modified_files: Vec<String>,
    /// Keys that this version does not know; kept when the list is rewritten.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// Something to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object with a \"task_description\"")]
pub struct Task {
    /// What to do.
    pub task_description: String,
    /// Whether it is done.
    #[serde(default)]
    pub completed: bool,
    /// A note about it, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Keys that this version does not know.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl Task {
    /// An open task.
    #[must_use]
    pub fn open(description: &str) -> Self {
        Self { task_description: description.to_owned(), ..Self::default() }
    }
}

impl TodoList {
    /// An empty list, named after its file.
    #[must_use]
    pub fn new(name: &ProfileName) -> Self {
        Self { id: name.to_string(), ..Self::default() }
    }

    /// How many tasks are done.
    #[must_use]
    pub fn done(&self) -> usize {
        self.tasks.iter().filter(|task| task.completed).count()
    }

    /// Whether there are tasks and all of them are done.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        !self.tasks.is_empty() && self.done() == self.tasks.len()
    }

    /// The number of the first open task.
    #[must_use]
    pub fn next(&self) -> Option<usize> {
        self.tasks.iter().position(|task| !task.completed).map(|place| place + 1)
    }

    /// Marks tasks as done, each with the note if there is one.
    ///
    /// # Errors
    /// [`TodoError::NoSuchTask`]; the list is then unchanged.
    pub fn complete(&mut self, numbers: &[usize], note: Option<&str>) -> Result<(), TodoError> {
        self.check(numbers)?;
        for number in numbers {
            let task = &mut self.tasks[number - 1];
            task.completed = true;
            if let Some(note) = note {
                task.note = Some(note.to_owned());
            }
        }
        Ok(())
    }

    /// Marks tasks as open; their notes stay.
    ///
    /// # Errors
    /// Same as [`TodoList::complete`].
    pub fn reopen(&mut self, numbers: &[usize]) -> Result<(), TodoError> {
        self.check(numbers)?;
        numbers.iter().for_each(|number| self.tasks[number - 1].completed = false);
        Ok(())
    }

    /// Removes tasks; later ones get lower numbers.
    ///
    /// # Errors
    /// Same as [`TodoList::complete`].
    pub fn remove(&mut self, numbers: &[usize]) -> Result<(), TodoError> {
        self.check(numbers)?;
        let mut number = 0;
        self.tasks.retain(|_| {
            number += 1;
            !numbers.contains(&number)
        });
        Ok(())
    }

    /// Records changed files, each once.
    pub fn add_files(&mut self, files: &[String]) {
        for file in distinct(files) {
            if !self.modified_files.iter().any(|known| known == file) {
                self.modified_files.push(file.to_owned());
            }
        }
    }

    fn check(&self, numbers: &[usize]) -> Result<(), TodoError> {
        let missing = numbers.iter().find(|number| **number == 0 || **number > self.tasks.len());
        match missing {
            Some(number) => Err(TodoError::NoSuchTask { number: *number, tasks: self.tasks.len() }),
            None => Ok(()),
        }
    }
}

/// Everything that can go wrong with a to-do list.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are the message's")]
pub enum TodoError {
    /// An error from the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The list does not exist.
    #[error("List '{name}' does not exist")]
    Unknown { name: ProfileName },
    /// The list already exists.
    #[error("List '{name}' already exists")]
    Exists { name: ProfileName },
    /// There is no task with this number.
    #[error("there is no task {number}: the list has {}", counted(*tasks, "task"))]
    NoSuchTask { number: usize, tasks: usize },
}
