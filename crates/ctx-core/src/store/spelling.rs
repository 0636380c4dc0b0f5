//! Whether two paths are the same entry: they are compared without `./`, empty components and trailing `/`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::entry::lines::{Lines, Ranged};
use crate::entry::{Entry, Kind};

/// Entries by path, for many lookups; paths are compared as in [`List::position`](super::List::position).
#[derive(Debug, Default)]
pub struct ByPath<'a>(HashMap<Spelling<'a>, &'a Entry>);

impl<'a> ByPath<'a> {
    /// The entries of a list; if two have the same path, the first one.
    #[must_use]
    pub fn of(entries: &'a [Entry]) -> Self {
        let mut known = Self::default();
        for entry in entries {
            known.insert(entry);
        }
        known
    }

    /// The entry with the same path as this one.
    #[must_use]
    pub fn get(&self, entry: &Entry) -> Option<&'a Entry> {
        self.0.get(&Spelling::of_entry(entry)).copied()
    }

    /// Adds an entry, unless there already is one with the same path. Returns whether it was new.
    pub fn insert(&mut self, entry: &'a Entry) -> bool {
        let spelling = Spelling::of_entry(entry);
        let is_new = !self.0.contains_key(&spelling);
        if is_new {
            self.0.insert(spelling, entry);
        }
        is_new
    }
}

/// Whether two paths are the same entry, compared as in [`List::position`](super::List::position).
#[must_use]
pub fn is_same_path(one: &str, other: &str) -> bool {
    Spelling::of(one) == Spelling::of(other)
}

/// For each entry, the index of the first one that is the same, compared as in
/// [`List::position`](super::List::position); its own index if it is the first.
pub fn first_places<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<usize> {
    let mut known = BTreeMap::new();
    let place = |(place, entry)| *known.entry(Spelling::of_entry(entry)).or_insert(place);
    entries.into_iter().enumerate().map(place).collect()
}

/// The paths without duplicates, compared as in [`List::position`](super::List::position).
pub fn distinct(paths: &[String]) -> impl Iterator<Item = &str> {
    let mut known = BTreeSet::new();
    paths.iter().map(String::as_str).filter(move |path| known.insert(Spelling::of(path)))
}

/// A path in a form in which its different spellings are equal.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Spelling<'a> {
    exclusion: bool,
    path: Cow<'a, str>,
    lines: Option<Lines>,
}

impl<'a> Spelling<'a> {
    pub(super) fn of_entry(entry: &'a Entry) -> Self {
        match (entry.attributes.lines, &entry.attributes.name) {
            (Some(lines), _) => Self { lines: Some(lines), ..Self::of_path(&entry.path) },
            (None, Some(_)) => {
                let name = entry.name();
                let Spelling { exclusion, path, lines } = Spelling::of(&name);
                Self { exclusion, path: path.into_owned().into(), lines }
            }
            (None, None) => Self::of(&entry.path),
        }
    }

    /// A path, with or without lines or a name.
    pub(super) fn of(text: &'a str) -> Self {
        match Ranged::of(text) {
            Some(Ranged { path, lines }) => Self { lines: Some(lines), ..Self::of_path(path) },
            None => Self::of_path(text),
        }
    }

    fn of_path(path: &'a str) -> Self {
        let (exclusion, mut path) = match path.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, path),
        };
        if path.is_empty() {
            return Self { exclusion, path: path.into(), lines: None };
        }
        let is_absolute = path.starts_with('/');
        // Without `./`, a leading tilde would mean the home directory, and `git:x` would not be a path.
        let is_path =
            |rest: &&str| !rest.starts_with('~') && Kind::of(rest.trim_start_matches('/')) == Kind::Path;
        while let Some(rest) = path.strip_prefix("./").filter(is_path) {
            path = rest.trim_start_matches('/');
        }
        path = path.trim_end_matches('/');
        if path.is_empty() {
            path = if is_absolute { "/" } else { "." };
        }
        Self { exclusion, path: without_idle_components(path), lines: None }
    }
}

/// A path without redundant components: `a//b`, `a/./b`, `a/.`. Entries that are not paths, such as commands,
/// are left alone.
fn without_idle_components(path: &str) -> Cow<'_, str> {
    let has_some = path.contains("//") || path.contains("/./") || path.ends_with("/.");
    if !has_some || Kind::of(path) != Kind::Path {
        return path.into();
    }
    let mut components = path.split('/');
    let mut whole = components.next().unwrap_or_default().to_owned();
    for component in components.filter(|component| !matches!(*component, "" | ".")) {
        whole.push('/');
        whole.push_str(component);
    }
    if whole.is_empty() { "/".into() } else { whole.into() }
}
