//! What a pattern may have been meant to match, but doesn't.

use std::fmt;

use super::look_up::{Kept, first_match};
use crate::app::App;
use ctx_core::entry::Entry;
use ctx_core::entry::pattern::escape;
use ctx_core::select::path_of;
use ctx_core::world::World;

/// A file or directory whose name looks like a pattern: `app/[id]`.
pub(super) struct ExistingName {
    name: String,
    pattern: String,
    /// The pattern that matches exactly that name.
    pub(super) escaped: String,
}

impl ExistingName {
    /// The first existing path whose name appears in the pattern, up to the first part that may match anything.
    pub(super) fn by(pattern: &str, world: &World) -> Option<Self> {
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
pub(super) struct HiddenFile {
    file: String,
    /// The pattern that starts in that directory.
    pub(super) pattern: String,
}

impl HiddenFile {
    /// The first such file.
    pub(super) fn from(app: &App, kept: &Kept, entry: &Entry) -> Option<Self> {
        let (before, rest) = entry.path.split_once("**/")?;
        let path = format!("{before}**/.*/**/{rest}");
        let file = first_match(app, kept, Entry { path, ..entry.clone() })?;
        let dotted = file.match_indices('/').map(|(at, _)| &file[..at]);
        let is_dotted =
            |directory: &&str| directory.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
        let directory = dotted.skip(before.matches('/').count()).find(is_dotted)?.to_owned();
        Some(Self { file, pattern: format!("{}/**/{rest}", escape(&directory)) })
    }
}

impl fmt::Display for HiddenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is left out: a directory in its path begins with a dot", self.file)
    }
}
