use crate::support::Sandbox;

#[test]
fn an_empty_context_is_shown_with_empty_sections() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["show"])
        .stdout(
            "current profile: default

global:
    <none>

profile:
    <none>

0 files, 0 tokens, 0% of 150,000 (75% of 200,000, no model set) [------------------]
",
        )
        .stderr("hint: 'ctx ask \"QUESTION\"' searches everything here, 'ctx add FILE' adds to your list\n")
        .check();
}

#[test]
fn entries_show_their_matches_and_attributes() {
    let sandbox = Sandbox::with(&[("AGENTS.md", "agents\n"), ("src/a.rs", "fn a() {}\n"), ("src/b.rs", "")]);
    sandbox.ctx(["add", "--pin", "--tag", "code", "src/*.rs", "!src/b.rs"]).stderr_any().check();
    sandbox
        .ctx(["show"])
        .stdout_has("    up:AGENTS.md (1 match, 2 tokens, in every question)\n")
        .stdout_has("    src/*.rs (1 match, 4 tokens, pinned) [code]\n")
        .stdout_has("    !src/b.rs (excludes 1 file)\n")
        .stdout_has(
            "\n2 files, 29 tokens (23 of them labels), <1% of 150,000 (75% of 200,000, no model set) [",
        )
        .check();
}

#[test]
fn files_that_would_be_left_out_are_reported() {
    let large = "word ".repeat(2000);
    let sandbox = Sandbox::with(&[("large.txt", large.as_str()), ("small.txt", "small\n")]);
    sandbox.ctx(["add", "*.txt"]).stderr_any().check();
    sandbox.ctx(["show", "-b", "1000"]).stdout_has("1 of 2 files would be left out: large.txt (").check();
}

#[test]
fn expand_lists_every_file_with_its_entry() {
    let sandbox = Sandbox::with(&[("a.txt", "one\n"), ("b.txt", "two\n"), ("c.bin", "x\0y")]);
    sandbox.ctx(["add", "*.txt", "c.bin"]).stderr_any().check();
    sandbox
        .ctx(["show", "--expand"])
        .stdout_has("a.txt")
        .stdout_has("b.txt")
        .stdout_has("whole")
        .stdout_has("left out")
        .stdout_has("binary")
        .check();
}

#[test]
fn json_is_versioned_and_its_sums_agree() {
    let sandbox = Sandbox::with(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    sandbox.ctx(["add", "*.txt"]).stderr_any().check();
    let json = sandbox.ctx(["show", "--json"]).stdout_any().check();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["files"].as_array().unwrap().len(), 2);
    let tokens = &json["tokens"];
    assert_eq!(
        tokens["block"].as_i64().unwrap(),
        tokens["documents"].as_i64().unwrap() + tokens["frame"].as_i64().unwrap()
    );
}

#[test]
fn contents_are_never_printed() {
    let sandbox = Sandbox::with(&[("a.txt", "very particular words\n")]);
    sandbox.ctx(["add", "a.txt"]).stderr_any().check();
    for options in [&["show"][..], &["show", "--expand"], &["show", "--tree"], &["show", "--json"]] {
        sandbox.ctx(options).stdout_lacks("particular").check();
    }
}

#[test]
fn pinned_files_that_do_not_fit_are_reported_with_their_real_size() {
    let large = "word ".repeat(2000);
    let sandbox = Sandbox::with(&[("large.txt", large.as_str()), ("small.txt", "small\n")]);
    sandbox.ctx(["add", "--pin", "large.txt"]).stderr_any().check();
    sandbox.ctx(["add", "small.txt"]).stderr_any().check();
    let json = |options: &[&str]| {
        let json = sandbox.ctx([&["-q", "show", "--json"][..], options].concat()).stdout_any().check();
        serde_json::from_str::<serde_json::Value>(&json).unwrap()
    };
    let options = ["-b", "100"];
    let code = "pinned-over-budget";
    let account = json(&options);
    assert_eq!(account["failure"]["code"], code);
    for (file, status) in account["files"].as_array().unwrap().iter().zip(["included", "dropped"]) {
        assert_eq!((&file["status"], &file["reason"]["code"]), (&status.into(), &code.into()));
    }
    let tokens = |key: &str| account["tokens"][key].as_i64().unwrap();
    assert_eq!(tokens("block"), tokens("documents") + tokens("frame"));
    assert!(tokens("block") > 2_000 && account["bytes"].as_u64() > Some(10_000));
    let check = sandbox.ctx([&["check", "--json"][..], &options].concat()).code(3).stdout_any().check();
    assert!(check.contains(&format!("\"code\": \"{code}\"")), "{check}");
    sandbox.ctx(["add", "-q", "-f", "--tag", "x", "later"]).check();
    assert_eq!(json(&["-b", "1", "--tag", "x"]).get("failure"), None);
    sandbox
        .ctx(["show", "-b", "100"])
        .stdout_has("\n1 file, 2,0")
        .stdout_has(
            "% of 100 [##################]\nnothing would be printed: the files you pinned or named need 2,0",
        )
        .stdout_lacks("would be left out")
        .check();
}

