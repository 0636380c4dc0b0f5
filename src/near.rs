//! What a pattern may have been meant to match, but doesn't.

use std::fmt;

use ctx_core::entry::pattern::escape;
use ctx_core::entry::{Entry, ScopedEntry};
use ctx_core::guard::names::holds_secrets;
use ctx_core::select::{self, path_of};
use ctx_core::world::World;

/// A file or directory whose name looks like a pattern: `app/[id]`.
pub struct ExistingName {
    name: String,
    pattern: String,
    /// The pattern that matches exactly that name.
    pub escaped: String,
}

impl ExistingName {
    /// The first existing path whose name appears in the pattern, up to the first part that may match anything.
    pub fn by(pattern: &str, world: &World) -> Option<Self> {
        let is_pattern = |name: &str| name.contains(['*', '?', '[', ']', '{', '}']);
        let is_there = |path: &str| path_of(path, world).is_ok_and(|path| path.symlink_metadata().is_ok());
        let mut names = pattern.split('/').enumerate();
        let (mut path, mut escaped, mut first) = (String::new(), String::new(), None);
        for (place, name) in names.by_ref() {
            let separator = if place == 0 { "" } else { "/" };
            let (here, before) = (format!("{path}{separator}{name}"), escaped.len());
            escaped.extend([separator, name]);
            if is_pattern(name) {
                if !is_there(&here) {
                    break;
                }
                escaped.truncate(before + separator.len());
                escaped += &escape(name);
                first.get_or_insert_with(|| here.clone());
            }
            path = here;
        }
        names.for_each(|(_, name)| escaped.extend(["/", name]));
        first.map(|name| Self { name, pattern: pattern.to_owned(), escaped })
    }
}

impl fmt::Display for ExistingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' exists, but its name is read as a pattern in '{}'", self.name, self.pattern)
    }
}

/// A file that a pattern would match if no directory on the way to it began with a dot.
pub struct HiddenFile {
    file: String,
    /// The pattern that starts in that directory.
    pub pattern: String,
}

impl HiddenFile {
    /// The first such file.
    pub fn of(pattern: &ScopedEntry, world: &World) -> Option<Self> {
        let (before, rest) = pattern.entry.path.split_once("**/")?;
        let path = format!("{before}**/.*/**/{rest}");
        let hidden = ScopedEntry { entry: Entry { path, ..pattern.entry.clone() }, ..pattern.clone() };
        let selected = select::select(&[hidden], world, &select::Options::new(holds_secrets)).ok()?;
        let file = selected.files.first()?.label.as_str();
        let dotted = file.match_indices('/').map(|(at, _)| &file[..at]);
        let is_dotted =
            |directory: &&str| directory.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
        let directory = dotted.skip(before.matches('/').count()).find(is_dotted)?.to_owned();
        Some(Self { file: file.to_owned(), pattern: format!("{}/**/{rest}", escape(&directory)) })
    }
}

impl fmt::Display for HiddenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is left out: a directory in its path begins with a dot", self.file)
    }
}
