use serde_json::Value;

use crate::support::Sandbox;

/// The codes of all findings with their subjects, in order.
fn found(sandbox: &Sandbox, options: &[&str]) -> Vec<(String, String)> {
    let args = [&["check", "--json"][..], options].concat();
    let json = sandbox.ctx(&args).code(3).stdout_any().check();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["version"], &json["ok"]), (&1.into(), &false.into()));
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let findings = json["findings"].as_array().unwrap();
    findings.iter().map(|finding| (text(finding, "code"), text(finding, "subject"))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(code, subject)| ((*code).to_owned(), (*subject).to_owned())).collect()
}

#[test]
fn nothing_is_wrong_with_a_new_store() {
    let sandbox = Sandbox::new();
    let total = "0 files, 0 tokens, 0% of 150,000 (75% of 200,000, no model set) [------------------]\n";
    sandbox.ctx(["check"]).stdout(format!("no problems\n{total}")).check();
    sandbox.ctx(["add", "-g", "--force", "*.md"]).stderr_any().check();
    sandbox
        .ctx(["check"])
        .code(3)
        .stdout(format!(
            "entries:\n    *.md (global): matches nothing\n    default: the context is empty: no entry matches \
             a file here; 'ctx show' lists them\n\n2 problems\n{total}"
        ))
        .check();
}

#[test]
fn a_sound_context_passes() {
    let sandbox =
        Sandbox::with(&[("AGENTS.md", "agents\n"), ("src/a.rs", "fn a() {}\n"), ("src/x.bin", "\0")]);
    sandbox.ctx(["add", "src/**"]).stderr_any().check();
    sandbox.ctx(["check"]).stdout_has("no problems\n2 files, ").check();
    let json = sandbox.ctx(["check", "--json"]).stdout_any().check();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["ok"], &json["profile"]), (&true.into(), &"default".into()));
    assert_eq!(json["file_counts"]["included"], 2);
}

#[test]
fn invalid_missing_and_duplicate_entries_are_found() {
    let sandbox = Sandbox::with(&[("AmazonQ.md", "a\n"), ("a.md", "a\n"), ("d/b.md", "b\n")]);
    let absolute = sandbox.path("a.md").display().to_string().replace('\\', "/");
    sandbox.write_store(
        "profiles/default.json",
        format!(
            r#"{{"paths": ["a.md", "./a.md", "{absolute}", "AmazonQ.md", "gone.md", "*.none", "[x", "d/", "d"]}}"#
        ),
    );
    assert_eq!(
        found(&sandbox, &[]),
        pairs(&[
            ("not-found", "gone.md"),
            ("no-matches", "*.none"),
            ("invalid", "[x"),
            ("repeated", "./a.md"),
            ("repeated", "d"),
            ("same-files", "<project>/a.md"),
        ])
    );
}

#[test]
fn skipped_files_secrets_and_hidden_characters_are_found() {
    let key = format!("id = AKIA{}\n", "QWERTYUIOPASDFGH");
    let sandbox = Sandbox::with(&[
        ("d/key.txt", key.as_str()),
        ("d/s.pem", "x\n"),
        ("d/bidi.txt", "a\u{202e}b\n"),
        ("d/large.txt", &"x".repeat(3000)),
    ]);
    sandbox.write("named", b"a\0b");
    sandbox.ctx(["add", "named", "d/*"]).stderr_any().check();
    let expected = pairs(&[
        ("binary", "named"),
        ("too-large", "d/large.txt"),
        ("secret-name", "d/s.pem"),
        ("redacted", "d/key.txt"),
        ("hidden-characters", "d/bidi.txt"),
    ]);
    assert_eq!(found(&sandbox, &["--max-file-size", "2k"]), expected);
    sandbox
        .ctx(["check", "--max-file-size", "2k"])
        .code(3)
        .stdout_has("files:\n    named (profile): binary file\n")
        .stdout_has("\nsecrets:\n    d/s.pem: left out: the name suggests secrets (*.pem)\n")
        .stdout_has("\nhidden characters:\n    d/bidi.txt (profile): made visible: 1 U+202E\n")
        .stdout_has("\n5 problems\n")
        .check();
}

