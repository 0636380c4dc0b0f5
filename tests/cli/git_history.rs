//! The messages of earlier commits as votes for files, through the whole program.

use std::path::Path;
use std::process::Command;

use crate::support::Sandbox;

/// A repository whose commit says in words what `b.txt` is about, which has none of them.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.txt", TEXT), ("b.txt", TEXT), ("c.txt", "")]);
    sandbox.write("c.txt", "quicksilver pudding\n".repeat(9));
    git(&sandbox.project(), &sandbox, &["init", "-q", "-b", "main"]);
    commit(&sandbox, "a.txt", "Begin");
    commit(&sandbox, "b.txt", "Sort the quicksilver\n\nunheard-of-words");
    commit(&sandbox, "c.txt", "Add pudding");
    sandbox
}

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

fn commit(sandbox: &Sandbox, path: &str, message: &str) {
    git(&sandbox.project(), sandbox, &["add", path]);
    git(&sandbox.project(), sandbox, &["commit", "-qm", message]);
}

fn git(directory: &Path, sandbox: &Sandbox, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"])
        .args(["-c", "advice.graftFileDeprecated=false"])
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .envs(sandbox.environment())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .status();
    assert!(status.unwrap().success(), "git {arguments:?}");
}

const ASK: [&str; 8] =
    ["render", "--only", "*.txt", "--trim", "relevant", "--query", "what sorts quicksilver?", "-b"];

/// The labels in the block for a question, which has room for less than all.
fn labels(sandbox: &Sandbox, more: &[&str]) -> Vec<String> {
    let block = sandbox.ctx(ASK.iter().chain(&["90"]).chain(more)).stdout_any().stderr_any().check();
    assert!(!block.contains("unheard"), "{block}");
    block.lines().filter(|line| line.starts_with('[') && line.ends_with("txt]")).map(str::to_owned).collect()
}

fn history(sandbox: &Sandbox, more: &[&str]) -> Option<String> {
    let account =
        sandbox.ctx(ASK.iter().chain(&["90", "--dry-run"]).chain(more)).stdout_any().stderr_any().check();
    account.lines().find(|line| line.starts_with("history: ")).map(str::to_owned)
}

const WITH: [&str; 2] = ["[b.txt]", "[c.txt]"];
const WITHOUT: [&str; 2] = ["[a.txt]", "[c.txt]"];

#[test]
fn file_that_a_message_is_about_is_kept_before_others() {
    let sandbox = repository();
    assert_eq!(labels(&sandbox, &["--no-git-history"]), WITHOUT);
    for more in [&[][..], &[], &["--no-cache"]] {
        assert_eq!(labels(&sandbox, more), WITH, "{more:?}");
    }
    assert_eq!(history(&sandbox, &[]).as_deref(), Some("history: 3 commits"));
    assert_eq!(history(&sandbox, &["--no-git-history"]), None);
}

#[test]
fn account_has_the_number_of_commits() {
    let sandbox = repository();
    let account = sandbox
        .ctx(ASK.iter().chain(&["90", "--dry-run", "--json"]))
        .stdout_has("\"commits\": {\n    \"count\": 3\n  }")
        .stdout_lacks("unheard")
        .stderr_any()
        .check();
    assert!(!account.contains("Sort the"), "{account}");
}

#[test]
fn setting_turns_the_messages_off() {
    let sandbox = repository();
    sandbox.ctx(["profile", "--set", "git_history=off"]).stderr_any().check();
    assert_eq!(labels(&sandbox, &[]), WITHOUT);
    assert_eq!(history(&sandbox, &[]), None);
    sandbox.ctx(["profile", "--set", "git_history=no"]).code(2).stderr_has("use on or off").check();
}

#[test]
fn commit_since_the_last_question_counts() {
    let sandbox = repository();
    assert_eq!(labels(&sandbox, &[]), WITH);
    sandbox.write("a.txt", format!("zero\n{TEXT}"));
    commit(&sandbox, "a.txt", "Sort quicksilver and sort quicksilver");
    assert_eq!(history(&sandbox, &[]).as_deref(), Some("history: 4 commits"));
    git(&sandbox.project(), &sandbox, &["pack-refs", "--all"]);
    assert_eq!(history(&sandbox, &[]).as_deref(), Some("history: 4 commits"));
}

#[test]
fn shallow_clone_and_no_repository_have_no_history() {
    let sandbox = repository();
    let source = format!("file://{}", sandbox.project().display());
    let clone = sandbox.path("clone");
    git(&sandbox.project(), &sandbox, &["clone", "-q", "--depth", "1", &source, &clone.to_string_lossy()]);
    let said = |directory: &Path| {
        let account = sandbox
            .ctx_in(directory, ASK.iter().chain(&["90", "--dry-run"]))
            .stdout_any()
            .stderr_any()
            .check();
        account.lines().find(|line| line.starts_with("history: ")).map(str::to_owned)
    };
    assert_eq!(said(&clone).as_deref(), Some("history: none (shallow clone)"));
    let alone = Sandbox::with(&[("a.txt", TEXT), ("b.txt", "quicksilver\n")]);
    assert_eq!(history(&alone, &[]).as_deref(), Some("history: none (no commits)"));
}

#[test]
fn replaced_and_grafted_commits_are_not_followed() {
    let sandbox = repository();
    git(&sandbox.project(), &sandbox, &["replace", "--graft", "HEAD"]);
    assert_eq!(history(&sandbox, &["--no-cache"]).as_deref(), Some("history: 3 commits"));
    let head =
        Command::new("git").args(["rev-parse", "HEAD"]).current_dir(sandbox.project()).output().unwrap();
    sandbox.write(".git/info/grafts", head.stdout);
    assert_eq!(history(&sandbox, &["--no-cache"]).as_deref(), Some("history: 3 commits"));
}
