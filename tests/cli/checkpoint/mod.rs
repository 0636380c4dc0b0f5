//! Checkpoints.

mod around;
#[cfg(target_os = "linux")]
mod exchange;
#[cfg(target_os = "linux")]
mod interrupted;
#[cfg(target_os = "linux")]
mod killed;
mod random;
mod restored;
mod saved;
mod state;
#[cfg(unix)]
mod surroundings;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Sandbox;

/// A git repository with files of many kinds.
fn tree() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("src/a.rs", "fn a() {}\n"),
        ("src/b.rs", "fn b() {}\r\nmixed\n"),
        ("README.md", "# Readme\n"),
        (".gitignore", "*.log\ntarget/\n"),
        ("target/debug/out", "ignored\n"),
        ("x.log", "ignored\n"),
        ("kept.log", "tracked though ignored\n"),
        (".env", "SECRET=1\n"),
        ("prod.env", "TRACKED=1\n"),
        ("nested/.gitignore", "own.tmp\n"),
        ("nested/n.txt", "nested\n"),
        ("nested/own.tmp", "ignored in there\n"),
        ("new\nline", "a name of two lines\n"),
        ("deep/.GIT/config", "not ours\n"),
    ]);
    git(&sandbox.project(), &["init", "-q", "."]);
    git(&sandbox.path("nested"), &["init", "-q", "."]);
    git(&sandbox.project(), &["add", "-f", "README.md", "kept.log", "prod.env"]);
    git(&sandbox.project(), &["commit", "-q", "-m", "first"]);
    sandbox
}

/// Leaves the journal of a restore of checkpoint 1 that was killed before it did anything.
fn interrupt_a_restore(sandbox: &Sandbox) {
    let journal =
        r#"{"version":1,"target":1,"before":1,"stage":"preparing","back":false,"steps":[],"made":[]}"#;
    std::fs::write(kept(sandbox).join("restore.json"), journal).unwrap();
}

/// The directory with the checkpoints; only one tree has any.
fn kept(sandbox: &Sandbox) -> PathBuf {
    let mut trees = std::fs::read_dir(sandbox.store().join("checkpoints")).unwrap();
    trees.next().unwrap().unwrap().path()
}

#[track_caller]
fn git(directory: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"]).args(args);
    let output = command.current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
