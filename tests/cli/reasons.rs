//! What an exclusion excludes, and why something matches nothing: every command uses the same words.

use serde_json::Value;

use crate::support::Sandbox;

fn fixture() -> Sandbox {
    Sandbox::with(&[
        ("a.md", "a\n"),
        ("src/a.rs", "a\n"),
        ("src/gen/b.rs", "b\n"),
        ("src/gen/c.rs", "c\n"),
        ("src/gen/deep/d.log", "d\n"),
        (".gitignore", "*.tmp\n"),
        ("x.tmp", "x\n"),
    ])
}

#[test]
fn an_exclusion_reports_its_number_of_files_in_add_show_and_explain() {
    let sandbox = fixture();
    sandbox.ctx(["add", "-q", "src/**/*.rs"]).check();
    sandbox
        .ctx(["add", "!src/gen/**"])
        .stderr("Added '!src/gen/**' to profile 'default': excludes 2 files\n")
        .check();
    sandbox.ctx(["show"]).stdout_has("    !src/gen/** (excludes 2 files)\n").check();
    let shown: Value = serde_json::from_str(&sandbox.ctx(["show", "--json"]).stdout_any().check()).unwrap();
    let entries = shown["entries"].as_array().unwrap();
    assert_eq!(entries.last().unwrap()["takes_out"], 2);
    sandbox
        .ctx(["explain", "src/gen/b.rs"])
        .stdout_has("excluded by '!src/gen/**', which excludes 2 files\n")
        .check();
    sandbox.ctx(["check"]).stdout_lacks("!src/gen").check();
    sandbox.ctx(["render"]).stdout_has("[src/a.rs]").check();
}

#[test]
fn an_exclusion_that_only_questions_notice_reports_how_many_files_they_leave_out() {
    let sandbox = fixture();
    let said = "excludes 2 files from questions";
    sandbox
        .ctx(["add", "a.md", "!src/gen/*.rs"])
        .stderr(format!(
            "Added 'a.md' to profile 'default': 1 file, 2 tokens\n\
             Added '!src/gen/*.rs' to profile 'default': {said}\n"
        ))
        .check();
    sandbox.ctx(["show"]).stdout_has(&format!("    !src/gen/*.rs ({said})\n")).check();
    sandbox.ctx(["check"]).stdout_has("no problems\n").check();
    let asked = |extra: &[&str]| {
        let words = ["ask", "--dry-run", "--json", "b"].iter().chain(extra);
        let account: Value =
            serde_json::from_str(&sandbox.ctx(words).stdout_any().stderr_any().check()).unwrap();
        account["file_counts"]["selected"].as_u64().unwrap()
    };
    assert_eq!(asked(&[]) + 2, asked(&["--only"]));
    // A project's exclusions leave files out of questions, too.
    sandbox.ctx(["init", "--from", "default"]).stderr_any().check();
    sandbox.ctx(["show"]).stdout_has(&format!("    !src/gen/*.rs ({said})\n")).check();
    // With an entry that finds these files, they are counted there.
    sandbox.ctx(["add", "-q", "src/**"]).check();
    sandbox.ctx(["show"]).stdout_has("    !src/gen/*.rs (excludes 2 files)\n").check();
}

#[test]
fn a_stored_exclusion_without_effect_is_reported_except_by_render() {
    let sandbox = fixture();
    sandbox.ctx(["add", "-q", "src/**/*.rs", "a.md"]).check();
    let said = "excludes nothing";
    sandbox
        .ctx(["add", "!scr/gen/**"])
        .stderr(format!("Added '!scr/gen/**' to profile 'default': {said}\n"))
        .check();
    sandbox.ctx(["show"]).stdout_has(&format!("!scr/gen/** ({said})\n")).check();
    sandbox
        .ctx(["check"])
        .code(3)
        .stdout_has(&format!("entries:\n    !scr/gen/** (profile): {said}\n"))
        .check();
    sandbox.ctx(["render"]).stdout_any().check();
    sandbox.ctx(["render", "--strict"]).stdout_any().check();
    let typed = sandbox.ctx(["render", "--only", "a.md", "!scr/gen/**"]).stdout_any();
    typed.stderr(format!("note: '!scr/gen/**' {said}\n")).check();
}

