//! The target of a reference's path.

use std::path::{Path, PathBuf};

use crate::git::TextLinks;
use crate::guard::names::holds_secrets;
use crate::select::path_of;
use crate::tree::Tree;
use crate::world::World;

/// The target of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Referent {
    /// A regular file that may be read; its path with all links resolved.
    File(PathBuf),
    /// A directory that may be listed.
    Directory,
    /// A file that must not be read, and why.
    Refused(MentionRefusal),
}

/// Why a referenced file is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MentionRefusal {
    /// It is outside the tree.
    Outside,
    /// It is in a `.git`, or in the repository's git directory.
    InsideGit,
    /// Its name suggests this kind of secret.
    SecretName(&'static str),
}

/// The target of a path in somebody else's text; `None` if there is nothing that can be read or listed. A path in
/// the text is relative to the current directory of `world`.
#[must_use]
pub fn target(path: &str, tree: &Tree, links: &TextLinks<'_>, world: &World) -> Option<Referent> {
    if path.is_empty() || path.contains('\0') {
        return None;
    }
    let path = path_of(path, world).ok()?;
    let real = links.real(&path).ok()?;
    let metadata = real.metadata().ok()?;
    if !metadata.is_file() && !metadata.is_dir() {
        return None;
    }
    Some(match refusal(&path, &real, tree) {
        Some(refusal) => Referent::Refused(refusal),
        None if metadata.is_dir() => Referent::Directory,
        None => Referent::File(real),
    })
}

/// Whether a path that does not exist was meant as one, and not as the name of a package or a decorator, such as
/// `@types/node`: its directory exists, or its name has an extension.
#[must_use]
pub fn is_meant(path: &str, world: &World) -> bool {
    let path = path.split(['#', ':']).next().unwrap_or(path);
    let (directory, name) = path.rsplit_once('/').unwrap_or((".", path));
    let extension =
        name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    let has_extension =
        extension.is_some_and(|all| !all.is_empty() && all.chars().all(char::is_alphanumeric));
    has_extension || path_of(directory, world).is_ok_and(|directory| directory.is_dir())
}

fn refusal(path: &Path, real: &Path, tree: &Tree) -> Option<MentionRefusal> {
    let is_git = |name: &std::ffi::OsStr| name.eq_ignore_ascii_case(".git");
    if !tree.contains(real) {
        Some(MentionRefusal::Outside)
    } else if tree.is_in_git(real) || path.strip_prefix(tree.root()).unwrap_or(path).iter().any(is_git) {
        Some(MentionRefusal::InsideGit)
    } else {
        holds_secrets(path).or_else(|| holds_secrets(real)).map(MentionRefusal::SecretName)
    }
}
