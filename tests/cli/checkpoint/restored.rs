//! The effects of a restore, and what it leaves alone.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::state::{Thing, files, repository};
use super::{git, tree};
use crate::support::Sandbox;

fn create(sandbox: &Sandbox) -> String {
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout_any().check().trim().to_owned()
}

/// The end of a confirmation, which can be pasted.
fn way_back(stderr: &str) -> Vec<String> {
    let command = stderr.lines().find_map(|line| line.split_once(": ctx ")).unwrap().1;
    command.split(' ').map(str::to_owned).collect()
}

/// Runs a restore and then the command that it names; returns both states.
fn there_and_back(
    sandbox: &Sandbox,
    args: &[&str],
) -> [std::collections::BTreeMap<std::path::PathBuf, Thing>; 2] {
    let output = crate::states::run(sandbox, args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let there = files(&sandbox.project());
    let back: Vec<String> = way_back(&stderr);
    let back: Vec<&str> = back.iter().map(String::as_str).chain(["-q"]).collect();
    sandbox.ctx(back).check();
    [there, files(&sandbox.project())]
}

fn change(sandbox: &Sandbox) {
    sandbox.write("src/a.rs", "changed\n");
    fs::remove_file(sandbox.path("README.md")).unwrap();
    sandbox.write("newer/file", "newer\n");
    sandbox.write("target/debug/out", "built again\n");
    fs::set_permissions(sandbox.path("kept.log"), Permissions::from_mode(0o751)).unwrap();
}

#[test]
fn soft_restore_writes_changed_files_and_keeps_newer_ones() {
    let sandbox = tree();
    let saved = files(&sandbox.project());
    create(&sandbox);
    change(&sandbox);
    let changed = files(&sandbox.project());
    sandbox
        .ctx(["checkpoint", "restore", "1", "--dry-run"])
        .stdout("write README.md\nwrite kept.log\nwrite src/a.rs\n")
        .check();
    assert_eq!(files(&sandbox.project()), changed);
    sandbox
        .ctx(["checkpoint", "restore", "1"])
        .stderr(
            "Restored 3 files from 1; the state before is checkpoint 2: ctx checkpoint restore 2 --hard\n\
             note: 1 newer file stays: 'newer/file'; --hard deletes it\n",
        )
        .check();
    let mut expected = saved;
    for path in ["newer/file", "target/debug/out"] {
        expected.insert(path.into(), changed[std::path::Path::new(path)].clone());
    }
    assert_eq!(files(&sandbox.project()), expected);
    assert_eq!(fs::metadata(sandbox.path("kept.log")).unwrap().mode() & 0o777, 0o640);
    sandbox.ctx(["checkpoint", "restore", "2", "--hard", "-q"]).check();
    assert_eq!(files(&sandbox.project()), changed);
    sandbox.ctx(["checkpoint"]).stdout_has("before restore of 1").stdout_has("before restore of 2").check();
}

#[test]
fn hard_restore_deletes_newer_files_and_emptied_directories_but_no_ignored_files() {
    let sandbox = tree();
    let saved = files(&sandbox.project());
    create(&sandbox);
    change(&sandbox);
    fs::create_dir(sandbox.path("empty")).unwrap();
    let changed = files(&sandbox.project());
    let [there, back] = there_and_back(&sandbox, &["checkpoint", "restore", "1", "--hard"]);
    let mut expected = saved;
    expected.insert("target/debug/out".into(), changed[std::path::Path::new("target/debug/out")].clone());
    assert_eq!(there, expected);
    assert_eq!(back, changed);
    sandbox.ctx(["checkpoint", "restore", "1", "--hard", "-q"]).check();
    assert!(!sandbox.path("newer").exists() && sandbox.path("empty").exists());
}

#[test]
fn unchanged_file_keeps_its_time_and_a_restore_without_changes_makes_no_checkpoint() {
    let sandbox = tree();
    create(&sandbox);
    let time = |path: &str| fs::metadata(sandbox.path(path)).unwrap().modified().unwrap();
    let (right, inode) = (time("src/b.rs"), fs::metadata(sandbox.path("src/b.rs")).unwrap().ino());
    sandbox.ctx(["checkpoint", "restore", "1"]).stderr("the files already match checkpoint 1\n").check();
    sandbox.ctx(["checkpoint"]).stdout_lacks("before restore").check();
    sandbox.write("src/a.rs", "changed");
    sandbox.ctx(["checkpoint", "restore", "1", "-q"]).check();
    assert_eq!((time("src/b.rs"), fs::metadata(sandbox.path("src/b.rs")).unwrap().ino()), (right, inode));
}

#[test]
fn paths_limit_what_is_restored() {
    let sandbox = tree();
    create(&sandbox);
    change(&sandbox);
    sandbox.write("src/new.rs", "new\n");
    sandbox
        .ctx_in(&sandbox.path("src"), ["checkpoint", "restore", "1", ".", "--hard"])
        .stderr(
            "Restored 1 file from 1, deleted 1; the state before is checkpoint 2: ctx checkpoint restore 2\n",
        )
        .check();
    assert_eq!(sandbox.read("src/a.rs"), "fn a() {}\n");
    assert!(!sandbox.path("README.md").exists() && sandbox.path("newer/file").exists());
    sandbox
        .ctx(["checkpoint", "restore", "1", "nowhere"])
        .code(1)
        .stderr("error: neither checkpoint 1 nor the directory has 'nowhere'\n")
        .check();
}

#[test]
fn unsaved_contents_are_never_overwritten() {
    let sandbox = tree();
    create(&sandbox);
    let large = vec![b'x'; (10 << 20) + 1];
    sandbox.write("src/a.rs", &large);
    sandbox.write("other", "changed");
    sandbox
        .ctx(["checkpoint", "restore", "1"])
        .code(1)
        .stderr("note: 1 newer file stays: 'other'; --hard deletes it\nerror: 'src/a.rs' stays as it is: the current contents are in no checkpoint\n")
        .check();
    assert!(fs::read(sandbox.path("src/a.rs")).unwrap() == large);
    sandbox.write("new-large", &large);
    sandbox
        .ctx(["checkpoint", "restore", "1", "--hard"])
        .code(1)
        .stderr_has("error: 'new-large' stays as it is: the current contents are in no checkpoint\n")
        .stderr_has("Restored 0 files from 1, deleted 1; the state before is checkpoint 2")
        .check();
    assert!(sandbox.path("new-large").exists() && !sandbox.path("other").exists());
    assert_eq!(sandbox.read(".env"), "SECRET=1\n");
}

#[test]
fn files_ignored_by_the_rules_of_the_checkpoint_are_not_deleted() {
    let sandbox = tree();
    create(&sandbox);
    sandbox.write(".gitignore", "");
    sandbox.ctx(["checkpoint", "restore", "1", "--hard", "-q"]).check();
    for path in ["target/debug/out", "x.log", "nested/own.tmp", "deep/.GIT/config"] {
        assert!(sandbox.path(path).exists(), "{path}");
    }
    assert_eq!(sandbox.read(".gitignore"), "*.log\ntarget/\n");
}

#[test]
fn a_restore_that_deletes_many_files_needs_force() {
    let sandbox = Sandbox::with(&[("a", "a")]);
    create(&sandbox);
    sandbox.write("b", "b");
    sandbox.write("c", "c");
    let changed = files(&sandbox.project());
    sandbox
        .ctx(["checkpoint", "restore", "1", "--hard"])
        .code(1)
        .stderr(
            "error: this would delete 2 of 3 files\n\
             hint: 'ctx checkpoint restore 1 --hard --dry-run' shows what would be deleted; --force does it\n",
        )
        .check();
    assert_eq!(files(&sandbox.project()), changed);
    let [there, back] = there_and_back(&sandbox, &["checkpoint", "restore", "1", "--hard", "--force"]);
    assert_eq!((there.len(), back), (1, changed));
}

#[test]
fn restoring_an_empty_checkpoint_over_files_needs_force() {
    let sandbox = Sandbox::new();
    create(&sandbox);
    sandbox.write("a", "a");
    let error = "error: checkpoint 1 has no files: nothing would be left of 1 file\n";
    sandbox.ctx(["checkpoint", "restore", "1", "--hard"]).code(1).stderr_has(error).check();
    assert_eq!(sandbox.read("a"), "a");
    let [there, back] = there_and_back(&sandbox, &["checkpoint", "restore", "1", "--hard", "--force"]);
    assert_eq!((there.len(), back.len()), (0, 1));
}

#[test]
fn restoring_a_recreated_directory_needs_force() {
    let sandbox = tree();
    create(&sandbox);
    fs::rename(sandbox.project(), sandbox.home().join("old")).unwrap();
    fs::create_dir(sandbox.project()).unwrap();
    sandbox.write("a", "a");
    // Without .git, it is a different tree in the same place.
    sandbox
        .ctx(["checkpoint", "restore", "1"])
        .code(1)
        .stderr_has(
            "is not the directory that checkpoint 1 was made from: it has been re-created since\nhint: ",
        )
        .check();
    sandbox.ctx(["checkpoint", "diff", "1", "--stat"]).stdout_has("README.md").check();
    sandbox.ctx(["checkpoint", "restore", "1", "--force", "-q"]).check();
    assert_eq!(sandbox.read("README.md"), "# Readme\n");
}

#[test]
fn a_directory_in_place_of_a_file_is_replaced_only_by_a_hard_restore() {
    let sandbox = tree();
    create(&sandbox);
    fs::remove_file(sandbox.path("README.md")).unwrap();
    sandbox.write("README.md/inner/file", "inner\n");
    fs::create_dir(sandbox.path("README.md/empty")).unwrap();
    fs::remove_dir_all(sandbox.path("src")).unwrap();
    sandbox.write("src", "a file now\n");
    let changed = files(&sandbox.project());
    sandbox
        .ctx(["checkpoint", "restore", "1"])
        .code(1)
        .stderr(
            "note: 2 newer files stay: 'README.md/inner/file', 'src'; --hard deletes them\n\
             error: 'README.md' stays as it is: there is a directory in its place\n\
             error: 'src/a.rs' stays as it is: 'src' is not a directory\n\
             error: 'src/b.rs' stays as it is: 'src' is not a directory\n",
        )
        .check();
    assert_eq!(files(&sandbox.project()), changed);
    let [there, back] = there_and_back(&sandbox, &["checkpoint", "restore", "1", "--hard"]);
    assert_eq!(
        there[std::path::Path::new("src/a.rs")],
        Thing::File { bytes: b"fn a() {}\n".to_vec(), executable: false }
    );
    assert!(there.contains_key(std::path::Path::new("README.md")));
    assert_eq!(back, changed);
    sandbox.write("README.md/inner/x.log", "ignored\n");
    sandbox
        .ctx(["checkpoint", "restore", "1", "--hard"])
        .code(1)
        .stderr_has("error: 'README.md' stays as it is: there is a directory in its place\n")
        .check();
    assert_eq!(sandbox.read("README.md/inner/x.log"), "ignored\n");
}

#[test]
fn links_are_restored_as_links_and_never_followed() {
    let sandbox = tree();
    let outside = sandbox.home().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a.rs"), "outside\n").unwrap();
    symlink("src/a.rs", sandbox.path("link")).unwrap();
    create(&sandbox);
    fs::remove_file(sandbox.path("link")).unwrap();
    symlink("nowhere", sandbox.path("link")).unwrap();
    fs::remove_dir_all(sandbox.path("src")).unwrap();
    symlink(&outside, sandbox.path("src")).unwrap();
    sandbox
        .ctx(["checkpoint", "restore", "1"])
        .code(1)
        .stderr_has("'src/a.rs' stays as it is: 'src' is not a directory")
        .check();
    assert_eq!(fs::read_link(sandbox.path("link")).unwrap().to_str(), Some("src/a.rs"));
    sandbox.ctx(["checkpoint", "restore", "1", "--hard", "-q"]).check();
    assert_eq!(sandbox.read("src/a.rs"), "fn a() {}\n");
    assert_eq!(fs::read_to_string(outside.join("a.rs")).unwrap(), "outside\n");
}

#[test]
fn the_users_repository_is_not_touched() {
    let sandbox = tree();
    sandbox.write("README.md", "staged\n");
    git(&sandbox.project(), &["add", "README.md"]);
    sandbox.write("stashed", "stashed\n");
    git(&sandbox.project(), &["stash", "push", "-q", "-u", "-m", "s", "--", "stashed"]);
    sandbox.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch ran\n");
    create(&sandbox);
    change(&sandbox);
    let before = [repository(&sandbox.project()), repository(&sandbox.path("nested"))];
    for args in
        [&["restore", "1"][..], &["restore", "1", "--hard"], &["restore", "2", "--hard"], &["diff", "1"]]
    {
        let args: Vec<&str> = ["checkpoint", "-q"].iter().chain(args).copied().collect();
        sandbox.ctx(args).stdout_any().check();
    }
    assert!([repository(&sandbox.project()), repository(&sandbox.path("nested"))] == before);
    assert!(!sandbox.path("ran").exists());
}

/// Overwrites the middle of each pack of checkpoints.
fn damage(sandbox: &Sandbox) {
    let packs = sandbox.store().join("checkpoints");
    let tree = fs::read_dir(packs).unwrap().next().unwrap().unwrap().path();
    for pack in
        fs::read_dir(tree.join("objects.git/objects/pack")).unwrap().map(|entry| entry.unwrap().path())
    {
        if pack.extension().is_some_and(|extension| extension == "pack") {
            let mut bytes = fs::read(&pack).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle..middle + 8].fill(0);
            fs::set_permissions(&pack, Permissions::from_mode(0o600)).unwrap();
            fs::write(&pack, bytes).unwrap();
        }
    }
}

