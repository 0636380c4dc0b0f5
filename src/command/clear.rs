use clap::Args;

use crate::app::{App, Changed, named};
use crate::error::Error;
use crate::options::GlobalScope;
use ctx_core::store::{List, ListTarget};
use ctx_core::words::counted;

/// Remove all entries of the profile, or of the global list
///
/// The profile keeps its settings, and --undo brings the entries back. ctx never touches your files.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx clear                   empty the active profile
  ctx clear --undo            bring its entries back
  ctx clear -g                empty the global list
  ctx clear -g --defaults     restore the built-in global list")]
pub struct Clear {
    #[command(flatten)]
    scope: GlobalScope,

    /// Restore the built-in global list instead of leaving the list empty
    #[arg(long, requires = "global", conflicts_with = "undo")]
    defaults: bool,

    /// Bring back the entries that the last clear removed, with their attributes
    #[arg(long)]
    undo: bool,
}

impl Clear {
    /// Empties the list.
    pub fn run(self, app: &App) -> Result<(), Error> {
        if self.undo {
            return bring_back(app, self.scope.global);
        }
        let Changed { target, value: cleared } = app.change(self.scope.global, |store, target| {
            let paths = if self.defaults { List::built_in_global().paths } else { Vec::new() };
            Ok(store.clear(target, paths)?)
        })?;
        if let ListTarget::Profile(name) = &target {
            // The list is cleared; a note that can't be made is not a reason to fail.
            let others = app.store.read(|view| view.chosen_elsewhere(name)).map_or(0, |roots| roots.len());
            if others > 0 {
                app.ui
                    .note(format!("profile '{name}' is also active under {}", counted(others, "other root")));
            }
        }
        app.ui.confirm(match (&target, self.defaults) {
            (ListTarget::Global, false) => "Cleared global context".to_owned(),
            (ListTarget::Global, true) => "Restored the built-in global list".to_owned(),
            (ListTarget::Profile(name), _) => format!("Cleared context for profile '{name}'"),
        });
        if cleared > 0 {
            let undo = format!("{} --undo", app.same_list("clear", self.scope.global));
            let (entries, them) = (counted(cleared, "entry"), if cleared == 1 { "it" } else { "them" });
            app.ui.confirm(format!("{entries}; '{undo}' brings {them} back"));
        }
        Ok(())
    }
}

fn bring_back(app: &App, global: bool) -> Result<(), Error> {
    let Changed { target, value: back } =
        app.change(global, |store, target| Ok(store.bring_back(target)?))?;
    let back = back.ok_or_else(|| Error::impossible("there is nothing to bring back"))?;
    let list = named(&target);
    app.ui.confirm(format!("Restored {} to {list}", counted(back, "entry")));
    Ok(())
}
