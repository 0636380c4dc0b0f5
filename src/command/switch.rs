use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::app::App;
use crate::complete;
use crate::error::Error;
use ctx_core::store::{ProfileName, StoreError, Transaction};

/// Switch to another profile
///
/// The profile stays active until your next switch, but only in the project or repository you are in. If you
/// aren't in one, the switch applies in all directories outside projects and repositories. -g switches in
/// every repository where you haven't chosen a profile. To use a profile in one shell or script, set
/// CTX_PROFILE; for one command, use --profile.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx switch api
  ctx switch -c review      create it, and switch to it
  ctx switch -              switch back to the previous one
  ctx switch -g notes       switch wherever you haven't chosen a profile")]
pub struct Switch {
    /// Create the profile first
    #[arg(short, long)]
    create: bool,

    /// Switch in every repository where you haven't chosen a profile
    #[arg(short, long)]
    global: bool,

    /// The profile; `-` is the previously active one
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::profiles))]
    name: String,
}

/// The name for the previous profile.
const BACK: &str = "-";

impl Switch {
    /// Changes the active profile.
    pub fn run(self, app: &App) -> Result<(), Error> {
        let asked = match self.name.as_str() {
            BACK if self.create => {
                return Err(Error::usage("'-' is the previous profile, which already exists"));
            }
            BACK => None,
            name => Some(name.parse::<ProfileName>()?),
        };
        app.check_named()?;
        // A profile that applies to all repositories is one of your own.
        let store = if self.global { app.store.of_user_alone() } else { app.store.clone() };
        let name = app.update(&store, |store| {
            let previous = |store: &mut Transaction| {
                if self.global { store.previous_everywhere() } else { store.previous() }
            };
            let Some(name) = asked.clone().map_or_else(|| previous(store), |name| Ok(Some(name)))? else {
                return Err(Error::impossible("no profile to switch back to"));
            };
            if self.create {
                store.create_profile(&name).map_err(|error| with_way_out(error, &name))?;
            }
            let chosen =
                if self.global { store.set_active_everywhere(&name) } else { store.set_active(&name) };
            chosen.map_err(|error| with_way_out(error, &name))?;
            Ok(name)
        })?;
        app.ui.confirm(if self.create {
            format!("Created and switched to profile: {name}")
        } else {
            format!("Switched to profile: {name}")
        });
        let refused = app.refused("it is active outside repositories, as in").filter(|_| !self.global);
        refused.into_iter().for_each(|text| app.ui.note(text));
        if app.named_profile().is_some_and(|named| named != name) {
            app.ui.note("--profile or CTX_PROFILE names another profile, which overrides the active one");
        }
        if self.global {
            // The profile is switched; a note that can't be made is not a reason to fail.
            note_profile_here(app, &name).ok();
        }
        Ok(())
    }
}

/// Notes which profile stays active here, if another one was switched to everywhere.
fn note_profile_here(app: &App, everywhere: &ProfileName) -> Result<(), Error> {
    let here = app.store.read(|view| view.choice())?.profile;
    if here != *everywhere {
        let is_usable = !app.store.read(|view| view.is_beside_project(everywhere))?;
        let change =
            if is_usable { format!(": 'ctx switch {everywhere}' changes that") } else { String::new() };
        app.ui.note(format!("'{here}' stays active here{change}"));
    }
    Ok(())
}

fn with_way_out(error: StoreError, name: &ProfileName) -> Error {
    match error {
        StoreError::NoSuchProfile { .. } => Error::from(error).with_hint(format!(
            "'ctx profile --create {name}' creates it, 'ctx switch --create {name}' also switches to it"
        )),
        StoreError::ProfileExists { .. } => Error::from(error).with_hint(format!("ctx switch {name}")),
        error => error.into(),
    }
}
