//! Random trees and configurations, the same in every run, compared with git.

use super::git::Numbers;
use super::git_configuration::{CONFIGURATIONS, INCLUDED, Place};

const FILES: [&str; 10] =
    ["a.log", "A.LOG", "b.tmp", "B.tmp", "c", "sub/A.log", "sub/c", "sub/Dir/b.Tmp", "Dir/x", "dir/y"];
const RULES: [&str; 18] = [
    "*.log",
    "A.*",
    "[A-C].tmp",
    "[a-b]*",
    "/SUB/",
    "!a.log",
    "!*.LOG",
    "dir/",
    "\\A.LOG",
    "[[:upper:]]*",
    "b*",
    "C",
    "sub/*/B.*",
    "**/x",
    "!Dir/",
    "?.TMP",
    "[!A]",
    "/sub/**/B*",
];
const CONDITIONS: [&str; 11] = [
    "gitdir:w/",
    "gitdir:~/w/.git",
    "gitdir:W/",
    "gitdir/i:W/",
    "gitdir:./w/",
    "gitdir:./",
    "gitdir:x/",
    "onbranch:main",
    "onbranch:m*",
    "onbranch:other/",
    "later:x",
];
const PATHS: [&str; 7] = ["~/ex1", "~/ex2", "", "../ex1", "/dev/null", "~/gone", "\"~/ex2\" ; c"];
const CASES: [&str; 8] = ["= true", "= false", "= 1", "= no", "", "= \"\"", "= on # c", "= 0x0"];
const BROKEN: [&str; 3] = ["[core\n", "[core]\nignoreCase = perhaps\n", "[core]\nexcludesFile\n"];
pub const EXCLUDES: [&str; 7] = [
    "../ex1",
    "../ex2",
    "../.config/git/ignore",
    "../git/ignore",
    ".git/info/exclude",
    ".gitignore",
    "sub/.gitignore",
];

struct Random(Numbers);

impl Random {
    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.0.below(of.len())]
    }

    fn is_one_in(&mut self, count: usize) -> bool {
        self.0.below(count) == 0
    }

    fn rules(&mut self) -> String {
        (0..self.0.below(4)).map(|_| self.one(&RULES).to_owned() + "\n").collect()
    }

    fn configuration(&mut self) -> String {
        (0..self.0.below(4)).map(|_| self.setting()).collect()
    }

    fn setting(&mut self) -> String {
        match self.0.below(40) {
            0..12 => format!("[core]\n\tExcludesFile = {}\n", self.one(&PATHS)),
            12..20 => format!("[CORE] ignorecase {}\n", self.one(&CASES)),
            20..24 => format!("[include]\npath = {}\n", self.one(&["~/one", "~/.config/git/two", "three"])),
            24..34 => {
                let condition = self.one(&CONDITIONS);
                format!("[includeIf \"{condition}\"]\n path = {}\n", self.one(&["~/one", "two", "../one"]))
            }
            34..36 => "[remote \"o\"]\nurl = https://x.org/a/b\n".to_owned(),
            36..39 => "[user]\nname = \"x\\ty\" \\\n z\n".to_owned(),
            _ => self.one(&BROKEN).to_owned(),
        }
    }

    fn variables(&mut self, home: &str) -> Vec<(String, String)> {
        let mut variables: Vec<(&str, String)> = Vec::new();
        if self.is_one_in(4) {
            variables.push(("GIT_CONFIG_GLOBAL", format!("{home}/other")));
        }
        if self.is_one_in(2) {
            variables.push(("GIT_CONFIG_SYSTEM", format!("{home}/system")));
        }
        if self.is_one_in(6) {
            variables.push(("GIT_CONFIG_NOSYSTEM", self.one(&["1", "0", "", "yes"]).to_owned()));
        }
        if self.is_one_in(6) {
            variables.push(("XDG_CONFIG_HOME", home.to_owned()));
        }
        if self.is_one_in(5) {
            variables.push(("GIT_CONFIG_COUNT", "1".to_owned()));
            variables.push(("GIT_CONFIG_KEY_0", "Core.IgnoreCase".to_owned()));
            variables.push(("GIT_CONFIG_VALUE_0", self.one(&["true", "false", ""]).to_owned()));
        }
        variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

#[test]
fn random_configurations_are_applied_as_in_git() {
    let Some(mut place) = Place::new(&FILES) else { return };
    let home = place.fixture.home().to_str().unwrap().to_owned();
    let rounds = std::env::var("CTX_RULE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(40);
    let mut random = Random(Numbers(rounds));
    for _ in 0..rounds {
        for name in EXCLUDES {
            place.fixture.write(name, random.rules());
        }
        for name in CONFIGURATIONS.iter().chain(&INCLUDED) {
            place.fixture.write(name, random.configuration());
        }
        let version = random.one(&["", "repositoryformatversion = 0\n", "repositoryformatversion = 0\n"]);
        let extension =
            random.one(&["", "worktreeConfig\n", "worktreeConfig = no\n", "worktreeConfig = 1\n"]);
        let own = random.configuration();
        let text = format!("[core]\nbare = false\n{version}[extensions]\n{extension}{own}");
        place.fixture.write(".git/config", text);
        place.variables = random.variables(&home);
        place.compare(".", &["A.LOG", "sub/Dir/b.Tmp"]);
        place.compare("sub", &["A.log"]);
    }
}
