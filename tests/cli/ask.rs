//! A question about everything here.

use std::fs;

use serde_json::Value;

#[cfg(unix)]
use crate::support::{Sandbox, block_of};

/// A repository of many files, few of which are about keys.
fn with_repository() -> Sandbox {
    let sandbox = Sandbox::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/objects/info/x", ""),
        (".git/refs/heads/x", ""),
        (".git/keys.md", "The secret keys of git are rotated.\n"),
        (".github/workflows/keys.yml", "name: rotate the keys\n"),
        ("src/keys.rs", "/// Rotates the keys.\npub fn rotate_keys() {}\n"),
        ("docs/guide.md", "# Guide\n\nKeys are rotated every night.\n"),
        ("target/keys.rs", "generated keys\n"),
        (".gitignore", "target\n"),
    ]);
    for number in 0..40 {
        let text = format!("pub fn other_{number}() {{}}\n").repeat(200);
        sandbox.write(&format!("src/other/file_{number}.rs"), text);
    }
    sandbox
}

/// A repository with more about parcels than fits into any budget.
fn with_parcels() -> Sandbox {
    let sandbox = with_repository();
    let letters = || 'a'..='z';
    for file in letters() {
        let parcel = |(a, b)| format!("pub fn parcel_{file}{a}{b}() {{}}\n");
        let pairs = letters().flat_map(|a| letters().take(8).map(move |b| (a, b)));
        sandbox.write(&format!("src/parcels/{file}.rs"), pairs.map(parcel).collect::<String>());
    }
    sandbox
}

/// The account of a question.
pub fn account(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let all = [&["ask", "--dry-run", "--json"], arguments].concat();
    serde_json::from_str(&sandbox.ctx(all).stdout_any().stderr_any().check()).unwrap()
}

/// The labels of all files that were searched, whether printed or not.
fn looked_through(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    let account = account(sandbox, arguments);
    let files = account["files"].as_array().unwrap().iter();
    let mut labels: Vec<String> = files.map(|file| file["path"].as_str().unwrap().to_owned()).collect();
    labels.sort_unstable();
    labels
}

#[test]
fn question_searches_everything_not_ignored_including_dot_directories() {
    let sandbox = with_repository();
    let block = sandbox
        .ctx(["ask", "how are keys rotated?"])
        .stdout_has("[src/keys.rs]\n/// Rotates the keys.\n")
        .stdout_has("[.github/workflows/keys.yml]\nname: rotate the keys\n")
        .stdout_has("[docs/guide.md]\n")
        .stdout_lacks("of git are rotated")
        .stdout_lacks("generated keys")
        .stderr_has("note: ")
        .check();
    assert!(block.ends_with("--- CONTEXT FILES END ---\n\nhow are keys rotated?\n"), "{block}");
    assert!(!sandbox.store().exists());
}

#[test]
fn question_from_a_subdirectory_searches_the_whole_repository() {
    let sandbox = with_repository();
    sandbox
        .ctx_in(&sandbox.path("src/other"), ["ask", "how are keys rotated?"])
        .stdout_has("pub fn rotate_keys() {}\n")
        .stdout_has("Keys are rotated every night.\n")
        .stderr_any()
        .check();
}

#[test]
fn paths_limit_the_search_to_everything_below_them() {
    let sandbox = with_repository();
    sandbox.write("docs/.hidden/deep/.a/b.md", "keys\n");
    sandbox.write("src/long.rs", "fn keys() {}\n".repeat(2_000));
    sandbox.ctx(["add", "src/keys.rs", "src/long.rs"]).stderr_any().check();
    // What is small and on the list is in every question.
    assert_eq!(
        looked_through(&sandbox, &["keys", "docs"]),
        ["docs/.hidden/deep/.a/b.md", "docs/guide.md", "src/keys.rs"]
    );
    sandbox.ctx(["set", "--pin", "src/keys.rs"]).stderr_any().check();
    assert_eq!(
        looked_through(&sandbox, &["keys", "docs"]),
        ["docs/.hidden/deep/.a/b.md", "docs/guide.md", "src/keys.rs"]
    );
    sandbox.ctx(["add", "-q", "-f", "--tag", "other", "later"]).check();
    assert_eq!(looked_through(&sandbox, &["keys", "docs/*.md", "--tag", "other"]), ["docs/guide.md"]);
}

#[test]
fn texts_and_references_do_not_limit_the_search() {
    let sandbox = Sandbox::with(&[("a.md", "one\n"), ("b.md", "two\n")]);
    sandbox
        .ctx(["ask", "what of one?", "-"])
        .stdin("three\n")
        .stdout_has("[a.md]\none\n")
        .stdout_has("[b.md]\ntwo\n")
        .stdout_has("[stdin]\nthree\n")
        .check();
    sandbox.ctx(["ask", "what of @a.md?"]).stdout_has("[b.md]\ntwo\n").stderr_any().check();
}

