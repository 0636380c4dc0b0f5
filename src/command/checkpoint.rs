use std::io::{self, Write};

use clap::{Args, Subcommand};
use serde::Serialize;

use crate::app::App;
use crate::environment::launcher;
use crate::error::{Error, Outcome};
use crate::hints;
use crate::options::JsonOption;
use crate::table::{Cell, Column, Table};
use crate::ui::Ui;
use crate::visible::visible;
use ctx_core::checkpoint::{Checkpoint, CheckpointError, CheckpointLimits, Checkpoints, Unsaved};
use ctx_core::report::Hint;

mod create;
mod diff;
mod restore;
mod rm;

pub use create::note_unsaved;

/// Take snapshots of your files, compare with them, and restore them
///
/// Without a subcommand, all checkpoints of the tree are listed. The tree is the git repository around the current
/// directory, else the current directory. A checkpoint has every file and link that git would not ignore, whether
/// tracked or not, but nothing in a `.git`, no file over 10 MiB, and no file whose name suggests a secret unless
/// git tracks it. It is kept in ctx's own directory: the repository, its index and its branches are never touched.
#[derive(Debug, Args)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:
  ctx checkpoint create -m \"before the rewrite\"    prints its number
  ctx checkpoint                                   all checkpoints of this tree
  ctx checkpoint diff 3                            what has changed since
  ctx checkpoint diff 3 5 --stat -- src
  ctx checkpoint restore 3 --dry-run               what would change
  ctx checkpoint restore 3                         files as they were; says how to come back
  ctx checkpoint rm --keep 10 --prune"
)]
pub struct CheckpointCommand {
    #[command(subcommand)]
    operation: Option<CheckpointOperation>,

    #[command(flatten)]
    json: JsonOption,
}

// No doc comment: clap would print it as the description of the command.
#[derive(Debug, Subcommand)]
enum CheckpointOperation {
    Create(create::Create),
    Diff(diff::Diff),
    Restore(restore::Restore),
    #[command(name = "rm", alias = "remove")]
    Remove(rm::RemoveCheckpoint),
}

impl CheckpointCommand {
    /// Does what the subcommand says; without one, lists.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        app.check_named()?;
        let launcher = std::sync::Arc::new(launcher());
        crate::interrupt::stops(&launcher);
        let checkpoints =
            Checkpoints::around(&app.store, app.world(), &launcher, CheckpointLimits::default())?;
        match self.operation {
            Some(CheckpointOperation::Create(create)) => create.run(app, &checkpoints),
            Some(CheckpointOperation::Diff(diff)) => {
                warn_if_unfinished(app, &checkpoints)?;
                diff.run(app, &checkpoints)
            }
            Some(CheckpointOperation::Restore(restore)) => restore.run(app, &checkpoints),
            Some(CheckpointOperation::Remove(remove)) => remove.run(app, &checkpoints),
            None => list(app, &checkpoints, self.json.json),
        }
    }
}

#[derive(Serialize)]
struct CheckpointListing<'a> {
    version: u32,
    root: String,
    checkpoints: Vec<CheckpointRow<'a>>,
}

#[derive(Serialize)]
struct CheckpointRow<'a> {
    number: u64,
    time: &'a str,
    text: &'a str,
    files: usize,
    changed: usize,
    unsaved_count: usize,
    unsaved: Vec<UnsavedRow<'a>>,
    turn: Option<u64>,
}

#[derive(Serialize)]
struct UnsavedRow<'a> {
    path: &'a str,
    reason: &'static str,
}

impl<'a> CheckpointRow<'a> {
    fn of(checkpoint: &'a Checkpoint) -> Self {
        let unsaved =
            |unsaved: &'a Unsaved| UnsavedRow { path: &unsaved.path, reason: unsaved.reason.describe() };
        Self {
            number: checkpoint.number,
            time: &checkpoint.time,
            text: &checkpoint.text,
            files: checkpoint.files,
            changed: checkpoint.changed,
            unsaved_count: checkpoint.unsaved_count,
            unsaved: checkpoint.unsaved.iter().map(unsaved).collect(),
            turn: checkpoint.turn,
        }
    }
}

