//! The tree, which is how far files written by others may reach, and the work root.

mod root;

pub use root::{GitRefusal, WorkRoot};

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::fs::{is_own, real, resolved};
use crate::git::{Dirs, dot_git, is_git_directory, linked_worktrees, others};
use crate::world::World;

/// How many symbolic links in one path are followed, the same number as in the Linux kernel.
const MAX_LINKS: usize = 40;

/// The repository that contains the current directory, or else the project that contains it, or else the
/// directory itself.
///
/// The repository belongs to the nearest `.git`, going up. It does not count if git would refuse it because it
/// belongs to another user, or if it is in the home directory or above, unless that is the current directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    root: PathBuf,
    git_dirs: Vec<PathBuf>,
}

impl Tree {
    /// The tree that contains the current directory.
    #[must_use]
    pub fn around(world: &World) -> Self {
        let cwd = resolved(&world.cwd);
        let home = world.home.as_deref().map(resolved);
        match repository(&cwd, home.as_deref(), world) {
            Some(root) => Self { git_dirs: git_dirs(&root), root },
            None => Self { root: world.project.clone().unwrap_or(cwd), git_dirs: Vec::new() },
        }
    }

    /// The same repository, confined to the directory of a project in it.
    #[must_use]
    pub fn confined_to(&self, project: &Path) -> Self {
        Self { root: project.to_owned(), git_dirs: self.git_dirs.clone() }
    }

    /// The directory at the top, with all links resolved.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a path is in the tree; all links in it must be resolved.
    #[must_use]
    pub fn contains(&self, real: &Path) -> bool {
        real.starts_with(&self.root)
    }

    /// The git directories of the repository, wherever they are, with all links resolved.
    #[must_use]
    pub fn git_dirs(&self) -> &[PathBuf] {
        &self.git_dirs
    }

    /// The directories of the repository's linked worktrees, with all links resolved.
    #[must_use]
    pub fn linked_worktrees(&self) -> Vec<PathBuf> {
        let known = self.git_dirs.iter().flat_map(|git_dir| linked_worktrees(git_dir));
        let mut worktrees: Vec<PathBuf> = known.filter(|worktree| *worktree != self.root).collect();
        worktrees.sort_unstable();
        worktrees.dedup();
        worktrees
    }

    /// Whether a path is, or is in, a git directory: a `.git` in any letter case, the repository's own, or
    /// one with any other name. All links in the path must be resolved. A linked work tree inside a git
    /// directory does not count as part of it.
    #[must_use]
    pub fn is_in_git(&self, real: &Path) -> bool {
        // An empty `.git` there would not make a work tree.
        let is_linked = |directory: &Path, git_dir: &Path| {
            Dirs::at(directory).is_some_and(|own| own.git_dir.starts_with(git_dir.join("worktrees")))
        };
        let is_in_work_tree = |git_dir: &Path| {
            let mut below = real.ancestors().take_while(|directory| *directory != git_dir);
            below.any(|directory| dot_git(directory).is_some() && is_linked(directory, git_dir))
        };
        let is_in = |git_dir: &PathBuf| real.starts_with(git_dir) && !is_in_work_tree(git_dir);
        let mut up_to_work_tree = real.ancestors().take_while(|directory| dot_git(directory).is_none());
        real.iter().any(|name| name.eq_ignore_ascii_case(".git"))
            || self.git_dirs.iter().any(is_in)
            || up_to_work_tree.any(is_git_directory)
    }

    /// The same for a file, with fewer questions to the file system.
    #[must_use]
    pub fn is_file_in_git(&self, real: &Path) -> bool {
        real.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"))
            || real.parent().is_some_and(|directory| self.is_in_git(directory))
    }

