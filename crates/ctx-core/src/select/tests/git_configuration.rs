//! The selection agrees with git, whatever is configured and wherever.

use std::ffi::OsString;
use std::process::{Command, Output};

use super::super::explain::explain;
use super::super::ignore_rules::Ruling;
use super::git_random::EXCLUDES;
use super::*;
use crate::fs::real;
use crate::world::GitEnvironment;

const UNSAFE: &str = "git configuration cannot be read safely";
const EVERYTHING: [&str; 3] = ["**", "**/.*", "**/.*/**"];

/// A repository `w` in a home directory, and the variables that git and the selection see.
pub struct Place {
    pub fixture: Fixture,
    pub variables: Vec<(String, String)>,
}

impl Place {
    /// `None` if git is not installed.
    pub fn new(files: &[&str]) -> Option<Self> {
        let place = Self { fixture: Fixture::new(files), variables: Vec::new() };
        place.succeeds(".", &["init", "-q", "-b", "main"]).then_some(place)
    }

    fn git(&self, directory: &str, arguments: &[&str]) -> Option<Output> {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.fixture.path(directory)).env_clear();
        command.env("PATH", std::env::var_os("PATH")?).env("HOME", self.fixture.home());
        if self.variables.iter().all(|(name, _)| name != "GIT_CONFIG_SYSTEM") {
            command.env("GIT_CONFIG_NOSYSTEM", "1");
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value))).output().ok()
    }

    fn succeeds(&self, directory: &str, arguments: &[&str]) -> bool {
        self.git(directory, arguments).is_some_and(|output| output.status.success())
    }

    /// The output of `git ls-files`; `None` if it fails.
    fn listed(&self, directory: &str) -> Option<Vec<String>> {
        let output = self.git(directory, &["ls-files", "-o", "--exclude-standard", "-z"])?;
        let mut listed: Vec<String> =
            String::from_utf8(output.stdout).unwrap().split_terminator('\0').map(str::to_owned).collect();
        listed.sort_unstable();
        output.status.success().then_some(listed)
    }

    fn world(&self, directory: &str) -> World {
        let variables = self.variables.iter().map(|(name, value)| (OsString::from(name), value.into()));
        let cwd = real(self.fixture.path(directory)).unwrap();
        World {
            root: cwd.clone(),
            cwd,
            git: GitEnvironment::new(variables, None),
            ..self.fixture.world.clone()
        }
    }

    fn selected(&self, directory: &str) -> Selected {
        let entries = EVERYTHING.map(|text| scoped(Scope::Profile, text));
        select(&entries, &self.world(directory), &self.fixture.options).unwrap()
    }

    /// Compares our selection with git's list of files, and the rules that apply to each of the paths with
    /// git's.
    pub fn compare(&self, directory: &str, paths: &[&str]) {
        let ours = self.selected(directory);
        let told: Vec<String> = ours.skipped.iter().map(|one| one.why.code().describe().to_owned()).collect();
        let state = || format!("{directory}: {:?}\n{}", self.variables, self.configuration());
        let Some(theirs) = self.listed(directory) else {
            assert!(labels(&ours).is_empty() && !told.is_empty(), "{}", state());
            assert!(told.iter().all(|reason| reason == UNSAFE), "{told:?} {}", state());
            return;
        };
        let mut found = labels(&ours);
        found.sort_unstable();
        assert_eq!(found, theirs, "{}", state());
        assert!(told.is_empty(), "{told:?} {}", state());
        for path in paths {
            assert_eq!(self.rule(directory, path), self.rule_of_git(directory, path), "{path} {}", state());
        }
    }

    /// `file:line:pattern` of the rule that decides; `file` is only the last component of the path.
    fn rule(&self, directory: &str, path: &str) -> String {
        let entries = [scoped(Scope::Profile, "**")];
        let world = self.world(directory);
        match explain(&world.cwd.join(path), &entries, &world, &self.fixture.options).unwrap().verdict {
            Ruling::Unmentioned => "::".to_owned(),
            Ruling::Kept(by) | Ruling::Ignored(by) => {
                let name = by.file.file_name().unwrap().to_str().unwrap();
                format!("{name}:{}:{}", by.line, by.pattern)
            }
            Ruling::Unsafe(problem) => problem.code().describe().to_owned(),
        }
    }

    fn rule_of_git(&self, directory: &str, path: &str) -> String {
        let output = self.git(directory, &["check-ignore", "-v", "-n", "--no-index", path]).unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let rule = text.split('\t').next().unwrap();
        match rule.rfind('/').filter(|_| rule != "::") {
            Some(_) => {
                let (file, rest) = rule.split_once(':').unwrap();
                format!("{}:{rest}", file.rsplit('/').next().unwrap())
            }
            None => rule.to_owned(),
        }
    }

    /// All configuration files, for a message.
    fn configuration(&self) -> String {
        let mut told = String::new();
        for name in CONFIGURATIONS.iter().chain(&INCLUDED).chain(&EXCLUDES) {
            if let Ok(text) = std::fs::read_to_string(self.fixture.path(name)) {
                told += &format!("--- {name}\n{text}");
            }
        }
        told
    }

    fn set(&mut self, name: &str, value: impl Into<String>) {
        self.variables.push((name.to_owned(), value.into()));
    }

    /// Appends to the repository's own configuration.
    fn configure(&self, text: &str) {
        let path = self.fixture.path(".git/config");
        let before = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, before + text).unwrap();
    }
}

