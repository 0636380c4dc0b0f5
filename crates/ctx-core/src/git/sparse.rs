//! Tracked files that are not in the work tree, because its checkout is sparse.

use std::path::Path;

use super::accepted::repository_at;
use super::dirs::Dirs;
use super::index::TrackedNames;
use crate::fs::directory::bytes_of;
use crate::fs::read_small;
use crate::world::World;

/// The largest file of git's configuration that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Why such a path is not here.
pub const OUTSIDE_SPARSE_CHECKOUT: &str = "it is outside of the sparse checkout";

/// Whether a path that does not exist is tracked, or above something tracked, but outside of the sparse checkout.
#[must_use]
pub fn is_outside_sparse_checkout(path: &Path, world: &World) -> bool {
    let repository = path.ancestors().skip(1).find_map(|above| Some((above, repository_at(above, world)?)));
    let Some((root, dirs)) = repository.filter(|(_, dirs)| is_sparse(dirs)) else { return false };
    let name = bytes_of(path.strip_prefix(root).unwrap_or(path));
    let tracked = TrackedNames::read(&dirs.git_dir).unwrap_or_default();
    let is_tracked = tracked.contains(&name) || tracked.has_below(&name) || tracked.is_left_out(&name);
    !path.exists() && is_tracked
}

fn is_sparse(dirs: &Dirs) -> bool {
    let files = [dirs.git_dir.join("config.worktree"), dirs.common_dir.join("config")];
    let texts = files.iter().filter_map(|file| read_small(file, MAX_BYTES).ok());
    let mut lines = texts.map(|text| String::from_utf8_lossy(&text).to_lowercase());
    lines.any(|text| {
        text.lines()
            .filter_map(|line| line.split_once('='))
            .any(|(key, value)| key.trim() == "sparsecheckout" && value.trim() == "true")
    })
}