#[test]
fn exclusions_of_every_list_apply_to_the_search() {
    let sandbox =
        Sandbox::with(&[("a.md", "keys\n"), ("b.md", "keys\n"), ("c.md", "keys\n"), ("d.md", "keys\n")]);
    sandbox.ctx(["init"]).stderr_any().check();
    sandbox.ctx(["add", "!b.md"]).stderr_any().check();
    sandbox.ctx(["add", "-g", "!c.md"]).stderr_any().check();
    assert_eq!(looked_through(&sandbox, &["keys", "."])[..], ["a.md", "d.md"]);
    assert_eq!(looked_through(&sandbox, &["keys", "!d.md"])[..], ["a.md"]);
}

#[test]
fn an_exclusion_takes_out_what_is_searched_but_nothing_of_an_earlier_list() {
    let sandbox = Sandbox::with(&[("gen/a.md", "keys\n"), ("gen/b.txt", "keys\n"), ("c.md", "keys\n")]);
    sandbox.ctx(["add", "-g", "gen/*.md"]).stderr_any().check();
    sandbox.ctx(["add", "!gen/**"]).stderr_any().check();
    assert_eq!(looked_through(&sandbox, &["keys"])[..], ["c.md", "gen/a.md"]);
    sandbox.ctx(["rm", "-g", "gen/*.md"]).stderr_any().check();
    assert_eq!(looked_through(&sandbox, &["keys"])[..], ["c.md"]);
}

#[test]
fn pins_take_no_room_from_competing_files_unless_a_budget_is_given() {
    let sandbox = with_parcels();
    sandbox.write("pinned.md", "word ".repeat(9_000));
    let room = account(&sandbox, &["parcels"])["tokens"]["block"].as_u64().unwrap();
    assert!((15_200..=16_000).contains(&room), "{room}");
    sandbox.ctx(["add", "--pin", "pinned.md"]).stderr_any().check();
    let with_pin = account(&sandbox, &["parcels"]);
    let tokens = with_pin["tokens"]["block"].as_u64().unwrap();
    assert!((room + 8_000..=room + 10_000).contains(&tokens), "{tokens}, {room}");
    let within = account(&sandbox, &["-b", "12k", "parcels"])["tokens"]["block"].as_u64().unwrap();
    assert!(within <= 12_000, "{within}");
}

#[test]
fn pins_and_competing_files_fit_the_window() {
    let sandbox = with_repository();
    sandbox.write("pinned.md", "word ".repeat(9_000));
    sandbox.ctx(["add", "--pin", "pinned.md"]).stderr_any().check();
    let models =
        r#"{"models":[{"name":"small","window":16000,"basis":"exact","tokenizer":"o200k","factor":1}]}"#;
    sandbox.write_store("models.json", models);
    let account = account(&sandbox, &["-m", "small", "other_7"]);
    assert_eq!(account["budget"], 12_000);
    assert!(account["tokens"]["block"].as_u64().unwrap() <= 12_000);
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn stored_commands_are_not_run_unless_they_are_pinned() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    sandbox.ctx(["add", "cmd:echo stored"]).stderr_any().check();
    sandbox.ctx(["ask", "what of one?"]).stdout_lacks("stored").check();
    sandbox.ctx(["set", "--pin", "cmd:echo stored"]).stderr_any().check();
    sandbox.ctx(["trust"]).stdout_any().stderr_any().check();
    sandbox.ctx(["ask", "what of one?"]).stdout_has("\nstored\n").stderr_any().check();
}

#[test]
fn searched_entry_contributes_passages_as_in_render() {
    let sandbox = Sandbox::with(&[("a.md", "one\n"), ("docs/b.md", "keys\n"), ("docs/c.md", "two\n")]);
    sandbox.ctx(["add", "--search", "docs/**"]).stderr_any().check();
    sandbox
        .ctx(["ask", "keys"])
        .stdout(block_of(&[("docs/b.md:1", "keys\n"), ("a.md", "one\n")]) + "\nkeys\n")
        .check();
    // What is only in the searched files is here as well.
    sandbox.ctx(["ask", "where do I find the keys and the two?"]).stdout_any().check();
}

#[cfg(unix)]
#[test]
fn linked_worktree_is_searched_only_if_it_is_named() {
    let sandbox = Sandbox::with(&[("a.md", "keys\n")]);
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x@x", "-C"]).arg(sandbox.project()).args(arguments);
        assert!(git.env("HOME", sandbox.home()).output().unwrap().status.success());
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "x"]);
    git(&["worktree", "add", "-q", "trees/one"]);
    assert_eq!(looked_through(&sandbox, &["keys"]), ["a.md"]);
    assert_eq!(looked_through(&sandbox, &["keys", "trees/one"]), ["trees/one/a.md"]);
    let why = "'trees/one' is not searched: it is a linked worktree, which is only searched if you name it";
    let left_out = |error: &str, line: &str| format!("error: {error}{why}\nhint: {line}\n");
    let no_files = left_out("no files in 'trees': ", "name the work tree: trees/one");
    sandbox.ctx(["ask", "keys", "trees"]).code(1).stderr(no_files).check();
    let no_files =
        left_out("No files found matching glob pattern 'tr*/**': ", "name the work tree: trees/one");
    sandbox.ctx(["ask", "keys", "tr*/**"]).code(1).stderr(no_files).check();
    let below = left_out("no files in '.': ", "name the work tree: one");
    sandbox.ctx_in(&sandbox.path("trees"), ["ask", "keys", "."]).code(1).stderr(below).check();
    fs::remove_file(sandbox.path("a.md")).unwrap();
    let nothing = "error: nothing to search in '<project>': 'trees/one': it is a linked worktree, which is only \
                   searched if you name it\nhint: ctx ask \"QUESTION\" trees/one searches another place\n";
    sandbox.ctx(["ask", "keys"]).code(1).stderr(nothing).check();
    // A pattern that ends with `**` already means everything below.
    sandbox.write("a.txt", "a\n");
    sandbox.ctx(["ask", "keys", "no*/**"]).code(1).stderr_lacks("/**/**").stderr_any().check();
}

