//! The git of a command that was killed: the next command waits for it.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::support::{Sandbox, binary};

/// A git that reports when it is to import contents, and then waits until it is released.
const GIT: &str = "#!/bin/sh\ncase \" $* \" in\n*' fast-import '*) echo x > \"$0.started\"; read x < \"$0.released\" ;;\n\
                   *) PATH=${PATH#*:} exec git \"$@\" ;;\nesac\n";

#[test]
fn next_checkpoint_waits_for_the_git_of_a_killed_one() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    let programs = sandbox.home().join("programs");
    let git = programs.join("git");
    fs::create_dir(&programs).unwrap();
    fs::write(&git, GIT).unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    let [started, released] = ["started", "released"].map(|end| programs.join(format!("git.{end}")));
    assert!(Command::new("mkfifo").args([&started, &released]).status().unwrap().success());
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut create = Command::new(binary());
    create.args(["checkpoint", "create"]).current_dir(sandbox.project()).env_clear();
    create.envs(sandbox.environment()).env("PATH", path);
    let mut create = create.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    fs::read(&started).unwrap();
    create.kill().unwrap();
    create.wait().unwrap();
    let tree = fs::read_dir(sandbox.store().join("checkpoints")).unwrap().next().unwrap().unwrap();
    let lock = File::open(tree.path().join("lock")).unwrap();
    assert!(matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
    fs::write(&released, "x\n").unwrap();
    sandbox.ctx(["checkpoint", "create"]).stdout("1\n").check();
}
