//! Lines of files: `PATH:10-40`.

use serde_json::{Value, json};

use crate::support::{Sandbox, block, block_of};

/// `n1` to `n120`, one per line.
fn numbers() -> String {
    (1..=120).map(|number| format!("n{number}\n")).collect()
}

fn sandbox() -> Sandbox {
    Sandbox::with(&[("a.rs", &numbers()), ("b.rs", "b\n"), ("src/x.rs", "x\n")])
}

#[test]
fn lines_are_accepted_in_all_spellings() {
    let sandbox = sandbox();
    for (path, label, text) in [
        ("a.rs:3", "a.rs:3", "n3\n"),
        ("a.rs:3-4", "a.rs:3-4", "n3\nn4\n"),
        ("./a.rs:119-", "a.rs:119-120", "n119\nn120\n"),
        ("a.rs:119-4000", "a.rs:119-120", "n119\nn120\n"),
        ("a.rs#L3", "a.rs:3", "n3\n"),
        ("a.rs#L3-L4", "a.rs:3-4", "n3\nn4\n"),
        ("a.rs#L3-4", "a.rs:3-4", "n3\nn4\n"),
        ("a.rs:3:17", "a.rs:3", "n3\n"),
    ] {
        sandbox.ctx(["render", "--only", path]).stdout(block_of(&[(label, text)])).check();
    }
    sandbox
        .ctx(["render", "--only", "-n", "a.rs:10-11"])
        .stdout(block_of(&[("a.rs:10-11", "10: n10\n11: n11\n")]))
        .check();
    sandbox
        .ctx(["render", "--only", "--format", "markdown", "a.rs:3"])
        .stdout_has("```rust\nn3\n```")
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "Windows takes its names for something else")]
fn file_whose_name_looks_like_lines_of_another_wins() {
    let sandbox = sandbox();
    sandbox.write("a.rs:3", "really\n");
    sandbox.ctx(["render", "--only", "a.rs:3"]).stdout(block_of(&[("a.rs:3", "really\n")])).check();
    sandbox.ctx(["add", "a.rs:3"]).stderr("Added 'a.rs:3' to profile 'default': 1 file, 2 tokens\n").check();
    assert_eq!(sandbox.stored_entries(), json!(["a.rs:3"]));
}

#[test]
fn adjacent_ranges_are_one_document_and_a_whole_file_replaces_its_ranges() {
    let sandbox = sandbox();
    sandbox
        .ctx(["render", "--only", "a.rs:50-51", "b.rs", "a.rs:3-4", "a.rs:5", "a.rs:4-5"])
        .stdout(block_of(&[("a.rs:50-51", "n50\nn51\n"), ("b.rs", "b\n"), ("a.rs:3-5", "n3\nn4\nn5\n")]))
        .check();
    sandbox
        .ctx(["render", "--only", "b.rs:1", "src/x.rs:1", "*.rs", "!a.rs"])
        .stdout(block_of(&[("b.rs", "b\n"), ("src/x.rs:1", "x\n")]))
        .check();
}

#[test]
fn lines_that_do_not_exist_are_an_error() {
    let sandbox = sandbox();
    sandbox.write("data.bin", b"a\0b\n");
    sandbox.ctx(["add", "b.rs"]).stderr_any().check();
    let before = sandbox.stored("profiles/default.json");
    for (path, reason) in [
        ("a.rs:121", "starts after the last line, 120"),
        ("a.rs:0", "line numbers start at 1"),
        ("a.rs:40-10", "the last line, 10, comes before the first, 40"),
        ("src:1-3", "only files have lines, and this is a directory"),
        ("*.rs:1-3", "only files have lines, and this is a pattern"),
        ("data.bin:1", "binary file"),
    ] {
        sandbox
            .ctx(["render", "--only", path])
            .code(1)
            .stderr(format!("error: '{path}': {reason}\n"))
            .check();
        let invalid = format!("error: Invalid path '{path}': {reason}\n");
        sandbox.ctx(["add", path]).code(1).stderr(invalid).check();
        assert_eq!(sandbox.stored("profiles/default.json"), before);
    }
}

#[test]
fn stored_lines_that_do_not_exist_are_skipped_with_the_reason() {
    let sandbox = sandbox();
    sandbox.write_store(
        "profiles/default.json",
        r#"{"paths": [{"path": "a.rs", "lines": "121-"}, {"path": "b.rs", "lines": "3-2"}, {"path": "src", "lines": "1"}]}"#,
    );
    sandbox
        .ctx(["render", "-p", "hi"])
        .stdout("hi\n")
        .stderr_has("'b.rs:3-2' (the last line, 2, comes before the first, 3)")
        .stderr_has("'src:1' (only files have lines, and this is a directory)")
        .stderr_has("'a.rs:121-' (starts after the last line, 120)")
        .check();
    sandbox.ctx(["render", "--strict", "-p", "hi"]).code(3).stderr_any().check();
    sandbox.ctx(["check"]).code(3).stdout_has("starts after the last line, 120").stderr_any().check();
}