#[test]
fn the_budget_is_checked_as_render_applies_it() {
    let large = "word ".repeat(2000);
    let sandbox = Sandbox::with(&[("large.txt", large.as_str()), ("small.txt", "small\n")]);
    sandbox.ctx(["add", "*.txt"]).stderr_any().check();
    sandbox.ctx(["check"]).stdout_any().check();
    assert_eq!(found(&sandbox, &["-b", "500"]), pairs(&[("dropped", "large.txt")]));
    assert_eq!(found(&sandbox, &["-b", "500", "--trim", "truncate"]), pairs(&[("truncated", "large.txt")]));
    assert_eq!(found(&sandbox, &["-b", "3"]), pairs(&[("nothing-fits", "default")]));
    let dropped = "\n    large.txt (profile): left out, 2,001 tokens: over budget";
    sandbox
        .ctx(["check", "-b", "500"])
        .code(3)
        .stdout_has(&format!("budget, without a question:{dropped}; the largest files go first\n"))
        .check();
    sandbox
        .ctx(["check", "-b", "500", "-p", "what is small?"])
        .code(3)
        .stdout_has(&format!("budget:{dropped}, and others matter more\n"))
        .stdout_lacks("without a question")
        .check();
    sandbox.ctx(["check"]).stdout_lacks("without a question").stdout_any().check();
    sandbox.ctx(["check", "-b", "lots"]).code(2).stderr_has("lots").check();
}

#[test]
fn check_and_strict_render_exit_with_the_same_code() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    sandbox.ctx(["add", "a.md", "*.md"]).stderr_any().check();
    for options in
        [&[][..], &["-b", "20"], &["-b", "2"], &["--tag", "x"], &["--include", "a.md"], &["--exclude", "*"]]
    {
        let run = |command: &[&str]| {
            let args = [command, options].concat();
            let output = std::process::Command::new(crate::support::binary())
                .args(args)
                .current_dir(sandbox.project())
                .env_clear()
                .envs(sandbox.environment())
                .output()
                .unwrap();
            output.status.code()
        };
        assert_eq!(run(&["check"]), run(&["render", "--strict"]), "{options:?}");
    }
}

#[test]
fn damaged_invalid_and_stray_store_files_are_findings() {
    let sandbox = Sandbox::with(&[("AGENTS.md", "a\n")]);
    sandbox.write_store("profiles/bad name.json", "{}");
    sandbox.write_store("profiles/notes.txt", "");
    sandbox.write_store("profiles/.x.json.ctx-a1B2c3", "left by a killed command");
    sandbox.write_store("profiles/broken.json", "{\n\"paths\": 5}");
    sandbox.write_store(
        "profiles/odd.json",
        r#"{"paths": [], "model": "gpt-nonsense", "budget": "lots", "trim": "some", "format": "pdf"}"#,
    );
    assert_eq!(
        found(&sandbox, &[]),
        pairs(&[
            ("damaged", "profiles/broken.json"),
            ("invalid-default", "profiles/odd.json"),
            ("invalid-default", "profiles/odd.json"),
            ("invalid-default", "profiles/odd.json"),
            ("invalid-default", "profiles/odd.json"),
            ("stray", "profiles/bad name.json"),
            ("stray", "profiles/notes.txt"),
        ])
    );
    sandbox.ctx(["check"]).code(3).stdout_has("line 2, column").stdout_has("\n1 file, ").check();
}

#[cfg(unix)]
#[test]
fn profiles_that_are_broken_links_are_findings() {
    let sandbox = Sandbox::new();
    sandbox.write_store("profiles/api.json", "{}");
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, sandbox.store().join("profiles").join(name)).unwrap();
    };
    link("nowhere/x", "dangling.json");
    link("loop.json", "loop.json");
    link("api.json", "sound.json");
    link("default.json", "default.json");
    assert_eq!(
        found(&sandbox, &[]),
        pairs(&[
            ("unreadable", "profiles/default.json"),
            ("broken-link", "profiles/dangling.json"),
            ("unreadable", "profiles/loop.json"),
        ])
    );
}

