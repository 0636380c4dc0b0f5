use std::io::{self, Write};
use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueHint};
use clap_complete::ArgValueCandidates;
use serde_json::{Value, json};

use crate::app::App;
use crate::complete;
use crate::environment::launcher;
use crate::error::Error;
use crate::hints;
use crate::options::JsonOption;
use crate::progress;
use crate::table::{Cell, Column, Table};
use crate::ui::Ui;
use crate::visible::{visible, visible_lines};
use ctx_core::checkpoint::{Checkpoint, CheckpointError, CheckpointLimits, Checkpoints, Unsaved};
use ctx_core::guard::Findings;
use ctx_core::report::Hint;
use ctx_core::words::{all_of, counted, grouped, some_of};

mod restore;

/// Take snapshots of your files, compare with them, and restore them
///
/// Without a subcommand, lists all checkpoints of the tree: the git repository you are in, or else the current
/// directory. A checkpoint contains every file and link that git doesn't ignore, tracked or untracked, but nothing
/// in a `.git`, no file over 10 MiB, and no file whose name suggests a secret unless git tracks it. ctx keeps
/// checkpoints in its own directory and never touches the repository, its index or its branches.
#[derive(Debug, Args)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:
  ctx checkpoint create -m \"before the rewrite\"    make one, and print its number
  ctx checkpoint                                   list the checkpoints of this tree
  ctx checkpoint diff 3                            show what has changed since
  ctx checkpoint diff 3 5 --stat -- src
  ctx checkpoint restore 3 --dry-run               show what would change
  ctx checkpoint restore 3                         restore the files; shows how to undo it
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
    #[command(hide = true, alias = "ls")]
    List(JsonOption),
    /// Make a checkpoint and print its number
    ///
    /// If nothing has changed since the last checkpoint, ctx makes none. It lists files that it can't save.
    #[command(aliases = ["init", "new", "save"], after_help = "Examples:
  ctx checkpoint create
  ctx checkpoint create -m \"tests pass\"")]
    Create {
        /// A description
        #[arg(short, long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        message: String,
    },
    /// Compare a checkpoint with the current files, or with another checkpoint
    #[command(after_help = "Examples:
  ctx checkpoint diff
  ctx checkpoint diff 3
  ctx checkpoint diff 3 5 --stat
  ctx checkpoint diff 3 -- src/parser
  ctx checkpoint diff 3 | ctx render - -p \"Review this\" | llm")]
    Diff {
        /// Print the number of changed lines for each file instead
        #[arg(long)]
        stat: bool,

        /// Print the files' bytes as they are, including secrets and hidden characters
        #[arg(long)]
        raw: bool,

        /// The number of the checkpoint (default: the newest)
        #[arg(value_name = "N", add = ArgValueCandidates::new(complete::checkpoints))]
        from: Option<u64>,

        /// The number of another checkpoint (default: the current files)
        #[arg(value_name = "M", add = ArgValueCandidates::new(complete::checkpoints))]
        to: Option<u64>,

        /// Only these files and directories
        #[arg(value_name = "PATH", last = true, value_hint = ValueHint::AnyPath)]
        paths: Vec<PathBuf>,
    },
    Restore(restore::Restore),
    /// Remove checkpoints
    ///
    /// Numbers are never reused. To free the space, use --prune, alone or together with numbers.
    #[command(
        name = "rm",
        alias = "remove",
        group(ArgGroup::new("what").required(true).multiple(true).args(["numbers", "keep", "prune"])),
        after_help = "Examples:
  ctx checkpoint rm 3 4
  ctx checkpoint rm --keep 10 --prune"
    )]
    Remove {
        /// Numbers of checkpoints
        #[arg(value_name = "N", conflicts_with = "keep", add = ArgValueCandidates::new(complete::checkpoints))]
        numbers: Vec<u64>,

        /// Remove all but the last K
        #[arg(long, value_name = "K")]
        keep: Option<usize>,

        /// Free the space of removed checkpoints
        #[arg(long)]
        prune: bool,
    },
}

