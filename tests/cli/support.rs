//! A hermetic place to run `ctx`: its own home and store, and a cleared environment.
//!
//! Standard output and standard error must be empty unless a test expects otherwise.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use assert_cmd::Command;
use ctx_core::fs::real;
use predicates::Predicate;
use predicates::prelude::{PredicateBooleanExt, predicate};
use regex::{Captures, Regex};
use serde_json::Value;
use tempfile::TempDir;

/// Says that a test does nothing because it needs something that `tests/tools/install` installs. In CI, where it must
/// be installed, fails the test instead.
#[track_caller]
pub fn needs(what: &str) {
    let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(!is_ci, "needs {what}; tests/tools/install installs it");
    tell(&format!(
        "skipped: {} needs {what}; tests/tools/install installs it\n",
        test_of(Location::caller())
    ));
}

/// Says that a test does nothing on this machine, whatever is installed.
#[track_caller]
pub fn skipped(why: &str) {
    tell(&format!("skipped: {}: {why}\n", test_of(Location::caller())));
}

/// The name of the running test. The harness names threads after tests, except where it runs them on its own.
fn test_of(caller: &Location<'_>) -> String {
    match std::thread::current().name() {
        Some(name) if name != "main" => name.to_owned(),
        _ => caller.to_string(),
    }
}

/// Writes to standard error itself: the harness hides what the macros print in a test that passes.
fn tell(line: &str) {
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// A directory that contains a home and a project.
pub struct Sandbox {
    root: TempDir,
    variables: Vec<(String, String)>,
}

impl Sandbox {
    /// An empty home and an empty project.
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("ctx").tempdir().unwrap();
        fs::create_dir(root.path().join("home")).unwrap();
        fs::create_dir(root.path().join("project")).unwrap();
        Self { root, variables: Vec::new() }
    }

    /// A project with these files: paths and contents.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::new();
        for (path, contents) in files {
            sandbox.write(path, contents);
        }
        sandbox
    }

    /// Sets a variable for all following commands.
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Sets the clock of all following commands a minute ahead: the change time of a file can't be set, and a
    /// recent one isn't trusted.
    pub fn a_minute_later(self) -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        self.variable("CTX_NOW", &(now.as_secs() + 60).to_string())
    }

    pub fn home(&self) -> PathBuf {
        real(self.root.path()).unwrap().join("home")
    }

    /// The entries of the default profile, as stored.
    pub fn stored_entries(&self) -> Value {
        let list: Value = serde_json::from_str(&self.stored("profiles/default.json")).unwrap();
        list["paths"].clone()
    }

    pub fn project(&self) -> PathBuf {
        real(self.root.path()).unwrap().join("project")
    }

    pub fn store(&self) -> PathBuf {
        self.home().join("store")
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.project().join(relative)
    }

    /// Writes a file of the project, and creates the directories above it.
    pub fn write(&self, relative: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap()
    }

    /// Makes the project an empty repository that git accepts.
    pub fn repository(&self) {
        for directory in ["objects", "refs"] {
            fs::create_dir_all(self.path(".git").join(directory)).unwrap();
        }
        self.write(".git/HEAD", "ref: refs/heads/main\n");
    }

    /// A named pipe in the project.
    #[cfg(unix)]
    pub fn fifo(&self, relative: &str) {
        let made = std::process::Command::new("mkfifo").arg(self.path(relative)).status().unwrap();
        assert!(made.success());
    }

    /// A socket in the project.
    #[cfg(unix)]
    pub fn socket(&self, relative: &str) {
        std::os::unix::net::UnixListener::bind(self.path(relative)).unwrap();
    }

    /// A file of the store.
    pub fn stored(&self, relative: &str) -> String {
        fs::read_to_string(self.store().join(relative)).unwrap()
    }

    /// Puts a file into the store by hand.
    pub fn write_store(&self, relative: &str, contents: impl AsRef<[u8]>) {
        let path = self.store().join(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    /// `ctx ARGS` in the project.
    pub fn ctx<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run<'_> {
        self.ctx_in(&self.project(), args)
    }

    /// `ctx ARGS` in another directory.
    pub fn ctx_in<S: AsRef<OsStr>>(&self, cwd: &Path, args: impl IntoIterator<Item = S>) -> Run<'_> {
        let mut command = Command::new(binary());
        command.args(args).current_dir(cwd).env_clear();
        for (name, value) in self.environment() {
            command.env(name, value);
        }
        Run { sandbox: self, command, code: 0, stdout: Expected::empty(), stderr: Expected::empty() }
    }

    /// The whole environment of a command, for tests that start other programs.
    pub fn environment(&self) -> Vec<(String, String)> {
        let home = self.home().to_str().unwrap().to_owned();
        let mut variables = vec![
            ("HOME".into(), home.clone()),
            ("CTX_HOME".into(), self.store().to_str().unwrap().into()),
            ("XDG_CONFIG_HOME".into(), format!("{home}/.config")),
            ("XDG_CACHE_HOME".into(), format!("{home}/.cache")),
            ("LANG".into(), "C.UTF-8".into()),
            ("TERM".into(), "xterm-256color".into()),
        ];
        if cfg!(windows) {
            for (name, directory) in
                [("USERPROFILE", ""), ("APPDATA", r"\.config"), ("LOCALAPPDATA", r"\.cache")]
            {
                variables.push((name.into(), format!("{home}{directory}")));
            }
        }
        // Windows needs `SystemRoot` to find its own libraries.
        for name in ["PATH", "SystemRoot"] {
            variables.extend(std::env::var(name).map(|value| (name.into(), value)));
        }
        variables.extend(self.variables.iter().cloned());
        variables
    }

    /// Replaces the directory names of this run with words.
    fn normalise(&self, text: &str) -> String {
        let text = text
            .replace(self.store().to_str().unwrap(), "<store>")
            .replace(self.project().to_str().unwrap(), "<project>")
            .replace(self.home().to_str().unwrap(), "<home>");
        if cfg!(windows) { self.with_slashes(text) } else { text }
    }

    /// Rewrites Windows paths in `text` in the form of other systems.
    fn with_slashes(&self, text: String) -> String {
        let slashed = |path: PathBuf| path.to_str().unwrap().replace('\\', "/");
        let text = text
            .replace(&slashed(self.store()), "<store>")
            .replace(&slashed(self.project()), "<project>")
            .replace(&slashed(self.home()), "<home>");
        let paths = Regex::new(r"<(?:store|project|home)>[^\s':;,]*").unwrap();
        paths.replace_all(&text, |path: &Captures<'_>| path[0].replace('\\', "/")).into_owned()
    }
}