#[test]
fn home_directory_is_not_searched_as_a_whole() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.home().join("a.md"), "keys\n").unwrap();
    let why = "the home directory and the directories above it are not searched as a whole";
    let error =
        format!("error: '~': {why}\nhint: name a directory or pattern in it: ctx ask QUESTION PATH\n");
    sandbox.ctx_in(&sandbox.home(), ["ask", "keys"]).code(1).stderr(error).check();
    for path in ["~", "..", "/"] {
        sandbox.ctx(["ask", "keys", path]).code(1).stderr_has(&format!("error: '{path}': {why}\n")).check();
    }
    sandbox.ctx(["ask", "keys", "~/*.md"]).stdout_has("keys\n").check();
}

#[test]
fn question_with_no_files_to_search_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["ask", "why?"])
        .code(1)
        .stderr(
            "error: nothing to search in '<project>'\n\
             hint: ctx ask \"QUESTION\" PATH searches another place\n",
        )
        .check();
    sandbox.write("a.md", "one\n");
    for filter in [["--include", "*.rs"], ["--exclude", "*"], ["--containing", "zebra"]] {
        let error = "error: no file in '<project>' passes the filters\n";
        sandbox.ctx(["ask", "why?"].iter().chain(&filter)).code(1).stderr(error).check();
    }
}

#[cfg(unix)]
#[test]
fn trim_rule_that_ignores_the_question_does_not_call_it_vague() {
    let sandbox = Sandbox::with(&[("a.md", "one\n"), ("b.md", "")]);
    sandbox.write("b.md", "two\n".repeat(200));
    let vague = "no word of the question singles out any files";
    let ask = |rule: &str| sandbox.ctx(["ask", "-b", "100", "--trim", rule, "what is it?"]).stdout_any();
    ask("relevant").stderr_has(vague).check();
    ask("largest").stderr_lacks(vague).check();
}

#[test]
fn only_redactions_in_printed_passages_are_reported() {
    let sandbox = Sandbox::new();
    let key = format!("{}{}", "AKIA", "Q3EGRJ5XK7T2M4WZ");
    let middle = "pub fn other() {}\n".repeat(400);
    let text = |first: &str, other: &str| {
        format!("pub fn rotate_keys() {{\n{first}\n}}\n{middle}\n{other}\n{middle}")
    };
    sandbox.write("a.rs", text("", &format!("{key}\n{key}\nx\u{202e}")));
    let ask = || sandbox.ctx(["ask", "-b", "300", "--strict", "rotate", "."]);
    ask().stdout_lacks("REDACTED").stdout_lacks("U+202E").stderr_has("note: part of 1 file").check();
    sandbox.write("a.rs", text(&key, &key));
    let secret = "error: 1 secret redacted in 1 file: 'a.rs' (1 aws-access-key-id, line 2)\n";
    ask().code(3).stderr_has(secret).check();
    sandbox.write("a.rs", text("x\u{202e}y", "x\u{202e}"));
    let hidden = "error: 1 hidden character made visible in 1 file: 'a.rs' (U+202E)\n";
    ask().code(3).stderr_has(hidden).check();
}

#[test]
fn files_expanded_by_a_shell_must_all_fit_unlike_a_quoted_pattern() {
    let sandbox = Sandbox::new();
    let files: Vec<String> = (0..9).map(|number| format!("src/{number}.md")).collect();
    files.iter().for_each(|file| sandbox.write(file, "Keys are rotated here.\n".repeat(20)));
    let ask = |paths: &[&str]| sandbox.ctx([&["ask", "-b", "300", "who rotates keys?"], paths].concat());
    let hint = "hint: from a directory or a quoted pattern, ctx prints what fits\n";
    ask(&files.iter().map(String::as_str).collect::<Vec<_>>()).code(1).stderr_has(hint).check();
    ask(&["src/*.md"]).stdout_has("[src/0.md]\n").stderr_any().check();
    ask(&["src"]).stdout_has("[src/0.md]\n").stderr_any().check();
}

