use crate::support::Sandbox;

#[test]
fn a_profile_is_emptied() {
    let sandbox = Sandbox::with(&[("a.md", "")]);
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox
        .ctx(["clear"])
        .stderr("Cleared context for profile 'default'\n1 entry; 'ctx clear --undo' brings it back\n")
        .check();
    sandbox.ctx(["-q", "show"]).stdout_has("profile:\n    <none>\n").check();
}

#[test]
fn the_global_list_is_emptied_and_its_defaults_can_be_restored() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["clear", "-g"])
        .stderr("Cleared global context\n4 entries; 'ctx clear -g --undo' brings them back\n")
        .check();
    assert_eq!(sandbox.stored("global.json"), "{\n  \"paths\": []\n}\n");
    sandbox.ctx(["clear", "-g", "--defaults"]).stderr_any().check();
    assert!(sandbox.stored("global.json").contains("AGENTS.md"));
}

#[test]
fn defaults_of_a_profile_and_unknown_keys_are_kept() {
    let sandbox = Sandbox::new();
    sandbox.write_store("profiles/default.json", r#"{"later": 1, "paths": ["x"], "budget": "60k"}"#);
    sandbox.ctx(["clear"]).stderr_any().check();
    let stored = sandbox.stored("profiles/default.json");
    assert_eq!(stored, "{\n  \"later\": 1,\n  \"paths\": [],\n  \"budget\": \"60k\"\n}\n");
}

#[test]
fn undo_restores_cleared_entries_with_attributes_before_new_ones() {
    let sandbox = Sandbox::with(&[("a.md", ""), ("b.md", ""), ("c.md", "")]);
    sandbox.ctx(["add", "--pin", "--tag", "t", "a.md"]).stderr_any().check();
    sandbox.ctx(["add", "b.md"]).stderr_any().check();
    let before = sandbox.stored("profiles/default.json");
    sandbox
        .ctx(["clear"])
        .stderr("Cleared context for profile 'default'\n2 entries; 'ctx clear --undo' brings them back\n")
        .check();
    sandbox.ctx(["clear"]).stderr("Cleared context for profile 'default'\n").check();
    sandbox.ctx(["clear", "--undo"]).stderr("Restored 2 entries to profile 'default'\n").check();
    assert_eq!(sandbox.stored("profiles/default.json"), before);
    sandbox.ctx(["clear", "--undo"]).code(1).stderr("error: there is nothing to bring back\n").check();

    sandbox.ctx(["clear"]).stderr_any().check();
    sandbox.ctx(["add", "c.md", "b.md"]).stderr_any().check();
    sandbox.ctx(["clear", "--undo"]).stderr_any().check();
    let paths = sandbox.stored("profiles/default.json");
    let places = ["a.md", "b.md", "c.md"].map(|name| paths.matches(name).count());
    assert_eq!(places, [1, 1, 1], "{paths}");
    assert!(paths.find("b.md") < paths.find("c.md"), "{paths}");
}

#[test]
fn cleared_entries_of_a_project_are_kept_in_the_users_store() {
    let sandbox = Sandbox::with(&[("a.md", "")]);
    sandbox.ctx(["init"]).stderr_any().stdout_any().check();
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox.ctx(["clear"]).stderr_any().check();
    let project: Vec<_> = std::fs::read_dir(sandbox.path(".ctx/profiles"))
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert_eq!(project, ["default.json"]);
    sandbox.ctx(["--no-project", "clear", "--undo"]).code(1).stderr_any().check();
    sandbox.ctx(["clear", "--undo"]).stderr("Restored 1 entry to profile 'default'\n").check();
    sandbox.ctx(["show"]).stdout_has("a.md").check();
}

#[test]
fn files_left_by_a_killed_clear_of_a_project_are_deleted() {
    let sandbox = Sandbox::with(&[("a.md", "")]);
    sandbox.ctx(["init"]).stderr_any().stdout_any().check();
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox.ctx(["clear"]).stderr_any().check();
    let cleared = sandbox.store().join("cleared");
    let of_project = std::fs::read_dir(cleared).unwrap().next().unwrap().unwrap().path();
    let left = of_project.join(".default.json.ctx-aB3dEf");
    std::fs::write(&left, "{").unwrap();
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    assert!(!left.exists());
}
