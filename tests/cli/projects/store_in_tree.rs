//! A store in the repository, named by `--store` or `CTX_HOME`.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::{Run, Sandbox, block};

/// A repository that contains a store with this default profile.
fn clone(profile: &str) -> Sandbox {
    let sandbox = Sandbox::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("a.md", "a\n"),
        ("b.md", "b\n"),
        (".gitignore", "ignored.md\n"),
        ("ignored.md", "ignored\n"),
        (".env", "TOKEN=1\n"),
        ("../home/private.md", "private\n"),
    ]);
    sandbox.write("kept/global.json", r#"{"paths": []}"#);
    sandbox.write("kept/profiles/default.json", profile);
    sandbox
}

fn kept<'a>(sandbox: &'a Sandbox, arguments: &[&str]) -> Run<'a> {
    sandbox.ctx(["--store", "kept"].iter().chain(arguments).copied())
}

#[test]
fn entry_that_a_store_in_the_tree_may_not_have_is_skipped_and_the_rest_is_used() {
    for (entry, why) in [
        (r#""/etc/hostname""#, "a project's files may not name an absolute path"),
        (r#""{/etc/hostname,b.md}""#, "a project's files may not name an absolute path"),
        (r#""~/private.md""#, "a project's files may not name a path in the home directory"),
        (r#""../home/private.md""#, "a project's files may not name a path with '..'"),
        (r#""{..,x}/home/*.md""#, "a project's files may not name a path with '..'"),
        (r#"{"path": ".env", "allow": ["secret-names"]}"#, "a project's files may not set \"allow\""),
        (r#"{"path": ".env", "allow": ["secrets"]}"#, "a project's files may not set \"allow\""),
        (r#"{"path": "*.md", "allow": ["hidden"]}"#, "a project's files may not set \"allow\""),
        (r#"{"path": "*.md", "allow": ["ignored"]}"#, "a project's files may not set \"allow\""),
        (r#"{"path": "b.md", "root": "/"}"#, "a project's files may not set \"root\""),
    ] {
        let sandbox = clone(&format!(r#"{{"paths": ["a.md", {entry}]}}"#));
        let path: serde_json::Value = serde_json::from_str(entry).unwrap();
        let path = path.as_str().or(path["path"].as_str()).unwrap().to_owned();
        let told = format!("1 entry left out: '{path}' ({why})\n");
        kept(&sandbox, &["render"]).stdout(block("[a.md]\na\n")).stderr(format!("warning: {told}")).check();
        kept(&sandbox, &["render", "--strict"]).code(3).stderr_has(&told).check();
        kept(&sandbox, &["check"]).code(3).stdout_has(why).check();
        kept(&sandbox, &["show"]).stdout_has(&format!("{path} ({why}")).stderr_any().check();
        sandbox.ctx(["render"]).env("CTX_HOME", "kept").stdout_any().stderr_has(&told).check();
    }
}

#[test]
fn link_out_of_the_tree_is_skipped() {
    let sandbox = clone(r#"{"paths": ["link.md", "a.md"]}"#);
    symlink("../home/private.md", sandbox.path("link.md")).unwrap();
    kept(&sandbox, &["render"])
        .stdout(block("[a.md]\na\n"))
        .stderr("note: 1 entry left out: 'link.md' (link leads outside this directory tree)\n")
        .check();
}

#[test]
fn exclusion_of_a_store_in_the_tree_applies_only_to_its_own_entries() {
    let sandbox = clone(r#"{"paths": ["*.md", "!b.md"]}"#);
    kept(&sandbox, &["render"]).stdout(block("[a.md]\na\n")).check();
    kept(&sandbox, &["render", "?.md"]).stdout(block("[a.md]\na\n\n[b.md]\nb\n")).check();
}

#[test]
fn pins_and_settings_apply_once_they_are_trusted() {
    let sandbox = clone(
        r#"{"paths": ["a.md", {"path": "b.md", "pin": true}],
            "description": "Docs", "format": "xml", "budget": "40"}"#,
    );
    let told = "1 pin and 2 settings are not trusted here; 'ctx trust --dry-run' shows them\n";
    let pinned = "--- CONTEXT FILES BEGIN ---\n[a.md]\na\n\n[b.md]\nb\n--- CONTEXT FILES END ---\n";
    kept(&sandbox, &["render"]).stdout(pinned).stderr(format!("warning: {told}")).check();
    kept(&sandbox, &["render", "--strict"]).code(3).stderr_has(told).check();
    kept(&sandbox, &["show"]).stdout_has("Docs").stderr_has(told).check();
    let listing = kept(&sandbox, &["trust", "--dry-run"]).stdout_any().check();
    for item in [
        "pin 'b.md' (profile 'default')\n",
        "settings (profile 'default'): budget=40\n",
        "settings (profile 'default'): format=xml\n",
    ] {
        assert!(listing.contains(item), "{listing}");
    }
    let digest = listing.lines().last().unwrap().strip_prefix("digest: ").unwrap().to_owned();
    kept(&sandbox, &["render", "--trust", &digest]).stdout_has("<source>b.md</source>").stderr_any().check();
    kept(&sandbox, &["trust", &digest]).stdout_any().stderr_has("Trusted pin 'b.md'").check();
    kept(&sandbox, &["render"]).stdout_has("<source>b.md</source>").stderr_any().check();
    kept(&sandbox, &["show"]).stdout_has("b.md (1 match, 2 tokens, pinned)").stderr_any().check();
}

#[test]
fn settings_that_a_project_may_never_have_are_not_used() {
    let sandbox = clone(r#"{"paths": ["a.md"], "history": "x", "budget": "none", "root": "/"}"#);
    let told = "a project's files may not set 'budget', 'history', 'root'; not used\n";
    kept(&sandbox, &["render"]).stdout(block("[a.md]\na\n")).stderr(format!("warning: {told}")).check();
    kept(&sandbox, &["check"]).code(3).stdout_has("'budget', 'history', 'root'").check();
    kept(&sandbox, &["trust", "--dry-run"]).stdout_lacks("budget").check();
}

#[test]
fn entries_and_settings_added_to_a_store_in_the_tree_are_refused_or_trusted() {
    let sandbox = clone(r#"{"paths": []}"#);
    kept(&sandbox, &["add", "/etc/hostname"])
        .code(2)
        .stderr("error: Invalid path '/etc/hostname': a project's files may not name an absolute path\n")
        .check();
    kept(&sandbox, &["add", "--allow", "secret-names", ".env"])
        .code(2)
        .stderr("error: Invalid path '.env': a project's files may not set \"allow\"\n")
        .check();
    kept(&sandbox, &["profile", "--set", "budget=none", "--set", "history=x"])
        .code(2)
        .stderr_has("error: a project's files may not set budget=none\n")
        .stderr_has("error: a project's files may not set history=x\n")
        .check();
    kept(&sandbox, &["add", "--pin", "a.md"]).stderr_any().check();
    kept(&sandbox, &["profile", "--set", "format=xml"]).stderr_any().check();
    kept(&sandbox, &["render"]).stdout_has("<source>a.md</source>").check();
    kept(&sandbox, &["set", "--unset", "pin", "a.md"]).stderr_any().check();
    sandbox.ctx(["trust", "--remove"]).stderr_any().check();
    kept(&sandbox, &["set", "--pin", "a.md"]).stderr_any().check();
    kept(&sandbox, &["render"]).stdout_any().stderr_has("1 pin and 1 setting are not trusted").check();
}

#[test]
fn links_in_a_store_in_the_tree_are_refused_for_reading_and_writing() {
    for name in ["global.json", "state.json", "profiles/default.json", "profiles", "store.lock"] {
        let sandbox = clone(r#"{"paths": []}"#);
        fs::create_dir(sandbox.home().join("target")).unwrap();
        let path = sandbox.path("kept").join(name);
        let _ = fs::remove_file(&path);
        let _ = fs::remove_dir_all(&path);
        symlink(sandbox.home().join("target"), &path).unwrap();
        kept(&sandbox, &["add", "-f", "x"]).code(4).stderr_has("is a link, and others may").check();
        if name != "store.lock" {
            kept(&sandbox, &["render"]).code(4).stderr_has("is a link, and others may").check();
        }
        assert_eq!(fs::read_dir(sandbox.home().join("target")).unwrap().count(), 0);
    }
}

#[test]
fn journal_in_a_store_in_the_tree_creates_no_link() {
    let sandbox = clone(r#"{"paths": []}"#);
    let target = sandbox.home().join("private.md");
    let journal = format!(
        r#"{{"files": {{"profiles/default.json": {{"link": {target:?}, "text": "{{\"paths\": []}}"}}}}}}"#
    );
    sandbox.write("kept/journal.json", journal);
    kept(&sandbox, &["add", "a.md"]).code(4).stderr_has("is a link").check();
    kept(&sandbox, &["render"]).code(4).stderr_has("is a link").check();
    assert_eq!(fs::read_to_string(target).unwrap(), "private\n");
}

#[test]
fn files_of_other_users_in_a_store_in_the_tree_are_refused() {
    let sandbox = clone(r#"{"paths": ["a.md"]}"#);
    let profile = sandbox.path("kept/profiles/default.json");
    // Only root can give a file away.
    if std::os::unix::fs::chown(&profile, Some(12_345), None).is_ok() {
        kept(&sandbox, &["render"]).code(4).stderr_has("belongs to another user").check();
        kept(&sandbox, &["add", "b.md"]).code(4).stderr_has("belongs to another user").check();
    }
}

#[test]
fn store_outside_the_tree_or_at_its_usual_place_is_the_users_own() {
    let sandbox = clone(r#"{"paths": []}"#);
    sandbox.write_store("profiles/default.json", r#"{"paths": ["/etc/hostname"], "budget": "none"}"#);
    sandbox.ctx(["render"]).stdout_has("[/etc/hostname]").check();
    let home = sandbox.home();
    sandbox.ctx_in(&home, ["render"]).stdout_has("[/etc/hostname]").check();
    fs::create_dir(home.join(".git")).unwrap();
    sandbox.ctx_in(&home, ["render"]).stdout_has("[/etc/hostname]").check();
    fs::create_dir_all(home.join(".config/ctx/profiles")).unwrap();
    fs::write(home.join(".config/ctx/profiles/default.json"), r#"{"paths": ["~/private.md"]}"#).unwrap();
    sandbox.ctx_in(&home.join(".config"), ["render"]).env("CTX_HOME", "").stdout_has("private\n").check();
}

#[test]
fn directory_of_a_project_is_never_the_users_own_store() {
    let entries = r#"{"paths": ["/etc/hostname"], "budget": "none"}"#;
    let sandbox = Sandbox::with(&[(".git/HEAD", ""), ("a.md", "a\n")]);
    sandbox.write(".ctx/profiles/default.json", entries);
    sandbox.write("kept/profiles/default.json", entries);
    let outside = sandbox.home();
    let store = |name: &str| sandbox.path(name).to_str().unwrap().to_owned();
    let told = "1 entry left out: '/etc/hostname' (a project's files may not name an absolute path)";
    for arguments in [["--store", &store(".ctx"), "render"], ["--store", &store("./.ctx/"), "render"]] {
        sandbox.ctx_in(&outside, arguments).stdout_any().stderr_has(told).check();
    }
    let named = sandbox.ctx_in(&outside, ["render"]).env("CTX_HOME", &store(".ctx"));
    named.stdout_any().stderr_has(told).check();
    // Any other directory may be a store that you keep in your own repository.
    sandbox.ctx_in(&outside, ["--store", &store("kept"), "render"]).stdout_has("[/etc/hostname]").check();
}