#[test]
fn root_is_named_only_if_it_is_searched() {
    let sandbox = Sandbox::with(&[("a.md", "one\n"), ("../home/notes/b.md", "")]);
    sandbox.write("../home/notes/b.md", "two words of many\n".repeat(2_000));
    let elsewhere = "note: part of 1 file, ";
    let asked = sandbox.ctx(["ask", "-b", "1k", "which words?", "../home/notes"]);
    asked.stdout_any().stderr_has(elsewhere).check();
    let asked = sandbox.ctx(["ask", "-b", "1k", "which words?", "../home/notes", "a.md"]);
    asked.stdout_any().stderr_has(" of 2 files of <project>, ").check();
}

#[test]
fn question_can_be_text_standard_input_or_a_file_but_not_empty() {
    let sandbox = Sandbox::with(&[("a.md", "one\n"), ("b/c.md", "two\n"), ("question", "What of two?\n")]);
    let whole = |question: &str| block_of(&[("b/c.md", "two\n")]) + "\n" + question + "\n";
    sandbox.ctx(["ask", "-p", "-x is two?", "b"]).stdout(whole("-x is two?")).check();
    sandbox.ctx(["ask", "-", "b"]).stdin("What of two?\n").stdout(whole("What of two?")).check();
    sandbox.ctx(["ask", "--prompt-file", "question", "b"]).stdout(whole("What of two?")).check();
    sandbox.ctx(["ask", "-p", "What of two?", "b"]).stdout(whole("What of two?")).check();
    let empty = "error: the question is empty\nhint: ctx ask \"where is the bug?\"\n";
    let program = std::path::absolute(crate::support::binary()).unwrap();
    for question in [&["ask", ""][..], &["ask", "  "], &["ask", "", "--", program.to_str().unwrap()]] {
        sandbox.ctx(question).code(2).stderr(empty).check();
    }
    sandbox.ctx(["ask", "-"]).stdin(" \n").code(2).stderr(empty).check();
    sandbox.ctx(["ask"]).stdin(" \n").code(2).stderr(empty).check();
}

/// The labels in a block, in order.
fn labels(block: &str) -> Vec<&str> {
    block
        .lines()
        .filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'))
        .filter(|one| !one.contains('…'))
        .collect()
}

const VAGUE: &str = "note: no word of the question singles out any files: READMEs come first, then files that others import\n";