impl CheckpointCommand {
    /// Runs the subcommand; without one, lists the checkpoints.
    pub fn run(self, app: &App) -> Result<(), Error> {
        app.check_named()?;
        let launcher = std::sync::Arc::new(launcher());
        crate::interrupt::stops(&launcher);
        let checkpoints = Checkpoints::around(
            &app.store,
            app.world(),
            &launcher,
            CheckpointLimits::default(),
            app.git_deadline(),
        )?;
        match self.operation {
            Some(CheckpointOperation::Create { message }) => create(app, &checkpoints, message),
            Some(CheckpointOperation::Diff { stat, raw, from, to, paths }) => {
                warn_if_unfinished(app, &checkpoints)?;
                let from = from.map_or_else(|| newest(&checkpoints), Ok)?;
                let diff = progress::shown(&app.ui, |progress| {
                    checkpoints.watched(progress).diff(from, to, stat, &paths)
                })?;
                print_diff(app, raw, &diff)
            }
            Some(CheckpointOperation::Restore(restore)) => restore.run(app, &checkpoints),
            Some(CheckpointOperation::Remove { numbers, keep, prune }) => {
                let removed = match keep {
                    Some(keep) => checkpoints.remove_all_but_last(keep)?,
                    None => checkpoints.remove(&numbers)?,
                };
                finish_removal(app, &checkpoints, &removed, prune)
            }
            Some(CheckpointOperation::List(json)) => list(app, &checkpoints, json.json),
            None => list(app, &checkpoints, self.json.json),
        }
    }
}

fn list(app: &App, checkpoints: &Checkpoints<'_>, json: bool) -> Result<(), Error> {
    warn_if_unfinished(app, checkpoints)?;
    let all = checkpoints.list()?;
    if json {
        let root = checkpoints.root().display().to_string();
        let rows: Vec<Value> = all.iter().map(as_json).collect();
        app.ui.json(&json!({"version": 1, "root": root, "checkpoints": rows}))?;
    } else if all.is_empty() {
        app.ui.note("no checkpoints of this tree; 'ctx checkpoint create' makes one");
    } else {
        app.ui.data(|out| write_table(out, &all, &app.ui))?;
    }
    Ok(())
}

fn as_json(checkpoint: &Checkpoint) -> Value {
    let unsaved = |unsaved: &Unsaved| json!({"path": unsaved.path, "reason": unsaved.reason.describe()});
    json!({
        "number": checkpoint.number,
        "time": checkpoint.time,
        "text": checkpoint.text,
        "files": checkpoint.files,
        "changed": checkpoint.changed,
        "unsaved_count": checkpoint.unsaved_count,
        "unsaved": checkpoint.unsaved.iter().map(unsaved).collect::<Vec<_>>(),
        "turn": checkpoint.turn,
    })
}

/// Warns about a half-finished restore.
fn warn_if_unfinished(app: &App, checkpoints: &Checkpoints<'_>) -> Result<(), Error> {
    if let Some(unfinished) = checkpoints.unfinished()? {
        app.ui.warn(hints::with(unfinished, Some(&Hint::FinishRestore)));
    }
    Ok(())
}

fn write_table(out: &mut impl Write, checkpoints: &[Checkpoint], ui: &Ui) -> io::Result<()> {
    let mut table = Table::new([
        Column::number("number"),
        Column::words("time"),
        Column::number("files"),
        Column::number("changed"),
        Column::number("unsaved"),
        Column::number("turn"),
        Column::text("text"),
    ]);
    for row in checkpoints {
        let unsaved = Some(row.unsaved_count).filter(|count| *count > 0);
        table.add([
            Cell::plain(row.number),
            Cell::plain(visible(&row.time)),
            Cell::plain(row.files),
            Cell::plain(row.changed),
            Cell::plain(unsaved.map_or_else(String::new, |count| count.to_string())),
            Cell::plain(row.turn.map_or_else(String::new, |turn| turn.to_string())),
            Cell::plain(visible(&row.text)),
        ]);
    }
    table.write(out, ui)
}

