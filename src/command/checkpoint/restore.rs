use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::ArgValueCandidates;

use crate::app::App;
use crate::complete;
use crate::error::{Error, Failure};
use crate::progress;
use ctx_core::checkpoint::{Checkpoints, Restoration, Restored, SkippedPath};
use ctx_core::words::{counted, grouped, quoted, some_of};

/// Restore files from a checkpoint, without losing what is there now
///
/// First, ctx makes a checkpoint of the current files; the last line of its output shows how to return to
/// them. It writes files that differ and creates missing ones. Files created since checkpoint N stay, unless you use
/// --hard. It never touches files that it couldn't save or that git ignores: it names them and exits with 1.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx checkpoint restore 3 --dry-run      what would be written and deleted
  ctx checkpoint restore 3
  ctx checkpoint restore 3 src README.md  only these
  ctx checkpoint restore 3 --hard         also delete files created since then
  ctx checkpoint restore --abort          undo an interrupted restore")]
pub struct Restore {
    /// Also delete files that aren't in the checkpoint, and directories left empty
    #[arg(long)]
    hard: bool,

    /// Print what would be done without doing it
    #[arg(long)]
    dry_run: bool,

    /// Restore even if this deletes many files, or if the directory has been re-created since then
    #[arg(short, long)]
    force: bool,

    /// Finish a restore that was interrupted
    #[arg(long = "continue", conflicts_with_all = ["number", "paths", "hard", "dry_run", "force"])]
    go_on: bool,

    /// Undo what an interrupted restore has done
    #[arg(long, conflicts_with_all = ["number", "paths", "hard", "dry_run", "force", "go_on"])]
    abort: bool,

    /// The number of the checkpoint
    #[arg(value_name = "N", required_unless_present_any = ["go_on", "abort"], add = ArgValueCandidates::new(complete::checkpoints))]
    number: Option<u64>,

    /// Only these files and directories
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
}

impl Restore {
    /// Restores files, or finishes or undoes an interrupted restore.
    pub fn run(self, app: &App, checkpoints: &Checkpoints<'_>) -> Result<(), Error> {
        let Some(number) = self.number else { return self.resume(app, checkpoints) };
        let restoration = Restoration { number, paths: &self.paths, hard: self.hard, force: self.force };
        if self.dry_run {
            let preview =
                progress::shown(&app.ui, |progress| checkpoints.watched(progress).preview(&restoration))?;
            app.ui.data(|out| {
                preview.deleted.iter().try_for_each(|path| writeln!(out, "delete {path}"))?;
                preview.written.iter().try_for_each(|path| writeln!(out, "write {path}"))
            })?;
            return left(&preview.skipped);
        }
        let restored =
            progress::shown(&app.ui, |progress| checkpoints.watched(progress).restore(&restoration))?;
        match restored.before {
            None => match &restored.moved_aside {
                Some(aside) => app.ui.confirm(format!(
                    "{}; the file in its place is kept next to it as '{aside}'",
                    done(&restored)
                )),
                None if restored.skipped.is_empty() => {
                    app.ui.confirm(format!("the files already match checkpoint {number}"));
                }
                None => {}
            },
            Some(before) => app.ui.confirm(format!(
                "{}; the state before is checkpoint {before}: ctx checkpoint restore {before}{}",
                done(&restored),
                back(&restored)
            )),
        }
        if !restored.ignored.is_empty() {
            let (count, stay) = match restored.ignored.len() {
                1 => (counted(1, "file"), "stays"),
                count => (counted(count, "file"), "stay"),
            };
            let names: Vec<String> = restored.ignored.iter().map(quoted).collect();
            app.ui.note(format!("{count} {stay}, ignored by the restored rules: {}", some_of(&names)));
        }
        if !restored.newer.is_empty() {
            let (count, stay, them) = match restored.newer.len() {
                1 => (counted(1, "newer file"), "stays", "it"),
                count => (counted(count, "newer file"), "stay", "them"),
            };
            let names: Vec<String> = restored.newer.iter().map(quoted).collect();
            app.ui.note(format!("{count} {stay}: {}; --hard deletes {them}", some_of(&names)));
        }
        left(&restored.skipped)
    }

    fn resume(&self, app: &App, checkpoints: &Checkpoints<'_>) -> Result<(), Error> {
        let restored = checkpoints.resume(self.abort)?;
        let before = restored.before.map_or_else(String::new, |before| format!("checkpoint {before}"));
        app.ui.confirm(if self.abort {
            let count = counted(restored.written + restored.deleted, "file");
            format!("Put {count} back; {before} has the same state")
        } else {
            format!("{}; the state before is {before}", done(&restored))
        });
        left(&restored.skipped)
    }
}

/// Describes what was done.
fn done(restored: &Restored) -> String {
    let deleted = match restored.deleted {
        0 => String::new(),
        deleted => format!(", deleted {}", grouped(deleted as u64)),
    };
    format!("Restored {} from {}{deleted}", counted(restored.written, "file"), restored.number)
}

/// The options that you need to go back.
fn back(restored: &Restored) -> String {
    let hard = if restored.back.is_some_and(|back| back.hard) { " --hard" } else { "" };
    let force = if restored.back.is_some_and(|back| back.force) { " --force" } else { "" };
    format!("{hard}{force}")
}

/// Names the files that are left alone.
fn left(skipped: &[SkippedPath]) -> Result<(), Error> {
    if skipped.is_empty() {
        return Ok(());
    }
    Err(Error::several(Failure::Impossible, skipped.iter().map(SkippedPath::to_string).collect()))
}
