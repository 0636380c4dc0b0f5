use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::app::App;
use crate::complete;
use crate::error::Error;
use ctx_core::share::Bundle;
use ctx_core::store::{List, ListTarget, ProfileName, Setting, View};

/// Print profiles as one JSON document, for a team or another machine
///
/// Without a name, exports the profile in use. `ctx import` reads the document. It contains the entries as stored,
/// with attributes, settings and any keys that a newer ctx wrote, but neither the contents of files nor the choice
/// of the active profile. It includes the global list only with -g.
///
/// The document is `{"version": 1, "global": {…}, "profiles": {NAME: {"paths": […], …}}}`; each list has the same
/// format as the files in the store.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx export > context.json             export the profile in use
  ctx export api docs > context.json    export these two
  ctx export --all -g > backup.json     export all profiles and the global list
  ctx export -g                         print only the global list
  ctx export api | ssh host ctx import -")]
pub struct Export {
    /// Print the global list, alone or with the named profiles
    #[arg(short = 'g', long)]
    global: bool,

    /// Print all profiles: the project's if you are in one, otherwise your own
    #[arg(long, conflicts_with = "names")]
    all: bool,

    /// Profiles to print instead of the one in use
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::profiles))]
    names: Vec<String>,
}

impl Export {
    /// Prints the requested lists, all as they were at the same moment.
    pub fn run(self, app: &App) -> Result<(), Error> {
        let names = Error::each(self.names.iter().map(|name| name.parse::<ProfileName>()))?;
        let bundle = app.store.read(|view| self.bundle(app, view, &names))?;
        app.ui.whole_json(&bundle)
    }

    fn bundle(&self, app: &App, view: &View, names: &[ProfileName]) -> Result<Bundle, Error> {
        let mut bundle = Bundle::default();
        if self.global {
            bundle.global = Some(for_others(view.global()?));
        }
        let names = self.wanted(app, view, names)?;
        let missing = names.iter().filter_map(|name| view.require_profile(name).err());
        Error::all(missing.map(Error::from).collect())?;
        for name in names {
            let list = for_others(view.profile(&name)?);
            bundle.profiles.insert(name, list);
        }
        Ok(bundle)
    }

    /// The given names, all names, or the profile in use, unless only the global list is requested.
    fn wanted(&self, app: &App, view: &View, names: &[ProfileName]) -> Result<Vec<ProfileName>, Error> {
        if self.all {
            return Ok(view.own_profiles()?);
        }
        if !names.is_empty() {
            return Ok(names.to_vec());
        }
        match app.target_in(view, self.global)? {
            ListTarget::Global => Ok(Vec::new()),
            ListTarget::Profile(name) => Ok(vec![name]),
        }
    }
}

/// A list without private settings.
fn for_others(mut list: List) -> List {
    Setting::ALL
        .into_iter()
        .filter(|setting| setting.stays_here())
        .for_each(|setting| list.defaults.set(setting, None));
    list.readers.clear();
    list
}
