//! The lists of a project, and the directories that their entries are relative to.

use std::fs;

use super::support::{git, repository};
use crate::support::{Sandbox, block};

#[test]
fn project_is_created_once_and_contains_only_checked_in_files() {
    let sandbox = repository();
    assert_eq!(sandbox.read(".ctx/profiles/default.json"), "{\n  \"paths\": []\n}\n");
    sandbox.ctx(["init"]).stderr("note: '<project>' is already a project\n").check();
    sandbox.ctx(["add", "a.md"]).stderr("Added 'a.md' to profile 'default': 1 file, 2 tokens\n").check();
    sandbox.ctx(["profile", "--create", "api"]).stderr("Created profile: api\n").check();
    sandbox.ctx(["switch", "api"]).stderr_any().check();
    sandbox.ctx(["add", "cmd:true"]).stderr_any().check();
    let mut names: Vec<_> =
        fs::read_dir(sandbox.path(".ctx")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["profiles"]);
    assert_eq!(fs::read_dir(sandbox.path(".ctx/profiles")).unwrap().count(), 2);
    assert!(!sandbox.store().join("profiles/default.json").exists());
    assert!(sandbox.stored("state.json").contains("\"project\": true"));
}

#[test]
fn entries_and_labels_are_relative_to_the_root_in_every_directory() {
    let sandbox = repository();
    let sub = sandbox.path("sub");
    sandbox.ctx_in(&sub, ["add", "c.md", "../a.md"]).stderr_has("Added 'sub/c.md' to").check();
    assert!(sandbox.read(".ctx/profiles/default.json").contains("\"sub/c.md\",\n    \"a.md\""));
    let all = block("[sub/c.md]\nc\n\n[a.md]\na\n");
    sandbox.ctx(["render"]).stdout(all.as_str()).check();
    sandbox.ctx_in(&sub, ["render"]).stdout(all.as_str()).check();
    // It doesn't matter which option or list the file comes from.
    sandbox.ctx_in(&sub, ["render", "--only", "c.md"]).stdout(block("[sub/c.md]\nc\n")).check();
    sandbox.ctx_in(&sub, ["add", "-g", "c.md"]).stderr_any().check();
    sandbox.ctx_in(&sub, ["render"]).stdout(block("[sub/c.md]\nc\n\n[a.md]\na\n")).check();
    sandbox.ctx_in(&sub, ["rm", "c.md"]).stderr("Removed 'sub/c.md' from profile 'default'\n").check();
    sandbox.ctx_in(&sub, ["rm", "a.md"]).stderr("Removed 'a.md' from profile 'default'\n").check();
}

