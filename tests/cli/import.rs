use std::fs;

use crate::support::Sandbox;

const TEAM: &str = r#"{
  "version": 1,
  "global": {"paths": ["AGENTS.md"]},
  "profiles": {
    "api": {"paths": ["src/**/*.rs", "README.md"], "budget": "60k"},
    "docs": {"paths": ["docs/**"]}
  }
}"#;

fn profile(list: &str) -> String {
    format!("{{\"version\": 1, \"profiles\": {{\"api\": {list}}}}}")
}

#[test]
fn lists_are_imported_and_the_active_profile_stays_active() {
    let sandbox = Sandbox::with(&[("team.json", TEAM)]);
    sandbox
        .ctx(["import", "team.json"])
        .stderr(
            "Imported the global list: 1 entry; replaces the built-in list, without \
             ~/.aws/amazonq/rules/**/*.md, AmazonQ.md, .amazonq/rules/**/*.md, up:AGENTS.md\nImported profile 'api': 2 entries\n    budget = 60k\nImported \
             profile 'docs': 1 entry\n",
        )
        .check();
    sandbox.ctx(["profile"]).stdout("* default\n  api\n  docs\n").check();
    assert_eq!(sandbox.stored("global.json"), "{\n  \"paths\": [\n    \"AGENTS.md\"\n  ]\n}\n");
    assert!(sandbox.stored("profiles/api.json").contains("\"budget\": \"60k\""));
}

#[test]
fn a_quiet_import_prints_nothing() {
    let sandbox = Sandbox::with(&[("team.json", TEAM)]);
    sandbox.ctx(["-q", "import", "team.json"]).check();
}

#[test]
fn existing_lists_are_not_overwritten() {
    let sandbox = Sandbox::with(&[("team.json", TEAM), ("x", "")]);
    sandbox.ctx(["add", "-g", "x"]).stderr_any().check();
    sandbox.ctx(["profile", "--create", "docs"]).stderr_any().check();
    let before = sandbox.stored("global.json");
    sandbox
        .ctx(["import", "team.json"])
        .code(1)
        .stderr(
            "error: the global list already has entries\nerror: Profile 'docs' already exists\n\
             hint: nothing was changed; --merge adds the missing entries\n",
        )
        .check();
    assert_eq!(sandbox.stored("global.json"), before);
    assert!(!sandbox.store().join("profiles/api.json").exists());
}

#[test]
fn a_merge_adds_missing_entries() {
    let sandbox = Sandbox::with(&[("team.json", TEAM), ("README.md", "")]);
    sandbox.ctx(["profile", "--create", "api"]).stderr_any().check();
    sandbox.ctx(["--profile", "api", "add", "--pin", "./README.md"]).stderr_any().check();
    sandbox
        .ctx(["import", "--merge", "team.json"])
        .stderr(
            "Imported the global list: 5 entries\nAdded 1 entry to profile 'api'; not imported: the \
             attributes of 'README.md', budget\nImported profile 'docs': 1 entry\n",
        )
        .check();
    let stored = sandbox.stored("profiles/api.json");
    assert!(stored.contains("\"pin\": true") && stored.contains("src/**/*.rs"), "{stored}");
    assert!(!stored.contains("budget"), "{stored}");
    sandbox.ctx(["import", "--merge", "team.json"]).stderr_has("Added 0 entries to profile 'docs'\n").check();
}

#[test]
fn a_merge_keeps_the_built_in_list() {
    let document = r#"{"version": 1, "global": {"paths": ["X", "up:AGENTS.md"]}, "profiles": {}}"#;
    let sandbox = Sandbox::with(&[("x.json", document), ("AGENTS.md", "agents\n")]);
    sandbox
        .ctx(["import", "--merge", "--dry-run", "x.json"])
        .stdout(
            "create the global list: 5 entries\n    ~/.aws/amazonq/rules/**/*.md\n    AmazonQ.md\n    \
             .amazonq/rules/**/*.md\n    up:AGENTS.md\n    X\n",
        )
        .check();
    sandbox.ctx(["import", "--merge", "x.json"]).stderr("Imported the global list: 5 entries\n").check();
    sandbox.ctx(["export", "-g"]).stdout_has("      \"up:AGENTS.md\",\n      \"X\"\n").check();
    sandbox.ctx(["render"]).stdout_has("[AGENTS.md]\nagents\n").stderr_any().check();
    sandbox.ctx(["import", "--merge", "x.json"]).stderr("Added 0 entries to the global list\n").check();
}

