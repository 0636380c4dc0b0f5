use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use clap_complete::ArgValueCandidates;

use crate::app::App;
use crate::complete;
use crate::error::Error;
use crate::hints::shell_word;
use ctx_core::entry::{Author, Entry, Provenance, Scope, ScopedEntry};
use ctx_core::fs::{Owners, expanded, real, with_tilde};
use ctx_core::guard::names::holds_secrets;
use ctx_core::project::{DIRECTORY, can_be_in};
use ctx_core::report::{Reason, ReasonCode};
use ctx_core::select::{self, EntryFate, EntryReport};
use ctx_core::store::{ListTarget, ProfileName, Setting, Store, Transaction};
use ctx_core::words::{all_of, quoted, some_of};
use ctx_core::world::World;

/// Create a .ctx directory to share profiles with a repository
///
/// Creates `.ctx` with an empty `default` profile. From then on, in DIR and below, you use the project's profiles:
/// 'ctx add' adds to them, and their entries are relative to DIR wherever you are. The global list stays yours,
/// and so do your trust decisions and your choice of profile. To ignore the project, use --no-project or
/// CTX_PROJECT=none.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx init                             create a project in the current directory
  ctx init --from default              start with entries from your own profile
  ctx add README.md 'src/**/*.rs'      add files to it
  git add .ctx && git commit -m \"Share the context\"")]
pub struct Init {
    /// Copy the entries of this profile that match files here, if a project may contain them
    #[arg(long, value_name = "PROFILE", add = ArgValueCandidates::new(complete::profiles))]
    from: Option<String>,

    /// The directory; created if it doesn't exist
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, default_value = ".", hide_default_value = true)]
    directory: PathBuf,
}

impl Init {
    /// Creates the project.
    pub fn run(self, app: &App) -> Result<(), Error> {
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
        let from = self.from.as_deref().map(|name| entries_of(app, name, &root)).transpose()?;
        if directory.symlink_metadata().is_ok() {
            // The existing profile must be usable.
            store.profile(&default)?;
            app.ui.note(format!("'{named}' is already a project"));
            return from.map_or(Ok(()), |from| from.add_to(app, &store));
        }
        if !can_be_in(&root, world, &owners) {
            return Err(Error::impossible(format!("a project in '{named}' would never be found"))
                .with_hint("choose a directory in a repository, or below your home directory"));
        }
        store.update(|store: &mut Transaction<'_>| store.write_default().map_err(Error::from))?;
        app.ui.confirm(format!(
            "Created project {named}: 'ctx add' now adds to it; commit {DIRECTORY} to share it"
        ));
        if let Some(outer) = app.project().filter(|outer| *outer != named) {
            app.ui.note(format!("it is inside project {outer}, whose profiles are not used in {named}"));
        }
        match from {
            Some(from) => from.add_to(app, &store),
            None => hint_of_own(app, &self.directory, &root),
        }
    }
}

/// The entries of a profile, divided into those that the project gets and the others.
struct FromProfile {
    taken: Vec<Entry>,
    /// The others, each with the reason.
    others: Vec<String>,
    /// The names of the profile's settings, none of which are copied.
    settings: Vec<&'static str>,
    name: ProfileName,
}

/// The provenance of a project's entries.
const OF_PROJECT: Provenance = Provenance { scope: Scope::Project, author: Author::Project };

/// The entries of the user's profile that match files in this directory and that a project may contain.
///
/// # Errors
/// If the profile does not exist, or cannot be read.
fn entries_of(app: &App, name: &str, root: &Path) -> Result<FromProfile, Error> {
    let name: ProfileName = name.parse()?;
    let list = app.store.of_user_alone().profile(&name)?;
    let scoped: Vec<ScopedEntry> =
        list.paths.iter().map(|entry| ScopedEntry::from_list(OF_PROJECT, entry.clone())).collect();
    let world = World {
        cwd: root.to_owned(),
        root: root.to_owned(),
        project: Some(root.to_owned()),
        ..app.world().clone()
    };
    let options = select::Options::new(holds_secrets);
    let reports = select::select(&scoped, &world, &options)?.entries;
    let is_here = |report: &EntryReport| report.matches > 0 || matches!(report.fate, EntryFate::Excludes(_));
    let (taken, others): (Vec<_>, Vec<_>) = scoped.iter().zip(&reports).partition(|(scoped, report)| {
        scoped.forbidden().is_none() && (is_here(report) || scoped.entry.kind().is_text())
    });
    let other = |(one, report): (&ScopedEntry, &EntryReport)| {
        let is_off = one.entry.attributes.off;
        let otherwise = || if is_off { ReasonCode::Off } else { ReasonCode::NoMatch }.into();
        let reason = Reason::of_entry(&scoped, report).unwrap_or_else(otherwise);
        format!("{} ({})", quoted(one.entry.name()), reason.text)
    };
    let is_set = |setting: &Setting| list.defaults.get(*setting).is_some();
    Ok(FromProfile {
        taken: taken.into_iter().map(|(scoped, _)| scoped.entry.clone()).collect(),
        others: others.into_iter().map(other).collect(),
        settings: Setting::ALL.into_iter().filter(is_set).map(Setting::name).collect(),
        name,
    })
}

impl FromProfile {
    /// Adds missing entries to the project's default profile.
    ///
    /// # Errors
    /// If the project cannot be written.
    fn add_to(self, app: &App, store: &Store) -> Result<(), Error> {
        let target = ListTarget::Profile(ProfileName::default_profile());
        let added = store.update(|store| {
            let list = store.list_mut(&target)?;
            let lacks = |entry: &Entry| list.position(&entry.name()).is_none();
            let new: Vec<Entry> = self.taken.iter().filter(|entry| lacks(entry)).cloned().collect();
            list.add_all(&new)?;
            Ok::<_, Error>(new)
        })?;
        for entry in &added {
            app.ui.confirm(format!(
                "Added '{}' to profile '{}'",
                entry.name(),
                ProfileName::default_profile()
            ));
        }
        if !self.others.is_empty() {
            app.ui.note(format!("left out: {}", some_of(&self.others)));
        }
        if !self.settings.is_empty() {
            let (keys, name) = (all_of(&self.settings), &self.name);
            app.ui.note(format!(
                "not copied from profile '{name}': {keys}; 'ctx profile --set KEY=VALUE' sets them here"
            ));
        }
        Ok(())
    }
}

/// Suggests the command line that copies the active list's entries, if any match here.
///
/// # Errors
/// If the list cannot be read.
fn hint_of_own(app: &App, directory: &Path, root: &Path) -> Result<(), Error> {
    let store = app.store.of_user_alone();
    let Ok(name) = store.active() else { return Ok(()) };
    if !entries_of(app, name.as_str(), root)?.taken.is_empty() {
        let directory = directory.to_string_lossy();
        let directory = if directory == "." { String::new() } else { format!(" {}", shell_word(&directory)) };
        app.ui.note(format!(
            "profile '{name}' names files here; 'ctx init --from {name}{directory}' copies its entries"
        ));
    }
    Ok(())
}