#[cfg(unix)]
#[test]
fn a_projects_exclusion_names_nothing_behind_a_link() {
    let sandbox = Sandbox::with(&[("a.md", "walrus\n"), ("re\u{301}sume\u{301}/a.md", "walrus\n")]);
    sandbox.repository();
    let outside = sandbox.home().join("outside");
    std::fs::create_dir_all(outside.join("re\u{301}sume\u{301}")).unwrap();
    std::os::unix::fs::symlink(outside, sandbox.path("lnk")).unwrap();
    for (exclusion, is_told) in
        [("!r\u{e9}sum\u{e9}", cfg!(target_os = "linux")), ("!lnk/r\u{e9}sum\u{e9}", false)]
    {
        sandbox.write(".ctx/profiles/default.json", format!(r#"{{"paths": ["{exclusion}"]}}"#));
        let real = exclusion.replace('\u{e9}', "e\u{301}");
        let (shown, asked) = (sandbox.ctx(["show"]), sandbox.ctx(["ask", "walrus", "a.md"]).stdout_any());
        if is_told {
            shown.stdout_has(&real).stderr_any().check();
            asked.stderr_has(&real).check();
        } else {
            shown.stdout_has(exclusion).stdout_lacks(&real).stderr_any().check();
            asked.stderr_lacks(&real).check();
        }
    }
    // Names are compared for few of very many exclusions.
    let others: String = (0..20).map(|number| format!("\"!none/{number}\", ")).collect();
    sandbox.write(".ctx/profiles/default.json", format!("{{\"paths\": [{others}\"!r\u{e9}sum\u{e9}\"]}}"));
    sandbox.ctx(["show"]).stdout_lacks("another Unicode form").stdout_has("!none/19").stderr_any().check();
}

#[test]
fn an_exclusion_in_another_syntax_is_told_with_the_pattern_that_has_an_effect() {
    let sandbox = Sandbox::with(&[("src/a.ts", "a\n"), ("src/b.ts", "b\n"), ("src/c.tsx", "c\n")]);
    for (exclusion, hint) in [
        ("!src/+(a|b).ts", "hint: ctx add '!src/{a,b}.ts'\n"),
        ("!src/a.ts,src/c.tsx", "hint: ctx add '!src/a.ts' '!src/c.tsx'\n"),
        ("!src\\a.ts", "hint: ctx add '!src/a.ts'\n"),
    ] {
        sandbox.ctx(["add", exclusion]).stderr_has("excludes nothing").stderr_has(hint).check();
        sandbox.ctx(["rm", "-q", exclusion]).check();
    }
    for literal in ["\u{e9}(1)", "\u{fc}(a|b).ts"] {
        sandbox.ctx(["render", "--only", literal]).code(1).stderr_has("no such file").check();
        sandbox.ctx(["add", literal]).code(1).stderr_has("not found").check();
    }
}

#[test]
fn an_exclusion_of_a_literal_reports_that_literals_are_never_excluded() {
    let sandbox = fixture();
    sandbox.ctx(["add", "-q", "a.md"]).check();
    let said = "excludes nothing: the files it matches have their own entries, which are never excluded";
    sandbox.ctx(["add", "!a.md"]).stderr_has(said).check();
    sandbox.ctx(["show"]).stdout_has(said).check();
    sandbox.ctx(["render"]).stdout_has("[a.md]").check();
}

#[test]
fn an_exclusion_that_would_match_at_any_depth_suggests_that_form() {
    let sandbox = fixture();
    sandbox.ctx(["add", "-q", "src/**"]).check();
    let said = "excludes nothing here; '!**/*.log' matches at any depth";
    sandbox.ctx(["add", "!*.log"]).stderr_has(said).check();
    sandbox.ctx(["show"]).stdout_has(said).check();
    sandbox.ctx(["check"]).code(3).stdout_has(said).check();
    sandbox.ctx(["render", "--only", "src/**", "!*.log"]).stdout_any().stderr_has(said).check();
    sandbox.ctx(["rm", "-q", "!*.log"]).check();
    sandbox.ctx(["add", "!**/*.log"]).stderr_has("excludes 1 file\n").check();
}

#[test]
fn an_exclusion_of_a_profile_does_not_apply_to_the_global_list() {
    let sandbox = fixture();
    sandbox.ctx(["add", "-q", "-g", "src/**"]).check();
    sandbox.ctx(["add", "!src/gen/**"]).stderr_has("come from the global list").check();
    sandbox.ctx(["show"]).stdout_has("come from the global list").check();
}

#[test]
fn an_ignored_pattern_is_reported_with_its_ignore_rule_by_every_command() {
    let sandbox = fixture();
    let said = "'x.tmp' is left out: ignored by <project>/.gitignore:1: *.tmp";
    sandbox
        .ctx(["add", "*.tmp"])
        .code(1)
        .stderr(format!(
            "error: No files found matching glob pattern '*.tmp': {said}\nhint: --allow ignored adds it\n"
        ))
        .check();
    sandbox.ctx(["add", "--allow", "ignored", "*.tmp"]).stderr_has("1 file").check();
    sandbox.ctx(["rm", "-q", "*.tmp"]).check();
    sandbox.ctx(["add", "-q", "-f", "*.tmp"]).check();
    sandbox.ctx(["show"]).stdout_has(&format!("*.tmp (0 matches: {said})\n")).check();
    sandbox.ctx(["check"]).code(3).stdout_has(&format!("*.tmp (profile): matches nothing: {said}\n")).check();
    sandbox.ctx(["render"]).stderr_has(&format!("note: 0 matches: '*.tmp' ({said})")).check();
}

#[test]
fn a_dot_file_is_not_reported_as_missing() {
    let sandbox = Sandbox::with(&[("conf/.tool.toml", "a\n")]);
    sandbox
        .ctx(["add", "conf/*.toml"])
        .code(1)
        .stderr(
            "error: No files found matching glob pattern 'conf/*.toml': 'conf/.tool.toml' is left out: its name \
             begins with a dot\nhint: ctx add conf/.tool.toml\n",
        )
        .check();
    sandbox.ctx(["add", "conf/.tool.toml"]).stderr_has("1 file").check();
}

#[test]
fn an_excluded_pattern_is_reported_with_the_exclusion() {
    let sandbox = fixture();
    sandbox.ctx(["add", "-q", "-f", "src/**", "!src"]).check();
    let said = "'src' is not searched: excluded by '!src'";
    sandbox.ctx(["show"]).stdout_has(&format!("src/** (0 matches: {said})\n")).check();
    sandbox
        .ctx(["add", "src/*.rs"])
        .code(1)
        .stderr(format!(
            "error: No files found matching glob pattern 'src/*.rs': {said}\nhint: ctx rm '!src'\n"
        ))
        .check();
    sandbox.ctx(["render", "--only", "src/**", "!src", "-p", "x"]).code(1).stderr_has(said).check();
}

#[test]
fn secret_names_are_counted_once() {
    let sandbox = Sandbox::with(&[("conf/id_rsa", "k\n"), ("conf/a.md", "a\n")]);
    sandbox.ctx(["add", "-q", "conf/**", "conf", "**", "./conf/*"]).check();
    sandbox.ctx(["render"]).stdout_any().stderr_has("note: 1 file left out").check();
    sandbox.ctx(["clear", "-q"]).check();
    sandbox.ctx(["add", "conf/**", "conf/*"]).stderr_has("note: 1 file left out").check();
}

#[test]
fn an_entry_filtered_out_by_tag_affects_neither_label_nor_order() {
    let sandbox = Sandbox::with(&[("a", "a\n"), ("z", "z\n")]);
    let absolute = sandbox.path("z").to_str().unwrap().to_owned();
    let tagged = |path: &str| serde_json::json!({"path": path, "tags": ["u"]});
    let list = serde_json::json!({"paths": [{"path": absolute, "pin": true}, tagged("a"), tagged("z")]});
    sandbox.write_store("profiles/default.json", list.to_string());
    sandbox
        .ctx(["render", "--tag", "u"])
        .stdout("--- CONTEXT FILES BEGIN ---\n[a]\na\n\n[z]\nz\n--- CONTEXT FILES END ---\n")
        .check();
    let shown: Value =
        serde_json::from_str(&sandbox.ctx(["show", "--tag", "u", "--json"]).stdout_any().check()).unwrap();
    assert_eq!((&shown["files"][1]["path"], &shown["files"][1]["pinned"]), (&"z".into(), &false.into()));
}

#[test]
fn duplicates_are_found_by_what_they_match() {
    let sandbox = Sandbox::with(&[("src/a", "a\n"), ("src/b", "b\n"), ("c", "c\n")]);
    let absolute = sandbox.path("src").to_str().unwrap().to_owned();
    let list = serde_json::json!({"paths": ["src", "src/*", absolute, "c", "src/../c"]});
    sandbox.write_store("profiles/default.json", list.to_string());
    sandbox
        .ctx(["check"])
        .code(3)
        .stdout_has(
            "duplicates:\n    src/* (profile): matches the same 2 files as 'src'\n    \
             <project>/src (profile): matches the same 2 files as 'src'\n    \
             src/../c (profile): matches the same file as 'c'\n",
        )
        .check();
}

#[test]
fn duplicates_without_the_requested_tag_are_not_reported() {
    let sandbox = Sandbox::with(&[("a", "a\n"), ("b", "b\n")]);
    sandbox.write_store("profiles/default.json", r#"{"paths": ["a", "./a", {"path": "b", "tags": ["t"]}]}"#);
    sandbox.ctx(["check"]).code(3).stdout_has("duplicates:").check();
    sandbox.ctx(["check", "--tag", "t"]).stdout_lacks("duplicates:").check();
}

#[test]
fn all_faulty_arguments_are_named_at_once() {
    let sandbox = Sandbox::with(&[("a", "a\n")]);
    let faults = |args: &[&str], code: i32, stderr: &str| {
        sandbox.ctx([&["add"], args].concat()).code(code).stderr(stderr).check();
    };
    let missing =
        |name: &str| format!("error: Invalid path '{name}': not found. Use --force to add anyway.\n");
    let bad = "error: Invalid path '[': ";
    sandbox
        .ctx(["add", "a", "nope1", "nope2", "["])
        .code(2)
        .stderr_has(&format!("{}{}{bad}", missing("nope1"), missing("nope2")))
        .check();
    sandbox.ctx(["add", "[", "nope1", "a"]).code(2).stderr_has(bad).stderr_has(&missing("nope1")).check();
    faults(&["a", "nope1", "nope2"], 1, &format!("{}{}", missing("nope1"), missing("nope2")));
    sandbox.ctx(["-q", "show"]).stdout_has("profile:\n    <none>\n").check();
    sandbox
        .ctx(["set", "--pin", "x", "y"])
        .code(1)
        .stderr(
            "error: Path 'x' was not found in the context\nerror: Path 'y' was not found in the context\n\
             hint: ctx show\n",
        )
        .check();
}