#[test]
fn a_damaged_checkpoint_is_refused_before_anything_changes() {
    let sandbox = tree();
    create(&sandbox);
    change(&sandbox);
    let changed = files(&sandbox.project());
    damage(&sandbox);
    sandbox
        .ctx(["checkpoint", "restore", "1", "--hard"])
        .code(1)
        .stderr_has("error: checkpoint 1 is damaged: ")
        .stderr_has("; nothing was changed\n")
        .check();
    assert_eq!(files(&sandbox.project()), changed);
}

#[test]
fn only_contents_that_are_written_have_to_be_whole() {
    // Text that hardly gets smaller: the middle of the pack is part of it.
    let large: String = (0..20_000_u64).map(|number| format!("{:x}", number.wrapping_pow(7))).collect();
    let sandbox = Sandbox::with(&[("small", "small\n"), ("large", &large), ("z", "z\n")]);
    create(&sandbox);
    damage(&sandbox);
    sandbox.write("small", "changed\n");
    sandbox.ctx(["checkpoint", "restore", "1"]).stderr_has("Restored 1 file from 1").check();
    assert_eq!(sandbox.read("small"), "small\n");
    sandbox.write("large", "changed\n");
    sandbox.ctx(["checkpoint", "restore", "1", "small", "large"]).code(1).stderr_has("is damaged: ").check();
    assert_eq!(sandbox.read("large"), "changed\n");
}

