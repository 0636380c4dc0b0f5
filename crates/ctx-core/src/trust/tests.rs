use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command as Program;
use std::time::Duration;

use tempfile::TempDir;

use super::{Here, TrustItem, Trusted, TrustedFile, digest, scripts};
use crate::source::command::{Command, CommandLimits};

/// A home directory with a store, and a repository with a script.
struct Yard(TempDir);

impl Yard {
    fn new() -> Self {
        let yard = Self(tempfile::tempdir().unwrap());
        yard.write("repository/test.sh", "echo test\n");
        yard.git("repository", &["init", "-q", "-b", "main"]);
        yard.git("repository", &["add", "."]);
        yard.git("repository", &["commit", "-qm", "First"]);
        yard
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, directory: &str, arguments: &[&str]) {
        let status = Program::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
            .args(arguments)
            .current_dir(self.at(directory))
            .env("HOME", self.at(""))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .status();
        assert!(status.unwrap().success(), "git {arguments:?}");
    }

    fn file(&self) -> TrustedFile {
        TrustedFile::outside(&self.at("repository"), self.at("home/store")).unwrap()
    }

    fn item(&self, tree: &str, words: &str) -> TrustItem {
        item(words, &self.at(tree), &self.at(tree))
    }

    /// Trusts a command in the repository.
    fn trust(&self, words: &str) {
        let here = Here::of_tree(&self.at("repository")).unwrap();
        self.file().grant(&here, &[self.item("repository", words)]).unwrap();
    }

    /// Whether the command is trusted in a tree.
    fn trusts(&self, tree: &str, words: &str) -> bool {
        let trusted = self.file().at(&Here::of_tree(&self.at(tree)).unwrap()).unwrap();
        trusted.contains(&self.item(tree, words))
    }
}

fn command(words: &str) -> Command {
    Command { words: words.parse().unwrap(), limits: CommandLimits::default() }
}

fn item(words: &str, directory: &Path, root: &Path) -> TrustItem {
    TrustItem::command(&command(words), "global", directory, root)
}

#[test]
fn script_in_the_value_of_an_option_is_found_however_it_is_written() {
    let yard = Yard::new();
    yard.write("repository/scripts/x.sh", "echo x\n");
    let root = yard.at("repository");
    for words in [
        "tool --config=scripts/x.sh",
        "tool -fscripts/x.sh",
        "tar -xfscripts/x.sh",
        "tool --mount=type=bind,src=scripts/x.sh",
        "tool -v ./scripts/x.sh:/x",
        "curl -d @scripts/x.sh",
        "sh -c 'tool -fscripts/x.sh'",
        "sh -c 'cd scripts && sh x.sh'",
        "sh -c '(cd \"scripts\"; . ./x.sh)'",
        "make -C scripts -f x.sh",
        "npm --prefix=scripts run x.sh",
        "sh -c 'tool \"--config=scripts/x.sh\"'",
    ] {
        let found = scripts(&words.parse().unwrap(), &root, &root);
        assert_eq!(found.len(), 1, "{words}");
        assert_eq!(found[0].path, Path::new("scripts/x.sh"), "{words}");
    }
    assert_eq!(scripts(&"tool -xyz --config=scripts".parse().unwrap(), &root, &root), []);
}

#[test]
fn command_is_trusted_in_the_repository_and_its_work_trees() {
    let yard = Yard::new();
    yard.trust("sh test.sh");
    assert!(yard.trusts("repository", "sh test.sh"));
    yard.git("repository", &["worktree", "add", "-q", "../tree"]);
    assert!(yard.trusts("tree", "sh test.sh"));
    yard.git("repository", &["worktree", "move", "../tree", "../moved"]);
    assert!(yard.trusts("moved", "sh test.sh"));
}