    /// Whether others could have filled a store in this directory: it is in the tree, by its real path or
    /// through a link there. If the home directory is in the tree, or is the tree, the store is the user's
    /// own, unless it is in a repository there.
    #[must_use]
    pub fn may_have_filled(&self, store: &Path, home: Option<&Path>) -> bool {
        let real = resolved(store);
        let is_inside = self.contains(&real) || self.left_through_link(store).is_some();
        let home = home.map(resolved).filter(|home| home.starts_with(&self.root));
        let is_cloned = |home: &Path| {
            let below =
                real.ancestors().take_while(|directory| *directory != home && self.contains(directory));
            below.into_iter().any(|directory| dot_git(directory).is_some())
        };
        is_inside && home.is_none_or(|home| is_cloned(&home))
    }

    /// Where an absolute path leads if it leaves the tree through a link in the tree. A path that is itself
    /// outside (`..`, an absolute path) did not leave through a link.
    ///
    /// The path need not exist: the answer is the same for a file to be created.
    #[must_use]
    pub fn left_through_link(&self, path: &Path) -> Option<PathBuf> {
        let mut real = PathBuf::new();
        let mut pending = parts(path);
        let mut links = 0;
        let mut met_link = false;
        while let Some(part) = pending.pop() {
            match Path::new(&part).components().next() {
                Some(Component::CurDir) | None => {}
                Some(Component::ParentDir) => drop(real.pop()),
                Some(Component::RootDir | Component::Prefix(_)) => real.push(&part),
                Some(Component::Normal(name)) => match fs::read_link(real.join(name)) {
                    Ok(target) if links < MAX_LINKS => {
                        links += 1;
                        met_link |= self.contains(&real);
                        pending.extend(parts(&target));
                    }
                    Ok(_) | Err(_) => real.push(name),
                },
            }
        }
        (met_link && !self.contains(&real)).then_some(real)
    }
}

/// The components of a path, the last one first.
fn parts(path: &Path) -> Vec<OsString> {
    let mut parts: Vec<OsString> = path.components().map(|part| part.as_os_str().to_owned()).collect();
    parts.reverse();
    parts
}

/// The root of the repository, if one counts.
fn repository(cwd: &Path, home: Option<&Path>, world: &World) -> Option<PathBuf> {
    let is_too_high =
        |directory: &&Path| *directory != cwd && home.is_some_and(|home| home.starts_with(directory));
    let mut directories = cwd.ancestors().take_while(|directory| !is_too_high(directory));
    let (root, metadata) = directories.find_map(|directory| Some((directory, dot_git(directory)?)))?;
    let counts = match Dirs::at(root) {
        Some(dirs) => others(&dirs, world).is_none(),
        None => is_own(&metadata),
    };
    counts.then(|| root.to_owned())
}

