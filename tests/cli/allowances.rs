//! The values of `allow`: names that suggest secrets, secrets in contents, hidden characters.

use serde_json::{Value, json};

use crate::support::{Sandbox, block};

/// A string shaped like a token.
const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

#[test]
fn force_for_a_missing_path_is_not_stored() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["add", "--force", "conf/**"]).stderr_any().check();
    assert_eq!(sandbox.stored("profiles/default.json"), "{\n  \"paths\": [\n    \"conf/**\"\n  ]\n}\n");
    sandbox.write("conf/id_rsa", "k\n");
    sandbox.ctx(["render"]).stderr_has("--allow secret-names").check();
}

#[test]
fn an_allowance_applies_to_matches_of_its_entry_and_is_shown() {
    let fixture = format!("{TOKEN}\na\u{202e}b\n");
    let sandbox = Sandbox::with(&[("fixtures/a.txt", &fixture), ("src/b.txt", &fixture)]);
    sandbox.ctx(["add", "--allow", "secrets,hidden", "fixtures"]).stderr_any().check();
    let plain = block(&format!("[fixtures/a.txt]\n{fixture}"));
    sandbox.ctx(["render", "--strict"]).stdout(plain.clone()).check();
    sandbox
        .ctx(["show"])
        .stdout_has("    fixtures (1 match, 29 tokens, in every question, allow secrets,hidden)\n")
        .check();
    sandbox
        .ctx(["check"])
        .code(3)
        .stdout_has("fixtures (profile): secrets are allowed, in names and contents\n")
        .stdout_has("fixtures (profile): hidden characters are allowed\n")
        .check();
    sandbox.ctx(["render", "src/b.txt"]).stdout_has("[src/b.txt]\n[REDACTED:").stderr_any().check();
    let safe = block("[fixtures/a.txt]\n[REDACTED:github-token]\na<U+202E>b\n");
    sandbox.ctx(["render", "--allow", "none"]).stdout(safe).stderr_any().check();
    let hidden = block("[fixtures/a.txt]\n[REDACTED:github-token]\na\u{202e}b\n");
    sandbox.ctx(["render", "--allow", "none,hidden"]).stdout(hidden).stderr_any().check();
    let exported = sandbox.ctx(["export"]).stdout_any().check();
    let exported: Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(
        exported["profiles"]["default"]["paths"][0],
        json!({"path": "fixtures", "allow": ["secrets", "hidden"]})
    );
    sandbox.ctx(["set", "fixtures", "--unset", "allow"]).stderr_any().check();
    assert_eq!(sandbox.stored_entries(), json!(["fixtures"]));
    sandbox.ctx(["render"]).stdout_has("<U+202E>").stdout_lacks(TOKEN).stderr_any().check();
}

#[test]
fn allowing_secret_names_or_secrets_lifts_the_name_rule_only_for_typed_paths() {
    let env = format!("A={TOKEN}\n");
    let sandbox = Sandbox::with(&[(".env", &env), ("k/x.pem", "k\n"), ("list", "k/x.pem\n")]);
    for (allowed, text) in [("secret-names", "A=[REDACTED:github-token]\n"), ("secrets", &env)] {
        let render = |rest: &[&str]| sandbox.ctx([&["render", "--only", "--allow", allowed], rest].concat());
        render(&[".env"]).stdout(block(&format!("[.env]\n{text}"))).stderr_any().check();
        render(&["k/**"]).code(1).stderr_any().check();
        render(&["--files-from", "list"]).stderr_any().check();
    }
    sandbox
        .ctx(["render", "--only", ".env"])
        .code(1)
        .stderr("error: '.env': the name suggests secrets (.env)\nhint: --allow secret-names includes it\n")
        .check();
}

#[test]
fn attributes_are_unset_before_others_are_set() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    sandbox.ctx(["add", "--pin", "--allow", "ignored", "--allow", "secrets", "a.md"]).stderr_any().check();
    sandbox.ctx(["set", "--allow", "hidden", "a.md"]).stderr_any().check();
    assert_eq!(
        sandbox.stored_entries(),
        json!([{"path": "a.md", "pin": true, "allow": ["ignored", "secrets", "hidden"]}])
    );
    sandbox.ctx(["set", "--unset", "allow", "--unset", "pin", "--no-ignore", "a.md"]).stderr_any().check();
    assert_eq!(sandbox.stored_entries(), json!([{"path": "a.md", "allow": ["ignored"]}]));
}

#[test]
fn file_in_a_git_directory_is_skipped_unless_named_with_secret_names_allowed() {
    let sandbox = Sandbox::with(&[
        (".git/config", "token\n"),
        ("sub/.GIT/config", "token\n"),
        ("data/HEAD", "ref\n"),
        ("linked/.git", "gitdir: ../data\n"),
        ("linked/a.md", "a\n"),
        ("linked/list", ".git\n../.git/config\n"),
    ]);
    for path in [".git/config", "sub/.GIT/config"] {
        sandbox.ctx(["render", "--only", path]).code(1).stderr_has("it is in a git directory").check();
        sandbox.ctx(["add", path]).code(1).stderr_has("it is in a git directory").check();
        sandbox.ctx(["render", "--only", "--allow", "secret-names", path]).stdout_has("token\n").check();
        sandbox.ctx(["add", "--allow", "secret-names", path]).stderr_any().check();
    }
    sandbox.ctx(["render"]).stdout_has("[.git/config]\ntoken\n").stdout_has("[sub/.GIT/config]\n").check();
    sandbox.write_store("profiles/default.json", r#"{"paths": [".git/config"]}"#);
    sandbox.ctx(["render", "--allow", "secret-names"]).stdout_lacks("token").stderr_any().check();
    let linked = sandbox.path("linked");
    sandbox
        .ctx_in(&linked, ["render", "--only", "../data/HEAD"])
        .code(1)
        .stderr_has("it is in a git directory")
        .check();
    sandbox
        .ctx_in(&linked, ["render", "--only", "../data/*"])
        .code(1)
        .stderr_has("it is in a git directory")
        .check();
}
