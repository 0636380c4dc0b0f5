//! `dep:NAME`, typed or stored: the sources of a dependency, in the version that the lock file here names.

use std::path::Path;

use crate::app::App;
use crate::environment::dependency_caches;
use crate::error::Error;
use ctx_core::dependency::{Dependency, DependencyName, PREFIX, find};
use ctx_core::entry::{Allowance, Allowed, Author, Entry, Kind, Scope, ScopedEntry};
use ctx_core::fs::resolved;
use ctx_core::report::{Notice, NoticeKind};
use ctx_core::tree::Tree;
use ctx_core::words::{WrongText, quoted};

/// The entries for an argument that names a dependency; `None` if it names something else.
///
/// # Errors
/// If it names none, or its sources are not on this disk.
pub fn entries(argument: &str, app: &App) -> Result<Option<Vec<ScopedEntry>>, Error> {
    let world = app.world();
    let Some(text) = argument.strip_prefix(PREFIX).filter(|_| !world.cwd.join(argument).exists()) else {
        return Ok(None);
    };
    let wanted =
        DependencyName::parse(text).map_err(|why| Error::usage(format!("{}: {why}", quoted(argument))))?;
    let found = sources(&wanted, app, &world.cwd);
    let found = found.map_err(|why| Error::impossible(format!("{}: {why}", quoted(argument))))?;
    let typed = ScopedEntry::typed(Entry::new(argument));
    Ok(Some(found.iter().map(|found| of_sources(&typed, found)).collect()))
}

/// Replaces stored dependencies that are searched by their sources in the version that is here, and returns why there are
/// none of others.
pub fn look_up(entries: &mut Vec<ScopedEntry>, app: &App) -> Vec<Notice> {
    let (mut all, mut notices) = (Vec::with_capacity(entries.len()), Vec::new());
    for scoped in std::mem::take(entries) {
        match stored(&scoped, app) {
            None => all.push(scoped),
            Some(Ok(found)) => all.extend(found.iter().map(|found| of_sources(&scoped, found))),
            Some(Err(why)) => {
                // What is on the list everywhere need not be everywhere; that it is left out is noted anyway.
                if scoped.scope != Scope::Global {
                    let text = format!("{}: {why}", quoted(&scoped.entry.path));
                    notices.push(Notice::warning(NoticeKind::Missing, text));
                }
                all.push(scoped);
            }
        }
    }
    *entries = all;
    notices
}

/// The sources of the dependency in a stored entry, or why there are none; `None` if the entry is of another kind or not
/// in use.
pub fn stored(scoped: &ScopedEntry, app: &App) -> Option<Result<Vec<Dependency>, WrongText>> {
    let attributes = &scoped.entry.attributes;
    let text = Kind::Dependency.argument(&scoped.entry.path)?;
    let is_used = scoped.exact.is_none() && attributes.search && !attributes.off;
    is_used.then(|| sources(&DependencyName::parse(text)?, app, &app.base(scoped.scope).cwd))
}

fn sources(wanted: &DependencyName, app: &App, cwd: &Path) -> Result<Vec<Dependency>, WrongText> {
    let (cwd, tree) = (resolved(cwd), Tree::around(app.world()));
    find(wanted, &cwd, tree.root(), &dependency_caches(app.world().home.as_deref()))
}

/// The entry for sources that were found.
fn of_sources(scoped: &ScopedEntry, found: &Dependency) -> ScopedEntry {
    // That of a project is trusted, or else it is not searched, and never gets here.
    let author = if scoped.author == Author::Project { Author::User } else { scoped.author };
    let mut scoped = ScopedEntry { exact: Some(found.path.clone()), author, ..scoped.clone() };
    scoped.entry.path = found.label();
    // The ignore files of the dependency are not for whoever uses it.
    scoped.entry.attributes.allow = scoped.entry.attributes.allow | Allowed::from_iter([Allowance::Ignored]);
    scoped
}
