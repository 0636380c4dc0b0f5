use ctx_core::checkpoint::{Checkpoint, Unsaved};
use ctx_core::words::{counted, some_of};
use std::io::Write;

use clap::Args;

use crate::app::App;
use crate::error::{Error, Outcome};
use crate::progress;
use ctx_core::checkpoint::{Checkpoints, Created};

/// Says what is not in a checkpoint.
pub fn note_unsaved(app: &App, checkpoint: &Checkpoint) {
    if let Some(reason) = &checkpoint.untold {
        app.ui.warn(format!(
            "git cannot say which files it tracks ({reason}): what a rule ignores is not saved"
        ));
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

/// Make a checkpoint and print its number
///
/// If nothing has changed since the last checkpoint, none is made. Files that cannot be saved are listed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx checkpoint create
  ctx checkpoint create -m \"tests pass\"")]
pub struct Create {
    /// A description
    #[arg(short, long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    message: String,
}

impl Create {
    /// Makes it.
    pub fn run(self, app: &App, checkpoints: &Checkpoints<'_>) -> Result<Outcome, Error> {
        let created =
            progress::shown(&app.ui, |progress| checkpoints.watched(progress).create(&self.message, None));
        match created? {
            Created::New(checkpoint) => {
                note_unsaved(app, &checkpoint);
                app.ui.data(|out| writeln!(out, "{}", checkpoint.number))?;
            }
            Created::Unchanged(checkpoint) => {
                app.ui.confirm(format!("nothing has changed since checkpoint {}", checkpoint.number));
            }
        }
        Ok(Outcome::Done)
    }
}
