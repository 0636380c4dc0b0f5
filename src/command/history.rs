use std::io::{self, Write};

use clap::{Args, Subcommand};
use serde::Serialize;

use crate::app::App;
use crate::conversation::warn_if_unfinished;
use crate::error::{Error, Outcome};
use crate::options::JsonOption;
use crate::table::{Cell, Column, Table};
use crate::ui::Ui;
use crate::visible::visible;
use ctx_core::history::HistoryError;
use ctx_core::store::ProfileName;

mod append;
mod clear;
mod compress;
mod show;
mod which;

use which::{HistoryOption, Scale};

/// List and change histories: conversations that any model CLI can continue
///
/// Without a subcommand, all histories are listed. A history is named like a profile; 'append' makes it. What
/// is shown of it is what a model would be shown: the last summary and the turns after it, without those that
/// failed or have no answer, without secrets and with hidden characters made visible. Nothing that was appended
/// is lost before 'clear'.
#[derive(Debug, Args)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:
  ctx history                                        all histories
  ctx history append --role user \"Why two passes?\"   open a turn; prints its number
  llm < prompt.txt | ctx history append --role assistant -
  ctx history append --from claude session.jsonl --history=review
  ctx history show --last 3
  ctx history compress -- llm -m gpt-4o-mini         earlier turns become a summary
  ctx history clear 1-20"
)]
pub struct HistoryCommand {
    #[command(subcommand)]
    operation: Option<HistoryOperation>,

    #[command(flatten)]
    which: HistoryOption,

    #[command(flatten)]
    json: JsonOption,
}

// No doc comment: clap would print it as the description of the command.
#[derive(Debug, Subcommand)]
enum HistoryOperation {
    Append(append::Append),
    Show(show::ShowHistory),
    Clear(clear::ClearHistory),
    Compress(compress::Compress),
}

impl HistoryCommand {
    /// Does what the subcommand says; without one, lists.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        match self.operation {
            Some(HistoryOperation::Append(append)) => append.run(app, &self.which),
            Some(HistoryOperation::Show(show)) => show.run(app, &self.which),
            Some(HistoryOperation::Clear(clear)) => clear.run(app, &self.which),
            Some(HistoryOperation::Compress(compress)) => compress.run(app, &self.which),
            None => list(app, self.json.json),
        }
    }
}

#[derive(Serialize)]
struct HistoryListing {
    version: u32,
    histories: Vec<HistoryRow>,
}

#[derive(Serialize)]
struct HistoryRow {
    name: ProfileName,
    /// The directory that was asked about, in the history of its questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    turns: usize,
    tokens: u64,
    estimated: bool,
    changed: Option<String>,
}

impl HistoryRow {
    fn called(&self) -> String {
        match &self.root {
            Some(root) => format!("{} in {root}", self.name),
            None => self.name.to_string(),
        }
    }
}

/// All histories; those that are damaged hide no others.
fn list(app: &App, json: bool) -> Result<Outcome, Error> {
    app.check_named()?;
    let scale = Scale::of(app, None)?;
    let mut histories = Vec::new();
    let mut damage = None;
    for name in app.store.histories()? {
        match app.store.history(&name) {
            Ok(history) => {
                warn_if_unfinished(app, &history);
                histories.push(HistoryRow {
                    turns: history.turns().len(),
                    tokens: history.curated(&scale.counter).tokens(&scale.counter),
                    estimated: scale.estimated,
                    changed: history.changed().map(str::to_owned),
                    root: history.root().map(str::to_owned),
                    name,
                });
            }
            // A first line that was never finished, or somebody was quicker.
            Err(HistoryError::Unknown { .. }) => {}
            Err(error) => damage = damage.or(Some(error)),
        }
    }
    if json {
        app.ui.json(&HistoryListing { version: 1, histories })?;
    } else if !histories.is_empty() {
        app.ui.data(|out| write_table(out, &histories, &scale, &app.ui))?;
    } else if damage.is_none() {
        app.ui.note("no histories; 'ctx history append' makes one");
    }
    damage.map_or(Ok(Outcome::Done), |error| Err(error.into()))
}

fn write_table(out: &mut impl Write, rows: &[HistoryRow], scale: &Scale, ui: &Ui) -> io::Result<()> {
    let mut table = Table::new([
        Column::path("name", 1),
        Column::number("turns"),
        Column::number("tokens"),
        Column::words("last change"),
    ]);
    for row in rows {
        table.add([
            Cell::plain(visible(&row.called())),
            Cell::plain(row.turns),
            Cell::plain(scale.tokens(row.tokens)),
            Cell::plain(visible(row.changed.as_deref().unwrap_or("-"))),
        ]);
    }
    table.write(out, ui)
}
