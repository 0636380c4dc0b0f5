//! A project that tries everything that its files aren't allowed to do.

use std::fs;
use std::os::unix::fs::symlink;

use super::support::repository;
use crate::support::{Sandbox, block};

const COMMANDS: [&[&str]; 8] = [
    &["render"],
    &["render", "--dry-run", "--json"],
    &["show"],
    &["show", "--expand"],
    &["show", "--tree"],
    &["check"],
    &["explain", "a.md"],
    &["trust", "--dry-run"],
];

/// A project with this profile, next to private files.
fn hostile(profile: &str) -> Sandbox {
    let sandbox = repository();
    fs::write(sandbox.home().join("private.md"), "PRIVATE\n").unwrap();
    sandbox.write(".env", "TOKEN=PRIVATE\n");
    sandbox.write(".gitignore", "ignored.md\n");
    sandbox.write("ignored.md", "PRIVATE\n");
    sandbox.write(".ctx/profiles/default.json", profile);
    sandbox
}

#[test]
fn no_command_prints_what_a_project_may_never_read() {
    let sandbox = hostile("{}");
    let home = sandbox.home().join("private.md");
    symlink(&home, sandbox.path("link.md")).unwrap();
    symlink(sandbox.home(), sandbox.path("links")).unwrap();
    let profile = format!(
        r#"{{"paths": ["a.md", {home:?}, "~/private.md", "../home/*.md", "{{..,x}}/home/private.md", "link.md",
            "links/*.md", "links", {{"path": ".env", "allow": ["secret-names"]}}, {{"path": ".env", "allow": ["secrets"]}},
            {{"path": "ignored*", "allow": ["ignored"]}}, ".git/config",
            {{"path": "*.md", "allow": ["hidden"]}}, {{"path": "b.md", "root": "/"}},
            "cmd:touch ran", "cmd:sh -c 'touch ran'"],
            "history": "default", "history_budget": "50%", "budget": "none", "checkpoint": "on", "root": "/",
            "store": "/tmp"}}"#
    );
    sandbox.write(".ctx/profiles/default.json", profile);
    for arguments in COMMANDS {
        let output = std::process::Command::new(crate::support::binary())
            .args(arguments)
            .current_dir(sandbox.project())
            .env_clear()
            .envs(sandbox.environment())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!text.contains("PRIVATE") && !text.contains("remote"), "{arguments:?}: {text}");
        assert!(!sandbox.path("ran").exists(), "{arguments:?}");
    }
    sandbox.ctx(["render"]).stdout(block("[a.md]\na\n")).stderr_any().check();
    sandbox.ctx(["render", "--strict"]).code(3).stderr_any().check();
    sandbox.ctx(["check"]).code(3).stdout_any().stderr_any().check();
    // Nothing in this project can be trusted, either.
    sandbox.ctx(["trust"]).stdout_any().stderr_any().check();
    sandbox
        .ctx(["render"])
        .stdout_lacks("PRIVATE")
        .stderr_has("a project's files may not set 'budget', 'history', 'history_budget'")
        .check();
}

#[test]
fn path_above_the_project_is_refused_even_inside_the_repository() {
    let sandbox = repository();
    let sub = sandbox.path("sub");
    sandbox.ctx_in(&sub, ["init"]).stderr_any().check();
    symlink("../a.md", sandbox.path("sub/up.md")).unwrap();
    sandbox.write("sub/.ctx/profiles/default.json", r#"{"paths": ["../a.md", "up.md", "c.md"]}"#);
    sandbox
        .ctx_in(&sub, ["render"])
        .stdout(block("[c.md]\nc\n"))
        .stderr_has("'../a.md' (a project's files may not name a path with '..')")
        .stderr_has("'up.md' (link leads outside this directory tree)")
        .check();
}

#[test]
fn links_in_the_projects_directory_are_refused_for_reading_and_writing() {
    for name in [".ctx", ".ctx/profiles", ".ctx/profiles/default.json"] {
        let sandbox = repository();
        let target = sandbox.home().join("target");
        fs::create_dir(&target).unwrap();
        let path = sandbox.path(name);
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap()
        } else {
            fs::remove_file(&path).unwrap()
        }
        symlink(&target, &path).unwrap();
        for arguments in [&["render"][..], &["show"], &["add", "a.md"], &["check"], &["init"]] {
            sandbox
                .ctx(arguments.iter())
                .code(if arguments == ["check"] { 3 } else { 4 })
                .stdout_any()
                .stderr_any()
                .check();
        }
        sandbox.ctx(["add", "a.md"]).code(4).stderr_has("is a link").stderr_has("--no-project").check();
        assert_eq!(fs::read_dir(&target).unwrap().count(), 0, "{name}");
        sandbox.ctx(["-q", "--no-project", "show"]).stdout_any().check();
    }
}