#[test]
fn question_about_everything_ranks_readmes_then_imported_files_and_licences_last() {
    let sandbox = Sandbox::with(&[
        (".cargo-ok", "{\"v\":1}\n"),
        (".github/project.yml", "name: the project\n"),
        ("ARCHITECTURE.md", "How the parts fit.\n"),
        ("Cargo.toml", "[package]\nname = \"notes\"\n"),
        ("LICENSE-MIT", "What this work does not warrant, a project of its own.\n"),
        ("README.md", "# Notes\n\nKeeps notes.\n"),
        ("src/alone.rs", "pub fn alone() {}\n"),
        ("src/engine.rs", "pub struct Engine;\n"),
        ("tests/all.rs", "fn works() {}\n"),
    ]);
    for number in 0..20 {
        let text = "    let x = step();\n".repeat(60);
        let text = format!("use crate::engine::Engine;\n\nfn user_{number}() {{\n{text}}}\n");
        sandbox.write(&format!("src/users/user_{number:02}.rs"), text);
    }
    for question in
        ["what does this project do?", "Summarize the repo.", "how does it work?", "what is it about?"]
    {
        let block = sandbox.ctx(["ask", "-b", "1500", question]).stdout_any().stderr_has(VAGUE).check();
        assert_eq!(labels(&block)[..2], ["README.md", "src/engine.rs"], "{question}");
    }
    let architecture = ["ask", "-b", "1500", "what is the architecture of this app?"];
    let block = sandbox.ctx(architecture).stdout_any().stderr_has(VAGUE).check();
    assert_eq!(labels(&block)[..3], ["README.md", "ARCHITECTURE.md", "src/engine.rs"]);
    let ranks = account(&sandbox, &["-b", "1500", "what does this project do?"]);
    let mut ranks: Vec<(u64, String)> = ranks["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["rank"].as_u64().unwrap(), file["path"].as_str().unwrap().to_owned()))
        .collect();
    ranks.sort_unstable();
    let last: Vec<&str> = ranks[ranks.len() - 7..].iter().map(|(_, path)| path.as_str()).collect();
    assert_eq!(
        last,
        [
            "ARCHITECTURE.md",
            "src/alone.rs",
            "tests/all.rs",
            ".cargo-ok",
            ".github/project.yml",
            "Cargo.toml",
            "LICENSE-MIT"
        ]
    );
    sandbox.write("src/overview.rs", "pub fn page() {}\n");
    let block = sandbox
        .ctx(["ask", "-b", "1500", "how does the overview page work?"])
        .stdout_any()
        .stderr_any()
        .check();
    assert_eq!(labels(&block)[0], "src/overview.rs");
}

#[test]
#[cfg(unix)] // cp
fn question_about_everything_in_a_package_begins_with_its_readme() {
    let sandbox = Sandbox::new();
    crate::readme::sources_of("clap_builder", &sandbox);
    let directory = sandbox.path("clap_builder");
    let question = ["ask", "-b", "6000", "what does this project do?"];
    let block = sandbox.ctx_in(&directory, question).stdout_any().stderr_has(VAGUE).check();
    let labels = labels(&block);
    assert_eq!(labels[0], "README.md", "{labels:?}");
    assert!(labels.len() > 3 && labels[1..].iter().all(|label| label.starts_with("src/")), "{labels:?}");
}

#[test]
fn dry_run_is_not_suggested_in_a_dry_run() {
    let sandbox = with_repository();
    sandbox.write("main-z.txt", "zebrafish\n");
    let offers = "--dry-run lists";
    (0..9).for_each(|number| {
        sandbox.write(&format!("a-file-with-a-long-name/{number}-zebrafish.txt"), "zebrafish\n")
    });
    sandbox.ctx(["ask", "zebrafish"]).stdout_any().stderr_has(", …; ").stderr_has(offers).check();
    std::fs::remove_dir_all(sandbox.path("a-file-with-a-long-name")).unwrap();
    sandbox.ctx(["ask", "-b", "100", "zebrafish"]).stdout_any().stderr_lacks(offers).check();
    let listed = sandbox.ctx(["ask", "-b", "100", "zebrafish", "--dry-run"]).stdout_any();
    listed.stderr_has("of 100 tokens: main-z.txt\n").stderr_lacks(offers).check();
    let offered = "hint: --budget 30 is enough\nhint: --dry-run lists the tokens of each file\n";
    sandbox.ctx(["ask", "-b", "9", "zebrafish"]).code(1).stderr_has(offered).check();
    let listed = sandbox.ctx(["ask", "-b", "9", "zebrafish", "--dry-run"]).code(1).stdout_any();
    listed.stderr_has("\nhint: --budget 30 is enough\n").stderr_lacks(offers).check();
    sandbox.ctx(["ask", "--budget", "30", "zebrafish"]).stdout_has("zebrafish\n").stderr_any().check();
}

#[test]
fn reported_minimum_budget_is_enough() {
    let sandbox = with_repository();
    sandbox.write("main-z.txt", &("zebrafish swim\n".repeat(40) + &"other\n".repeat(4_000)));
    let said = "nothing fits in 20 tokens: the best passage, in 'main-z.txt', needs ";
    let output = crate::states::run(&sandbox, &["ask", "-b", "20", "zebrafish"]);
    let told = String::from_utf8(output.stderr).unwrap();
    let needed = told.split_once(said).unwrap().1.lines().next().unwrap().replace(',', "");
    sandbox.ctx(["ask", "-b", &needed, "zebrafish"]).stdout_has("[main-z.txt:1-40]\n").stderr_any().check();
}

#[test]
fn file_without_words_of_the_question_takes_no_room() {
    let sandbox = with_repository();
    sandbox.write("main-z.txt", "zebrafish\n");
    sandbox.write(".ci/run", "run\n".repeat(4_000));
    sandbox
        .ctx(["ask", "zebrafish"])
        .stdout(block_of(&[("main-z.txt", "zebrafish\n")]) + "\nzebrafish\n")
        .stderr_has("note: 1 of 46 files of <project>, ")
        .stderr_has(" of 16,000 tokens: main-z.txt\n")
        .check();
}

#[test]
fn named_file_competes_except_for_its_best_passages() {
    let sandbox = with_repository();
    let other = "/// Drops crumbs, and crumbs again.\npub fn crumbs() {}\n\n".repeat(400);
    sandbox.write("src/large.rs", format!("{other}/// Rotates nothing.\npub fn rotated() {{}}\n"));
    let block = sandbox
        .ctx(["ask", "-b", "1000", "how are keys rotated, or crumbs?", "src/large.rs", "docs", "src/keys.rs"])
        .stdout_has("pub fn rotated() {}\n")
        .stdout_has("Keys are rotated every night.\n")
        .stdout_has("pub fn rotate_keys() {}\n")
        .stderr_any()
        .check();
    assert_eq!(labels(&block).len(), 3, "{block}");
    sandbox
        .ctx(["ask", "-b", "30", "crumbs?", "src/large.rs"])
        .code(1)
        .stderr_has("error: the files you pinned or named and the prompt need ")
        .stderr_has(" tokens even in part, but the budget is 30: 'src/large.rs' (")
        .check();
}

#[test]
fn unit_whose_twin_is_left_out_is_printed() {
    let sandbox = Sandbox::new();
    let lines = |line: &str, count: usize| format!("    {line}\n").repeat(count);
    let best = format!("pub fn graze() {{\n{}}}\n\n", lines("zebra(quagga, ibex, okapi, gnu);", 30));
    let filler = format!("pub fn stroll() {{\n{}}}\n\n", lines("step = other(step);", 45));
    let twin = format!("pub fn draw() {{\n{}    let walrus = 1;\n}}\n", lines("line = next(line);", 30));
    sandbox.write("src/a.rs", format!("{best}{filler}{twin}"));
    sandbox.write("src/walrus.rs", &twin);
    for file in 0..20 {
        sandbox.write(&format!("src/f{file}.rs"), format!("{}// A walrus.\n", filler.repeat(4)));
    }
    let question = "zebra quagga ibex okapi gnu walrus";
    let block = sandbox.ctx(["ask", "-b", "2500", question]).stdout_any().stderr_any().check();
    assert_eq!(block.matches("pub fn draw() {").count(), 1, "{block}");
}

#[test]
fn query_may_begin_with_a_hyphen() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    sandbox.ctx(["render", "a.md", "--query", "-x"]).stdout(block_of(&[("a.md", "one\n")])).check();
}

