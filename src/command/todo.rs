use std::io::{self, Write};

use clap::{Args, Subcommand, ValueHint};
use clap_complete::ArgValueCandidates;
use serde_json::{Value, json};

use crate::app::{App, USERS};
use crate::complete;
use crate::error::{Error, MissingName};
use crate::options::{JsonOption, task};
use crate::palette::{FAINT, PLAIN, STRONG};
use crate::table::{Cell, Column, Table};
use crate::visible::{visible, visible_lines};
use ctx_core::guard::Findings;
use ctx_core::store::ProfileName;
use ctx_core::todo::{NamedList, TodoError, TodoList};
use ctx_core::words::{all_of, counted, quoted};

mod change;

use change::{change, list_name, named, progress};

/// Keep to-do lists for people and models
///
/// Without a subcommand, shows the lists with open tasks: how many tasks are done, what the list is for, and the
/// next task. Names follow the rules for profiles; without --list, the list is 'default'. The entry `todo:NAME`
/// includes a list in the output, so that a model can continue where the last one stopped.
#[derive(Debug, Args)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:
  ctx todo add --list release --description \"Version 1.0\" \"Write the notes\" \"Tag it\"
  llm \"Plan the migration as a Markdown checklist\" | ctx todo add --list migration -
  ctx todo done 1 --list release --note \"in CHANGELOG.md\"
  ctx todo                                   show all lists with open tasks
  ctx render todo:release -p \"Go on with the next open task\" | llm
  ctx todo clear --finished"
)]
pub struct TodoCommand {
    #[command(subcommand)]
    operation: Option<TodoOperation>,

    /// The list (default: 'default'; if there is none, show, done, undo and rm use the only list)
    #[arg(short, long, global = true, value_name = "NAME", value_parser = list_name, add = ArgValueCandidates::new(complete::todo_lists))]
    list: Option<ProfileName>,

    #[command(flatten)]
    json: JsonOption,
}

// No doc comment: clap would print it as the description of the command.
#[derive(Debug, Subcommand)]
enum TodoOperation {
    #[command(hide = true, alias = "ls")]
    List(JsonOption),
    /// Add tasks to a list, and create the list if needed
    ///
    /// With `-`, reads tasks from standard input: the items of a Markdown checklist (`- [ ]`, `- [x]`), with the
    /// indented lines below each as its note, or else one task per line.
    #[command(after_help = "Examples:
  ctx todo add \"Write the notes\" \"Tag it\"
  ctx todo add --list release --description \"Version 1.0\" - < plan.md
  ctx todo show --list release --markdown | ctx todo add --list copy -")]
    Add {
        /// What the list is for
        #[arg(short, long, value_name = "TEXT")]
        description: Option<String>,

        /// Tasks; - is standard input
        #[arg(value_name = "TASK", required_unless_present = "description")]
        tasks: Vec<String>,
    },
    /// Mark tasks as done
    ///
    /// Numbers stay the same: 'ctx todo show' prints them.
    #[command(after_help = "Examples:
  ctx todo done 1 2
  ctx todo done 3 --list release --note \"tagged v1.0\" --files CHANGELOG.md Cargo.toml")]
    Done {
        /// Numbers of tasks
        #[arg(value_name = "N", required = true, value_parser = task, add = ArgValueCandidates::new(complete::open_tasks))]
        numbers: Vec<usize>,

        /// Add a note for whoever continues
        #[arg(short, long, value_name = "TEXT")]
        note: Option<String>,

        /// The files that changed
        #[arg(long, value_name = "PATH", num_args = 1.., value_hint = ValueHint::FilePath)]
        files: Vec<String>,
    },
    /// Mark tasks as open again
    #[command(after_help = "Examples:
  ctx todo undo 2")]
    Undo {
        /// Numbers of tasks
        #[arg(value_name = "N", required = true, value_parser = task, add = ArgValueCandidates::new(complete::finished_tasks))]
        numbers: Vec<usize>,
    },
    /// Remove tasks
    ///
    /// The tasks after them get lower numbers.
    #[command(
        name = "rm",
        alias = "remove",
        after_help = "Examples:
  ctx todo rm 2 3
  ctx todo rm 1 --list release"
    )]
    Remove {
        /// Numbers of tasks
        #[arg(value_name = "N", required = true, value_parser = task, add = ArgValueCandidates::new(complete::tasks))]
        numbers: Vec<usize>,
    },
    /// Print a list with the numbers of its tasks
    ///
    /// Prints the list as `ctx render` would. On a terminal, finished tasks are dimmed and struck out.
    #[command(
        alias = "view",
        after_help = "Examples:
  ctx todo show release
  ctx todo show --json | jq '.list.tasks[] | select(.completed | not)'
  ctx todo show --markdown > PLAN.md"
    )]
    Show {
        /// Print JSON; FILES in the manual page names the schema
        #[arg(long, conflicts_with = "markdown")]
        json: bool,

        /// Print a Markdown checklist that 'ctx todo add -' can read
        #[arg(long)]
        markdown: bool,

        /// Print secrets and hidden characters as they are
        #[arg(long)]
        raw: bool,

        /// The list; the same as --list
        #[arg(value_name = "NAME", value_parser = list_name, conflicts_with = "list", add = ArgValueCandidates::new(complete::todo_lists))]
        name: Option<ProfileName>,
    },
    /// Remove a list, or all finished lists
    #[command(after_help = "Examples:
  ctx todo clear release
  ctx todo clear --finished")]
    Clear {
        /// Remove every list whose tasks are all done
        #[arg(long, conflicts_with = "name")]
        finished: bool,

        /// The list (default: that of --list, else 'default')
        #[arg(value_name = "NAME", value_parser = list_name, add = ArgValueCandidates::new(complete::todo_lists))]
        name: Option<ProfileName>,
    },
}

