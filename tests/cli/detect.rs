use serde_json::Value;

use crate::support::Sandbox;

fn project() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("AGENTS.md", "agents\n"),
        ("README.md", "readme\n"),
        (".amazonq/rules/a.md", "a\n"),
        (".amazonq/rules/deep/b.md", "b\n"),
        (".cursor/rules/always.mdc", "---\nalwaysApply: true\nglobs:\n---\nText.\n"),
        (".cursor/rules/ts.mdc", "---\nglobs: **/*.ts\n---\nText.\n"),
        (".github/instructions/py.instructions.md", "---\napplyTo: '**/*.py'\n---\n"),
        (".kiro/steering/manual.md", "---\ninclusion: manual\n---\n"),
        ("sub/CLAUDE.md", "claude\n"),
    ]);
    sandbox.repository();
    sandbox
}

#[test]
fn context_files_are_listed_with_their_conditions() {
    project()
        .ctx(["detect"])
        .stdout(
            "AGENTS.md\n\
             .amazonq/rules/a.md\n\
             .amazonq/rules/deep/b.md\n\
             .kiro/steering/manual.md (conditional, inclusion: manual)\n\
             .cursor/rules/always.mdc\n\
             .cursor/rules/ts.mdc (conditional, globs: **/*.ts)\n\
             .github/instructions/py.instructions.md (conditional, applyTo: **/*.py)\n\
             README.md\n\
             sub/CLAUDE.md (conditional, for sub/**)\n",
        )
        .check();
}

#[test]
fn rules_in_directories_of_other_tools_are_found() {
    let sandbox = Sandbox::with(&[
        (".claude/rules/style.md", "style\n"),
        (".claude/rules/web/ts.md", "---\npaths: **/*.ts\n---\nText.\n"),
        (".windsurf/rules/all.md", "---\ntrigger: always_on\n---\nText.\n"),
        (".windsurf/rules/some.md", "---\ntrigger: model_decision\n---\nText.\n"),
        (".clinerules/a.md", "cline\n"),
        (".goosehints", "goose\n"),
        ("CONVENTIONS.md", "aider\n"),
    ]);
    sandbox.repository();
    let told = ".claude/rules/style.md\n.claude/rules/web/ts.md (conditional, paths: **/*.ts)\n\
        .windsurf/rules/all.md\n.windsurf/rules/some.md (conditional, trigger: model_decision)\n\
        .clinerules/a.md\n.goosehints\nCONVENTIONS.md\n";
    sandbox.ctx(["detect"]).stdout(told).check();
}

#[test]
fn file_that_is_kept_from_models_is_not_added() {
    let sandbox = Sandbox::with(&[("AGENTS.md", "agents\n"), ("GEMINI.md", "# Template\n")]);
    sandbox.repository();
    sandbox.write(".geminiignore", "GEMINI.md\n");
    let told = "AGENTS.md\nGEMINI.md (ignored by .geminiignore:1: GEMINI.md)\n";
    sandbox.ctx(["detect"]).stdout(told).check();
    let added = sandbox.ctx(["detect", "--add"]).stderr_has("'AGENTS.md' is already");
    added.stderr_has("note: 1 file left out: 'GEMINI.md'; 'ctx detect' shows why\n").check();
    sandbox.ctx(["show"]).stdout_lacks("GEMINI.md").stderr_any().check();
}

#[test]
fn files_in_directories_above_are_detected() {
    let sandbox = project();
    sandbox
        .ctx_in(&sandbox.path("sub"), ["detect"])
        .stdout_has("CLAUDE.md\n../AGENTS.md\n../.amazonq/rules/a.md\n")
        .check();
    sandbox.ctx_in(&sandbox.path("sub"), ["-q", "detect", "--add"]).check();
    let stored: Value = serde_json::from_str(&sandbox.stored("profiles/default.json")).unwrap();
    assert_eq!(
        stored["paths"],
        serde_json::json!([
            "sub/CLAUDE.md",
            "up:.amazonq/rules/a.md",
            "up:.amazonq/rules/deep/b.md",
            "up:.cursor/rules/always.mdc",
            "up:README.md",
            {"path": ".cursor/rules/ts.mdc", "when": ["**/*.ts"]},
            {"path": ".github/instructions/py.instructions.md", "when": ["**/*.py"]}
        ])
    );
    sandbox
        .ctx_in(&sandbox.path("sub"), ["render"])
        .stdout_has("[.amazonq/rules/deep/b.md]\nb\n")
        .stdout_lacks("ts.mdc")
        .check();
}