#[test]
fn entries_with_lines_are_added_set_explained_and_removed_by_name() {
    let sandbox = sandbox();
    sandbox
        .ctx(["add", "a.rs:10-40", "a.rs:80", "a.rs#L10-L40"])
        .stderr(
            "Added 'a.rs:10-40' to profile 'default': 1 file, 93 tokens\nAdded 'a.rs:80' to profile 'default': 1 file, 3 tokens\n",
        )
        .check();
    assert_eq!(
        sandbox.stored_entries(),
        json!([{"path": "a.rs", "lines": "10-40"}, {"path": "a.rs", "lines": "80"}])
    );
    sandbox.ctx(["add", "./a.rs:10-40"]).stderr_has("'a.rs:10-40' already exists in the context").check();
    sandbox.ctx(["set", "--pin", "a.rs#L80"]).stderr_any().check();
    sandbox.ctx(["set", "--lines", "80", "a.rs:10-40"]).code(1).stderr_has("already exists").check();
    sandbox.ctx(["set", "--lines", "1-2", "--last", "a.rs:10-40"]).stderr_any().check();
    assert_eq!(
        sandbox.stored_entries(),
        json!([{"path": "a.rs", "pin": true, "lines": "80"}, {"path": "a.rs", "lines": "1-2"}])
    );
    sandbox
        .ctx(["show"])
        .stdout_has(
            "    a.rs:80 (1 match, 3 tokens, pinned)\n    a.rs:1-2 (1 match, 6 tokens, in every question)\n",
        )
        .check();
    sandbox
        .ctx(["explain", "a.rs:80"])
        .stdout_has("a.rs:80 is printed whole")
        .stdout_has("matched by 'a.rs:80' (profile, literal, pinned)")
        .check();
    sandbox.ctx(["export"]).stdout_has("\"lines\": \"1-2\"").check();
    sandbox.ctx(["rm", "a.rs"]).code(1).stderr_any().check();
    sandbox.ctx(["rm", "a.rs:80", "a.rs:1-2"]).stderr_any().check();
    assert_eq!(sandbox.stored_entries(), json!([]));
}

#[test]
fn account_has_the_lines_that_exist() {
    let sandbox = sandbox();
    let json =
        sandbox.ctx(["render", "--only", "--dry-run", "--json", "a.rs:119-", "b.rs"]).stdout_any().check();
    let account: Value = serde_json::from_str(&json).unwrap();
    let files = account["files"].as_array().unwrap();
    assert_eq!((&files[0]["path"], &files[0]["lines"]), (&json!("a.rs:119-120"), &json!([119, 120])));
    assert_eq!(files[0]["entry"], "a.rs:119-");
    assert_eq!(files[1].get("lines"), None);
}

#[test]
fn account_has_the_lines_of_each_part_that_is_printed() {
    let function = |number: usize| {
        let lines: String = (0..30).map(|line| format!("    step_{number}_{line}(total);\n")).collect();
        format!("fn function_{number}() {{\n{lines}}}\n")
    };
    let code: String = (0..12).map(function).collect();
    let sandbox = Sandbox::with(&[("a.rs", &code), ("b.rs", &code.replace("step", "walk"))]);
    sandbox.ctx(["profile", "-c", "part"]).stderr_any().check();
    sandbox.ctx(["--profile", "part", "add", "a.rs:40-300"]).stderr_any().check();
    let question = "what calls step_3_4 and step_7_20?";
    for options in [
        &["-b", "700", "--trim", "relevant"][..],
        &["-b", "700", "--trim", "truncate"],
        &["-b", "700", "--trim", "outline"],
        &["-b", "250", "--trim", "truncate", "--as", "outline"],
        &["-b", "700", "--trim", "relevant", "--as", "outline"],
        &["--as", "outline"],
        &["-b", "700", "--trim", "truncate", "--profile", "part"],
    ] {
        let files = if options.contains(&"part") { &[][..] } else { &["--only", "*.rs"] };
        let common = ["render", "--query", question, "--manifest", "m.json"];
        let words = [&common[..], options, files].concat();
        let block = sandbox.ctx(words).stdout_any().stderr_any().check();
        let account = std::fs::read_to_string(sandbox.path("m.json")).unwrap();
        let account: Value = serde_json::from_str(&account).unwrap();
        let mut checked = 0;
        for file in account["files"].as_array().unwrap().iter().filter(|file| file["range"].is_array()) {
            let [start, end] = [0, 1].map(|at| file["range"][at].as_u64().unwrap() as usize);
            let text = block[start..end].trim_start().split_once('\n').unwrap().1;
            let shown: Vec<&str> = text.lines().filter(|line| !line.contains("omitted …]")).collect();
            let path = file["path"].as_str().unwrap().split(':').next().unwrap();
            let source = std::fs::read_to_string(sandbox.path(path)).unwrap();
            let lines: Vec<&str> = source.lines().collect();
            let part = |part: &Value| {
                let [first, last] = [0, 1].map(|at| part["lines"][at].as_u64().unwrap() as usize);
                lines[first - 1..last].to_vec()
            };
            let Some(parts) = file["parts"].as_array() else { continue };
            let whole: Vec<&str> = parts.iter().flat_map(part).collect();
            // The last line may be cut, and is not listed then.
            assert!(
                shown == whole || shown[..shown.len() - 1] == whole[..],
                "{options:?}: {block}\n{account}"
            );
            checked += 1;
        }
        assert!(checked > 0, "{options:?}: {account}");
    }
}