/// Where configuration files may be, relative to the work tree.
pub const CONFIGURATIONS: [&str; 6] = [
    "../system",
    "../.config/git/config",
    "../.gitconfig",
    "../other",
    ".git/config",
    ".git/config.worktree",
];
/// What may be included.
pub const INCLUDED: [&str; 3] = ["../one", "../.config/git/two", ".git/three"];

#[test]
fn excludes_of_every_configuration_file_apply() {
    let Some(mut place) = Place::new(&["a.log", "b.log", "c", "sub/a.log", "sub/c"]) else { return };
    place.fixture.write("../ex", "*.log\n");
    place.fixture.write("../.config/git/ignore", "c\n");
    let paths = ["a.log", "sub/c"];
    place.compare(".", &paths);
    place.configure("[core]\nexcludesFile = ../ex\n");
    place.compare(".", &paths);
    place.compare("sub", &["a.log", "c"]);
    place.configure("[core]\nexcludesFile =\n");
    place.compare(".", &paths);
    assert_eq!(place.listed(".").unwrap().len(), 5);
    let home = place.fixture.home();
    let home = home.to_str().unwrap();
    place.fixture.write("../g", "[core]\nexcludesFile = ~/ex\n");
    std::fs::remove_file(place.fixture.path(".git/config")).unwrap();
    place.fixture.write(".git/config", "[core]\nbare = false\n");
    for variables in [
        vec![("GIT_CONFIG_GLOBAL", format!("{home}/g"))],
        vec![("GIT_CONFIG_SYSTEM", format!("{home}/g"))],
        vec![("GIT_CONFIG_SYSTEM", format!("{home}/g")), ("GIT_CONFIG_NOSYSTEM", "yes".into())],
        vec![("GIT_CONFIG_GLOBAL", "/dev/null".into())],
        vec![("GIT_CONFIG_GLOBAL", String::new())],
        vec![("XDG_CONFIG_HOME", format!("{home}/nowhere"))],
        vec![
            ("GIT_CONFIG_COUNT", "1".into()),
            ("GIT_CONFIG_KEY_0", "Core.excludesFile".into()),
            ("GIT_CONFIG_VALUE_0", "~/ex".into()),
        ],
        vec![("GIT_CONFIG_PARAMETERS", "'user.name'='x'".into())],
        vec![("GIT_CONFIG_COUNT", "2".into())],
        vec![("GIT_CONFIG_PARAMETERS", "core.x".into())],
        vec![("GIT_CONFIG_NOSYSTEM", "perhaps".into()), ("GIT_CONFIG_SYSTEM", format!("{home}/g"))],
    ] {
        place.variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        place.compare(".", &paths);
    }
    assert!(place.selected(".").files.is_empty());
}

