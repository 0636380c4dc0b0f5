use crate::support::Sandbox;

#[test]
fn an_empty_context_has_the_layout_of_git() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["show"])
        .stdout(
            "current profile: default

global:
    ~/.aws/amazonq/rules/**/*.md (0 matches)
    AmazonQ.md (missing)
    AGENTS.md (missing)

profile:
    <none>

0 files, 0 tokens, 0% of 150,000 [------------------]
",
        )
        .check();
}

#[test]
fn entries_show_their_matches_and_attributes() {
    let sandbox = Sandbox::with(&[("AGENTS.md", "agents\n"), ("src/a.rs", "fn a() {}\n"), ("src/b.rs", "")]);
    sandbox.ctx(["add", "--pin", "--tag", "code", "src/*.rs", "!src/b.rs"]).stderr_any().check();
    sandbox
        .ctx(["show"])
        .stdout_has("    AGENTS.md (1 match)\n")
        .stdout_has("    src/*.rs (1 match, pinned, tag code)\n")
        .stdout_has("    !src/b.rs\n")
        .stdout_has("\n2 files, ")
        .check();
}

#[test]
fn what_would_be_dropped_is_said() {
    let large = "word ".repeat(2000);
    let sandbox = Sandbox::with(&[("large.txt", large.as_str()), ("small.txt", "small\n")]);
    sandbox.ctx(["add", "*.txt"]).stderr_any().check();
    sandbox.ctx(["show", "-b", "1000"]).stdout_has("1 of 2 files would be dropped: large.txt (").check();
}

#[test]
fn expand_lists_every_file_with_its_entry() {
    let sandbox = Sandbox::with(&[("a.txt", "one\n"), ("b.txt", "two\n"), ("c.bin", "x\0y")]);
    sandbox.ctx(["add", "*.txt", "c.bin"]).stderr_any().check();
    sandbox
        .ctx(["show", "--expand"])
        .stdout_has("a.txt")
        .stdout_has("b.txt")
        .stdout_has("included")
        .stdout_has("skipped")
        .stdout_has("binary")
        .check();
}

#[test]
fn json_is_versioned_and_its_sums_agree() {
    let sandbox = Sandbox::with(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    sandbox.ctx(["add", "*.txt"]).stderr_any().check();
    let json = sandbox.ctx(["show", "--json"]).stdout_any().check();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["files"].as_array().unwrap().len(), 2);
    let tokens = &json["tokens"];
    assert_eq!(
        tokens["block"].as_i64().unwrap(),
        tokens["documents"].as_i64().unwrap() + tokens["frame"].as_i64().unwrap()
    );
}

#[test]
fn contents_are_never_printed() {
    let sandbox = Sandbox::with(&[("a.txt", "very particular words\n")]);
    sandbox.ctx(["add", "a.txt"]).stderr_any().check();
    for options in [&["show"][..], &["show", "--expand"], &["show", "--tree"], &["show", "--json"]] {
        sandbox.ctx(options).stdout_lacks("particular").check();
    }
}
