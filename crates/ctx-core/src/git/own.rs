//! Whether a repository belongs to the tree it is found in.
//!
//! Whoever hands out a directory can put anything in its `.git`, such as a file or link that leads to another
//! repository of the user, whose commits would then be read as those of this tree. So a git directory elsewhere
//! counts only if it links back, and its contents must not lead out of it.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::accepted::{accepting, others, shell_word};
use super::dirs::{Dirs, dot_git, linked_dot_git, small_file};
use crate::fs::{real, resolved};
use crate::world::World;

/// The longest list that git reads completely, in bytes.
const MOST_LENGTH: u64 = 256 << 20;

/// Why there is no usable repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepositoryError {
    /// There is no `.git`.
    #[error("not in a git repository")]
    None,
    /// There is one around the directory, but it contains the home directory too.
    #[error("'{}' is not used, since the home directory is in that repository", path.display())]
    Home {
        /// The `.git`.
        path: PathBuf,
    },
    /// A directory belongs to somebody else.
    #[error("'{}' belongs to another user; '{}' accepts it", path.display(), accepting(root))]
    OtherUser {
        /// The directory.
        path: PathBuf,
        /// The top of the work tree.
        root: PathBuf,
    },
    /// `.git` leads to a git directory that does not link back.
    #[error("'{}' leads to a git directory that does not link back to it", path.display())]
    Unlinked {
        /// The `.git`.
        path: PathBuf,
    },
    /// The same, but the git directory could link back, as after `git init --separate-git-dir`.
    #[error(
        "'{}' leads to '{}', which does not link back to it; 'git --git-dir={} config core.worktree {}' adds the link, if that is its git directory",
        path.display(),
        git_dir.display(),
        shell_word(git_dir),
        shell_word(root)
    )]
    Separate {
        /// The `.git`.
        path: PathBuf,
        /// Its target.
        git_dir: PathBuf,
        /// The top of the work tree.
        root: PathBuf,
    },
    /// Objects are in another repository, as after `git clone --shared`.
    #[error(
        "'{}' borrows objects from another repository; 'git repack -a -d' copies them, and then you can remove it",
        path.display()
    )]
    Borrows {
        /// The list of other object directories.
        path: PathBuf,
    },
    /// A link or list in the git directory leads elsewhere.
    #[error("'{}' leads out of the repository", path.display())]
    LeadsOut {
        /// The link or list.
        path: PathBuf,
    },
    /// Git would wait while reading a file, as with a named pipe.
    #[error("'{}' is neither a file nor a directory", path.display())]
    NotRegular {
        /// The pipe or device.
        path: PathBuf,
    },
    /// Git would read the whole file, however long it is.
    #[error("'{}' is over {} MiB", path.display(), MOST_LENGTH >> 20)]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The git directory is damaged.
    #[error("'{}' cannot be read", path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
    },
}

/// The repository of the work tree at `root`, with real paths, if git would work in it.
///
/// # Errors
/// If there is none, if it belongs to another user, or if its git directory is elsewhere and does not link back.
/// If it is around the directory instead, the error says why it does not count there.
pub fn own_repository(root: &Path, world: &World) -> Result<Dirs, RepositoryError> {
    match linked_repository(root) {
        Ok(dirs) => checked(dirs, world),
        Err(RepositoryError::None) => Err(around(root, world)),
        Err(error) => Err(error),
    }
}

fn checked(dirs: Dirs, world: &World) -> Result<Dirs, RepositoryError> {
    match others(&dirs, world) {
        Some(path) => Err(RepositoryError::OtherUser { path, root: dirs.root }),
        None => Ok(dirs),
    }
}

/// Why the nearest repository around a directory does not count there.
fn around(directory: &Path, world: &World) -> RepositoryError {
    let directory = resolved(directory);
    let top = directory.ancestors().skip(1).find(|above| dot_git(above).is_some());
    let home = world.home.as_deref().map(resolved);
    match top {
        Some(top) if home.is_some_and(|home| home.starts_with(top)) => {
            RepositoryError::Home { path: top.join(".git") }
        }
        Some(top) => {
            Dirs::at(top).and_then(|dirs| checked(dirs, world).err()).unwrap_or(RepositoryError::None)
        }
        None => RepositoryError::None,
    }
}

