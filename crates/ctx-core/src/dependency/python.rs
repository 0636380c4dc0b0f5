//! Packages of Python, by the virtual environment `.venv`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::lock::packages;
use super::search::{
    Dependency, DependencyAnswer, DependencySearch, MAX_BYTES, PackageManager, below, names_in,
    own_directory, shown,
};
use crate::fs::read_small;
use crate::words::quoted;

/// The lock files that are read.
const LOCKS: [&str; 2] = ["uv.lock", "poetry.lock"];

const VENV: &str = ".venv";

const INFO: &str = ".dist-info";

pub fn find(search: &DependencySearch<'_>) -> Vec<DependencyAnswer> {
    let wanted = normal(&search.wanted.name);
    let Some(environment) = search.nearest_directory(VENV) else { return not_installed(search, &wanted) };
    if environment.parent().and_then(|directory| own_directory(directory, VENV)).is_none() {
        let text = format!("{} is a link: give the directory of the package", shown(&environment));
        return vec![DependencyAnswer::Elsewhere(text)];
    }
    let sites = sites(&environment);
    let installed = sites.iter().flat_map(|site| names_in(site).into_iter().map(move |name| (site, name)));
    let mut found = installed.filter_map(|(site, info)| {
        let (name, version) = info.strip_suffix(INFO)?.rsplit_once('-')?;
        let (name, version) = (name.to_owned(), version.to_owned());
        (normal(&name) == wanted).then_some((site, info, name, version))
    });
    match found.next() {
        Some((site, info, name, version)) => answers(search, site, &info, &name, &version),
        None => {
            vec![linked(&sites, &wanted).unwrap_or_else(|| DependencyAnswer::Missing(shown(&environment)))]
        }
    }
}

/// The answer without a virtual environment.
fn not_installed(search: &DependencySearch<'_>, wanted: &str) -> Vec<DependencyAnswer> {
    let locks = LOCKS.into_iter().filter_map(|lock| search.nearest(lock));
    let answer = |(lock, text): (PathBuf, String)| {
        let package = packages(&text).into_iter().find(|package| normal(&package.name) == wanted);
        package.map_or_else(
            || DependencyAnswer::Missing(shown(&lock)),
            |package| search.not_installed(&lock, &package.name, &package.version),
        )
    };
    locks.map(answer).collect()
}

/// The answer if setuptools linked the directory of the package.
fn linked(sites: &[PathBuf], wanted: &str) -> Option<DependencyAnswer> {
    let links = sites.iter().flat_map(|site| names_in(site).into_iter().map(move |name| site.join(name)));
    let is_it = |link: &PathBuf| {
        let name = link.file_name().and_then(|name| name.to_str()?.strip_suffix(".egg-link"));
        name.is_some_and(|name| normal(name) == wanted)
    };
    let link = links.into_iter().find(is_it)?;
    let text = String::from_utf8(read_small(&link, MAX_BYTES).ok()?).ok()?;
    Some(is_editable(wanted, text.lines().next()?.trim()))
}

fn is_editable(name: &str, path: &str) -> DependencyAnswer {
    DependencyAnswer::Elsewhere(format!("{} is editable: give {}", quoted(name), quoted(path)))
}

fn answers(
    search: &DependencySearch<'_>,
    site: &Path,
    info: &str,
    name: &str,
    version: &str,
) -> Vec<DependencyAnswer> {
    let full = |version: &str| quoted(format!("{name}@{version}"));
    if let Some(path) = editable(&site.join(info)) {
        return vec![is_editable(name, &path)];
    }
    let locks = LOCKS.into_iter().filter_map(|lock| search.nearest(lock));
    let locked =
        locks.flat_map(|(_, text)| packages(&text)).find(|package| normal(&package.name) == normal(name));
    if let Some(locked) = locked.filter(|locked| locked.version != version) {
        let text = format!("the lock file has {}, and .venv {version}", full(&locked.version));
        return vec![DependencyAnswer::Elsewhere(text)];
    }
    if !search.wanted.is_version(version) {
        return vec![DependencyAnswer::Elsewhere(format!(".venv has {}", full(version)))];
    }
    let modules = modules(site, info);
    let found = modules.iter().filter_map(|module| below(&site.join(module), site));
    let found: Vec<DependencyAnswer> = found
        .map(|path| {
            let (manager, name, version) = (PackageManager::Pip, name.to_owned(), version.to_owned());
            DependencyAnswer::Found(Dependency { manager, name, version, path })
        })
        .collect();
    if found.is_empty() { vec![DependencyAnswer::Missing(shown(site))] } else { found }
}

/// The directories of packages in a virtual environment; not those that links out of it lead to.
fn sites(environment: &Path) -> Vec<PathBuf> {
    let versions = names_in(&environment.join("lib")).into_iter().filter(|name| name.starts_with("python"));
    let sites = versions.map(|version| environment.join("lib").join(version).join("site-packages"));
    let sites = sites.chain([environment.join("Lib/site-packages")]).filter(|site| site.is_dir());
    sites.filter(|site| below(site, environment).is_some()).collect()
}

/// The modules of a package: the first names in the paths of its files of Python.
fn modules(site: &Path, info: &str) -> BTreeSet<String> {
    let record = read_small(&site.join(info).join("RECORD"), MAX_BYTES).unwrap_or_default();
    let record = String::from_utf8_lossy(&record).into_owned();
    let paths = record.lines().filter_map(|line| line.split(',').next());
    let is_python = |path: &&str| path.ends_with(".py") || path.ends_with(".pyi");
    let first = paths.filter(is_python).filter_map(|path| path.split('/').next());
    first.filter(|name| !name.starts_with('.') && !name.ends_with(INFO)).map(str::to_owned).collect()
}

/// The directory of a package that is installed in editable mode.
fn editable(info: &Path) -> Option<String> {
    let source: Value =
        serde_json::from_slice(&read_small(&info.join("direct_url.json"), MAX_BYTES).ok()?).ok()?;
    let is_editable = source.get("dir_info")?.get("editable")?.as_bool()?;
    let path = source.get("url")?.as_str()?;
    is_editable.then(|| path.strip_prefix("file://").unwrap_or(path).to_owned())
}

/// A name as package managers compare it.
fn normal(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}
