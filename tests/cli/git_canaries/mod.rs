//! A hostile repository tries to run a program, to fetch, or to have files outside of it read, in every way that
//! git's documentation mentions. Each way works with plain `git` where it can, and must not work through `git:`
//! entries.

mod leaks;
mod programs;
mod transports;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use ctx_core::process::{Launcher, Variables};
use ctx_core::source::git::{FoundChanges, Git, GitError, deadline};
use ctx_core::world::{GitEnvironment, World};
use tempfile::TempDir;

/// Every form of a `git:` entry.
const QUERIES: [&str; 10] = [
    "diff",
    "diff HEAD",
    "diff HEAD~..HEAD",
    "diff -- .",
    "staged",
    "changes",
    "changes -- a.txt",
    "show",
    "show HEAD~",
    "log -5",
];

/// One way to run a program: shell scripts in the repository, in which `$TRAP` is the program.
struct Canary {
    name: &'static str,
    /// The script that prepares the repository.
    plant: &'static str,
    /// The command that runs the program; empty if none does outside of a terminal.
    naive: &'static str,
}

/// A repository with a change, a staged change, an untracked file, a merge and a subdirectory. Next to it are a
/// home directory, another repository, and a program that leaves a mark when it runs.
struct Yard {
    root: TempDir,
    variables: Vec<(String, String)>,
}

impl Yard {
    fn new() -> Self {
        let yard =
            Self { root: tempfile::Builder::new().prefix("yard").tempdir().unwrap(), variables: Vec::new() };
        for directory in ["home", "repository", "bin"] {
            fs::create_dir(yard.path(directory)).unwrap();
        }
        let trap = format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\n", yard.path("fired").display());
        fs::write(yard.path("trap"), trap).unwrap();
        fs::set_permissions(yard.path("trap"), fs::Permissions::from_mode(0o755)).unwrap();
        yard.sh("git init -q -b main; mkdir sub; echo b >sub/b.txt; echo a >a.txt; echo s >staged.txt
             printf '*.txt diff=evil filter=evil merge=evil\n' >.gitattributes
             git add .; git commit -qm First
             git checkout -qb side; echo side >a.txt; git commit -qam Side
             git checkout -q main; echo main >a.txt; git commit -qam Main
             git merge -q side 2>/dev/null || { echo both >a.txt; git commit -qam Merge; }
             echo s2 >staged.txt; git add staged.txt; echo a2 >a.txt; echo n >new.txt");
        assert!(yard.path("repository/new.txt").exists());
        yard
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(relative)
    }

    /// Sets a variable for all following programs.
    fn variable(&mut self, name: &str, value: &str) {
        let value = value.replace("$TRAP", self.path("trap").to_str().unwrap());
        self.variables.push((name.to_owned(), value.replace("$YARD", self.path("").to_str().unwrap())));
    }

    fn variables(&self) -> Vec<(String, String)> {
        let text = |path: &str| self.path(path).to_str().unwrap().to_owned();
        let mut variables = vec![
            ("PATH".to_owned(), std::env::var("PATH").unwrap()),
            ("HOME".to_owned(), text("home")),
            ("TRAP".to_owned(), text("trap")),
            ("YARD".to_owned(), text("")),
            ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned()),
        ];
        for name in ["AUTHOR", "COMMITTER"] {
            variables.push((format!("GIT_{name}_NAME"), "A".to_owned()));
            variables.push((format!("GIT_{name}_EMAIL"), "a@example.org".to_owned()));
        }
        variables.extend(self.variables.iter().cloned());
        variables
    }

    /// Runs a shell script in the repository; returns its output.
    fn sh(&self, script: &str) -> String {
        let output = Command::new("/bin/sh")
            .args(["-c", script])
            .current_dir(self.path("repository"))
            .env_clear()
            .envs(self.variables())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    }

    /// Whether the program has run since the last call.
    fn fired(&self) -> Option<String> {
        let fired = fs::read_to_string(self.path("fired")).ok();
        if fired.is_some() {
            fs::remove_file(self.path("fired")).unwrap();
        }
        fired
    }

    fn find_in(&self, directory: &Path, query: &str) -> Result<FoundChanges, GitError> {
        let variables: Variables =
            self.variables().into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let launcher = Launcher::new(variables);
        let environment = self.variables().into_iter().map(|(name, value)| (name.into(), value.into()));
        let world = World {
            cwd: directory.to_owned(),
            root: self.path("repository"),
            home: Some(self.path("home")),
            project: None,
            git: GitEnvironment::new(environment, None),
            now: SystemTime::now(),
            threads: 1,
        };
        let git = Git::open(&self.path("repository"), &world, &launcher, deadline())?;
        git.find(&query.parse().unwrap(), directory, &world)
    }

    /// The output of all forms of `git:`, including errors, in the root and in a subdirectory.
    fn ask_everything(&self) -> String {
        let mut answers = String::new();
        for directory in ["repository", "repository/sub"] {
            for query in QUERIES {
                match self.find_in(&self.path(directory), query) {
                    Ok(found) => found
                        .documents
                        .iter()
                        .for_each(|document| answers.push_str(&String::from_utf8_lossy(&document.text))),
                    Err(error) => answers.push_str(&format!("{query}: {error}\n")),
                }
            }
        }
        answers
    }
}

/// Checks that plain git runs each program, and that no `git:` entry does, no matter who configures it: the
/// repository, or the user if the script only uses `git config`.
#[track_caller]
fn assert_canaries_live(canaries: &[Canary]) {
    for canary in canaries {
        assert_canary_lives(canary, "");
        let is_plain = !["config -f", "--worktree", "extensions.", ".git/", "-C "]
            .iter()
            .any(|own| canary.plant.contains(own));
        if is_plain && canary.plant.contains("git config") {
            assert_canary_lives(canary, BY_THE_USER);
        }
    }
}

/// Makes `git config` write to the user's configuration.
const BY_THE_USER: &str = "git() { case $1 in config) shift; command git config --global \"$@\";; *) command git \
                           \"$@\";; esac; }\n";

#[track_caller]
fn assert_canary_lives(Canary { name, plant, naive }: &Canary, before: &str) {
    let yard = Yard::new();
    yard.sh(&format!("{before}{plant}"));
    yard.fired();
    if !naive.is_empty() {
        let said = yard.sh(naive);
        assert!(yard.fired().is_some(), "{name}: git itself does not run it:\n{said}");
    }
    yard.ask_everything();
    assert_eq!(yard.fired(), None, "{name}");
}

#[test]
fn yard_without_canaries_answers_every_query() {
    let answers = Yard::new().ask_everything();
    for text in ["+a2", "+s2", "+n", "    Merge", "    First", "+both"] {
        assert!(answers.contains(text), "{text} is not in\n{answers}");
    }
    for query in QUERIES {
        assert!(!answers.contains(&format!("{query}: ")), "{answers}");
    }
}
