//! `@` references in the prompt.

use serde_json::{Value, json};

use crate::support::Sandbox;

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("a.md", "stored\n"),
        ("src/a.rs", "one\ntwo\nthree\n"),
        ("docs/x.md", "x\n"),
        ("docs/y.md", "y\n"),
    ])
}

const BEGIN: &str = "--- CONTEXT FILES BEGIN ---\n";
const END: &str = "--- CONTEXT FILES END ---\n";

#[test]
fn references_become_documents_after_the_others_and_stay_in_the_prompt() {
    let sandbox = sandbox();
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    let prompt = "Compare @src/a.rs:2-3, (@docs/) and \\@a.md. me@x.org @param\n";
    sandbox
        .ctx(["render", "-p", prompt])
        .stdout(format!(
            "{BEGIN}[a.md]\nstored\n\n[src/a.rs:2-3]\ntwo\nthree\n\n[docs/x.md]\nx\n\n[docs/y.md]\ny\n{END}\n\
             Compare @src/a.rs:2-3, (@docs/) and @a.md. me@x.org @param\n"
        ))
        .stderr("note: from the prompt: 'src/a.rs:2-3', 'docs/' (2 files)\n")
        .check();
}

#[test]
fn references_in_a_prompt_file_are_used_unless_no_refs_is_given() {
    let sandbox = sandbox();
    sandbox.write("prompt.txt", "@docs/x.md \\@docs/y.md @gone/x.md");
    sandbox
        .ctx(["render", "--only", "--prompt-file", "prompt.txt"])
        .stdout(format!("{BEGIN}[docs/x.md]\nx\n{END}\n@docs/x.md @docs/y.md @gone/x.md\n"))
        .stderr("warning: '@gone/x.md' does not exist; left as text\nnote: from the prompt: 'docs/x.md'\n")
        .check();
    sandbox
        .ctx(["render", "--only", "--no-refs", "--prompt-file", "prompt.txt"])
        .stdout("@docs/x.md \\@docs/y.md @gone/x.md\n")
        .stderr_has("the context is empty")
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "Windows takes its names for something else")]
fn unusable_reference_in_a_prompt_is_not_an_error() {
    let sandbox = sandbox();
    sandbox.write("data.bin", b"a\0b");
    sandbox.write("out.txt", "old\n");
    sandbox.write(".env", "x\n");
    sandbox.write("git:diff", "g\n");
    let prompt = "@data.bin @src/a.rs:9 @src/a.rs:3-2 @out.txt @.env @../x @git:diff";
    sandbox
        .ctx(["render", "--only", "-o", "out.txt", "-p", prompt])
        .stderr_has("warning: '@.env' has a name that suggests secrets; left as text\n")
        .stderr_has("'data.bin' (binary file)")
        .stderr_has("'src/a.rs:9' (starts after the last line, 3)")
        .check();
    assert_eq!(sandbox.read("out.txt"), format!("{BEGIN}[./git:diff]\ng\n{END}\n{prompt}\n"));
    sandbox.ctx(["render", "--only", "--strict", "-p", "@gone.md"]).code(3).stderr_any().check();
}

#[test]
fn references_over_half_the_budget_are_dropped_starting_with_the_last() {
    let sandbox = sandbox();
    let long: String = (0..200).map(|number| format!("line number {number}\n")).collect();
    sandbox.write("long.md", &long);
    sandbox.write("big.md", &long);
    sandbox.write("second.md", &long);
    sandbox.ctx(["add", "long.md"]).stderr_any().check();
    let json = sandbox
        .ctx(["render", "-b", "1800", "-p", "@big.md @second.md @docs/x.md", "--dry-run", "--json"])
        .stdout_any()
        .stderr_any()
        .check();
    let account: Value = serde_json::from_str(&json).unwrap();
    let told: Vec<[&Value; 4]> = account["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| [&file["path"], &file["status"], &file["scope"], &file["origin"]])
        .collect();
    assert_eq!(
        json!(told),
        json!([
            ["long.md", "included", "profile", "path"],
            ["big.md", "dropped", "prompt", "reference"],
            ["second.md", "dropped", "prompt", "reference"],
            ["docs/x.md", "dropped", "prompt", "reference"]
        ])
    );
}

#[test]
fn file_that_is_stored_and_referred_to_is_included_once() {
    let sandbox = sandbox();
    sandbox.ctx(["add", "a.md", "docs/*.md"]).stderr_any().check();
    sandbox
        .ctx(["render", "--only", "-p", "@a.md"])
        .stdout(format!("{BEGIN}[a.md]\nstored\n{END}\n@a.md\n"))
        .stderr_has("note: from the prompt: 'a.md'\n")
        .check();
    let json =
        sandbox.ctx(["render", "-p", "@a.md", "--dry-run", "--json"]).stdout_any().stderr_any().check();
    let account: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(account["files"].as_array().unwrap().len(), 3);
    assert_eq!(account["files"][0]["scope"], "profile");
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn command_named_by_a_prompt_is_not_run() {
    let sandbox = sandbox();
    sandbox.write("cmd:touch mark", "text\n");
    sandbox
        .ctx(["render", "--only", "-p", "@{cmd:touch mark} @cmd:touch"])
        .stdout_has("[./cmd:touch mark]\ntext\n")
        .stderr_any()
        .check();
    assert!(!sandbox.path("mark").exists());
}
