//! What a question selects among everything that competes: pins, references, ranges, searched entries, named files.

use serde_json::Value;

use crate::ask::account;
use crate::support::{Sandbox, block_of};

/// Many files, one of which is mostly about cookies.
fn with_jar() -> Sandbox {
    let line = |number: usize| format!("def cookie_{number}; jar; end\n");
    let code: String = (1..=400).map(line).collect();
    let sandbox = Sandbox::with(&[
        ("lib/jar.rb", &format!("require 'uri'\nrequire 'time'\n\n{code}")),
        ("lib/other.rb", "def other; end\n"),
    ]);
    for number in 0..30 {
        let text = format!("def tray_{number}; end # cookie\n").repeat(100);
        sandbox.write(&format!("lib/trays/tray_{number}.rb"), text);
    }
    sandbox
}

/// The files of an account whose paths begin with `path`.
fn files<'a>(account: &'a Value, path: &str) -> Vec<&'a Value> {
    let files = account["files"].as_array().unwrap().iter();
    files.filter(|file| file["path"].as_str().unwrap().starts_with(path)).collect()
}

#[test]
fn pinned_range_is_a_document_separate_from_the_competing_lines() {
    let sandbox = with_jar();
    sandbox.ctx(["add", "--pin", "lib/jar.rb:1-2"]).stderr_any().check();
    let account = account(&sandbox, &["-b", "2k", "cookie_7"]);
    let [range, rest] = &files(&account, "lib/jar.rb")[..] else { panic!("{account}") };
    let (range, rest) = if range["pinned"] == true { (range, rest) } else { (rest, range) };
    assert_eq!(range["path"], "lib/jar.rb:1-2");
    assert_eq!(range["status"], "included");
    assert_eq!(rest["path"], "lib/jar.rb:3-403");
    assert_eq!((&rest["pinned"], &rest["status"]), (&Value::Bool(false), &Value::from("truncated")));
}

#[test]
fn ranges_that_cover_a_file_leave_no_competing_lines() {
    let sandbox = Sandbox::with(&[("a.md", "one\ntwo\nthree\nfour\n")]);
    sandbox.ctx(["add", "a.md:1-2", "a.md:4-"]).stderr_any().check();
    sandbox.ctx(["set", "--pin", "a.md:1-2", "a.md:4-"]).stderr_any().check();
    let whole = block_of(&[("a.md", "one\ntwo\nthree\nfour\n")]) + "\nthree\n";
    sandbox.ctx(["ask", "three"]).stdout(&whole).check();
    sandbox.ctx(["add", "--pin", "a.md:3"]).stderr_any().check();
    sandbox.ctx(["ask", "three"]).stdout(whole).check();
}

#[test]
fn referenced_or_typed_range_is_included_once() {
    let sandbox = with_jar();
    for arguments in [&["what does @lib/jar.rb:1-2 do?"][..], &["what of cookies?", "lib/jar.rb:1-2", "lib"]]
    {
        let all = [&["ask", "-b", "2k"], arguments].concat();
        let block = sandbox.ctx(all).stdout_any().stderr_any().check();
        assert_eq!(block.matches("[lib/jar.rb:1-2]\nrequire 'uri'\nrequire 'time'\n").count(), 1, "{block}");
        assert_eq!(block.matches("require 'uri'").count(), 1, "{block}");
    }
}

#[test]
fn file_that_is_named_whole_and_by_a_range_is_in_once_and_is_one_file() {
    let sandbox = with_jar();
    let arguments = ["what of cookies?", "lib/other.rb:1", "lib/other.rb", "lib/jar.rb", "lib/jar.rb:1-2"];
    let cut = sandbox.ctx([&["ask", "-b", "2k"], &arguments[..]].concat());
    cut.stdout_has("\n[lib/other.rb]\n")
        .stdout_has("\n[lib/jar.rb:1-2]\nrequire 'uri'\nrequire 'time'\n")
        .stderr_has("warning: 2 of 2 files of <project>, 1 in part, ")
        .check();
    for command in [&["ask"][..], &["render", "--only", "-p"]] {
        let whole = sandbox.ctx([command, &arguments[..]].concat());
        whole
            .stdout_has("\n[lib/other.rb]\n")
            .stdout_has("\n[lib/jar.rb]\n")
            .stdout_lacks(":1")
            .stderr_any()
            .check();
    }
    sandbox.ctx(["add", "--pin", "lib/jar.rb:1-2"]).stderr_any().check();
    let pinned = sandbox.ctx(["ask", "-b", "2k", "what of cookies?", "lib/jar.rb"]);
    pinned.stdout_has("\n[lib/jar.rb:1-2]\nrequire 'uri'\nrequire 'time'\n").stderr_any().check();
}

