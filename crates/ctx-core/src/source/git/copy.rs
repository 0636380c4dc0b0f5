//! A copy of the work tree for git.
//!
//! Git opens files by path: if somebody replaces a directory with a link at the right moment, git reads files
//! outside the tree, and a pipe makes it wait. So git never sees the work tree itself. Changed files, and the
//! attributes that apply to them, are opened from the top of the tree and copied to a private directory. Git
//! is told that all other files are unchanged since the index.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::error::{GitError, MOST_COPIED};
use super::index::IndexEntry;
use super::patch::path_in_tree;
use crate::fs::directory::{OpenDirectory, RootDirectory, metadata, path_of};
use crate::fs::names::{join, last_name, parent_of};
use crate::fs::{FileKind, FileMetadata, Time, contents, open_without_waiting, real};
use crate::git::{RepositoryError, linked_repository};
use crate::process::Scratch;
use crate::words::{hex, quoted};

/// The maximum size of a file that is compared, in bytes; git is told to treat larger files as binary.
pub(super) const MOST: u64 = 10 << 20;

/// The largest index that is read, in bytes.
const MOST_INDEX: u64 = 256 << 20;

/// The mode of a commit in another repository.
const SUBMODULE: &str = "160000";

const LINK: &str = "120000";

const ATTRIBUTES: &[u8] = b".gitattributes";

/// A private directory with the part of a work tree that git may see. It is removed when this is dropped.
pub(super) struct WorkTreeCopy<'a> {
    tree: RootDirectory,
    place: Scratch<'a>,
    deadline: Instant,
    /// Whether executable bits count.
    modes_count: bool,
    copied: u64,
    /// The directories whose attributes have been copied, if they have any.
    looked_at: BTreeSet<Vec<u8>>,
    /// The real ids of files that are too large to copy, by path. The copy contains large placeholders for
    /// them.
    large: BTreeMap<Vec<u8>, String>,
    /// Links to create once no more files are written, so that none is written through a link.
    links: Vec<(Vec<u8>, Vec<u8>)>,
    /// The directory opened last, if it exists and no link leads to it.
    directory: Option<(Vec<u8>, Option<OpenDirectory>)>,
}

impl<'a> WorkTreeCopy<'a> {
    pub fn new(root: &Path, place: Scratch<'a>, deadline: Instant, modes_count: bool) -> io::Result<Self> {
        place.create_directory(&place.path().join("tree"))?;
        Ok(Self {
            tree: RootDirectory::open(root)?,
            place,
            deadline,
            modes_count,
            copied: 0,
            looked_at: BTreeSet::new(),
            large: BTreeMap::new(),
            links: Vec::new(),
            directory: None,
        })
    }

    /// The top of the tree in the copy.
    pub fn top(&self) -> PathBuf {
        self.place.path().join("tree")
    }

    /// The path of the index, once it has been copied.
    pub fn index(&self) -> PathBuf {
        self.place.path().join("index")
    }

    /// The path of a list of names, once it has been written.
    pub fn list(&self) -> PathBuf {
        self.place.path().join("list")
    }

    /// Where this copy is in the tree, if the temporary directory is in it.
    pub fn place_in_tree(&self) -> Option<PathBuf> {
        real(self.place.path()).ok()?.strip_prefix(self.tree.path()).ok().map(Path::to_owned)
    }

    /// The tree itself.
    pub fn tree(&self) -> &RootDirectory {
        &self.tree
    }

