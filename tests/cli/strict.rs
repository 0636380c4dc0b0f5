//! `--strict`: each reason, on its own, leads to exit code 3, an empty standard output and a message.

use crate::support::Sandbox;

/// A realistic key, in two parts so that no scanner takes this file for a leak.
fn key() -> String {
    ["AKIA", "Q3EGRZ4MGBDWJTXK"].concat()
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("a.txt", "a\n"),
        ("long.txt", &"one line among many\n".repeat(100)),
        ("key.txt", &format!("id = {}\n", key())),
        ("hidden.txt", "left\u{202e}right\n"),
        ("empty/.keep", ""),
        ("nested/deep/x.txt", "x\n"),
        ("nested/y.txt", "y\n"),
        (".env", "A=1\n"),
        ("guarded/f.txt", "f\n"),
    ]);
    sandbox.write("binary", b"a\0b");
    sandbox.write("latin.txt", b"caf\xe9\n");
    sandbox.write("guarded/.ignore", "{".repeat(65));
    sandbox
}

/// Stores these entries for the profile without `ctx add`.
fn store(sandbox: &Sandbox, entries: &[&str]) {
    let list = serde_json::json!({ "paths": entries });
    sandbox.write_store("profiles/default.json", list.to_string());
}

/// The stored entries besides `a.txt`, the options, and the message.
const REASONS: &[(&[&str], &str)] = &[
    (&["missing.txt"], "not found, left out: 'missing.txt'"),
    (&["binary"], "'binary' (binary file)"),
    (&["long.txt", "--max-file-size", "1000"], "'long.txt' (too large: 2,000 bytes, the limit is 1,000)"),
    (
        &["long.txt", "-b", "60"],
        "1 of 2 files does not fit in 60 tokens: long.txt (500)\nhint: -b 530 has room for everything\n",
    ),
    (&["long.txt", "-b", "120", "--trim", "truncate"], "1 of 2 files does not fit in 120 tokens: long.txt ("),
    (&["-b", "3"], "nothing fits in 3 tokens: "),
    (&["-b", "1"], "nothing fits in 1 token: "),
    (&["key.txt"], "1 secret redacted in 1 file: 'key.txt'"),
    (&["hidden.txt"], "1 hidden character made visible in 1 file: 'hidden.txt' (U+202E)"),
    (&[".env"], "'.env' ("),
    (&["guarded/*"], "'guarded' (ignore file cannot be read safely: "),
];

#[test]
fn each_reason_leads_to_exit_3_and_nothing_is_printed() {
    let sandbox = sandbox();
    for (args, reason) in REASONS {
        let (options, entries): (Vec<&str>, Vec<&str>) = {
            let first = args.iter().position(|arg| arg.starts_with('-')).unwrap_or(args.len());
            (args[first..].to_vec(), args[..first].to_vec())
        };
        store(&sandbox, &[&["a.txt"], entries.as_slice()].concat());
        let args: Vec<&str> = ["render", "--strict"].into_iter().chain(options).collect();
        sandbox.ctx(&args).code(3).stderr_has("error: ").stderr_has(reason).check();
        sandbox.ctx(args.iter().chain(&["-q"])).code(3).stderr_has("error: ").stderr_has(reason).check();
    }
    sandbox
        .ctx(["render", "--only", "--strict", "-p", "question"])
        .code(3)
        .stderr_has("context is empty")
        .check();
    store(&sandbox, &["empty"]);
    sandbox.ctx(["render", "--strict"]).code(3).stderr_has("context is empty").check();
}

#[test]
#[cfg(unix)]
fn links_and_special_files_are_reasons_too() {
    let sandbox = sandbox();
    sandbox.write("../outside.txt", "o\n");
    std::os::unix::fs::symlink("../../../outside.txt", sandbox.path("nested/deep/out")).unwrap();
    std::os::unix::fs::symlink("nowhere", sandbox.path("broken")).unwrap();
    sandbox.fifo("fifo");
    let render = |path| {
        store(&sandbox, &["a.txt", path]);
        sandbox.ctx(["render", "--strict"])
    };
    render("nested/**").code(3).stderr_has("'nested/deep/out' (link leads out of ").check();
    render("fifo").code(3).stderr_has("'fifo' (not a regular file").check();
    render("broken").code(3).stderr_has("'broken'").check();
}