#[test]
fn parts_of_a_file_are_one_file_in_every_count() {
    let sandbox = with_jar();
    let parts = ["-b", "2k", "cookie_7", "lib/jar.rb:1-2", "lib/jar.rb:100-101", "lib/jar.rb:200-201", "lib"];
    let account = account(&sandbox, &parts);
    assert!(files(&account, "lib/jar.rb").len() > 3, "{account}");
    let counts = &account["file_counts"];
    assert_eq!((&counts["selected"], &counts["included"]), (&Value::from(32), &Value::from(1)), "{counts}");
    assert_eq!(counts["truncated"], 1);
    let said = "note: 2 of 32 files of <project>, 1 in part, ";
    let planned = sandbox.ctx([&["ask", "--dry-run"], &parts[..]].concat());
    planned.stdout_has("\n2 files, ").stdout_has("\n30 others were left out (").stderr_has(said).check();
    let whole = ["cookie_7", "lib/jar.rb:1-2", "lib/jar.rb:100-101"];
    let sent = sandbox.ctx([&["ask"], &whole[..], &["--", "cat"]].concat());
    #[cfg(unix)]
    sent.stdout_any().stderr_has("note: all of 1 file of <project>, ").check();
    #[cfg(not(unix))]
    drop(sent);
    sandbox.ctx(["add", "-q", "lib/jar.rb:1-2", "lib/jar.rb:100-101"]).check();
    sandbox.ctx(["explain", "lib"]).stdout_has("lib is a directory: 1 file whole\n").check();
}

#[test]
fn pinned_outline_stays_an_outline_whatever_is_searched() {
    let sandbox = Sandbox::with(&[(
        "a.rs",
        &format!("/// One.\npub fn one() {{\n{}}}\n", "    let x = 1;\n".repeat(9)),
    )]);
    sandbox.ctx(["add", "--pin", "--as", "outline", "a.rs"]).stderr_any().check();
    for arguments in [&["ask", "one?"][..], &["ask", "one?", "."]] {
        sandbox.ctx(arguments).stdout_has("pub fn one()").stdout_lacks("let x").check();
    }
}

#[test]
fn passages_of_searched_entries_are_included_within_their_share() {
    let sandbox = with_jar();
    let notes: String = (1..=200).map(|number| format!("{number} cookie note\n")).collect();
    std::fs::create_dir_all(sandbox.home().join("notes")).unwrap();
    std::fs::write(sandbox.home().join("notes/n.md"), notes).unwrap();
    sandbox.ctx(["add", "--search", "~/notes/**"]).stderr_any().check();
    for budget in ["2k", "4k", "16k"] {
        let ask = sandbox.ctx(["ask", "-b", budget, "cookie note 150"]);
        ask.stdout_has("[~/notes/n.md:").stdout_has("150 cookie note\n").stderr_any().check();
    }
    sandbox.ctx(["add", "lib/**"]).stderr_any().check();
    for trim in ["relevant", "largest"] {
        let all = ["render", "-b", "4k", "--trim", trim, "-p", "cookie note 150"];
        sandbox.ctx(all).stdout_has("150 cookie note\n").stderr_any().check();
    }
    // A pin that leaves no room for the passages isn't an error.
    sandbox.write("pin.md", "word ".repeat(900));
    sandbox.ctx(["add", "--pin", "pin.md"]).stderr_any().check();
    let pinned = sandbox.ctx(["ask", "-b", "1k", "cookie note 150"]);
    pinned.stdout_has("[pin.md]\n").stderr_has("note: ").check();
}

