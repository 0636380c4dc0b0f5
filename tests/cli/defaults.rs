//! The command line overrides the environment, which overrides the profile.

use crate::support::Sandbox;

fn with_defaults(settings: &[&str]) -> Sandbox {
    let sandbox = Sandbox::with(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    sandbox.ctx(["add", "a.txt", "b.txt"]).stderr_any().check();
    for setting in settings {
        sandbox.ctx(["profile", "--set", setting]).stderr_has("for profile 'default'").check();
    }
    sandbox
}

#[test]
fn a_model_sets_the_window_and_options_override_variables_and_profiles() {
    let sandbox = with_defaults(&["model=gpt-4o"]);
    sandbox.ctx(["show"]).stdout_has("% of 96,000 (75% of the 128,000 of gpt-4o) [").check();
    sandbox
        .ctx(["-q", "show"])
        .env("CTX_MODEL", "gpt-4")
        .stdout_has("% of 6,144 (75% of the 8,192 of gpt-4) [")
        .check();
    sandbox
        .ctx(["show", "-m", "gpt-4o-mini"])
        .env("CTX_MODEL", "gpt-4")
        .stdout_has("% of 96,000 (75% of the 128,000 of gpt-4o-mini) [")
        .check();
    sandbox.ctx(["show"]).env("CTX_MODEL", "").stdout_has("of gpt-4o) [").check();
    sandbox.ctx(["profile", "--unset", "model"]).stderr_any().check();
    sandbox.ctx(["show"]).stdout_has("% of 150,000 (75% of 200,000, no model set) [").check();
}

#[test]
fn budget_trim_and_format_of_a_profile_are_used() {
    let sandbox = with_defaults(&["budget=60k", "trim=outline", "format=xml"]);
    sandbox.ctx(["-q", "show"]).stdout_has("% of 60,000 [").check();
    sandbox
        .ctx(["show", "--budget", "50%"])
        .stdout_has("% of 100,000 (50% of 200,000, no model set) [")
        .check();
    sandbox.ctx(["show", "-b", "none"]).stdout_has("no budget").check();
    sandbox.ctx(["render"]).stdout_has("<documents>").check();
    sandbox.ctx(["render", "--format", "text"]).stdout_has("--- CONTEXT FILES BEGIN ---").check();
    sandbox.ctx(["show", "--json"]).stdout_has("\"trim\": \"outline\"").check();
    sandbox.ctx(["show", "--json", "--trim", "largest"]).stdout_has("\"trim\": \"largest\"").check();
    sandbox.ctx(["render", "--only", "a.txt"]).stdout_has("<documents>").check();
}

#[test]
fn each_profile_has_separate_defaults() {
    let sandbox = with_defaults(&["budget=60k"]);
    sandbox.ctx(["profile", "-c", "api"]).stderr_any().check();
    sandbox
        .ctx(["--profile", "api", "profile", "--set", "budget=10k", "--set", "format=json"])
        .stderr("Set budget, format for profile 'api'\n")
        .check();
    sandbox.ctx(["-q", "show"]).env("CTX_PROFILE", "api").stdout_has("% of 10,000 [").check();
    sandbox.ctx(["-q", "show"]).stdout_has("% of 60,000 [").check();
}

#[test]
fn an_invalid_value_is_refused_and_changes_nothing() {
    let sandbox = with_defaults(&["budget=60k"]);
    let before = sandbox.stored("profiles/default.json");
    for wrong in ["budget=lots", "trim=best", "format=pdf", "model=gpt-40", "colour=red", "budget"] {
        sandbox.ctx(["profile", "--set", "format=xml", "--set", wrong]).code(2).stderr_has("error: ").check();
        assert_eq!(sandbox.stored("profiles/default.json"), before, "{wrong}");
    }
}

#[test]
fn a_value_written_by_hand_is_checked_when_it_is_used() {
    let sandbox = with_defaults(&[]);
    sandbox.write_store("profiles/default.json", r#"{"paths": ["a.txt"], "budget": "lots"}"#);
    sandbox.ctx(["render"]).code(2).stderr_has("'lots'").check();
    sandbox.ctx(["render", "-b", "1k"]).stdout_has("[a.txt]").check();
}

#[test]
fn the_description_is_shown() {
    let sandbox = with_defaults(&["description=Review of the API"]);
    sandbox.ctx(["profile", "-c", "longer-name"]).stderr_any().check();
    sandbox.ctx(["show"]).stdout_has("current profile: default\nReview of the API\n\nglobal:\n").check();
    sandbox.ctx(["profile"]).stdout("* default      Review of the API\n  longer-name\n").check();
    sandbox.ctx(["profile", "--json"]).stdout_has("\"description\": \"Review of the API\"").check();
    sandbox.ctx(["profile", "--unset", "description"]).stderr_any().check();
    sandbox.ctx(["profile"]).stdout("* default\n  longer-name\n").check();
}

#[test]
fn an_error_in_a_default_names_the_profile_and_how_to_fix_it() {
    let sandbox = Sandbox::with(&[("a.txt", "one\n")]);
    let way_out = |key: &str| {
        format!(
            "it is the {key} of profile 'x': 'ctx --profile x profile --set {key}=…' changes it, and '--unset {key}' removes it\n"
        )
    };
    sandbox.write_store("state.json", r#"{"profile": "x"}"#);
    for (key, value) in [("model", "nomo"), ("budget", "lots"), ("trim", "best"), ("format", "pdf")] {
        sandbox.write_store("profiles/x.json", format!(r#"{{"paths": ["a.txt"], "{key}": "{value}"}}"#));
        for command in [&["render"][..], &["show"], &["explain", "a.txt"], &["render", "--only", "a.txt"]] {
            let told = sandbox.ctx(command).code(2).stderr_has(&way_out(key)).stderr_has("hint: ");
            told.stderr_has(&format!("'{value}'")).check();
        }
        let option = format!("--{key}={value}");
        sandbox.ctx(["render", &option]).code(2).stderr_has("error: ").stderr_lacks("profile").check();
        sandbox
            .ctx(["check"])
            .code(3)
            .stdout_has("    profiles/x.json: ")
            .stdout_has("\n1 problem\n")
            .check();
        sandbox.ctx(["--profile", "x", "profile", "--unset", key]).stderr_any().check();
        sandbox.ctx(["render"]).stdout_has("one").check();
    }
}

#[test]
fn default_for_all_profiles_applies_unless_a_profile_sets_its_own() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n"), ("b.txt", &"b\n".repeat(200))]);
    sandbox.ctx(["profile", "-c", "web"]).stderr_any().check();
    sandbox
        .ctx([
            "profile",
            "-g",
            "--set",
            "format=xml",
            "--set",
            "trim=outline",
            "--set",
            "program=llm -m 'a b'",
        ])
        .stderr("Set format, trim, program for the global list\n")
        .check();
    sandbox.ctx(["render", "--only", "a.txt"]).stdout_has("<document ").check();
    sandbox.ctx(["--profile", "web", "render", "--only", "a.txt"]).stdout_has("<document ").check();
    sandbox.ctx(["-q", "profile", "--set", "format=markdown"]).check();
    sandbox.ctx(["render", "--only", "a.txt"]).stdout_has("```").check();
    sandbox.ctx(["render", "--only", "--format", "text", "a.txt"]).stdout_has("[a.txt]").check();
    for (value, why) in [("'x", "a quotation mark is not closed"), ("", "it names no command")] {
        let error = format!("error: invalid program '{value}': {why}\n");
        let set = format!("program={value}");
        sandbox.ctx(["profile", "-g", "--set", &set]).code(2).stderr(error).check();
    }
    sandbox.ctx(["-q", "profile", "-g", "--set", "model=gone"]).code(2).stderr_has("unknown model").check();
    let global = sandbox.stored("global.json").replace("\"xml\"", "\"html\"");
    sandbox.write_store("global.json", global);
    sandbox
        .ctx(["--profile", "web", "render", "--only", "a.txt"])
        .code(2)
        .stderr_has("it is the format for all profiles: 'ctx profile -g --set format=…' changes it")
        .check();
}

#[test]
fn program_cannot_be_set_by_a_project_exported_or_imported() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox.ctx(["-q", "profile", "--set", "program=llm", "--set", "ask_budget=8k"]).check();
    sandbox.ctx(["export"]).stdout_has("\"ask_budget\": \"8k\"").stdout_lacks("program").check();
    let bundle =
        r#"{"version": 1, "profiles": {"team": {"paths": [], "program": "rm -rf x", "trim": "outline"}}}"#;
    sandbox.write("bundle.json", bundle);
    sandbox
        .ctx(["import", "--force", "bundle.json"])
        .stderr_has("left out of profile 'team': 'program', which only you can set\n")
        .check();
    assert!(!sandbox.stored("profiles/team.json").contains("program"));
    sandbox.ctx(["-q", "init"]).check();
    sandbox
        .ctx(["profile", "--set", "program=llm"])
        .code(2)
        .stderr_has("a project's files may not set program=llm")
        .check();
    sandbox.write(".ctx/profiles/default.json", r#"{"paths": ["a.txt"], "program": "touch ran"}"#);
    sandbox
        .ctx(["render"])
        .stdout_has("[a.txt]")
        .stderr_has("a project's files may not set 'program'; not used")
        .check();
}

#[test]
fn settings_in_effect_are_shown_with_their_source() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    let nothing = "note: all profiles share no settings yet; 'ctx profile -g --set KEY=VALUE' adds one\n";
    sandbox.ctx(["profile", "-g"]).stderr(nothing).check();
    sandbox.ctx(["-q", "show"]).stdout_lacks("settings").check();
    sandbox.ctx(["-q", "profile", "-g", "--set", "trim=outline", "--set", "budget=9k"]).check();
    sandbox.ctx(["-q", "profile", "--set", "budget=60k"]).check();
    sandbox.ctx(["profile", "-g"]).stdout("budget=9k\ntrim=outline\n").check();
    sandbox
        .ctx(["-q", "show"])
        .stdout_has("current profile: default\nsettings: budget 60k (profile), trim outline (all profiles)\n")
        .check();
    sandbox
        .ctx(["-q", "show", "-b", "10k"])
        .env("CTX_MODEL", "gpt-5")
        .stdout_has("\nsettings: model gpt-5 ($CTX_MODEL), trim outline (all profiles)\n")
        .check();
    let shown = sandbox.ctx(["show", "--json"]).stdout_any().check();
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        shown["settings"],
        serde_json::json!([
            {"name": "budget", "value": "60k", "from": "profile"},
            {"name": "trim", "value": "outline", "from": "all profiles"}
        ])
    );
}
