//! The to-do list that a command works on, and the commands that change one.

use std::path::Path;

use crate::app::{App, USERS};
use crate::error::Error;
use crate::input;
use ctx_core::store::{FILE_LIMIT, ProfileName};
use ctx_core::todo::{Task, TodoError, TodoList, tasks_of};
use ctx_core::words::{all_of, counted, quoted};

/// The name of the list, whether or not it exists.
pub(super) fn named(list: Option<ProfileName>) -> ProfileName {
    list.unwrap_or_else(ProfileName::default_profile)
}

/// Parses the name of a list.
pub(super) fn list_name(text: &str) -> Result<ProfileName, &'static str> {
    text.parse().map_err(|_| ProfileName::RULE)
}

/// The progress of a list, for confirmations.
pub(super) fn progress(list: &TodoList) -> String {
    format!("{}/{} done", list.done(), list.tasks.len())
}

/// Adds tasks to a list, and creates the list if it doesn't exist.
pub(super) fn add(
    app: &App,
    name: &ProfileName,
    tasks: &[String],
    description: Option<&str>,
) -> Result<(), Error> {
    let tasks = read(app, tasks)?;
    let added = tasks.len();
    let mut is_new = false;
    let list = app.store.change_todo_list(name, true, |list| {
        is_new = list.tasks.is_empty() && list.description.is_empty();
        list.tasks.extend(tasks.iter().cloned());
        if let Some(description) = description {
            description.clone_into(&mut list.description);
        }
        Ok(())
    })?;
    let whose = if app.store.is_todo_list_beside_project(name) { USERS } else { "" };
    app.ui.confirm(match (is_new, added) {
        (true, added) => format!("Created list '{name}'{whose}: {}", counted(added, "task")),
        (false, 0) => format!("Described list '{name}'{whose}"),
        (false, added) => {
            format!("Added {} to list '{name}'{whose}: {}", counted(added, "task"), progress(&list))
        }
    });
    Ok(())
}

/// Reads the tasks that were typed or are on standard input.
fn read(app: &App, typed: &[String]) -> Result<Vec<Task>, Error> {
    let mut tasks = Vec::new();
    let mut has_read = false;
    for task in typed {
        match task.as_str() {
            input::STANDARD_STREAM if has_read => {
                return Err(Error::usage("standard input can be read only once: leave out one '-'"));
            }
            input::STANDARD_STREAM => {
                has_read = true;
                let text = input::text(app, Path::new(task), FILE_LIMIT)?;
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

/// Changes tasks of a list, and reports what was done.
pub(super) fn change(
    app: &App,
    name: &ProfileName,
    what: &str,
    numbers: &[usize],
    changing: impl FnMut(&mut TodoList) -> Result<(), TodoError>,
) -> Result<(), Error> {
    let list = app.store.change_todo_list(name, false, changing)?;
    app.ui.confirm(format!("{what} in list '{name}': {} ({})", all_of(numbers), progress(&list)));
    Ok(())
}

/// Removes a list, or all finished lists.
pub(super) fn clear(
    app: &App,
    list: Option<ProfileName>,
    finished: bool,
    name: Option<ProfileName>,
) -> Result<(), Error> {
    if list.is_some() && (finished || name.is_some()) {
        return Err(Error::usage("--list cannot be used with NAME or --finished: use one or the other"));
    }
    if finished {
        let removed: Vec<String> = app.store.remove_finished_todo_lists()?.iter().map(quoted).collect();
        match removed.as_slice() {
            [] => app.ui.note("no list is finished"),
            removed => app.ui.confirm(format!("Removed {}", all_of(removed))),
        }
        return Ok(());
    }
    let name = name.unwrap_or_else(|| named(list));
    app.store.remove_todo_list(&name)?;
    app.ui.confirm(format!("Removed list '{name}'"));
    Ok(())
}