/// The git directories of a repository, by their real paths.
fn git_dirs(root: &Path) -> Vec<PathBuf> {
    let found = Dirs::at(root).into_iter().flat_map(|dirs| [dirs.git_dir, dirs.common_dir]);
    let mut found: Vec<PathBuf> = found.filter_map(|path| real(path).ok()).collect();
    found.dedup();
    found.retain(|path| path.is_dir());
    found
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::fs::place::Place;

    #[test]
    fn the_tree_is_the_nearest_repository_else_the_current_directory() {
        let place = Place::new(&["home/a/.git", "home/a/b/c", "home/d/e"]);
        assert_eq!(Tree::around(&place.world("home/a/b/c")).root(), place.at("home/a"));
        assert_eq!(Tree::around(&place.world("home/a")).git_dirs(), [place.at("home/a/.git")]);
        assert_eq!(Tree::around(&place.world("home/d/e")).root(), place.at("home/d/e"));
    }

    #[test]
    fn a_repository_in_the_home_directory_counts_only_there() {
        let place = Place::new(&["home/.git", "home/a", ".git"]);
        assert_eq!(Tree::around(&place.world("home/a")).root(), place.at("home/a"));
        let home = Tree::around(&place.world("home"));
        assert_eq!((home.root(), home.git_dirs()), (&*place.at("home"), &[place.at("home/.git")][..]));
    }

    #[test]
    fn a_git_directory_elsewhere_is_found_through_the_git_file() {
        let place = Place::new(&["home/a/data/worktrees/b", "home/b"]);
        fs::write(place.at("home/b/.git"), "gitdir: ../a/data/worktrees/b\n").unwrap();
        fs::write(place.at("home/a/data/worktrees/b/commondir"), "../..\n").unwrap();
        let tree = Tree::around(&place.world("home/b"));
        assert_eq!(tree.git_dirs(), [place.at("home/a/data/worktrees/b"), place.at("home/a/data")]);
        assert!(tree.is_in_git(&place.at("home/a/data/config")));
        assert!(tree.is_in_git(&place.at("home/b/x/.GIT/config")));
        assert!(!tree.is_in_git(&place.at("home/a/other")));
    }

    #[test]
    fn work_trees_in_a_bare_repository_are_not_in_its_git_directory() {
        let place = Place::new(&[
            "r/worktrees/main",
            "r/worktrees/other",
            "r/main/src",
            "r/other",
            "r/false",
            "r/objects",
        ]);
        fs::write(place.at("r/false/.git"), "").unwrap();
        fs::write(place.at("r/main/.git"), "gitdir: ../worktrees/main\n").unwrap();
        fs::write(place.at("r/worktrees/main/commondir"), "../..\n").unwrap();
        fs::write(place.at("r/other/.git"), "gitdir: ../worktrees/other\n").unwrap();
        let tree = Tree::around(&place.world("r/main"));
        assert_eq!(tree.git_dirs(), [place.at("r/worktrees/main"), place.at("r")]);
        for (path, is_in_git) in [
            ("r/main", false),
            ("r/main/src/a.rs", false),
            ("r/main/.git", true),
            ("r/other/a.rs", false),
            ("r/objects/a", true),
            ("r/false/a.rs", true),
            ("r/config", true),
            ("r", true),
        ] {
            assert_eq!(tree.is_in_git(&place.at(path)), is_in_git, "{path}");
        }
    }

    #[test]
    fn a_store_in_the_tree_may_come_from_others_unless_it_is_in_the_home_directory() {
        let place = Place::new(&["home/a/.git", "home/a/store", "home/b/.git", "home/store", "out"]);
        let may = |cwd: &str, store: &str| {
            Tree::around(&place.world(cwd)).may_have_filled(&place.at(store), Some(&place.at("home")))
        };
        symlink("../../out", place.at("home/a/link")).unwrap();
        assert!(may("home/a", "home/a/store") && may("home/a", "home/a/new/store"));
        assert!(may("home/a", "home/a/link") && !may("home/a", "home/b/store"));
        assert!(!may("home/a", "home/store") && !may("home", "home/store") && !may("home", "home/new"));
        assert!(may("home", "home/b/store") && !may("", "home/store") && may("", "home/b/store"));
    }

    #[test]
    fn only_links_inside_the_tree_count_as_leaving_it() {
        let place = Place::new(&["home/a/b", "home/out/deep"]);
        let link = |target: &str, path: &str| symlink(target, place.at(path)).unwrap();
        link("../out/x", "home/a/to-file");
        link("../out", "home/a/to-directory");
        link("b", "home/a/inside");
        link("../out/deep", "home/a/b/far");
        link("to-file", "home/a/twice");
        link("deep", "home/out/link");
        let tree = Tree::around(&place.world("home/a"));
        let left = |path: &str| tree.left_through_link(&place.at("home/a").join(path));
        assert_eq!(left("to-file"), Some(place.at("home/out/x")));
        assert_eq!(left("./twice"), Some(place.at("home/out/x")));
        assert_eq!(left("to-directory/new/file"), Some(place.at("home/out/new/file")));
        assert_eq!(left("inside/../to-file"), Some(place.at("home/out/x")));
        assert_eq!(left("inside/../../out/x"), Some(place.at("home/out/x")));
        for path in ["b", "inside", "new", "../out/x", "../out/link/x", "to-directory/../a/b"] {
            assert_eq!(left(path), None, "{path}");
        }
        symlink("loop", place.at("home/a/loop")).unwrap();
        assert_eq!(left("loop"), None);
    }
}