/// Notes what is not in a checkpoint.
pub fn note_unsaved(app: &App, checkpoint: &Checkpoint) {
    if let Some(reason) = &checkpoint.untold {
        app.ui
            .warn(format!("git cannot list the files it tracks ({reason}), so ignored files are not saved"));
    }
    if checkpoint.unsaved_count == 0 {
        return;
    }
    let named = |unsaved: &Unsaved| format!("'{}' ({})", unsaved.path, unsaved.reason.describe());
    let mut names: Vec<String> = checkpoint.unsaved.iter().map(named).collect();
    let unnamed = checkpoint.unsaved_count.saturating_sub(names.len());
    names.extend(std::iter::repeat_n(String::new(), unnamed));
    let count = counted(checkpoint.unsaved_count, "path");
    app.ui.note(format!("{count} not saved: {}; 'ctx checkpoint --json' lists them", some_of(&names)));
}

/// Makes a checkpoint.
fn create(app: &App, checkpoints: &Checkpoints<'_>, message: String) -> Result<(), Error> {
    let created = progress::shown(&app.ui, |progress| checkpoints.watched(progress).create(&message, None))?;
    let number = created.checkpoint.number;
    app.ui.notices(created.cut_lines().as_slice());
    if created.is_new {
        note_unsaved(app, &created.checkpoint);
        app.ui.data(|out| writeln!(out, "{number}"))?;
    } else {
        app.ui.confirm(format!("nothing has changed since checkpoint {number}"));
    }
    Ok(())
}

/// The number of the last checkpoint.
fn newest(checkpoints: &Checkpoints<'_>) -> Result<u64, Error> {
    let number = checkpoints.list()?.iter().map(|checkpoint| checkpoint.number).max();
    number.ok_or_else(|| Error::impossible("no checkpoints of this tree").with_hint("ctx checkpoint create"))
}

/// Prints how a checkpoint differs from another one, or from the files as they are now.
fn print_diff(app: &App, raw: bool, diff: &[u8]) -> Result<(), Error> {
    if raw && !app.ui.is_terminal() {
        return app.ui.data(|out| out.write_all(diff));
    }
    let text = String::from_utf8_lossy(diff).into_owned();
    let mut found = Findings::default();
    let text = if raw { text } else { found.clean(text) };
    app.ui.warn_of(&found);
    let text = if app.ui.is_terminal() { visible_lines(&text) } else { text };
    app.ui.data(|out| out.write_all(text.as_bytes()))
}

/// Reports which checkpoints were removed, and frees their space if requested.
fn finish_removal(
    app: &App,
    checkpoints: &Checkpoints<'_>,
    removed: &[u64],
    prunes: bool,
) -> Result<(), Error> {
    match removed {
        [] if prunes => {}
        [] => app.ui.note("nothing to remove"),
        [number] => app.ui.confirm(format!("Removed checkpoint {number}")),
        numbers if numbers.len() <= 10 => {
            app.ui.confirm(format!("Removed checkpoints {}", all_of(numbers)));
        }
        numbers => app.ui.confirm(format!("Removed {}", counted(numbers.len(), "checkpoint"))),
    }
    if prunes {
        let freed = checkpoints.prune()?;
        app.ui.confirm(format!("Freed {} KiB", grouped(freed >> 10)));
    }
    Ok(())
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
            CheckpointError::Rules { file, .. } if file.is_gitignore_at_the_top() => {
                impossible.with_hint("correct it, or restore only it: 'ctx checkpoint restore N .gitignore'")
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
            | CheckpointError::Rules { .. }
            | CheckpointError::Io { .. }
            | CheckpointError::Damaged { .. }
            | CheckpointError::NothingUnfinished
            | CheckpointError::NoSuchPath { .. }
            | CheckpointError::GitsOwn { .. }
            | CheckpointError::Outside { .. } => impossible,
        }
    }
}
