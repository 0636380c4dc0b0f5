//! Trees that belong to others, above the user's own directory. Only root can create them.

#![cfg(unix)]

use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Sandbox, binary, skipped};

const THEIRS: u32 = 12_345;
const OURS: u32 = 65_534;

/// A repository and project of one user, which contains a directory of another.
struct Yard(Sandbox);

impl Yard {
    /// `None` if the test can't run as another user.
    fn new() -> Option<Self> {
        let yard = Self(Sandbox::with(&[
            ("AGENTS.md", "Theirs\n"),
            ("secret.md", "secret\n"),
            (".ctx/profiles/default.json", r#"{"paths": ["secret.md", "cmd:touch ran"]}"#),
            ("mine/AGENTS.md", "Mine\n"),
            ("mine/a.md", "a\n"),
        ]));
        yard.git(&["init", "-q"]);
        yard.git(&["add", "-A"]);
        yard.git(&["commit", "-qm", "Theirs"]);
        chown(yard.0.project(), Some(THEIRS), None).ok()?;
        for (path, owner) in [
            (yard.0.path(".git"), THEIRS),
            (yard.0.path(".ctx"), THEIRS),
            (yard.mine(), OURS),
            (yard.0.path("mine/AGENTS.md"), OURS),
            (yard.0.path("mine/a.md"), OURS),
            (yard.0.home(), OURS),
        ] {
            chown(path, Some(owner), None).unwrap();
        }
        let root = yard.0.project().parent().unwrap().to_owned();
        Command::new("chmod").arg("a+rx").arg(root).status().unwrap();
        yard.run(&["models"]).map(|_| yard)
    }

    fn mine(&self) -> PathBuf {
        self.0.path("mine")
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]).args(arguments);
        git.current_dir(self.0.project()).env_clear().envs(self.0.environment());
        assert!(git.status().unwrap().success(), "git {arguments:?}");
    }

    /// The output and messages of `ctx ARGS`, run as the owner of the directory; `None` if that isn't possible.
    fn run(&self, arguments: &[&str]) -> Option<String> {
        // The program may be in a place that only root can access.
        let copy = self.0.home().join("ctx");
        if !copy.exists() {
            std::fs::copy(binary(), &copy).unwrap();
        }
        let mut command = Command::new("setpriv");
        command.args([&format!("--reuid={OURS}"), "--clear-groups"]).arg(&copy).args(arguments);
        let output = command.current_dir(self.mine()).env_clear().envs(self.0.environment()).output().ok()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        output.status.code().map(|_| text(&output.stdout) + &text(&output.stderr))
    }
}

#[test]
fn tree_above_that_belongs_to_another_user_is_skipped() {
    let Some(yard) = Yard::new() else {
        skipped("only root can give files away");
        return;
    };
    let run = |arguments: &[&str]| yard.run(arguments).unwrap();
    let shown = run(&["show"]);
    assert!(shown.contains("belongs to another user and is skipped"), "{shown}");
    assert!(shown.contains("up:AGENTS.md (1 match") && !shown.contains("secret.md"), "{shown}");
    let memory = run(&["render", "--only", "up:AGENTS.md"]);
    assert!(memory.contains("Mine") && !memory.contains("Theirs"), "{memory}");
    assert!(run(&["render", "--only", "git:log"]).contains("not in a git repository"));
    let refers = run(&["render", "--only", "-p", "see @../secret.md"]);
    assert!(refers.contains("is outside this directory tree") && !refers.contains("\nsecret\n"), "{refers}");
    assert!(run(&["trust"]).contains("Everything here is already trusted"));
    run(&["add", "cmd:touch ran"]);
    run(&["render"]);
    assert!(yard.mine().join("ran").exists());
    assert!(!Path::new(&yard.0.path("ran")).exists());
    let trusted = std::fs::read_to_string(yard.0.store().join("trusted.json")).unwrap();
    assert!(trusted.contains("project/mine\""), "{trusted}");
}
