use crate::support::Sandbox;

fn with_profiles(names: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    for name in names {
        sandbox.ctx(["profile", "-c", name]).stderr(format!("Created profile: {name}\n")).check();
    }
    sandbox
}

#[test]
fn the_list_has_default_first_and_a_star_before_the_active_profile() {
    let sandbox = with_profiles(&["zebra", "api"]);
    sandbox.ctx(["switch", "api"]).stderr_any().check();
    sandbox.ctx(["profile"]).stdout("  default\n* api\n  zebra\n").check();
}

#[test]
fn default_and_active_profiles_cannot_be_deleted() {
    let sandbox = with_profiles(&["api", "old"]);
    sandbox.ctx(["switch", "api"]).stderr_any().check();
    sandbox
        .ctx(["profile", "-d", "default"])
        .code(1)
        .stderr("error: Cannot delete the default profile\n")
        .check();
    let active = "error: Cannot delete the active profile. Switch to another profile first\n";
    sandbox.ctx(["profile", "-d", "api"]).code(1).stderr(active).check();
    sandbox.ctx(["--profile", "old", "profile", "-d", "api"]).code(1).stderr(active).check();
    sandbox.ctx(["--profile", "old", "profile", "-d", "old"]).code(1).stderr(active).check();
    sandbox.ctx(["profile", "--delete", "old"]).stderr("Deleted profile 'old'\n").check();
    sandbox.ctx(["profile"]).stdout("  default\n* api\n").check();
}

#[test]
fn renaming_the_active_profile_keeps_it_active() {
    let sandbox = with_profiles(&["api"]);
    sandbox.ctx(["switch", "api"]).stderr_any().check();
    sandbox.ctx(["profile", "-m", "api", "backend"]).stderr("Renamed profile 'api' to 'backend'\n").check();
    sandbox.ctx(["profile", "--current"]).stdout("backend\n").check();
}

#[test]
fn invalid_renamings_are_refused() {
    let sandbox = with_profiles(&["api", "old"]);
    for (old, new, message) in [
        ("default", "x", "Cannot rename the default profile"),
        ("api", "default", "Cannot rename to 'default' as it's a reserved profile name"),
        ("api", "old", "Profile 'old' already exists"),
        ("gone", "x", "Profile 'gone' does not exist. Use --create to create it"),
    ] {
        sandbox
            .ctx(["profile", "--rename", old, new])
            .code(1)
            .stderr_has(&format!("error: {message}\n"))
            .check();
    }
    sandbox.ctx(["profile", "--rename", "api", "-x"]).code(2).stderr_any().check();
}

#[test]
fn invalid_names_are_refused() {
    let sandbox = Sandbox::new();
    let message = "error: Profile name must start with an ASCII letter or digit and can only contain \
                   ASCII letters, digits, hyphens, and underscores\n";
    for name in ["-x", "_x", "a b", "a/b", "ä", "a.b"] {
        sandbox.ctx(["profile", &format!("--create={name}")]).code(2).stderr_has(message).check();
    }
    let too_long = "error: Profile name can have at most 64 characters\n";
    sandbox.ctx(["profile", "--create", &"a".repeat(65)]).code(2).stderr(too_long).check();
    sandbox.ctx(["profile", "--create="]).code(2).stderr("error: Profile name cannot be empty\n").check();
}

#[test]
fn only_one_operation_is_allowed_at_a_time() {
    let sandbox = with_profiles(&["api"]);
    sandbox
        .ctx(["profile", "--create", "x", "--delete", "api"])
        .code(2)
        .stderr("error: Only one of --delete, --create, or --rename can be specified\n")
        .check();
}

#[test]
fn json_lists_names_and_the_active_one() {
    let sandbox = with_profiles(&["api"]);
    let json = sandbox.ctx(["profile", "--json"]).stdout_any().check();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["active"], "default");
    assert_eq!(json["profiles"][1]["name"], "api");
}

#[test]
fn defaults_are_set_and_unset() {
    let sandbox = with_profiles(&["api"]);
    sandbox
        .ctx(["--profile", "api", "profile", "--set", "budget=60k", "--set", "format=xml"])
        .stderr("Set budget, format for profile 'api'\n")
        .check();
    let stored = sandbox.stored("profiles/api.json");
    assert!(stored.contains("\"budget\": \"60k\"") && stored.contains("\"format\": \"xml\""), "{stored}");
    sandbox
        .ctx(["--profile", "api", "profile", "--unset", "budget"])
        .stderr("Unset budget for profile 'api'\n")
        .check();
    sandbox
        .ctx(["--profile", "api", "profile", "--unset", "budget", "--unset", "format"])
        .stderr("Unset format for profile 'api'\nnote: not set for profile 'api': budget\n")
        .check();
    sandbox.ctx(["--profile", "api", "profile", "--set", "format=xml"]).stderr_any().check();
    assert!(!sandbox.stored("profiles/api.json").contains("budget"));
    for bad in ["budget=lots", "trim=some", "format=pdf", "model=no-such-model", "color=red", "budget"] {
        sandbox.ctx(["profile", "--set", bad]).code(2).stderr_has("error: ").check();
    }
}