#[test]
fn short_help_fits_a_screen() {
    let help = Sandbox::new().ctx(["ask", "-h"]).stdout_any().check();
    assert!(help.lines().count() <= 30, "{help}");
}

#[test]
fn strict_question_allows_competing_files_to_be_left_out() {
    let sandbox = with_repository();
    sandbox.ctx(["ask", "--strict", "how are keys rotated?"]).stdout_any().stderr_has("note: ").check();
}

#[test]
fn questions_use_the_ask_budget_setting_and_ignore_those_of_render() {
    let sandbox = with_parcels();
    for setting in ["budget=500", "trim=truncate", "ask_budget=4k"] {
        sandbox.ctx(["profile", "--set", setting]).stderr_any().check();
    }
    let tokens = account(&sandbox, &["parcels"])["tokens"]["block"].as_u64().unwrap();
    assert!((3_500..=4_000).contains(&tokens), "{tokens}");
}

#[test]
fn missing_paths_are_one_error_with_the_nearest_names() {
    let sandbox = Sandbox::with(&[("src/walk.rs", "fn walk() {}\n"), ("README.md", "walks\n")]);
    for (typed, error, hints) in [
        (
            &["ask", "how", "are", "loops", "found?"][..],
            "no such files: 'are', 'loops', 'found?'; if they belong to the question, quote the question",
            &[][..],
        ),
        (
            &["ask", "how are loops found?", "src/wlak.rs"],
            "no such file: 'src/wlak.rs'; if it belongs to the question, quote the question",
            &["did you mean 'src/walk.rs'?"],
        ),
        (
            &["search", "loops", "srcs"],
            "no such file: 'srcs'; if it belongs to the query, quote the query",
            &["did you mean 'src'?"],
        ),
        (
            &["render", "-p", "x", "srx/walk.rs"],
            "no such file: 'srx/walk.rs'; if it belongs to the prompt, quote the prompt",
            &["did you mean 'src/walk.rs'?"],
        ),
        (&["render", "REDME.md"], "no such file: 'REDME.md'", &["did you mean 'README.md'?"]),
        (&["explain", "READNE.md"], "cannot explain 'READNE.md': not found", &["did you mean 'README.md'?"]),
        (
            &["add", "--pin", "src/walk"],
            "Invalid path 'src/walk': not found. Use --force to add anyway.",
            &["did you mean 'src/walk.rs'?"],
        ),
        (
            &["ask", "how are loops found?", "s*"],
            "No files found matching glob pattern 's*'",
            &["'s*/**' matches files"],
        ),
        (&["ask", "why?", "*.py"], "No files found matching glob pattern '*.py'", &[]),
    ] {
        let hints: String = hints.iter().map(|hint| format!("hint: {hint}\n")).collect();
        sandbox.ctx(typed).code(1).stderr_has(&format!("error: {error}\n{hints}")).check();
    }
}

