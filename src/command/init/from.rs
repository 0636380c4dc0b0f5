//! What a new project takes from a profile of the user's own.

use std::path::Path;

use crate::app::App;
use crate::error::{Error, Outcome};
use crate::shell::shell_word;
use ctx_core::entry::{Author, Entry, Provenance, Scope, ScopedEntry};
use ctx_core::guard::names::holds_secrets;
use ctx_core::select::{self, EntryFate, EntryReport};
use ctx_core::store::{ListTarget, ProfileName, Store};
use ctx_core::words::{quoted, some_of};
use ctx_core::world::World;

/// The entries of a profile, by whether the project takes them.
pub(super) struct FromProfile {
    taken: Vec<Entry>,
    others: Vec<String>,
}

/// How the entries of a project are kept.
const OF_PROJECT: Provenance = Provenance { scope: Scope::Project, author: Author::Project };

/// What a profile of the user's own names in this directory, and a project may name.
///
/// # Errors
/// When there is no such profile, or it cannot be read.
pub(super) fn entries(app: &App, name: &str, root: &Path) -> Result<FromProfile, Error> {
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
    let (taken, others): (Vec<_>, Vec<_>) = scoped.into_iter().zip(&reports).partition(|(scoped, report)| {
        scoped.forbidden().is_none() && (is_here(report) || scoped.entry.kind().is_text())
    });
    Ok(FromProfile {
        taken: taken.into_iter().map(|(scoped, _)| scoped.entry).collect(),
        others: others.into_iter().map(|(scoped, _)| quoted(scoped.entry.name())).collect(),
    })
}

impl FromProfile {
    /// Adds what the default profile of the project lacks.
    ///
    /// # Errors
    /// When the project cannot be written.
    pub fn add_to(self, app: &App, store: &Store) -> Result<Outcome, Error> {
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
            let names = some_of(&self.others);
            app.ui
                .note(format!("left out, since nothing here matches or a project may not name it: {names}"));
        }
        Ok(Outcome::Done)
    }
}

/// Names the command line that takes along what the active list names here, if it names anything.
///
/// # Errors
/// When the list cannot be read.
pub(super) fn hint(app: &App, directory: &Path, root: &Path) -> Result<(), Error> {
    let store = app.store.of_user_alone();
    let Ok(name) = store.active() else { return Ok(()) };
    if !entries(app, name.as_str(), root)?.taken.is_empty() {
        let directory = directory.to_string_lossy();
        let directory = if directory == "." { String::new() } else { format!(" {}", shell_word(&directory)) };
        app.ui.note(format!(
            "profile '{name}' names files here; 'ctx init --from {name}{directory}' takes them along"
        ));
    }
    Ok(())
}
