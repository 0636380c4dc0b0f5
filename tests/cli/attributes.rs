//! Attributes of entries: which kinds have which, and how `set` changes them.

use ctx_core::entry::{Attribute, Kind};
use serde_json::{Value, json};

use crate::support::Sandbox;

/// The options of `add` and `set` that give an entry an attribute; none for those that `add` writes otherwise.
fn options(attribute: Attribute) -> &'static [&'static str] {
    match attribute {
        Attribute::Tags => &["--tag=one"],
        Attribute::Pin => &["--pin"],
        Attribute::Allow => &["--allow=secret-names", "--allow=secrets", "--allow=hidden", "--allow=data"],
        Attribute::As => &["--as=outline", "--as=name"],
        Attribute::Search => &["--search"],
        Attribute::Share => &["--share=5%"],
        Attribute::Encoding => &["--encoding=gbk"],
        Attribute::Imports => &["--imports"],
        Attribute::When => &["--when=web/**"],
        Attribute::Timeout => &["--timeout=5s"],
        Attribute::MaxOutput => &["--max-output=5k"],
        Attribute::Exit => &["--only-success"],
        Attribute::Ttl => &["--ttl=5m"],
        Attribute::Off | Attribute::Lines | Attribute::Name => &[],
    }
}

/// Entries of a kind; none of standard input, which is never stored, and none of a dependency, which takes nothing
/// without `--search`.
fn entries(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Path => &["a.rs", "src", "src/**"],
        Kind::Exclusion => &["!x*"],
        Kind::StandardInput | Kind::Dependency => &[],
        Kind::Up => &["up:AGENTS.md"],
        Kind::Git => &["git:staged"],
        Kind::Command => &["cmd:true"],
        Kind::Todo => &["todo:release"],
    }
}

#[test]
fn add_and_set_accept_the_same_attributes_for_each_kind_of_entry() {
    let sandbox = Sandbox::with(&[("a.rs", "a\n"), ("src/b.rs", "b\n")]);
    for (kind, attribute) in
        Kind::ALL.into_iter().flat_map(|kind| Attribute::ALL.map(|attribute| (kind, attribute)))
    {
        let code = if attribute.applies_to(kind) { 0 } else { 2 };
        for (entry, option) in entries(kind)
            .iter()
            .flat_map(|entry| options(attribute).iter().map(move |option| (entry, option)))
        {
            let pair = format!("{option} {entry}");
            sandbox.write_store("profiles/default.json", r#"{"paths": []}"#);
            sandbox.ctx(["add", "--force", option, entry]).code(code).stderr_any().check();
            let added = sandbox.stored("profiles/default.json");
            sandbox.write_store("profiles/default.json", json!({"paths": [entry]}).to_string());
            sandbox.ctx(["set", option, entry]).code(code).stderr_any().check();
            if code == 0 {
                assert_eq!(added, sandbox.stored("profiles/default.json"), "{pair}");
            } else {
                assert!(!added.contains(entry), "{pair}: {added}");
            }
        }
    }
}

#[test]
fn attribute_for_another_kind_of_entry_is_refused_and_changes_nothing() {
    let sandbox = Sandbox::with(&[("a.rs", "a\n")]);
    sandbox.ctx(["add", "a.rs", "git:staged"]).stderr_any().check();
    let before = sandbox.stored("profiles/default.json");
    for (arguments, message) in [
        (&["add", "--ttl", "5m", "./b.rs"][..], "'ttl' does not apply to 'b.rs'"),
        (&["add", "--timeout", "5s", "git:diff"], "'timeout' does not apply to 'git:diff'"),
        (&["add", "--allow", "ignored", "cmd:true"], "'allow ignored' does not apply to 'cmd:true'"),
        (&["set", "--ttl", "5m", "a.rs"], "'ttl' does not apply to 'a.rs'"),
        (&["set", "--only-success", "git:staged"], "'exit' does not apply to 'git:staged'"),
        (&["set", "--max-output", "5k", "a.rs"], "'max_output' does not apply to 'a.rs'"),
    ] {
        sandbox.ctx(arguments).code(2).stderr(format!("error: {message}\n")).check();
        assert_eq!(sandbox.stored("profiles/default.json"), before);
    }
}

#[test]
fn attributes_of_a_command_are_set_shown_exported_and_unset() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["add", "cmd:true"]).stderr_any().check();
    let set = ["set", "cmd:true", "--timeout", "120s", "--max-output", "1m", "--only-success", "--ttl", "5m"];
    sandbox.ctx(set).stderr("Changed 'cmd:true' in profile 'default'\n").check();
    let entry = json!(
        {"path": "cmd:true", "timeout": "120s", "max_output": "1m", "exit": "zero", "ttl": "5m"}
    );
    assert_eq!(sandbox.stored_entries(), json!([entry]));
    sandbox
        .ctx(["show"])
        .stdout_has("timeout 120s, max-output 1m, only if it succeeds, ttl 5m)\n")
        .stderr_any()
        .check();
    sandbox.ctx(["export"]).stdout_has("\"max_output\": \"1m\"").check();
    sandbox
        .ctx(["set", "cmd:true", "--unset", "timeout", "--unset", "only-success", "--unset", "ttl"])
        .stderr_any()
        .check();
    assert_eq!(sandbox.stored_entries(), json!([{"path": "cmd:true", "max_output": "1m"}]));
    // Defaults aren't listed.
    sandbox.ctx(["set", "cmd:true", "--timeout", "30s", "--max-output", "64000"]).stderr_any().check();
    sandbox.ctx(["show"]).stdout_has("    cmd:true (not run)\n").stderr_any().check();
    sandbox.ctx(["set", "cmd:true", "--timeout", "11m"]).code(2).stderr_has("at most 10m").check();
}