#[test]
fn file_whose_saved_contents_are_damaged_is_not_replaced() {
    let large: String = (0..20_000_u64).map(|number| format!("{:x}", number.wrapping_pow(7))).collect();
    let sandbox = Sandbox::with(&[("large", &large)]);
    create(&sandbox);
    sandbox.write("large", "second\n");
    create(&sandbox);
    damage(&sandbox);
    sandbox.write("large", &large);
    sandbox.ctx(["checkpoint", "restore", "2"]).code(1).stderr_has("is damaged: ").check();
    assert_eq!(sandbox.read("large"), large);
}

#[test]
fn way_back_has_no_options_for_files_that_are_ignored_now() {
    let sandbox = Sandbox::with(&[("kept", "1"), ("made/x", "x"), ("made/y", "y")]);
    git(&sandbox.project(), &["init", "-q", "."]);
    create(&sandbox);
    fs::remove_dir_all(sandbox.path("made")).unwrap();
    sandbox.write(".git/info/exclude", "made\n");
    sandbox
        .ctx(["checkpoint", "restore", "1"])
        .stderr("Restored 2 files from 1; the state before is checkpoint 2: ctx checkpoint restore 2\n")
        .check();
}

#[test]
fn the_undo_command_has_force_if_the_restored_rules_leave_few_files() {
    let sandbox = Sandbox::with(&[("a", "a"), ("b", "b"), (".gitignore", "/kept-*\n")]);
    git(&sandbox.project(), &["init", "-q", "."]);
    create(&sandbox);
    fs::remove_file(sandbox.path("a")).unwrap();
    fs::remove_file(sandbox.path("b")).unwrap();
    sandbox.write(".gitignore", "");
    (0..4).for_each(|number| sandbox.write(&format!("kept-{number}"), "not ignored now\n"));
    let changed = files(&sandbox.project());
    let [there, back] = there_and_back(&sandbox, &["checkpoint", "restore", "1", "--hard"]);
    assert_eq!((there.len(), back), (7, changed));
}