#[test]
fn add_includes_only_new_files_and_gives_those_for_certain_files_a_condition() {
    let sandbox = project();
    sandbox
        .ctx(["detect", "--add"])
        .stderr(
            "Added '.cursor/rules/always.mdc' to profile 'default'\n\
             Added 'README.md' to profile 'default'\n\
             Added '.cursor/rules/ts.mdc' to profile 'default'\n\
             Added '.github/instructions/py.instructions.md' to profile 'default'\n\
             Added 'sub/CLAUDE.md' to profile 'default'\n\
             note: 'AGENTS.md' is already in the global list\n\
             note: '.amazonq/rules/**/*.md' is already in the global list\n\
             note: 1 conditional file left out: '.kiro/steering/manual.md'; 'ctx detect' shows why\n",
        )
        .check();
    let stored = sandbox.stored("profiles/default.json");
    sandbox.ctx(["detect", "--add"]).stderr_has("'README.md' is already in profile 'default'\n").check();
    assert_eq!(sandbox.stored("profiles/default.json"), stored);
    sandbox.ctx(["check"]).stdout_has("no problems\n").check();
}

#[test]
fn a_rule_added_to_a_directory_later_is_not_included() {
    let sandbox = Sandbox::with(&[(".clinerules/one.md", "one\n")]);
    sandbox.ctx(["detect", "--add"]).stderr("Added '.clinerules/one.md' to profile 'default'\n").check();
    sandbox.write(".clinerules/two.md", "---\npaths: ['*.py']\n---\ntwo\n");
    sandbox.ctx(["render"]).stdout_has("[.clinerules/one.md]\none\n").stdout_lacks("two").check();
    sandbox.ctx(["detect"]).stdout_has(".clinerules/two.md (conditional, ").stdout_any().check();
    let file = Sandbox::with(&[(".clinerules", "rules\n")]);
    file.ctx(["detect", "--add"]).stderr("Added '.clinerules' to profile 'default'\n").check();
}

#[test]
fn detected_files_can_be_added_to_the_global_list() {
    let sandbox = Sandbox::with(&[("AGENTS.md", "a\n"), ("GEMINI.md", "g\n")]);
    sandbox.ctx(["detect", "-g"]).code(2).stderr_has("--add").check();
    sandbox
        .ctx(["detect", "--add", "-g"])
        .stderr("Added 'GEMINI.md' to the global list\nnote: 'AGENTS.md' is already in the global list\n")
        .check();
    sandbox.ctx(["--profile", "default", "detect", "--add", "-g"]).code(2).stderr_has("--profile").check();
}

#[test]
fn json_is_versioned() {
    let sandbox = project();
    let json = |args: &[&str]| -> Value {
        serde_json::from_str(&sandbox.ctx(args).stdout_any().stderr_any().check()).unwrap()
    };
    let listed = json(&["detect", "--json"]);
    assert_eq!(listed["version"], 1);
    assert_eq!(listed["files"][1]["entry"], ".amazonq/rules/**/*.md");
    assert_eq!(listed["files"][3]["loading"], "conditional");
    assert_eq!(listed["files"][3]["detail"], "inclusion: manual");
    assert!(listed.get("added").is_none());
    let added = json(&["detect", "--json", "--add"]);
    assert_eq!(added["present_globally"][0], "AGENTS.md");
    assert_eq!(added["present_globally"][1], ".amazonq/rules/**/*.md");
    assert_eq!(added["added"][1], "README.md");
}

