//! Modules of Go, by `go.mod`.

use std::path::{Path, PathBuf};

use super::search::{
    Dependency, DependencyAnswer, DependencySearch, PackageManager, below, own_directory, shown,
};
use crate::words::quoted;

const VENDOR: &str = "vendor";

pub fn find(search: &DependencySearch<'_>) -> Vec<DependencyAnswer> {
    let Some((manifest, text)) = search.nearest("go.mod") else { return Vec::new() };
    let is_it = |module: &str| {
        let wanted = &search.wanted.name;
        module == wanted || module.strip_suffix(&**wanted).is_some_and(|rest| rest.ends_with('/'))
    };
    let replaced = replacements(&text);
    let named = requirements(&text).into_iter().filter(|(module, _)| is_it(module));
    let (fitting, others): (Vec<_>, Vec<_>) =
        named.partition(|(_, version)| search.wanted.is_version(version));
    if fitting.is_empty() {
        let others = others.iter().map(|(module, version)| (module.as_str(), version.as_str()));
        return vec![search.in_other_versions(&manifest, others)];
    }
    fitting
        .into_iter()
        .map(|(module, version)| {
            let tree = manifest.parent().unwrap_or(&manifest);
            let fitting = replaced.iter().filter(|replaced| replaced.is_of(&module, &version));
            match fitting.max_by_key(|replaced| replaced.from_version.is_some()) {
                None => sources(search, tree, &module, &module, version),
                Some(ReplacedModule { to, version: Some(version), .. }) => {
                    sources(search, tree, &module, to, version.clone())
                }
                Some(ReplacedModule { to, version: None, .. }) => DependencyAnswer::Elsewhere(format!(
                    "{} is replaced: give {}",
                    quoted(module),
                    quoted(to)
                )),
            }
        })
        .collect()
}

/// What replaces a module, or one version of it.
struct ReplacedModule {
    from: String,
    from_version: Option<String>,
    to: String,
    /// The version of another module; `None` for a directory.
    version: Option<String>,
}

impl ReplacedModule {
    fn is_of(&self, module: &str, version: &str) -> bool {
        self.from == module && self.from_version.as_deref().is_none_or(|replaced| replaced == version)
    }
}

/// The sources of a module that is required by another name if it replaces the one of that name.
fn sources(
    search: &DependencySearch<'_>,
    tree: &Path,
    required: &str,
    module: &str,
    version: String,
) -> DependencyAnswer {
    let vendored = own_directory(tree, VENDOR).map(|vendor| (vendor.clone(), vendor.join(required)));
    let cache = search.caches.go_modules.as_ref();
    let kept = cache.map(|cache| (cache.clone(), cache.join(format!("{}@{version}", escaped(module)))));
    let path: Option<PathBuf> =
        vendored.into_iter().chain(kept).find_map(|(above, path)| below(&path, &above));
    match path {
        Some(path) => DependencyAnswer::Found(Dependency {
            manager: PackageManager::Go,
            name: module.to_owned(),
            version,
            path,
        }),
        None => {
            DependencyAnswer::Missing(cache.map_or_else(|| shown(&tree.join(VENDOR)), |cache| shown(cache)))
        }
    }
}

/// The required modules with their versions.
fn requirements(text: &str) -> Vec<(String, String)> {
    let module = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    };
    directives(text, "require").iter().filter_map(|line| module(line)).collect()
}

fn replacements(text: &str) -> Vec<ReplacedModule> {
    let replacement = |line: &str| {
        let (from, to) = line.split_once("=>")?;
        let (mut from, mut to) = (from.split_whitespace(), to.split_whitespace());
        let (from, from_version) = (from.next()?.to_owned(), from.next().map(str::to_owned));
        let (to, version) = (to.next()?.to_owned(), to.next().map(str::to_owned));
        Some(ReplacedModule { from, from_version, to, version })
    };
    directives(text, "replace").iter().filter_map(|line| replacement(line)).collect()
}

/// The arguments of a directive, each on its own line or in a block.
fn directives<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut is_in_block = false;
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default().trim()) {
        if is_in_block {
            is_in_block = line != ")";
            found.extend(Some(line).filter(|_| is_in_block));
        } else if let Some(rest) = line.strip_prefix(name).filter(|rest| rest.starts_with([' ', '\t', '('])) {
            is_in_block = rest.trim() == "(";
            found.extend(Some(rest.trim()).filter(|_| !is_in_block));
        }
    }
    found
}

/// A path of a module in the cache, where each capital is written as `!` and a small letter.
fn escaped(module: &str) -> String {
    let mut path = String::with_capacity(module.len());
    for char in module.chars() {
        if char.is_ascii_uppercase() {
            path.push('!');
        }
        path.push(char.to_ascii_lowercase());
    }
    path
}
