use crate::support::Sandbox;

#[test]
fn switching_lasts_across_commands() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["profile", "--create", "api"]).stderr("Created profile: api\n").check();
    sandbox.ctx(["profile", "--current"]).stdout("default\n").check();
    sandbox.ctx(["switch", "api"]).stderr("Switched to profile: api\n").check();
    sandbox.ctx(["profile", "--current"]).stdout("api\n").check();
}

#[test]
fn a_profile_can_be_created_while_switching() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["switch", "-c", "api"]).stderr("Created and switched to profile: api\n").check();
    sandbox
        .ctx(["switch", "--create", "api"])
        .code(1)
        .stderr("error: Profile 'api' already exists\nhint: ctx switch api\n")
        .check();
}

#[test]
fn an_unknown_profile_is_an_error_that_says_how_to_create_it() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["switch", "api"])
        .code(1)
        .stderr(
            "error: Profile 'api' does not exist. Use --create to create it\n\
             hint: 'ctx profile --create api' creates it, 'ctx switch --create api' also switches to it\n",
        )
        .check();
}

#[test]
fn default_always_exists() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["switch", "default"]).stderr("Switched to profile: default\n").check();
    sandbox.ctx(["--profile", "default", "-q", "show"]).stdout_has("current profile: default\n").check();
}

#[test]
fn an_invalid_variable_does_not_prevent_a_switch() {
    let sandbox = Sandbox::new().variable("CTX_PROFILE", "gone");
    sandbox.ctx(["switch", "-c", "api"]).stderr_has("Created and switched to profile: api\n").check();
    sandbox.ctx(["profile"]).stdout_any().check();
    sandbox.ctx(["completions", "bash"]).stdout_has("ctx").check();
    sandbox
        .ctx(["show"])
        .code(1)
        .stderr("error: Profile 'gone' does not exist. Available profiles: default, api\nhint: the name comes from $CTX_PROFILE\n")
        .check();
}

#[test]
fn a_missing_active_profile_is_an_error_with_a_hint() {
    let sandbox = Sandbox::new();
    sandbox.write_store("state.json", r#"{"profile": "gone"}"#);
    sandbox.ctx(["show"]).code(1).stderr_has("hint: ").stderr_has("ctx switch default").check();
    sandbox.ctx(["switch", "default"]).stderr_any().check();
    sandbox.ctx(["-q", "show"]).stdout_any().check();
}

#[test]
fn a_dash_switches_back_to_the_previous_profile() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["switch", "-"]).code(1).stderr("error: no profile to switch back to\n").check();
    sandbox.ctx(["switch", "-q", "-c", "api"]).check();
    sandbox.ctx(["switch", "-"]).stderr("Switched to profile: default\n").check();
    sandbox.ctx(["switch", "-"]).stderr("Switched to profile: api\n").check();
    sandbox.ctx(["switch", "-q", "default"]).check();
    sandbox.ctx(["profile", "-q", "-m", "api", "backend"]).check();
    sandbox.ctx(["switch", "-"]).stderr("Switched to profile: backend\n").check();
    sandbox.ctx(["switch", "-c", "-"]).code(2).stderr_has("'-' is the previous profile").check();
}

#[test]
fn a_misspelled_name_gets_a_suggestion() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["profile", "-c", "reviewer"]).stderr_any().check();
    sandbox
        .ctx(["switch", "reviwer"])
        .code(1)
        .stderr("error: Profile 'reviwer' does not exist. Use --create to create it\nhint: did you mean 'reviewer'?\n")
        .check();
    sandbox
        .ctx(["--profile", "reviewr", "show"])
        .code(1)
        .stderr("error: Profile 'reviewr' does not exist. Available profiles: default, reviewer\nhint: did you mean 'reviewer'?\n")
        .check();
    sandbox.ctx(["todo", "add", "--list", "release", "tag it"]).stderr_any().check();
    sandbox
        .ctx(["todo", "show", "relaese"])
        .code(1)
        .stderr("error: List 'relaese' does not exist\nhint: did you mean 'release'?\n")
        .check();
    sandbox.ctx(["history", "append", "--history=talk", "--role", "user", "hi"]).stdout("1\n").check();
    sandbox
        .ctx(["history", "show", "--history=tlak"])
        .code(1)
        .stderr("error: History 'tlak' does not exist\nhint: did you mean 'talk'?\n")
        .check();
    sandbox.ctx(["histroy"]).code(2).stderr_has("'history'").check();
}

#[test]
fn choosing_the_same_profile_again_makes_it_the_newest_choice() {
    let sandbox = Sandbox::new();
    sandbox.repository();
    sandbox.ctx(["switch", "-q", "-c", "api"]).check();
    let mut state: serde_json::Value = serde_json::from_str(&sandbox.stored("state.json")).unwrap();
    let roots = state["roots"].as_array_mut().unwrap();
    let here = roots[0]["path"].clone();
    roots.insert(0, serde_json::json!({"path": "/other", "profile": "api"}));
    sandbox.write_store("state.json", state.to_string());
    sandbox.ctx(["switch", "-q", "api"]).check();
    let state: serde_json::Value = serde_json::from_str(&sandbox.stored("state.json")).unwrap();
    assert_eq!(state["roots"][0]["path"], here);
}