#[test]
fn files_of_other_users_and_files_that_are_too_large_are_refused() {
    let sandbox = repository();
    let profile = sandbox.path(".ctx/profiles/default.json");
    // Only root can give a file away.
    if std::os::unix::fs::chown(&profile, Some(12_345), None).is_ok() {
        sandbox.ctx(["render"]).code(4).stderr_has("belongs to another user").check();
        std::os::unix::fs::chown(sandbox.path(".ctx"), Some(12_345), None).unwrap();
        sandbox
            .ctx(["show"])
            .stdout_lacks("project:")
            .stderr_has("warning: '<project>/.ctx' belongs to another user and is ignored\n")
            .check();
        sandbox.ctx(["render", "--strict", "a.md"]).code(3).stderr_has("belongs to another user").check();
        std::os::unix::fs::chown(sandbox.path(".ctx"), Some(0), None).unwrap();
        std::os::unix::fs::chown(&profile, Some(0), None).unwrap();
    }
    fs::write(&profile, " ".repeat((1 << 20) + 1)).unwrap();
    sandbox.ctx(["render"]).code(4).stderr_has("is larger than 1048576 bytes").check();
    fs::remove_file(&profile).unwrap();
    sandbox.fifo(".ctx/profiles/default.json");
    sandbox.ctx(["render"]).code(4).stderr_has("is not a regular file").check();
}

#[test]
fn journal_of_a_project_is_completed_from_any_directory() {
    let sandbox = repository();
    let file = sandbox.path(".ctx/profiles/default.json");
    let journal = |before: &str| {
        format!(
            r#"{{"files": {{{file:?}: {{"text": "{{\"paths\": [\"a.md\"]}}\n"}}}}, "before": {{{file:?}: {{"text": {before:?}}}}}}}"#
        )
    };
    let before = sandbox.read(".ctx/profiles/default.json");
    sandbox.write_store("journal.json", journal(&before));
    sandbox.ctx(["render"]).stdout(block("[a.md]\na\n")).check();
    sandbox.ctx_in(&sandbox.home(), ["add", "-g", "-f", "x"]).stderr_any().check();
    assert_eq!(sandbox.read(".ctx/profiles/default.json"), "{\"paths\": [\"a.md\"]}\n");
    // A link that has appeared in the meantime isn't a leftover of a command.
    let target = sandbox.home().join("private.json");
    fs::write(&target, &before).unwrap();
    fs::remove_file(&file).unwrap();
    symlink(&target, &file).unwrap();
    sandbox.write_store("journal.json", journal(&before));
    sandbox.ctx_in(&sandbox.home(), ["rm", "-g", "x"]).stderr_any().check();
    assert_eq!(fs::read_to_string(&target).unwrap(), before);
}

#[test]
fn attribute_that_a_project_may_not_have_is_refused_by_set_too() {
    let sandbox = repository();
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    for allowed in ["ignored", "secret-names", "secrets", "hidden"] {
        sandbox
            .ctx(["set", "--allow", allowed, "a.md"])
            .code(2)
            .stderr("error: Invalid path 'a.md': a project's files may not set \"allow\"\n")
            .check();
    }
}

