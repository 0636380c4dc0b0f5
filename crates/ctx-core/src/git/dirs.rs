//! What a `.git` is or leads to.

use std::fs::{self, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::fs::directory::{bytes_of, path_of};
use crate::fs::{open_without_waiting, real};

/// The most bytes to read from a file that contains a path or a reference.
const MOST: u64 = 1 << 20;

/// How many symbolic references in a row are followed.
const MOST_REFERENCES: usize = 5;

/// A work tree and its git directories, whoever they belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    /// The top of the work tree.
    pub root: PathBuf,
    /// The directory of this work tree's `HEAD` and index: its `.git`, or what that file leads to.
    pub git_dir: PathBuf,
    /// The directory of objects and branches, which linked work trees share; otherwise the same as `git_dir`.
    pub common_dir: PathBuf,
}

/// The `.git` of a directory, not its target.
#[must_use]
pub fn dot_git(directory: &Path) -> Option<Metadata> {
    fs::symlink_metadata(directory.join(".git")).ok()
}

/// Whether a directory that contains this name may be a git directory. Every git directory contains such a
/// name.
#[must_use]
pub fn may_be_head(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"HEAD")
}

/// Whether git would take a directory for a repository, or for the part that belongs to a linked worktree,
/// whatever its name. A directory with its own `.git` is a work tree, whatever else is in it.
#[must_use]
pub fn is_git_directory(directory: &Path) -> bool {
    let has = |name: &str| directory.join(name).symlink_metadata().is_ok();
    (has("commondir") || has("objects") && has("refs"))
        && dot_git(directory).is_none()
        && has_valid_head(directory)
}

/// The real paths of a git directory's linked work trees, according to its own records.
#[must_use]
pub fn linked_worktrees(git_dir: &Path) -> Vec<PathBuf> {
    let known = fs::read_dir(git_dir.join("worktrees")).into_iter().flatten().flatten();
    known.filter_map(|known| real(linked_dot_git(&known.path())?.parent()?).ok()).collect()
}

/// The `.git` of the linked work tree that this git directory belongs to, according to its own records.
pub(super) fn linked_dot_git(git_dir: &Path) -> Option<PathBuf> {
    Some(git_dir.join(path_of(&small_file(&git_dir.join("gitdir"))?)))
}

impl Dirs {
    /// The directories of the work tree with the top `root`; `None` if its `.git` leads nowhere.
    #[must_use]
    pub fn at(root: &Path) -> Option<Self> {
        let dot_git = root.join(".git");
        let git_dir = if dot_git.metadata().ok()?.is_dir() {
            dot_git
        } else {
            let text = small_file(&dot_git)?;
            let named = text.strip_prefix(b"gitdir:")?;
            let named = path_of(named.strip_prefix(b" ").unwrap_or(named));
            real(root.join(named)).ok().filter(|path| path.is_dir())?
        };
        let common = small_file(&git_dir.join("commondir"));
        let common_dir = common.map_or_else(|| git_dir.clone(), |common| git_dir.join(path_of(&common)));
        Some(Self { root: root.to_owned(), git_dir, common_dir })
    }

    /// Whether everything that git requires of a repository exists: a head, objects and references.
    #[must_use]
    pub fn are_complete(&self) -> bool {
        let is_there = |name: &&str| self.common_dir.join(name).metadata().is_ok();
        has_valid_head(&self.git_dir) && ["objects", "refs"].iter().all(is_there)
    }

    /// The checked-out branch, without `refs/heads/`; `None` if there is none.
    #[must_use]
    pub fn branch(&self) -> Option<Vec<u8>> {
        let mut reference = GitReference::read(&self.git_dir, b"HEAD");
        let mut branch = None;
        for _ in 0..MOST_REFERENCES {
            let Some(GitReference::Symbolic(name)) = reference else { break };
            if !is_safe(&name) {
                return None;
            }
            reference = GitReference::read(&self.common_dir, &name);
            branch = name.strip_prefix(b"refs/heads/").map(<[u8]>::to_vec);
        }
        branch
    }

    /// The checked-out commit, if its name is in a separate file or in the list of packed references.
    #[must_use]
    pub fn head(&self) -> Option<Vec<u8>> {
        let head = small_file(&self.git_dir.join("HEAD"))?;
        let Some(name) = head.strip_prefix(b"ref: ") else { return Some(head) };
        if !is_safe(name) {
            return None;
        }
        let packed = || {
            let list = fs::read(self.common_dir.join("packed-refs")).ok()?;
            let id = |line: &[u8]| Some(line.strip_suffix(name)?.strip_suffix(b" ")?.to_vec());
            list.split(|byte| *byte == b'\n').find_map(id)
        };
        small_file(&self.common_dir.join(path_of(name))).or_else(packed)
    }
}

