use std::str::FromStr;

use clap::Args;

use super::which::HistoryOption;
use crate::app::App;
use crate::error::{Error, Outcome};
use ctx_core::history::Turns;
use ctx_core::words::counted;

/// Remove all turns of a history, or some
///
/// A summary that is about one of them goes with them. Numbers are never given out twice. What the history was
/// before is kept beside it, in NAME.jsonl.bak, until the next clearing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx history clear                  all turns
  ctx history clear 1-20             these
  ctx history clear --no-backup      and nothing is left of them")]
pub struct ClearHistory {
    /// Which turns
    #[arg(value_name = "N|N-M")]
    turns: Option<Range>,

    /// Keep no backup, and remove the one that is there
    #[arg(long)]
    no_backup: bool,
}

#[derive(Debug, Clone, Copy)]
struct Range(Turns);

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        match (from.parse(), to.parse()) {
            (Ok(from), Ok(to)) if 0 < from && from <= to => Ok(Self(Turns { from, to })),
            (_, _) => Err("use the number of a turn, or two with a hyphen between them: 3, 1-20".to_owned()),
        }
    }
}

impl ClearHistory {
    /// Removes the turns.
    pub fn run(self, app: &App, which: &HistoryOption) -> Result<Outcome, Error> {
        let name = which.name(app)?;
        let range = self.turns.map(|range| range.0);
        let cleared = app.store.clear_history(&name, range, !self.no_backup, app.world().now)?;
        app.ui.confirm(format!("Cleared history '{name}' ({})", counted(cleared.turns, "turn")));
        if let Some(backup) = cleared.replaced_backup {
            app.ui.note(format!("the backup of an earlier clearing was replaced: '{}'", backup.display()));
        }
        Ok(Outcome::Done)
    }
}