#[test]
fn finding_no_files_is_noted() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["detect"]).stderr("note: no context files here\n").check();
    sandbox.ctx(["detect", "--add"]).stderr("note: no context files here\n").check();
    assert!(!sandbox.store().join("profiles/default.json").exists());
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_added_are_listed_with_the_reason() {
    use std::os::unix::fs::symlink;

    let sandbox = Sandbox::with(&[("README.md", "readme\n"), (".amazonq/rules/a.md", "a\n")]);
    sandbox.fifo("AGENTS.md");
    sandbox.socket("GEMINI.md");
    symlink("nowhere", sandbox.path("CLAUDE.md")).unwrap();
    symlink("nowhere", sandbox.path(".amazonq/rules/b.md")).unwrap();
    sandbox.fifo(".amazonq/rules/c.md");
    sandbox
        .ctx(["detect"])
        .stdout(
            "AGENTS.md (not a regular file)\n\
             CLAUDE.md (broken link)\n\
             GEMINI.md (not a regular file)\n\
             .amazonq/rules/a.md\n\
             .amazonq/rules/b.md (broken link)\n\
             .amazonq/rules/c.md (not a regular file)\n\
             README.md\n",
        )
        .check();
    sandbox
        .ctx(["detect", "--add"])
        .stderr_has("note: 5 files left out: 'AGENTS.md', 'CLAUDE.md', 'GEMINI.md' and 2 more; 'ctx detect' shows why")
        .check();
    sandbox.ctx(["detect", "--json"]).stdout_has("\"loading\": \"refused\"").check();
}

#[test]
fn name_on_several_levels_is_added_once() {
    let sandbox = Sandbox::with(&[
        (".git/HEAD", ""),
        ("CLAUDE.md", "top\n"),
        ("sub/CLAUDE.md", "middle\n"),
        ("sub/deep/CLAUDE.md", "here\n"),
        ("sub/deep/GEMINI.md", "here\n"),
    ]);
    sandbox.repository();
    let deep = sandbox.path("sub/deep");
    sandbox
        .ctx_in(&deep, ["detect", "--add"])
        .stderr(
            "Added 'sub/deep/GEMINI.md' to profile 'default'\nAdded 'up:CLAUDE.md' to profile 'default'\n",
        )
        .check();
    let all = ["[CLAUDE.md]\ntop\n", "[sub/CLAUDE.md]\nmiddle\n", "[sub/deep/CLAUDE.md]\nhere\n"].join("\n");
    sandbox.ctx_in(&deep, ["render"]).stdout_has(&all).check();
}

#[test]
fn rules_of_other_tools_are_found_even_if_git_ignores_them() {
    let sandbox =
        Sandbox::with(&[(".gitignore", ".amazonq/\n.kiro/\n"), (".git/HEAD", "ref: refs/heads/main\n")]);
    sandbox.write(".amazonq/rules/team.md", "be kind\n");
    sandbox.write(".kiro/steering/style.md", "be brief\n");
    sandbox.ctx(["detect"]).stdout(".amazonq/rules/team.md\n.kiro/steering/style.md\n").check();
    sandbox.ctx(["render"]).stdout_has("[.amazonq/rules/team.md]\nbe kind\n").check();
    sandbox.ctx(["detect", "--add"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("[.kiro/steering/style.md]\nbe brief\n").check();
}

#[test]
fn memory_file_further_down_is_used_beside_files_of_its_directory() {
    let sandbox = Sandbox::with(&[
        ("packages/web/AGENTS.md", "Use hooks.\n"),
        ("packages/web/view.rs", "fn render_statusline() { draw() }\n"),
        ("packages/api/main.rs", "fn handle_request() {}\n"),
    ]);
    sandbox.repository();
    let packages = sandbox.path("packages");
    let listed = "web/AGENTS.md (conditional, for packages/web/**)\n";
    sandbox.ctx_in(&packages, ["detect"]).stdout(listed).check();
    sandbox.ctx_in(&packages, ["detect", "--add"]).stderr_any().check();
    let stored: Value = serde_json::from_str(&sandbox.stored("profiles/default.json")).unwrap();
    let entry = serde_json::json!({"path": "packages/web/AGENTS.md", "when": ["packages/web/**"]});
    assert_eq!(stored["paths"], serde_json::json!([entry]));
    let used = "[packages/web/AGENTS.md]\nUse hooks.\n";
    sandbox.ctx(["render", "packages/web/view.rs"]).stdout_has(used).stderr_any().check();
    sandbox.ctx(["render", "packages/api/main.rs"]).stdout_lacks("hooks").stderr_any().stdout_any().check();
    let ask = ["ask", "what does render_statusline draw?", "packages/web/view.rs"];
    sandbox.ctx(ask).stdout_has(used).stderr_any().check();
}
