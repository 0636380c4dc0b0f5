//! Projects: lists that are checked in next to the files they name.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::fs::{Owners, real, resolved};
use crate::git::{dot_git, repository_at};
use crate::world::World;

/// The directory of a project's files, in the root of the project.
pub const DIRECTORY: &str = ".ctx";

/// The result of looking upwards from the current directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// The root of the project, with all links resolved.
    pub root: Option<PathBuf>,
    /// `.ctx` directories that are not used because they, or their parents, belong to somebody else.
    pub skipped: Vec<PathBuf>,
}

/// The users whose files count in a directory: those who always do, and the owner of the repository around it if
/// git would work in that one.
#[must_use]
pub fn owners(directory: &Path, world: &World) -> Owners {
    let directory = resolved(directory);
    let top = directory.ancestors().find(|above| dot_git(above).is_some());
    let accepted = top.and_then(|top| repository_at(top, world));
    let owners = Owners::in_directory(&directory);
    match accepted.and_then(|dirs| fs::metadata(dirs.root).ok()) {
        Some(top) => owners.and_of(&top),
        None => owners,
    }
}

impl Search {
    /// Looks for the nearest `.ctx`, up to the root of the repository or, outside a repository, to just below the
    /// home directory, and only through directories with trusted owners.
    #[must_use]
    pub fn upwards(world: &World, owners: &Owners) -> Self {
        let cwd = resolved(&world.cwd);
        let home = world.home.as_deref().map(resolved);
        let mut search = Self::default();
        for directory in cwd.ancestors() {
            let is_repository = dot_git(directory).is_some();
            let is_home = home.as_deref().is_some_and(|home| home.starts_with(directory));
            let counts = fs::metadata(directory).is_ok_and(|metadata| owners.have(&metadata));
            if is_home && !(is_repository && directory == cwd) {
                break;
            }
            let candidate = directory.join(DIRECTORY);
            match candidate.symlink_metadata() {
                // A link is refused when it is read.
                Ok(metadata) if metadata.is_dir() || metadata.is_symlink() => {
                    if counts && owners.have(&metadata) {
                        search.root = Some(directory.to_owned());
                        break;
                    }
                    search.skipped.push(candidate);
                }
                Ok(_) | Err(_) => {}
            }
            if is_repository || !counts {
                break;
            }
        }
        search
    }
}

/// Whether a directory is the `.ctx` of a repository. Such a directory came with the repository and is not the
/// user's own, unless it is directly in their home directory.
#[must_use]
pub fn is_of_repository(directory: &Path, home: Option<&Path>) -> bool {
    let real = resolved(directory);
    let home = home.map(resolved);
    let is_below_home = |above: &&Path| home.as_deref().is_none_or(|home| !home.starts_with(above));
    real.file_name() == Some(OsStr::new(DIRECTORY))
        && real.ancestors().skip(1).take_while(is_below_home).any(|above| dot_git(above).is_some())
}

/// Whether a project in this directory, with all links resolved, would be found from there.
#[must_use]
pub fn can_be_in(root: &Path, world: &World, owners: &Owners) -> bool {
    let is_home = world.home.as_deref().and_then(|home| real(home).ok());
    let is_too_high = is_home.is_some_and(|home| home.starts_with(root));
    let is_repository = dot_git(root).is_some();
    let counts = fs::metadata(root).is_ok_and(|metadata| owners.have(&metadata));
    counts && (is_repository || !is_too_high)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{chown, symlink};

    use super::*;
    use crate::fs::place::Place;

    impl Place {
        fn search(&self, cwd: &str) -> Search {
            let world = self.world(cwd);
            Search::upwards(&world, &owners(&world.cwd, &world))
        }

        fn root(&self, cwd: &str) -> Option<PathBuf> {
            self.search(cwd).root
        }
    }

    #[test]
    fn the_nearest_project_within_the_repository_or_below_home_is_used() {
        let place = Place::new(&[
            "home/.ctx",
            "home/a/.ctx",
            "home/a/b/.git",
            "home/a/b/c",
            "home/a/d/e/.ctx",
            "home/a/d/e/f",
            "home/g",
            "out/.ctx",
            "out/x",
        ]);
        assert_eq!(place.root("home/a/b/c"), None);
        assert_eq!(place.root("home/a/d/e/f"), Some(place.at("home/a/d/e")));
        assert_eq!(place.root("home/a/d"), Some(place.at("home/a")));
        assert_eq!(place.root("home/g"), None);
        assert_eq!(place.root("home"), None);
        assert_eq!(place.root("out/x"), Some(place.at("out")));
        fs::create_dir(place.at("home/.git")).unwrap();
        assert_eq!(place.root("home"), Some(place.at("home")));
        assert_eq!(place.root("home/g"), None);
    }

    #[test]
    fn file_is_not_a_project_but_a_link_counts_as_one() {
        let place = Place::new(&["home/a/b"]);
        fs::write(place.at("home/a/b/.ctx"), "").unwrap();
        assert_eq!(place.root("home/a/b"), None);
        symlink("b", place.at("home/a/.ctx")).unwrap();
        assert_eq!(place.root("home/a/b"), Some(place.at("home/a")));
    }

    #[test]
    fn directory_of_another_user_is_skipped() {
        let place = Place::new(&["home/a/.ctx", "home/a/b/.ctx", "home/a/b/c"]);
        // Only root can give a directory away.
        if chown(place.at("home/a/b/.ctx"), Some(12_345), None).is_ok() {
            let search = place.search("home/a/b/c");
            assert_eq!(search.root, Some(place.at("home/a")));
            assert_eq!(search.skipped, [place.at("home/a/b/.ctx")]);
            chown(place.at("home/a"), Some(12_345), None).unwrap();
            let search = place.search("home/a/b/c");
            assert_eq!(search.root, None);
            assert_eq!(search.skipped, [place.at("home/a/b/.ctx"), place.at("home/a/.ctx")]);
        }
    }
}