    /// A directory of the work tree, as a path in the copy; created if it does not exist.
    pub fn directory(&self, directory: &Path) -> io::Result<PathBuf> {
        let real = real(directory)?;
        let below = real.strip_prefix(self.tree.path()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let place = self.top().join(below);
        self.place.create_directory(&place)?;
        Ok(place)
    }

    /// A query's path as git needs it: an absolute path leads into the copy.
    pub fn path(&self, path: &str) -> String {
        let written = Path::new(path);
        if !written.is_absolute() {
            return path.to_owned();
        }
        let is_top = |above: &&Path| real(above).is_ok_and(|real| real == self.tree.path());
        let below = written.ancestors().find(is_top).and_then(|top| written.strip_prefix(top).ok());
        below.map_or_else(|| path.to_owned(), |below| self.top().join(below).to_string_lossy().into_owned())
    }

    /// Git's error, with the path of the tree instead of the copy's.
    pub fn named(&self, error: GitError) -> GitError {
        match error {
            GitError::Failed { message } => {
                let (copy, root) = (self.top(), self.tree.path());
                GitError::Failed {
                    message: message.replace(&*copy.to_string_lossy(), &root.to_string_lossy()),
                }
            }
            other => other,
        }
    }

    /// Copies an index and returns when it was written; `None` if there is none.
    pub fn take_index(&self, index: &Path) -> io::Result<Option<Time>> {
        let file = match open_without_waiting(index) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let written = file.metadata()?.modified()?;
        self.place.create_file(&self.index(), false)?.write_all(&contents(file, MOST_INDEX)?)?;
        Ok(Some(Time::of(written)))
    }

    /// Copies a file that may differ from the index, and returns whether git can treat it as unchanged.
    /// Missing files are not copied, and neither are those that are not regular files or links.
    pub fn take(&mut self, entry: &IndexEntry<'_>, written: Time) -> Result<bool, GitError> {
        if Instant::now() >= self.deadline {
            return Err(GitError::TimedOut);
        }
        if path_in_tree(entry.path).is_none() {
            let path = self.tree.path().join(path_of(entry.path));
            return Err(RepositoryError::LeadsOut { path }.into());
        }
        if entry.is_assumed() {
            return Ok(false);
        }
        let Some(found) = self.metadata(entry.path)? else { return Ok(false) };
        let is_unchanged = match found.kind {
            FileKind::Directory if entry.mode == SUBMODULE => self.take_submodule(entry)?,
            FileKind::Regular => self.take_file(entry, &found, written)?,
            FileKind::Link => self.take_link(entry)?,
            FileKind::Directory | FileKind::Other | FileKind::Unknown => false,
        };
        if !is_unchanged {
            self.take_attributes([entry.path])?;
        }
        Ok(is_unchanged && !entry.is_conflicted)
    }

    fn metadata(&mut self, path: &[u8]) -> Result<Option<FileMetadata>, GitError> {
        let above = parent_of(path);
        if self.directory.as_ref().is_none_or(|(known, _)| known != above) {
            let opened = there(self.tree.open_directory(above)).map_err(|error| unread(path, &error))?;
            self.directory = Some((above.to_vec(), opened));
        }
        let directory = self.directory.as_ref().and_then(|(_, opened)| opened.as_ref());
        let found = directory.map(|directory| there(metadata(directory, last_name(path)))).transpose();
        Ok(found.map_err(|error| unread(path, &error))?.flatten())
    }

    fn take_file(
        &mut self,
        entry: &IndexEntry<'_>,
        found: &FileMetadata,
        written: Time,
    ) -> Result<bool, GitError> {
        let has_mode = match entry.mode {
            "100644" => !(self.modes_count && found.is_executable),
            "100755" => !self.modes_count || found.is_executable,
            _ => false,
        };
        let is_known = has_mode && !entry.is_name_alone() && !entry.is_conflicted;
        if is_known && entry.is_unchanged(&found.stamp, written) {
            return Ok(true);
        }
        let opened = there(self.tree.open_file(entry.path)).map_err(|error| unread(entry.path, &error))?;
        let Some(file) = opened else { return Ok(false) };
        if last_name(entry.path) == ATTRIBUTES {
            // The attributes may already have been copied for an earlier file.
            let _ = fs::remove_file(self.place(entry.path)?);
        }
        if found.stamp.size > MOST {
            let id = self.id_of(entry, found.stamp.size, file)?;
            if is_known && id == entry.id {
                return Ok(true);
            }
            // Git treats both the file and this placeholder as binary, so it prints the contents of neither.
            self.create(entry.path, found.is_executable)?.set_len(MOST + 1)?;
            self.large.insert(entry.path.to_vec(), id);
            return Ok(false);
        }
        let text = contents(file, MOST).map_err(|error| unread(entry.path, &error))?;
        // Git may normalize line endings.
        let is_as_stored = is_known && memchr::memchr(b'\r', &text).is_none();
        if is_as_stored && self.id_of(entry, text.len() as u64, &*text)? == entry.id {
            return Ok(true);
        }
        self.put(entry.path, &text, found.is_executable)?;
        Ok(false)
    }

    fn take_link(&mut self, entry: &IndexEntry<'_>) -> Result<bool, GitError> {
        let target = there(self.tree.read_link(entry.path)).map_err(|error| unread(entry.path, &error))?;
        let Some(target) = target else { return Ok(false) };
        let is_known = entry.mode == LINK && !entry.is_name_alone() && !entry.is_conflicted;
        if is_known && self.id_of(entry, target.len() as u64, &*target)? == entry.id {
            return Ok(true);
        }
        self.links.push((entry.path.to_vec(), target));
        Ok(false)
    }

    /// Copies what git needs to find the commit that a submodule has checked out. Returns whether git can
    /// treat the submodule as unchanged.
    fn take_submodule(&mut self, entry: &IndexEntry<'_>) -> Result<bool, GitError> {
        let root = self.tree.path().join(path_of(entry.path));
        let own = linked_repository(&root).ok().filter(|dirs| dirs.root == root);
        let Some(head) = own.and_then(|dirs| dirs.head()) else {
            // An empty directory is an unchanged submodule.
            self.place(&join(entry.path, b"x"))?;
            return Ok(true);
        };
        if head == entry.id.as_bytes() && !entry.is_conflicted {
            return Ok(true);
        }
        let git_dir = join(entry.path, b".git");
        for below in [&b"objects/x"[..], b"refs/x"] {
            self.place(&join(&git_dir, below))?;
        }
        self.put(&join(&git_dir, b"HEAD"), &[&head, b"\n".as_slice()].concat(), false)?;
        Ok(false)
    }

    /// Copies the attributes that apply to these files, and returns whether there were any new ones.
    pub fn take_attributes<'p>(
        &mut self,
        paths: impl IntoIterator<Item = &'p [u8]>,
    ) -> Result<bool, GitError> {
        let mut are_more = false;
        for path in paths {
            let mut above = path;
            while !above.is_empty() {
                above = parent_of(above);
                if !self.looked_at.insert(above.to_vec()) {
                    break;
                }
                let name = join(above, ATTRIBUTES);
                // A file that git could not read has no effect.
                let text = self.tree.open_file(&name).and_then(|file| contents(file, MOST));
                if let Ok(text) = text
                    && path_in_tree(&name).is_some()
                    && fs::symlink_metadata(self.place(&name)?).is_err()
                {
                    self.put(&name, &text, false)?;
                    are_more = true;
                }
            }
        }
        Ok(are_more)
    }

