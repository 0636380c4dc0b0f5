//! Whether checkpoints are made around a program.

use clap::Args;

use crate::app::App;
use crate::error::Error;
use crate::stored::Stored;
use crate::trust::Commands;
use ctx_core::store::{Setting, Switch};

/// Whether checkpoints are made.
#[derive(Debug, Args)]
#[command(next_help_heading = "Checkpoints")]
pub struct CheckpointOptions {
    /// Make a checkpoint of the tree before the program runs and one after it ('ctx checkpoint')
    #[arg(hide_short_help = true, long, overrides_with = "no_checkpoint")]
    checkpoint: bool,

    /// Make no checkpoints, even if the profile asks for them
    #[arg(hide_short_help = true, long, overrides_with = "checkpoint")]
    no_checkpoint: bool,
}

impl CheckpointOptions {
    /// Whether checkpoints are made: what the command line says, else the profile.
    ///
    /// # Errors
    /// When the profile cannot be read, or its setting is none.
    pub fn are_on(&self, app: &App) -> Result<bool, Error> {
        if self.checkpoint || self.no_checkpoint {
            return Ok(self.checkpoint);
        }
        let stored = Stored::read(app, Commands::NotRun)?;
        Ok(stored.chosen(None, Setting::Checkpoint)? == Some(Switch::On))
    }
}
