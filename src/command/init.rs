use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use clap_complete::ArgValueCandidates;

use crate::app::App;
use crate::complete;
use crate::error::Error;
use crate::hints::shell_word;
use ctx_core::entry::{Author, Bound, Entry, Kind, Provenance, Scope, ScopedEntry};
use ctx_core::fs::{expanded, real, resolved, with_tilde};
use ctx_core::guard::names::holds_secrets;
use ctx_core::project::{self, DIRECTORY, can_be_in};
use ctx_core::report::{Reason, ReasonCode};
use ctx_core::select::{self, EntryFate};
use ctx_core::store::{List, ListTarget, ProfileName, Setting, Store, StoreError, Transaction};
use ctx_core::todo::TodoError;
use ctx_core::tree::Tree;
use ctx_core::words::{all_of, quoted};
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
        let from = self.from.as_deref().map(|name| named_list(app, name)).transpose()?;
        let asked = world.cwd.join(expanded(&self.directory, world.home.as_deref()));
        refuse_in_git(world, &resolved(&asked))?;
        fs::create_dir_all(&asked).map_err(|error| Error::io("create", &asked, &error))?;
        let root = real(&asked).map_err(|error| Error::io("read", &asked, &error))?;
        let named = with_tilde(&root.to_string_lossy(), world.home.as_deref());
        if root.to_str().is_none() {
            return Err(Error::impossible(format!("the path of '{named}' is not UTF-8")));
        }
        let directory = root.join(DIRECTORY);
        let owners = project::owners(&root, world);
        let default = ProfileName::default_profile();
        let store = Store::at(app.store.root().to_owned()).with_project(directory.clone(), owners.clone());
        let from = from.map(|(name, list)| FromProfile::of(app, name, &list, &root)).transpose()?;
        if let Some(path) =
            [&directory, &store.profiles_directory()].into_iter().find(|path| is_no_directory(path))
        {
            let path = with_tilde(&path.to_string_lossy(), world.home.as_deref());
            return Err(Error::impossible(format!("'{path}' is not a directory"))
                .with_hint("move it out of the way: a project keeps its profiles there"));
        }
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

/// Whether there is something other than a directory at this path.
fn is_no_directory(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_dir())
}

/// Refuses a project that no command could use, since git directories are never entered.
///
/// # Errors
/// If the directory, or one of the directories it would be in, is a git directory.
fn refuse_in_git(world: &World, directory: &Path) -> Result<(), Error> {
    if !Tree::around(world).is_in_git(directory) {
        return Ok(());
    }
    let named = with_tilde(&directory.to_string_lossy(), world.home.as_deref());
    Err(Error::impossible(format!("'{named}': {}", ReasonCode::InsideGit.describe())))
}

/// A profile of the user's own.
///
/// # Errors
/// If the profile does not exist, or cannot be read.
fn named_list(app: &App, name: &str) -> Result<(ProfileName, List), Error> {
    let name: ProfileName = name.parse()?;
    match app.store.of_user_alone().profile(&name) {
        Ok(list) => Ok((name, list)),
        Err(StoreError::NoSuchProfile { .. }) if app.store.read(|view| view.has_profile(&name))? => Err(
            Error::impossible(format!("profile '{name}' is the project's; --from copies one of your own")),
        ),
        Err(error) => Err(error.into()),
    }
}

/// The entries of a profile, divided into those that the project gets and the others.
struct FromProfile {
    taken: Vec<Entry>,
    /// The others, each with the reason.
    others: Vec<String>,
    /// The profile's settings, none of which are copied, and whether a project may have them.
    settings: Vec<(Setting, bool)>,
    name: ProfileName,
}

/// The provenance of a project's entries.
const OF_PROJECT: Provenance = Provenance { scope: Scope::Project, author: Author::Project };