#[test]
fn conditions_of_includes_are_evaluated_as_in_git() {
    let Some(place) = Place::new(&["a.log", "sub/a.log", "c"]) else { return };
    place.fixture.write("../ex", "*.log\n");
    place.fixture.write("../one", "[core]\nexcludesFile = ~/ex\n");
    let home = place.fixture.home().to_str().unwrap().to_owned();
    let conditions = [
        "gitdir:w/",
        "gitdir:w",
        "gitdir:**/w/.git",
        "gitdir:~/w/",
        "gitdir:~/",
        "gitdir:./w/",
        "gitdir:./",
        "gitdir:./x/",
        "gitdir:W/",
        "gitdir/i:W/",
        "gitdir/i:~/W/",
        "gitdir/i:./W/.GIT",
        "gitdir:~/w/.git",
        "gitdir:~/w/.git/",
        "gitdir:w/*",
        "gitdir:~/*/.git",
        "gitdir:/w/",
        "onbranch:main",
        "onbranch:ma*",
        "onbranch:Main",
        "onbranch:x/",
        "onbranch:*",
        "onbranch:**",
        "hasconfig:remote.*.url:https://x.org/**",
        "hasconfig:remote.*.url:*",
        "hasconfig:remote.*.url:**",
        "hasconfig:remote.*.url:https://y.org/**",
        "other:x",
        "gitdir:",
        "onbranch:",
    ];
    place.fixture.write(".git/base", "");
    place.configure("[remote \"o\"]\nurl = https://x.org/a/b\n");
    for condition in conditions.iter().map(ToString::to_string).chain([format!("gitdir:{home}/")]) {
        place.fixture.write("../.gitconfig", format!("[includeIf \"{condition}\"]\npath = one\n"));
        place.compare(".", &["a.log"]);
        place.compare("sub", &[]);
    }
    for branch in ["feature/x", "x/y/z"] {
        place.fixture.write(".git/HEAD", format!("ref: refs/heads/{branch}\n"));
        for condition in
            ["onbranch:feature/", "onbranch:*", "onbranch:**", "onbranch:x/**/z", "onbranch:main"]
        {
            place.fixture.write("../.gitconfig", format!("[includeIf \"{condition}\"]\npath = ~/one\n"));
            place.compare(".", &["a.log"]);
        }
    }
}

#[test]
fn repository_whose_configuration_only_git_can_evaluate_is_skipped() {
    let Some(mut place) = Place::new(&["a.log"]) else { return };
    let closed = [format!(".: {UNSAFE}")];
    let condition = "[includeIf \"hasconfig:remote.*.url:https://x.org/**\"]\npath = one\n";
    let remote = "[remote \"o\"]\nurl = https://x.org/a\n";
    place.fixture.write("../.gitconfig", format!("{condition}{remote}"));
    assert_eq!(reasons_of(&place.selected(".")), closed);
    place.fixture.write("../.gitconfig", remote);
    place.compare(".", &["a.log"]);
    place.fixture.write("../.gitconfig", "");
    place.set("GIT_CONFIG_PARAMETERS", "'core.excludesfile'='~/ex'");
    assert_eq!(reasons_of(&place.selected(".")), closed);
}

#[test]
fn repository_whose_configuration_git_refuses_is_skipped() {
    let Some(place) = Place::new(&["a.log", "b"]) else { return };
    let chain = |depth: usize| {
        for at in 0..depth {
            place.fixture.write(&format!("../i{at}"), format!("[include]\npath = i{}\n", at + 1));
        }
        place.fixture.write(&format!("../i{depth}"), "[core]\nexcludesFile = ~/ex\n");
    };
    place.fixture.write("../ex", "*.log\n");
    place.fixture.write("../loop", "[include]\npath = loop\n");
    place.fixture.write("../bad", "[core\n");
    chain(9);
    for global in [
        "[core",
        "[core]\nignoreCase = perhaps\n",
        "[core]\nexcludesFile\n",
        "[include]\npath\n",
        "[include]\npath = loop\n",
        "[include]\npath = bad\n",
        "[include]\npath = gone\n",
        "[include]\npath = i0\n",
        "[include]\npath = ~/i0\n[core]ignoreCase = 0x1k\n",
        "[include]\npath =\n",
        "[includeIf \"gitdir:~/\"]\npath = bad\n",
        "[includeIf \"gitdir:~/x/\"]\npath = bad\n",
        "[core]\nexcludesFile = ~nobody-of-that-name/x\n",
        "\u{feff}[core]\nexcludesFile = \"~/e\\x\"\n",
    ] {
        place.fixture.write("../.gitconfig", global);
        place.compare(".", &["a.log"]);
    }
    place.fixture.write("../.gitconfig", "[include]\npath = i0\n");
    chain(10);
    place.compare(".", &["a.log"]);
    assert_eq!(reasons_of(&place.selected(".")), [".: git configuration cannot be read safely"]);
}

fn reasons_of(selected: &Selected) -> Vec<String> {
    selected.skipped.iter().map(|one| format!("{}: {}", one.label, one.why.code().describe())).collect()
}

#[test]
fn repository_whose_configuration_would_take_too_long_is_skipped() {
    let Some(place) = Place::new(&["a.log"]) else { return };
    let many = "[include]\npath = next\n".repeat(100);
    let (next, large) = (many.replace("next", "last"), "#".repeat((1 << 20) + 1));
    place.fixture.write("../next", next);
    place.fixture.write("../last", "");
    let condition = format!("[includeIf \"gitdir:{}\"]\npath = last\n", "**/*a*".repeat(600));
    for global in [many, large, condition.repeat(250)] {
        place.fixture.write("../.gitconfig", global);
        assert_eq!(reasons_of(&place.selected(".")), [".: git configuration cannot be read safely"]);
    }
}

