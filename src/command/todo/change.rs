//! Marking and removing tasks.

use clap::{Args, ValueHint};

use super::list::{ListOption, progress};
use crate::app::App;
use crate::error::{Error, Outcome};
use ctx_core::todo::{TodoError, TodoList};
use ctx_core::words::all_of;

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

    /// Say something about them, for whoever goes on
    #[arg(short, long, value_name = "TEXT")]
    note: Option<String>,

    /// Files that were changed
    #[arg(long, value_name = "PATH", num_args = 1.., value_hint = ValueHint::FilePath)]
    files: Vec<String>,
}

/// Mark tasks as open again
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx todo undo 2")]
pub struct Undo {
    /// Numbers of tasks
    #[arg(value_name = "N", required = true)]
    numbers: Vec<usize>,
}

/// Remove tasks
///
/// The tasks after them get lower numbers.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx todo rm 2 3
  ctx todo rm 1 --list release")]
pub struct RemoveTask {
    /// Numbers of tasks
    #[arg(value_name = "N", required = true)]
    numbers: Vec<usize>,
}

impl Done {
    /// Marks the tasks.
    pub fn run(self, app: &App, which: &ListOption) -> Result<Outcome, Error> {
        change(app, which, "Done", &self.numbers, |list| {
            list.complete(&self.numbers, self.note.as_deref())?;
            list.add_files(&self.files);
            Ok(())
        })
    }
}

impl Undo {
    /// Marks the tasks.
    pub fn run(self, app: &App, which: &ListOption) -> Result<Outcome, Error> {
        change(app, which, "Open again", &self.numbers, |list| list.reopen(&self.numbers))
    }
}

impl RemoveTask {
    /// Removes the tasks.
    pub fn run(self, app: &App, which: &ListOption) -> Result<Outcome, Error> {
        change(app, which, "Removed", &self.numbers, |list| list.remove(&self.numbers))
    }
}

fn change(
    app: &App,
    which: &ListOption,
    what: &str,
    numbers: &[usize],
    changing: impl FnMut(&mut TodoList) -> Result<(), TodoError>,
) -> Result<Outcome, Error> {
    let name = which.name();
    let list = app.store.change_todo_list(&name, false, changing)?;
    app.ui.confirm(format!("{what} in list '{name}': {} ({})", all_of(numbers), progress(&list)));
    Ok(Outcome::Done)
}
