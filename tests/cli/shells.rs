//! Other programs, in the environment of a sandbox, with the `ctx` under test first in the path.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Sandbox, binary, needs};

/// A program in the path, if this machine has it; in CI it must.
#[track_caller]
pub fn program(name: &str) -> Option<PathBuf> {
    let found = std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|dir| dir.join(name))
        .find(|path| path.exists());
    if found.is_none() {
        needs(name);
    }
    found
}

/// `PROGRAM ARGS` in the project, with only the variables of the sandbox.
pub fn command(sandbox: &Sandbox, program: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
    let mut directories = vec![binary().parent().unwrap().to_owned()];
    directories.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    command.env("PATH", std::env::join_paths(directories).unwrap());
    command
}

/// The output of a script for a shell; standard error must be empty.
#[track_caller]
pub fn output(sandbox: &Sandbox, program: &Path, args: &[&str]) -> String {
    let output = command(sandbox, program, args).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{program:?} {args:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}