/// Why the text of an entry is not available in this directory, if that is certain without running anything.
fn without_text(app: &App, here: &World, entry: &Entry) -> Option<Reason> {
    match entry.kind() {
        Kind::Git => Tree::around(here).git_dirs().is_empty().then(|| ReasonCode::NoRepository.into()),
        Kind::Todo => {
            let name = Kind::Todo.argument(&entry.path)?.parse::<ProfileName>();
            let name = name.map_err(|error| TodoError::from(StoreError::from(error)));
            let list = name.and_then(|name| app.store.todo_list(&name));
            list.err().map(|error| Reason::new(ReasonCode::NoList, error))
        }
        Kind::Path | Kind::Exclusion | Kind::Up | Kind::StandardInput | Kind::Command | Kind::Dependency => {
            None
        }
    }
}

impl FromProfile {
    /// The entries of a list that match in this directory and that a project may contain.
    ///
    /// # Errors
    /// If the entries match too much.
    fn of(app: &App, name: ProfileName, list: &List, root: &Path) -> Result<Self, Error> {
        let scoped: Vec<ScopedEntry> =
            list.paths.iter().map(|entry| ScopedEntry::from_list(OF_PROJECT, entry.clone())).collect();
        let world = World {
            cwd: root.to_owned(),
            root: root.to_owned(),
            project: Some(root.to_owned()),
            ..app.world().clone()
        };
        let options = select::Options { count_exclusions: true, ..select::Options::new(holds_secrets) };
        let reports = select::select(&scoped, &world, &options)?.entries;
        let (mut taken, mut others) = (Vec::new(), Vec::new());
        for (one, report) in scoped.iter().zip(&reports) {
            let is_text = one.entry.kind().is_text();
            let reason = if is_text { without_text(app, &world, &one.entry) } else { None };
            let is_here = report.matches > 0
                || matches!(report.fate, EntryFate::Excludes(_) | EntryFate::ExcludesFromQuestions(_));
            if one.forbidden().is_none() && (is_here || is_text && reason.is_none()) {
                taken.push(one.entry.clone());
                continue;
            }
            let is_off = one.entry.attributes.off;
            let otherwise = || if is_off { ReasonCode::Off } else { ReasonCode::NoMatch }.into();
            let of_entry = || Reason::of_entry(&scoped, report).unwrap_or_else(otherwise);
            let reason = reason.unwrap_or_else(of_entry);
            others.push(format!("{} ({})", quoted(one.entry.name()), reason.text));
        }
        let set = Setting::ALL.into_iter().filter_map(|setting| Some((setting, list.defaults.get(setting)?)));
        let settings = set.map(|(setting, value)| (setting, setting.bound(value) != Bound::Never)).collect();
        Ok(Self { taken, others, settings, name })
    }

    /// Whether any of the entries for the project names files.
    fn names_files(&self) -> bool {
        self.taken.iter().any(|entry| !entry.kind().is_text() && !entry.is_exclusion())
    }

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
            app.ui.note(format!("left out: {}", self.others.join(", ")));
        }
        let ways = [
            (true, "'ctx profile --set KEY=VALUE' sets them here"),
            (false, "only your own profiles can have them"),
        ];
        for (may_have, way) in ways {
            let keys = self.settings.iter().filter(|(_, known)| *known == may_have);
            let keys: Vec<&str> = keys.map(|(setting, _)| setting.name()).collect();
            if !keys.is_empty() {
                let (keys, name) = (all_of(keys), &self.name);
                app.ui.note(format!("not copied from profile '{name}': {keys}; {way}"));
            }
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
    let (name, list) = named_list(app, name.as_str())?;
    if FromProfile::of(app, name.clone(), &list, root)?.names_files() {
        let directory = directory.to_string_lossy();
        let directory = if directory == "." { String::new() } else { format!(" {}", shell_word(&directory)) };
        app.ui.note(format!(
            "profile '{name}' matches files here; 'ctx init --from {name}{directory}' copies its entries"
        ));
    }
    Ok(())
}
