//! Two people and a CI job on one checked-in project.

use std::fs;

use super::support::{clone, commit, git, repository};
use crate::support::{Sandbox, block};

#[test]
fn entries_that_one_person_adds_apply_for_others_and_ci_once_trusted() {
    let sandbox = repository();
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox.ctx(["add", "--pin", "b.md"]).stderr_any().check();
    sandbox.ctx(["add", "cmd:echo made"]).stderr_any().check();
    sandbox.ctx(["profile", "--set", "format=text"]).stderr_any().check();
    let whole = block("[a.md]\na\n\n[b.md]\nb\n\n[cmd:echo made]\nmade\n");
    // An entry typed here is trusted here and in linked work trees.
    sandbox.ctx(["render"]).stdout(whole.as_str()).check();
    commit(&sandbox);
    let worktree = sandbox.path("../worktree");
    git(&sandbox, &sandbox.project(), &["worktree", "add", "-q", worktree.to_str().unwrap()]);
    sandbox.ctx_in(&worktree, ["render"]).stdout(whole.as_str()).check();

    let colleague = clone(&sandbox, "colleague");
    let told =
        "warning: 1 command, 1 pin and 1 setting are not trusted here; 'ctx trust --dry-run' shows them\n";
    sandbox.ctx_in(&colleague, ["render"]).stdout(block("[a.md]\na\n\n[b.md]\nb\n")).stderr(told).check();
    sandbox.ctx_in(&colleague, ["render", "--strict"]).code(3).stderr_has("not trusted here").check();
    sandbox
        .ctx_in(&colleague, ["check"])
        .code(3)
        .stdout_has("1 pin and 1 setting are not trusted here")
        .check();
    let listing = sandbox.ctx_in(&colleague, ["trust", "--dry-run"]).stdout_any().check();
    for item in [
        "command 'echo made' (project profile 'default', with no file of this repository)\n",
        "pin 'b.md' (project profile 'default')\n",
        "settings (project profile 'default'): format=text\n",
    ] {
        assert!(listing.contains(item), "{listing}");
    }

    let ci = clone(&sandbox, "ci");
    let digest = listing.lines().last().unwrap().strip_prefix("digest: ").unwrap().to_owned();
    sandbox.ctx_in(&ci, ["render", "--strict", "--trust", &digest]).stdout(whole.as_str()).check();
    sandbox.ctx_in(&ci, ["render", "--strict"]).env("CTX_TRUST", &digest).stdout(whole.as_str()).check();
    sandbox.ctx_in(&ci, ["render"]).stdout_any().stderr(told).check();

    sandbox.ctx_in(&colleague, ["trust", &digest]).stdout_any().stderr_any().check();
    sandbox.ctx_in(&colleague, ["render", "--strict"]).stdout(whole.as_str()).check();
    // The next push needs to be trusted again, but items that were trusted before still are.
    sandbox.ctx(["profile", "--set", "budget=1000"]).stderr_any().check();
    commit(&sandbox);
    git(&sandbox, &colleague, &["pull", "-q"]);
    let told = "warning: 1 setting is not trusted here; 'ctx trust --dry-run' shows it\n";
    sandbox.ctx_in(&colleague, ["render"]).stdout(whole.as_str()).stderr(told).check();
    sandbox.ctx_in(&ci, ["render", "--trust", &digest]).stdout(whole.as_str()).check();
}

#[test]
fn set_rename_and_import_trust_nothing() {
    let sandbox = repository();
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox.ctx(["set", "--pin", "a.md"]).stderr_any().check();
    let told = "warning: 1 pin is not trusted here; 'ctx trust --dry-run' shows it\n";
    sandbox.ctx(["render"]).stdout_any().stderr(told).check();
    sandbox.ctx(["profile", "-c", "x"]).stderr_any().check();
    let bundle = r#"{"version": 1, "profiles": {"y": {"paths": ["cmd:true"], "format": "xml"}}}"#;
    sandbox.ctx(["import", "-"]).stdin(bundle).stderr_any().check();
    sandbox.ctx(["profile", "-m", "y", "z"]).stderr_any().check();
    sandbox
        .ctx(["--profile", "z", "render"])
        .stderr_has("1 command and 1 setting are not trusted here")
        .check();
}

#[test]
fn account_names_the_project_and_explain_names_the_scope() {
    let sandbox = repository();
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox.ctx(["set", "--pin", "a.md"]).stderr_any().check();
    let account = sandbox.ctx(["render", "--dry-run", "--json"]).stdout_any().stderr_any().check();
    let account: serde_json::Value = serde_json::from_str(&account).unwrap();
    assert_eq!(account["project"], serde_json::json!({"root": "<project>", "pending": 1}));
    assert_eq!(account["entries"].as_array().unwrap().last().unwrap()["scope"], "project");
    sandbox.ctx(["explain", "a.md"]).stdout_has("matched by 'a.md' (project, ").stderr_any().check();
}

#[test]
fn git_entries_of_a_project_stay_in_its_directory() {
    let sandbox = repository();
    let sub = sandbox.path("sub");
    sandbox.ctx_in(&sub, ["init"]).stderr_any().check();
    sandbox.ctx_in(&sub, ["add", "git:changes"]).stderr_any().check();
    fs::write(sandbox.path("a.md"), "changed\n").unwrap();
    fs::write(sandbox.path("sub/c.md"), "changed\n").unwrap();
    let rendered = sandbox.ctx_in(&sub, ["render"]).stdout_any().check();
    assert!(rendered.contains("[git:changes sub/c.md]") && !rendered.contains("a.md"), "{rendered}");
}

#[test]
fn files_of_one_project_do_not_affect_another() {
    let sandbox = repository();
    let sub = sandbox.path("sub");
    sandbox.ctx_in(&sub, ["init"]).stderr_any().check();
    sandbox
        .ctx_in(&sub, ["add", "c.md"])
        .stderr("Added 'c.md' to profile 'default': 1 file, 2 tokens\n")
        .check();
    sandbox.ctx_in(&sub, ["render"]).stdout(block("[c.md]\nc\n")).check();
    sandbox.ctx(["-q", "show"]).stdout_has("profile:\n    <none>").check();
}

#[test]
#[cfg(unix)]
fn files_of_a_project_have_default_modes_and_the_store_stays_private() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    git(&sandbox, &sandbox.project(), &["init", "-q"]);
    for args in [&["init"][..], &["add", "a.md"], &["profile", "-c", "x"], &["todo", "add", "t"]] {
        sandbox.ctx([args, &["-q"]].concat()).check();
    }
    let mode = |path: std::path::PathBuf| path.metadata().unwrap().permissions().mode() & 0o7777;
    std::fs::write(sandbox.path("file"), "").unwrap();
    std::fs::create_dir(sandbox.path("directory")).unwrap();
    let (file, directory) = (mode(sandbox.path("file")) & 0o644, mode(sandbox.path("directory")) & 0o755);
    for path in [".ctx", ".ctx/profiles", ".ctx/todo"] {
        assert_eq!(mode(sandbox.path(path)), directory, "{path}");
    }
    for path in [".ctx/profiles/default.json", ".ctx/profiles/x.json", ".ctx/todo/default.json"] {
        assert_eq!(mode(sandbox.path(path)), file, "{path}");
    }
    assert_eq!(mode(sandbox.store()), 0o700);
    assert_eq!(mode(sandbox.store().join("store.lock")), 0o600);
}
