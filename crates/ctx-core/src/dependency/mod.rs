//! The sources of what a tree depends on, in the version that its lock file names, where the package manager keeps
//! them on this disk. Nothing is fetched.

mod cargo;
mod go;
mod lock;
mod node_lock;
mod npm;
mod python;
mod registry;
mod search;
#[cfg(test)]
mod tests;

use std::path::Path;

use crate::words::{WrongText, all_of, quoted, some_of};
pub use search::{Caches, Dependency, DependencyName, PREFIX, PackageManager};
use search::{DependencyAnswer, DependencySearch};

/// The sources of a dependency of the tree with this root, as seen from a directory in it; several if a Python package
/// consists of several modules.
///
/// # Errors
/// If there are none, or several that fit, or they are not where the package manager itself put them.
pub fn find(
    wanted: &DependencyName,
    cwd: &Path,
    root: &Path,
    caches: &Caches,
) -> Result<Vec<Dependency>, WrongText> {
    let directories = cwd.ancestors().take_while(|directory| directory.starts_with(root)).collect();
    let search = DependencySearch { wanted, directories, caches };
    let managers = PackageManager::ALL.into_iter();
    let managers = managers.filter(|manager| wanted.manager.is_none_or(|wanted| wanted == *manager));
    let answers = managers.flat_map(|manager| match manager {
        PackageManager::Cargo => cargo::find(&search),
        PackageManager::Npm => npm::find(&search),
        PackageManager::Pip => python::find(&search),
        PackageManager::Go => go::find(&search),
    });
    let (mut found, mut elsewhere, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for answer in answers {
        match answer {
            DependencyAnswer::Found(dependency) => found.push(dependency),
            DependencyAnswer::Elsewhere(why) => elsewhere.push(why),
            DependencyAnswer::Missing(place) => missing.push(place),
        }
    }
    found.sort();
    found.dedup();
    let mut kinds: Vec<String> = found
        .iter()
        .map(|one| quoted(format!("{PREFIX}{}:{}@{}", one.manager, one.name, one.version)))
        .collect();
    kinds.dedup();
    match (&kinds[..], &elsewhere[..]) {
        ([_], _) => Ok(found),
        ([], []) if missing.is_empty() => Err(WrongText::new(
            "no lock file, node_modules or .venv is here or above, up to the root of the tree",
        )),
        ([], []) => Err(WrongText::new(format!("not found in {}", some_of(&missing)))),
        ([], why) => Err(WrongText::new(some_of(why))),
        (several, _) => Err(WrongText::new(format!("several dependencies fit: {}", all_of(several)))),
    }
}
