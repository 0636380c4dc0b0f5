use std::path::Path;

use clap::Args;

use super::list::{ListOption, progress};
use crate::app::{App, USERS};
use crate::error::{Error, Outcome};
use crate::input;
use ctx_core::store::FILE_LIMIT;
use ctx_core::todo::{Task, tasks_of};
use ctx_core::words::counted;

/// Add tasks to a list, and make the list if it is not there
///
/// With `-` the tasks are read from standard input: the items of a Markdown checklist (`- [ ]`, `- [x]`), with
/// indented lines below one as its note, or, where there is none, a task a line.
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
    pub fn run(self, app: &App, which: &ListOption) -> Result<Outcome, Error> {
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
        Ok(Outcome::Done)
    }

    fn tasks(&self, app: &App) -> Result<Vec<Task>, Error> {
        let mut tasks = Vec::new();
        let mut read = false;
        for task in &self.tasks {
            match task.as_str() {
                input::STANDARD_STREAM if read => {
                    return Err(Error::usage("standard input can be read once: leave one '-' out"));
                }
                input::STANDARD_STREAM => {
                    read = true;
                    let text = input::text_of_at_most(app.world(), Path::new(task), FILE_LIMIT)?;
                    let found = tasks_of(&text);
                    if found.is_empty() {
                        return Err(Error::impossible("standard input holds no task"));
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