#[test]
fn entry_that_is_turned_off_is_kept_but_not_used() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("b.md", "b\n"), ("run.sh", "echo x >>mark\n")]);
    sandbox.ctx(["add", "*.md", "!b.md", "cmd:sh run.sh"]).stderr_any().check();
    sandbox.ctx(["set", "--off", "!b.md", "cmd:sh run.sh"]).stderr_any().check();
    assert_eq!(
        sandbox.stored_entries(),
        json!(["*.md", {"path": "!b.md", "off": true}, {"path": "cmd:sh run.sh", "off": true}])
    );
    sandbox.ctx(["render"]).stdout_has("[a.md]\na\n\n[b.md]\nb\n").check();
    assert!(!sandbox.path("mark").exists());
    sandbox.ctx(["show"]).stdout_has("    !b.md (off)\n    cmd:sh run.sh (off)\n").check();
    sandbox.ctx(["set", "--off", "*.md"]).stderr_any().check();
    sandbox.ctx(["explain", "a.md"]).stdout_has("'*.md' (profile, pattern), which is turned off\n").check();
    sandbox.ctx(["check"]).stdout_any().stderr_any().code(3).check();
    sandbox.ctx(["set", "--on", "*.md", "!b.md"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("[a.md]\na\n---").check();
}

#[test]
fn tags_and_pins_of_equal_entries_are_merged() {
    let sandbox = Sandbox::with(&[("run.sh", "echo x >>mark; echo done\n")]);
    sandbox.ctx(["add", "-g", "--tag", "one", "cmd:sh run.sh"]).stderr_any().check();
    sandbox.ctx(["add", "--pin", "--tag", "two", "cmd:sh run.sh"]).stderr_any().check();
    sandbox.ctx(["render", "--manifest", "m.json"]).stdout_has("[cmd:sh run.sh]\ndone\n").check();
    assert_eq!(sandbox.read("mark"), "x\n");
    let account: Value = serde_json::from_str(&sandbox.read("m.json")).unwrap();
    let files = account["files"].as_array().unwrap();
    assert_eq!(files.len(), 1);
    assert_eq!((&files[0]["tags"], &files[0]["pinned"]), (&json!(["one", "two"]), &json!(true)));
    let matches: Vec<&Value> = account["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["kind"] == "command")
        .map(|entry| &entry["matches"])
        .collect();
    assert_eq!(matches, [1, 1]);
}

#[test]
fn typed_command_runs_even_if_an_equal_stored_one_is_not_trusted() {
    let sandbox = Sandbox::with(&[("run.sh", "echo done\n")]);
    sandbox.write_store("profiles/default.json", r#"{"paths": ["cmd:sh run.sh"]}"#);
    sandbox.ctx(["render", "cmd:sh run.sh"]).stdout_has("[cmd:sh run.sh]\ndone\n").check();
    sandbox.ctx(["render"]).stderr_has("not trusted here").check();
}

#[test]
fn invalid_command_is_not_imported() {
    let sandbox = Sandbox::with(&[(
        "team.json",
        r#"{"version": 1, "profiles": {"x": {"paths": ["cmd:echo 'a", "cmd:echo {", "!git:diff"]}}}"#,
    )]);
    sandbox
        .ctx(["import", "team.json"])
        .code(2)
        .stderr(
            "error: Invalid path 'cmd:echo 'a' in profile 'x' of 'team.json': a quotation mark is not closed\n\
             error: Invalid path '!git:diff' in profile 'x' of 'team.json': only paths and patterns can be \
             excluded\n",
        )
        .check();
}