    /// Creates the links. No file from the index may be written after that.
    pub fn make_links(&mut self) -> io::Result<()> {
        for (path, target) in std::mem::take(&mut self.links) {
            let place = self.place(&path)?;
            #[cfg(unix)]
            std::os::unix::fs::symlink(path_of(&target), place)?;
            // Git does the same if it doesn't create links.
            #[cfg(not(unix))]
            fs::write(place, target)?;
        }
        Ok(())
    }

    /// Inserts the real id of contents that were too large to copy into the file's diff.
    pub fn correct(&self, path: &[u8], text: &mut [u8]) {
        let Some(id) = self.large.get(path) else { return };
        let Some(start) = memchr::memmem::find(text, b"\nindex ") else { return };
        let line =
            start + 1..start + 1 + text[start + 1..].iter().position(|byte| *byte == b'\n').unwrap_or(0);
        let Some(dots) = memchr::memmem::find(&text[line.clone()], b"..") else { return };
        let digits = line.start + dots + 2;
        let end = text[digits..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        text[digits..digits + end].copy_from_slice(&id.as_bytes()[..end]);
    }

    fn put(&mut self, path: &[u8], text: &[u8], is_executable: bool) -> Result<(), GitError> {
        self.copied += text.len() as u64;
        if self.copied > MOST_COPIED {
            return Err(GitError::TooMuchChanged);
        }
        Ok(self.create(path, is_executable)?.write_all(text)?)
    }

    fn create(&self, path: &[u8], is_executable: bool) -> io::Result<File> {
        let file = self.place.create_file(&self.place(path)?, is_executable)?;
        // The time must never equal that of the index.
        file.set_modified(SystemTime::UNIX_EPOCH)?;
        Ok(file)
    }

    /// Where a path is in the copy, after creating the directories that lead to it, none of which is a link.
    fn place(&self, path: &[u8]) -> io::Result<PathBuf> {
        let mut place = self.top();
        let mut names = path.split(|byte| *byte == b'/').peekable();
        while let Some(name) = names.next() {
            place.push(path_of(name));
            if names.peek().is_some() {
                self.place.create_directory(&place)?;
                if !fs::symlink_metadata(&place)?.is_dir() {
                    return Err(io::ErrorKind::NotADirectory.into());
                }
            }
        }
        Ok(place)
    }

    /// Git's id of these contents.
    fn id_of(&self, entry: &IndexEntry<'_>, size: u64, text: impl Read) -> Result<String, GitError> {
        const SHA1_DIGITS: usize = 40;
        if entry.id.len() == SHA1_DIGITS {
            self.hash::<Sha1>(size, text)
        } else {
            self.hash::<Sha256>(size, text)
        }
    }

    fn hash<Hash: Digest>(&self, size: u64, mut text: impl Read) -> Result<String, GitError> {
        const PIECE: usize = 1 << 20;
        let mut hash = Hash::new_with_prefix(format!("blob {size}\0"));
        let mut piece = vec![0; PIECE.min(usize::try_from(size).unwrap_or(PIECE)) + 1];
        loop {
            let read = text.read(&mut piece)?;
            if read == 0 {
                return Ok(hex(&hash.finalize()));
            }
            if Instant::now() >= self.deadline {
                return Err(GitError::TimedOut);
            }
            hash.update(&piece[..read]);
        }
    }
}

/// The result of opening something; `None` if it does not exist, or is only reached through a link.
fn there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
        Err(_) => Ok(None),
    }
}

fn unread(path: &[u8], error: &io::Error) -> GitError {
    let path = String::from_utf8_lossy(path);
    GitError::Failed { message: format!("cannot read {}: {}", quoted(&path), crate::words::cause(error)) }
}
