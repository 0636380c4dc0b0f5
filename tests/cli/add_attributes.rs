//! The attributes that `ctx add` sets.

use crate::support::Sandbox;

#[test]
fn attributes_are_stored_with_the_path() {
    let sandbox = Sandbox::with(&[("a.rs", "")]);
    sandbox.ctx(["add", "--pin", "--tag", "api", "--allow", "ignored", "a.rs"]).stderr_any().check();
    assert_eq!(
        sandbox.stored("profiles/default.json"),
        "{\n  \"paths\": [\n    {\n      \"path\": \"a.rs\",\n      \"tags\": [\n        \"api\"\n      ],\n      \"pin\": true,\n      \"allow\": [\n        \"ignored\"\n      ]\n    }\n  ]\n}\n"
    );
}

#[test]
fn names_that_suggest_secrets_must_be_allowed() {
    let sandbox = Sandbox::with(&[(".env", "A=1\n")]);
    sandbox
        .ctx(["add", ".env"])
        .code(1)
        .stderr("error: Invalid path '.env': its name suggests secrets\nhint: --allow secret-names adds it\n")
        .check();
    sandbox.ctx(["add", "--force", ".env"]).code(1).stderr_has("suggests secrets\n").check();
    sandbox.ctx(["add", "--allow", "secret-names", ".env"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("[.env]\nA=1\n").check();
}

#[test]
fn an_exclusion_cannot_have_attributes() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox.ctx(["add", "--pin", "!zz"]).code(2).stderr("error: 'pin' does not apply to '!zz'\n").check();
    sandbox.ctx(["add", "!zz"]).stderr_any().check();
    for options in [&["--pin"][..], &["--tag", "x"]] {
        let args = [&["set", "!zz"][..], options].concat();
        sandbox.ctx(args).code(2).stderr_has("does not apply to '!zz'").check();
    }
    sandbox.ctx(["set", "!zz", "--first"]).stderr_any().check();
}

#[test]
fn invalid_tags_are_refused() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    sandbox.ctx(["add", "a.txt"]).stderr_any().check();
    for tag in ["", " ", "a ", "\ta", "a,b", "a\u{1b}[2Jb", "a\nb"] {
        let option = format!("--tag={tag}");
        sandbox.ctx(["add", &option, "b.txt"]).code(2).stderr_has("a tag ").check();
        sandbox.ctx(["set", &option, "a.txt"]).code(2).stderr_has("a tag ").check();
    }
    sandbox.ctx(["set", "a.txt", "--tag", "t", "--untag", "t"]).code(2).stderr_has("the tag 't'").check();
}

#[test]
fn an_exclusion_among_other_entries_gets_a_note_but_no_attributes() {
    let sandbox = Sandbox::with(&[("p", ""), ("x", "")]);
    sandbox
        .ctx(["add", "--pin", "--search", "p", "!x"])
        .stderr(
            "Added 'p' to profile 'default': 1 file\nAdded '!x' to profile 'default': excludes 1 file from questions\n\
             note: '!x' is an exclusion; it cannot have 'pin', 'search'\n",
        )
        .check();
    sandbox.ctx(["add", "x", "!y"]).stderr_any().check();
}

#[test]
fn allowed_secret_names_apply_to_a_directory_in_the_home() {
    let sandbox = Sandbox::with(&[("../home/conf/id_rsa", "k\n"), ("../home/conf/a.md", "a\n")]);
    sandbox.ctx(["add", "--allow", "secret-names", "~/conf"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("id_rsa").check();
}

#[test]
fn allowed_secret_names_apply_in_their_directory_and_through_links() {
    let sandbox = Sandbox::with(&[(".aws/config", "region\n"), (".env", "A=1\n")]);
    let aws = sandbox.path(".aws");
    sandbox.ctx_in(&aws, ["add", "config"]).code(1).stderr_has("its name suggests secrets\n").check();
    sandbox
        .ctx_in(&aws, ["add", "-f", "--allow", "secret-names", "config", "credentials"])
        .stderr_any()
        .check();
    sandbox.write(".aws/credentials", "id\n");
    sandbox
        .ctx_in(&aws, ["render"])
        .stdout_has("[config]\nregion\n")
        .stdout_has("[credentials]\nid\n")
        .check();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(".env", sandbox.path("settings")).unwrap();
        sandbox.ctx(["add", "settings"]).code(1).stderr_has("suggests secrets\n").check();
        sandbox.ctx(["add", "-g", "--allow", "secret-names", "settings"]).stderr_any().check();
        sandbox.ctx(["render"]).stdout_has("[settings]\nA=1\n").stderr_any().check();
    }
}

#[test]
fn existing_entry_gets_the_attributes() {
    let sandbox = Sandbox::with(&[("a b.md", "a\n"), (".ssh/config", "c\n")]);
    sandbox.ctx(["add", "-q", "-g", "a b.md"]).check();
    let again = ["add", "-g", "./a b.md", "--tag", "t", "--pin"];
    sandbox.ctx(again).stderr("Changed 'a b.md' in the global list\n").check();
    sandbox.ctx(again).stderr("note: Path 'a b.md' already exists in the context\n").check();
    let list: serde_json::Value = serde_json::from_str(&sandbox.stored("global.json")).unwrap();
    let entry = list["paths"].as_array().unwrap().last().unwrap();
    assert_eq!(*entry, serde_json::json!({"path": "a b.md", "tags": ["t"], "pin": true}));
    let strict = sandbox.ctx(again.iter().chain(&["--strict"])).code(1);
    strict.stderr("error: Path 'a b.md' already exists in the context\n").check();
    sandbox.ctx(["add", ".ssh", "-f"]).stderr_any().check();
    sandbox.ctx(["add", "--allow", "secret-names", ".ssh"]).stderr_has("Changed '.ssh'").check();
    sandbox.ctx(["add", "--ttl", "5m", ".ssh"]).code(2).stderr_has("'ttl' does not apply to '.ssh'").check();
    sandbox.ctx(["add", "-q", "!x*"]).check();
    sandbox
        .ctx(["add", "--pin", "!x*", ".ssh"])
        .stderr_has("Changed '.ssh'")
        .stderr_lacks("Changed '!x*'")
        .check();
}

#[test]
fn help_of_add_lists_every_kind_of_entry() {
    let sandbox = Sandbox::new();
    let help = sandbox.ctx(["help", "add"]).stdout_any().check();
    for kind in [
        "FILE:10-40 ",
        "up:AGENTS.md ",
        "git:diff ",
        "git:staged, git:changes ",
        "git:show ",
        "git:log ",
        "'cmd:",
        "todo:LIST ",
    ] {
        assert!(help.lines().any(|line| line.starts_with(&format!("  {kind}"))), "{kind} is not in {help}");
    }
    sandbox.ctx(["add", "--lines", "1-5", "a.md"]).code(2).stderr_has("FILE:1-5").check();
}