#[test]
fn copy_clone_and_what_is_made_anew_are_not_trusted() {
    let yard = Yard::new();
    yard.trust("sh test.sh");
    yard.git("", &["clone", "-q", "repository", "clone"]);
    let copied = Program::new("cp").args(["-a", "repository", "copy"]).current_dir(yard.at("")).status();
    assert!(copied.unwrap().success());
    yard.git("repository", &["worktree", "add", "-q", "../tree"]);
    let copied = Program::new("cp").args(["-a", "tree", "copied-tree"]).current_dir(yard.at("")).status();
    assert!(copied.unwrap().success());
    for other in ["clone", "copy", "copied-tree"] {
        assert!(!yard.trusts(other, "sh test.sh"), "{other}");
    }
    fs::rename(yard.at("repository"), yard.at("gone")).unwrap();
    fs::rename(yard.at("clone"), yard.at("repository")).unwrap();
    assert!(!yard.trusts("repository", "sh test.sh"));
}

#[test]
fn forged_git_file_gains_nothing() {
    let yard = Yard::new();
    yard.trust("sh test.sh");
    yard.write("evil/test.sh", "echo test\n");
    yard.write("evil/.git", &format!("gitdir: {}\n", yard.at("repository/.git").display()));
    assert!(!yard.trusts("evil", "sh test.sh"));
    yard.git("repository", &["worktree", "add", "-q", "../tree"]);
    fs::copy(yard.at("tree/.git"), yard.at("evil/.git")).unwrap();
    assert!(!yard.trusts("evil", "sh test.sh"));
    fs::remove_file(yard.at("evil/.git")).unwrap();
    symlink(yard.at("repository/.git"), yard.at("evil/.git")).unwrap();
    assert!(!yard.trusts("evil", "sh test.sh"));
}

#[test]
fn changed_word_or_attribute_is_another_command() {
    let yard = Yard::new();
    yard.trust("sh test.sh");
    for other in ["sh ./test.sh", "sh test.sh x", "sh 'test.sh x'", "bash test.sh", "sh"] {
        assert!(!yard.trusts("repository", other), "{other}");
    }
    let root = yard.at("repository");
    let usual = command("sh test.sh");
    let fingerprint = |limits: CommandLimits| {
        TrustItem::command(&Command { limits, ..usual.clone() }, "profile 'x'", &root, &root).fingerprint
    };
    let same = fingerprint(CommandLimits::default());
    assert_eq!(same, yard.item("repository", "sh  test.sh").fingerprint);
    for limits in [
        CommandLimits { timeout: Duration::from_secs(31), ..CommandLimits::default() },
        CommandLimits { most_output: 1, ..CommandLimits::default() },
        CommandLimits { only_success: true, ..CommandLimits::default() },
        CommandLimits { ttl: Some(Duration::from_secs(1)), ..CommandLimits::default() },
    ] {
        assert_ne!(fingerprint(limits), same, "{limits:?}");
    }
}

#[test]
fn changed_script_is_not_trusted_until_it_is_as_before() {
    let yard = Yard::new();
    for words in [
        "sh test.sh",
        "./test.sh",
        "sh -c 'cd . && ./test.sh|tail'",
        "make --file=test.sh",
        "sh -ec \". './test.sh';x\"",
    ] {
        yard.write("repository/test.sh", "echo test\n");
        yard.trust(words);
        yard.write("repository/test.sh", "echo evil\n");
        assert!(!yard.trusts("repository", words), "{words}");
        yard.write("repository/test.sh", "echo test\n");
        assert!(yard.trusts("repository", words), "{words}");
        fs::remove_file(yard.at("repository/test.sh")).unwrap();
        assert!(!yard.trusts("repository", words), "{words}");
    }
}

