use clap::Args;
use clap_complete::ArgValueCandidates;

use super::app::App;
use super::complete;
use super::error::{Error, Outcome};
use crate::share::Bundle;
use crate::store::{ProfileName, StoreError, View};

/// Print profiles as one JSON document, for a team or another machine
///
/// Without a name, the profile in use. `ctx import` reads the document. It holds the entries as they
/// are stored, with their attributes, the defaults and every key that a newer ctx may have written;
/// no contents of files, and not which profile is active. The global list is only printed with -g.
///
/// The document: `{"version": 1, "global": {…}, "profiles": {NAME: {"paths": […], …}}}`; each list has
/// the form of the store's own files.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx export > context.json             the profile in use
  ctx export api docs > context.json    these two
  ctx export --all -g > backup.json     all profiles and the global list
  ctx export -g                         the global list alone
  ctx export api | ssh host ctx import -")]
pub struct Export {
    /// Print the global list, alone or with the profiles that are named
    #[arg(short = 'g', long)]
    global: bool,

    /// Print all profiles
    #[arg(long, conflicts_with = "names")]
    all: bool,

    /// Profiles to print instead of the one in use
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::profiles))]
    names: Vec<String>,
}

impl Export {
    /// Prints the lists that are asked for, as they stood at one moment.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        let names = self.names(app)?;
        let bundle = app.store.read(|view| self.bundle(view, &names))?;
        app.ui.json(&bundle)?;
        Ok(Outcome::Done)
    }

    fn names(&self, app: &App) -> Result<Vec<ProfileName>, Error> {
        if self.all || !self.names.is_empty() {
            return self.names.iter().map(|name| Ok(name.parse()?)).collect();
        }
        if self.global {
            // Refuses --profile, as everywhere.
            app.target(true)?;
            return Ok(Vec::new());
        }
        Ok(vec![app.profile()?])
    }

    fn bundle(&self, view: &View, names: &[ProfileName]) -> Result<Bundle, StoreError> {
        let names = if self.all { view.profiles()? } else { names.to_vec() };
        let mut bundle = Bundle::default();
        if self.global {
            bundle.global = Some(view.global()?);
        }
        for name in names {
            view.require_profile(&name)?;
            let list = view.profile(&name)?;
            bundle.profiles.insert(name, list);
        }
        Ok(bundle)
    }
}
