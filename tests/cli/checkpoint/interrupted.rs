//! A restore that is killed or fails at any system call can be finished or undone completely.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::kept;
use super::state::{Thing, files};
use crate::states::run;
use crate::strace::{denied, interposed, traced, traced_where};
use crate::support::{Sandbox, is_whole};

/// Calls of the main thread, the only one that changes files.
const CALLS: [&str; 9] = [
    "?renameat2",
    "?unlink,?unlinkat",
    "?fsync,?fdatasync",
    "?mkdir,?mkdirat,?symlinkat",
    "?fchmod,?fchmodat",
    "write",
    "openat",
    "flock",
    "?rename,?renameat",
];

const RESTORE: [&str; 5] = ["checkpoint", "restore", "1", "--hard", "-q"];

/// A tree with a checkpoint and changes of every kind. It is set up again and again in the same place, since
/// checkpoints belong to a directory.
struct Stage {
    sandbox: Sandbox,
    before: BTreeMap<PathBuf, Thing>,
    after: BTreeMap<PathBuf, Thing>,
}

impl Stage {
    fn new() -> Self {
        let sandbox = Sandbox::with(&[
            ("changed", "one\n"),
            ("deep/er/missing", "missing\n"),
            ("mode", "mode\n"),
            ("as-file", "file\n"),
            ("as-directory/inside", "inside\n"),
            ("same", "same\n"),
            ("again", "one\n"),
            (".gitignore", "ignored\n"),
            ("empty", ""),
        ]);
        symlink("same", sandbox.path("link")).unwrap();
        sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
        sandbox.write("changed", "two\n");
        fs::remove_dir_all(sandbox.path("deep")).unwrap();
        fs::set_permissions(sandbox.path("mode"), Permissions::from_mode(0o755)).unwrap();
        fs::remove_file(sandbox.path("as-file")).unwrap();
        sandbox.write("as-file/now/a/directory", "directory\n");
        fs::remove_dir_all(sandbox.path("as-directory")).unwrap();
        sandbox.write("as-directory", "now a file\n");
        sandbox.write("newer/file", "newer\n");
        sandbox.write("ignored", "ignored\n");
        sandbox.write("empty", "not empty\n");
        fs::remove_file(sandbox.path("link")).unwrap();
        symlink("changed", sandbox.path("link")).unwrap();
        let before = files(&sandbox.project());
        copied(&sandbox.project(), &sandbox.home().join("tree"));
        copied(&sandbox.store(), &sandbox.home().join("kept"));
        let output = run(&sandbox, &RESTORE);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let after = files(&sandbox.project());
        assert_ne!(after, before);
        Self { sandbox, before, after }
    }

    fn set(&self) {
        for entry in fs::read_dir(self.sandbox.project()).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() && !entry.is_symlink() {
                fs::remove_dir_all(entry).unwrap();
            } else {
                fs::remove_file(entry).unwrap();
            }
        }
        fs::remove_dir_all(self.sandbox.store()).unwrap();
        copied(&self.sandbox.home().join("tree"), &self.sandbox.project());
        copied(&self.sandbox.home().join("kept"), &self.sandbox.store());
    }

    /// Checks that everything that existed still exists, or is in the checkpoint of the earlier state.
    #[track_caller]
    fn check_half_done(&self, here: &str) {
        let now = files(&self.sandbox.project());
        let objects = kept(&self.sandbox).join("objects.git");
        for (path, thing) in self.before.iter().filter(|(path, thing)| now.get(*path) != Some(thing)) {
            let object = format!("refs/checkpoints/2:{}", path.display());
            let mut git = Command::new("git");
            git.arg("--git-dir").arg(&objects).args(["cat-file", "-p", &object]);
            let saved = git.output().unwrap().stdout;
            let bytes = match thing {
                Thing::File { bytes, .. } => bytes.clone(),
                Thing::Link(target) => target.as_os_str().as_encoded_bytes().to_vec(),
                Thing::Other => panic!("{here}: {}", path.display()),
            };
            assert!(saved == bytes, "{here}: {} is gone", path.display());
        }
        assert_eq!(now.get(Path::new("ignored")), self.before.get(Path::new("ignored")), "{here}");
    }
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let status = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status().unwrap();
    assert!(status.success());
}

fn is_unfinished(sandbox: &Sandbox) -> bool {
    let trees = fs::read_dir(sandbox.store().join("checkpoints")).unwrap();
    trees.map(|tree| tree.unwrap().path().join("restore.json")).any(|journal| journal.exists())
}

