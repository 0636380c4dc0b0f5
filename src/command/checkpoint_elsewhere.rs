use std::ffi::OsString;

use clap::Args;

use crate::app::App;
use crate::error::Error;

pub use NoCheckpoints as CheckpointCommand;

/// Take snapshots of your files (not on this system: checkpoints need POSIX)
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct NoCheckpoints {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

impl NoCheckpoints {
    /// Reports that checkpoints are unavailable.
    pub fn run(self, _: &App) -> Result<(), Error> {
        Err(unavailable())
    }
}

/// Why there are no checkpoints.
pub fn unavailable() -> Error {
    Error::impossible("checkpoints need a POSIX system")
}
