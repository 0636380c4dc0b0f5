//! Where a repository keeps its configuration and excludes.

use std::path::{Path, PathBuf};

use crate::select::rule_file::{UnsafeKind, read_own};
use crate::select::tree::{bytes_of, path_of};

/// A symbolic reference that leads to more of them than this leads nowhere.
const MAX_REFERENCES: usize = 5;
/// How git names a `.git` that is a file.
const GIT_FILE: &[u8] = b"gitdir: ";

/// A repository, known by the directory that holds its `.git`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The top of the work tree.
    pub root: PathBuf,
    /// Its `.git`, or the directory that the file of that name leads to.
    pub directory: PathBuf,
    /// The same of the main work tree, where this one is linked.
    pub common: PathBuf,
}

impl Repository {
    /// The repository whose work tree begins at `root`; `None` if there is no `.git` that git would use.
    #[must_use]
    pub fn at(root: &Path) -> Option<Self> {
        let dot_git = root.join(".git");
        let directory = if dot_git.metadata().ok()?.is_dir() {
            dot_git
        } else {
            let text = read_own(&dot_git, UnsafeKind::GitConfiguration).ok()??;
            let target = without_line_ends(text.strip_prefix(GIT_FILE)?);
            root.join(path_of(target)).canonicalize().ok()?
        };
        let common = match read_own(&directory.join("commondir"), UnsafeKind::GitConfiguration) {
            Ok(Some(common)) => directory.join(path_of(without_line_ends(&common))),
            Ok(None) => directory.clone(),
            Err(_) => return None,
        };
        let repository = Self { root: root.to_owned(), directory, common };
        repository.is_complete().then_some(repository)
    }

    /// Whether it has what git asks of a repository: a head, objects and references.
    fn is_complete(&self) -> bool {
        let head = match self.read_reference(&self.directory, b"HEAD") {
            Some(Reference::Symbolic(name)) => name.starts_with(b"refs/"),
            Some(Reference::Object) => true,
            None => false,
        };
        head && ["objects", "refs"].iter().all(|name| self.common.join(name).metadata().is_ok())
    }

    /// The branch that is checked out, without `refs/heads/`; `None` if there is none.
    #[must_use]
    pub fn branch(&self) -> Option<Vec<u8>> {
        let mut reference = self.read_reference(&self.directory, b"HEAD");
        let mut branch = None;
        for _ in 0..MAX_REFERENCES {
            let Some(Reference::Symbolic(name)) = reference else { break };
            if !is_safe(&name) {
                return None;
            }
            reference = self.read_reference(&self.common, &name);
            branch = name.strip_prefix(b"refs/heads/").map(<[u8]>::to_vec);
        }
        branch
    }

    fn read_reference(&self, directory: &Path, name: &[u8]) -> Option<Reference> {
        let path = directory.join(path_of(name));
        if let Ok(target) = path.read_link() {
            let target = bytes_of(&target);
            return target.starts_with(b"refs/").then_some(Reference::Symbolic(target));
        }
        let text = read_own(&path, UnsafeKind::GitConfiguration).ok()??;
        match text.strip_prefix(b"ref:") {
            Some(name) => Some(Reference::Symbolic(name.trim_ascii().to_vec())),
            None => {
                let digits = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
                (digits >= 40).then_some(Reference::Object)
            }
        }
    }

    /// Whether the person who runs the program owns it, as far as git asks.
    #[must_use]
    pub fn is_owned(&self, sudo: Option<u32>) -> bool {
        [&self.root, &self.root.join(".git"), &self.directory].into_iter().all(|path| is_owned(path, sudo))
    }
}

/// What a reference leads to.
enum Reference {
    /// Another reference.
    Symbolic(Vec<u8>),
    /// An object.
    Object,
}

/// Whether git would take it for a reference's name.
fn is_safe(name: &[u8]) -> bool {
    let is_part = |part: &[u8]| !part.is_empty() && part[0] != b'.' && !part.ends_with(b".lock");
    let is_wrong = |byte: &u8| *byte <= b' ' || b"\x7f~^:?*[\\".contains(byte);
    name.starts_with(b"refs/")
        && name.split(|byte| *byte == b'/').all(is_part)
        && !name.ends_with(b".")
        && !name.iter().any(is_wrong)
        && !name.windows(2).any(|two| two == b".." || two == b"@{")
}

fn without_line_ends(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    &text[..end]
}

/// Whether a path, not what it leads to if it is a link, belongs to the person who runs the program; to
/// root, what belongs to the person who called `sudo` is its own, too.
#[cfg(unix)]
fn is_owned(path: &Path, sudo: Option<u32>) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    let is_own = |owner: u32| owner == user || (user == 0 && sudo == Some(owner));
    path.symlink_metadata().is_ok_and(|metadata| is_own(metadata.uid()))
}

#[cfg(not(unix))]
fn is_owned(_: &Path, _: Option<u32>) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(files: &[(&str, &str)]) -> (tempfile::TempDir, Option<Repository>) {
        let directory = tempfile::tempdir().unwrap();
        for name in [".git/objects", ".git/refs/heads"] {
            std::fs::create_dir_all(directory.path().join(name)).unwrap();
        }
        for (name, text) in files {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        let found = Repository::at(directory.path());
        (directory, found)
    }

    #[test]
    fn a_branch_is_found_through_symbolic_references() {
        let branch = |files: &[(&str, &str)]| {
            let (_directory, found) = repository(files);
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
    fn a_directory_of_that_name_alone_is_no_repository() {
        assert_eq!(repository(&[]).1, None);
        assert_eq!(repository(&[(".git/HEAD", "main\n")]).1, None);
        assert!(repository(&[(".git/HEAD", "ref: refs/heads/main\n")]).1.is_some());
    }
}