/// Whether campaigns run completely: at every point instead of a sample.
pub fn is_whole() -> bool {
    std::env::var_os("CTX_CAMPAIGN").is_some_and(|value| value == "whole")
}

/// The `ctx` under test.
pub fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_ctx"))
}

/// The expected contents of a stream.
enum Expected {
    Exactly(String),
    Matching(Vec<Box<dyn Predicate<str>>>),
}

impl Expected {
    fn empty() -> Self {
        Self::Exactly(String::new())
    }

    fn add(&mut self, predicate: impl Predicate<str> + 'static) {
        match self {
            Self::Matching(all) => all.push(Box::new(predicate)),
            Self::Exactly(_) => *self = Self::Matching(vec![Box::new(predicate)]),
        }
    }

    #[track_caller]
    fn check(&self, stream: &str, actual: &str, context: &str) {
        match self {
            Self::Exactly(text) => {
                let actual = &without_cost(actual, text);
                let same = predicate::str::diff(text.clone());
                assert!(same.eval(actual), "{stream} is\n{actual}\nnot\n{text}\n{context}");
            }
            Self::Matching(all) => {
                for one in all {
                    assert!(one.eval(actual), "{stream} does not hold {one}:\n{actual}\n{context}");
                }
            }
        }
    }
}

/// Messages without the lines that say how much is sent, unless they are expected. One follows any question whose files
/// all fit, the other any prompt to a program.
fn without_cost(text: &str, expected: &str) -> String {
    let is_cost = |line: &str, beginning: &str| {
        line.starts_with(beginning) && line.contains(" tokens") && !expected.contains(beginning)
    };
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !is_cost(line, "note: all ") && !is_cost(line, "note: sent to '")).collect()
}

/// A command that is about to run, and its expected results.
#[must_use = "nothing runs before check()"]
pub struct Run<'a> {
    sandbox: &'a Sandbox,
    command: Command,
    code: i32,
    stdout: Expected,
    stderr: Expected,
}

impl Run<'_> {
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.command.write_stdin(text);
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn code(mut self, code: i32) -> Self {
        self.code = code;
        self
    }

    pub fn stdout(mut self, text: impl Into<String>) -> Self {
        self.stdout = Expected::Exactly(text.into());
        self
    }

    pub fn stderr(mut self, text: impl Into<String>) -> Self {
        self.stderr = Expected::Exactly(text.into());
        self
    }

    pub fn stdout_has(mut self, text: &str) -> Self {
        self.stdout.add(predicate::str::contains(text.to_owned()));
        self
    }

    pub fn stderr_has(mut self, text: &str) -> Self {
        self.stderr.add(predicate::str::contains(text.to_owned()));
        self
    }

    pub fn stdout_lacks(mut self, text: &str) -> Self {
        self.stdout.add(predicate::str::contains(text.to_owned()).not());
        self
    }

    pub fn stderr_lacks(mut self, text: &str) -> Self {
        self.stderr.add(predicate::str::contains(text.to_owned()).not());
        self
    }

    /// Checks that no long name fills the terminal.
    #[cfg(unix)]
    pub fn stderr_short(mut self) -> Self {
        self.stderr
            .add(predicate::function(|text: &str| text.lines().all(|line| line.chars().count() < 1_100)));
        self
    }

    pub fn stderr_any(mut self) -> Self {
        self.stderr.add(predicate::always());
        self
    }

    pub fn stdout_any(mut self) -> Self {
        self.stdout.add(predicate::always());
        self
    }

    /// Runs the command and compares the results; returns standard output with words for directory names.
    #[track_caller]
    pub fn check(self) -> String {
        let Self { sandbox, mut command, code, stdout, stderr } = self;
        let output = command.output().unwrap();
        let out = sandbox.normalise(&String::from_utf8_lossy(&output.stdout));
        let err = sandbox.normalise(&String::from_utf8_lossy(&output.stderr));
        let context = format!("of {command:?}\n--- stdout\n{out}\n--- stderr\n{err}");
        assert_eq!(output.status.code(), Some(code), "exit code {context}");
        stdout.check("stdout", &out, &context);
        stderr.check("stderr", &err, &context);
        out
    }
}

/// The block of these documents, as printed without ids.
pub fn block(documents: &str) -> String {
    format!("--- CONTEXT FILES BEGIN ---\n{documents}--- CONTEXT FILES END ---\n")
}

/// The block of documents with these labels and contents.
pub fn block_of(documents: &[(&str, &str)]) -> String {
    let documents: Vec<String> = documents.iter().map(|(label, text)| format!("[{label}]\n{text}")).collect();
    block(&documents.join("\n"))
}

/// The root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
