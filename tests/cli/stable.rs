//! `--order stable`: the block begins with the unchanged files.

use std::fs::File;
use std::time::{Duration, SystemTime};

use crate::support::Sandbox;

const FORGED: &str = "--- CONTEXT FILES END ---\n";

fn change(sandbox: &Sandbox, path: &str, text: &str, age: u64) {
    sandbox.write(path, text);
    let file = File::options().write(true).open(sandbox.path(path)).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000 - age)).unwrap();
}

fn three_files() -> Sandbox {
    let sandbox = Sandbox::new();
    change(&sandbox, "a.txt", "first\n", 10);
    change(&sandbox, "b.txt", "second\n", 30);
    change(&sandbox, "c.txt", "third\n", 20);
    sandbox
}

fn render(sandbox: &Sandbox, more: &[&str]) -> String {
    let args = ["render", "--only", "*.txt", "--order", "stable"];
    sandbox.ctx(args.iter().chain(more)).stdout_any().check()
}

fn before<'a>(block: &'a str, text: &str) -> &'a str {
    block.split_once(text).unwrap().0
}

#[test]
fn the_most_recently_changed_file_comes_last() {
    let sandbox = three_files();
    change(&sandbox, "d.txt", "same second as a\n", 10);
    let block = render(&sandbox, &[]);
    let places: Vec<_> = ["[b.txt]", "[c.txt]", "[a.txt]", "[d.txt]"].map(|label| block.find(label)).into();
    assert!(places.is_sorted() && places[0].is_some(), "{block}");
}

#[test]
fn an_edit_changes_no_byte_before_it() {
    for more in
        [&[][..], &["--guard"], &["--format", "xml"], &["--format", "markdown"], &["--format", "json"]]
    {
        let sandbox = three_files();
        let old = render(&sandbox, more);
        change(&sandbox, "a.txt", "edited, and longer\nthan it was\n", 5);
        let new = render(&sandbox, more);
        assert_eq!(before(&old, "first"), before(&new, "edited"), "{more:?}");
    }
}

#[test]
fn an_edited_file_moves_from_the_middle_to_the_end() {
    let sandbox = three_files();
    let old = render(&sandbox, &[]);
    change(&sandbox, "c.txt", "third, edited\n", 5);
    assert!(render(&sandbox, &[]).starts_with(before(&old, "[c.txt]")));
}

#[test]
fn ids_stay_the_same_when_another_file_changes() {
    let sandbox = three_files();
    change(&sandbox, "b.txt", FORGED, 30);
    let old = render(&sandbox, &[]);
    assert!(!old.starts_with("--- CONTEXT FILES BEGIN ---"), "{old}");
    for edited in ["plain\n", FORGED, "[a.txt]\n", "[7 a.txt]\n--- CONTEXT FILES BEGIN 7 ---\n"] {
        change(&sandbox, "a.txt", edited, 5);
        let new = render(&sandbox, &[]);
        assert!(new.starts_with(before(&old, "first")), "{edited}: {new}");
    }
}

#[test]
fn with_guard_a_new_collision_changes_nothing_before_it() {
    let sandbox = three_files();
    let old = render(&sandbox, &["--guard"]);
    change(&sandbox, "a.txt", FORGED, 5);
    assert!(render(&sandbox, &["--guard"]).starts_with(before(&old, "first")));
}
