use crate::support::Sandbox;

#[test]
fn a_profile_is_emptied() {
    let sandbox = Sandbox::with(&[("a.md", "")]);
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox.ctx(["clear"]).stderr("Cleared context for profile 'default'\n").check();
    sandbox.ctx(["show"]).stdout_has("profile:\n    <none>\n").check();
}

#[test]
fn the_global_list_is_emptied_and_its_defaults_come_back() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["clear", "-g"]).stderr("Cleared global context\n").check();
    assert_eq!(sandbox.stored("global.json"), "{\n  \"paths\": []\n}\n");
    sandbox.ctx(["clear", "-g", "--defaults"]).stderr_any().check();
    assert!(sandbox.stored("global.json").contains("AGENTS.md"));
}

#[test]
fn defaults_of_a_profile_and_unknown_keys_stay() {
    let sandbox = Sandbox::new();
    sandbox.write_store("profiles/default.json", r#"{"later": 1, "paths": ["x"], "budget": "60k"}"#);
    sandbox.ctx(["clear"]).stderr_any().check();
    let stored = sandbox.stored("profiles/default.json");
    assert_eq!(stored, "{\n  \"later\": 1,\n  \"paths\": [],\n  \"budget\": \"60k\"\n}\n");
}