/// The repository of the work tree at `root`, with real paths, whoever it belongs to.
///
/// # Errors
/// If there is none, or if its git directory is elsewhere and does not link back.
pub fn linked_repository(root: &Path) -> Result<Dirs, RepositoryError> {
    let root = real(root).map_err(|_| RepositoryError::None)?;
    let metadata = dot_git(&root).ok_or(RepositoryError::None)?;
    let path = root.join(".git");
    let unlinked = || RepositoryError::Unlinked { path: path.clone() };
    if metadata.is_dir() {
        // A separate git directory shares nothing.
        if fs::symlink_metadata(path.join("commondir")).is_ok() {
            return Err(RepositoryError::LeadsOut { path: path.join("commondir") });
        }
        Ok(Dirs { root, git_dir: path.clone(), common_dir: path })
    } else {
        let dirs = Dirs::at(&root).filter(|_| metadata.is_file()).ok_or_else(unlinked)?;
        let common_dir = linked_back(&dirs).ok_or_else(|| separate(&dirs).unwrap_or_else(unlinked))?;
        Ok(Dirs { common_dir, ..dirs })
    }
}

/// Checks that objects and branches are in the git directory, without links or lists of other object
/// directories, and that git will not wait for anything it reads.
///
/// # Errors
/// If a file leads elsewhere or is a pipe or a device; the error names the first one.
pub fn check_self_contained(dirs: &Dirs) -> Result<(), RepositoryError> {
    for name in ["HEAD", "index", "config", "config.worktree", "commondir", "info", "logs", "refs"] {
        no_link(&dirs.git_dir.join(name))?;
    }
    for name in ["HEAD", "config", "packed-refs", "reftable", "info", "shallow", "objects", "refs", "logs"] {
        no_link(&dirs.common_dir.join(name))?;
    }
    let objects = dirs.common_dir.join("objects");
    for name in ["info", "info/alternates", "info/http-alternates", "pack"] {
        no_link(&objects.join(name))?;
    }
    if fs::metadata(objects.join("info/alternates")).is_ok_and(|list| list.len() > 0) {
        return Err(RepositoryError::Borrows { path: objects.join("info/alternates") });
    }
    no_links_below(&objects, 2)?;
    no_links_below(&dirs.common_dir.join("reftable"), 1)?;
    for directory in [&dirs.common_dir, &dirs.git_dir] {
        no_links_below(&directory.join("refs"), usize::MAX)?;
        no_links_below(&directory.join("logs"), usize::MAX)?;
        no_pipes_in(directory)?;
        no_pipes_in(&directory.join("info"))?;
    }
    for graphs in ["info", "info/commit-graphs"] {
        no_pipes_in(&objects.join(graphs))?;
    }
    let info = ["attributes", "exclude", "grafts"].map(|name| dirs.common_dir.join("info").join(name));
    info.iter().try_for_each(|path| no_pipe(path))
}

/// The most work trees that can be above a work tree.
const MOST_ORIGINS: usize = 8;

/// The tops of the work trees that a work tree belongs to, nearest first: the main one for a linked one, and
/// for a submodule the one of the repository that contains it.
#[must_use]
pub fn origins(root: &Path, world: &World) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    let mut next = origin(root, world);
    while let Some(above) = next.filter(|above| all.len() < MOST_ORIGINS && !all.contains(above)) {
        next = origin(&above, world);
        all.push(above);
    }
    all
}

fn origin(root: &Path, world: &World) -> Option<PathBuf> {
    // A work tree with its own git directory does not belong to another one.
    dot_git(root).filter(Metadata::is_file)?;
    let own = own_repository(root, world).ok()?;
    if own.common_dir != own.git_dir {
        let main = own_repository(own.common_dir.parent()?, world).ok()?;
        return (main.common_dir == own.common_dir).then_some(main.root);
    }
    let above = own.root.ancestors().skip(1).find_map(|above| own_repository(above, world).ok())?;
    own.git_dir.starts_with(above.git_dir.join("modules")).then_some(above.root)
}