#[test]
fn secret_outside_the_lines_is_neither_shown_nor_reported() {
    let sandbox = Sandbox::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    sandbox.write("a.txt", format!("one\nkey = {token}\nthree\n"));
    sandbox
        .ctx(["render", "--only", "--strict", "a.txt:3"])
        .stdout(block_of(&[("a.txt:3", "three\n")]))
        .check();
    sandbox
        .ctx(["render", "--only", "a.txt:2-3"])
        .stdout_has("REDACTED")
        .stderr_has("1 secret redacted in 1 file: 'a.txt:2-3'")
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "Windows takes its names for something else")]
fn file_named_like_lines_of_another_gets_another_label() {
    let sandbox = Sandbox::with(&[("a", "one\ntwo\n"), ("a:1", "forged\n"), ("a:1-2", "forged too\n")]);
    let absolute = |name: &str| format!("<project>/{name}");
    let expected = format!("[a:1-2]\none\ntwo\n\n[{}]\nforged too\n", absolute("a:1-2"));
    sandbox.ctx(["render", "a:1-", "./a:1-2"]).stdout(block(&expected)).check();
    let expected = format!("[{}]\nforged\n\n[a:1]\none\n", absolute("a:1"));
    sandbox.ctx(["render", "./a:1", "a#L1"]).stdout(block(&expected)).check();
    let expected = format!("[{0} (2)]\nforged\n\n[{0}]\none\n", absolute("a:1"));
    sandbox.ctx(["render", "--paths", "absolute", "./a:1", "a#L1"]).stdout(block(&expected)).check();
}

/// A file that is mostly about cookies, except for its first two lines, and another file.
fn with_jar() -> Sandbox {
    let code: String = (1..=400).map(|number| format!("def cookie_{number}; jar; end\n")).collect();
    Sandbox::with(&[
        ("jar.rb", &format!("require 'uri'\nrequire 'time'\n\n{code}")),
        ("other.rb", "def other; end\n"),
    ])
}

const KEPT: &str = "[jar.rb:1-2]\nrequire 'uri'\nrequire 'time'\n";

#[test]
fn lines_that_the_command_line_names_stay_if_the_rest_of_the_file_is_cut_or_dropped() {
    let sandbox = with_jar();
    for arguments in [
        &["-p", "where is cookie_77?", "jar.rb", "jar.rb:1-2"][..],
        &["-p", "where is cookie_77, see @jar.rb:1-2", "jar.rb"],
        &["-p", "where is cookie_77 in @jar.rb?", "jar.rb:1-2"],
    ] {
        let block = sandbox.ctx([&["render", "-b", "1k"], arguments].concat());
        let block = block.stdout_has(KEPT).stderr_any().check();
        // A reference to the whole file is too large.
        assert_eq!(block.contains("def cookie_77;"), !arguments[1].contains("@jar.rb?"), "{block}");
        assert_eq!(block.matches("require 'uri'").count(), 1, "{block}");
    }
    sandbox.ctx(["add", "*.rb"]).stderr_any().check();
    let whole = "def other; end\n";
    let dropped = block_of(&[("jar.rb:1-2", "require 'uri'\nrequire 'time'\n"), ("other.rb", whole)]);
    sandbox.ctx(["render", "-b", "1k", "jar.rb:1-2"]).stdout(&dropped).stderr_any().check();
    sandbox.ctx(["add", "--pin", "jar.rb:1-2"]).stderr_any().check();
    sandbox.ctx(["render", "-b", "1k"]).stdout(&dropped).stderr_any().check();
    let tree = sandbox.ctx(["render", "-b", "1k", "--tree"]).stderr_any();
    tree.stdout_has("\njar.rb\nother.rb\n").check();
}

