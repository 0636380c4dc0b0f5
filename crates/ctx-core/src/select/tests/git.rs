//! The selection agrees with `git ls-files -o --exclude-standard`.

use std::process::Command;

use super::*;

/// Runs git in the fixture, isolated; `None` if git is not installed.
fn git(fixture: &Fixture, directory: &str, arguments: &[&str]) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(fixture.path(directory))
        .env_clear()
        .env("PATH", std::env::var_os("PATH")?)
        .env("HOME", fixture.home())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().split_terminator('\0').map(str::to_owned).collect())
}

/// Checks that git and `**` (with dot-files) find the same files from a directory of the fixture.
fn compare(fixture: &mut Fixture, directory: &str) {
    let Some(mut theirs) = git(fixture, directory, &["ls-files", "-o", "--exclude-standard", "-z"]) else {
        return;
    };
    let cwd = fixture.world.cwd.clone();
    fixture.world.cwd = cwd.join(directory);
    fixture.world.root = fixture.world.cwd.clone();
    let ours = fixture.select(&["**", "**/.*", "**/.*/**"]);
    fixture.world.root = cwd.clone();
    fixture.world.cwd = cwd;
    assert!(ours.skipped.is_empty(), "{:?}", ours.skipped);
    let mut ours = labels(&ours);
    ours.sort_unstable();
    theirs.sort_unstable();
    assert_eq!(ours, theirs);
}

fn init(fixture: &Fixture) -> bool {
    git(fixture, ".", &["init", "-q"]).is_some()
}

#[test]
fn nested_anchored_and_negated_rules_are_applied_as_in_git() {
    let mut fixture = Fixture::new(&[
        "a.log",
        "keep.log",
        "src/a.log",
        "src/keep.log",
        "src/gen/x.rs",
        "src/gen/keep.rs",
        "gen/x.rs",
        "build/x",
        "src/build/x",
        "build.txt",
        "doc/a/b/c.md",
        "doc/c.md",
        "foo/bar/baz",
        "x/foo/bar/baz",
        "tmp/keep",
        "only",
        "sub/only",
        "local",
        "everywhere",
        "sub/everywhere",
        "{a,b}",
        "a",
        "b",
        "sub/.cache/x",
        "sp ace",
        "trail ",
        "!bang",
        "#hash",
        "b\\s",
        "é1",
        "é",
        "cA",
        "c1",
        "c-",
        "c]",
        "deep/1/2/3/4/5.txt",
    ]);
    if !init(&fixture) {
        return;
    }
    fixture.write(
        ".gitignore",
        "*.log\n!keep.log\n/only\nbuild/\nsrc/gen/*\n!src/gen/keep.rs\ndoc/**/c.md\nfoo/bar\ntmp/\n!tmp/keep\n\
         {a,b}\ntrail\\ \n\\!bang\n\\#hash\nb\\\\s\n?1\nc[[:upper:]]\nc[]]\n.cache\ndeep/**/[0-9].txt\r\nsp ace   \n",
    );
    fixture.write("src/.gitignore", "!a.log\nkeep.log\n/build/*\n");
    fixture.write(".git/info/exclude", "local\n");
    fixture.write("../.config/git/ignore", "everywhere\n");
    compare(&mut fixture, ".");
    for directory in ["src", "src/gen", "sub", "doc/a", "foo/bar", "build"] {
        compare(&mut fixture, directory);
    }
    std::fs::write(fixture.home().join(".gitconfig"), "[core]\n\texcludesFile = ~/other\n").unwrap();
    std::fs::write(fixture.home().join("other"), "only\n!local\n").unwrap();
    compare(&mut fixture, ".");
    compare(&mut fixture, "sub");
}

