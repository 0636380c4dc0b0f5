//! A file system that cannot exchange two names.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use super::kept;
use super::state::{Thing, files};
use crate::support::{Sandbox, binary};

/// A tree that has changed since its checkpoint, in every way.
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

/// Runs a restore where two names cannot be exchanged; with a place, it is killed at that rename.
fn without_exchange(sandbox: &Sandbox, place: Option<usize>) -> Output {
    let mut command = Command::new("strace");
    command.args(["-qq", "-o", "/dev/null", "-e", "trace=renameat2,renameat"]);
    command.args(["-e", "inject=renameat2:error=EINVAL"]);
    if let Some(place) = place {
        command.args(["-e", &format!("inject=renameat:signal=KILL:when={place}")]);
    }
    command.arg(binary()).args(RESTORE).current_dir(sandbox.project()).env_clear();
    command.envs(sandbox.environment()).output().unwrap()
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that cannot run says so")]
fn where_names_cannot_be_exchanged_a_restore_does_the_same() {
    if let Some(why) = crate::strace::denied() {
        return eprintln!("skipped: {why}");
    }
    let (sandbox, saved) = changed();
    let output = without_exchange(&sandbox, None);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(files(&sandbox.project()), saved);
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that cannot run says so")]
fn where_names_cannot_be_exchanged_a_killed_restore_is_finished_or_put_back() {
    if let Some(why) = crate::strace::denied() {
        return eprintln!("skipped: {why}");
    }
    let mut kills = 0;
    for place in 1.. {
        let (sandbox, saved) = changed();
        let before = files(&sandbox.project());
        let output = without_exchange(&sandbox, Some(place));
        if output.status.code() == Some(0) {
            break;
        }
        if !kept(&sandbox).join("restore.json").exists() {
            assert_eq!(files(&sandbox.project()), before, "killed at {place}");
            continue;
        }
        kills += 1;
        let (resumption, expected) = match place % 2 {
            0 => ("--abort", before),
            _ => ("--continue", saved),
        };
        sandbox.ctx(["checkpoint", "restore", resumption, "-q"]).check();
        assert_eq!(files(&sandbox.project()), expected, "killed at {place}, {resumption}");
    }
    assert!(kills >= 5, "{kills}");
}