#[test]
fn a_merge_into_the_built_in_list_keeps_unknown_keys() {
    let document = r#"{"version": 1, "global": {"paths": ["X"], "hooks": {"a": 1}}, "profiles": {}}"#;
    let sandbox = Sandbox::with(&[("x.json", document)]);
    sandbox.ctx(["import", "--merge", "x.json"]).stderr("Imported the global list: 5 entries\n").check();
    assert!(sandbox.stored("global.json").contains("\"hooks\""));
}

#[test]
fn a_dry_run_lists_the_changes_and_makes_none() {
    let sandbox = Sandbox::with(&[("team.json", TEAM)]);
    sandbox
        .ctx(["import", "--dry-run", "team.json"])
        .stdout(
            "create the global list: 1 entry; replaces the built-in list, without \
             ~/.aws/amazonq/rules/**/*.md, AmazonQ.md, .amazonq/rules/**/*.md, up:AGENTS.md\n    AGENTS.md\ncreate profile 'api': 2 entries\n    \
             src/**/*.rs\n    README.md\n    budget = 60k\ncreate profile 'docs': 1 entry\n    docs/**\n",
        )
        .check();
    assert!(!sandbox.store().exists());
    sandbox.ctx(["profile", "--create", "api"]).stderr_any().check();
    sandbox.ctx(["import", "--dry-run", "team.json"]).code(1).stderr_has("'api' already exists").check();
    sandbox
        .ctx(["import", "--dry-run", "--merge", "team.json"])
        .stdout_has("add to profile 'api': 2 entries; not imported: budget\n")
        .check();
}

