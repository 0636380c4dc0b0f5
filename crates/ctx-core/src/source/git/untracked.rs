//! Untracked files as additions, in git's format for new files.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::time::Instant;

use super::copy::MOST;
use super::error::GitError;
use super::patch::FileDiff;
use crate::fs::directory::{self, RootDirectory, bytes_of, path_of};
use crate::fs::names::join;
use crate::fs::{FileKind, FileMetadata};
use crate::git::Dirs;
use crate::git::rule_file::UnsafeFile;
use crate::select::ignore_rules::{Layers, Present, Rules};
use crate::world::World;

/// How far git looks for the NUL that makes a file binary, in bytes.
const BINARY_HEAD: usize = 8000;

/// The files of a tree that git neither tracks nor ignores.
pub(super) struct Untracked<'a> {
    tree: &'a RootDirectory,
    /// The names that git tracks, in git's order.
    tracked: &'a [Vec<u8>],
    pub rules: Rules,
    deadline: Instant,
    /// The names of the untracked files.
    pub names: Vec<Vec<u8>>,
    /// The ignore files that can't be read; what their directories contain is unknown.
    pub unsafe_files: BTreeMap<Vec<u8>, UnsafeFile>,
}

/// A directory to read.
struct DirectoryToRead {
    directory: Vec<u8>,
    layers: Layers,
}

impl<'a> Untracked<'a> {
    /// Searches a tree.
    pub fn find(
        tree: &'a RootDirectory,
        tracked: &'a [Vec<u8>],
        world: &World,
        deadline: Instant,
    ) -> Result<Self, GitError> {
        let rules = Rules::new(tree.path().to_owned(), world).map_err(GitError::Unsafe)?;
        let (names, unsafe_files) = (Vec::new(), BTreeMap::new());
        let mut found = Self { tree, tracked, rules, deadline, names, unsafe_files };
        let mut pending = vec![DirectoryToRead { directory: Vec::new(), layers: None }];
        while let Some(next) = pending.pop() {
            if Instant::now() >= found.deadline {
                return Err(GitError::TimedOut);
            }
            found.read(&next, &mut pending)?;
            if let Some(file) = found.rules.slow_file() {
                return Err(GitError::Unsafe(file));
            }
        }
        found.names.sort_unstable();
        Ok(found)
    }

    fn read(&mut self, at: &DirectoryToRead, pending: &mut Vec<DirectoryToRead>) -> Result<(), GitError> {
        // For git, a directory that it can't read contains no files.
        let Ok(opened) = self.tree.open_directory(&at.directory) else { return Ok(()) };
        let (mut present, mut names) = (Present::default(), Vec::new());
        let listed = directory::list(&opened, &mut Vec::new(), |listed| {
            if matches!(listed.name, b".gitignore" | b".git") {
                present.note(listed.name);
            }
            names.push((listed.name.to_vec(), listed.kind));
        });
        if listed.is_err() || (present.repository && self.is_another_repository(&at.directory)) {
            return Ok(());
        }
        let layers = match self.rules.enter(&at.layers, &at.directory, &opened, present) {
            Ok(layers) => layers,
            Err(unsafe_file) => {
                let file = unsafe_file.seen_from(self.tree.path());
                if file.path.is_absolute() {
                    return Err(GitError::Unsafe(unsafe_file));
                }
                self.unsafe_files.insert(bytes_of(&file.path), file);
                return Ok(());
            }
        };
        for (name, kind) in names {
            let path = join(&at.directory, &name);
            let kind = match kind {
                FileKind::Unknown => {
                    directory::metadata(&opened, &name).map_or(FileKind::Other, |found| found.kind)
                }
                known => known,
            };
            let is_directory = kind == FileKind::Directory;
            let decision = || self.rules.decide_as_git(&layers, &path, is_directory);
            match kind {
                FileKind::Other | FileKind::Unknown => {}
                _ if name.eq_ignore_ascii_case(b".git") => {}
                FileKind::Regular | FileKind::Link if self.is_tracked(&path) => {}
                // A submodule.
                FileKind::Directory if self.is_tracked(&path) => {}
                _ if decision().is_some_and(|decision| decision.ignores()) => {}
                FileKind::Directory => {
                    pending.push(DirectoryToRead { directory: path, layers: layers.clone() })
                }
                FileKind::Regular | FileKind::Link => self.names.push(path),
            }
        }
        Ok(())
    }

