mod from;

use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::ArgValueCandidates;

use crate::app::App;
use crate::complete;
use crate::error::{Error, Outcome};
use ctx_core::fs::{Owners, expanded, real, with_tilde};
use ctx_core::project::{DIRECTORY, can_be_in};
use ctx_core::store::{ProfileName, Store, Transaction};

/// Create a .ctx directory to share profiles with a repository
///
/// Makes `.ctx` with an empty `default` profile. From then on the profiles there are those of the project,
/// in DIR and below: 'ctx add' adds to them, and their entries are relative to DIR wherever one stands. The
/// global list stays the user's own, and so does what is trusted and which profile is active. --no-project, or
/// CTX_PROJECT=none, ignores the project.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx init                             in the current directory
  ctx init --from default              with what your own profile names here
  ctx add README.md 'src/**/*.rs'      what the team keeps
  git add .ctx && git commit -m \"Share the context\"")]
pub struct Init {
    /// Take along what this profile of your own names here, as far as a project may name it
    #[arg(long, value_name = "PROFILE", add = ArgValueCandidates::new(complete::profiles))]
    from: Option<String>,

    /// The directory, which is made if it is not there
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, default_value = ".", hide_default_value = true)]
    directory: PathBuf,
}

impl Init {
    /// Makes the project.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        app.check_named()?;
        let world = app.world();
        let asked = world.cwd.join(expanded(&self.directory, world.home.as_deref()));
        fs::create_dir_all(&asked).map_err(|error| Error::io("create", &asked, &error))?;
        let root = real(&asked).map_err(|error| Error::io("read", &asked, &error))?;
        let named = with_tilde(&root.to_string_lossy(), world.home.as_deref());
        if root.to_str().is_none() {
            return Err(Error::impossible(format!("the path of '{named}' is not UTF-8")));
        }
        let directory = root.join(DIRECTORY);
        let owners = Owners::in_directory(&root);
        let default = ProfileName::default_profile();
        let store = Store::at(app.store.root().to_owned()).with_project(directory.clone(), owners.clone());
        let from = self.from.as_deref().map(|name| from::entries(app, name, &root)).transpose()?;
        if directory.symlink_metadata().is_ok() {
            // What is there must be usable.
            store.profile(&default)?;
            app.ui.note(format!("'{named}' is already a project"));
            return from.map_or(Ok(Outcome::Done), |from| from.add_to(app, &store));
        }
        if !can_be_in(&root, world, &owners) {
            return Err(Error::impossible(format!("a project in '{named}' would never be found"))
                .with_hint("a project is in a directory below the home directory, or in a repository"));
        }
        store.update(|store: &mut Transaction<'_>| store.write_default().map_err(Error::from))?;
        app.ui.confirm(format!(
            "Created project {named}: 'ctx add' now adds to it; commit {DIRECTORY} to share it"
        ));
        if let Some(outer) = app.project().filter(|outer| *outer != named) {
            app.ui.note(format!("it nests in project {outer}, whose profiles are not used in {named}"));
        }
        match from {
            Some(from) => from.add_to(app, &store),
            None => {
                from::hint(app, &self.directory, &root)?;
                Ok(Outcome::Done)
            }
        }
    }
}
