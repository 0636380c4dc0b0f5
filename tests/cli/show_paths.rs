//! `show` with session paths and a prompt: it shows what a render with them would print.

use crate::support::Sandbox;

fn sandbox() -> Sandbox {
    let large = "word ".repeat(400);
    let sandbox =
        Sandbox::with(&[("a.md", "a\n"), ("src/b.rs", "fn b() {}\n"), ("large.txt", large.as_str())]);
    sandbox.write("c.bin", b"x\0y");
    sandbox.ctx(["add", "a.md", "*.txt", "*.bin"]).stderr_any().check();
    sandbox
}

#[test]
fn session_paths_have_their_own_section() {
    sandbox()
        .ctx(["show", "src", "-b", "none"])
        .stdout(
            "current profile: default

global:
    <none>

profile:
    a.md (1 match, 2 tokens, in every question)
    *.txt (1 match, 401 tokens, in every question)
    *.bin (1 match, 0 tokens, 1 binary)

session:
    src (1 match, 4 tokens)

3 files, 432 tokens (25 of them labels), no budget
",
        )
        .check();
}

#[test]
fn only_leaves_out_the_stored_lists() {
    sandbox()
        .ctx(["show", "--only", "src/b.rs"])
        .stdout(
            "current profile: default

session:
    src/b.rs (1 match, 4 tokens)

1 file, 22 tokens (18 of them labels), <1% of 150,000 (75% of 200,000, no model set) [------------------]
",
        )
        .check();
}

#[test]
fn dry_run_of_a_render_prints_the_same_as_show_expand() {
    let sandbox = sandbox();
    for arguments in [
        &[][..],
        &["src/**"],
        &["--only", "src", "-b", "30"],
        &["src/b.rs", "-b", "60", "--trim", "truncate"],
        &["-p", "what is in @src/b.rs?"],
        &["--exclude", "*.txt", "--paths", "absolute", "--format", "xml"],
        &["--query", "word", "--trim", "relevant", "-b", "100"],
        &["-", "--stdin-name", "notes", "-r", "."],
    ] {
        let render = [&["render", "--dry-run"][..], arguments].concat();
        let show = [&["show", "--expand"][..], arguments].concat();
        let planned = sandbox.ctx(&render).stdin("text\n").stdout_any().stderr_any().check();
        let shown = sandbox.ctx(&show).stdin("text\n").stdout_any().stderr_any().check();
        let (files, entries) = shown.split_once("\nglobal, without files:\n").unwrap_or((&shown, ""));
        assert_eq!(files, planned, "{arguments:?}");
        assert_eq!(entries.is_empty(), arguments.contains(&"--only"), "{arguments:?}");
    }
}

#[test]
fn typed_path_that_yields_nothing_is_an_error() {
    let sandbox = sandbox();
    sandbox.ctx(["show", "nosuch"]).code(1).stderr("error: no such file: 'nosuch'\n").check();
    sandbox.ctx(["show", "--tree", "c.bin"]).code(1).stderr("error: 'c.bin': binary file\n").check();
}

#[test]
fn account_includes_session_paths() {
    let json = sandbox().ctx(["show", "--json", "src"]).stdout_any().check();
    let account: serde_json::Value = serde_json::from_str(&json).unwrap();
    let entry = account["entries"].as_array().unwrap().last().unwrap();
    assert_eq!((&entry["entry"], &entry["scope"]), (&"src".into(), &"session".into()));
    assert_eq!(account["files"].as_array().unwrap().last().unwrap()["path"], "src/b.rs");
}

#[test]
fn two_readers_of_standard_input_are_wrong_usage() {
    sandbox().ctx(["show", "-", "--prompt-file", "-"]).code(2).stderr_has("standard input").check();
}

#[test]
fn files_left_out_by_the_built_in_ignore_file_are_counted_in_the_account() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("Cargo.lock", "x\n"), ("x.min.js", "x\n")]);
    let json = sandbox.ctx(["show", "-q", "--json", "--only", "*"]).stdout_any().check();
    let account: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(account["built_in_ignored"], 2);
}