#[cfg(unix)]
#[test]
fn repository_whose_configuration_is_a_pipe_is_skipped_without_waiting() {
    let Some(place) = Place::new(&["a.log", "nested/b"]) else { return };
    let fifo = |path: &str| place.fixture.fifo(path);
    assert!(place.succeeds("nested", &["init", "-q"]));
    std::fs::remove_file(place.fixture.path("nested/.git/config")).unwrap();
    fifo("nested/.git/config");
    let told = place.selected(".");
    assert_eq!((labels(&told), reasons_of(&told)), (vec!["a.log".into()], vec![format!("nested: {UNSAFE}")]));
    std::fs::remove_file(place.fixture.path(".git/config")).unwrap();
    fifo(".git/config");
    assert_eq!(reasons_of(&place.selected(".")), [format!(".: {UNSAFE}")]);
}

#[test]
fn nested_repositories_and_worktrees_have_their_own_configuration() {
    let Some(place) = Place::new(&["a.log", "A.tmp", "in/a.log", "in/b"]) else { return };
    place.fixture.write("../ex", "*.log\n");
    place.fixture.write("../ex2", "*.TMP\n");
    assert!(place.succeeds("in", &["init", "-q"]));
    place.configure("[core]\nexcludesFile = ../ex2\nignoreCase = true\n");
    place.fixture.write("in/.git/config", "[core]\nexcludesFile = ../../ex\n");
    place.compare("in", &["a.log", "b"]);
    assert_eq!(labels(&place.selected(".")), ["a.log", "in/b"]);
    let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
    assert!(place.succeeds(".", &[&identity[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat()));
    assert!(place.succeeds(".", &["worktree", "add", "-q", "../tree"]));
    for name in ["a.log", "a.tmp", "sub/b"] {
        place.fixture.write(&format!("../tree/{name}"), "");
    }
    place.compare("../tree", &["a.log", "a.tmp"]);
    place.fixture.write(".git/worktrees/tree/config.worktree", "[core]\nignoreCase = false\n");
    place.compare("../tree", &["a.tmp"]);
    assert!(place.succeeds(".", &["config", "extensions.worktreeConfig", "true"]));
    place.compare("../tree", &["a.tmp"]);
    place.compare("../tree/sub", &["b"]);
    place.configure("[includeIf \"onbranch:tree\"]\npath = x\n");
    place.fixture.write(".git/x", "[core]\nexcludesFile = ../ex\n");
    place.compare("../tree", &["a.log"]);
    assert_eq!(labels(&place.selected(".")), ["a.log", "in/b"]);
}

#[test]
fn rules_above_an_invalid_repository_still_apply() {
    let Some(place) = Place::new(&["sub/a.log", "sub/.git/x", "file/a.log", "b"]) else { return };
    place.fixture.write(".gitignore", "*.log\n");
    place.fixture.write("file/.git", "gitdir: ../nowhere\n");
    assert_eq!(labels(&place.selected(".")), ["b", ".gitignore"]);
    assert_eq!(labels(&place.selected("sub")), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_repository_of_another_user_counts_only_if_it_is_a_safe_directory() {
    let Some(mut place) = Place::new(&["a.log", "b.tmp", "sub/a.log", "sub/b.tmp"]) else { return };
    place.fixture.write(".gitignore", "*.log\n");
    place.fixture.write(".git/info/exclude", "*.tmp\n");
    let other = Some(rustix::fs::Uid::from_raw(12345));
    if rustix::fs::chown(place.fixture.path(".git"), other, None).is_err() {
        return;
    }
    assert_eq!(place.listed("sub"), None);
    assert_eq!(labels(&place.selected("sub")), ["a.log", "b.tmp"]);
    let home = place.fixture.home().to_str().unwrap().to_owned();
    for value in ["*", &format!("{home}/w"), &format!("{home}/*"), "~/w", "/elsewhere"] {
        place.fixture.write("../.gitconfig", format!("[safe]\ndirectory = {value}\n"));
        let ours = labels(&place.selected("sub"));
        assert_eq!(ours.is_empty(), place.listed("sub").is_some(), "{value}");
    }
    place.fixture.write("../.gitconfig", "[safe]\ndirectory = *\ndirectory =\n");
    assert_eq!((place.listed("sub"), labels(&place.selected("sub")).len()), (None, 2));
    place.fixture.write("../.gitconfig", "");
    place.set("SUDO_UID", "12345");
    place.compare("sub", &[]);
}