#[test]
fn files_left_out_by_a_projects_exclusions_are_counted() {
    let sandbox = Sandbox::with(&[
        ("a.txt", "walrus\n"),
        ("b.md", "walrus\n"),
        ("secretdir/c.txt", "walrus\n"),
        (".ctx/profiles/default.json", r#"{"paths":["!secretdir/**","!*.md"]}"#),
    ]);
    sandbox.repository();
    let note = "note: 2 files left out by the project's exclusions; --no-project includes them\n";
    sandbox.ctx(["ask", "walrus"]).stdout_lacks("b.md").stderr_has(note).check();
    sandbox.ctx(["search", "walrus"]).stdout_lacks("b.md").stderr(note).check();
    sandbox.ctx(["--no-project", "search", "walrus"]).stdout_has("b.md").check();
    sandbox.write(".ctxignore", "a.txt\n");
    let note = "1 file left out by .ctxignore";
    sandbox.write(".ignore", ".ignore\n");
    sandbox.ctx(["search", "--no-project", "walrus"]).stdout_lacks("a.txt").stderr_has(note).check();
}

#[test]
fn lists_of_ctx_are_not_searched_unless_they_are_named() {
    let sandbox = Sandbox::with(&[
        ("a.md", "walrus\n"),
        (".ctx/profiles/default.json", r#"{"paths":[],"instruction":"walrus"}"#),
        ("b/.ctx/profiles/default.json", r#"{"paths":[],"instruction":"walrus"}"#),
    ]);
    sandbox.repository();
    assert_eq!(looked_through(&sandbox, &["walrus"]), ["a.md"]);
    sandbox.ctx(["search", "walrus"]).stdout_lacks(".ctx").stderr_any().check();
    let named = [".ctx/profiles/default.json"];
    assert_eq!(looked_through(&sandbox, &["walrus", ".ctx"]), named);
    assert_eq!(looked_through(&sandbox, &["walrus", ".ctx/profiles/*.json"]), named);
    assert_eq!(looked_through(&sandbox, &["walrus", named[0]]), named);
}

#[test]
fn home_directory_is_not_searched_as_a_whole_with_a_pattern() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.home().join("a.md"), "keys\n").unwrap();
    fs::create_dir(sandbox.home().join("src")).unwrap();
    let why = "the home directory and the directories above it are not searched as a whole";
    for (directory, pattern) in [
        ("", "**"),
        ("", "*/**"),
        ("", "**/*.md"),
        ("", "{src,**}"),
        ("src", "../**"),
        ("src", "~/**"),
        ("src", "/*/**"),
    ] {
        let place = sandbox.home().join(directory);
        let said = format!("error: '{pattern}': {why}\n");
        sandbox.ctx_in(&place, ["ask", "keys", pattern]).code(1).stderr_has(&said).check();
        sandbox.ctx_in(&place, ["search", "keys", pattern]).code(1).stderr_has("ctx search QUERY").check();
    }
    sandbox.ctx_in(&sandbox.home(), ["ask", "keys", "*.md"]).stdout_has("keys\n").check();
    sandbox.ctx_in(&sandbox.home(), ["render", "**/*.md"]).stdout_has("keys\n").check();
}

#[cfg(unix)]
#[test]
fn file_is_labelled_with_its_own_path_even_if_a_link_leads_to_it() {
    let sandbox = Sandbox::with(&[("s/m.rs", "mm\n"), ("d/x.rs", "other\n")]);
    std::os::unix::fs::symlink("../s", sandbox.path("d/l")).unwrap();
    assert_eq!(looked_through(&sandbox, &["mm"]), ["d/x.rs", "s/m.rs"]);
    sandbox.ctx(["ask", "mm @s/m.rs"]).stdout_has("[s/m.rs]\n").stderr_any().check();
}

#[test]
fn too_much_to_search_is_an_error_that_suggests_a_narrower_path() {
    let sandbox = Sandbox::with(&[("a.md", "keys\n"), ("large.md", "")]);
    fs::File::options().write(true).open(sandbox.path("large.md")).unwrap().set_len(1_000_000_001).unwrap();
    let error = "error: there is more to search than 100,000 files or 1 GB\n";
    for (command, path) in [("ask", "ctx ask QUESTION PATH"), ("search", "ctx search QUERY PATH")] {
        let said = format!("{error}hint: name a directory or pattern in it: {path}\n");
        sandbox.ctx([command, "keys"]).code(1).stderr(said).check();
    }
}

#[test]
fn dry_run_of_a_question_notes_how_to_run_its_commands() {
    let sandbox = Sandbox::with(&[("a.md", "keys\n")]);
    let note = "'ctx ask' without --dry-run runs commands\n";
    sandbox.ctx(["ask", "keys", "cmd:date", "--dry-run"]).stdout_any().stderr_has(note).check();
}

#[test]
fn dry_run_lists_what_is_chosen_and_counts_the_others() {
    let large = format!("{}the zebrafish swims\n{}", "else\n".repeat(2_000), "else\n".repeat(2_000));
    let sandbox = Sandbox::with(&[
        ("fish.md", "a zebrafish\n"),
        ("large.txt", &large),
        ("b.md", "else\n"),
        ("c.md", "else\n"),
    ]);
    let told = sandbox.ctx(["ask", "--dry-run", "-b", "2k", "where is the zebrafish?"]).stderr_any();
    let told = told.stdout_has("\n2 others were left out (--dry-run --json lists them)\n").check();
    let lines: Vec<&str> = told.lines().collect();
    // The table has no column of entries. For a file in part, it lists the chosen lines.
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(lines[0]), ["path", "tokens", "share", "status", "reason"]);
    let rows: Vec<Vec<String>> = lines[1..3].iter().map(|line| words(line)).collect();
    let row = |path: &str| rows.iter().find(|row| row[0] == path).unwrap();
    assert_eq!(row("fish.md").last().unwrap(), "whole");
    assert_eq!(row("large.txt")[2], "of");
    assert!(row("large.txt").ends_with(&["lines".to_owned(), "2001-2040".to_owned()]), "{told}");
    assert_eq!((lines[3], lines.len()), ("", 7), "{told}");
    // A file that was asked for is listed, with its entry.
    sandbox.ctx(["add", "-q", "--pin", "b.md"]).check();
    let told = sandbox.ctx(["ask", "--dry-run", "-b", "2k", "where is the zebrafish?"]).stderr_any();
    let told = told.stdout_has("\n1 other was left out (").check();
    let pinned = told.lines().find(|line| line.starts_with("b.md")).unwrap();
    assert_eq!(words(pinned)[1], "b.md");
    let all =
        sandbox.ctx(["ask", "--dry-run", "--json", "where is the zebrafish?"]).stdout_any().stderr_any();
    assert!(all.check().contains("\"c.md\""));
}