#[cfg(unix)]
#[test]
fn short_conversation_takes_no_room_from_competing_files() {
    let sandbox = with_jar();
    let documents = |arguments: &[&str]| {
        let account = account(&sandbox, arguments);
        account["tokens"]["documents"].as_u64().unwrap()
    };
    let before = documents(&["cookie"]);
    sandbox.ctx(["ask", "what of a cookie?", "--", "echo", "Yes."]).stdout_any().stderr_any().check();
    sandbox.ctx(["ask", "-c", "and the cookie?", "--", "echo", "Yes."]).stdout_any().stderr_any().check();
    let after = documents(&["-c", "cookie"]);
    assert!(after + 300 >= before, "{after} of {before}");
}

#[test]
fn file_is_truncated_only_if_something_is_omitted() {
    let sandbox = with_jar();
    // Another file has to be over budget for anything to be cut.
    sandbox.write("a.md", "cookie jar\n\nx\n\ncookie tray\n");
    let account = account(&sandbox, &["-b", "3k", "cookie", "a.md", "lib"]);
    for file in account["files"].as_array().unwrap() {
        let is_cut = file["status"] == "truncated";
        let (part, whole) = (file["tokens"].as_u64().unwrap(), file["whole_tokens"].as_u64());
        assert!(!is_cut || Some(part) < whole, "{file}");
        assert!(!is_cut || file["reason"]["text"] != "0 lines omitted", "{file}");
    }
}

#[test]
fn file_without_words_of_the_question_is_not_reported_as_over_budget() {
    let sandbox = with_jar();
    let account = account(&sandbox, &["-b", "20k", "jar"]);
    let [other] = files(&account, "lib/other.rb")[..] else { panic!("{account}") };
    assert_eq!(other["status"], "dropped");
    assert_eq!(other["reason"]["text"], "nothing in it seems to answer the question");
}

