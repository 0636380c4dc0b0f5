//! Where stored entries that match nothing here would match something.

use std::path::Path;

use super::notice::is_built_in;
use crate::entry::pattern::has_wildcards;
use crate::entry::{Author, Kind, ScopedEntry};
use crate::fs::{Notation, with_tilde};
use crate::select::{EntryFate, EntryReport};
use crate::world::World;

/// How many directories around the work root are looked at.
const MOST_ABOVE: usize = 32;

/// The nearest repository or project around the work root, below the home directory, in which something is where a relative
/// entry of the user's lists that matches nothing here begins.
pub(super) fn fitting_root(
    entries: &[ScopedEntry],
    reports: &[EntryReport],
    world: &World,
) -> Option<String> {
    let absent = |report: &&EntryReport| matches!(report.fate, EntryFate::Missing | EntryFate::Nothing(None));
    let scoped = reports.iter().filter(absent).map(|report| &entries[report.id.0]);
    let beginnings: Vec<String> = scoped
        .filter(|scoped| scoped.author == Author::User && !is_built_in(scoped))
        .filter_map(beginning)
        .collect();
    if beginnings.is_empty() {
        return None;
    }
    let is_home = |directory: &&Path| world.home.as_deref().is_some_and(|home| home.starts_with(directory));
    let is_root = |directory: &&Path| directory.join(".git").exists() || directory.join(".ctx").is_dir();
    let around = world.root.ancestors().skip(1).take(MOST_ABOVE).take_while(|directory| !is_home(directory));
    let fits = |root: &&Path| beginnings.iter().any(|path| root.join(path).exists());
    let root = around.filter(is_root).find(fits)?;
    Some(with_tilde(&Notation::HERE.shown(root), world.home.as_deref()))
}

/// The part of a relative path before its first wildcard.
fn beginning(scoped: &ScopedEntry) -> Option<String> {
    let path = scoped.entry.path.as_str();
    let is_relative = scoped.entry.kind() == Kind::Path && !path.starts_with('~');
    if !is_relative || !Notation::HERE.root(path).is_empty() {
        return None;
    }
    let names: Vec<&str> = path.split('/').take_while(|name| !has_wildcards(name)).collect();
    Some(names.join("/")).filter(|beginning| !beginning.is_empty())
}
