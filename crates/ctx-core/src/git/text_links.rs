//! Links that git checked out as files with their targets' paths, as it does where `core.symlinks` is false.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::accepted::repository_at;
use super::configuration::Configuration;
use super::dirs::dot_git;
use super::index::TrackedNames;
use crate::fs::directory::{bytes_of, path_of};
use crate::fs::{open_without_waiting, real};
use crate::world::World;

/// How many such links in one path are followed.
const MOST_LINKS: usize = 40;

/// The longest path of a target, in bytes.
const LONGEST_TARGET: u64 = 4096;

/// Follows such links.
#[derive(Debug)]
pub struct TextLinks<'a> {
    world: &'a World,
    /// The repositories that have them, by directory; `None` if that of a directory has none.
    known: Mutex<HashMap<PathBuf, Option<Arc<Repository>>>>,
}

#[derive(Debug)]
struct Repository {
    root: PathBuf,
    git_dir: PathBuf,
    tracked: OnceLock<TrackedNames>,
}

impl<'a> TextLinks<'a> {
    /// Those of the repositories on a machine.
    #[must_use]
    pub fn new(world: &'a World) -> Self {
        Self { world, known: Mutex::default() }
    }

    /// A path with all links resolved, also those that are files.
    ///
    /// # Errors
    /// As [`real`]; and if too many lead to each other.
    pub fn real(&self, path: &Path) -> io::Result<PathBuf> {
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            let target = match real(&path) {
                Ok(found) => match self.target_of(&found) {
                    Some(target) => target,
                    None => return Ok(found),
                },
                Err(error) => self.target_through(&path).ok_or(error)?,
            };
            path = target;
        }
        Err(io::Error::other(format!("more than {MOST_LINKS} links lead to each other")))
    }

    /// The path that a file with all links resolved stands for; `None` if it is an ordinary file.
    #[must_use]
    pub fn target_of(&self, file: &Path) -> Option<PathBuf> {
        let directory = file.parent()?;
        let repository = self.repository(directory)?;
        let is_short = |length: u64| (1..=LONGEST_TARGET).contains(&length);
        let metadata = file.symlink_metadata().ok()?;
        let relative = bytes_of(file.strip_prefix(&repository.root).ok()?);
        if !metadata.is_file() || !is_short(metadata.len()) || !repository.tracked().contains_link(&relative)
        {
            return None;
        }
        let mut target = Vec::new();
        open_without_waiting(file).ok()?.take(LONGEST_TARGET).read_to_end(&mut target).ok()?;
        // Somebody may have put a text of their own in its place.
        let is_path = !target.is_empty() && !target.iter().any(|byte| [0, b'\n'].contains(byte));
        is_path.then(|| directory.join(path_of(&target)))
    }

    /// The path that is meant by one through such a link to a directory.
    fn target_through(&self, path: &Path) -> Option<PathBuf> {
        let (above, file) = path.ancestors().skip(1).find_map(|above| Some((above, real(above).ok()?)))?;
        Some(self.target_of(&file)?.join(path.strip_prefix(above).ok()?))
    }

    fn repository(&self, directory: &Path) -> Option<Arc<Repository>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(directory) {
            return known.clone();
        }
        let root = directory.ancestors().find(|above| dot_git(above).is_some());
        let found = root.and_then(|root| match known.get(root) {
            Some(known) => known.clone(),
            None => Repository::at(root, self.world).map(Arc::new),
        });
        known.extend(
            [Some(directory), root].into_iter().flatten().map(|path| (path.to_owned(), found.clone())),
        );
        found
    }
}

impl Repository {
    fn at(root: &Path, world: &World) -> Option<Self> {
        let dirs = repository_at(root, world)?;
        let has_links = Configuration::read(world, Some(&dirs)).is_ok_and(|read| read.links_are_files);
        has_links.then(|| Self { root: dirs.root, git_dir: dirs.git_dir, tracked: OnceLock::new() })
    }

    fn tracked(&self) -> &TrackedNames {
        self.tracked.get_or_init(|| TrackedNames::read(&self.git_dir).unwrap_or_default())
    }
}