#[cfg(unix)]
#[test]
fn store_files_that_are_broken_links_are_findings() {
    let sandbox = Sandbox::with(&[("AGENTS.md", "a\n")]);
    sandbox.write_store("profiles/api.json", "{}");
    for name in ["global.json", "state.json", "models.json"] {
        std::os::unix::fs::symlink("nowhere/x", sandbox.store().join(name)).unwrap();
    }
    assert_eq!(
        found(&sandbox, &[]),
        pairs(&[
            ("broken-link", "state.json"),
            ("broken-link", "global.json"),
            ("broken-link", "models.json"),
        ])
    );
    sandbox.ctx(["check"]).code(3).stdout_has("is a link to a place that does not exist").check();
}

#[cfg(unix)]
#[test]
fn a_profiles_path_that_is_not_a_directory_is_a_finding() {
    let link = |sandbox: &Sandbox, target: &str| {
        std::fs::create_dir(sandbox.store()).unwrap();
        std::os::unix::fs::symlink(target, sandbox.store().join("profiles")).unwrap();
    };
    let told = |sandbox: &Sandbox, text: &str| {
        let text = format!("store:\n    profiles: {text}\n\n1 problem\n");
        sandbox.ctx(["check"]).code(3).stdout_has(&text).check();
    };
    let sandbox = Sandbox::new();
    link(&sandbox, "nowhere");
    told(&sandbox, "is a link to a place that does not exist");
    let sandbox = Sandbox::new();
    link(&sandbox, "profiles");
    told(&sandbox, "cannot list '<store>/profiles': too many levels of symbolic links");
    let sandbox = Sandbox::new();
    sandbox.write_store("profiles", "");
    told(&sandbox, "cannot list '<store>/profiles': not a directory");
    sandbox.ctx(["--profile", "api", "check"]).code(3).stdout_has("\n1 problem\n").check();
    sandbox.write_store("state.json", "{\"profile\": \"api\"}");
    told(&sandbox, "cannot list '<store>/profiles': not a directory");
    sandbox.ctx(["render"]).code(1).stderr_has("cannot list '<store>/profiles': not a directory").check();
    let sandbox = Sandbox::new();
    std::os::unix::fs::symlink("nowhere", sandbox.store()).unwrap();
    let text = "store:\n    <store>: is a link to a place that does not exist\n\n1 problem\n";
    sandbox.ctx(["check"]).code(3).stdout_has(text).check();
}