#[test]
fn invalid_setting_of_a_project_is_left_out_and_reported() {
    let sandbox = repository();
    sandbox.write(
        ".ctx/profiles/default.json",
        r#"{"paths": ["a.md"], "budget": "abc", "trim": "smallest", "format": "html", "model": "no-such-model",
            "instruction": "Be kind."}"#,
    );
    sandbox.ctx(["trust"]).stdout_any().stderr_has("Trusted instruction").check();
    let warning = "warning: invalid in the project's files and not used: 'budget' (";
    sandbox.ctx(["render"]).stdout_has("[a.md]").stdout_has("Be kind.").stderr_has(warning).check();
    sandbox.ctx(["render", "--strict"]).code(3).stderr_has("'model' (").check();
    sandbox.ctx(["check"]).code(3).stdout_has("'trim' (").stdout_has("'format' (").stderr_any().check();
    sandbox.ctx(["show"]).stdout_has("a.md (1 match").stderr_has(warning).check();
}

#[test]
fn files_left_out_by_ignore_files_that_git_does_not_read_are_counted() {
    let sandbox = repository();
    sandbox.write("vendor/x.md", "x\n");
    sandbox.write(".ctxignore", "b.md\nvendor\n");
    sandbox.write(".gitignore", "*.log\n");
    sandbox.write("a.log", "log\n");
    let note = "note: 1 file and 1 directory left out by .ctxignore; --allow ignored includes them\n";
    sandbox.ctx(["render", "--only", "**/*.md"]).stdout_has("[a.md]").stderr(note).check();
    sandbox.ctx(["render", "--only", "**/*.md", "*.md"]).stdout_has("[a.md]").stderr(note).check();
    sandbox.ctx(["render", "--only", "a.*"]).stdout_has("[a.md]").check();
    sandbox.ctx(["render", "--only", "--allow", "ignored", "*.md"]).stdout_has("[b.md]").check();
}

#[test]
fn command_of_a_project_that_is_too_long_is_invalid() {
    let sandbox = repository();
    let words: String = (0..12_000).map(|number| format!("w{number} ")).collect();
    sandbox.write(".ctx/profiles/default.json", format!(r#"{{"paths": ["a.md", "cmd:sh {words}"]}}"#));
    sandbox
        .ctx(["render"])
        .stdout(block("[a.md]\na\n"))
        .stderr_has("a command can have at most 65,536 bytes")
        .check();
    sandbox.ctx(["show"]).stdout_has("(a command can have at most 65,536 bytes)").stderr_any().check();
}

#[test]
fn git_entries_of_a_project_are_bounded_in_number() {
    let sandbox = repository();
    let paths: Vec<String> = (1..=70).map(|number| format!("git:log -{number}")).collect();
    let profile = serde_json::json!({ "paths": paths });
    sandbox.write(".ctx/profiles/default.json", profile.to_string());
    let rendered = sandbox
        .ctx(["render"])
        .stdout_any()
        .stderr_has("6 files left out: 'git:log -65' (a project may have at most 64 git: entries)")
        .check();
    assert_eq!(rendered.matches("[git:log").count(), 64);
}

#[test]
fn project_is_accessible_to_its_owner_whatever_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "umask 777; exec \"$0\" init"]).arg(crate::support::binary());
    shell.current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
    assert!(shell.output().unwrap().status.success());
    for (path, mode) in [(".ctx", 0o700), (".ctx/profiles", 0o700), (".ctx/profiles/default.json", 0o600)] {
        let metadata = fs::metadata(sandbox.path(path)).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, mode, "{path}");
    }
}

#[test]
fn profile_of_the_project_cannot_be_copied_into_a_project() {
    let sandbox = repository();
    sandbox.write(".ctx/profiles/t.json", "{\"paths\": []}");
    let told = "error: profile 't' is the project's; --from copies one of your own\n";
    sandbox.ctx(["init", "--from", "t"]).code(1).stderr(told).check();
}
