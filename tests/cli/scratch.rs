//! The directory with copies of changed files that git gets: only for the user, and gone when the command ends.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

use rustix::process::Signal;

use crate::support::{Sandbox, binary};

/// A repository with a changed file in a directory, and a directory for temporary files.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[("sub/a.txt", "a\n")]);
    for arguments in [
        &["init", "-q"][..],
        &["add", "."],
        &["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "A"],
    ] {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
        assert!(git.status().unwrap().success());
    }
    sandbox.write("sub/a.txt", "two\n");
    fs::create_dir(sandbox.home().join("tmp")).unwrap();
    sandbox
}

/// Renders the changes under a umask. Whenever git gets copies, `script` runs first, in the directory with them.
fn with_copies(sandbox: &Sandbox, umask: &str, script: &str) -> Output {
    let programs = sandbox.home().join("programs");
    fs::create_dir_all(&programs).unwrap();
    let git = format!(
        "#!/bin/sh\ncase $GIT_INDEX_FILE in\n*/ctx-*/index) (cd \"${{GIT_INDEX_FILE%/*}}\"\n{script}\n) ;;\nesac\n\
         PATH=${{PATH#*:}} exec git \"$@\"\n"
    );
    fs::write(programs.join("git"), git).unwrap();
    fs::set_permissions(programs.join("git"), Permissions::from_mode(0o755)).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("umask {umask}; ulimit -c 0; exec \"$0\" render --only git:diff")]);
    shell.arg(binary()).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    shell.env("PATH", path).env("TMPDIR", sandbox.home().join("tmp")).output().unwrap()
}

fn are_gone(sandbox: &Sandbox) -> bool {
    fs::read_dir(sandbox.home().join("tmp")).unwrap().next().is_none()
}

#[test]
fn copies_are_only_for_the_user_whatever_the_umask() {
    for umask in ["000", "022", "077"] {
        let sandbox = repository();
        // Git itself writes the index again.
        let list =
            "find . ! -name index -exec ls -ld {} + | tee -a \"$HOME/modes\"; ls -l index >>\"$HOME/index\"";
        let output = with_copies(&sandbox, umask, list);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && error.is_empty(), "{umask}: {error}");
        let modes = fs::read_to_string(sandbox.home().join("modes")).unwrap();
        for (name, mode) in
            [(".", "drwx------"), ("./tree", "drwx------"), ("./tree/sub/a.txt", "-rw-------")]
        {
            let is_it = |line: &&str| line.starts_with(mode) && line.ends_with(&format!(" {name}"));
            assert!(modes.lines().any(|line| is_it(&line)), "{name} under {umask}:\n{modes}");
        }
        let is_open = |line: &&str| !line[4..].starts_with("------");
        assert_eq!(modes.lines().find(is_open), None, "{umask}");
        let index = fs::read_to_string(sandbox.home().join("index")).unwrap();
        assert!(index.starts_with("-rw-------"), "{umask}: {index}");
        assert!(are_gone(&sandbox), "{umask}");
    }
}

#[test]
fn copies_are_gone_after_a_signal() {
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM].map(Signal::as_raw) {
        let sandbox = repository();
        let output = with_copies(
            &sandbox,
            "022",
            &format!("test -s tree/sub/a.txt && kill -{signal} $PPID && tail -f /dev/null"),
        );
        assert_eq!(output.status.signal(), Some(signal), "{:?}", String::from_utf8_lossy(&output.stderr));
        assert!(are_gone(&sandbox), "signal {signal}");
    }
}
