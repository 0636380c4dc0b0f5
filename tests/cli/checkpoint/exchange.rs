//! A file system that can't exchange two names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::state::{Thing, files};
use super::{git, kept};
use crate::states::run;
use crate::strace::interposed;
use crate::support::{Sandbox, binary};

/// A tree that has changed in every possible way since its checkpoint.
fn changed() -> (Sandbox, BTreeMap<PathBuf, Thing>) {
    let sandbox = Sandbox::with(&[("a", "one\n"), ("missing", "one\n"), ("d/e", "one\n"), ("same", "one\n")]);
    let saved = files(&sandbox.project());
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    sandbox.write("a", "two\n");
    fs::remove_file(sandbox.path("missing")).unwrap();
    sandbox.write("newer", "two\n");
    fs::remove_dir_all(sandbox.path("d")).unwrap();
    sandbox.write("d", "two\n");
    (sandbox, saved)
}

const RESTORE: [&str; 5] = ["checkpoint", "restore", "1", "--hard", "-q"];

/// The injection for a file system that can't exchange two names.
const NO_EXCHANGE: &str = "renameat2:error=EINVAL";

/// The calls that remove a name on such a file system, and those that add one.
const STEPS: [&str; 2] = ["renameat", "linkat"];

/// Every such call that a restore makes, with its number.
fn places() -> Vec<(&'static str, usize)> {
    let (sandbox, _) = changed();
    without_exchange(&sandbox, None);
    let log = fs::read_to_string(sandbox.home().join("strace.log")).unwrap();
    let made = |call: &str| log.lines().filter(|line| line.starts_with(&format!("{call}("))).count();
    STEPS.into_iter().flat_map(|call| (1..=made(call)).map(move |place| (call, place))).collect()
}

/// Runs a restore on a file system that can't exchange two names. `happens` is an injection for one of its
/// steps.
fn without_exchange(sandbox: &Sandbox, happens: Option<&str>) -> Output {
    let mut command = Command::new("strace");
    command.args(["-qq", "-e", "trace=renameat2,renameat,linkat", "-o"]);
    command.arg(sandbox.home().join("strace.log"));
    command.args(["-e", &format!("inject={NO_EXCHANGE}")]);
    if let Some(happens) = happens {
        command.args(["-e", &format!("inject={happens}")]);
    }
    command.arg(binary()).args(RESTORE).current_dir(sandbox.project()).env_clear();
    command.envs(sandbox.environment()).output().unwrap()
}