fn list(app: &App, checkpoints: &Checkpoints<'_>, json: bool) -> Result<Outcome, Error> {
    warn_if_unfinished(app, checkpoints)?;
    let all = checkpoints.list()?;
    let rows: Vec<CheckpointRow<'_>> = all.iter().map(CheckpointRow::of).collect();
    if json {
        let root = checkpoints.root().display().to_string();
        app.ui.json(&CheckpointListing { version: 1, root, checkpoints: rows })?;
    } else if rows.is_empty() {
        app.ui.note("no checkpoints of this tree; 'ctx checkpoint create' makes one");
    } else {
        app.ui.data(|out| write_table(out, &rows, &app.ui))?;
    }
    Ok(Outcome::Done)
}

/// Says what an interrupted restore has left half done.
fn warn_if_unfinished(app: &App, checkpoints: &Checkpoints<'_>) -> Result<(), Error> {
    if let Some(unfinished) = checkpoints.unfinished()? {
        app.ui.warn(hints::with(unfinished, Some(&Hint::FinishRestore)));
    }
    Ok(())
}

fn write_table(out: &mut impl Write, rows: &[CheckpointRow<'_>], ui: &Ui) -> io::Result<()> {
    let mut table = Table::new([
        Column::number("number"),
        Column::words("time"),
        Column::number("files"),
        Column::number("changed"),
        Column::number("unsaved"),
        Column::number("turn"),
        Column::text("text"),
    ]);
    for row in rows {
        let unsaved = Some(row.unsaved_count).filter(|count| *count > 0);
        table.add([
            Cell::plain(row.number),
            Cell::plain(visible(row.time)),
            Cell::plain(row.files),
            Cell::plain(row.changed),
            Cell::plain(unsaved.map_or_else(String::new, |count| count.to_string())),
            Cell::plain(row.turn.map_or_else(String::new, |turn| turn.to_string())),
            Cell::plain(visible(row.text)),
        ]);
    }
    table.write(out, ui)
}

impl From<CheckpointError> for Error {
    fn from(error: CheckpointError) -> Self {
        let impossible = Self::impossible(&error);
        match error {
            CheckpointError::Store(error) => error.into(),
            CheckpointError::Full { kept: Some(kept), .. }
            | CheckpointError::NoSpace { kept: Some(kept), .. } => {
                impossible.with_hint(format!("ctx checkpoint rm --keep {kept} --prune"))
            }
            CheckpointError::ListFull { .. } => impossible.with_hint("ctx checkpoint rm --keep 10"),
            CheckpointError::Unfinished { .. } | CheckpointError::Interrupted { .. } => {
                impossible.with_hint(hints::in_words(&Hint::FinishRestore))
            }
            CheckpointError::Unknown { .. } => impossible.with_hint("ctx checkpoint"),
            CheckpointError::IgnoreFile { .. } => {
                impossible.with_hint("correct it, or 'ctx checkpoint restore N .gitignore' restores it alone")
            }
            CheckpointError::OtherRoot { number, .. } => impossible.with_hint(format!(
                "'ctx checkpoint diff {number}' shows what differs; --force restores it"
            )),
            CheckpointError::EmptyTarget { number, .. } | CheckpointError::DeletesMuch { number, .. } => {
                impossible.with_hint(format!(
                    "'ctx checkpoint restore {number} --hard --dry-run' shows what would be deleted; --force does it"
                ))
            }
            CheckpointError::Full { kept: None, .. }
            | CheckpointError::NoSpace { kept: None, .. }
            | CheckpointError::Start(_)
            | CheckpointError::Git { .. }
            | CheckpointError::Refused { .. }
            | CheckpointError::Io { .. }
            | CheckpointError::Damaged { .. }
            | CheckpointError::NothingUnfinished
            | CheckpointError::NoSuchPath { .. }
            | CheckpointError::GitsOwn { .. }
            | CheckpointError::Outside { .. } => impossible,
        }
    }
}