#[test]
fn pattern_and_exclusion_typed_below_the_root_are_stored_relative_to_it() {
    let sandbox = repository();
    sandbox.write("sub/d.md", "d\n");
    let sub = sandbox.path("sub");
    sandbox.ctx_in(&sub, ["add", "*.md", "!d.md"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout(block("[sub/c.md]\nc\n")).check();
    sandbox
        .ctx_in(&sub, ["add", "/etc/hostname"])
        .code(2)
        .stderr_has("may not name an absolute path")
        .check();
    sandbox
        .ctx_in(&sub, ["add", "-f", "../../x"])
        .code(2)
        .stderr_has("may not name a path with '..'")
        .check();
    sandbox.ctx_in(&sub, ["set", "--tag", "x", "*.md"]).stderr_any().check();
    sandbox
        .ctx(["show"])
        .stdout_has("sub/*.md (1 match, 2 tokens, in every question) [x]")
        .stdout_has("project: <project>\n")
        .check();
}

#[test]
fn each_project_has_its_own_active_profile() {
    let sandbox = repository();
    let other = super::support::clone(&sandbox, "other");
    sandbox.ctx(["switch", "-c", "api"]).stderr("Created and switched to profile: api\n").check();
    sandbox.ctx(["profile", "--current"]).stdout("api\n").check();
    sandbox.ctx_in(&other, ["profile", "--current"]).stdout("default\n").check();
    sandbox.ctx(["switch", "-"]).stderr("Switched to profile: default\n").check();
    sandbox.ctx(["switch", "-"]).stderr("Switched to profile: api\n").check();
    sandbox.ctx(["profile", "-m", "api", "rest"]).stderr("Renamed profile 'api' to 'rest'\n").check();
    sandbox.ctx(["profile", "--current"]).stdout("rest\n").check();
    let home = sandbox.home();
    sandbox.ctx_in(&home, ["profile", "--current"]).stdout("default\n").check();
    sandbox.ctx_in(&home, ["switch", "rest"]).code(1).stderr_has("Profile 'rest' does not exist").check();
}

#[test]
fn profiles_of_the_user_are_listed_and_can_be_named_but_not_switched_to() {
    let sandbox = repository();
    let home = sandbox.home();
    sandbox.ctx_in(&home, ["profile", "-c", "notes"]).stderr_any().check();
    sandbox.ctx_in(&home, ["profile", "-c", "api"]).stderr_any().check();
    sandbox.ctx(["profile", "-c", "api"]).stderr("Created profile: api\n").check();
    sandbox.ctx(["profile"]).stdout("project: <project>\n* default\n  api\n  notes (user)\n").check();
    sandbox
        .ctx(["--profile", "notes", "add", "a.md"])
        .stderr("Added 'a.md' to profile 'notes': 1 file, 2 tokens\n")
        .check();
    sandbox.ctx(["--profile", "notes", "render"]).stdout(block("[a.md]\na\n")).check();
    sandbox
        .ctx(["switch", "notes"])
        .code(1)
        .stderr_has("error: Profile 'notes' is the user's own, not the project's\n")
        .check();
    sandbox
        .ctx(["profile", "-d", "notes"])
        .code(1)
        .stderr_has("is the user's own, not the project's")
        .check();
    sandbox.ctx(["profile", "-d", "api"]).stderr("Deleted profile 'api'\n").check();
    assert!(sandbox.store().join("profiles/api.json").exists());
}

#[test]
fn project_can_be_ignored() {
    let sandbox = repository();
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox
        .ctx(["-q", "--no-project", "show"])
        .stdout_lacks("project:")
        .stdout_has("profile:\n    <none>")
        .check();
    sandbox.ctx(["-q", "show"]).env("CTX_PROJECT", "none").stdout_lacks("project:").check();
    sandbox
        .ctx(["show"])
        .env("CTX_PROJECT", "x")
        .code(2)
        .stderr_has("invalid value 'x' in $CTX_PROJECT")
        .check();
    sandbox
        .ctx(["--no-project", "add", "b.md"])
        .stderr("Added 'b.md' to profile 'default': 1 file, 2 tokens\nnote: profile 'default' is used in every repository; 'ctx switch -c NAME' or 'ctx init' keeps a list for this one\n")
        .check();
    sandbox.ctx(["--no-project", "render"]).stdout(block("[b.md]\nb\n")).check();
    sandbox.ctx(["render"]).stdout(block("[a.md]\na\n")).check();
}

#[test]
fn add_suggests_init_for_relative_entries_of_the_default_profile_in_a_repository() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    sandbox.ctx(["add", "a.md"]).stderr("Added 'a.md' to profile 'default': 1 file, 2 tokens\n").check();
    git(&sandbox, &sandbox.project(), &["init", "-q"]);
    sandbox.ctx(["add", "b.md"]).stderr("Added 'b.md' to profile 'default': 1 file, 2 tokens\n").check();
    sandbox.ctx(["-q", "rm", "a.md", "b.md"]).check();
    sandbox.ctx(["add", "b.md"]).stderr_has("'ctx init' keeps a list").check();
    sandbox.ctx(["add", "-g", "b.md"]).stderr_lacks("ctx init").check();
    sandbox.ctx(["add", "/etc/hostname"]).stderr_lacks("ctx init").check();
}

#[test]
fn global_list_in_a_project_is_ignored_with_a_warning() {
    let sandbox = repository();
    sandbox.write(".ctx/global.json", r#"{"paths": ["b.md"]}"#);
    sandbox.ctx(["add", "a.md"]).stderr_has("'<project>/.ctx/global.json' is not read").check();
    let told = "warning: '<project>/.ctx/global.json' is not read: the global list is the user's own\n";
    sandbox.ctx(["render"]).stdout(block("[a.md]\na\n")).stderr(told).check();
    sandbox.ctx(["render", "--strict"]).code(3).stderr_has("is not read").check();
    sandbox.ctx(["check"]).code(3).stdout_has("is not read").check();
}

#[test]
fn damaged_project_is_an_error_unless_it_is_ignored() {
    let sandbox = repository();
    sandbox.write(".ctx/profiles/default.json", "{");
    sandbox
        .ctx(["render"])
        .code(4)
        .stderr_has("is damaged")
        .stderr_has("hint: --no-project ignores the project's files\n")
        .check();
    sandbox.ctx(["-q", "--no-project", "show"]).stdout_any().check();
    sandbox.ctx(["add", "-g", "a.md"]).stderr_any().check();
}

#[test]
fn exclusions_of_a_project_apply_only_to_its_own_entries() {
    let sandbox = repository();
    sandbox.ctx(["add", "*.md", "!b.md"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout(block("[a.md]\na\n")).check();
    sandbox.ctx(["render", "?.md"]).stdout(block("[a.md]\na\n\n[b.md]\nb\n")).check();
    sandbox.ctx(["add", "-g", "!a.md"]).stderr_any().check();
    sandbox.ctx(["render"]).stderr_any().code(0).stdout("").check();
}

#[test]
fn history_of_a_project_is_in_the_users_store_and_separate_from_others() {
    let sandbox = repository();
    sandbox.ctx(["history", "append", "--role", "user", "x"]).stdout_any().stderr_any().check();
    sandbox.ctx(["history", "show", "--raw"]).stdout_has("x").check();
    sandbox.ctx(["--no-project", "history", "show"]).code(1).stderr_has("does not exist").check();
    assert!(!sandbox.path(".ctx/history").exists());
    sandbox.ctx(["profile", "-c", "api"]).stderr_any().check();
    sandbox
        .ctx(["--profile", "api", "history", "append", "--role", "user", "y"])
        .stdout_any()
        .stderr_any()
        .check();
    sandbox.ctx(["profile", "-m", "api", "rest"]).stderr_any().check();
    sandbox.ctx(["--profile", "rest", "history", "show", "--raw"]).stdout_has("y").check();
}

#[test]
fn memory_files_of_a_project_are_those_from_its_root_to_the_current_directory() {
    let sandbox = Sandbox::with(&[
        ("AGENTS.md", "outside the project\n"),
        ("p/AGENTS.md", "See @docs/style.md and @../secret.md\n"),
        ("p/docs/style.md", "style\n"),
        ("p/sub/AGENTS.md", "sub\n"),
        ("secret.md", "outside the project\n"),
    ]);
    git(&sandbox, &sandbox.project(), &["init", "-q"]);
    let (root, sub) = (sandbox.path("p"), sandbox.path("p/sub"));
    sandbox.ctx(["clear", "-g"]).stderr_any().check();
    sandbox.ctx_in(&root, ["init"]).stderr_any().check();
    sandbox.ctx_in(&sub, ["add", "--imports", "up:AGENTS.md"]).stderr_any().check();
    let first = "[AGENTS.md]\nSee @docs/style.md and @../secret.md\n\n[docs/style.md]\nstyle\n";
    let refused = "'@../secret.md' (it is outside this directory tree)";
    sandbox
        .ctx_in(&sub, ["render"])
        .stdout(block(&format!("{first}\n[sub/AGENTS.md]\nsub\n")))
        .stderr_has(refused)
        .check();
    sandbox.ctx_in(&root, ["render"]).stdout(block(first)).stderr_has(refused).check();
}

#[test]
fn export_all_has_only_the_projects_profiles_and_a_name_selects_one_of_the_users() {
    let sandbox = repository();
    let home = sandbox.home();
    sandbox.ctx_in(&home, ["profile", "-c", "notes"]).stderr_any().check();
    sandbox.ctx(["profile", "-c", "api"]).stderr_any().check();
    sandbox
        .ctx(["export", "--all"])
        .stdout_has("\"default\"")
        .stdout_has("\"api\"")
        .stdout_lacks("notes")
        .check();
    sandbox.ctx(["export", "notes"]).stdout_has("\"notes\"").check();
    sandbox.ctx(["export", "--all", "--no-project"]).stdout_has("\"notes\"").stdout_lacks("api").check();
}

#[test]
fn hint_names_the_option_that_a_path_lacks() {
    let sandbox = repository();
    sandbox.write("sub/deep/.env", "A=1\n");
    sandbox.write("sub/.hidden.md", "h\n");
    fs::write(sandbox.home().join("private.md"), "PRIVATE\n").unwrap();
    let (sub, deep) = (sandbox.path("sub"), sandbox.path("sub/deep"));
    for (directory, path) in [(&sub, "gone/*"), (&deep, "../gone.*"), (&deep, "../../gone*")] {
        sandbox.ctx_in(directory, ["add", path]).code(1).stderr_has("\nhint: --force adds it\n").check();
        sandbox.ctx_in(directory, ["add", path, "--force"]).stderr_any().check();
    }
    sandbox.ctx_in(&sub, ["add", "?hidden.md"]).code(1).stderr_has("\nhint: ctx add .hidden.md\n").check();
    sandbox.ctx_in(&sub, ["add", ".hidden.md"]).stderr_any().check();
    let kept = ["sub/gone/*", "sub/gone.*", "gone*", "sub/.hidden.md"];
    let stored = sandbox.read(".ctx/profiles/default.json");
    assert!(kept.iter().all(|path| stored.contains(&format!("{path:?}"))), "{stored}");
    // A path that a project may never have gets no hint.
    let secret = "error: Invalid path 'sub/deep/.env': its name suggests secrets\n";
    sandbox.ctx_in(&sub, ["add", "deep/.env"]).code(1).stderr(secret).check();
    std::os::unix::fs::symlink(sandbox.home().join("private.md"), sandbox.path("link.md")).unwrap();
    let outside = "error: Invalid path 'link.md': link leads outside this directory tree\n";
    sandbox.ctx(["add", "link.md"]).code(1).stderr(outside).check();
}
