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
    assert!(shown.contains("belongs to another user and is ignored"), "{shown}");
    assert!(shown.contains("up:AGENTS.md (1 match") && !shown.contains("secret.md"), "{shown}");
    let memory = run(&["render", "--only", "up:AGENTS.md"]);
    assert!(memory.contains("Mine") && !memory.contains("Theirs"), "{memory}");
    let log = run(&["render", "--only", "git:log"]);
    let accepts = format!("'git config --global --add safe.directory {}'", yard.0.project().display());
    assert!(log.contains("belongs to another user") && log.contains(&accepts), "{log}");
    let refers = run(&["render", "--only", "-p", "see @../secret.md"]);
    assert!(refers.contains("is outside this directory tree") && !refers.contains("\nsecret\n"), "{refers}");
    assert!(run(&["trust"]).contains("needs trust here"));
    run(&["add", "cmd:touch ran"]);
    run(&["render"]);
    assert!(yard.mine().join("ran").exists());
    assert!(!Path::new(&yard.0.path("ran")).exists());
    let trusted = std::fs::read_to_string(yard.0.store().join("trusted.json")).unwrap();
    assert!(trusted.contains("project/mine\""), "{trusted}");
    // Once git accepts the repository, its project is found, too.
    let accepted = format!("[safe]\n\tdirectory = {}\n", yard.0.project().display());
    std::fs::write(yard.0.home().join(".gitconfig"), accepted).unwrap();
    let shown = run(&["show"]);
    assert!(shown.contains("secret.md") && !shown.contains("another user"), "{shown}");
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that cannot run says so")]
fn repository_of_another_user_counts_everywhere_as_soon_as_git_accepts_it() {
    let sandbox = Sandbox::with(&[
        ("sub/z.rs", "fn zeta() {}\n"),
        ("sub/ignored.rs", "fn zeta() {}\n"),
        (".gitignore", "ignored.rs\n"),
    ]);
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]).args(arguments);
        git.current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
        assert!(git.status().unwrap().success(), "git {arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "Add zeta"]);
    let given = Command::new("chown").args(["-R", &THEIRS.to_string()]).arg(sandbox.project()).output();
    if !given.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: only root can give files away");
        return;
    }
    let sub = sandbox.path("sub");
    let accepting = "'git config --global --add safe.directory <project>' accepts it";
    let refused = format!("'<project>' belongs to another user; {accepting}\n");
    let log = ["render", "--only", "git:log"];
    sandbox.ctx_in(&sub, log).code(1).stderr_has(&refused).check();
    sandbox.ctx_in(&sub, ["ask", "zeta"]).stdout_has("[z.rs]").stderr_has(accepting).check();
    for variable in [Some(("SUDO_UID", THEIRS.to_string())), None] {
        if variable.is_none() {
            let accepted = format!("[safe]\n\tdirectory = {}\n", sandbox.project().display());
            std::fs::write(sandbox.home().join(".gitconfig"), accepted).unwrap();
        }
        let run = |arguments: &[&str]| {
            let run = sandbox.ctx_in(&sub, arguments);
            variable.iter().fold(run, |run, (name, value)| run.env(name, value))
        };
        run(&log).stdout_has("Add zeta").check();
        run(&["ask", "zeta"]).stdout_has("[sub/z.rs]").stdout_lacks("[sub/ignored.rs]").check();
        run(&["checkpoint", "--json"]).stdout_has("\"root\": \"<project>\"").check();
    }
}