/// Finishes or undoes the restore, and returns whether there was anything to do.
#[track_caller]
fn finish(stage: &Stage, resumption: &str, here: &str) -> bool {
    let sandbox = &stage.sandbox;
    stage.check_half_done(here);
    if !is_unfinished(sandbox) {
        let now = files(&sandbox.project());
        assert!(now == stage.before || now == stage.after, "{here}: {now:#?}");
        return false;
    }
    sandbox
        .ctx(["checkpoint"])
        .stdout_any()
        .stderr_has("warning: a restore of checkpoint 1 was interrupted: ")
        .check();
    let hint =
        "hint: 'ctx checkpoint restore --continue' finishes it, 'ctx checkpoint restore --abort' undoes it";
    for args in [&["create"][..], &["restore", "1"], &["restore", "1", "--dry-run"], &["rm", "1"]] {
        let args: Vec<&str> = ["checkpoint"].iter().chain(args).copied().collect();
        sandbox
            .ctx(args)
            .code(1)
            .stderr_has("error: a restore of checkpoint 1 was interrupted\n")
            .stderr_has(hint)
            .check();
    }
    sandbox.ctx(["checkpoint", "restore", resumption, "-q"]).check();
    let expected = if resumption == "--abort" { &stage.before } else { &stage.after };
    let now = files(&sandbox.project());
    assert!(now == *expected, "{here} {resumption}: {now:#?}");
    true
}

fn sample() -> &'static [&'static str] {
    if is_whole() { &CALLS } else { &CALLS[..3] }
}

