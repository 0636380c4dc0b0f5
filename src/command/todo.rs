use std::io::{self, Write};

use clap::{Args, Subcommand};
use serde::Serialize;

use crate::app::{App, USERS};
use crate::error::{Error, MissingName, Outcome};
use crate::options::JsonOption;
use crate::palette::{PLAIN, STRONG};
use crate::table::{Cell, Column, Table};
use crate::visible::visible;
use ctx_core::store::ProfileName;
use ctx_core::todo::{TodoError, TodoList};
use ctx_core::words::{all_of, counted, quoted};

mod add;
mod change;
mod clear;
mod list;
mod show;

use list::ListOption;

/// Keep to-do lists for people and models to work through
///
/// Without a subcommand, the lists with open tasks are shown: how many tasks are done, what the list is for, and
/// the next task. A list is named like a profile; without --list it is 'default'. In a block a list is the entry
/// `todo:NAME`, so that a model can go on where the last one stopped.
#[derive(Debug, Args)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:
  ctx todo add --list release --description \"Version 1.0\" \"Write the notes\" \"Tag it\"
  llm \"Plan the migration as a Markdown checklist\" | ctx todo add --list migration -
  ctx todo done 1 --list release --note \"in CHANGELOG.md\"
  ctx todo                                   all lists with open tasks
  ctx render todo:release -p \"Go on with the next open task\" | llm
  ctx todo clear --finished"
)]
pub struct TodoCommand {
    #[command(subcommand)]
    operation: Option<TodoOperation>,

    #[command(flatten)]
    which: ListOption,

    #[command(flatten)]
    json: JsonOption,
}

// No doc comment: clap would print it as the description of the command.
#[derive(Debug, Subcommand)]
enum TodoOperation {
    Add(add::AddTasks),
    Done(change::Done),
    Undo(change::Undo),
    #[command(name = "rm", alias = "remove")]
    Remove(change::RemoveTask),
    Show(show::ShowTasks),
    Clear(clear::ClearTasks),
}

impl TodoCommand {
    /// Does what the subcommand says; without one, shows the open lists.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        app.check_named()?;
        match self.operation {
            Some(TodoOperation::Add(add)) => add.run(app, &self.which),
            Some(TodoOperation::Done(done)) => done.run(app, &self.which),
            Some(TodoOperation::Undo(undo)) => undo.run(app, &self.which),
            Some(TodoOperation::Remove(remove)) => remove.run(app, &self.which),
            Some(TodoOperation::Show(show)) => show.run(app, &self.which),
            Some(TodoOperation::Clear(clear)) => clear.run(app, &self.which),
            None => list(app, &self.which, self.json.json),
        }
    }
}

#[derive(Serialize)]
struct TodoListing {
    version: u32,
    lists: Vec<TodoRow>,
}

#[derive(Serialize)]
struct TodoRow {
    name: ProfileName,
    /// It is the user's own, beside those of a project.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    user: bool,
    done: usize,
    tasks: usize,
    description: String,
    next: Option<Next>,
}

#[derive(Serialize)]
struct Next {
    number: usize,
    task: String,
}

impl TodoRow {
    fn of(app: &App, name: ProfileName, list: &TodoList) -> Self {
        let next = list.next().map(|number| Next { number, task: list.tasks[number - 1].line() });
        let description = list.description.clone();
        let user = app.store.is_todo_list_beside_project(&name);
        Self { name, user, done: list.done(), tasks: list.tasks.len(), description, next }
    }
}

/// The lists that are not finished, or the one that is named; those that are damaged hide no others.
fn list(app: &App, which: &ListOption, json: bool) -> Result<Outcome, Error> {
    let names = match which.list {
        Some(_) => vec![which.name()],
        None => app.store.todo_names()?,
    };
    let (mut lists, mut finished, mut damage) = (Vec::new(), Vec::new(), None);
    for name in names {
        match app.store.todo_list(&name) {
            Ok(list) if list.is_finished() && which.list.is_none() => finished.push(quoted(&name)),
            Ok(list) => lists.push(TodoRow::of(app, name, &list)),
            Err(TodoError::Unknown { .. }) if which.list.is_none() => {}
            Err(error) => damage = damage.or(Some(error)),
        }
    }
    if json {
        app.ui.json(&TodoListing { version: 1, lists })?;
    } else if lists.is_empty() && finished.is_empty() && damage.is_none() {
        app.ui.note("no to-do lists; 'ctx todo add' makes one");
    } else {
        app.ui.data(|out| write_lists(app, out, &lists))?;
    }
    if !finished.is_empty() {
        let lists = counted(finished.len(), "list");
        let which = all_of(&finished);
        app.ui
            .note(format!("{lists} finished: {which}; 'ctx todo clear --finished' removes what is finished"));
    }
    damage.map_or(Ok(Outcome::Done), |error| Err(error.into()))
}

fn write_lists(app: &App, out: &mut impl Write, rows: &[TodoRow]) -> io::Result<()> {
    let columns = [Column::words("name"), Column::words("done"), Column::text("description")];
    for row in rows {
        let mut table = Table::new(columns).without_heading();
        let description = row.description.split_whitespace().collect::<Vec<_>>().join(" ");
        table.add([
            Cell::new(format!("{}{}", row.name, if row.user { USERS } else { "" }), STRONG),
            Cell::plain(format!("{}/{} done", row.done, row.tasks)),
            Cell::plain(visible(&description)),
        ]);
        table.write(out, &app.ui)?;
        if let Some(next) = &row.next {
            let text = format!("next: {}. {}", next.number, visible(&next.task));
            app.ui.write_text(out, 4, &text, PLAIN)?;
        }
    }
    Ok(())
}

impl From<TodoError> for Error {
    fn from(error: TodoError) -> Self {
        let impossible = Self::impossible(&error);
        match error {
            TodoError::Store(error) => error.into(),
            TodoError::Unknown { name } => impossible
                .with_hint(format!(
                    "'ctx todo' shows the lists; 'ctx todo add --list {name} TASK' makes this one"
                ))
                .of_unknown(MissingName::List(name.to_string())),
            TodoError::Exists { .. } => {
                impossible.with_hint("nothing was changed; --merge adds the tasks that it lacks")
            }
            TodoError::NoSuchTask { .. } => impossible,
        }
    }
}
