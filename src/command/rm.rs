use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::app::{App, Changed, named};
use crate::complete;
use crate::error::{Error, Outcome};
use crate::options::GlobalScope;
use ctx_core::store::distinct;
use ctx_core::words::quoted;

/// Remove entries from the context
///
/// Entries are named as `ctx show` prints them. Those that are not there are named on standard
/// error; the others are removed. Files are never touched.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx rm README.md
  ctx rm -g AmazonQ.md        from the global list
  ctx rm 'src/**/*.rs'        the pattern itself, not a file that it matches")]
pub struct Remove {
    #[command(flatten)]
    scope: GlobalScope,

    /// Entries as stored
    #[arg(required = true, value_name = "PATH", add = ArgValueCandidates::new(complete::entries))]
    paths: Vec<String>,
}

impl Remove {
    /// Removes the entries that are there, and names the others.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        let Changed { target, value: (removed, missing) } =
            app.change(self.scope.global, |store, target| {
                let list = store.list_mut(target)?;
                let mut removed = Vec::new();
                let mut missing = Vec::new();
                for path in distinct(&self.paths) {
                    match list.remove(&app.as_stored(list, path)) {
                        entries if entries.is_empty() => missing.push(quoted(path)),
                        entries => removed.extend(entries),
                    }
                }
                if removed.is_empty() { Err(none_found()) } else { Ok((removed, missing)) }
            })?;
        for entry in &removed {
            app.ui.confirm(format!("Removed '{}' from {}", entry.path, named(&target)));
        }
        if !missing.is_empty() {
            app.ui.warn(format!("not in the context: {}", missing.join(", ")));
        }
        Ok(Outcome::Done)
    }
}

fn none_found() -> Error {
    Error::impossible("None of the specified paths were found in the context")
        .with_hint("'ctx show' lists the entries")
}
