//! The store, the work root and the project that a command works with.

use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::error::Error;
use ctx_core::fs::{Identity, expanded, resolved};
use ctx_core::git::origins;
use ctx_core::project::{self, DIRECTORY, Search};
use ctx_core::select::Label;
use ctx_core::store::{ChoicePlace, ProfileName, QUESTIONS, Store};
use ctx_core::tree::{GitRefusal, Tree, WorkRoot};
use ctx_core::world::World;

/// Where lists are stored.
#[derive(Debug)]
pub struct Place {
    /// The user's store, with the project's profiles on top if there is a project.
    pub store: Store,
    /// Warnings about the project's files.
    pub warnings: Vec<String>,
    /// The `.git` above the current directory that does not make a work root, and why.
    pub refused: Option<(PathBuf, GitRefusal)>,
}

/// The value of `$CTX_PROJECT` that means `--no-project`.
const NONE: &str = "none";

impl Place {
    /// Finds the store (from `--store` if it was given), the work root and, unless it is to be ignored, the
    /// project that contains the current directory, and adds them to the world.
    ///
    /// # Errors
    /// If there is no place for a store, or `$CTX_PROJECT` has an invalid value.
    pub fn find(
        named: Option<PathBuf>,
        no_project: bool,
        environment: &mut Environment,
    ) -> Result<Self, Error> {
        let is_named = named.is_some() || environment.ctx_home.as_ref().is_some_and(|home| !home.is_empty());
        let (home, config) = (environment.ctx_home.clone(), environment.config_dir.clone());
        let root = Store::root_from(named, home, config)?;
        let world = &mut environment.world;
        let root = world.cwd.join(expanded(&root, world.home.as_deref()));
        if is_named {
            Store::check_named(&root)?;
        }
        let owners = project::owners(&world.cwd, world);
        let search = if no_project || is_none(environment.ctx_project.as_deref())? {
            Search::default()
        } else {
            Search::upwards(world, &owners)
        };
        // If the store is the project's own directory, there is no other store for what isn't checked in, so
        // the project is ignored.
        let is_store = |project: &PathBuf| resolved(&root) == project.join(DIRECTORY);
        let found = search.root.filter(|project| !is_store(project));
        // The project's lists and the user's store record the paths of the project's files as text.
        let is_text = |project: &PathBuf| project.to_str().is_some();
        let unusable = found.as_ref().filter(|project| !is_text(project)).map(|project| {
            let path = Label::new(project.join(DIRECTORY).as_os_str().as_encoded_bytes());
            format!("'{path}' is not used: the path of the project is not UTF-8")
        });
        world.project = found.filter(is_text);
        let WorkRoot { directory, is_around, refused } = WorkRoot::around(world);
        world.root = directory;
        let store = Store::at(root);
        let store = if is_around { store.in_root(choice_place(world)) } else { store };
        // The store at its usual place is the user's own, even if it is in the tree.
        let home = world.home.as_deref();
        let may_be_of_others = |root: &Path| {
            Tree::around(world).may_have_filled(root, home) || project::is_of_repository(root, home)
        };
        let is_of_others = is_named && may_be_of_others(store.root());
        let store = if is_of_others { store.of_others(owners.clone()) } else { store };
        let warning = |path: &PathBuf| format!("'{}' belongs to another user and is ignored", path.display());
        let mut warnings: Vec<String> = search.skipped.iter().map(warning).chain(unusable).collect();
        let Some(project) = &world.project else { return Ok(Self { store, warnings, refused }) };
        let directory = project.join(DIRECTORY);
        let global = directory.join(GLOBAL);
        if global.symlink_metadata().is_ok() {
            warnings.push(format!("'{}' is not read: the global list is the user's own", global.display()));
        }
        Ok(Self { store: store.with_project(directory, owners), warnings, refused })
    }
}

/// The work root, as the place for which a profile is chosen.
fn choice_place(world: &World) -> ChoicePlace {
    let root = world.root.clone();
    let top = Tree::around(world).root().to_owned();
    let below = root.strip_prefix(&top).unwrap_or(Path::new(""));
    let origins = origins(&top, world).into_iter().map(|above| above.join(below).components().collect());
    ChoicePlace { identity: Identity::of(&root).ok(), origins: origins.collect(), root }
}

/// The histories that can be named in a work root, including only its own history of questions.
pub fn named_here(store: &Store, root: &Path) -> Vec<String> {
    let questions = ProfileName::of_questions(root);
    let names = store.histories().unwrap_or_default();
    let is_here = |name: &&ProfileName| !name.as_str().starts_with(QUESTIONS) || **name == questions;
    names.iter().filter(is_here).map(ToString::to_string).collect()
}

/// A file that only the user's own store has.
const GLOBAL: &str = "global.json";

fn is_none(variable: Option<&std::ffi::OsStr>) -> Result<bool, Error> {
    match variable {
        None => Ok(false),
        Some(value) if value == NONE => Ok(true),
        Some(value) => {
            let text = format!("invalid value '{}' in $CTX_PROJECT", Path::new(value).display());
            Err(Error::usage(text).with_hint("'none' ignores the project, as --no-project does"))
        }
    }
}
