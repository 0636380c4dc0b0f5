//! An import stores entries as `ctx add` would store them here.

use crate::support::Sandbox;

#[test]
fn absolute_resources_are_stored_as_add_would_store_them() {
    let sandbox = Sandbox::new();
    let (home, project) = (sandbox.home(), sandbox.project());
    std::fs::write(home.join("notes.md"), "n\n").unwrap();
    let resources = serde_json::json!([
        format!("file://{}/notes.md", home.display()),
        "file://~/notes.md",
        format!("file://{}/docs/a.md", project.display()),
        "file:///etc/hostname",
        "file://docs/**/*.md"
    ]);
    let agent = serde_json::json!({ "name": "one", "resources": resources });
    sandbox.write(".kiro/agents/one.json", agent.to_string());
    sandbox.ctx(["import", "--from", "kiro", "--force"]).stderr_has("Imported profile 'one'").check();
    let kept: serde_json::Value = serde_json::from_str(&sandbox.stored("profiles/one.json")).unwrap();
    let in_project = format!("{}/docs/a.md", project.display());
    assert_eq!(kept["paths"], serde_json::json!(["~/notes.md", in_project, "/etc/hostname", "docs/**/*.md"]));
    sandbox.ctx(["profile", "-d", "one"]).stderr_any().check();
    sandbox.ctx(["init"]).stderr_any().check();
    sandbox
        .ctx(["import", "--from", "kiro", "--force"])
        .stderr_has(
            "left out of profile 'one': '/etc/hostname' (a project's files may not name an absolute path)",
        )
        .stderr_has(
            "left out of profile 'one': '~/notes.md' (a project's files may not name a path in the home",
        )
        .check();
    let kept: serde_json::Value = serde_json::from_str(&sandbox.read(".ctx/profiles/one.json")).unwrap();
    assert_eq!(kept["paths"], serde_json::json!(["docs/a.md", "docs/**/*.md"]));
    let document = r#"{"version": 1, "profiles": {"two": {"paths": ["a", "~/b"]}}}"#;
    sandbox
        .ctx(["import", "--force", "-"])
        .stdin(document)
        .code(2)
        .stderr("error: Invalid path '~/b' in profile 'two': a project's files may not name a path in the home directory\n")
        .check();
}