#[test]
fn a_worktree_has_the_excludes_of_its_repository() {
    let mut fixture = Fixture::new(&["main/a", "main/local"]);
    let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
    if git(&fixture, "main", &["init", "-q"]).is_none() {
        return;
    }
    let commit = [&identity[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat();
    git(&fixture, "main", &commit);
    git(&fixture, "main", &["worktree", "add", "-q", "../tree"]);
    fixture.write("main/.git/info/exclude", "local\n");
    fixture.write("tree/local", "");
    fixture.write("tree/sub/local", "");
    fixture.write("tree/sub/other", "");
    compare(&mut fixture, "main");
    compare(&mut fixture, "tree");
    compare(&mut fixture, "tree/sub");
}

#[test]
fn many_patterns_match_many_names_as_in_git() {
    let names = [
        "a", "b", "ab", "a.b", "a/b", "a/ab", "a/b/c", "b/a", "b/a.b", "c/a/b/a", "c/d/a", "a b", "[a]",
        "a\\b",
    ];
    let mut fixture = Fixture::new(&[]);
    if !init(&fixture) {
        return;
    }
    for (at, name) in names.iter().enumerate() {
        fixture.write(&format!("t{at}/{name}"), "");
        fixture.write(&format!("u/{at}/{name}"), "");
    }
    let rules = [
        "a",
        "/a",
        "a/",
        "/*/a",
        "*/a",
        "a/b",
        "**/a/b",
        "a/**",
        "a/**/c",
        "**",
        "*",
        "*.b",
        "a*",
        "?",
        "[ab]",
        "[!a]",
        "[^a]b",
        "[a-b]/",
        "**/b/**",
        "u/**/a",
        "**a",
        "a**",
        "u**/a",
        "t[0-5]/*",
        "\\a",
        "a\\",
        "[a",
        "[[:alpha:]]",
        "[[:nope:]]",
        "[a\\]]",
        "[\\[]a]",
        "a\\\\b",
        "/",
        "!",
        "//a",
        "a//b",
        "!a",
        "{a,b}",
        "a{,b}",
        " a",
        "a ",
        "a\\ b",
        "u/1?/*/",
        "*\\b",
        "**/",
        "/**/a",
        "u/**/",
        "***",
        "u/***/a",
        "t1**/b",
        "\ta",
        "[!]a]b",
        "[a-]",
        "u/[0-9]*/**",
        "**/c/**/a",
        "c/*/b/a",
        "u/*/c/*/b",
        "\\[a\\]",
        "[]-a]",
    ];
    for rule in rules {
        fixture.write(".gitignore", format!("{rule}\n"));
        compare(&mut fixture, ".");
        fixture.write(".gitignore", format!("*\n!*/\n!{rule}\n"));
        compare(&mut fixture, ".");
    }
    std::fs::remove_file(fixture.path(".gitignore")).unwrap();
    for rule in rules {
        fixture.write("u/.gitignore", format!("{rule}\n"));
        compare(&mut fixture, ".");
    }
}

/// A small random number generator, so that the rules are the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn rule(&mut self) -> String {
        let pieces = [
            "a", "b", "ab", "*", "**", "?", "/", "/", "[ab]", "[!a]", "\\a", "**/", "/**", ".", "a*",
            "{a,b}", " ",
        ];
        let sign = if self.below(4) == 0 { "!" } else { "" };
        let count = 1 + self.below(5);
        (0..count).fold(sign.to_owned(), |rule, _| rule + pieces[self.below(pieces.len())])
    }
}

#[test]
fn random_rules_in_three_directories_are_applied_as_in_git() {
    let mut fixture = Fixture::new(&[]);
    if !init(&fixture) {
        return;
    }
    for a in ["a", "b", "ab", "x.a"] {
        for b in ["a", "b", "ba", ".a"] {
            for c in ["a", "b", "aab", "a b", "{a,b}"] {
                fixture.write(&format!("{a}/{b}/{c}"), "");
            }
        }
    }
    let rounds = std::env::var("CTX_RULE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(60);
    let mut numbers = Numbers(rounds);
    for _ in 0..rounds {
        for directory in ["", "a/", "ab/b/"] {
            let count = numbers.below(5);
            let rules: Vec<String> = (0..count).map(|_| numbers.rule()).collect();
            fixture.write(&format!("{directory}.gitignore"), rules.join("\n"));
        }
        compare(&mut fixture, ".");
        compare(&mut fixture, "ab");
    }
}
