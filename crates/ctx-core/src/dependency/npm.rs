//! Packages of Node.js, by `node_modules` and `package-lock.json`.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::search::{Dependency, DependencyAnswer, DependencySearch, MAX_BYTES, PackageManager, shown};
use crate::fs::{read_small, real};
use crate::words::quoted;

const MODULES: &str = "node_modules";

const LOCK: &str = "package-lock.json";

/// Lock files of which only the names are looked for.
const OTHER_LOCKS: [&str; 3] = ["yarn.lock", "pnpm-lock.yaml", "bun.lock"];

/// What matters of a `package-lock.json`.
#[derive(Deserialize)]
struct NpmLock {
    packages: HashMap<String, NpmPackage>,
}

#[derive(Deserialize)]
struct NpmPackage {
    version: Option<String>,
}

pub fn find(search: &DependencySearch<'_>) -> Vec<DependencyAnswer> {
    let Some(nearest) = search.nearest_directory(MODULES) else { return not_installed(search) };
    let name = &search.wanted.name;
    let mut places = search.directories.iter().map(|directory| directory.join(MODULES).join(name));
    let Some(path) = places.find(|path| path.is_dir()) else {
        return vec![DependencyAnswer::Missing(shown(&nearest))];
    };
    vec![answer(search, &path).unwrap_or_else(|| DependencyAnswer::Missing(shown(&path)))]
}

/// The answer without `node_modules`.
fn not_installed(search: &DependencySearch<'_>) -> Vec<DependencyAnswer> {
    let name = &search.wanted.name;
    if let Some((lock, text)) = search.nearest(LOCK) {
        return vec![match locked(&text, name) {
            Some(version) => search.not_installed(&lock, name, &version),
            None => DependencyAnswer::Missing(shown(&lock)),
        }];
    }
    let other = OTHER_LOCKS.into_iter().find_map(|lock| search.nearest(lock));
    let other = other.filter(|(_, text)| text.contains(&**name));
    other
        .map(|(lock, _)| DependencyAnswer::Elsewhere(format!("no {MODULES} is beside {}", shown(&lock))))
        .into_iter()
        .collect()
}

/// The version of a package in a `package-lock.json`.
fn locked(text: &str, name: &str) -> Option<String> {
    let mut lock: NpmLock = serde_json::from_str(text).ok()?;
    lock.packages.remove(&format!("{MODULES}/{name}"))?.version
}

fn answer(search: &DependencySearch<'_>, path: &Path) -> Option<DependencyAnswer> {
    let name = &search.wanted.name;
    let directory = real(path).ok()?;
    let is_installed = directory.components().any(|part| part.as_os_str() == MODULES)
        && search
            .directories
            .last()
            .is_some_and(|root| real(root).is_ok_and(|root| directory.starts_with(root)));
    if !is_installed {
        return Some(DependencyAnswer::Elsewhere(format!(
            "{} is a link: give {}",
            quoted(name),
            shown(&directory)
        )));
    }
    let manifest = json(&directory.join("package.json"))?;
    let version = manifest.get("version")?.as_str()?.to_owned();
    let locked = search.nearest(LOCK).and_then(|(_, text)| locked(&text, name));
    if let Some(locked) = locked.filter(|locked| *locked != version) {
        return Some(DependencyAnswer::Elsewhere(format!(
            "the lock file has {}, and {MODULES} {version}: 'npm ci' installs it",
            quoted(format!("{name}@{locked}"))
        )));
    }
    if !search.wanted.is_version(&version) {
        return Some(DependencyAnswer::Elsewhere(format!(
            "{MODULES} has {}",
            quoted(format!("{name}@{version}"))
        )));
    }
    let (manager, name) = (PackageManager::Npm, name.clone());
    Some(DependencyAnswer::Found(Dependency { manager, name, version, path: directory }))
}

fn json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&read_small(path, MAX_BYTES).ok()?).ok()
}
