//! What is looked for, and what all package managers need to look for it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::entry::DEPENDENCY;
use crate::fs::{read_small, real};
use crate::named::named;
use crate::words::{WrongText, all_of, one_of, quoted};

/// How an entry for a dependency begins.
pub const PREFIX: &str = DEPENDENCY;

/// The largest lock file or manifest that is read, in bytes.
pub(super) const MAX_BYTES: u64 = 64 << 20;

named! {
    /// A package manager.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum PackageManager {
        /// Rust's.
        Cargo = "cargo",
        /// That of Node.js; the directories of the others look the same.
        Npm = "npm",
        /// Python's, uv and poetry.
        Pip = "pip",
        /// That of Go.
        Go = "go",
    }
}

/// What a dependency is asked for by: `cargo:reqwest@0.12.4` without its prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyName {
    pub(super) manager: Option<PackageManager>,
    pub(super) name: String,
    pub(super) version: Option<String>,
}

/// Where package managers keep sources outside of trees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caches {
    /// `$CARGO_HOME`, or `~/.cargo`.
    pub cargo_home: Option<PathBuf>,
    /// `$GOMODCACHE`, or `pkg/mod` in `$GOPATH` or `~/go`.
    pub go_modules: Option<PathBuf>,
}

/// The sources of a dependency.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// Whose it is.
    pub manager: PackageManager,
    /// Its full name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its directory, with all links resolved, or the file of a module that is only one.
    pub path: PathBuf,
}

impl Dependency {
    /// Its name for people and in labels: `dep:reqwest@0.12.4`, with the module of a Python package.
    #[must_use]
    pub fn label(&self) -> String {
        let module = self.path.file_name().filter(|_| self.manager == PackageManager::Pip);
        let module = module.map_or_else(String::new, |module| format!(" {}", module.to_string_lossy()));
        format!("{PREFIX}{}@{}{module}", self.name, self.version)
    }
}

/// What one package manager knows about a name here.
pub(super) enum DependencyAnswer {
    Found(Dependency),
    /// It is known, and this is why its sources are not used, or where they are instead.
    Elsewhere(String),
    /// It was looked for here.
    Missing(String),
}

/// One search: from a directory up to the root of its tree.
pub(super) struct DependencySearch<'s> {
    pub(super) wanted: &'s DependencyName,
    pub(super) directories: Vec<&'s Path>,
    pub(super) caches: &'s Caches,
}

impl DependencyName {
    /// Parses the text after the prefix.
    ///
    /// # Errors
    /// If it has no name.
    pub fn parse(text: &str) -> Result<Self, WrongText> {
        let prefixed = PackageManager::ALL
            .into_iter()
            .find_map(|manager| Some((manager, text.strip_prefix(manager.name())?.strip_prefix(':')?)));
        let (manager, rest) = prefixed.map_or((None, text), |(manager, rest)| (Some(manager), rest));
        // The name of an npm package may begin with `@`.
        let at = rest.char_indices().skip(1).filter(|(_, char)| *char == '@').map(|(at, _)| at).last();
        let (name, version) = match at {
            Some(at) => (&rest[..at], Some(rest[at + 1..].to_owned())),
            None => (rest, None),
        };
        let is_name = |part: &str| !part.is_empty() && part != "." && part != "..";
        if !name.split('/').all(is_name) || name.contains(['\\', '\0']) || version.as_deref() == Some("") {
            let all = PackageManager::ALL.map(|manager| format!("{}:", manager.name()));
            let text = format!(
                "write {PREFIX}NAME or {PREFIX}NAME@VERSION, with {} before the name if it is in several",
                one_of(all)
            );
            return Err(WrongText::new(text));
        }
        Ok(Self { manager, name: name.to_owned(), version })
    }

    /// The texts with which lists may name the dependency whose label is `label`: with and without its manager and version,
    /// and a Go module also by the end of its path.
    #[must_use]
    pub fn spellings(label: &str) -> Vec<String> {
        let text = label.strip_prefix(PREFIX).and_then(|text| text.split(' ').next());
        let Some(Ok(Self { name, version: Some(version), .. })) = text.map(Self::parse) else {
            return Vec::new();
        };
        let is_of_host = name.split_once('/').is_some_and(|(host, _)| host.contains('.'));
        let end = name.rsplit('/').next().filter(|_| is_of_host);
        let managers =
            || [String::new()].into_iter().chain(PackageManager::ALL.map(|one| format!("{}:", one.name())));
        let names = [name.as_str()].into_iter().chain(end);
        let bare = names.flat_map(|name| managers().map(move |manager| format!("{PREFIX}{manager}{name}")));
        bare.flat_map(|bare| [format!("{bare}@{version}"), bare]).collect()
    }

    pub(super) fn is_version(&self, version: &str) -> bool {
        is_plain(version) && self.version.as_deref().is_none_or(|wanted| wanted == version)
    }
}

impl DependencySearch<'_> {
    /// The nearest file with this name, and its text.
    pub(super) fn nearest(&self, name: &str) -> Option<(PathBuf, String)> {
        self.directories.iter().map(|directory| directory.join(name)).find_map(|path| {
            let text = read_small(&path, MAX_BYTES).ok()?;
            Some((path, String::from_utf8_lossy(&text).into_owned()))
        })
    }

    /// The answer if a lock file has nothing that fits, but perhaps these names in other versions.
    pub(super) fn in_other_versions<'o>(
        &self,
        lock: &Path,
        others: impl Iterator<Item = (&'o str, &'o str)>,
    ) -> DependencyAnswer {
        let others: Vec<String> = others
            .filter(|(_, version)| is_plain(version))
            .map(|(name, version)| quoted(format!("{name}@{version}")))
            .collect();
        if others.is_empty() {
            DependencyAnswer::Missing(shown(lock))
        } else {
            DependencyAnswer::Elsewhere(format!("{} has {}", shown(lock), all_of(&others)))
        }
    }

    /// The answer if a lock file has it and nothing is installed.
    pub(super) fn not_installed(&self, lock: &Path, name: &str, version: &str) -> DependencyAnswer {
        if !self.wanted.is_version(version) {
            return self.in_other_versions(lock, [(name, version)].into_iter());
        }
        let full = quoted(format!("{name}@{version}"));
        DependencyAnswer::Elsewhere(format!("{full} of {} is not installed", shown(lock)))
    }

    /// The nearest directory with this name.
    pub(super) fn nearest_directory(&self, name: &str) -> Option<PathBuf> {
        self.directories.iter().map(|directory| directory.join(name)).find(|path| path.is_dir())
    }
}

/// Whether a version is one: it becomes part of a path and of labels.
fn is_plain(version: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || ".+-_!~".contains(char);
    !version.is_empty() && !version.starts_with('.') && version.chars().all(is_part)
}

/// The real path of a directory or file, if it is below another one.
pub(super) fn below(path: &Path, above: &Path) -> Option<PathBuf> {
    let path = real(path).ok()?;
    path.starts_with(real(above).ok()?).then_some(path)
}

/// A directory of the tree itself, in another one; a link may lead anywhere.
pub(super) fn own_directory(directory: &Path, name: &str) -> Option<PathBuf> {
    let path = real(directory).ok()?.join(name);
    (path.is_dir() && real(&path).ok()? == path).then_some(path)
}

/// The names in a directory, sorted; none if it cannot be read.
pub(super) fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// A path for a message.
pub(super) fn shown(path: &Path) -> String {
    quoted(path.display())
}
