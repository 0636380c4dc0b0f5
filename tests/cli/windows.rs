//! The differences on Windows: how paths are written, reserved names, and missing features.

use crate::support::{Sandbox, block};

#[test]
fn project_stores_paths_typed_with_backslashes_with_slashes() {
    let sandbox = Sandbox::with(&[("src/deep/a.rs", "a\n"), ("README.md", "r\n")]);
    sandbox
        .ctx(["init"])
        .stderr("Created project <project>: 'ctx add' now adds to it; commit .ctx to share it\n")
        .check();
    sandbox.ctx(["add", r".\README.md", r"src\**\*.rs"]).stderr_any().check();
    let whole = sandbox.path(r"src\deep\a.rs");
    sandbox.ctx_in(&sandbox.path("src"), ["add", "--pin", whole.to_str().unwrap()]).stderr_any().check();
    let profile: serde_json::Value =
        serde_json::from_str(&sandbox.read(".ctx/profiles/default.json")).unwrap();
    assert_eq!(
        profile["paths"],
        serde_json::json!(["README.md", "src/**/*.rs", {"path": "src/deep/a.rs", "pin": true}])
    );
    let expected = block("[README.md]\nr\n\n[src/deep/a.rs]\na\n");
    sandbox.ctx_in(&sandbox.path("src"), ["render"]).stdout(expected).check();
}

#[test]
fn names_with_a_special_meaning_on_windows_cannot_be_entries() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    for (path, reason) in [
        ("CON", "it has a name that Windows reserves for a device"),
        ("docs/nul.txt", "it has a name that Windows reserves for a device"),
        ("a.txt:x", "it has a ':', which starts an alternate data stream on Windows"),
        ("a.txt::$DATA", "it has a ':', which starts an alternate data stream on Windows"),
        ("C:a.txt", "it has a ':', which starts an alternate data stream on Windows"),
        ("a.txt.", "it has a name that ends in a dot or a space, which Windows drops"),
        (r"\\.\pipe\x", "it is in a device namespace"),
    ] {
        let shown = path.replace('\\', "/");
        let expected = format!("error: Invalid path '{shown}': {reason}\n");
        // A hint may follow, with a file that has nearly the same name.
        sandbox.ctx(["add", path]).code(2).stderr_has(&expected).check();
    }
    sandbox.write_store("profiles/default.json", r#"{"paths": ["a.txt::$DATA", "NUL", "a.txt"]}"#);
    sandbox.ctx(["render"]).stdout(block("[a.txt]\na\n")).stderr_any().check();
}

#[test]
fn project_cannot_name_a_drive_or_a_share() {
    let sandbox = Sandbox::with(&[(".ctx/profiles/default.json", r#"{"paths": []}"#), ("a.txt", "a\n")]);
    let outside = sandbox.home().join("private.txt");
    std::fs::write(&outside, "private\n").unwrap();
    let outside = outside.to_str().unwrap().replace('\\', "/");
    let share = format!("//localhost/{}", outside.replace(':', "$"));
    for path in [
        outside.clone(),
        outside.replace('/', "\\"),
        share,
        "~/private.txt".into(),
        r"~\private.txt".into(),
        r"..\home\private.txt".into(),
    ] {
        let profile = serde_json::json!({"paths": [path, "a.txt"]}).to_string();
        sandbox.write(".ctx/profiles/default.json", profile);
        sandbox.ctx(["render"]).stdout(block("[a.txt]\na\n")).stderr_any().check();
    }
}

#[test]
fn home_directory_is_the_users_profile_directory() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    let note = sandbox.home().join("note.md");
    std::fs::write(&note, "n\n").unwrap();
    sandbox
        .ctx(["add", "-g", note.to_str().unwrap()])
        .stderr("Added '~/note.md' to the global list: 1 file, 2 tokens\n")
        .check();
    let other = sandbox.home().to_str().unwrap().to_uppercase() + r"\NOTE.md";
    sandbox.ctx(["render", "--only", r"~\note.md", &other]).stdout(block("[~/note.md]\nn\n")).check();
}

#[test]
fn checkpoints_report_that_they_need_posix() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    let message = "error: checkpoints need a POSIX system\n";
    for arguments in
        [&["checkpoint"][..], &["checkpoint", "create", "-m", "x"], &["checkpoint", "diff", "3", "--stat"]]
    {
        sandbox.ctx(arguments).code(1).stderr(message).check();
    }
    sandbox.ctx(["run", "--checkpoint", "-p", "x", "--", "cmd"]).code(1).stderr_has(message).check();
    sandbox.ctx(["checkpoint", "--help"]).stdout_has("checkpoints need POSIX").check();
}

#[test]
fn program_is_found_by_its_name_without_the_extension() {
    let sandbox = Sandbox::with(&[
        ("a.txt", "a\n"),
        ("bin/tool", "no program\n"),
        ("bin/tool.cmd", "@echo from tool\r\n"),
    ]);
    let run = sandbox.ctx(["run", "--only", "a.txt", "-p", "x", "--", r".\bin\tool"]);
    run.stdout("from tool\r\n").check();
    let missing = sandbox.ctx(["run", "--only", "a.txt", "-p", "x", "--", r".\bin\other"]);
    missing.code(127).stderr_has("not found").check();
}

#[test]
fn system_errors_are_worded_like_other_messages() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    let gone = sandbox.ctx(["-C", "gone", "show"]).code(1);
    gone.stderr("error: cannot change to 'gone': file not found\n").check();
}
