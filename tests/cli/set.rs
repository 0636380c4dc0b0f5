use crate::support::Sandbox;

fn abc() -> Sandbox {
    let sandbox = Sandbox::with(&[("a", ""), ("b", ""), ("c", ""), ("d", "")]);
    sandbox.ctx(["add", "a", "b", "c", "d"]).stderr_any().check();
    sandbox
}

fn order(sandbox: &Sandbox) -> String {
    let paths = sandbox.stored_entries();
    paths.as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect()
}

#[test]
fn tags_are_added_once_and_removed() {
    let sandbox = abc();
    sandbox
        .ctx(["set", "a", "b", "--tag", "x", "--tag", "y", "--tag", "x"])
        .stderr("Changed 'a' in profile 'default'\nChanged 'b' in profile 'default'\n")
        .check();
    sandbox.ctx(["set", "./a", "--untag", "x", "--untag", "never"]).stderr_any().check();
    assert_eq!(
        sandbox.stored_entries(),
        serde_json::json!([{"path": "a", "tags": ["y"]}, {"path": "b", "tags": ["x", "y"]}, "c", "d"])
    );
    sandbox.ctx(["set", "a", "--untag", "y"]).stderr_any().check();
    assert_eq!(sandbox.stored_entries()[0], "a");
}

#[test]
fn unchanged_entries_are_reported() {
    let sandbox = abc();
    let before = sandbox.stored("profiles/default.json");
    for change in [&["--untag", "zz"][..], &["--unset", "pin"], &["--first"]] {
        sandbox
            .ctx(["set", "a"].iter().chain(change))
            .stderr("note: 'a' is unchanged in profile 'default'\n")
            .check();
    }
    assert_eq!(sandbox.stored("profiles/default.json"), before);
    sandbox.ctx(["set", "b", "--tag", "x"]).stderr("Changed 'b' in profile 'default'\n").check();
    sandbox
        .ctx(["set", "a", "b", "--tag", "x"])
        .stderr("Changed 'a' in profile 'default'\nnote: 'b' is unchanged in profile 'default'\n")
        .check();
}

#[test]
fn a_pin_is_set_and_unset() {
    let sandbox = abc();
    sandbox.ctx(["set", "c", "--pin"]).stderr_any().check();
    assert_eq!(sandbox.stored_entries()[2], serde_json::json!({"path": "c", "pin": true}));
    sandbox.ctx(["show"]).stdout_has("    c (1 match, 0 tokens, pinned)\n").check();
    sandbox.ctx(["set", "c", "--unset", "pin"]).stderr_any().check();
    assert_eq!(sandbox.stored_entries()[2], "c");
}

#[test]
fn entries_move_together_in_the_order_named() {
    let sandbox = abc();
    for (args, expected) in [
        (&["--first", "d", "c"][..], "dcab"),
        (&["--last", "d"], "cabd"),
        (&["b", "c", "--after", "d"], "adbc"),
        (&["c", "--before", "./d"], "acdb"),
        (&["c", "--before", "d"], "acdb"),
    ] {
        sandbox.ctx(["set"].iter().chain(args)).stderr_any().check();
        assert_eq!(order(&sandbox), expected, "{args:?}");
    }
    sandbox.ctx(["render"]).stdout_has("[a]\n\n[c]\n").check();
}

#[test]
fn the_global_list_is_changed_on_request() {
    let sandbox = abc();
    sandbox
        .ctx(["set", "-g", "up:AGENTS.md", "--first"])
        .stderr("Changed 'up:AGENTS.md' in the global list\n")
        .check();
    let global: serde_json::Value = serde_json::from_str(&sandbox.stored("global.json")).unwrap();
    assert_eq!(global["paths"][0], "up:AGENTS.md");
}