#[test]
fn words_of_the_question_that_no_file_has_are_named() {
    let sandbox = Sandbox::with(&[("load.py", "def load_plugin():\n    pass\n"), ("b.md", "else\n")]);
    let note = |question: &str, said: &str| {
        sandbox.ctx(["ask", question]).stdout_any().stderr_has(said).check();
    };
    note("how are krakens loaded?", "note: no file has 'krakens'\n");
    note(
        "where do sirens, krakens, ghouls and zombies load plugins, or define, pass or load others?",
        "note: no file has 'sirens' or 'krakens' or 'ghouls'\n",
    );
    let known =
        ["how are plugins loaded?", "how does this project load them?", "why load plugins in load.py?"];
    for question in known {
        sandbox.ctx(["ask", question]).stdout_any().stderr_lacks("no file has").check();
    }
    // Ordinary words and function words of other languages are not worth a note.
    for question in ["does this break anything? what happens?", "und wo wird das plugin geladen, warum?"] {
        sandbox.ctx(["ask", question, "load.py"]).stdout_any().stderr_lacks("'anything'").check();
        let told = sandbox.ctx(["ask", question]).stdout_any().stderr_lacks("'anything'");
        told.stderr_lacks("'happens'").stderr_lacks("'warum'").stderr_lacks("'und'").check();
    }
    // If no word is found, another note says so. A block from a list is not a search.
    let vague = sandbox.ctx(["ask", "-b", "30", "where are krakens?"]).stdout_any();
    vague.stderr_lacks("no file has").check();
    sandbox.ctx(["render", "-p", "how are krakens loaded?", "load.py"]).stdout_any().check();
    sandbox.ctx(["ask", "--strict", "how are krakens loaded?"]).stdout_any().stderr_any().check();
}

#[test]
fn outlines_that_answer_a_question_come_without_the_names_of_other_files() {
    let sandbox = Sandbox::with(&[
        ("fish.rs", "/// A zebrafish.\npub struct Zebrafish;\n"),
        ("zebrafish.cfg", "a=1\n"),
    ]);
    for number in 0..400 {
        sandbox.write(&format!("data/{number}/else.cfg"), "a=1\n");
    }
    let asked = sandbox.ctx(["ask", "--as", "outline", "where is the zebrafish?"]).stderr_any();
    asked.stdout_has("BEGIN ---\nzebrafish.cfg\n\n[fish.rs]\n").stdout_lacks("else.cfg").check();
    let account = account(&sandbox, &["--as", "outline", "where is the zebrafish?"]);
    assert_eq!((&account["budget"], &account["file_counts"]["dropped"]), (&16_000.into(), &400.into()));
    // A requested tree takes its room from the budget, too.
    let tree = sandbox.ctx(["ask", "--tree", "--stats", "where is the zebrafish?"]).stdout_has("else.cfg");
    tree.stderr_has(" of the budget of 16,000;").check();
}

#[test]
fn what_answers_best_but_does_not_fit_is_a_warning() {
    let body: String = (0..60).map(|line| format!("    rotate_keys({line});\n")).collect();
    let sandbox = Sandbox::with(&[
        ("src/keys.rs", &format!("fn rotate_keys() {{\n{body}}}\n")),
        ("src/other.rs", "/// Also keys.\nfn other() {}\n"),
    ]);
    let ask = ["ask", "how are keys rotated?", "-w", "rotate_keys", "-b"];
    let best =
        "'src/keys.rs:1-48' answers best, but 47 of its 48 lines are left out: the budget is too small\n";
    let small = [&ask[..], &["200"]].concat();
    sandbox.ctx(&small).stdout_any().stderr_has(&format!("warning: {best}")).check();
    let strict = [&small[..], &["--strict"]].concat();
    sandbox.ctx(strict).code(3).stderr_has(best).check();
    let large = [&ask[..], &["2k", "--strict"]].concat();
    sandbox.ctx(large).stdout_has("fn rotate_keys").stderr_any().check();
}

#[test]
fn file_that_a_question_refers_to_comes_first() {
    let sandbox = Sandbox::with(&[("w/deep/main.rs", "fn other() {}\n")]);
    for number in 0..5 {
        let code = format!("fn timeout_{number}() {{ set_timeout({number}); }}\n");
        sandbox.write(&format!("src/t{number}.rs"), code);
    }
    let asked = sandbox.ctx(["ask", "why does set_timeout of timeout_3 ignore @w/deep/main.rs?"]);
    let block = asked.stderr_any().stdout_any().check();
    let labels: Vec<&str> = block.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(labels[..2], ["[w/deep/main.rs]", "[src/t3.rs]"], "{block}");
}