#[test]
fn files_that_the_checkpoint_could_not_save_are_not_deleted() {
    let sandbox =
        Sandbox::with(&[("a", "a"), ("dir/old", "old\n"), ("dir/.gitignore/b", "b"), (".env", "A=1\n")]);
    git(&sandbox.project(), &["init", "-q", "."]);
    sandbox.write("large", vec![b'x'; (10 << 20) + 1]);
    // An ignore file that is a directory can't be read.
    sandbox
        .ctx(["checkpoint", "create"])
        .stdout("1\n")
        .stderr_has(
            "'.env' (the name suggests a secret), 'dir' (cannot be read), 'large' (larger than 10 MiB)",
        )
        .check();
    fs::remove_dir_all(sandbox.path("dir/.gitignore")).unwrap();
    sandbox.write("large", "small");
    git(&sandbox.project(), &["add", ".env"]);
    sandbox.write("newer", "newer\n");
    sandbox
        .ctx(["checkpoint", "restore", "1", "--hard"])
        .code(1)
        .stderr(
            "Restored 0 files from 1, deleted 1; the state before is checkpoint 2: ctx checkpoint restore 2\n\
             error: '.env' stays as it is: the checkpoint could not save it\n\
             error: 'dir/old' stays as it is: the checkpoint could not save it\n\
             error: 'large' stays as it is: the checkpoint could not save it\n",
        )
        .check();
    assert_eq!(sandbox.read("dir/old") + &sandbox.read("large"), "old\nsmall");
    assert!(!sandbox.path("newer").exists());
}

