//! Crates, by `Cargo.lock`.

use std::path::{Path, PathBuf};

use super::lock::{LockedPackage, packages, unquoted};
use super::registry;
use super::search::{
    Dependency, DependencyAnswer, DependencySearch, MAX_BYTES, PackageManager, below, own_directory, shown,
};
use crate::fs::read_small;
use crate::words::quoted;

const VENDOR: &str = "vendor";

pub fn find(search: &DependencySearch<'_>) -> Vec<DependencyAnswer> {
    let Some((lock, text)) = search.nearest("Cargo.lock") else { return Vec::new() };
    let mut packages = packages(&text);
    packages.retain(|package| !package.name.contains(['/', '\\']) && !package.name.contains(".."));
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

/// Whether a version is one of those that a requirement like `^1.2`, `~1.2` or `>=0.7, <0.8` allows.
fn is_compatible(version: &str, requirement: &str) -> bool {
    let version = numbers_of(version);
    requirement.split(',').all(|comparator| fits(&version, comparator.trim()))
}

fn fits(version: &[u64], comparator: &str) -> bool {
    let (operator, required) =
        comparator.split_at(comparator.find(|char| !"^~=<> ".contains(char)).unwrap_or(comparator.len()));
    let required = numbers_of(required);
    let start = |length: usize| start_of(version, length);
    let begins_with = |length: usize| {
        let required = start_of(&required, length);
        start(required.len()) == required
    };
    let is_at_least = version >= &required[..];
    match operator.trim() {
        _ if required.is_empty() => true,
        ">=" => is_at_least,
        ">" => start(required.len()) > &required[..],
        "<" => start(required.len()) < &required[..],
        "<=" => start(required.len()) <= &required[..],
        "=" => begins_with(required.len()),
        "~" => is_at_least && begins_with(2),
        _ => {
            is_at_least
                && begins_with(
                    required.iter().position(|number| *number != 0).map_or(required.len(), |at| at + 1),
                )
        }
    }
}

fn start_of(numbers: &[u64], length: usize) -> &[u64] {
    &numbers[..length.min(numbers.len())]
}

/// The numbers of a version, up to a wildcard, without what follows a `-` or `+`.
fn numbers_of(version: &str) -> Vec<u64> {
    let version = version.split(['-', '+']).next().unwrap_or_default();
    version.split('.').map_while(|number| number.trim().parse().ok()).collect()
}

fn sources(search: &DependencySearch<'_>, tree: &Path, package: LockedPackage) -> DependencyAnswer {
    let LockedPackage { name, version, source, checksum } = package.clone();
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
    let vendor = own_directory(tree, VENDOR);
    let is_vendored =
        |path: &PathBuf| is_of(path, &version) && !registry::is_other(path, checksum.as_deref());
    let vendored = vendor
        .iter()
        .flat_map(|vendor| [vendor.join(&full), vendor.join(&name)].map(|path| (vendor.clone(), path)));
    let vendored = vendored.filter(|(_, path)| is_vendored(path));
    let home = search.caches.cargo_home.as_ref();
    let kept = home.map_or_else(Vec::new, |home| registry::places(search, home, &package));
    let registry = home.map(|home| home.join("registry/src"));
    let above_kept = registry.clone().unwrap_or_default();
    let kept = kept.into_iter().map(|path| (above_kept.clone(), path));
    let mut places = vendored.chain(kept);
    let path: Option<PathBuf> = places.find_map(|(above, path)| below(&path, &above));
    match path {
        Some(path) => {
            DependencyAnswer::Found(Dependency { manager: PackageManager::Cargo, name, version, path })
        }
        None => {
            DependencyAnswer::Missing(registry.as_deref().map_or_else(|| shown(&tree.join(VENDOR)), shown))
        }
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

/// Whether a vendored crate has this version.
fn is_of(path: &Path, version: &str) -> bool {
    let manifest = read_small(&path.join("Cargo.toml"), MAX_BYTES).unwrap_or_default();
    let line = format!("version = \"{version}\"");
    String::from_utf8_lossy(&manifest).lines().any(|text| text.trim() == line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_with_requirements_as_cargo_does() {
        for (requirement, fitting, other) in [
            (">=0.7, <0.8", "0.7.3", "0.8.5"),
            (">=0.7, <0.8", "0.7.0", "0.6.9"),
            ("1.2", "1.9.0", "1.1.9"),
            ("^0.3", "0.3.17", "0.4.0"),
            ("0.0.3", "0.0.3", "0.0.4"),
            ("~1.2", "1.2.9", "1.3.0"),
            ("=1.2.3", "1.2.3", "1.2.4"),
            ("1.*", "1.9.0", "2.0.0"),
            (">1", "2.0.0", "1.9.0"),
            ("<= 2.1", "2.1.5", "2.2.0"),
        ] {
            assert!(is_compatible(fitting, requirement), "{requirement} {fitting}");
            assert!(!is_compatible(other, requirement), "{requirement} {other}");
        }
        assert!(is_compatible("3.0.0", "*") && is_compatible("3.0.0", ""));
    }
}
