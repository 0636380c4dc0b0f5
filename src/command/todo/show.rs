use std::io::{self, Write};

use clap::Args;
use clap_complete::ArgValueCandidates;
use serde::Serialize;

use super::list::{ListName, ListOption};
use crate::app::App;
use crate::complete;
use crate::error::{Error, Outcome};
use crate::palette::{FAINT, PLAIN};
use crate::visible::visible_lines;
use ctx_core::guard::Findings;
use ctx_core::store::ProfileName;
use ctx_core::todo::TodoList;

/// Print a list with its numbers
///
/// This is what a block shows of the list; on a terminal, done tasks are dimmed and struck out.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx todo show release
  ctx todo show --json | jq '.list.tasks[] | select(.completed | not)'
  ctx todo show --markdown > PLAN.md")]
pub struct ShowTasks {
    /// Print JSON; FILES in the manual page names the schema
    #[arg(long, conflicts_with = "markdown")]
    json: bool,

    /// Print a Markdown checklist, which 'ctx todo add -' reads
    #[arg(long)]
    markdown: bool,

    /// Print secrets and hidden characters as they are
    #[arg(long)]
    raw: bool,

    /// The list, as --list names it
    #[arg(value_name = "NAME", conflicts_with = "list", add = ArgValueCandidates::new(complete::todo_lists))]
    name: Option<ListName>,
}

#[derive(Serialize)]
struct ShownTasks {
    version: u32,
    name: ProfileName,
    list: TodoList,
}

impl ShowTasks {
    /// Prints the list.
    pub fn run(self, app: &App, which: &ListOption) -> Result<Outcome, Error> {
        let name = self.name.map_or_else(|| which.name(), |ListName(name)| name);
        let list = app.store.todo_list(&name)?;
        let list = if self.raw { list } else { cleaned(app, list)? };
        if self.json {
            app.ui.whole_json(&ShownTasks { version: 1, name, list })?;
            return Ok(Outcome::Done);
        }
        let text = if self.markdown { list.markdown() } else { list.text() };
        let is_terminal = app.ui.is_terminal();
        let text = if is_terminal { visible_lines(&text) } else { text };
        app.ui.data(|out| {
            if self.markdown || self.raw && !is_terminal {
                out.write_all(text.as_bytes())
            } else {
                write_lines(app, out, &text)
            }
        })?;
        Ok(Outcome::Done)
    }
}

/// A list as documents are shown, after a word on what that took.
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