/// Files that weren't selected, or that are printed completely, don't matter.
#[test]
fn files_that_are_unselected_or_printed_completely_do_not_matter() {
    let sandbox = sandbox();
    for args in [
        &["a.txt"][..],
        &["a.txt", "nested"],
        &["*.txt", "--exclude", "{key,hidden,long}.txt"],
        &["a.txt", "latin.txt"],
        &["a.txt", "key.txt", "--allow", "secrets"],
        &["a.txt", "hidden.txt", "--allow", "hidden"],
    ] {
        let args = ["render", "--only", "--strict"].iter().chain(args);
        sandbox.ctx(args).stdout_has("[a.txt]\n").stderr_any().check();
    }
    // A stored entry may match unreadable files; a typed one must not.
    store(&sandbox, &["a.txt", "missing*.txt", "bin*"]);
    sandbox.ctx(["render", "--strict"]).stdout_has("[a.txt]\n").stderr_any().check();
}

/// The files that a strict render would write stay unchanged.
#[test]
fn the_output_file_stays_unchanged() {
    let sandbox = sandbox();
    sandbox.write("block", "old");
    sandbox.write("manifest", "old");
    store(&sandbox, &["a.txt", "binary"]);
    sandbox
        .ctx(["render", "--strict", "-o", "block", "--manifest", "manifest"])
        .code(3)
        .stderr_has("binary file")
        .check();
    assert_eq!(sandbox.read("block"), "old");
    let manifest: serde_json::Value = serde_json::from_str(&sandbox.read("manifest")).unwrap();
    assert_eq!(manifest["file_counts"]["skipped"], 1);
}

#[test]
fn a_secret_name_that_one_entry_allows_is_allowed() {
    let sandbox = Sandbox::with(&[("x.pem", "x\n"), ("y.pem", "y\n"), ("a.md", "a\n")]);
    sandbox.ctx(["add", "--allow", "secret-names", "x.pem"]).stderr_any().check();
    let block = |files: &str| format!("--- CONTEXT FILES BEGIN ---\n{files}--- CONTEXT FILES END ---\n");
    let x = block("[x.pem]\nx\n");
    for again in ["x.pem", "./x.pem", "x*"] {
        sandbox.ctx(["render", "--strict", again]).stdout(&x).check();
        sandbox.ctx(["check"]).code(3).stdout_has("names that suggest secrets are allowed").check();
    }
    sandbox
        .ctx(["render", "--strict", "y.pem"])
        .code(1)
        .stderr_has("'y.pem': the name suggests secrets")
        .check();
    sandbox.ctx(["add", "*"]).stderr_any().check();
    let both = block("[x.pem]\nx\n\n[a.md]\na\n");
    sandbox.ctx(["render"]).stdout(both).stderr_has("note: 1 file left out: the name suggests").check();
    let sandbox = Sandbox::with(&[(".env", "X=1\n"), ("a.md", "a\n")]);
    let entries = r#"{"paths": [{"path": ".env", "pin": true}, {"path": ".env", "tags": ["t"]}]}"#;
    sandbox.write_store("profiles/default.json", entries);
    sandbox.ctx(["render", "--tag", "t"]).stderr_has("suggests secrets").check();
}

#[test]
fn an_empty_standard_input_is_a_warning() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    sandbox.ctx(["add", "-q", "a.md"]).check();
    sandbox
        .ctx(["render", "-"])
        .stdin("")
        .stdout("--- CONTEXT FILES BEGIN ---\n[a.md]\na\n--- CONTEXT FILES END ---\n")
        .stderr("warning: standard input is empty\n")
        .check();
    sandbox
        .ctx(["render", "-", "--strict"])
        .stdin("")
        .code(3)
        .stderr_has("error: standard input is empty\n")
        .check();
    sandbox
        .ctx(["render", "--only", "-", "-p", "Why?"])
        .stdin("")
        .stdout("Why?\n")
        .stderr("warning: standard input is empty\n")
        .check();
}

#[test]
fn a_manifest_is_written_even_if_strict_fails() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    sandbox.ctx(["add", "-q", "-f", "a.md", "gone.md"]).check();
    sandbox.ctx(["render", "--strict", "--manifest", "m.json"]).code(3).stderr_any().check();
    let manifest: serde_json::Value = serde_json::from_str(&sandbox.read("m.json")).unwrap();
    assert_eq!(manifest["files"][0]["path"], "a.md");
}