#[test]
fn paths_are_resolved_to_the_tree_however_they_are_written() {
    let sandbox = tree();
    create(&sandbox);
    symlink(sandbox.project(), sandbox.home().join("link")).unwrap();
    sandbox.write("src/a.rs", "changed");
    let through = sandbox.home().join("link/src/a.rs");
    sandbox.ctx(["checkpoint", "restore", "1", through.to_str().unwrap(), "-q"]).check();
    assert_eq!(sandbox.read("src/a.rs"), "fn a() {}\n");
    sandbox
        .ctx(["checkpoint", "restore", "1", ".git/config"])
        .code(1)
        .stderr("error: '.git/config' belongs to git and is never in a checkpoint\n")
        .check();
}

#[test]
fn a_restore_clears_the_setuid_and_setgid_bits() {
    let sandbox = Sandbox::with(&[("tool", "one\n"), ("other", "one\n")]);
    create(&sandbox);
    sandbox.write("tool", "two\n");
    fs::set_permissions(sandbox.path("tool"), Permissions::from_mode(0o6755)).unwrap();
    sandbox.ctx(["checkpoint", "restore", "1", "-q"]).check();
    assert_eq!(fs::metadata(sandbox.path("tool")).unwrap().mode() & 0o7777, 0o644);
}

#[test]
fn files_ignored_by_the_restored_rules_are_kept_and_reported() {
    let sandbox = Sandbox::with(&[(".gitignore", "a\n"), ("b", "one\n")]);
    create(&sandbox);
    sandbox.write(".gitignore", "");
    sandbox.write("a", "newer\n");
    sandbox
        .ctx(["checkpoint", "restore", "1", "--hard"])
        .stderr_has("note: 1 file stays, ignored by the restored rules: 'a'\n")
        .stderr_any()
        .check();
    assert_eq!(sandbox.read("a"), "newer\n");
}

#[test]
fn way_back_names_what_stays_because_the_rules_that_it_restores_ignore_it() {
    let sandbox = Sandbox::with(&[("a", "A\n"), ("k", "K\n"), ("l", "L\n")]);
    create(&sandbox);
    fs::remove_file(sandbox.path("a")).unwrap();
    sandbox.write(".gitignore", "a\n");
    create(&sandbox);
    let restored = sandbox.ctx(["checkpoint", "restore", "1", "--hard", "--force"]);
    restored.stderr_has("checkpoint 3: ctx checkpoint restore 3 --hard\n").check();
    let back = sandbox.ctx(["checkpoint", "restore", "3", "--hard"]);
    back.stderr_has("note: 1 file stays, ignored by the restored rules: 'a'\n").check();
}

#[test]
#[cfg(target_os = "linux")]
fn a_path_that_is_not_utf8_can_be_named() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::with(&[("a", "one\n")]);
    let name = OsStr::from_bytes(b"\xff\xe5");
    fs::write(sandbox.project().join(name), "one\n").unwrap();
    create(&sandbox);
    fs::write(sandbox.project().join(name), "two\n").unwrap();
    sandbox.write("a", "two\n");
    let diff = [OsStr::new("checkpoint"), OsStr::new("diff"), OsStr::new("1"), OsStr::new("--"), name];
    sandbox.ctx(diff).stdout_has("+two").check();
    let restore = ["checkpoint", "restore", "-q", "1"].map(OsStr::new);
    sandbox.ctx(restore.into_iter().chain([name])).check();
    assert_eq!(fs::read_to_string(sandbox.project().join(name)).unwrap(), "one\n");
    assert_eq!(sandbox.read("a"), "two\n");
}