#[test]
fn minimum_budget_with_trim_outline_is_that_of_the_outlines() {
    let sandbox = Sandbox::new();
    let function = |number: usize| format!("pub fn f{number}() {{\n{}}}\n", "    let x = 1;\n".repeat(9));
    sandbox.write("a.rs", (0..100).map(function).collect::<String>());
    let needed = |arguments: &[&str]| -> u64 {
        let output = crate::states::run(&sandbox, &[&["render", "a.rs"], arguments].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        let figure = said.split_once("need ").unwrap().1.split_once(" tokens").unwrap().0;
        figure.replace(',', "").parse().unwrap()
    };
    let least = needed(&["--trim", "outline", "-b", "40"]);
    assert!(least < needed(&["--trim", "largest", "-b", "40"]));
    let enough = least.to_string();
    let outlined = sandbox.ctx(["render", "a.rs", "--trim", "outline", "-b", &enough]);
    outlined.stdout_has("pub fn f99()").stderr_any().check();
}

#[test]
fn cutting_a_named_file_or_an_input_fails_a_strict_question() {
    let sandbox = with_jar();
    let lines: String = (0..3_000).map(|number| format!("{number}\n")).collect();
    let input = sandbox.ctx(["ask", "--strict", "--trim", "truncate", "-b", "1k", "cookies", "-"]);
    let refused = " of 8,000 tokens fit\n";
    let hint = "hint: -b 16k has room for what you named\n";
    input.stdin(lines.clone()).code(3).stderr_has(refused).stderr_has(hint).check();
    let enough = sandbox.ctx(["ask", "--strict", "--trim", "truncate", "-b", "16k", "cookies", "-"]);
    enough.stdin(lines).stdout_has("2999").stderr_any().check();
    let named = sandbox.ctx(["ask", "--strict", "-b", "1k", "cookies", "lib/jar.rb"]);
    named.code(3).stderr_has("error: 1 file does not fit in 1,000 tokens: lib/jar.rb (").check();
    let named = sandbox.ctx(["ask", "-b", "1k", "cookies", "lib/jar.rb"]);
    let part = named.stdout_any().stderr_has("warning: part of 1 file of <project>, ");
    part.stderr_has("\nhint: -b 3900 has room for what you named\n").check();
    sandbox.ctx(["ask", "--strict", "-b", "1k", "cookies", "lib"]).stdout_any().stderr_has("note: ").check();
}

#[test]
fn search_in_a_subdirectory_covers_it_and_prints_usable_paths() {
    let sandbox = Sandbox::with(&[
        ("src/zebra.py", "zebra crossing\n"),
        ("src/queries/a.md", "one\n"),
        ("b.md", "zebra\n"),
    ]);
    sandbox.repository();
    sandbox.ctx(["add", "src/*.py"]).stderr_any().check();
    let below = sandbox.path("src/queries");
    sandbox.ctx_in(&below, ["search", "zebra"]).code(1).stderr("error: no match for 'zebra'\n").check();
    sandbox.ctx_in(&below, ["search", "zebra", ".."]).stdout_has("../zebra.py:1 ").check();
    std::fs::create_dir_all(sandbox.home().join("notes")).unwrap();
    std::fs::write(sandbox.home().join("notes/n.md"), "zebra\n").unwrap();
    sandbox.ctx(["add", "--search", "~/notes/**", "b.md"]).stderr_any().check();
    let found = sandbox.ctx_in(&below, ["search", "zebra"]);
    found.stdout_has("../../b.md:1 ").stdout_has("<home>/notes/n.md:1 ").check();
}

#[test]
fn summary_and_message_count_the_same_files() {
    let sandbox = with_jar();
    sandbox.write("b.md", "x\n");
    sandbox.ctx(["add", "lib/**", "b.md"]).stderr_any().check();
    sandbox.write("b.md", "\0");
    let planned = sandbox.ctx(["render", "--dry-run", "-b", "2k"]);
    planned.stdout_has(" of 32 files would be left out").stderr_has(" of 32 files, ").check();
}

#[test]
fn rest_of_a_file_with_listed_lines_is_cut_and_ranked_as_a_source_file() {
    let fill =
        |name: &str| format!("    fn {name}(&self) {{\n{}    }}\n", "        self.step();\n".repeat(40));
    let methods: String = (0..30).map(|number| fill(&format!("other_{number}"))).collect();
    let text = format!("// One.\n// Two.\nimpl Coder {{\n{methods}{}}}\n", fill("apply_updates"));
    let sandbox = Sandbox::with(&[("src/coder.rs", &text), ("b.md", "nothing\n")]);
    sandbox.ctx(["add", "-q", "src/coder.rs:1-2"]).stderr_any().check();
    let block =
        sandbox.ctx(["ask", "-b", "700", "how are updates applied?"]).stdout_any().stderr_any().check();
    assert!(block.contains("impl Coder {\n") && block.contains("    fn apply_updates(&self) {\n"), "{block}");
}

#[test]
fn reference_over_half_the_budget_is_shortened_to_its_best_passages() {
    let sandbox = with_jar();
    for arguments in
        [&["where is cookie_77 in @lib/jar.rb?"][..], &["where is cookie_77 in @lib/jar.rb?", "lib/trays"]]
    {
        let block = sandbox.ctx([&["ask", "-b", "2k"], arguments].concat());
        let block = block.stdout_has("\n[lib/jar.rb:64-83]\n").stdout_has("def cookie_77;");
        block.stderr_has("warning: part of 1 of ").stderr_has(": lib/jar.rb").stderr_lacks("without").check();
    }
    let few = sandbox.ctx(["ask", "-b", "2k", "what is in @lib/other.rb and @lib/jar.rb?"]);
    few.stdout_has("\n[lib/other.rb]\ndef other; end\n")
        .stdout_has("\n[lib/jar.rb:64-83]\n")
        .stderr_any()
        .check();
    let rendered =
        sandbox.ctx(["render", "-b", "2k", "-p", "where is cookie_77 in @lib/jar.rb?", "lib/other.rb"]);
    rendered.stdout_lacks("[lib/jar.rb").stderr_has("without lib/jar.rb").check();
}
