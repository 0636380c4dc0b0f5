use clap::Args;
use clap_complete::ArgValueCandidates;

use super::list::{ListName, ListOption};
use crate::app::App;
use crate::complete;
use crate::error::{Error, Outcome};
use ctx_core::words::{all_of, quoted};

/// Remove a list, or all that are finished
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx todo clear release
  ctx todo clear --finished")]
pub struct ClearTasks {
    /// Remove every list whose tasks are all done
    #[arg(long, conflicts_with = "name")]
    finished: bool,

    /// The list (default: that of --list, else 'default')
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::todo_lists))]
    name: Option<ListName>,
}

impl ClearTasks {
    /// Removes the lists.
    pub fn run(self, app: &App, which: &ListOption) -> Result<Outcome, Error> {
        if which.list.is_some() && (self.finished || self.name.is_some()) {
            return Err(Error::usage("--list cannot be used with NAME or --finished: use one or the other"));
        }
        if self.finished {
            let removed: Vec<String> = app.store.remove_finished_todo_lists()?.iter().map(quoted).collect();
            match removed.as_slice() {
                [] => app.ui.note("no list is finished"),
                removed => app.ui.confirm(format!("Removed {}", all_of(removed))),
            }
            return Ok(Outcome::Done);
        }
        let name = self.name.map_or_else(|| which.name(), |name| name.0);
        app.store.remove_todo_list(&name)?;
        app.ui.confirm(format!("Removed list '{name}'"));
        Ok(Outcome::Done)
    }
}