impl TodoCommand {
    /// Runs the subcommand; without one, shows the open lists.
    pub fn run(self, app: &App) -> Result<(), Error> {
        app.check_named()?;
        let list = self.list;
        match self.operation {
            Some(TodoOperation::Add { description, tasks }) => {
                change::add(app, &named(list), &tasks, description.as_deref())
            }
            Some(TodoOperation::Done { numbers, note, files }) => {
                change(app, &app.store.todo_list_meant(list)?, "Done", &numbers, |list| {
                    list.complete(&numbers, note.as_deref())?;
                    list.add_files(&files);
                    Ok(())
                })
            }
            Some(TodoOperation::Undo { numbers }) => {
                change(app, &app.store.todo_list_meant(list)?, "Open again", &numbers, |list| {
                    list.reopen(&numbers)
                })
            }
            Some(TodoOperation::Remove { numbers }) => {
                change(app, &app.store.todo_list_meant(list)?, "Removed", &numbers, |list| {
                    list.remove(&numbers)
                })
            }
            Some(TodoOperation::Show { json, markdown, raw, name }) => {
                show(app, &app.store.todo_list_meant(name.or(list))?, json, markdown, raw)
            }
            Some(TodoOperation::Clear { finished, name }) => change::clear(app, list, finished, name),
            Some(TodoOperation::List(json)) => show_open(app, list, json.json),
            None => show_open(app, list, self.json.json),
        }
    }
}