#[test]
fn an_error_prevents_all_changes() {
    let sandbox = abc();
    let before = sandbox.stored("profiles/default.json");
    for (args, code, message) in [
        (&["a", "gone", "--pin"][..], 1, "'gone'"),
        (&["a", "--before", "gone"], 1, "'gone'"),
        (&["a", "--after", "a"], 1, "'a'"),
        (&["a"], 2, "required"),
        (&["--pin"], 2, "required"),
        (&["a", "--first", "--last"], 2, "cannot be used with"),
        (&["a", "--off", "--on"], 2, "cannot be used with"),
    ] {
        sandbox.ctx(["set"].iter().chain(args)).code(code).stderr_has(message).stderr_has("error: ").check();
        assert_eq!(sandbox.stored("profiles/default.json"), before, "{args:?}");
    }
    sandbox
        .ctx(["--profile", "gone", "set", "a", "--pin"])
        .code(1)
        .stderr_has("'gone' does not exist")
        .check();
}

#[test]
fn lines_that_do_not_exist_are_refused_as_by_add() {
    let sandbox = Sandbox::with(&[("a.txt", "1\n2\n3\n"), ("d/e", "")]);
    sandbox.ctx(["add", "a.txt", "d", "d/*"]).stderr_any().check();
    let before = sandbox.stored("profiles/default.json");
    for (lines, path, error) in [
        ("4-", "a.txt", "'a.txt:4-': starts after the last line, 3"),
        ("3-2", "a.txt", "'a.txt:3-2': the last line, 2, comes before the first, 3"),
        ("0", "a.txt", "'a.txt:0': line numbers start at 1"),
        ("1", "d", "'d:1': only files have lines, and this is a directory"),
        ("1", "d/*", "'d/*:1': only files have lines, and this is a pattern"),
    ] {
        sandbox
            .ctx(["set", "--lines", lines, path])
            .code(1)
            .stderr(format!("error: Invalid path {error}\n"))
            .check();
    }
    assert_eq!(sandbox.stored("profiles/default.json"), before);
    sandbox.ctx(["set", "--lines", "2-9", "a.txt"]).stderr_any().check();
}

#[test]
fn many_entries_are_changed_and_moved_in_one_command() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..4_000).map(|number| format!("f{number}")).collect();
    let with = |options: &[&str]| -> Vec<String> {
        options.iter().map(ToString::to_string).chain(names.iter().rev().cloned()).collect()
    };
    sandbox.ctx(with(&["-q", "add", "-f"])).check();
    sandbox.ctx(with(&["-q", "add", "-g", "-f"])).check();
    sandbox.ctx(with(&["-q", "set", "--first"])).check();
    sandbox.ctx(["-q", "set", "f0", "f0", "--before", "f3999"]).check();
    sandbox.ctx(with(&["-q", "set", "--tag", "x", "--after", "AmazonQ.md", "-g"])).check();
    let stored = sandbox.stored_entries();
    assert_eq!((&stored[0], &stored[1], &stored[3_999]), (&"f0".into(), &"f3999".into(), &"f1".into()));
    let global: serde_json::Value = serde_json::from_str(&sandbox.stored("global.json")).unwrap();
    assert_eq!(
        (&global["paths"][2]["path"], &global["paths"][4_001]["path"]),
        (&"f3999".into(), &"f0".into())
    );
}

#[test]
fn missing_entry_gets_a_hint() {
    let sandbox = Sandbox::with(&[("README.md", "")]);
    sandbox.ctx(["add", "README.md"]).stderr_any().check();
    sandbox.ctx(["set", "READM.md", "--pin"]).code(1).stderr_has("hint: did you mean 'README.md'?\n").check();
    sandbox.ctx(["set", "nope", "--pin"]).code(1).stderr_has("hint: ctx show\n").check();
}

#[test]
fn attribute_that_is_given_and_taken_away_is_wrong_usage() {
    let sandbox = Sandbox::with(&[("c", "c\n")]);
    sandbox.ctx(["add", "-q", "--tag", "old", "c"]).check();
    let both = |name: &str| format!("error: the attribute '{name}' is both set and unset\n");
    sandbox.ctx(["set", "c", "--pin", "--unset", "pin"]).code(2).stderr(both("pin")).check();
    sandbox.ctx(["set", "c", "--as", "name", "--unset", "as"]).code(2).stderr(both("as")).check();
    sandbox.ctx(["set", "c", "--tag", "new", "--unset", "tags"]).stderr_any().check();
    assert_eq!(sandbox.stored_entries()[0]["tags"], serde_json::json!(["new"]));
}