/// The shared git directory, if the git directory belongs to a linked work tree or a submodule at the root.
fn linked_back(Dirs { root, git_dir, common_dir }: &Dirs) -> Option<PathBuf> {
    let worktrees = git_dir.parent()?;
    if worktrees.file_name()? == "worktrees" {
        let back = linked_dot_git(git_dir)?;
        let shared = real(common_dir).ok()?;
        let is_back = back.file_name()? == ".git" && real(back.parent()?).ok()? == *root;
        return (is_back && Some(shared.as_path()) == worktrees.parent()).then_some(shared);
    }
    let config = String::from_utf8(small_file(&git_dir.join("config"))?).ok()?;
    let back =
        config.lines().find_map(|line| line.trim().strip_prefix("worktree")?.trim().strip_prefix('='))?;
    let back = real(git_dir.join(back.trim().trim_matches('"'))).ok()?;
    let shares = fs::symlink_metadata(git_dir.join("commondir")).is_ok();
    (back == *root && !shares).then(|| git_dir.clone())
}

/// The error for a separate git directory elsewhere that does not link back.
fn separate(Dirs { root, git_dir, .. }: &Dirs) -> Option<RepositoryError> {
    let is_whole = git_dir.join("HEAD").is_file() && git_dir.join("objects").is_dir();
    let shares = fs::symlink_metadata(git_dir.join("commondir")).is_ok();
    let is_of_a_tree = git_dir.file_name().is_some_and(|name| name == ".git");
    (is_whole && !shares && !is_of_a_tree).then(|| RepositoryError::Separate {
        path: root.join(".git"),
        git_dir: git_dir.clone(),
        root: root.clone(),
    })
}

fn no_link(path: &Path) -> Result<(), RepositoryError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => Err(RepositoryError::LeadsOut { path: path.to_owned() }),
        Ok(metadata) => not_too_large(path, &metadata),
        Err(_) => Ok(()),
    }
}

fn no_links_below(directory: &Path, depth: usize) -> Result<(), RepositoryError> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(_) => return Err(RepositoryError::Unreadable { path: directory.to_owned() }),
    };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_symlink() {
            return Err(RepositoryError::LeadsOut { path: entry.path() });
        }
        if makes_wait(kind) {
            return Err(RepositoryError::NotRegular { path: entry.path() });
        }
        if kind.is_dir() && depth > 1 {
            no_links_below(&entry.path(), depth - 1)?;
        }
    }
    Ok(())
}

/// Checks that no file directly in a directory makes its reader wait, not even through a link.
fn no_pipes_in(directory: &Path) -> Result<(), RepositoryError> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir());
    entries.filter(|entry| !is_file(entry)).try_for_each(|entry| no_pipe(&entry.path()))
}

fn no_pipe(path: &Path) -> Result<(), RepositoryError> {
    match fs::metadata(path) {
        Ok(metadata) if makes_wait(metadata.file_type()) => {
            Err(RepositoryError::NotRegular { path: path.to_owned() })
        }
        Ok(metadata) => not_too_large(path, &metadata),
        Err(_) => Ok(()),
    }
}

fn not_too_large(path: &Path, metadata: &Metadata) -> Result<(), RepositoryError> {
    let is_too_large = metadata.is_file() && metadata.len() > MOST_LENGTH;
    if is_too_large { Err(RepositoryError::TooLarge { path: path.to_owned() }) } else { Ok(()) }
}

