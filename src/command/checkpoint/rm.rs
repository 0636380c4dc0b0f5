use clap::{ArgGroup, Args};

use crate::app::App;
use crate::error::{Error, Outcome};
use ctx_core::checkpoint::{Checkpoints, Removal};
use ctx_core::words::{all_of, counted, grouped};

/// Remove checkpoints
///
/// Numbers are never given out twice. The space is freed by --prune, which can be given alone.
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("what").required(true).multiple(true).args(["numbers", "keep", "prune"])),
    after_help = "Examples:
  ctx checkpoint rm 3 4
  ctx checkpoint rm --keep 10 --prune"
)]
pub struct RemoveCheckpoint {
    /// Numbers of checkpoints
    #[arg(value_name = "N", conflicts_with = "keep")]
    numbers: Vec<u64>,

    /// Remove all but the last K
    #[arg(long, value_name = "K")]
    keep: Option<usize>,

    /// Free the space of what was removed
    #[arg(long)]
    prune: bool,
}

impl RemoveCheckpoint {
    /// Removes them.
    pub fn run(self, app: &App, checkpoints: &Checkpoints<'_>) -> Result<Outcome, Error> {
        let removal = match self.keep {
            Some(keep) => Removal::KeepLast(keep),
            None => Removal::Numbers(self.numbers),
        };
        let removed = checkpoints.remove(&removal)?;
        match removed.as_slice() {
            [] if self.prune => {}
            [] => app.ui.note("nothing to remove"),
            [number] => app.ui.confirm(format!("Removed checkpoint {number}")),
            numbers if numbers.len() <= 10 => {
                app.ui.confirm(format!("Removed checkpoints {}", all_of(numbers)));
            }
            numbers => app.ui.confirm(format!("Removed {}", counted(numbers.len(), "checkpoint"))),
        }
        if self.prune {
            let freed = checkpoints.prune()?;
            app.ui.confirm(format!("Freed {} KiB", grouped(freed >> 10)));
        }
        Ok(Outcome::Done)
    }
}