/// The text of a small regular file, without trailing newlines.
pub(super) fn small_file(path: &Path) -> Option<Vec<u8>> {
    let file = open_without_waiting(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    file.take(MOST).read_to_end(&mut text).ok()?;
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r'));
    text.truncate(end.map_or(0, |last| last + 1));
    Some(text)
}

/// Whether git would accept the `HEAD` of a git directory: a reference, or the name of a commit.
fn has_valid_head(git_dir: &Path) -> bool {
    match GitReference::read(git_dir, b"HEAD") {
        Some(GitReference::Symbolic(name)) => name.starts_with(b"refs/"),
        Some(GitReference::Object) => true,
        None => false,
    }
}

/// The target of a reference.
enum GitReference {
    /// Another reference.
    Symbolic(Vec<u8>),
    /// An object.
    Object,
}

impl GitReference {
    fn read(directory: &Path, name: &[u8]) -> Option<Self> {
        let path = directory.join(path_of(name));
        if let Ok(target) = path.read_link() {
            let target = bytes_of(&target);
            return target.starts_with(b"refs/").then_some(Self::Symbolic(target));
        }
        let text = small_file(&path)?;
        match text.strip_prefix(b"ref:") {
            Some(name) => Some(Self::Symbolic(name.trim_ascii().to_vec())),
            None => {
                let digits = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
                (digits >= 40).then_some(Self::Object)
            }
        }
    }
}

/// Whether git would accept a name as that of a reference.
fn is_safe(name: &[u8]) -> bool {
    let is_part = |part: &[u8]| !part.is_empty() && part[0] != b'.' && !part.ends_with(b".lock");
    let is_wrong = |byte: &u8| *byte <= b' ' || b"\x7f~^:?*[\\".contains(byte);
    name.starts_with(b"refs/")
        && name.split(|byte| *byte == b'/').all(is_part)
        && !name.ends_with(b".")
        && !name.iter().any(is_wrong)
        && !name.windows(2).any(|two| two == b".." || two == b"@{")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(files: &[(&str, &str)]) -> (tempfile::TempDir, Option<Dirs>) {
        let directory = tempfile::tempdir().unwrap();
        for name in [".git/objects", ".git/refs/heads"] {
            fs::create_dir_all(directory.path().join(name)).unwrap();
        }
        for (name, text) in files {
            fs::write(directory.path().join(name), text).unwrap();
        }
        let found = Dirs::at(directory.path()).filter(Dirs::are_complete);
        (directory, found)
    }

    #[test]
    fn a_branch_is_found_through_symbolic_references() {
        let branch = |files: &[(&str, &str)]| {
            let (_directory, found) = complete(files);
            found.unwrap().branch().map(|name| String::from_utf8(name).unwrap())
        };
        assert_eq!(branch(&[(".git/HEAD", "ref: refs/heads/main\n")]).as_deref(), Some("main"));
        let chain = [(".git/HEAD", "ref: refs/heads/a\n"), (".git/refs/heads/a", "ref: refs/heads/b")];
        assert_eq!(branch(&chain).as_deref(), Some("b"));
        let circle = [(".git/HEAD", "ref: refs/heads/a\n"), (".git/refs/heads/a", "ref: refs/heads/a")];
        assert_eq!(branch(&circle).as_deref(), Some("a"));
        assert_eq!(branch(&[(".git/HEAD", "0123456789012345678901234567890123456789\n")]), None);
        assert_eq!(branch(&[(".git/HEAD", "ref: refs/heads/../../x\n")]), None);
        assert_eq!(branch(&[(".git/HEAD", "ref: refs/remotes/x\n")]), None);
    }

    #[test]
    fn git_directory_without_a_valid_head_is_not_a_repository() {
        assert_eq!(complete(&[]).1, None);
        assert_eq!(complete(&[(".git/HEAD", "main\n")]).1, None);
        assert!(complete(&[(".git/HEAD", "ref: refs/heads/main\n")]).1.is_some());
    }

    #[test]
    fn directory_is_a_git_directory_if_its_head_is_valid_and_it_has_no_git_directory_of_its_own() {
        let is_git = |head: &str, more: &[&str]| {
            let (directory, _) = complete(&[(".git/HEAD", head)]);
            let path = directory.path().join(".git");
            more.iter().for_each(|name| fs::create_dir(path.join(name)).unwrap());
            is_git_directory(&path)
        };
        let commit = "0123456789012345678901234567890123456789\n";
        for head in ["ref: refs/heads/main\n", "ref:refs/x", commit] {
            assert!(is_git(head, &[]) && !is_git(head, &[".git"]), "{head}");
        }
        for head in ["", "not a head", "ref: heads/main\n", "0123456789\n"] {
            assert!(!is_git(head, &[]), "{head}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn head_may_be_a_link_to_a_reference_and_nothing_waits_for_a_pipe() {
        let (directory, _) = complete(&[]);
        let path = directory.path().join(".git");
        std::os::unix::fs::symlink("refs/heads/main", path.join("HEAD")).unwrap();
        assert!(is_git_directory(&path));
        fs::remove_file(path.join("HEAD")).unwrap();
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, path.join("HEAD"), fifo, 0o600.into(), 0).unwrap();
        assert!(!is_git_directory(&path));
    }
}