#[test]
fn a_manifest_is_written_even_if_there_is_no_block() {
    let sandbox = Sandbox::with(&[("a.md", "a\u{202e}\n")]);
    let token = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    sandbox.write("b.md", format!("{token}\n"));
    for (number, (options, code)) in [
        (["--strict", "--stats", "b.md"], 3),
        (["--strict", "--stats", "a.md"], 3),
        (["--budget", "1", "a.md"], 1),
    ]
    .into_iter()
    .enumerate()
    {
        let manifest = format!("{number}.json");
        let always = ["render", "--only", "--manifest", &manifest];
        sandbox.ctx(always.iter().chain(&options)).code(code).stderr_any().check();
        let account: serde_json::Value = serde_json::from_str(&sandbox.read(&manifest)).unwrap();
        assert_eq!(account["files"][0]["path"], options[2], "{options:?}");
        assert!(!sandbox.read(&manifest).contains(&token));
    }
    sandbox.ctx(["add", "-q", "a.md"]).check();
    let over = ["render", "-b", "1", "--manifest", "over.json"];
    sandbox.ctx(over).code(1).stderr_any().check();
    assert!(sandbox.path("over.json").exists());
}

#[test]
fn block_that_does_not_fit_has_the_same_hints_with_strict_which_lists_nothing() {
    let sandbox = Sandbox::with(&[("a.txt", "a line of text\n")]);
    let args = ["render", "--only", "a.txt", "-b", "5"];
    let told = "error: the files you pinned or named need 22 tokens, but the budget is 5: 'a.txt' (5)\n\
                hint: --budget 22 is enough\nhint: --dry-run lists the tokens of each file\n";
    sandbox.ctx(args).code(1).stderr(told).check();
    let strict = told.replace("--dry-run lists", "--dry-run without --strict lists");
    sandbox.ctx(args.iter().chain(&["--strict"])).code(3).stderr(strict).check();
    sandbox.ctx(["render", "--only", "--budget", "22", "a.txt"]).stdout_any().stderr_any().check();
}

#[test]
fn account_of_a_block_that_does_not_fit_counts_no_printed_tokens() {
    let sandbox = Sandbox::with(&[("a.txt", "a line of text\n")]);
    sandbox.ctx(["history", "append", "--role", "user", "Why?"]).stdout_any().stderr_any().check();
    sandbox.ctx(["history", "append", "--role", "assistant", "Because."]).stdout_any().stderr_any().check();
    let args = ["show", "--history", "--only", "*.txt", "-b", "45", "--json"];
    let account: serde_json::Value =
        serde_json::from_str(&sandbox.ctx(args).stdout_any().stderr_any().check()).unwrap();
    assert_eq!(account["failure"]["code"], "nothing-fits");
    let nothing =
        serde_json::json!({"block": 0, "prompt": 0, "documents": 0, "history": 0, "frame": 0, "dropped": 5});
    assert_eq!(account["tokens"], nothing);
}

#[test]
fn history_without_files_has_the_same_tokens_as_the_block() {
    let sandbox = Sandbox::with(&[]);
    sandbox.ctx(["history", "append", "--role", "user", "Why?"]).stdout_any().stderr_any().check();
    sandbox.ctx(["history", "append", "--role", "assistant", "Because."]).stdout_any().stderr_any().check();
    for budget in ["1000", "3"] {
        let args = ["show", "--history", "--history-budget", "1000", "-b", budget, "--json"];
        let account: serde_json::Value =
            serde_json::from_str(&sandbox.ctx(args).stdout_any().stderr_any().check()).unwrap();
        let tokens = &account["tokens"];
        assert_eq!(tokens["frame"], 0, "{tokens}");
        assert_eq!([&tokens["history"], &account["history"]["tokens"]], [&tokens["block"]; 2], "{tokens}");
        assert!(tokens["block"].as_u64() > Some(20), "{tokens}");
    }
}