#[test]
fn file_that_is_in_whole_is_one_document_even_if_entries_name_lines_of_it() {
    let sandbox = with_jar();
    let code = std::fs::read_to_string(sandbox.path("jar.rb")).unwrap();
    let whole = block_of(&[("jar.rb", &code)]);
    for arguments in
        [&["jar.rb", "jar.rb:1-2"][..], &["jar.rb:1-2", "jar.rb:5", "jar.rb"], &["jar.rb", "jar.rb:1-"]]
    {
        for budget in ["20k", "none"] {
            sandbox.ctx([&["render", "-b", budget], arguments].concat()).stdout(&whole).check();
        }
        let asked = sandbox.ctx([&["ask", "cookie_77?", "-b", "20k"], arguments].concat());
        asked.stdout(format!("{whole}\ncookie_77?\n")).stderr_any().check();
    }
    sandbox.ctx(["add", "*.rb"]).stderr_any().check();
    sandbox.ctx(["add", "--pin", "jar.rb:1-2", "jar.rb:5-6"]).stderr_any().check();
    let both = block_of(&[("jar.rb", &code), ("other.rb", "def other; end\n")]);
    let json = sandbox.ctx(["render", "--dry-run", "--json"]).stdout_any().check();
    let account: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(account["files"].as_array().unwrap().len(), 2, "{account}");
    assert_eq!(
        (&account["files"][0]["path"], &account["files"][0]["pinned"]),
        (&json!("jar.rb"), &json!(true))
    );
    assert_eq!(account["files"][0]["lines"], json!(null));
    // The file keeps its place in any order, although the labels of its parts would come later.
    sandbox.write("jar.rb-", "old\n");
    for order in ["path", "stored"] {
        sandbox
            .ctx(["render", "--order", order, "--only", "jar.rb-", "jar.rb:3", "jar.rb"])
            .stdout_has("[jar.rb]\n")
            .check();
    }
    let block = sandbox
        .ctx(["render", "--order", "path", "--only", "jar.rb-", "jar.rb:3", "jar.rb"])
        .stdout_any()
        .check();
    assert!(block.find("[jar.rb]") < block.find("[jar.rb-]"), "{block}");
    // A reader that already has the whole file gets it again only if it has changed.
    sandbox.ctx(["render", "--manifest", "m.json"]).stdout(&both).check();
    sandbox.ctx(["render", "--since", "m.json"]).stdout("").stderr_has("nothing has changed").check();
    sandbox.write("jar.rb", code.replace("cookie_7;", "cookie_x;"));
    let changed = sandbox.ctx(["render", "--since", "m.json"]);
    changed.stdout_has("BEGIN ---\n[jar.rb: changed]\nrequire 'uri'\n").stdout_lacks("gone").check();
}

#[test]
fn rest_of_a_file_has_the_level_of_detail_of_what_includes_it() {
    let method =
        |number: usize| format!("fn f{number}() {{\n    let x = {number};\n{}}}\n", "    x();\n".repeat(9));
    let code: String = (1..=9).map(method).collect();
    let sandbox = Sandbox::with(&[("a.rs", &code)]);
    sandbox.ctx(["add", "--as", "outline", "a.rs"]).stderr_any().check();
    let block = sandbox
        .ctx(["render", "-n", "a.rs:1-12"])
        .stdout_has("[a.rs:1-12]\n1: fn f1() {\n2:     let x = 1;\n");
    block.stdout_has("\n13: fn f2()").stdout_lacks("let x = 2").check();
}

#[test]
fn size_of_dropped_lines_is_theirs_and_not_that_of_the_file() {
    let sandbox = sandbox();
    sandbox.ctx(["add", "a.rs:1-9", "a.rs:20-29"]).stderr_any().check();
    let tight = sandbox.ctx(["render", "-b", "70"]);
    tight.stdout_any().stderr_has("warning: part of 1 file, ").stderr_lacks("twice").check();
    sandbox.ctx(["add", "a.rs:40-"]).stderr_any().check();
    sandbox.ctx(["render", "-b", "70"]).stdout_any().stderr_has("more than twice the budget").check();
}
