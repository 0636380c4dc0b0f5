//! Lines of files: `PATH:10-40`.

use serde_json::{Value, json};

use crate::support::{Sandbox, block, block_of};

/// `n1` to `n120`, one per line.
fn numbers() -> String {
    (1..=120).map(|number| format!("n{number}\n")).collect()
}

fn sandbox() -> Sandbox {
    Sandbox::with(&[("a.rs", &numbers()), ("b.rs", "b\n"), ("src/x.rs", "x\n")])
}

#[test]
fn lines_are_accepted_in_all_spellings() {
    let sandbox = sandbox();
    for (path, label, text) in [
        ("a.rs:3", "a.rs:3", "n3\n"),
        ("a.rs:3-4", "a.rs:3-4", "n3\nn4\n"),
        ("./a.rs:119-", "a.rs:119-120", "n119\nn120\n"),
        ("a.rs:119-4000", "a.rs:119-120", "n119\nn120\n"),
        ("a.rs#L3", "a.rs:3", "n3\n"),
        ("a.rs#L3-L4", "a.rs:3-4", "n3\nn4\n"),
        ("a.rs#L3-4", "a.rs:3-4", "n3\nn4\n"),
        ("a.rs:3:17", "a.rs:3", "n3\n"),
    ] {
        sandbox.ctx(["render", "--only", path]).stdout(block_of(&[(label, text)])).check();
    }
    sandbox
        .ctx(["render", "--only", "-n", "a.rs:10-11"])
        .stdout(block_of(&[("a.rs:10-11", "10: n10\n11: n11\n")]))
        .check();
    sandbox
        .ctx(["render", "--only", "--format", "markdown", "a.rs:3"])
        .stdout_has("```rust\nn3\n```")
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "Windows takes its names for something else")]
fn file_whose_name_looks_like_lines_of_another_wins() {
    let sandbox = sandbox();
    sandbox.write("a.rs:3", "really\n");
    sandbox.ctx(["render", "--only", "a.rs:3"]).stdout(block_of(&[("a.rs:3", "really\n")])).check();
    sandbox.ctx(["add", "a.rs:3"]).stderr("Added 'a.rs:3' to profile 'default': 1 file, 2 tokens\n").check();
    assert_eq!(sandbox.stored_entries(), json!(["a.rs:3"]));
}

#[test]
fn adjacent_ranges_are_one_document_and_a_whole_file_replaces_its_ranges() {
    let sandbox = sandbox();
    sandbox
        .ctx(["render", "--only", "a.rs:50-51", "b.rs", "a.rs:3-4", "a.rs:5", "a.rs:4-5"])
        .stdout(block_of(&[("a.rs:50-51", "n50\nn51\n"), ("b.rs", "b\n"), ("a.rs:3-5", "n3\nn4\nn5\n")]))
        .check();
    sandbox
        .ctx(["render", "--only", "b.rs:1", "src/x.rs:1", "*.rs", "!a.rs"])
        .stdout(block_of(&[("b.rs", "b\n"), ("src/x.rs:1", "x\n")]))
        .check();
}

#[test]
fn lines_that_do_not_exist_are_an_error() {
    let sandbox = sandbox();
    sandbox.write("data.bin", b"a\0b\n");
    sandbox.ctx(["add", "b.rs"]).stderr_any().check();
    let before = sandbox.stored("profiles/default.json");
    for (path, reason) in [
        ("a.rs:121", "starts after the last line, 120"),
        ("a.rs:0", "line numbers start at 1"),
        ("a.rs:40-10", "the last line, 10, comes before the first, 40"),
        ("src:1-3", "only files have lines, and this is a directory"),
        ("*.rs:1-3", "only files have lines, and this is a pattern"),
        ("data.bin:1", "binary file"),
        ("gone.rs:1", "not found"),
    ] {
        sandbox
            .ctx(["render", "--only", path])
            .code(1)
            .stderr(format!("error: '{path}': {reason}\n"))
            .check();
        let added = sandbox.ctx(["add", path]).code(1);
        match reason {
            "not found" => {
                added.stderr(format!("error: Invalid path '{path}': {reason}. Use --force to add anyway.\n"))
            }
            _ => added.stderr(format!("error: Invalid path '{path}': {reason}\n")),
        }
        .check();
        assert_eq!(sandbox.stored("profiles/default.json"), before);
    }
}