#[test]
fn files_that_do_not_fit_are_named_with_a_budget_that_fits_all() {
    let sandbox = sandbox();
    store(&sandbox, &["a.txt", "long.txt", "nested/**"]);
    let refused = sandbox.ctx(["render", "--strict", "-b", "40"]).code(3);
    let long = "error: 1 of 4 files does not fit in 40 tokens: long.txt (";
    refused.stderr_has(long).stderr_has("\nhint: -b 540 has room for everything\n").check();
    let output =
        crate::states::run(&sandbox, &["render", "--strict", "--tree", "-b", "50", "-p", "What is long?"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let line = said.lines().find_map(|line| line.strip_prefix("hint: -b ")).unwrap();
    let budget = line.split(' ').next().unwrap();
    let line = ["render", "--strict", "--tree", "-p", "What is long?", "-b", budget];
    sandbox.ctx(line).stdout_has("[long.txt]\n").stderr_any().check();
}

#[test]
fn budget_that_has_room_for_all_is_named_even_if_nothing_fits() {
    let sandbox = sandbox();
    store(&sandbox, &["long.txt", "nested/**"]);
    let refused = sandbox.ctx(["render", "--strict", "-b", "3"]).code(3);
    let without = "hint: --dry-run without --strict lists the tokens of each file\n";
    refused
        .stderr_has("error: nothing fits in 3 tokens: ")
        .stderr_has(&format!("\nhint: -b 540 has room for everything\n{without}"))
        .check();
    sandbox.ctx(["render", "--strict", "-b", "540"]).stdout_has("[long.txt]\n").stderr_any().check();
    let asked = sandbox.ctx(["ask", "--only", "--strict", "-b", "9", "among many"]).code(3);
    asked.stderr_has("error: nothing fits in 9 tokens: ").stderr_has("\nhint: --budget ").check();
}

#[test]
fn without_room_for_all_in_the_window_the_line_that_prints_what_fits_is_suggested() {
    let sandbox = sandbox();
    store(&sandbox, &["a.txt", "long.txt"]);
    sandbox
        .ctx(["render", "--strict", "--window", "60"])
        .code(3)
        .stderr_has("error: 1 of 2 files does not fit in 45 tokens: long.txt (")
        .stderr_has("\nhint: leave out --strict to print what fits\n")
        .check();
    sandbox.ctx(["render", "--window", "60"]).stdout_has("[a.txt]\n").stderr_has("warning: ").check();
}

#[test]
fn failure_is_a_line_of_json_if_json_is_asked_for() {
    let sandbox = Sandbox::with(&[("a.txt", "a line of text\n")]);
    let manifest = sandbox.path("account");
    let account = ["--manifest", manifest.to_str().unwrap()];
    let failure = |words: &[&str], code: i32| {
        let line = sandbox.ctx(words.iter().chain(&account)).code(code).stderr_any();
        let line = line.stderr_has("{\"error\":\"").stderr_has(&format!("\"exit\":{code}}}\n"));
        line.stderr_lacks("error: ").stderr_lacks("hint: ").check();
    };
    failure(&["render", "a.txt", "-b", "5", "--json"], 1);
    let written: serde_json::Value = serde_json::from_str(&sandbox.read("account")).unwrap();
    assert_eq!(written["failure"]["code"], "pinned-over-budget");
    failure(&["render", "a.txt", "-b", "5", "--strict", "--format", "json"], 3);
    failure(&["render", "gone.txt", "--json"], 1);
    failure(&["render", "--json", "--no-such-option"], 2);
    let told = "{\"error\":\"the files you pinned or named need 22 tokens, but the budget is 5: 'a.txt' (5)\",\
                \"hint\":\"--budget 22 is enough\",\"exit\":1}\n";
    sandbox.ctx(["render", "a.txt", "-b", "5", "--json"]).code(1).stderr(told).check();
}

#[test]
fn secret_is_named_with_its_line_and_both_ways_out_work() {
    let sandbox = sandbox();
    sandbox.write("keys/it's one.txt", format!("first\nid = {}\n", key()));
    sandbox.write("keys/other.txt", "other\n");
    let words = ["render", "--only", "--strict", "a.txt", "keys"];
    let refused = sandbox.ctx(words).code(3).stderr(
        "error: 1 secret redacted in 1 file: \"keys/it's one.txt\" (1 aws-access-key-id, line 2)\n\
         hint: --allow secrets prints what was redacted, '!keys/it'\\''s one.txt' leaves the file out\n",
    );
    refused.check();
    sandbox.ctx(words.iter().chain(&["--allow", "secrets"])).stdout_has(&key()).stderr_any().check();
    sandbox.ctx(words.iter().chain(&["!keys/it's one.txt"])).stdout_has("[a.txt]").stderr_any().check();
    let cut = sandbox.ctx(["ask", "--only", "--strict", "what is first?", "keys"]).code(3);
    cut.stderr_has("line 2)\nhint: --allow secrets prints ").check();
}
