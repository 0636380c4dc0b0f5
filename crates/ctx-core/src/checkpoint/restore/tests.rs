//! What happens to a path that somebody changes at the last moment.

use std::fs;
use std::path::Path;

use super::apply::{came_out, put_back};
use super::handles::{Root, WritableDirectory};
use super::request::Unrestored;
use crate::checkpoint::entry::{Mode, ObjectId, TreeEntry};

const TEMPORARY: &[u8] = b".ctx-restore-0-1";

fn entry(bytes: &[u8]) -> TreeEntry {
    TreeEntry { mode: Mode::File, id: ObjectId::of_blob(bytes) }
}

fn open(path: &Path) -> WritableDirectory {
    Root::open(path).unwrap().directory(b"").unwrap()
}

/// The files in a directory with their contents, by name.
fn files(path: &Path) -> Vec<(String, String)> {
    let read = |entry: fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap())
    };
    let mut files: Vec<_> = fs::read_dir(path).unwrap().map(|entry| read(entry.unwrap())).collect();
    files.sort();
    files
}

fn pair(name: &str, bytes: &str) -> (String, String) {
    (name.to_owned(), bytes.to_owned())
}

#[test]
fn old_file_that_matches_the_saved_one_is_removed() {
    let temporary = tempfile::tempdir().unwrap();
    fs::write(temporary.path().join("a"), "new").unwrap();
    fs::write(temporary.path().join(".ctx-restore-0-1"), "old").unwrap();
    let directory = open(temporary.path());
    let skipped = came_out(&directory, TEMPORARY, b"a", entry(b"old"), Some(entry(b"new"))).unwrap();
    assert_eq!((skipped, files(temporary.path())), (None, vec![pair("a", "new")]));
}

#[test]
fn version_written_at_the_last_moment_is_put_back() {
    let temporary = tempfile::tempdir().unwrap();
    fs::write(temporary.path().join("a"), "new").unwrap();
    fs::write(temporary.path().join(".ctx-restore-0-1"), "edited").unwrap();
    let directory = open(temporary.path());
    let skipped = came_out(&directory, TEMPORARY, b"a", entry(b"old"), Some(entry(b"new"))).unwrap();
    assert_eq!((skipped, files(temporary.path())), (Some(Unrestored::Changed), vec![pair("a", "edited")]));
    // A file to be deleted is treated in the same way.
    fs::rename(temporary.path().join("a"), temporary.path().join(".ctx-restore-0-1")).unwrap();
    let skipped = came_out(&directory, TEMPORARY, b"a", entry(b"old"), None).unwrap();
    assert_eq!((skipped, files(temporary.path())), (Some(Unrestored::Changed), vec![pair("a", "edited")]));
}

#[test]
fn two_versions_written_at_the_last_moment_are_both_kept() {
    for after in [Some(entry(b"new")), None] {
        let temporary = tempfile::tempdir().unwrap();
        fs::write(temporary.path().join("a"), "edited twice").unwrap();
        fs::write(temporary.path().join(".ctx-restore-0-1"), "edited").unwrap();
        let reason = put_back(&open(temporary.path()), TEMPORARY, b"a", after).unwrap();
        assert_eq!(reason, Unrestored::KeptBeside(vec!["a.ctx-kept-0-1".to_owned()]));
        assert_eq!(files(temporary.path()), [pair("a", "edited twice"), pair("a.ctx-kept-0-1", "edited")]);
    }
}

#[test]
fn a_directory_that_replaced_the_file_is_put_back_with_its_contents() {
    let temporary = tempfile::tempdir().unwrap();
    fs::write(temporary.path().join("a"), "new").unwrap();
    fs::create_dir(temporary.path().join(".ctx-restore-0-1")).unwrap();
    fs::write(temporary.path().join(".ctx-restore-0-1/inside"), "inside").unwrap();
    let directory = open(temporary.path());
    let skipped = came_out(&directory, TEMPORARY, b"a", entry(b"old"), Some(entry(b"new"))).unwrap();
    assert_eq!(skipped, Some(Unrestored::Changed));
    assert_eq!(fs::read_to_string(temporary.path().join("a/inside")).unwrap(), "inside");
    assert!(!temporary.path().join(".ctx-restore-0-1").exists());
}

#[test]
fn a_link_in_the_path_is_never_followed() {
    let temporary = tempfile::tempdir().unwrap();
    fs::create_dir(temporary.path().join("outside")).unwrap();
    fs::create_dir(temporary.path().join("tree")).unwrap();
    std::os::unix::fs::symlink("../outside", temporary.path().join("tree/link")).unwrap();
    let root = Root::open(&temporary.path().join("tree")).unwrap();
    for path in [&b"link"[..], b"link/new"] {
        assert!(root.directory(path).is_err() && root.made_directory(path).is_err());
    }
    assert!(files(&temporary.path().join("outside")).is_empty());
}