/// The unfinished lists, or the one you named. A damaged list doesn't hide the others.
fn show_open(app: &App, one: Option<ProfileName>, json: bool) -> Result<(), Error> {
    let is_one = one.is_some();
    let names = match one {
        Some(name) => vec![name],
        None => app.store.todo_names()?,
    };
    let (mut lists, mut finished, mut damage) = (Vec::new(), Vec::new(), None);
    for name in names {
        match app.store.todo_list(&name) {
            Ok(list) if list.is_finished() && !is_one => finished.push(quoted(&name)),
            Ok(list) => lists.push(NamedList { name, list }),
            Err(TodoError::Unknown { .. }) if !is_one => {}
            Err(error) => damage = damage.or(Some(error)),
        }
    }
    if json {
        let lists: Vec<Value> = lists.iter().map(|named| as_json(app, named)).collect();
        app.ui.json(&json!({"version": 1, "lists": lists}))?;
    } else if lists.is_empty() && finished.is_empty() && damage.is_none() {
        app.ui.note("no to-do lists; 'ctx todo add' makes one");
    } else {
        app.ui.data(|out| write_lists(app, out, &lists))?;
    }
    if !finished.is_empty() {
        let lists = counted(finished.len(), "list");
        let which = all_of(&finished);
        app.ui.note(format!("{lists} finished: {which}; 'ctx todo clear --finished' removes finished lists"));
    }
    damage.map_or(Ok(()), |error| Err(error.into()))
}

fn as_json(app: &App, NamedList { name, list }: &NamedList) -> Value {
    let mut row = json!({"name": name});
    if app.store.is_todo_list_beside_project(name) {
        row["user"] = true.into();
    }
    row["done"] = list.done().into();
    row["tasks"] = list.tasks.len().into();
    row["description"] = list.description.as_str().into();
    let task = |number: usize| json!({"number": number, "task": list.tasks[number - 1].line()});
    row["next"] = list.next().map(task).into();
    row
}

fn write_lists(app: &App, out: &mut impl Write, lists: &[NamedList]) -> io::Result<()> {
    for NamedList { name, list } in lists {
        let columns = [Column::words("name"), Column::words("done"), Column::text("description")];
        let mut table = Table::new(columns).without_heading();
        let users = if app.store.is_todo_list_beside_project(name) { USERS } else { "" };
        let description = list.description.split_whitespace().collect::<Vec<_>>().join(" ");
        table.add([
            Cell::new(format!("{name}{users}"), STRONG),
            Cell::plain(progress(list)),
            Cell::plain(visible(&description)),
        ]);
        table.write(out, &app.ui)?;
        if let Some(number) = list.next() {
            let text = format!("next: {number}. {}", visible(&list.tasks[number - 1].line()));
            app.ui.write_text(out, 4, &text, PLAIN)?;
        }
    }
    Ok(())
}

/// Prints a list as text or, if requested, as JSON or a Markdown checklist. `raw` leaves secrets and hidden
/// characters in it.
fn show(app: &App, name: &ProfileName, json: bool, markdown: bool, raw: bool) -> Result<(), Error> {
    let list = app.store.todo_list(name)?;
    let list = if raw { list } else { cleaned(app, list)? };
    if json {
        return app.ui.whole_json(&json!({"version": 1, "name": name, "list": list}));
    }
    let text = if markdown { list.markdown() } else { list.text() };
    let is_terminal = app.ui.is_terminal();
    let text = if is_terminal { visible_lines(&text) } else { text };
    app.ui.data(|out| {
        if markdown || raw && !is_terminal {
            out.write_all(text.as_bytes())
        } else {
            write_lines(app, out, &text)
        }
    })
}

/// The list with secrets redacted and hidden characters visible, as in documents; warns if there are any.
fn cleaned(app: &App, list: TodoList) -> Result<TodoList, Error> {
    let mut found = Findings::default();
    let value = serde_json::to_value(list).map_err(Error::impossible)?;
    let list = serde_json::from_value(found.clean_value(value)).map_err(Error::impossible)?;
    app.ui.warn_of(&found);
    Ok(list)
}

fn write_lines(app: &App, out: &mut impl Write, text: &str) -> io::Result<()> {
    text.lines().try_for_each(|line| {
        if line.starts_with("[x] ") {
            app.ui.write_text(out, 0, line, FAINT.strikethrough())
        } else {
            app.ui.write_text(out, 0, line, PLAIN)
        }
    })
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
                impossible.with_hint("nothing was changed; --merge adds the missing tasks")
            }
            TodoError::NoSuchTask { .. } => impossible,
        }
    }
}
