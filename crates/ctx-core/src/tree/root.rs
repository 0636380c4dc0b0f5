//! The work root, against which relative entries on lists are resolved.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::fs::resolved;
use crate::git::{Dirs, dot_git, others};
use crate::world::World;

/// The directory of the project, or the root of the nearest git repository, or the current directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkRoot {
    /// The directory, with all links resolved.
    pub directory: PathBuf,
    /// Whether it is the root of a project or repository, not just the current directory.
    pub is_around: bool,
    /// The `.git` above the current directory that does not count, and why.
    pub refused: Option<(PathBuf, GitRefusal)>,
}

/// Why a `.git` does not make a work root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum GitRefusal {
    /// It, its target, or its work tree belongs to somebody else.
    #[error("it belongs to another user")]
    OtherUser,
    /// It is in the home directory or above, so everything would be in that repository.
    #[error("the home directory is in that repository")]
    Home,
    /// There is no repository in it, or at its target.
    #[error("git finds no repository there")]
    Unusable,
}

impl WorkRoot {
    /// The work root for the current directory. Only the nearest `.git` is considered, even if it does not
    /// count.
    #[must_use]
    pub fn around(world: &World) -> Self {
        let cwd = resolved(&world.cwd);
        if let Some(project) = &world.project {
            return Self { directory: project.clone(), is_around: true, refused: None };
        }
        let home = world.home.as_deref().map(resolved);
        let has_git = |directory: &&Path| dot_git(directory).is_some();
        let Some(nearest) = cwd.ancestors().find(has_git) else {
            return Self { directory: cwd, is_around: false, refused: None };
        };
        match refusal(nearest, home.as_deref(), world) {
            None => Self { directory: nearest.to_owned(), is_around: true, refused: None },
            Some(why) => {
                let refused = (nearest != cwd).then(|| (nearest.join(".git"), why));
                Self { directory: cwd, is_around: false, refused }
            }
        }
    }
}

/// Why the repository with this top does not count.
fn refusal(top: &Path, home: Option<&Path>, world: &World) -> Option<GitRefusal> {
    if home.is_some_and(|home| home.starts_with(top)) {
        return Some(GitRefusal::Home);
    }
    let Some(dirs) = Dirs::at(top) else { return Some(GitRefusal::Unusable) };
    if others(&dirs, world).is_some() {
        return Some(GitRefusal::OtherUser);
    }
    (!dirs.are_complete()).then_some(GitRefusal::Unusable)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::chown;

    use super::*;
    use crate::fs::place::Place;

    fn repository(place: &Place, top: &str) {
        for directory in ["objects", "refs"] {
            fs::create_dir_all(place.at(top).join(".git").join(directory)).unwrap();
        }
        fs::write(place.at(top).join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    fn root(place: &Place, cwd: &str) -> PathBuf {
        let found = WorkRoot::around(&place.world(cwd));
        assert_eq!(found.refused, None, "{cwd}");
        found.directory
    }

    fn refused(place: &Place, cwd: &str) -> Option<(PathBuf, GitRefusal)> {
        let found = WorkRoot::around(&place.world(cwd));
        assert_eq!(found.directory, place.at(cwd));
        found.refused
    }

    #[test]
    fn work_root_is_the_project_else_the_repository_else_the_current_directory() {
        let place = Place::new(&["home/a/b/c", "home/d/e"]);
        repository(&place, "home/a");
        assert_eq!(root(&place, "home/a/b/c"), place.at("home/a"));
        assert_eq!(root(&place, "home/a"), place.at("home/a"));
        assert_eq!(root(&place, "home/d/e"), place.at("home/d/e"));
        let inner = World { project: Some(place.at("home/a/b")), ..place.world("home/a/b/c") };
        assert_eq!(WorkRoot::around(&inner).directory, place.at("home/a/b"));
        repository(&place, "home/a/b/c");
        assert_eq!(root(&place, "home/a/b/c"), place.at("home/a/b/c"));
    }

    #[test]
    fn repository_in_the_home_directory_is_not_a_work_root_but_one_below_it_is() {
        let place = Place::new(&["home/notes", "home/src/x/y", "var"]);
        repository(&place, "home");
        repository(&place, "home/src/x");
        assert_eq!(refused(&place, "home/notes"), Some((place.at("home/.git"), GitRefusal::Home)));
        assert_eq!(refused(&place, "home"), None);
        assert_eq!(root(&place, "home/src/x/y"), place.at("home/src/x"));
        repository(&place, "");
        assert_eq!(refused(&place, "var"), Some((place.at(".git"), GitRefusal::Home)));
    }

    #[test]
    fn repository_that_git_would_refuse_is_not_a_work_root() {
        let place = Place::new(&["home/a/.git", "home/a/b", "home/c/d"]);
        let unusable = |top: &str| Some((place.at(top).join(".git"), GitRefusal::Unusable));
        assert_eq!(refused(&place, "home/a/b"), unusable("home/a"));
        assert_eq!(refused(&place, "home/a"), None);
        for text in ["gitdir: ../nowhere\n", "no pointer\n"] {
            fs::write(place.at("home/c/.git"), text).unwrap();
            assert_eq!(refused(&place, "home/c/d"), unusable("home/c"));
        }
    }

    #[test]
    fn worktree_and_submodule_have_their_own_work_root() {
        let place =
            Place::new(&["home/a/.git/worktrees/w", "home/a/.git/modules/s", "home/a/s/x", "home/w/x"]);
        repository(&place, "home/a");
        fs::write(place.at("home/a/.git/worktrees/w/HEAD"), "ref: refs/heads/w\n").unwrap();
        fs::write(place.at("home/a/.git/worktrees/w/commondir"), "../..\n").unwrap();
        fs::write(place.at("home/w/.git"), "gitdir: ../a/.git/worktrees/w\n").unwrap();
        assert_eq!(root(&place, "home/w/x"), place.at("home/w"));
        for directory in ["objects", "refs"] {
            fs::create_dir(place.at("home/a/.git/modules/s").join(directory)).unwrap();
        }
        fs::write(place.at("home/a/.git/modules/s/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(place.at("home/a/s/.git"), "gitdir: ../.git/modules/s\n").unwrap();
        assert_eq!(root(&place, "home/a/s/x"), place.at("home/a/s"));
    }

    #[test]
    fn repository_of_another_user_is_not_a_work_root() {
        for given in ["home/a/.git", "home/a"] {
            let place = Place::new(&["home/a/b"]);
            repository(&place, "home/a");
            // Only root can give a directory away.
            if chown(place.at(given), Some(12_345), None).is_ok() {
                let refused = refused(&place, "home/a/b");
                assert_eq!(refused, Some((place.at("home/a/.git"), GitRefusal::OtherUser)), "{given}");
            }
        }
    }
}