#[test]
fn a_cut_file_shows_its_printed_and_its_total_tokens() {
    let sandbox = Sandbox::with(&[("nums", "1 2 3 4\n".repeat(500).as_str())]);
    sandbox.ctx(["add", "nums"]).stderr_any().check();
    let options = ["show", "--expand", "-b", "100", "--trim", "truncate"];
    sandbox.ctx(options).stdout_has(" of 4,000 ").stdout_has(" of 4,000)\n").check();
}

#[test]
fn unreadable_files_are_counted_for_each_entry() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n"), ("b.bin", "\0"), ("c.pdf", "%PDF-1.7\n")]);
    std::fs::File::create(sandbox.path("large.txt")).unwrap().set_len(11 << 20).unwrap();
    sandbox
        .ctx(["add", "*", "b.bin"])
        .stderr(
            "Added '*' to profile 'default': 4 files, 2 tokens, 2 binary, 1 too large\n\
             Added 'b.bin' to profile 'default': 1 file, 0 tokens, 1 binary\n\
             warning: 'b.bin' is only binary, which is never printed\n",
        )
        .check();
    sandbox
        .ctx(["-q", "show"])
        .stdout_has(
            "    * (4 matches, 2 tokens, 2 binary, 1 too large, in every question)\n    b.bin (1 match, 0 tokens, 1 binary)\n",
        )
        .check();
}

#[test]
fn subdirectories_left_out_are_reported_by_add_and_show_but_not_by_each_render() {
    let sandbox = Sandbox::with(&[("docs/a.md", "a\n"), ("docs/deep/b.md", "b\n")]);
    let note = "note: 1 subdirectory of 'docs' is left out: 'docs/**' includes everything below it\n";
    sandbox.ctx(["add", "docs"]).stderr_has(note).check();
    sandbox
        .ctx(["show"])
        .stdout_has("    docs (1 match, 2 tokens, 1 subdirectory left out, in every question)\n")
        .check();
    sandbox.ctx(["render"]).stdout_has("[docs/a.md]\n").check();
    sandbox.ctx(["render", "--only", "docs"]).stdout_any().stderr(note).check();
}

#[test]
fn built_in_entries_are_listed_if_they_match() {
    let sandbox = Sandbox::with(&[("AmazonQ.md", "a\n")]);
    sandbox
        .ctx(["show"])
        .stdout_has("global:\n    AmazonQ.md (1 match, 2 tokens, in every question)\n\nprofile:\n")
        .check();
}

#[test]
fn entries_without_files_are_listed_with_the_files() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    sandbox.ctx(["add", "-q", "-f", "a.md", "gone.md", "*.zz", "!b/**"]).stderr_any().check();
    sandbox.ctx(["set", "-q", "--off", "gone.md"]).check();
    let table = sandbox.ctx(["show", "--expand"]).stdout_has(
        "global, without files:\n    ~/.aws/amazonq/rules/**/*.md (0 matches)\n    AmazonQ.md (missing)",
    );
    let table =
        table.stdout_has("profile, without files:\n    gone.md (off)\n    *.zz (0 matches)\n    !b/**");
    table.stdout_lacks("    a.md (").stderr_any().check();
}

#[test]
fn entry_of_an_edited_global_list_is_shown_even_if_its_text_is_that_of_a_built_in_one() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["clear", "-q", "-g"]).check();
    sandbox.ctx(["add", "-g", "-f", "AmazonQ.md"]).stderr_any().check();
    sandbox.ctx(["show"]).stdout_has("global:\n    AmazonQ.md (").stderr_any().check();
}

#[test]
fn nothing_is_said_to_be_printed_if_nothing_would_be() {
    let sandbox = Sandbox::with(&[("large.txt", &"word ".repeat(2000))]);
    sandbox.ctx(["add", "--pin", "large.txt"]).stderr_any().check();
    sandbox
        .ctx(["show", "--expand", "-b", "100"])
        .stdout_has("left out  the pinned and named files alone exceed the budget\n")
        .stdout_has("\nnothing would be printed: ")
        .stdout_lacks("whole")
        .stdout_lacks("of them labels")
        .check();
}