    fn is_tracked(&self, path: &[u8]) -> bool {
        self.tracked.binary_search_by(|known| known.as_slice().cmp(path)).is_ok()
    }

    /// Whether a directory contains another repository, in which this one tracks nothing.
    fn is_another_repository(&self, directory: &[u8]) -> bool {
        let below = [directory, b"/"].concat();
        let next = self.tracked.partition_point(|known| *known < below);
        !directory.is_empty()
            && !self.tracked.get(next).is_some_and(|known| known.starts_with(&below))
            && Dirs::at(&self.tree.path().join(path_of(directory))).is_some_and(|dirs| dirs.are_complete())
    }
}

/// A change for each readable untracked file. Links are not followed; their content is the path of their
/// target, as in git.
pub(super) fn additions(tree: &RootDirectory, names: Vec<Vec<u8>>) -> Vec<FileDiff> {
    let addition = |name: Vec<u8>| {
        let text = addition(tree, &name).ok()?;
        Some(FileDiff { path: name, old_path: None, text })
    };
    names.into_iter().filter_map(addition).collect()
}

fn addition(tree: &RootDirectory, name: &[u8]) -> io::Result<Vec<u8>> {
    let (mode, contents) = match tree.metadata(name)?.kind {
        FileKind::Link => ("120000", tree.read_link(name)?),
        FileKind::Regular => {
            let file = tree.open_file(name)?;
            let found = FileMetadata::of(&file.metadata()?);
            if found.kind != FileKind::Regular {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            let mode = if found.is_executable { "100755" } else { "100644" };
            let mut contents = Vec::new();
            file.take(MOST + 1).read_to_end(&mut contents)?;
            (mode, contents)
        }
        FileKind::Directory | FileKind::Other | FileKind::Unknown => {
            return Err(io::ErrorKind::InvalidInput.into());
        }
    };
    Ok(patch(name, mode, &contents))
}

fn patch(name: &[u8], mode: &str, contents: &[u8]) -> Vec<u8> {
    let (old, new) = (quoted(b"a/", name), quoted(b"b/", name));
    let mut text = [b"diff --git ", &*old, b" ", &*new, b"\nnew file mode ", mode.as_bytes(), b"\n"].concat();
    if contents.is_empty() {
        return text;
    }
    if contents.len() as u64 > MOST || contents[..contents.len().min(BINARY_HEAD)].contains(&0) {
        text.extend([b"Binary files /dev/null and ", &*new, b" differ\n"].concat());
        return text;
    }
    let lines: Vec<&[u8]> = contents.split_inclusive(|byte| *byte == b'\n').collect();
    let count = if lines.len() == 1 { String::new() } else { format!(",{}", lines.len()) };
    // As in git, so that a name with spaces has a clear end.
    let end: &[u8] = if name.contains(&b' ') { b"\t" } else { b"" };
    text.extend([b"--- /dev/null\n+++ ", &*new, end, b"\n@@ -0,0 +1", count.as_bytes(), b" @@\n"].concat());
    for line in &lines {
        text.push(b'+');
        text.extend_from_slice(line);
    }
    if !contents.ends_with(b"\n") {
        text.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
    text
}

/// A name with its prefix, in quotes if it has characters that git escapes.
fn quoted(prefix: &[u8], name: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::new();
    for byte in name {
        match byte {
            b'"' | b'\\' => escaped.extend([b'\\', *byte]),
            7 => escaped.extend_from_slice(b"\\a"),
            8 => escaped.extend_from_slice(b"\\b"),
            11 => escaped.extend_from_slice(b"\\v"),
            12 => escaped.extend_from_slice(b"\\f"),
            b'\t' => escaped.extend_from_slice(b"\\t"),
            b'\n' => escaped.extend_from_slice(b"\\n"),
            b'\r' => escaped.extend_from_slice(b"\\r"),
            0..=31 | 127 => escaped.extend(format!("\\{byte:03o}").into_bytes()),
            other => escaped.push(*other),
        }
    }
    let quote: &[u8] = if escaped.len() == name.len() { b"" } else { b"\"" };
    [quote, prefix, &escaped, quote].concat()
}
