//! Whether git would work in a repository, whoever it belongs to. Whatever looks for a repository asks here.

use std::path::{Path, PathBuf};

use super::configuration::{self, Configuration};
use super::dirs::Dirs;
use crate::fs::directory::path_of;
use crate::fs::resolved;
use crate::world::World;

/// The repository whose work tree begins at `root`, if git would work in it.
#[must_use]
pub fn repository_at(root: &Path, world: &World) -> Option<Dirs> {
    Dirs::at(root).filter(Dirs::are_complete).filter(|dirs| others(dirs, world).is_none())
}

/// The part of a repository that belongs to somebody else, so that git would not work in it: the top of the work
/// tree, its `.git`, or the git directory. None counts if `safe.directory` names the work tree. For root, what
/// belongs to the user who called `sudo` counts as root's own.
#[must_use]
pub fn others(dirs: &Dirs, world: &World) -> Option<PathBuf> {
    let parts = [dirs.root.clone(), dirs.root.join(".git"), dirs.git_dir.clone()];
    let of_another = parts.into_iter().find(|path| !is_own(path, world.git.sudo_user))?;
    (!is_safe(&dirs.root, world)).then_some(of_another)
}

/// The command that makes git work in a repository that belongs to somebody else.
#[must_use]
pub fn accepting(root: &Path) -> String {
    format!("git config --global --add safe.directory {}", shell_word(root))
}

/// A path quoted for a shell.
pub(super) fn shell_word(path: &Path) -> String {
    let text = path.to_string_lossy();
    shlex::try_quote(&text).map_or_else(|_| text.to_string(), Into::into)
}

/// Whether `safe.directory` names the directory, ignoring the repository's own settings and the files they
/// include.
fn is_safe(root: &Path, world: &World) -> bool {
    let Ok(configuration) = Configuration::read(world, None) else { return false };
    configuration.safe_directories.iter().fold(false, |safe, written| match written.as_slice() {
        b"" => false,
        b"*" => true,
        path => safe || configuration::expand(path, world).is_some_and(|path| names(&path, root)),
    })
}

fn names(path: &[u8], root: &Path) -> bool {
    let real = |path: &[u8]| resolved(path_of(path));
    match path.strip_suffix(b"/*") {
        Some(above) => root != real(above) && root.starts_with(real(above)),
        None => root == real(path),
    }
}

#[cfg(unix)]
fn is_own(path: &Path, sudo: Option<u32>) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    let is_own = |owner: u32| owner == user || (user == 0 && sudo == Some(owner));
    path.symlink_metadata().is_ok_and(|metadata| is_own(metadata.uid()))
}

#[cfg(not(unix))]
fn is_own(_: &Path, _: Option<u32>) -> bool {
    true
}
