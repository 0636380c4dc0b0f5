//! Projects with real git.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Sandbox;

/// `git ARGS` in a directory of the sandbox, with a user name set.
#[track_caller]
pub fn git(sandbox: &Sandbox, directory: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .envs(sandbox.environment())
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with a project, committed: two files, and a directory with another.
pub fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("b.md", "b\n"), ("sub/c.md", "c\n")]);
    let project = sandbox.project();
    git(&sandbox, &project, &["init", "-q"]);
    sandbox
        .ctx(["init"])
        .stderr("Created project <project>: 'ctx add' now adds to it; commit .ctx to share it\n")
        .check();
    commit(&sandbox);
    sandbox
}

pub fn commit(sandbox: &Sandbox) {
    let project = sandbox.project();
    git(sandbox, &project, &["add", "-A"]);
    git(sandbox, &project, &["commit", "-q", "-m", "x"]);
}

/// A clone of the repository, next to it.
pub fn clone(sandbox: &Sandbox, name: &str) -> PathBuf {
    let clone = sandbox.path(&format!("../{name}"));
    git(sandbox, &sandbox.project(), &["clone", "-q", ".", clone.to_str().unwrap()]);
    clone.canonicalize().unwrap()
}
