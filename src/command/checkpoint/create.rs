use std::io::Write;

use clap::Args;

use super::note_unsaved;
use crate::app::App;
use crate::error::{Error, Outcome};
use crate::progress;
use ctx_core::checkpoint::{Checkpoints, Created, Label};

/// Make a checkpoint and print its number
///
/// If nothing has changed since the last one, none is made. What cannot be saved is named.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx checkpoint create
  ctx checkpoint create -m \"tests pass\"")]
pub struct Create {
    /// What to remember it by
    #[arg(short, long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    message: String,
}

impl Create {
    /// Makes it.
    pub fn run(self, app: &App, checkpoints: &Checkpoints<'_>) -> Result<Outcome, Error> {
        let label = Label { text: self.message, turn: None };
        let created = progress::shown(&app.ui, |progress| checkpoints.watched(progress).create(&label));
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
