//! `dep:NAME` on the command line: the sources of a dependency, in the version that the lock file here names.

use crate::app::App;
use crate::environment::dependency_caches;
use crate::error::Error;
use ctx_core::dependency::{DependencyName, PREFIX, find};
use ctx_core::entry::{Allowance, Allowed, Entry, ScopedEntry};
use ctx_core::fs::Tree;
use ctx_core::fs::resolved;
use ctx_core::words::quoted;

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
    let (cwd, tree) = (resolved(&world.cwd), Tree::around(world));
    let found = find(&wanted, &cwd, tree.root(), &dependency_caches(world.home.as_deref()));
    let found = found.map_err(|why| Error::impossible(format!("{}: {why}", quoted(argument))))?;
    let entry = |label: String| {
        let mut entry = Entry::new(label);
        // The ignore files of the dependency are not for whoever uses it.
        entry.attributes.allow = Allowed::from_iter([Allowance::Ignored]);
        entry
    };
    let scoped = found.into_iter().map(|found| ScopedEntry {
        exact: Some(found.path.clone()),
        ..ScopedEntry::typed(entry(found.label()))
    });
    Ok(Some(scoped.collect()))
}