#[test]
fn an_entry_with_allowances_needs_force() {
    let document = profile(r#"{"paths": [{"path": ".env", "allow": ["hidden", "secret-names"]}, "a.md"]}"#);
    let sandbox = Sandbox::with(&[("x.json", &document)]);
    sandbox
        .ctx(["import", "x.json"])
        .code(1)
        .stderr(
            "error: '.env' in profile 'api' allows secret-names and hidden. Use --force to import it anyway.\n",
        )
        .check();
    sandbox.ctx(["import", "--force", "x.json"]).stderr_any().check();
    assert!(sandbox.stored("profiles/api.json").contains("\"allow\": ["));
}

#[test]
fn an_unknown_model_is_a_warning() {
    let sandbox = Sandbox::with(&[("x.json", &profile(r#"{"model": "our-own"}"#))]);
    sandbox.ctx(["import", "x.json"]).stderr_has("warning: profile 'api': ").check();
}

#[test]
fn unknown_top_level_keys_are_reported_as_left_out() {
    let sandbox = Sandbox::with(&[("x.json", r#"{"version":1,"made":"by","profiles":{"a":{}}}"#)]);
    sandbox
        .ctx(["import", "x.json"])
        .stderr("left out of 'x.json': made\nImported profile 'a': 0 entries\n")
        .check();
}

#[test]
fn the_name_of_an_existing_file_may_look_like_a_broken_pattern() {
    let sandbox = Sandbox::with(&[("[a", ""), ("x.json", &profile(r#"{"paths": ["[a"]}"#))]);
    sandbox.ctx(["import", "x.json"]).stderr_any().check();
}

#[test]
fn damaged_and_hostile_documents_change_nothing() {
    let deep = format!("{{\"version\":1,\"profiles\":{{\"a\":{}}}}}", "[".repeat(10_000));
    let large = profile(&format!("{{\"note\": \"{}\"}}", "x".repeat(2 << 20)));
    let bad_entry = profile("{\"paths\": [1]}");
    let bad_budget = profile("{\"budget\": \"lots\"}");
    let bad_pattern = profile("{\"paths\": [\"ok\", \"{a,b\"]}");
    let bad_home = profile("{\"paths\": [\"~them/x\"]}");
    let table: &[(&[u8], i32, &str)] = &[
        (b"", 1, "cannot import 'x.json': line 1, column 1: EOF"),
        (b"{\"version\": 1,\n \"profiles\": {\"a\": 1}}", 1, "line 2, column 20: invalid type: integer `1`"),
        (b"{\"version\": 2}", 1, "version 2 of the format is not known"),
        (b"{\"lists\": [\"a\"]}", 1, "it has no \"version\""),
        (b"{\"version\": 1}", 1, "'x.json' contains no profile"),
        (
            b"{\"version\": 1, \"profiles\": {\"a b\": {}}}",
            2,
            "Profile name must start with an ASCII letter or digit and can only contain ASCII letters, \
             digits, hyphens, and underscores\n",
        ),
        (b"{\"version\": 1, \"profiles\": {\"../x\": {}}}", 2, "line 1, column "),
        (b"{\"version\": 1, \"profiles\": {\"a\": {}, \"a\": {}}}", 1, "the key \"a\" appears twice"),
        (b"{\"version\": 1, \"profiles\": {\"a\": {\"paths\": [\"\\u0000\"]}}}", 1, "a path contains a NUL"),
        (b"{\"version\": 1, \"profiles\": {\"\xff\": {}}}", 1, "line 1, column 30: not UTF-8"),
        (b"{\"version\": 1, \"profiles\": {}} x", 1, "trailing characters"),
        (deep.as_bytes(), 1, "nested too deep"),
        (large.as_bytes(), 1, "cannot store this in '<store>/profiles/api.json': larger than"),
        (bad_entry.as_bytes(), 1, "expected an entry, which is a string or an object"),
        (bad_budget.as_bytes(), 2, "profile 'api': "),
        (bad_pattern.as_bytes(), 2, "Invalid path '{a,b' in profile 'api' of 'x.json': "),
        (bad_home.as_bytes(), 2, "~user is not supported"),
    ];
    let sandbox = Sandbox::new();
    for (document, code, message) in table {
        sandbox.write("x.json", document);
        sandbox.ctx(["import", "x.json"]).code(*code).stderr_has(message).check();
        assert_eq!(sandbox.ctx(["profile"]).stdout_any().check(), "* default\n", "{message}");
    }
}

#[test]
fn a_truncated_document_is_refused() {
    let sandbox = Sandbox::new();
    for length in (0..TEAM.len()).step_by(7) {
        sandbox.ctx(["import", "-"]).stdin(&TEAM[..length]).code(1).stderr_has("error: ").check();
    }
    assert!(!sandbox.store().join("global.json").exists());
}

#[test]
fn a_very_long_list_is_merged() {
    let paths: Vec<String> = (0..60_000).map(|number| format!("\"{number}\"")).collect();
    let sandbox = Sandbox::with(&[("x.json", &profile(&format!("{{\"paths\": [{}]}}", paths.join(","))))]);
    sandbox.ctx(["import", "x.json"]).stderr("Imported profile 'api': 60,000 entries\n").check();
    sandbox.ctx(["import", "--merge", "x.json"]).stderr("Added 0 entries to profile 'api'\n").check();
}

#[test]
fn exactly_one_import_source_is_required() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["import"])
        .code(2)
        .stderr(
            "error: nothing to import: name a FILE, or the tool whose lists you want\n\
             hint: ctx import --from amazonq --dry-run\n",
        )
        .check();
    sandbox.ctx(["import", "x", "--from", "kiro"]).code(2).stderr_has("cannot be used with").check();
    sandbox.ctx(["import", "--from", "gemini"]).code(2).stderr_has("amazonq, kiro").check();
    sandbox.ctx(["import", "missing"]).code(1).stderr_has("cannot read 'missing'").check();
    let tool = sandbox.ctx(["import", "amazonq"]).code(1);
    tool.stderr_has("cannot read 'amazonq'").stderr_has("\nhint: ctx import --from amazonq\n").check();
    sandbox.ctx(["import", "."]).code(1).stderr_has("cannot read '.'").check();
}

#[test]
fn a_damaged_store_is_not_changed() {
    let sandbox = Sandbox::with(&[("team.json", TEAM)]);
    sandbox.write_store("profiles/docs.json", "{");
    sandbox.ctx(["import", "--merge", "team.json"]).code(4).stderr_has("is damaged").check();
    assert_eq!(sandbox.stored("profiles/docs.json"), "{");
    let files: Vec<_> = fs::read_dir(sandbox.store().join("profiles")).unwrap().collect();
    assert_eq!(files.len(), 1);
}

#[test]
fn an_empty_path_is_refused_although_the_current_directory_exists() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["import", "-"])
        .stdin(r#"{"version": 1, "profiles": {"e": {"paths": [""]}}}"#)
        .code(2)
        .stderr_has("empty")
        .check();
    assert!(!sandbox.store().join("profiles/e.json").exists());
}

#[test]
fn an_invalid_tag_is_refused() {
    let sandbox = Sandbox::new();
    for (tag, shown, reason) in [
        ("", "", "a tag cannot be empty"),
        ("a,b", "a,b", "a tag cannot contain a comma; give several tags one by one"),
        (" a", " a", "a tag cannot start or end with white space"),
        ("a\\u001b", "a\\u{1b}", "a tag cannot contain control characters"),
    ] {
        let list = format!(r#"{{"paths": ["ok", {{"path": "x.md", "tags": ["fine", "{tag}"]}}]}}"#);
        sandbox.write("x.json", profile(&list));
        let message =
            format!("error: Invalid tag '{shown}' of 'x.md' in profile 'api' of 'x.json': {reason}");
        sandbox.ctx(["import", "x.json"]).code(2).stderr_has(&message).check();
        sandbox.ctx(["import", "--merge", "--dry-run", "x.json"]).code(2).stderr_has(&message).check();
        assert!(!sandbox.store().exists());
    }
}

#[test]
fn an_entry_with_two_spellings_is_imported_once() {
    let list = r#"{"paths": ["x", "x", {"path": "./x", "pin": true}, "y", "y/"]}"#;
    let sandbox = Sandbox::with(&[("x.json", &profile(list))]);
    sandbox
        .ctx(["import", "--dry-run", "x.json"])
        .stdout("create profile 'api': 2 entries; not imported: the attributes of './x'\n    x\n    y\n")
        .check();
    sandbox
        .ctx(["import", "x.json"])
        .stderr("Imported profile 'api': 2 entries; not imported: the attributes of './x'\n")
        .check();
    assert_eq!(sandbox.stored("profiles/api.json"), "{\n  \"paths\": [\n    \"x\",\n    \"y\"\n  ]\n}\n");
}

#[test]
fn a_byte_order_mark_is_ignored() {
    let sandbox = Sandbox::with(&[("team.json", &format!("\u{feff}{}", TEAM.replace('\n', "\r\n")))]);
    sandbox.ctx(["import", "team.json"]).stderr_has("Imported profile 'docs': 1 entry\n").check();
}

#[test]
fn a_cleared_global_list_does_not_prevent_an_import() {
    let sandbox = Sandbox::with(&[("team.json", r#"{"version": 1, "global": {"paths": ["x.md"]}}"#)]);
    sandbox.ctx(["clear", "-q", "-g"]).check();
    sandbox.ctx(["import", "team.json"]).stderr("Imported the global list: 1 entry\n").check();
}

#[test]
fn a_document_with_many_profiles_can_be_imported() {
    let sandbox = Sandbox::new();
    let profiles: Vec<String> =
        (0..1_500).map(|number| format!(r#""p{number}": {{"paths": ["a{number}"]}}"#)).collect();
    sandbox.write("team.json", format!(r#"{{"version": 1, "profiles": {{{}}}}}"#, profiles.join(",")));
    sandbox.ctx(["import", "--dry-run", "team.json"]).stdout_has("create profile 'p1499': 1 entry\n").check();
}

#[test]
fn a_version_that_is_not_a_number_is_an_error() {
    let sandbox = Sandbox::with(&[("team.json", r#"{"version": "1", "profiles": {}}"#)]);
    sandbox
        .ctx(["import", "team.json"])
        .code(1)
        .stderr_has("the version must be the number 1, not \"1\"\n")
        .check();
}

#[test]
fn entries_that_add_and_set_refuse_are_not_imported() {
    let sandbox = Sandbox::with(&[(
        "team.json",
        r#"{"version": 1, "profiles": {"x": {"paths": ["-", {"path": "!a", "pin": true}]}}}"#,
    )]);
    sandbox
        .ctx(["import", "team.json"])
        .code(2)
        .stderr(
            "error: Invalid path '-' in profile 'x' of 'team.json': it is standard input, which cannot be stored\n\
             error: 'pin' does not apply to '!a' in profile 'x' of 'team.json'\n",
        )
        .check();
}

#[test]
fn list_or_agent_is_imported_from_standard_input_too() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    let listed = sandbox.ctx(["import", "-"]).stdin("{\"paths\": [\"a.md\"]}");
    listed.stderr("Imported profile 'stdin': 1 entry\n").check();
    let agent = "{\"name\": \"helper\", \"prompt\": \"Be brief.\", \"resources\": [\"file://a.md\"]}";
    sandbox.ctx(["import", "-"]).stdin(agent).stderr_has("Imported profile 'helper': 1 entry").check();
    let neither = sandbox.ctx(["import", "-"]).stdin("{}").code(1);
    neither.stderr_has("cannot import standard input: line 1").check();
}
