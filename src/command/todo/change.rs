//! The to-do list that a command works on, and the commands that change one.

use std::path::Path;

use clap::{Args, ValueHint};
use clap_complete::ArgValueCandidates;

use crate::app::{App, USERS};
use crate::complete;
use crate::error::Error;
use crate::input;
use ctx_core::store::{FILE_LIMIT, ProfileName};
use ctx_core::todo::{Task, TodoError, TodoList, tasks_of};
use ctx_core::words::{all_of, counted, quoted};

/// Which list.
#[derive(Debug, Clone, Default, Args)]
pub struct ListOption {
    /// The list (default: 'default')
    #[arg(short, long, global = true, value_name = "NAME", value_parser = list_name, add = ArgValueCandidates::new(complete::todo_lists))]
    pub(super) list: Option<ProfileName>,
}

impl ListOption {
    /// The name of the list, whether or not it exists.
    pub(super) fn name(&self) -> ProfileName {
        self.list.clone().unwrap_or_else(ProfileName::default_profile)
    }
}

/// Parses the name of a list.
pub(super) fn list_name(text: &str) -> Result<ProfileName, &'static str> {
    text.parse().map_err(|_| ProfileName::RULE)
}

/// The progress of a list, for confirmations.
pub(super) fn progress(list: &TodoList) -> String {
    format!("{}/{} done", list.done(), list.tasks.len())
}

/// Add tasks to a list, and create the list if needed
///
/// With `-`, reads tasks from standard input: the items of a Markdown checklist (`- [ ]`, `- [x]`), with the
/// indented lines below each as its note, or else one task per line.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx todo add \"Write the notes\" \"Tag it\"
  ctx todo add --list release --description \"Version 1.0\" - < plan.md
  ctx todo show --list release --markdown | ctx todo add --list copy -")]
pub struct AddTasks {
    /// What the list is for
    #[arg(short, long, value_name = "TEXT")]
    description: Option<String>,

    /// Tasks; - is standard input
    #[arg(value_name = "TASK", required_unless_present = "description")]
    tasks: Vec<String>,
}

impl AddTasks {
    /// Adds the tasks.
    pub fn run(self, app: &App, which: &ListOption) -> Result<(), Error> {
        let tasks = self.tasks(app)?;
        let name = which.name();
        let added = tasks.len();
        let mut is_new = false;
        let list = app.store.change_todo_list(&name, true, |list| {
            is_new = list.tasks.is_empty() && list.description.is_empty();
            list.tasks.extend(tasks.iter().cloned());
            if let Some(description) = &self.description {
                list.description.clone_from(description);
            }
            Ok(())
        })?;
        let whose = if app.store.is_todo_list_beside_project(&name) { USERS } else { "" };
        app.ui.confirm(match (is_new, added) {
            (true, added) => format!("Created list '{name}'{whose}: {}", counted(added, "task")),
            (false, 0) => format!("Described list '{name}'{whose}"),
            (false, added) => {
                format!("Added {} to list '{name}'{whose}: {}", counted(added, "task"), progress(&list))
            }
        });
        Ok(())
    }

    fn tasks(&self, app: &App) -> Result<Vec<Task>, Error> {
        let mut tasks = Vec::new();
        let mut read = false;
        for task in &self.tasks {
            match task.as_str() {
                input::STANDARD_STREAM if read => {
                    return Err(Error::usage("standard input can be read only once: leave out one '-'"));
                }
                input::STANDARD_STREAM => {
                    read = true;
                    let text = input::text(app.world(), Path::new(task), FILE_LIMIT)?;
                    let found = tasks_of(&text);
                    if found.is_empty() {
                        return Err(Error::impossible("standard input contains no tasks"));
                    }
                    tasks.extend(found);
                }
                task if task.trim().is_empty() => return Err(Error::usage("a task is empty")),
                task => tasks.push(Task::open(task.trim())),
            }
        }
        Ok(tasks)
    }
}

/// Mark tasks as done
///
/// Numbers stay the same: 'ctx todo show' prints them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx todo done 1 2
  ctx todo done 3 --list release --note \"tagged v1.0\" --files CHANGELOG.md Cargo.toml")]
pub struct Done {
    /// Numbers of tasks
    #[arg(value_name = "N", required = true)]
    numbers: Vec<usize>,

    /// Add a note for whoever continues
    #[arg(short, long, value_name = "TEXT")]
    note: Option<String>,

    /// The files that changed
    #[arg(long, value_name = "PATH", num_args = 1.., value_hint = ValueHint::FilePath)]
    files: Vec<String>,
}

impl Done {
    /// Marks the tasks.
    pub fn run(self, app: &App, which: &ListOption) -> Result<(), Error> {
        change(app, which, "Done", &self.numbers, |list| {
            list.complete(&self.numbers, self.note.as_deref())?;
            list.add_files(&self.files);
            Ok(())
        })
    }
}

pub(super) fn change(
    app: &App,
    which: &ListOption,
    what: &str,
    numbers: &[usize],
    changing: impl FnMut(&mut TodoList) -> Result<(), TodoError>,
) -> Result<(), Error> {
    let name = which.name();
    let list = app.store.change_todo_list(&name, false, changing)?;
    app.ui.confirm(format!("{what} in list '{name}': {} ({})", all_of(numbers), progress(&list)));
    Ok(())
}

/// Remove a list, or all finished lists
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx todo clear release
  ctx todo clear --finished")]
pub struct ClearTasks {
    /// Remove every list whose tasks are all done
    #[arg(long, conflicts_with = "name")]
    finished: bool,

    /// The list (default: that of --list, else 'default')
    #[arg(value_name = "NAME", value_parser = list_name, add = ArgValueCandidates::new(complete::todo_lists))]
    name: Option<ProfileName>,
}

impl ClearTasks {
    /// Removes the lists.
    pub fn run(self, app: &App, which: &ListOption) -> Result<(), Error> {
        if which.list.is_some() && (self.finished || self.name.is_some()) {
            return Err(Error::usage("--list cannot be used with NAME or --finished: use one or the other"));
        }
        if self.finished {
            let removed: Vec<String> = app.store.remove_finished_todo_lists()?.iter().map(quoted).collect();
            match removed.as_slice() {
                [] => app.ui.note("no list is finished"),
                removed => app.ui.confirm(format!("Removed {}", all_of(removed))),
            }
            return Ok(());
        }
        let name = self.name.unwrap_or_else(|| which.name());
        app.store.remove_todo_list(&name)?;
        app.ui.confirm(format!("Removed list '{name}'"));
        Ok(())
    }
}