/// Whether reading a file of this kind may take forever. A socket cannot be opened at all; git's own file
/// system monitor has one.
#[cfg(unix)]
fn makes_wait(kind: fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() || kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn makes_wait(_: fs::FileType) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;
    use crate::fs::place::Place;

    fn own_repository(root: &Path) -> Result<Dirs, RepositoryError> {
        super::own_repository(root, &Place::new(&[]).world(""))
    }

    fn origins(root: &Path) -> Vec<PathBuf> {
        super::origins(root, &Place::new(&[]).world(""))
    }

    fn place(files: &[(&str, &str)]) -> TempDir {
        let place = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = place.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        place
    }

    fn real(place: &TempDir, path: &str) -> PathBuf {
        super::real(place.path()).unwrap().join(path)
    }

    #[test]
    fn directory_with_its_own_git_directory_is_a_repository() {
        let place = place(&[("a/.git/HEAD", "")]);
        let found = own_repository(&place.path().join("a")).unwrap();
        assert_eq!(found.common_dir, real(&place, "a/.git"));
        assert_eq!(found.git_dir, found.common_dir);
        assert_eq!(check_self_contained(&found), Ok(()));
        assert_eq!(own_repository(place.path()), Err(RepositoryError::None));
    }

    #[test]
    fn linked_work_tree_counts_if_the_shared_directory_links_back() {
        let place =
            place(&[("main/.git/worktrees/w/commondir", "../..\n"), ("copy/file", ""), ("w/file", "")]);
        let pointer = format!("gitdir: {}\n", real(&place, "main/.git/worktrees/w").display());
        fs::write(place.path().join("w/.git"), &pointer).unwrap();
        fs::write(place.path().join("copy/.git"), &pointer).unwrap();
        let back = format!("{}\n", real(&place, "w/.git").display());
        fs::write(place.path().join("main/.git/worktrees/w/gitdir"), back).unwrap();
        let found = own_repository(&place.path().join("w")).unwrap();
        assert_eq!(found.common_dir, real(&place, "main/.git"));
        let copied = own_repository(&place.path().join("copy"));
        assert_eq!(copied, Err(RepositoryError::Unlinked { path: real(&place, "copy/.git") }));
    }

    #[test]
    fn submodule_counts_if_its_configuration_names_the_work_tree() {
        let place = place(&[
            ("a/.git/modules/s/config", "[core]\n\tbare = false\n\tworktree = ../../../s\n"),
            ("a/s/.git", "gitdir: ../.git/modules/s\n"),
            ("evil/.git", "gitdir: ../a/.git/modules/s\n"),
            ("forged/.git", "gitdir: ../a/.git\n"),
        ]);
        assert_eq!(
            own_repository(&place.path().join("a/s")).unwrap().git_dir,
            real(&place, "a/.git/modules/s")
        );
        for forged in ["evil", "forged"] {
            assert!(matches!(
                own_repository(&place.path().join(forged)),
                Err(RepositoryError::Unlinked { .. })
            ));
        }
    }

    #[test]
    fn worktree_belongs_to_the_main_one_and_submodule_to_the_repository_around_it() {
        let place = place(&[
            ("a/.git/HEAD", ""),
            ("a/.git/worktrees/w/commondir", "../..\n"),
            ("a/.git/modules/s/config", "[core]\n\tworktree = ../../../s\n"),
            ("a/s/.git", "gitdir: ../.git/modules/s\n"),
            ("w/.git", "gitdir: ../a/.git/worktrees/w\n"),
            ("evil/.git", "gitdir: ../a/.git/worktrees/w\n"),
        ]);
        let back = format!("{}\n", real(&place, "w/.git").display());
        fs::write(place.path().join("a/.git/worktrees/w/gitdir"), back).unwrap();
        assert_eq!(origins(&real(&place, "w")), [real(&place, "a")]);
        assert_eq!(origins(&real(&place, "a/s")), [real(&place, "a")]);
        assert!(origins(&real(&place, "a")).is_empty() && origins(&real(&place, "evil")).is_empty());
    }

    #[test]
    fn git_directory_elsewhere_counts_only_if_it_names_the_work_tree() {
        let place =
            place(&[("a/file", ""), ("a.git/HEAD", ""), ("a.git/objects/x", ""), ("a.git/config", "")]);
        let git_dir = real(&place, "a.git");
        fs::write(place.path().join("a/.git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
        let at = || own_repository(&place.path().join("a"));
        let (path, root) = (real(&place, "a/.git"), real(&place, "a"));
        assert_eq!(
            at(),
            Err(RepositoryError::Separate { path, git_dir: git_dir.clone(), root: root.clone() })
        );
        fs::write(git_dir.join("config"), format!("[core]\n\tworktree = {}\n", root.display())).unwrap();
        assert_eq!(at().map(|found| found.git_dir), Ok(git_dir));
    }

    #[test]
    fn pipe_that_git_would_wait_for_is_refused() {
        for name in [
            ".git/HEAD",
            ".git/config",
            ".git/config.worktree",
            ".git/index",
            ".git/info/exclude",
            ".git/info/attributes",
            ".git/info/grafts",
            ".git/logs/HEAD",
            ".git/objects/12/34",
            ".git/objects/info/alternates",
            ".git/objects/info/commit-graph",
            ".git/objects/info/commit-graphs/commit-graph-chain",
            ".git/objects/pack/a.pack",
            ".git/packed-refs",
            ".git/refs/heads/main",
            ".git/shallow",
        ] {
            let place = place(&[("a/.git/objects/12/x", "")]);
            let path = real(&place, "a").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
            let found = own_repository(&place.path().join("a")).unwrap();
            assert_eq!(check_self_contained(&found), Err(RepositoryError::NotRegular { path }), "{name}");
        }
        let linked = place(&[("a/.git/info/x", "")]);
        symlink("/dev/zero", real(&linked, "a/.git/info/exclude")).unwrap();
        let path = real(&linked, "a/.git/info/exclude");
        let found = own_repository(&linked.path().join("a")).unwrap();
        assert_eq!(check_self_contained(&found), Err(RepositoryError::NotRegular { path }));
    }

    #[test]
    fn git_directory_with_a_file_that_is_too_large_is_refused() {
        for name in [".git/packed-refs", ".git/index", ".git/config", ".git/info/exclude"] {
            let place = place(&[("a/.git/info/x", "")]);
            let path = real(&place, "a").join(name);
            fs::File::create(&path).unwrap().set_len(MOST_LENGTH).unwrap();
            let found = own_repository(&place.path().join("a")).unwrap();
            assert_eq!(check_self_contained(&found), Ok(()), "{name}");
            fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
            let error = check_self_contained(&found).unwrap_err();
            assert_eq!(error, RepositoryError::TooLarge { path }, "{name}");
            assert!(error.to_string().ends_with("' is over 256 MiB"));
        }
    }

    #[test]
    fn git_directory_that_leads_elsewhere_is_refused() {
        for (name, links) in [
            ("objects/pack/a.pack", true),
            ("objects/ab", true),
            ("objects/ab/cdef", true),
            ("refs/heads/main", true),
            ("packed-refs", true),
            ("HEAD", true),
            ("objects/info/alternates", false),
        ] {
            let place = place(&[("a/.git/config", ""), ("private/file", "x")]);
            let path = real(&place, "a/.git").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if links {
                symlink(real(&place, "private/file"), &path).unwrap();
            } else {
                fs::write(&path, "/private\n").unwrap();
            }
            let found = own_repository(&place.path().join("a")).unwrap();
            let error =
                if links { RepositoryError::LeadsOut { path } } else { RepositoryError::Borrows { path } };
            assert_eq!(check_self_contained(&found), Err(error), "{name}");
        }
        let shared = place(&[("a/.git/commondir", "/private/.git\n")]);
        assert!(matches!(own_repository(&shared.path().join("a")), Err(RepositoryError::LeadsOut { .. })));
        let linked = place(&[("b/.git/HEAD", ""), ("a/file", "")]);
        symlink("../b/.git", linked.path().join("a/.git")).unwrap();
        assert!(matches!(own_repository(&linked.path().join("a")), Err(RepositoryError::Unlinked { .. })));
    }
}
