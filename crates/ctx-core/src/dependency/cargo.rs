//! Crates, by `Cargo.lock`.

use std::path::{Path, PathBuf};

use super::lock::{LockedPackage, packages};
use super::search::{
    Dependency, DependencyAnswer, DependencySearch, MAX_BYTES, PackageManager, below, names_in, shown,
};
use crate::fs::read_small;
use crate::words::quoted;

pub fn find(search: &DependencySearch<'_>) -> Vec<DependencyAnswer> {
    let Some((lock, text)) = search.nearest("Cargo.lock") else { return Vec::new() };
    let packages = packages(&text);
    let called =
        |name: &str| packages.iter().filter(|package| is_same(&package.name, name)).cloned().collect();
    let wanted = &search.wanted.name;
    let mut named: Vec<LockedPackage> = called(wanted);
    if named.is_empty()
        && let Some((name, requirement)) = renamed(search)
    {
        named = called(&name);
        let is_required = |package: &LockedPackage| is_compatible(&package.version, &requirement);
        if named.iter().any(is_required) {
            named.retain(is_required);
        }
    }
    let tree = lock.parent().unwrap_or(&lock);
    let (fitting, others): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|package| search.wanted.is_version(&package.version));
    if !fitting.is_empty() {
        return fitting.into_iter().map(|package| sources(search, tree, package)).collect();
    }
    let others = others.iter().map(|package| (package.name.as_str(), package.version.as_str()));
    vec![search.in_other_versions(&lock, others)]
}

fn is_same(name: &str, other: &str) -> bool {
    name.replace('_', "-") == other.replace('_', "-")
}

/// The package that a manifest calls by the wanted name, and the version that it requires.
fn renamed(search: &DependencySearch<'_>) -> Option<(String, String)> {
    let value = |directory: &Path, key: &str| value_of(directory, &search.wanted.name, key);
    search.directories.iter().find_map(|directory| {
        Some((value(directory, "package")?, value(directory, "version").unwrap_or_default()))
    })
}

/// Whether a version has the first number of a requirement that is not zero, and the zeros before it.
fn is_compatible(version: &str, requirement: &str) -> bool {
    let required: Vec<&str> = requirement.trim_start_matches(['^', '~', '=', ' ']).split('.').collect();
    let telling = required.iter().position(|number| *number != "0").map_or(required.len(), |at| at + 1);
    let numbers: Vec<&str> = version.split('.').collect();
    numbers.starts_with(&required[..telling])
}

fn sources(search: &DependencySearch<'_>, tree: &Path, package: LockedPackage) -> DependencyAnswer {
    let LockedPackage { name, version, source } = package;
    let full = format!("{name}-{version}");
    match source {
        None => {
            let path = search.directories.iter().find_map(|directory| {
                let path = |name: &str| Some(directory.join(value_of(directory, name, "path")?));
                path(&name).or_else(|| path(&search.wanted.name))
            });
            let name = quoted(name);
            return DependencyAnswer::Elsewhere(path.map_or_else(
                || format!("{name} is part of the tree: give its directory"),
                |path| format!("{name} is a path: give {}", shown(&path)),
            ));
        }
        Some(source) if !source.starts_with("registry+") && !source.starts_with("sparse+") => {
            return DependencyAnswer::Elsewhere(format!(
                "{} comes from {source}: give its directory in 'git/checkouts' of cargo's home",
                quoted(name)
            ));
        }
        Some(_) => {}
    }
    let vendor = tree.join("vendor");
    let vendored = [vendor.join(&full), vendor.join(&name)].into_iter().filter(|path| is_of(path, &version));
    let registry = search.caches.cargo_home.as_ref().map(|home| home.join("registry/src"));
    let kept = registry.iter().flat_map(|registry| {
        names_in(registry).into_iter().map(|index| (registry.clone(), registry.join(index).join(&full)))
    });
    let mut places = vendored.map(|path| (vendor.clone(), path)).chain(kept);
    let path: Option<PathBuf> = places.find_map(|(above, path)| below(&path, &above));
    match path {
        Some(path) => {
            DependencyAnswer::Found(Dependency { manager: PackageManager::Cargo, name, version, path })
        }
        None => DependencyAnswer::Missing(registry.as_deref().map_or_else(|| shown(&vendor), shown)),
    }
}

/// The value of a key that the manifest in a directory has for a dependency: in a table of its own, or on its line.
fn value_of(directory: &Path, name: &str, key: &str) -> Option<String> {
    let manifest = read_small(&directory.join("Cargo.toml"), MAX_BYTES).ok()?;
    let manifest = String::from_utf8_lossy(&manifest).into_owned();
    let mut is_own_table = false;
    manifest.lines().map(str::trim).find_map(|line| {
        if let Some(table) = line.strip_prefix('[') {
            let table = table.split(']').next().and_then(|table| table.rsplit_once("dependencies."));
            is_own_table = table.is_some_and(|(_, table)| is_same(table, name));
            return None;
        }
        let (start, rest) = line.split_once('=')?;
        let start = start.trim();
        let is_value = is_own_table && start == key
            || start.rsplit_once('.').is_some_and(|(table, last)| is_same(table, name) && last == key);
        if is_value {
            return unquoted(rest);
        }
        let mut pairs = rest.split(['{', ',', '}']).filter_map(|pair| pair.split_once('='));
        let pair = pairs.find(|(start, _)| start.trim() == key).filter(|_| is_same(start, name));
        pair.and_then(|(_, value)| unquoted(value))
    })
}

/// The string that a value begins with.
fn unquoted(value: &str) -> Option<String> {
    let value = value.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value[1..].split(quote).next().map(str::to_owned)
}

/// Whether a vendored crate has this version.
fn is_of(path: &Path, version: &str) -> bool {
    let manifest = read_small(&path.join("Cargo.toml"), MAX_BYTES).unwrap_or_default();
    let line = format!("version = \"{version}\"");
    String::from_utf8_lossy(&manifest).lines().any(|text| text.trim() == line)
}
