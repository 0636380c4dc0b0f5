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
    let is_it =
        |package: &LockedPackage| package.name.replace('_', "-") == search.wanted.name.replace('_', "-");
    let tree = lock.parent().unwrap_or(&lock);
    let named = packages(&text).into_iter().filter(is_it);
    let (fitting, others): (Vec<_>, Vec<_>) =
        named.partition(|package| search.wanted.is_version(&package.version));
    if !fitting.is_empty() {
        return fitting.into_iter().map(|package| sources(search, tree, package)).collect();
    }
    let others = others.iter().map(|package| (package.name.as_str(), package.version.as_str()));
    vec![search.in_other_versions(&lock, others)]
}

fn sources(search: &DependencySearch<'_>, tree: &Path, package: LockedPackage) -> DependencyAnswer {
    let LockedPackage { name, version, source } = package;
    let full = format!("{name}-{version}");
    match source {
        None => {
            let path = search.directories.iter().find_map(|directory| path_of(directory, &name));
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

/// The directory that the manifest in a directory gives for a crate.
fn path_of(directory: &Path, name: &str) -> Option<PathBuf> {
    let manifest = read_small(&directory.join("Cargo.toml"), MAX_BYTES).ok()?;
    let manifest = String::from_utf8_lossy(&manifest).into_owned();
    manifest.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        let (_, path) = value.split_once("path")?;
        let path = path.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?.split('"').next()?;
        (key.trim() == name).then(|| directory.join(path))
    })
}

/// Whether a vendored crate has this version.
fn is_of(path: &Path, version: &str) -> bool {
    let manifest = read_small(&path.join("Cargo.toml"), MAX_BYTES).unwrap_or_default();
    let line = format!("version = \"{version}\"");
    String::from_utf8_lossy(&manifest).lines().any(|text| text.trim() == line)
}