#[cfg(unix)]
#[test]
fn directories_that_everyone_can_write_to_are_findings() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::with(&[("AGENTS.md", "a\n"), ("dotfiles/global.json", "{}")]);
    sandbox.write_store("profiles/default.json", "{}");
    std::os::unix::fs::symlink(sandbox.path("dotfiles/global.json"), sandbox.store().join("global.json"))
        .unwrap();
    let open_to = |mode: u32| {
        for directory in [sandbox.store(), sandbox.store().join("profiles"), sandbox.path("dotfiles")] {
            std::fs::set_permissions(directory, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    open_to(0o755);
    sandbox.ctx(["check"]).stdout_has("no problems").check();
    open_to(0o777);
    sandbox.ctx(["add", "AGENTS.md"]).code(1).stderr_has("unsafe store").check();
    let text = "everyone can write to it, so ctx changes nothing there: chmod o-w";
    sandbox
        .ctx(["check"])
        .code(3)
        .stdout_has(&format!("    <store>: {text} '<store>'\n    profiles: {text} '<store>/profiles'\n"))
        .stdout_has(&format!("    <project>/dotfiles: {text} '<project>/dotfiles'\n"))
        .stdout_has("\n3 problems\n")
        .check();
    let expected = [("unsafe", "<store>"), ("unsafe", "profiles"), ("unsafe", "<project>/dotfiles")];
    assert_eq!(found(&sandbox, &[]), pairs(&expected));
}

#[test]
fn a_store_that_prevents_rendering_is_a_finding() {
    for (file, text, code) in [
        ("global.json", "{", "damaged"),
        ("state.json", "[]", "damaged"),
        ("state.json", "{\"profile\": \"gone\"}", "unusable"),
        ("profiles/default.json", "{\"paths\": [1]}", "damaged"),
        ("profiles/default.json", "{\"budget\": \"lots\"}", "invalid-default"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write_store(file, text);
        assert_eq!(found(&sandbox, &[]), pairs(&[(code, file)]), "{text}");
    }
    let sandbox = Sandbox::new();
    sandbox.write_store("models.json", "{\"models\": 5}");
    assert_eq!(found(&sandbox, &["-m", "gpt-4o"]), pairs(&[("damaged", "models.json")]));
    sandbox.ctx(["--profile", "gone", "check"]).code(1).stderr_has("Available profiles").check();
}

#[test]
fn many_files_over_budget_are_one_problem_and_named_ones_are_listed() {
    let sandbox = Sandbox::with(&[("d/small.txt", "small\n"), ("gone/x.md", "x\n")]);
    for number in 0..5 {
        sandbox.write(&format!("d/{number}.txt"), "word ".repeat(200));
    }
    sandbox.write("named.txt", "word ".repeat(400));
    sandbox.ctx(["add", "-q", "d/*.txt", "named.txt", "gone/*.md"]).check();
    std::fs::remove_file(sandbox.path("gone/x.md")).unwrap();
    sandbox
        .ctx(["check", "-b", "300"])
        .code(3)
        .stdout_has(
            "entries:\n    gone/*.md (profile): matches nothing\n\nbudget, without a question:\n    \
             named.txt (profile): left out, 401 tokens: over budget; the largest files go first\n    \
             default: 4 of 7 files do not fit in 300 tokens; 'ctx show --expand' lists them\n\n3 problems\n",
        )
        .check();
}

#[test]
fn command_that_is_not_trusted_is_one_problem() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    sandbox.ctx(["init"]).stderr_any().check();
    sandbox.ctx(["add", "-q", "a.md"]).check();
    sandbox.write(".ctx/profiles/default.json", r#"{"paths": ["a.md", "cmd:date", "cmd:ls"]}"#);
    let text = "default: 2 commands are not trusted here; 'ctx trust --dry-run' shows them\n";
    let check = sandbox.ctx(["check"]).code(3);
    check.stdout_has(&format!("entries:\n    {text}\n1 problem\n")).check();
}

#[test]
fn only_the_first_of_many_findings_are_printed() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    let gone: Vec<String> = (0..30).map(|number| format!("\"gone{number}\"")).collect();
    sandbox.write_store("profiles/default.json", format!("{{\"paths\": [\"a.md\", {}]}}", gone.join(", ")));
    sandbox
        .ctx(["check"])
        .code(3)
        .stdout_has("    gone19 (profile): not found\n    and 10 more: --json lists all\n")
        .stdout_has("\n30 problems\n")
        .check();
}

#[test]
fn unused_lists_are_checked_for_invalid_entries() {
    let sandbox = Sandbox::with(&[("AmazonQ.md", "a\n"), ("[x", "literal\n"), ("a.md", "a\n")]);
    sandbox.write_store("profiles/default.json", r#"{"paths": [{"path": "a.md", "tags": ["a,b"]}]}"#);
    sandbox.write_store(
        "profiles/other.json",
        r#"{"paths": ["[bad", "[x", "gone.md", "~them/x", "!", {"path": "d", "tags": [""]}, "./d/", "AmazonQ.md"]}"#,
    );
    sandbox.write_store("profiles/sound.json", r#"{"paths": ["gone.md", "*.none"]}"#);
    let expected = pairs(&[
        ("invalid-tag", "a.md"),
        ("invalid", "[bad"),
        ("invalid", "~them/x"),
        ("invalid", "!"),
        ("invalid-tag", "d"),
    ]);
    assert_eq!(found(&sandbox, &[]), expected);
    sandbox
        .ctx(["check"])
        .code(3)
        .stdout_has("    a.md (profile): invalid tag 'a,b': a tag cannot contain a comma")
        .stdout_has("    [bad (profile 'other'): ")
        .stdout_has("    d (profile 'other'): invalid tag ''")
        .check();
    sandbox
        .ctx(["--profile", "sound", "check"])
        .code(3)
        .stdout_has("    gone.md (profile): not found\n")
        .stdout_has("    [bad (profile 'other'): ")
        .stdout_has("    a.md (profile 'default'): invalid tag 'a,b'")
        .check();
    sandbox
        .ctx(["--profile", "other", "check"])
        .code(3)
        .stdout_has("    [bad (profile): ")
        .stdout_has("    ./d/ (profile): is in the list twice, also as 'd'\n")
        .stdout_lacks("'other'")
        .check();
    let json = sandbox.ctx(["check", "--json"]).code(3).stdout_any().check();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["findings"][1]["profile"], "other");
    assert!(json["findings"][0].get("profile").is_none());
}

#[test]
fn a_damaged_models_file_is_reported_once() {
    let sandbox = Sandbox::new();
    sandbox.write_store("models.json", "{");
    sandbox
        .ctx(["check"])
        .code(3)
        .stdout_has("store:\n    models.json: EOF while parsing")
        .stdout_lacks("/models.json")
        .check();
    sandbox
        .ctx(["check", "-m", "gpt-4o"])
        .code(3)
        .stdout_has("    models.json: EOF")
        .stdout_lacks("/models.json")
        .check();
}

#[test]
fn listed_file_whose_name_suggests_secrets_comes_with_the_line_that_includes_it() {
    let sandbox = Sandbox::with(&[(".env", "X=1\n")]);
    sandbox.write_store("profiles/default.json", r#"{"paths": [".env"]}"#);
    let line = "ctx set --allow secret-names .env";
    sandbox.ctx(["check"]).code(3).stdout_has(&format!("(.env); '{line}' includes it\n")).check();
    sandbox.ctx(line.split(' ').skip(1)).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("[.env]\nX=1\n").stderr_any().check();
}

#[test]
fn misspelled_keys_of_a_list_are_found_and_others_are_left_to_later_versions() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    sandbox.write_store("profiles/p.json", r#"{"path": ["a.md"], "owner": "me"}"#);
    let entry = r#"{"paths": [{"path": "a.md", "pinn": true, "colour": 1}], "budgets": "8k"}"#;
    sandbox.write_store("profiles/default.json", entry);
    let check = sandbox.ctx(["check"]).code(3);
    let check = check.stdout_has("profiles/p.json: the key 'path' is not known; 'paths' is\n");
    let check = check.stdout_has("profiles/default.json: the key 'budgets' is not known; 'budget' is\n");
    let check = check.stdout_has("profiles/default.json: the key 'pinn' of 'a.md' is not known; 'pin' is\n");
    check.stdout_has("\n3 problems\n").check();
    let forms = r#"{"PATHS": [], "paths": [{"path": "a.md", "pinned": true, "Tags": ["x"], "tagged": 1}], "models": "x"}"#;
    sandbox.write_store("profiles/default.json", forms);
    let check = sandbox.ctx(["check"]).code(3).stdout_has("the key 'PATHS' is not known; 'paths' is\n");
    let check = check.stdout_has("the key 'pinned' of 'a.md' is not known; 'pin' is\n");
    let check = check.stdout_has("the key 'Tags' of 'a.md' is not known; 'tags' is\n");
    check.stdout_has("the key 'models' is not known; 'model' is\n").check();
}
