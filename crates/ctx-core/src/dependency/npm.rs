//! Packages of Node.js, by `node_modules` and the lock files of their package managers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::node_lock::{NODE_LOCKS, NPM_LOCK, NodeLock, npm_places};
use super::search::{
    Dependency, DependencyAnswer, DependencySearch, MAX_BYTES, PackageManager, names_in, shown,
};
use crate::fs::{read_small, real};
use crate::words::{all_of, quoted};

const MODULES: &str = "node_modules";

/// Where pnpm and bun keep all packages, each in a directory with its name and version.
const STORES: [&str; 2] = ["node_modules/.pnpm", "node_modules/.bun"];

pub fn find(search: &DependencySearch<'_>) -> Vec<DependencyAnswer> {
    let Some(nearest) = search.nearest_directory(MODULES) else { return not_installed(search) };
    let name = &search.wanted.name;
    let mut places = search.directories.iter().map(|directory| directory.join(MODULES).join(name));
    let direct = places.find(|path| path.is_dir());
    let direct =
        direct.map(|path| answer(search, &path).unwrap_or_else(|| DependencyAnswer::Missing(shown(&path))));
    let is_enough = |answer: &DependencyAnswer| {
        search.wanted.version.is_none() || matches!(answer, DependencyAnswer::Found(_))
    };
    let direct = match direct {
        Some(direct) if is_enough(&direct) => return vec![direct],
        direct => direct,
    };
    let nested = nested(search);
    let fitting = nested.iter().filter(|(version, _)| search.wanted.is_version(version));
    let fitting: Vec<DependencyAnswer> =
        fitting.map(|(version, path)| found(name, version, path.clone())).collect();
    if !fitting.is_empty() {
        return fitting;
    }
    let others = nested.keys().map(|version| (name.as_str(), version.as_str()));
    vec![direct.unwrap_or_else(|| search.in_other_versions(&nearest, others))]
}

/// The versions that only other packages use, each with its directory: below these packages, or where pnpm and bun keep
/// all packages.
fn nested(search: &DependencySearch<'_>) -> BTreeMap<String, PathBuf> {
    let name = &search.wanted.name;
    let start = format!("{}@", name.replace('/', "+"));
    let stores = search.directories.iter().flat_map(|directory| STORES.map(|store| directory.join(store)));
    let stored = stores.flat_map(|store| {
        let kept = names_in(&store).into_iter().filter(|kept| kept.starts_with(&start)).collect::<Vec<_>>();
        kept.into_iter().map(move |kept| store.join(kept).join(MODULES).join(name))
    });
    let end = format!("/{MODULES}/{name}");
    let (lock, text) = search.nearest(NPM_LOCK).unwrap_or_default();
    let below = npm_places(&text).into_iter().filter(|place| place.ends_with(&end));
    let paths = stored.chain(below.map(|place| lock.with_file_name(place)));
    let version = |path: PathBuf| {
        let directory = installed(search, &path).ok()?;
        Some((version_in(&directory)?, directory))
    };
    paths.filter_map(version).collect()
}

/// The answer without `node_modules`.
fn not_installed(search: &DependencySearch<'_>) -> Vec<DependencyAnswer> {
    let name = &search.wanted.name;
    let here = search.directories.first();
    let Some((_, lock, locked)) = here.and_then(|here| locked(search, here)) else { return Vec::new() };
    let fitting = locked.iter().find(|version| search.wanted.is_version(version)).or(locked.first());
    vec![fitting.map_or_else(
        || DependencyAnswer::Missing(shown(&lock)),
        |version| search.not_installed(&lock, name, version),
    )]
}

/// The lock file that is nearest to a directory of the tree, in it or above, and the versions of the package in it.
fn locked(search: &DependencySearch<'_>, from: &Path) -> Option<(&'static NodeLock, PathBuf, Vec<String>)> {
    let above = search.directories.iter().filter(|directory| from.starts_with(directory));
    let mut locks =
        above.flat_map(|directory| NODE_LOCKS.iter().map(|lock| (lock, directory.join(lock.file))));
    locks.find_map(|(lock, path)| {
        let text = read_small(&path, MAX_BYTES).ok()?;
        let versions = (lock.versions)(&String::from_utf8_lossy(&text), &search.wanted.name);
        Some((lock, path, versions))
    })
}

fn answer(search: &DependencySearch<'_>, path: &Path) -> Option<DependencyAnswer> {
    let name = &search.wanted.name;
    let directory = match installed(search, path) {
        Ok(directory) => directory,
        Err(elsewhere) => {
            let text = format!("{} is a link: give {}", quoted(name), shown(&elsewhere));
            return Some(DependencyAnswer::Elsewhere(text));
        }
    };
    let version = version_in(&directory)?;
    if let Some((lock, _, locked)) = locked(search, path)
        && !locked.is_empty()
        && !locked.contains(&version)
    {
        let locked: Vec<String> = locked.iter().map(|locked| quoted(format!("{name}@{locked}"))).collect();
        return Some(DependencyAnswer::Elsewhere(format!(
            "the lock file has {}, and {MODULES} {version}: {} installs it",
            all_of(&locked),
            quoted(lock.command)
        )));
    }
    if !search.wanted.is_version(&version) {
        return Some(DependencyAnswer::Elsewhere(format!(
            "{MODULES} has {}",
            quoted(format!("{name}@{version}"))
        )));
    }
    Some(found(name, &version, directory))
}

fn found(name: &str, version: &str, path: PathBuf) -> DependencyAnswer {
    let (manager, name, version) = (PackageManager::Npm, name.to_owned(), version.to_owned());
    DependencyAnswer::Found(Dependency { manager, name, version, path })
}

/// The real directory of a package.
///
/// # Errors
/// That directory, if it is not in a `node_modules` of the tree.
fn installed(search: &DependencySearch<'_>, path: &Path) -> Result<PathBuf, PathBuf> {
    let directory = real(path).unwrap_or_default();
    let is_installed = directory.components().any(|part| part.as_os_str() == MODULES)
        && search
            .directories
            .last()
            .is_some_and(|root| real(root).is_ok_and(|root| directory.starts_with(root)));
    if is_installed { Ok(directory) } else { Err(directory) }
}

fn version_in(directory: &Path) -> Option<String> {
    let manifest: Value =
        serde_json::from_slice(&read_small(&directory.join("package.json"), MAX_BYTES).ok()?).ok()?;
    Some(manifest.get("version")?.as_str()?.to_owned())
}