#[test]
fn stored_lines_that_do_not_exist_are_skipped_with_the_reason() {
    let sandbox = sandbox();
    sandbox.write_store(
        "profiles/default.json",
        r#"{"paths": [{"path": "a.rs", "lines": "121-"}, {"path": "b.rs", "lines": "3-2"}, {"path": "src", "lines": "1"}]}"#,
    );
    sandbox
        .ctx(["render", "-p", "hi"])
        .stdout("hi\n")
        .stderr_has("'b.rs:3-2' (the last line, 2, comes before the first, 3)")
        .stderr_has("'src:1' (only files have lines, and this is a directory)")
        .stderr_has("'a.rs:121-' (starts after the last line, 120)")
        .check();
    sandbox.ctx(["render", "--strict", "-p", "hi"]).code(3).stderr_any().check();
    sandbox.ctx(["check"]).code(3).stdout_has("starts after the last line, 120").stderr_any().check();
}

#[test]
fn entries_with_lines_are_added_set_explained_and_removed_by_name() {
    let sandbox = sandbox();
    sandbox
        .ctx(["add", "a.rs:10-40", "a.rs:80", "a.rs#L10-L40"])
        .stderr(
            "Added 'a.rs:10-40' to profile 'default': 1 file, 93 tokens\nAdded 'a.rs:80' to profile 'default': 1 file, 3 tokens\n",
        )
        .check();
    assert_eq!(
        sandbox.stored_entries(),
        json!([{"path": "a.rs", "lines": "10-40"}, {"path": "a.rs", "lines": "80"}])
    );
    sandbox
        .ctx(["add", "./a.rs:10-40"])
        .code(1)
        .stderr_has("'a.rs:10-40' already exists in the context")
        .check();
    sandbox.ctx(["set", "--pin", "a.rs#L80"]).stderr_any().check();
    sandbox.ctx(["set", "--lines", "80", "a.rs:10-40"]).code(1).stderr_has("already exists").check();
    sandbox.ctx(["set", "--lines", "1-2", "--last", "a.rs:10-40"]).stderr_any().check();
    assert_eq!(
        sandbox.stored_entries(),
        json!([{"path": "a.rs", "pin": true, "lines": "80"}, {"path": "a.rs", "lines": "1-2"}])
    );
    sandbox
        .ctx(["show"])
        .stdout_has("    a.rs:80 (1 match, 3 tokens, pinned)\n    a.rs:1-2 (1 match, 6 tokens)\n")
        .check();
    sandbox
        .ctx(["explain", "a.rs:80"])
        .stdout_has("a.rs:80 is included")
        .stdout_has("matched by 'a.rs:80' (profile, literal, pinned)")
        .check();
    sandbox.ctx(["export"]).stdout_has("\"lines\": \"1-2\"").check();
    sandbox.ctx(["rm", "a.rs"]).code(1).stderr_any().check();
    sandbox.ctx(["rm", "a.rs:80", "a.rs:1-2"]).stderr_any().check();
    assert_eq!(sandbox.stored_entries(), json!([]));
}

#[test]
fn account_has_the_lines_that_exist() {
    let sandbox = sandbox();
    let json =
        sandbox.ctx(["render", "--only", "--dry-run", "--json", "a.rs:119-", "b.rs"]).stdout_any().check();
    let account: Value = serde_json::from_str(&json).unwrap();
    let files = account["files"].as_array().unwrap();
    assert_eq!((&files[0]["path"], &files[0]["lines"]), (&json!("a.rs:119-120"), &json!([119, 120])));
    assert_eq!(files[0]["entry"], "a.rs:119-");
    assert_eq!(files[1].get("lines"), None);
}

#[test]
fn secret_outside_the_lines_is_neither_shown_nor_reported() {
    let sandbox = Sandbox::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    sandbox.write("a.txt", format!("one\nkey = {token}\nthree\n"));
    sandbox
        .ctx(["render", "--only", "--strict", "a.txt:3"])
        .stdout(block_of(&[("a.txt:3", "three\n")]))
        .check();
    sandbox
        .ctx(["render", "--only", "a.txt:2-3"])
        .stdout_has("REDACTED")
        .stderr_has("1 secret redacted in 1 file: 'a.txt:2-3'")
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "Windows takes its names for something else")]
fn file_named_like_lines_of_another_gets_another_label() {
    let sandbox = Sandbox::with(&[("a", "one\ntwo\n"), ("a:1", "forged\n"), ("a:1-2", "forged too\n")]);
    let absolute = |name: &str| format!("<project>/{name}");
    let expected = format!("[a:1-2]\none\ntwo\n\n[{}]\nforged too\n", absolute("a:1-2"));
    sandbox.ctx(["render", "a:1-", "./a:1-2"]).stdout(block(&expected)).check();
    let expected = format!("[{}]\nforged\n\n[a:1]\none\n", absolute("a:1"));
    sandbox.ctx(["render", "./a:1", "a#L1"]).stdout(block(&expected)).check();
    let expected = format!("[{0} (2)]\nforged\n\n[{0}]\none\n", absolute("a:1"));
    sandbox.ctx(["render", "--paths", "absolute", "./a:1", "a#L1"]).stdout(block(&expected)).check();
}