#[test]
fn scripts_are_the_files_inside_the_tree_and_what_its_links_lead_to() {
    let yard = Yard::new();
    yard.write("outside.sh", "x");
    yard.write("repository/sub/run", "x");
    symlink("../outside.sh", yard.at("repository/link.sh")).unwrap();
    let root = yard.at("repository");
    let named = |words: &str, directory: &str| -> Vec<PathBuf> {
        let found = scripts(&words.parse().unwrap(), &yard.at(directory), &root);
        found.into_iter().map(|script| script.path).collect()
    };
    let path = |path: &str| PathBuf::from(path);
    assert_eq!(named("sub/run test.sh sub missing", "repository"), [path("sub/run"), path("test.sh")]);
    assert_eq!(named("./run ../test.sh", "repository/sub"), [path("sub/run"), path("test.sh")]);
    assert_eq!(named("sh link.sh", "repository"), [yard.at("outside.sh")]);
    let outside = format!("cat ../outside.sh /bin/sh {}", yard.at("repository/test.sh").display());
    assert_eq!(named(&outside, "repository"), [path("test.sh")]);
}

#[test]
fn digest_is_of_the_set_of_items() {
    let yard = Yard::new();
    let (a, b) = (yard.item("repository", "a"), yard.item("repository", "b"));
    let all = digest(&[a.clone(), b.clone()]);
    assert_eq!(digest(&[b.clone(), a.clone(), b.clone()]), all);
    assert_ne!(digest(std::slice::from_ref(&a)), all);
    let exactly = Trusted::exactly(std::slice::from_ref(&a));
    assert!(exactly.contains(&a) && !exactly.contains(&b));
}

#[test]
fn item_is_described_whole_and_escaped() {
    let yard = Yard::new();
    let description = |words: &str| yard.item("repository", words).description;
    assert_eq!(description("cargo test"), "command 'cargo test' (global)");
    assert_eq!(description("sh test.sh"), "command 'sh test.sh' (global, with test.sh)");
    assert_eq!(
        description("echo '\u{1b}[2K\n\u{202e}'"),
        "command 'echo \\'\\u{1b}[2K\\n\\u{202e}\\'' (global)"
    );
    assert_eq!(
        TrustItem::instruction("You're\nin", "project profile 'api'").description,
        "instruction (project profile 'api', 9 bytes): 'You\\'re\\nin'"
    );
    let settings = ["model=x".to_owned(), "budget=200k".to_owned()];
    assert_eq!(
        TrustItem::settings(&settings, "project profile 'api'").description,
        "settings (project profile 'api'): budget=200k, model=x"
    );
}

#[test]
fn trust_is_forgotten_for_one_place_alone() {
    let yard = Yard::new();
    yard.trust("sh test.sh");
    yard.trust("cargo test");
    let here = Here::of_tree(&yard.at("repository")).unwrap();
    let elsewhere = Here::of_tree(&yard.at("")).unwrap();
    assert_eq!(yard.file().forget(&elsewhere).unwrap(), 0);
    assert!(yard.trusts("repository", "cargo test"));
    assert_eq!(yard.file().forget(&here).unwrap(), 2);
    assert!(!yard.trusts("repository", "cargo test"));
}

#[test]
fn file_inside_the_tree_is_never_used() {
    let yard = Yard::new();
    let tree = yard.at("repository");
    assert!(TrustedFile::outside(&tree, tree.join("store")).is_none());
    symlink(tree.join("store"), yard.at("link")).unwrap();
    fs::create_dir(tree.join("store")).unwrap();
    assert!(TrustedFile::outside(&tree, yard.at("link")).is_none());
    assert!(TrustedFile::outside(&tree, yard.at("repository-store")).is_some());
}

#[test]
fn damaged_file_is_an_error_and_stays() {
    let yard = Yard::new();
    yard.write("home/store/trusted.json", "{");
    let here = Here::of_tree(&yard.at("repository")).unwrap();
    assert!(yard.file().at(&here).is_err());
    assert!(yard.file().grant(&here, &[]).is_err());
    assert_eq!(fs::read_to_string(yard.at("home/store/trusted.json")).unwrap(), "{");
}
