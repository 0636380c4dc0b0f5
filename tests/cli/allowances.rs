//! What an entry may allow: names that suggest secrets, secrets in contents, hidden characters.

use crate::support::{Sandbox, block};

/// In the shape of a token of a forge.
const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

#[test]
fn force_for_what_is_not_there_yet_leaves_no_trace() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["add", "--force", "conf/**"]).stderr_any().check();
    assert_eq!(sandbox.stored("profiles/default.json"), "{\n  \"paths\": [\n    \"conf/**\"\n  ]\n}\n");
    sandbox.write("conf/id_rsa", "k\n");
    sandbox.ctx(["render"]).stderr_has("--allow-secrets").check();
}

#[test]
fn the_attribute_force_lifts_the_name_rule_for_a_literal_alone_and_is_reported() {
    let sandbox = Sandbox::with(&[("conf/id_rsa", "k\n"), (".env", &format!("A={TOKEN}\n"))]);
    sandbox.write_store(
        "profiles/default.json",
        r#"{"paths": [{"path": "conf/**", "force": true}, {"path": "conf", "force": true}, {"path": ".env", "force": true}]}"#,
    );
    let block = sandbox.ctx(["render"]).stdout_lacks("id_rsa").stdout_lacks(TOKEN).stderr_any().check();
    assert!(block.contains("[.env]\nA=[REDACTED:"), "{block}");
    sandbox
        .ctx(["check"])
        .code(3)
        .stdout_has(
            "replace it with ctx set --allow-secrets .env, or remove it with ctx set --no-allow-secrets .env",
        )
        .stdout_has("replace it with ctx set --allow-secrets 'conf/**'")
        .check();
    sandbox.ctx(["set", ".env", "--no-allow-secrets"]).stderr_has("Changed").check();
    sandbox.ctx(["render"]).stdout_lacks("[.env]").stderr_any().check();
    sandbox.ctx(["set", "conf/**", "--allow-secrets"]).stderr_has("Changed").check();
    sandbox.ctx(["render"]).stdout_has("[conf/id_rsa]").stderr_any().check();
}

#[test]
fn an_allowance_holds_for_what_its_entry_matches_and_shows() {
    let fixture = format!("{TOKEN}\na\u{202e}b\n");
    let sandbox = Sandbox::with(&[("fixtures/a.txt", &fixture), ("src/b.txt", &fixture)]);
    sandbox.ctx(["add", "--allow-secrets=contents", "--allow-hidden", "fixtures"]).stderr_any().check();
    let plain = block(&format!("[fixtures/a.txt]\n{fixture}"));
    sandbox.ctx(["render", "--strict"]).stdout(plain.clone()).check();
    sandbox
        .ctx(["show"])
        .stdout_has("    fixtures (1 match, 29 tokens, secrets allowed, hidden characters allowed)\n")
        .check();
    sandbox
        .ctx(["check"])
        .code(3)
        .stdout_has("fixtures (profile): secrets are allowed, in names and contents\n")
        .stdout_has("fixtures (profile): hidden characters are allowed\n")
        .check();
    sandbox.ctx(["render", "src/b.txt"]).stdout_has("[src/b.txt]\n[REDACTED:").stderr_any().check();
    for options in [&["--secrets", "redact"][..], &["--secrets", "skip"], &["--hidden-chars", "show"]] {
        let args = [&["render"][..], options].concat();
        let block = sandbox.ctx(args).stdout_any().stderr_any().check();
        assert_ne!(block, plain, "{options:?}");
    }
    let exported = sandbox.ctx(["export"]).stdout_any().check();
    assert!(exported.contains("\"secrets\": \"allow\"") && exported.contains("\"hidden\": \"allow\""));
    sandbox.ctx(["set", "fixtures", "--no-allow-secrets", "--no-allow-hidden"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("<U+202E>").stdout_lacks(TOKEN).stderr_any().check();
}

#[test]
fn allowing_all_secrets_lifts_the_name_rule_for_what_is_typed_alone() {
    let sandbox = Sandbox::with(&[(".env", "A=1\n"), ("k/x.pem", "k\n"), ("list", "k/x.pem\n")]);
    sandbox.ctx(["render", "--only", "--secrets", "allow", ".env"]).stdout(block("[.env]\nA=1\n")).check();
    sandbox.ctx(["render", "--only", "--secrets", "allow", "k/**"]).code(1).stderr_any().check();
    sandbox.ctx(["render", "--only", "--secrets", "allow", "--files-from", "list"]).stderr_any().check();
}

#[test]
fn what_lies_in_a_git_directory_is_no_document_unless_it_is_typed_with_secrets_allowed() {
    let sandbox = Sandbox::with(&[
        (".git/config", "token\n"),
        ("sub/.GIT/config", "token\n"),
        ("data/HEAD", "ref\n"),
        ("linked/.git", "gitdir: ../data\n"),
        ("linked/a.md", "a\n"),
        ("linked/list", ".git\n../.git/config\n"),
    ]);
    for path in [".git/config", "sub/.GIT/config"] {
        sandbox.ctx(["render", "--only", path]).code(1).stderr_has("it is in .git").check();
        sandbox.ctx(["add", path]).code(1).stderr_has("it is in .git").check();
        sandbox.ctx(["render", "--only", "--secrets", "allow", path]).stdout_has("token\n").check();
        sandbox.ctx(["add", "--allow-secrets", path]).stderr_any().check();
    }
    sandbox.ctx(["render"]).stdout_has("[.git/config]\ntoken\n").stdout_has("[sub/.GIT/config]\n").check();
    sandbox.write_store("profiles/default.json", r#"{"paths": [".git/config"]}"#);
    sandbox.ctx(["render", "--secrets", "allow"]).stdout_lacks("token").stderr_any().check();
    let linked = sandbox.path("linked");
    sandbox.ctx_in(&linked, ["render", "--only", "../data/HEAD"]).code(1).stderr_has("it is in .git").check();
    sandbox.ctx_in(&linked, ["render", "--only", "../data/*"]).code(1).stderr_has("it is in .git").check();
}