#[test]
fn an_invalid_profile_option_is_an_error_and_an_invalid_variable_is_not() {
    let sandbox = with_profiles(&["api"]);
    for args in [&["profile"][..], &["profile", "--current"], &["profile", "-c", "x"], &["switch", "api"]] {
        sandbox
            .ctx([&["--profile", "gone"][..], args].concat())
            .code(1)
            .stderr("error: Profile 'gone' does not exist. Available profiles: default, api\n")
            .check();
        sandbox
            .ctx([&["--profile", "a b"][..], args].concat())
            .code(2)
            .stderr_has("Profile name must")
            .check();
    }
    sandbox.ctx(["profile", "--current"]).env("CTX_PROFILE", "gone").stdout("gone?\n").check();
    sandbox.ctx(["profile"]).env("CTX_PROFILE", "a b").stdout("* default\n  api\n").check();
}

#[test]
fn a_missing_active_profile_is_reported() {
    let sandbox = with_profiles(&["api"]);
    sandbox.write_store("state.json", "{\"profile\": \"gone\"}\n");
    sandbox
        .ctx(["profile", "--current"])
        .code(1)
        .stderr("error: the active profile 'gone' no longer exists\nhint: ctx switch default\n")
        .check();
    let warning =
        "warning: the active profile 'gone' no longer exists; 'ctx switch default' switches away from it\n";
    sandbox.ctx(["profile"]).stdout("  default\n  api\n").stderr(warning).check();
    sandbox.ctx(["profile", "--json"]).stdout_has("\"active\": \"gone\"").stderr(warning).check();
    sandbox.ctx(["switch", "default"]).stderr_any().check();
    sandbox.ctx(["profile"]).stdout("* default\n  api\n").check();
}

#[test]
fn contradictory_options_are_wrong_usage() {
    let sandbox = with_profiles(&["api"]);
    for args in [
        &["--set", "budget=1k", "--unset", "budget"][..],
        &["--set", "budget=1k", "--set", "budget=2k"],
        &["--create", "x", "--json"],
        &["--delete", "api", "--json"],
        &["--rename", "api", "x", "--json"],
        &["--set", "budget=1k", "--json"],
    ] {
        let error = if args.contains(&"--json") { "{\"error\":\"" } else { "error: " };
        sandbox.ctx([&["profile"][..], args].concat()).code(2).stderr_has(error).check();
    }
    sandbox
        .ctx(["profile", "--current", "--json"])
        .stdout("{\n  \"version\": 1,\n  \"name\": \"default\",\n  \"exists\": true\n}\n")
        .check();
}

#[test]
fn an_operation_can_be_requested_only_once() {
    let sandbox = Sandbox::new();
    for args in [
        &["profile", "-c", "x", "-c", "y"][..],
        &["profile", "-d", "a", "-d", "b"],
        &["profile", "-m", "a", "b", "-m", "c", "d"],
    ] {
        sandbox
            .ctx(args)
            .code(2)
            .stderr("error: Only one of --delete, --create, or --rename can be specified\n")
            .check();
    }
    sandbox.ctx(["profile"]).stdout("* default\n").check();
}

#[test]
fn a_missing_profile_from_the_environment_is_shown_with_a_question_mark() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["profile", "--current"]).env("CTX_PROFILE", "gone").stdout("gone?\n").check();
    sandbox.ctx(["profile", "--current"]).env("CTX_PROFILE", "default").stdout("default\n").check();
    sandbox
        .ctx(["show"])
        .env("CTX_PROFILE", "gone")
        .code(1)
        .stderr(
            "error: Profile 'gone' does not exist. Available profiles: default\nhint: the name comes from \
             $CTX_PROFILE\n",
        )
        .check();
    sandbox
        .ctx(["render"])
        .env("CTX_MODEL", "no-such-model")
        .code(2)
        .stderr_has("hint: the name comes from $CTX_MODEL\n")
        .check();
}