/// Leftover names that ctx didn't report.
fn leftovers(sandbox: &Sandbox) -> Vec<PathBuf> {
    let is_temporary = |path: &PathBuf| path.to_string_lossy().contains(".ctx-restore-");
    files(&sandbox.project()).into_keys().filter(is_temporary).collect()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn without_exchange_a_restore_has_the_same_result() {
    if crate::strace::denied() {
        return;
    }
    let (sandbox, saved) = changed();
    let output = without_exchange(&sandbox, None);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(files(&sandbox.project()), saved);
}

#[test]
fn without_exchange_a_killed_restore_can_be_continued_or_aborted() {
    if crate::strace::denied() {
        return;
    }
    let mut kills = 0;
    for (calls, place) in places() {
        let (sandbox, saved) = changed();
        let before = files(&sandbox.project());
        let output = without_exchange(&sandbox, Some(&format!("{calls}:signal=KILL:when={place}")));
        if !kept(&sandbox).join("restore.json").exists() {
            let expected = if output.status.code() == Some(0) { saved } else { before };
            assert_eq!(files(&sandbox.project()), expected, "killed at {calls} {place}");
            continue;
        }
        kills += 1;
        let (resumption, expected) = match place % 2 {
            0 => ("--abort", before),
            _ => ("--continue", saved),
        };
        sandbox.ctx(["checkpoint", "restore", resumption, "-q"]).check();
        assert_eq!(files(&sandbox.project()), expected, "killed at {calls} {place}, {resumption}");
    }
    assert!(kills >= 5, "{kills}");
}

#[test]
fn without_exchange_a_failing_step_leaves_every_file_under_its_name() {
    if crate::strace::denied() {
        return;
    }
    let mut stopped = 0;
    for persistent in ["", "+"] {
        for (calls, place) in places() {
            let (sandbox, saved) = changed();
            let before = files(&sandbox.project());
            let happens = format!("{calls}:error=EIO:when={place}{persistent}");
            let output = without_exchange(&sandbox, Some(&happens));
            let here = format!("{happens}: {}", stderr(&output));
            if output.status.code() == Some(0) {
                assert_eq!(files(&sandbox.project()), saved, "{here}");
                continue;
            }
            assert_eq!(output.status.code(), Some(1), "{here}");
            if kept(&sandbox).join("restore.json").exists() {
                stopped += 1;
                assert!(stderr(&output).contains("the restore of checkpoint 1 stopped"), "{here}");
                sandbox.ctx(["checkpoint", "restore", "--abort", "-q"]).check();
                assert_eq!(files(&sandbox.project()), before, "{here}");
                continue;
            }
            assert!(leftovers(&sandbox).is_empty(), "{here}");
            // The paths that are reported as left alone are unchanged, and all others are restored.
            for path in ["a", "missing", "newer", "d"] {
                let thing = |files: &BTreeMap<PathBuf, Thing>| files.get(Path::new(path)).cloned();
                let stays = stderr(&output).contains(&format!("'{path}' stays as it is"));
                let is_untouched = stderr(&output).contains("nothing was changed");
                let expected = if stays || is_untouched { &before } else { &saved };
                assert_eq!(thing(&files(&sandbox.project())), thing(expected), "{path}, {here}");
            }
        }
    }
    assert!(stopped > 0);
}

#[test]
fn without_exchange_a_save_between_the_steps_is_kept() {
    if crate::strace::denied() {
        return;
    }
    let mut saves = 0;
    for (calls, place) in places() {
        let (sandbox, _) = changed();
        let save = || {
            sandbox.write(".a.editor", "saved\n");
            fs::rename(sandbox.path(".a.editor"), sandbox.path("a")).unwrap();
        };
        let Some(output) = interposed(&sandbox, &RESTORE, (calls, place), &[NO_EXCHANGE], save) else {
            continue;
        };
        saves += 1;
        let here = format!("{calls} {place}: {}", stderr(&output));
        assert_eq!(sandbox.read("a"), "saved\n", "{here}");
        assert!(leftovers(&sandbox).is_empty(), "{here}");
        assert!(!kept(&sandbox).join("restore.json").exists(), "{here}");
    }
    assert!(saves >= 5, "{saves}");
}

#[test]
fn without_exchange_a_save_after_a_kill_blocks_neither_continue_nor_abort() {
    if crate::strace::denied() {
        return;
    }
    for resumption in ["--abort", "--continue"] {
        let mut kills = 0;
        for (calls, place) in places() {
            let (sandbox, _) = changed();
            without_exchange(&sandbox, Some(&format!("{calls}:signal=KILL:when={place}")));
            if !kept(&sandbox).join("restore.json").exists() {
                continue;
            }
            kills += 1;
            sandbox.write("a", "saved\n");
            let here = format!("{resumption} after {calls} {place}");
            let output = run(&sandbox, &["checkpoint", "restore", resumption, "-q"]);
            assert!(output.status.code() <= Some(1), "{here}: {}", stderr(&output));
            assert_eq!(sandbox.read("a"), "saved\n", "{here}: {}", stderr(&output));
            assert!(leftovers(&sandbox).is_empty(), "{here}");
            sandbox.ctx(["checkpoint", "create", "-q"]).stdout_any().check();
        }
        assert!(kills >= 5, "{kills}");
    }
}

#[test]
fn file_with_a_temporary_name_is_kept_and_does_not_block_the_restore() {
    let sandbox = Sandbox::with(&[("a", "one\n"), ("a.ctx-kept-0-1", "of before\n")]);
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    let id = git(&kept(&sandbox), &["--git-dir=objects.git", "rev-parse", "refs/checkpoints/1:a"]);
    let id = id.trim();
    let journal = format!(
        r#"{{"version":1,"target":1,"before":1,"stage":"exchanging","back":false,"made":[],"steps":[
        {{"path":"a","beside":"","temporary":".ctx-restore-0-1","before":"100755 {id}","after":"100644 {id}"}}]}}"#
    );
    fs::write(kept(&sandbox).join("restore.json"), journal).unwrap();
    sandbox.write("a", "two\n");
    sandbox.write(".ctx-restore-0-1/inside", "inside\n");
    sandbox
        .ctx(["checkpoint", "restore", "--continue", "-q"])
        .code(1)
        .stderr_has("error: 'a' stays as it is: it was changed in the meantime\n")
        .stderr_has(
            "error: 'a' was changed in the meantime: a version is kept next to it as 'a.ctx-kept-0-1-2'\n",
        )
        .check();
    assert_eq!(sandbox.read("a.ctx-kept-0-1-2/inside"), "inside\n");
    assert_eq!(sandbox.read("a.ctx-kept-0-1"), "of before\n");
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("2\n").check();
}
