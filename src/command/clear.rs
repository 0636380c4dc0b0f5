use clap::Args;

use crate::app::{App, Changed};
use crate::error::{Error, Outcome};
use crate::options::GlobalScope;
use ctx_core::store::{List, ListTarget};
use ctx_core::words::counted;

/// Remove all entries of the profile, or of the global list
///
/// The profile keeps its description and defaults. Your files are never touched.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx clear                   empty the active profile
  ctx clear -g                empty the global list
  ctx clear -g --defaults     restore the built-in global list")]
pub struct Clear {
    #[command(flatten)]
    scope: GlobalScope,

    /// Restore the built-in global list instead of leaving the list empty
    #[arg(long, requires = "global")]
    defaults: bool,
}

impl Clear {
    /// Empties the list.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        let Changed { target, .. } = app.change(self.scope.global, |store, target| {
            let list = store.list_mut(target)?;
            list.paths = if self.defaults { List::built_in_global().paths } else { Vec::new() };
            Ok(())
        })?;
        if let ListTarget::Profile(name) = &target {
            let others = app.store.read(|view| view.chosen_elsewhere(name))?.len();
            if others > 0 {
                app.ui.note(format!("profile '{name}' is chosen for {} too", counted(others, "other root")));
            }
        }
        app.ui.confirm(match (&target, self.defaults) {
            (ListTarget::Global, false) => "Cleared global context".to_owned(),
            (ListTarget::Global, true) => "Restored the built-in global context".to_owned(),
            (ListTarget::Profile(name), _) => format!("Cleared context for profile '{name}'"),
        });
        Ok(Outcome::Done)
    }
}
