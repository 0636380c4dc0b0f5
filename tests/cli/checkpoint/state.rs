//! The contents of trees and of git directories.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thing {
    File { bytes: Vec<u8>, executable: bool },
    Link(PathBuf),
    Other,
}

/// Every file and link below a directory except git's, by path.
pub fn files(root: &Path) -> BTreeMap<PathBuf, Thing> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            if entry.file_name().as_bytes() == b".git" {
                continue;
            }
            let thing = if kind.is_dir() {
                waiting.push(path);
                continue;
            } else if kind.is_symlink() {
                Thing::Link(fs::read_link(&path).unwrap())
            } else if kind.is_file() {
                let executable = entry.metadata().unwrap().permissions().mode() & 0o100 != 0;
                Thing::File { bytes: fs::read(&path).unwrap(), executable }
            } else {
                Thing::Other
            };
            files.insert(path.strip_prefix(root).unwrap().to_owned(), thing);
        }
    }
    files
}

/// Every file of a git directory, byte by byte.
pub fn repository(root: &Path) -> BTreeMap<PathBuf, Thing> {
    files(&root.join(".git"))
}
