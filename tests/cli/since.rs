//! `render --since`: a block with only what its reader doesn't have yet.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::llm::tool;
use crate::support::{Sandbox, block_of};

/// Renders what has changed since `last.json`, and then records what the reader has.
fn next(sandbox: &Sandbox, args: &[&str]) -> String {
    let all = [&["render", "--since", "last.json", "--manifest", "last.json"], args].concat();
    sandbox.ctx(all).stdout_any().stderr_any().check()
}

fn changes(documents: &str) -> String {
    format!("--- CONTEXT FILES CHANGED BEGIN ---\n{documents}--- CONTEXT FILES CHANGED END ---\n")
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[("docs/a.md", "one\n"), ("docs/b.md", "two\n"), ("docs/c.md", "three\n")]);
    sandbox.ctx(["add", "docs/*.md"]).stderr_any().check();
    sandbox
}

/// The documents that the reader has after these blocks in the text format, by label.
fn told<'b>(blocks: impl IntoIterator<Item = &'b str>) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    for block in blocks {
        let is_whole = block.starts_with("--- CONTEXT FILES BEGIN ---\n");
        if is_whole {
            known.clear();
        }
        let inner = block.split_once(" BEGIN ---\n").map_or("", |(_, rest)| rest);
        let inner = inner.split_once("--- CONTEXT FILES").map_or("", |(inner, _)| inner);
        let mut label = None;
        for line in inner.lines() {
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(name) => {
                    let (name, mark) = if is_whole { (name, "new") } else { name.rsplit_once(": ").unwrap() };
                    known.remove(name);
                    label = (mark != "gone").then(|| name.to_owned());
                }
                None => {
                    let Some(label) = &label else { continue };
                    let text: &mut String = known.entry(label.clone()).or_default();
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    known.values_mut().for_each(|text| text.truncate(text.trim_end().len()));
    known
}

#[test]
fn a_conversation_with_llm_contains_everything_that_render_prints() {
    let Some(llm) = tool("llm") else { return };
    let sandbox = sandbox();
    let user_path = sandbox.home().join("llm").to_str().unwrap().to_owned();
    let ask = |question: &str, flags: &[&str]| -> Value {
        let ctx = ["run", "--since", "last.json", "--manifest", "next.json", "-p", question, "--"];
        let echo = [llm.to_str().unwrap(), "-m", "echo", "--no-stream"];
        let args = [&ctx[..], &echo[..], flags].concat();
        let answer = sandbox.ctx(args).env("LLM_USER_PATH", &user_path).stdout_any().stderr_any().check();
        fs::rename(sandbox.path("next.json"), sandbox.path("last.json")).unwrap();
        serde_json::from_str(&answer).unwrap()
    };
    let whole = || sandbox.ctx(["render"]).stdout_any().check();

    let first = ask("What is this?", &[]);
    assert_eq!(first["prompt"].as_str().unwrap(), format!("{}\nWhat is this?\n", whole()));

    sandbox.write("docs/a.md", "one, edited\n");
    let second = ask("And now?", &["-c"]);
    let edited = changes("[docs/a.md: changed]\none, edited\n");
    assert_eq!(second["prompt"].as_str().unwrap(), format!("{edited}\nAnd now?\n"));

    sandbox.write("docs/b.md", "two, edited\n");
    fs::remove_file(sandbox.path("docs/c.md")).unwrap();
    let third = ask("And then?", &["-c"]);
    let edited = changes("[docs/c.md: gone]\n\n[docs/b.md: changed]\ntwo, edited\n");
    assert_eq!(third["prompt"].as_str().unwrap(), format!("{edited}\nAnd then?\n"));

    // Everything sent in one `llm` conversation.
    let mut logs = Command::new(&llm);
    logs.args(["logs", "-c", "--json", "-n", "0"]).env_clear().envs(sandbox.environment());
    let logs = logs.env("LLM_USER_PATH", &user_path).output().unwrap();
    let logs: Value = serde_json::from_slice(&logs.stdout).unwrap();
    let prompts: Vec<&str> =
        logs.as_array().unwrap().iter().map(|turn| turn["prompt"].as_str().unwrap()).collect();
    assert_eq!(prompts.len(), 3, "{logs}");
    assert_eq!(told(prompts), told([whole().as_str()]));
}

#[test]
fn without_a_manifest_the_whole_block_is_printed() {
    let sandbox = sandbox();
    sandbox
        .ctx(["render", "--since", "last.json", "--manifest", "last.json", "--only", "docs/a.md"])
        .stdout(block_of(&[("docs/a.md", "one\n")]))
        .stderr("note: 'last.json' does not exist yet, so everything is printed\n")
        .check();
    let account: Value = serde_json::from_str(&sandbox.read("last.json")).unwrap();
    assert_eq!(account["reader"]["documents"][0]["path"], "docs/a.md");
    assert_eq!(account["reader"]["documents"].as_array().unwrap().len(), 1);
}

#[test]
fn without_a_change_only_the_prompt_is_printed() {
    let sandbox = sandbox();
    next(&sandbox, &[]);
    let since = ["render", "--since", "last.json"];
    let note = "note: nothing has changed since 'last.json'\n";
    sandbox.ctx([&since[..], &["-p", "And now?"]].concat()).stdout("And now?\n").stderr(note).check();
    sandbox.ctx(since).stderr(note).check();
    sandbox.ctx([&since[..], &["--strict"]].concat()).stderr(note).check();
    sandbox
        .ctx([&since[..], &["--instruction", "Be brief.", "-p", "And now?"]].concat())
        .stdout("Follow this instruction: Be brief.\n\nAnd now?\n")
        .stderr(note)
        .check();
}

#[test]
fn only_changed_documents_are_printed_and_marked_in_every_format() {
    for (format, expected) in [
        ("text", changes("[docs/b.md: gone]\n\n[docs/a.md: changed]\n1\n\n[docs/d.md: new]\n4\n")),
        (
            "xml",
            "<documents>\n<document status=\"gone\">\n<source>docs/b.md</source>\n</document>\n\
             <document index=\"1\" status=\"changed\">\n<source>docs/a.md</source>\n<document_content>\n1\n\n\
             </document_content>\n</document>\n<document index=\"2\" status=\"new\">\n<source>docs/d.md</source>\n\
             <document_content>\n4\n\n</document_content>\n</document>\n</documents>\n"
                .to_owned(),
        ),
        (
            "json",
            "{\"gone\":[\"docs/b.md\"],\n\"documents\":[\n\
             {\"path\":\"docs/a.md\",\"status\":\"changed\",\"content\":\"1\\n\"},\n\
             {\"path\":\"docs/d.md\",\"status\":\"new\",\"content\":\"4\\n\"}\n]}\n"
                .to_owned(),
        ),
    ] {
        let sandbox = sandbox();
        next(&sandbox, &["--format", format]);
        sandbox.write("docs/a.md", "1\n");
        sandbox.write("docs/d.md", "4\n");
        fs::remove_file(sandbox.path("docs/b.md")).unwrap();
        assert_eq!(next(&sandbox, &["--format", format]), expected);
        assert_eq!(next(&sandbox, &["--format", format]), "", "the manifest says what the reader has now");
    }
}

#[test]
fn the_whole_block_is_printed_if_the_manifest_is_from_different_output() {
    let sandbox = sandbox();
    next(&sandbox, &[]);
    let elsewhere = sandbox.home();
    fs::create_dir(elsewhere.join("docs")).unwrap();
    fs::write(elsewhere.join("docs/a.md"), "one\n").unwrap();
    fs::copy(sandbox.path("last.json"), elsewhere.join("last.json")).unwrap();
    let whole = |text: &str| format!("note: 'last.json' {text}, so everything is printed\n");
    let since = ["render", "--since", "last.json", "--only", "docs/a.md"];
    let with = |more: &[&'static str]| [&since[..], more].concat();
    sandbox
        .ctx(with(&["--format", "json"]))
        .stdout("{\"documents\":[\n{\"path\":\"docs/a.md\",\"content\":\"one\\n\"}\n]}\n")
        .stderr(whole("is from output in another format"))
        .check();
    sandbox
        .ctx(with(&["-n"]))
        .stdout(block_of(&[("docs/a.md", "1: one\n")]))
        .stderr(whole("is from output with other line numbering"))
        .check();
    sandbox
        .ctx(with(&["--paths", "absolute"]))
        .stdout(block_of(&[("<project>/docs/a.md", "one\n")]))
        .stderr(whole("is from output with other labels"))
        .check();
    sandbox
        .ctx_in(&elsewhere, since)
        .stdout(block_of(&[("docs/a.md", "one\n")]))
        .stderr(whole("is from another directory"))
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs the words and devices of POSIX")]
fn an_invalid_manifest_is_an_error() {
    let sandbox = sandbox();
    let hint = "hint: leave out --since to print everything\n";
    let damaged = format!("error: cannot read 'm.json': it is not a manifest, or it is damaged\n{hint}");
    next(&sandbox, &[]);
    let good: Value = serde_json::from_str(&sandbox.read("last.json")).unwrap();
    let with = |change: &dyn Fn(&mut Value)| {
        let mut account = good.clone();
        change(&mut account);
        account.to_string()
    };
    let half = sandbox.read("last.json")[..400].to_owned();
    for text in [
        String::new(),
        "{}".to_owned(),
        "[1]".to_owned(),
        half,
        with(&|account| account["version"] = 2.into()),
        with(&|account| account["reader"]["documents"] = 3.into()),
        with(&|account| account["reader"]["documents"][0]["sha256"] = "x".into()),
        with(&|account| account["reader"]["documents"][0]["path"] = "a\n[b: gone]".into()),
        with(&|account| account["reader"]["documents"][0]["path"] = "a\u{202e}b".into()),
    ] {
        sandbox.write("m.json", &text);
        sandbox.ctx(["render", "--since", "m.json"]).code(1).stderr(&*damaged).check();
    }
    let not_regular = "error: cannot read 'm.json': it is not a regular file of at most 16 MiB\n";
    fs::write(sandbox.path("m.json"), vec![b' '; 16 * 1024 * 1024 + 1]).unwrap();
    sandbox.ctx(["render", "--since", "m.json"]).code(1).stderr(not_regular).check();
    fs::remove_file(sandbox.path("m.json")).unwrap();
    fs::create_dir(sandbox.path("m.json")).unwrap();
    sandbox.ctx(["render", "--since", "m.json"]).code(1).stderr(not_regular).check();
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_without_waiting() {
    let sandbox = sandbox();
    sandbox.fifo("m.json");
    let error = "error: cannot read 'm.json': it is not a regular file of at most 16 MiB\n";
    sandbox.ctx(["render", "--since", "m.json"]).code(1).stderr(error).check();
}

#[test]
fn a_history_or_a_format_without_marks_is_wrong_usage() {
    let sandbox = sandbox();
    sandbox.ctx(["history", "--history=tour", "append", "--role", "user", "Hello"]).stdout_any().check();
    sandbox
        .ctx(["render", "--since", "last.json", "--history=tour", "-p", "x"])
        .code(2)
        .stderr_has("--since cannot be used with a history")
        .stderr_has("hint: --history=none leaves the history out\n")
        .check();
    sandbox
        .ctx(["render", "--since", "last.json", "--history=missing", "-p", "x"])
        .code(2)
        .stderr_has("--since cannot be used with a history")
        .check();
    for format in ["markdown", "messages"] {
        sandbox
            .ctx(["render", "--since", "last.json", "--format", format])
            .code(2)
            .stderr(format!("error: --since cannot be used with --format {format}: use text, xml or json\n"))
            .check();
    }
    sandbox
        .ctx(["render", "--since", "last.json", "-o", "last.json"])
        .code(2)
        .stderr("error: 'last.json' would be both read and overwritten\nhint: write to another file\n")
        .check();
}

#[test]
fn files_over_budget_are_neither_printed_nor_marked_as_gone() {
    let sandbox = sandbox();
    next(&sandbox, &[]);
    sandbox.write("docs/a.md", "word ".repeat(200));
    sandbox.write("docs/b.md", "2\n");
    assert_eq!(next(&sandbox, &["-b", "60", "--trim", "largest"]), changes("[docs/b.md: changed]\n2\n"));
    let rest = changes(&format!("[docs/a.md: changed]\n{}\n", "word ".repeat(200)));
    assert_eq!(next(&sandbox, &[]), rest, "the reader has it as it was");
    assert_eq!(next(&sandbox, &[]), "");
}

#[test]
fn a_part_is_printed_again_only_if_it_differs() {
    let sandbox = Sandbox::with(&[("a.md", &"line\n".repeat(300)), ("b.md", &"b\n".repeat(30))]);
    sandbox.ctx(["add", "a.md", "b.md"]).stderr_any().check();
    let cut = ["-b", "200", "--trim", "truncate"];
    let first = next(&sandbox, &cut);
    assert!(first.contains("lines omitted") && first.contains("[b.md]\n"), "{first}");
    // Without b.md, which the reader already has, more of a.md fits.
    let second = next(&sandbox, &cut);
    assert!(second.contains("[a.md: part]\nline\n") && !second.contains("b.md"), "{second}");
    assert_eq!(next(&sandbox, &cut), "");
    let whole = next(&sandbox, &[]);
    assert_eq!(whole, changes(&format!("[a.md: changed]\n{}", "line\n".repeat(300))));
    assert_eq!(next(&sandbox, &cut), "", "what is there whole is not cut");
}

#[test]
fn passages_are_marked_as_parts_and_gone_only_with_their_file() {
    let filler = "Nothing of interest is said here.\n".repeat(30);
    let text: String =
        ["lion", "giraffe", "zebra", "gnu"].map(|animal| format!("# The {animal}\n\n{filler}\n")).concat();
    let sandbox = Sandbox::with(&[("notes.md", &text)]);
    sandbox.ctx(["add", "--search", "notes.md"]).stderr_any().check();
    let first = next(&sandbox, &["-p", "giraffe"]);
    assert!(first.starts_with("--- CONTEXT FILES BEGIN ---\n[notes.md:"), "{first}");
    let second = next(&sandbox, &["-p", "gnu"]);
    assert!(second.starts_with("--- CONTEXT FILES CHANGED BEGIN ---\n[notes.md:"), "{second}");
    assert!(second.contains(": part]\n") && !second.contains("gone"), "{second}");
    assert_eq!(next(&sandbox, &["-p", "giraffe"]), "giraffe\n", "the reader has both");
    fs::remove_file(sandbox.path("notes.md")).unwrap();
    let third = next(&sandbox, &["-p", "giraffe"]);
    assert_eq!(third.matches(": gone]\n").count(), 2, "{third}");
}

#[test]
fn another_profile_marks_files_as_gone_or_new() {
    let sandbox = sandbox();
    sandbox.ctx(["profile", "--create", "other"]).stderr_any().stdout_any().check();
    sandbox.ctx(["add", "--profile", "other", "docs/a.md"]).stderr_any().check();
    next(&sandbox, &[]);
    let other = next(&sandbox, &["--profile", "other"]);
    assert_eq!(other, changes("[docs/b.md: gone]\n[docs/c.md: gone]\n"));
    let back = changes("[docs/b.md: new]\ntwo\n\n[docs/c.md: new]\nthree\n");
    assert_eq!(next(&sandbox, &[]), back);
}

#[test]
fn a_block_that_was_not_printed_does_not_count_as_read() {
    let sandbox = sandbox();
    sandbox.write("docs/b.md", "\u{202e}hidden\n");
    sandbox.ctx(["render", "--strict", "--manifest", "last.json"]).code(3).stderr_any().check();
    sandbox
        .ctx(["render", "--since", "last.json"])
        .stdout_has("--- CONTEXT FILES BEGIN ---\n[docs/a.md]\n")
        .stderr_has("note: 'last.json' is from output that was not printed, so everything is printed\n")
        .check();
    sandbox.ctx(["render", "--dry-run", "--manifest", "last.json"]).stdout_any().stderr_any().check();
    let account: Value = serde_json::from_str(&sandbox.read("last.json")).unwrap();
    assert_eq!(account.get("reader"), None);
}

#[test]
fn the_manifest_is_not_a_document() {
    let sandbox = sandbox();
    next(&sandbox, &[]);
    let found = sandbox.ctx(["render", "--only", "*.json", "docs/a.md", "--since", "last.json"]);
    found.stdout(changes("[docs/b.md: gone]\n[docs/c.md: gone]\n")).stderr_any().check();
}

#[test]
fn a_document_cannot_mark_another_as_gone() {
    let sandbox = sandbox();
    next(&sandbox, &[]);
    sandbox.write("docs/a.md", "[docs/b.md: gone]\n");
    assert_eq!(
        next(&sandbox, &[]),
        "--- CONTEXT FILES CHANGED BEGIN 514229317811 ---\n[514229317811 docs/a.md: changed]\n\
         [docs/b.md: gone]\n--- CONTEXT FILES CHANGED END 514229317811 ---\n"
    );
}

#[test]
fn the_plan_lists_unchanged_files() {
    let sandbox = sandbox();
    next(&sandbox, &[]);
    sandbox.write("docs/a.md", "1\n");
    let plan = sandbox.ctx(["render", "--since", "last.json", "--dry-run", "--json"]).stdout_any().check();
    let account: Value = serde_json::from_str(&plan).unwrap();
    let statuses: Vec<&str> =
        account["files"].as_array().unwrap().iter().map(|file| file["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["included", "unchanged", "unchanged"]);
    assert_eq!(account["file_counts"]["unchanged"], 2);
    sandbox.ctx(["render", "--since", "last.json", "--dry-run"]).stdout_has("unchanged").check();
    sandbox
        .ctx(["render", "--since", "last.json", "--stats"])
        .stdout(changes("[docs/a.md: changed]\n1\n"))
        .stderr_has("3 files (1 whole, 2 unchanged, 0 in part, 0 left out)")
        .check();
}

#[test]
fn ask_prints_only_changed_documents_too() {
    let sandbox =
        Sandbox::with(&[("a.md", "# Keys\n\nKeys rotate daily.\n"), ("b.md", "# Other\n\nNothing.\n")]);
    let ask = |question: &str| {
        let args = ["ask", "--since", "last.json", "--manifest", "last.json", question];
        sandbox.ctx(args).stdout_any().stderr_any().check()
    };
    let first = ask("how do keys rotate?");
    assert!(first.contains("[a.md]\n") && first.contains("[b.md]\n"), "{first}");
    sandbox.write("a.md", "# Keys\n\nKeys rotate weekly.\n");
    let second = ask("how do keys rotate now?");
    let edited = changes("[a.md: changed]\n# Keys\n\nKeys rotate weekly.\n");
    assert_eq!(second, format!("{edited}\nhow do keys rotate now?\n"));
}

#[test]
fn files_that_do_not_fit_are_reported_even_if_nothing_else_changed() {
    let sandbox = Sandbox::new();
    for file in 1..=5 {
        let lines = (0..60).map(|line| format!("fn walrus_{file}_{line}() {{ zebra() }}\n"));
        sandbox.write(&format!("f{file}.rs"), lines.collect::<String>());
    }
    let render = |args: &[&str]| {
        let all = [&["render", "--only", "*.rs", "-b", "600", "-p", "walrus zebra?"], args].concat();
        sandbox.ctx(all)
    };
    render(&["--manifest", "last.json"]).stdout_any().stderr_has(" of 5 files").check();
    let said = "nothing that fits has changed since 'last.json'; 4 files left out; --dry-run lists them\n";
    let since = ["--since", "last.json"];
    render(&since).stdout("walrus zebra?\n").stderr(format!("warning: {said}")).check();
    render(&[&since[..], &["--strict"]].concat()).code(3).stderr_has(&format!("error: {said}")).check();
}

#[test]
fn show_lists_what_a_render_would_leave_out() {
    let sandbox = sandbox();
    next(&sandbox, &[]);
    sandbox.write("docs/b.md", "2\n");
    let listed = sandbox.ctx(["show", "--expand", "--since", "last.json"]).stdout_any().check();
    let dry_run = sandbox.ctx(["render", "--dry-run", "--since", "last.json"]).stdout_any().check();
    assert!(listed.starts_with(&dry_run), "{listed}");
    assert!(listed.contains("unchanged"), "{listed}");
}

#[test]
fn manifest_on_the_list_is_left_out_like_one_that_a_pattern_matches() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    sandbox.ctx(["add", "-q", "*.md"]).check();
    sandbox.ctx(["render", "--manifest", "last.json"]).stdout_any().check();
    sandbox.write("b.md", "new\n");
    for entry in ["last.json", "*.json"] {
        sandbox.ctx(["add", "-q", entry]).stderr_any().check();
        for more in [&[][..], &["--manifest", "next.json"]] {
            let line = ["render", "--since", "last.json", "-p", "x"];
            let render = sandbox
                .ctx(line.iter().chain(more))
                .stdout_has("[b.md: changed]\nnew\n")
                .stdout_lacks("[last.json]");
            render.stderr_any().check();
        }
        std::fs::remove_file(sandbox.path("next.json")).unwrap();
        sandbox.ctx(["rm", "-q", entry]).check();
    }
    sandbox
        .ctx(["render", "-o", "b.md", "b.md"])
        .code(2)
        .stderr_has("would be both read and overwritten")
        .check();
}

#[test]
fn account_of_a_printed_block_does_not_call_an_exclusion_of_questions_a_problem() {
    let sandbox = Sandbox::with(&[("z.md", "z\n"), ("d/e/x.md", "x\n")]);
    sandbox.ctx(["add", "-q", "*.md", "!d/e/**"]).check();
    sandbox.ctx(["render", "--manifest", "last.json"]).stdout_any().check();
    let account: serde_json::Value = serde_json::from_str(&sandbox.read("last.json")).unwrap();
    let entries = account["entries"].as_array().unwrap();
    let exclusion = entries.iter().find(|entry| entry["entry"] == "!d/e/**").unwrap();
    assert_eq!((&exclusion["state"], exclusion.get("problem")), (&"exclusion".into(), None), "{exclusion}");
}

#[test]
fn next_page_of_a_question_repeats_nothing_until_nothing_is_left() {
    let function = |name: &str| {
        let body: String = (0..12).map(|line| format!("    keep_key({name}_{line});\n")).collect();
        format!("/// Rotates keys.\nfn rotate_{name}() {{\n{body}}}\n\n")
    };
    let names = ["one", "two", "three", "four", "five", "six"];
    let text: String = names.iter().map(|name| function(name)).collect();
    let sandbox = Sandbox::with(&[("src/keys.rs", &text), ("src/other.rs", &function("other"))]);
    let page = |code: i32, paths: &[&str]| {
        let args = ["ask", "how are keys rotated?", "-b", "250", "-q"];
        let line = [&args[..], paths, &["--since", "seen.json", "--manifest", "seen.json"]].concat();
        sandbox.ctx(line).code(code).stdout_any().stderr_any().check()
    };
    let functions = |page: &str| -> Vec<String> {
        let lines = page.lines().filter(|line| line.starts_with("fn rotate_"));
        lines.map(str::to_owned).collect()
    };
    // With some lines of a file beside the rest, too.
    for (paths, count) in [(&["src", "src/keys.rs:1-17"][..], 6), (&[], 7)] {
        let mut seen: Vec<String> = Vec::new();
        let _ = fs::remove_file(sandbox.path("seen.json"));
        while seen.len() < count {
            let new = functions(&page(0, paths));
            let repeats =
                new.iter().any(|function| seen.contains(function) && function != "fn rotate_one() {");
            assert!(!new.is_empty() && !repeats, "{seen:?} {new:?}");
            seen.extend(new);
        }
    }
    page(1, &[]);
    let since = "error: nothing else answers the question since 'seen.json'\n";
    let args = ["ask", "how are keys rotated?", "--since", "seen.json"];
    sandbox.ctx(args).code(1).stderr_has(since).stderr_has("hint: -w NAMES").check();
    // Of a file that has changed, everything is new.
    sandbox.write("src/other.rs", format!("// Edited.\n{}", function("other")));
    assert_eq!(functions(&page(0, &[])), ["fn rotate_other() {"]);
}
