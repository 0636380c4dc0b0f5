use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::app::App;
use crate::error::{Error, Outcome};
use crate::progress;
use crate::visible::visible_lines;
use ctx_core::checkpoint::Checkpoints;
use ctx_core::guard::Findings;

/// Compare a checkpoint with the current files, or with another checkpoint
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx checkpoint diff 3
  ctx checkpoint diff 3 5 --stat
  ctx checkpoint diff 3 -- src/parser
  ctx checkpoint diff 3 | ctx render - -p \"Review this\" | llm")]
pub struct Diff {
    /// Print the number of changed lines for each file instead
    #[arg(long)]
    stat: bool,

    /// Print the files' bytes as they are, secrets and hidden characters included
    #[arg(long)]
    raw: bool,

    /// The number of the checkpoint
    #[arg(value_name = "N")]
    from: u64,

    /// The number of another one (default: the files as they are now)
    #[arg(value_name = "M")]
    to: Option<u64>,

    /// Only these files and directories
    #[arg(value_name = "PATH", last = true, value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
}

impl Diff {
    /// Prints the differences.
    pub fn run(self, app: &App, checkpoints: &Checkpoints<'_>) -> Result<Outcome, Error> {
        let diff = progress::shown(&app.ui, |progress| {
            checkpoints.watched(progress).diff(self.from, self.to, self.stat, &self.paths)
        })?;
        if self.raw && !app.ui.is_terminal() {
            app.ui.data(|out| out.write_all(&diff))?;
            return Ok(Outcome::Done);
        }
        let text = String::from_utf8_lossy(&diff).into_owned();
        let mut found = Findings::default();
        let text = if self.raw { text } else { found.clean(text) };
        app.ui.warn_of(&found);
        let text = if app.ui.is_terminal() { visible_lines(&text) } else { text };
        app.ui.data(|out| out.write_all(text.as_bytes()))?;
        Ok(Outcome::Done)
    }
}