/// The kinds of calls, with further injections for a file system that can't exchange two names.
fn classes() -> Vec<(&'static str, &'static [&'static str])> {
    const NO_EXCHANGE: &[&str] = &["?renameat2:error=EINVAL"];
    let with = sample().iter().map(|calls| (*calls, &[][..]));
    let without = ["linkat", "?rename,?renameat"].into_iter().chain(CALLS[1..7].iter().copied());
    let without = without.take(if is_whole() { usize::MAX } else { 1 });
    with.take(sample().len().min(7)).chain(without.map(|calls| (calls, NO_EXCHANGE))).collect()
}

#[test]
fn a_killed_restore_can_be_continued_or_aborted() {
    if denied() {
        return;
    }
    let stage = Stage::new();
    let (mut kills, mut unfinished) = (0, 0);
    for calls in sample() {
        for place in 1.. {
            stage.set();
            let inject = format!("signal=KILL:when={place}");
            let run = traced(&stage.sandbox, &RESTORE, calls, Some(&inject));
            if !run.was_killed() {
                assert_eq!(run.code(), Some(0), "{calls} {place}: {}", run.stderr());
                assert!(files(&stage.sandbox.project()) == stage.after);
                break;
            }
            kills += 1;
            let resumption = if place % 2 == 0 { "--abort" } else { "--continue" };
            let here = format!("killed at {calls} {place}");
            unfinished += usize::from(finish(&stage, resumption, &here));
            stage.sandbox.ctx(["checkpoint", "create", "-q"]).stdout_any().check();
        }
    }
    eprintln!("killed {kills} restores, {unfinished} of them half done");
    assert!(unfinished >= 20, "{unfinished}");
}

#[test]
fn a_killed_abort_can_be_continued_or_aborted() {
    if denied() {
        return;
    }
    let stage = Stage::new();
    let mut kills = 0;
    // Half of the exchanges are done.
    let half = "signal=KILL:when=6";
    for calls in sample() {
        for place in 1.. {
            stage.set();
            let renames = "?renameat2";
            assert!(traced(&stage.sandbox, &RESTORE, renames, Some(half)).was_killed());
            let inject = format!("signal=KILL:when={place}");
            let abort = ["checkpoint", "restore", "--abort", "-q"];
            let run = traced(&stage.sandbox, &abort, calls, Some(&inject));
            if !run.was_killed() {
                assert_eq!(run.code(), Some(0), "{calls} {place}: {}", run.stderr());
                assert!(files(&stage.sandbox.project()) == stage.before);
                break;
            }
            kills += 1;
            if is_unfinished(&stage.sandbox) {
                let resumption = if place % 2 == 0 { "--abort" } else { "--continue" };
                let is_back = traced_journal_is_back(&stage.sandbox);
                stage.sandbox.ctx(["checkpoint", "restore", resumption, "-q"]).check();
                let now = files(&stage.sandbox.project());
                let expected = if is_back || resumption == "--abort" { &stage.before } else { &stage.after };
                assert!(now == *expected, "abort killed at {calls} {place}, {resumption}: {now:#?}");
            } else {
                assert!(files(&stage.sandbox.project()) == stage.before, "abort killed at {calls} {place}");
            }
        }
    }
    assert!(kills >= 10, "{kills}");
}

fn traced_journal_is_back(sandbox: &Sandbox) -> bool {
    let trees = fs::read_dir(sandbox.store().join("checkpoints")).unwrap();
    let mut journals =
        trees.filter_map(|tree| fs::read_to_string(tree.unwrap().path().join("restore.json")).ok());
    journals.any(|journal| journal.contains("\"back\": true"))
}

#[test]
fn a_restore_that_fails_loses_nothing() {
    if denied() {
        return;
    }
    let stage = Stage::new();
    let mut disturbed = 0;
    for (calls, also) in classes() {
        for error in ["ENOSPC", "EIO"] {
            for place in 1.. {
                stage.set();
                let inject = format!("error={error}:when={place}");
                let run = traced_where(&stage.sandbox, &RESTORE, calls, Some(&inject), also);
                let made = run.calls.iter().filter(|call| call.contains("(INJECTED)"));
                let refused = made.clone().filter(|call| !also.is_empty() && call.starts_with("renameat2"));
                if made.count() == refused.count() {
                    break;
                }
                disturbed += 1;
                let here = format!("{calls} {place} {error} {also:?}: {}", run.stderr());
                stage.check_half_done(&here);
                let now = files(&stage.sandbox.project());
                match run.code() {
                    Some(0) => assert!(now == stage.after, "{here}: {now:#?}"),
                    Some(1) if run.stderr().contains("nothing was changed") => {
                        assert!(now == stage.before, "{here}: {now:#?}");
                    }
                    Some(1) => {}
                    code => panic!("{here}: {code:?}"),
                }
                if is_unfinished(&stage.sandbox) {
                    stage.sandbox.ctx(["checkpoint", "restore", "--abort", "-q"]).check();
                    let now = files(&stage.sandbox.project());
                    assert!(now == stage.before, "{here}, aborted: {now:#?}");
                }
            }
        }
    }
    assert!(disturbed >= 20, "{disturbed}");
}

#[test]
fn a_save_at_any_point_during_a_restore_is_kept() {
    if denied() {
        return;
    }
    let stage = Stage::new();
    let mut saves = 0;
    let classes = classes();
    let sampled = if is_whole() { classes } else { vec![classes[0], classes[classes.len() - 1]] };
    let single = sampled.iter().flat_map(|(calls, also)| calls.split(',').map(move |call| (call, *also)));
    for (call, also) in single {
        for place in 1.. {
            stage.set();
            let save = || {
                let beside = stage.sandbox.home().join("saved");
                fs::write(&beside, "saved\n").unwrap();
                fs::rename(beside, stage.sandbox.path("changed")).unwrap();
            };
            let Some(output) = interposed(&stage.sandbox, &RESTORE, (call, place), also, save) else {
                break;
            };
            saves += 1;
            let here = format!("saved after {call} {place} {also:?}: {output:?}");
            let now = files(&stage.sandbox.project());
            let is_saved = |thing: &Thing| matches!(thing, Thing::File { bytes, .. } if bytes == b"saved\n");
            let object = "refs/checkpoints/2:changed";
            let mut git = Command::new("git");
            git.arg("--git-dir")
                .arg(kept(&stage.sandbox).join("objects.git"))
                .args(["cat-file", "-p", object]);
            let is_in_checkpoint = git.output().unwrap().stdout == b"saved\n";
            assert!(now.values().any(is_saved) || is_in_checkpoint, "{here}");
            let is_temporary = |path: &PathBuf| path.to_string_lossy().contains(".ctx-restore-");
            assert!(is_unfinished(&stage.sandbox) || !now.keys().any(is_temporary), "{here}");
        }
    }
    eprintln!("kept {saves} saves");
    assert!(saves >= 10, "{saves}");
}

#[test]
fn a_killed_create_leaves_the_old_list_or_the_new_one() {
    if denied() {
        return;
    }
    let stage = Stage::new();
    let count = |sandbox: &Sandbox| {
        let listed = run(sandbox, &["checkpoint", "--json"]);
        assert_eq!(listed.status.code(), Some(0));
        listed.stdout.windows(9).filter(|window| window == b"\"number\":").count()
    };
    let mut kills = 0;
    for calls in sample().iter().chain(&["?rename,?renameat"]) {
        for place in 1.. {
            stage.set();
            let inject = format!("signal=KILL:when={place}");
            let run = traced(&stage.sandbox, &["checkpoint", "create", "-q"], calls, Some(&inject));
            if !run.was_killed() {
                break;
            }
            kills += 1;
            let here = format!("create killed at {calls} {place}");
            assert!((1..=2).contains(&count(&stage.sandbox)), "{here}");
            assert!(files(&stage.sandbox.project()) == stage.before, "{here}");
            stage.sandbox.ctx(["checkpoint", "create", "-q"]).stdout_any().check();
            stage.sandbox.ctx(["checkpoint", "diff", "2"]).check();
            stage.sandbox.ctx(["checkpoint", "restore", "1", "--hard", "-q"]).check();
            assert!(files(&stage.sandbox.project()) == stage.after, "{here}");
        }
    }
    assert!(kills >= 3, "{kills}");
}
