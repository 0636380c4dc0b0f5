//! What is on a list and small is in every question.

#[cfg(target_os = "linux")]
use crate::strace::{denied, traced};
use crate::support::Sandbox;

/// A project with short rules, which import others, with a long file, and with code that answers a question.
fn project() -> Sandbox {
    let code = |number: usize| format!("fn timeout_{number}() {{\n    set_timeout({number});\n}}\n");
    let long: String = (0..900).map(|number| format!("Line {number} of many about nothing.\n")).collect();
    Sandbox::with(&[
        ("STYLE.md", "Answer in rhymes. See @extra.md.\n"),
        ("extra.md", "Never use tabs.\n"),
        ("long.py", &long),
        ("src/a.rs", &(0..2_000).map(code).collect::<String>()),
        ("src/b.rs", "fn other() {}\n"),
    ])
}

const QUESTION: &str = "how do I set a timeout?";

#[test]
fn question_has_small_entries_whole_with_their_imports() {
    let sandbox = project();
    sandbox.ctx(["add", "--imports", "STYLE.md"]).stderr_any().check();
    sandbox.ctx(["add", "long.py"]).stderr_any().check();
    let block = sandbox.ctx(["ask", QUESTION]).stderr_has(" for 2 from your list): ").stdout_any().check();
    assert!(block.contains("Answer in rhymes.") && block.contains("Never use tabs."), "{block}");
    assert!(!block.contains("[long.py"), "{block}");
    let limited = sandbox.ctx(["ask", QUESTION, "src"]).stderr_any().stdout_any().check();
    assert!(limited.contains("Answer in rhymes.") && limited.contains("Never use tabs."), "{limited}");
    sandbox
        .ctx(["ask", "--only", QUESTION])
        .stdout_lacks("rhymes")
        .stderr_lacks("your list")
        .stderr_any()
        .check();
    sandbox.ctx(["search", "rhymes", "src"]).code(1).stderr_any().check();
}

#[test]
fn what_does_not_fit_in_a_quarter_of_the_budget_competes() {
    let sandbox = project();
    let rules: String = (0..30).map(|number| format!("Rule {number}: be brief.\n")).collect();
    sandbox.write("rules.md", &rules);
    sandbox.ctx(["add", "long.py", "rules.md", "STYLE.md"]).stderr_any().check();
    sandbox.ctx(["ask", QUESTION]).stdout_has("Rule 29").stdout_has("rhymes").stderr_any().check();
    let small = sandbox.ctx(["ask", "-b", "600", QUESTION]).stderr_any().stdout_any().check();
    assert!(!small.contains("Rule 29") && small.contains("rhymes"), "{small}");
    let long =
        sandbox.ctx(["ask", "-b", "600", "what of line 899 of many?", "src"]).stderr_any().stdout_any();
    assert!(!long.check().contains("long.py"), "a file that only competes is not looked through");
}

#[test]
fn budget_that_is_too_small_for_the_list_is_reported_and_refused_if_strict() {
    let sandbox = project();
    let rules: String = (0..30).map(|number| format!("Rule {number}: be brief.\n")).collect();
    sandbox.write("rules.md", &rules);
    sandbox.ctx(["add", "long.py", "rules.md", "STYLE.md"]).stderr_any().check();
    let crowded_out = "'rules.md' of your list (210 tokens) does not fit in a quarter of 600, so it competes";
    let small = sandbox.ctx(["ask", "-b", "600", QUESTION]);
    small.stdout_any().stderr_has(&format!("note: {crowded_out}\n")).stderr_lacks("long.py").check();
    let limited = sandbox.ctx(["ask", "-b", "600", QUESTION, "src"]).stdout_lacks("Rule 29");
    limited.stderr_has("does not fit in a quarter of 600, so it is left out\n").check();
    let strict = |budget: &str| {
        let asked = sandbox.ctx(["ask", "--strict", "-b", budget, QUESTION]);
        asked
            .code(3)
            .stderr_has(&format!("error: {crowded_out}\nhint: -b 880 has room for your list; 'ctx add --pin FILE' keeps a file at any budget\n"))
            .check()
    };
    strict("600");
    let enough = sandbox.ctx(["ask", "--strict", "-b", "880", QUESTION]);
    enough.stdout_has("Rule 29").stderr_lacks("competes").check();
    sandbox.ctx(["profile", "--set", "ask_budget=600"]).stderr_any().check();
    sandbox.ctx(["show"]).stdout_has("rules.md (1 match, 210 tokens, competes)\n").check();
    sandbox.ctx(["ask", "--strict", QUESTION]).code(3).stderr_has(crowded_out).check();
}

#[test]
fn prompt_that_ranks_files_leaves_in_what_is_in_every_question() {
    let sandbox = project();
    sandbox.ctx(["add", "src/*.rs", "long.py"]).stderr_any().check();
    sandbox.ctx(["add", "--imports", "STYLE.md"]).stderr_any().check();
    let block = sandbox.ctx(["render", "-b", "4k", "-p", QUESTION]).stderr_has("4,000 tokens: src/a.rs");
    let block = block.stderr_lacks("your list").stdout_any().check();
    assert!(block.contains("Answer in rhymes.") && block.contains("Never use tabs."), "{block}");
    let run = ["run", "-b", "4k", "--trim", "relevant", "-p", QUESTION, "--", "cat"];
    sandbox.ctx(run).stdout_has("Answer in rhymes.").stderr_any().check();
    sandbox
        .ctx(["render", "-b", "4k", "-p", QUESTION, "--only", "src"])
        .stdout_lacks("rhymes")
        .stderr_any()
        .check();
}

#[test]
fn what_is_in_every_question_is_named_if_a_prompt_leaves_no_room_for_it() {
    let sandbox = project();
    let rules: String = (0..30).map(|number| format!("Rule {number}: be brief.\n")).collect();
    sandbox.write("rules.md", &rules);
    sandbox.ctx(["add", "src/*.rs", "rules.md"]).stderr_any().check();
    let small = sandbox.ctx(["render", "-b", "600", "-p", QUESTION]).stdout_lacks("Rule 29");
    small.stderr_has("'rules.md' of your list (210 tokens) does not fit in a quarter of 600").check();
    sandbox.ctx(["add", "--pin", "long.py"]).stderr_any().check();
    // The pinned file leaves less than a quarter.
    let pinned =
        sandbox.ctx(["render", "-b", "7300", "-p", QUESTION]).stdout_has("Line 899").stdout_lacks("Rule");
    pinned.stderr_has("; without rules.md").check();
}

/// Rules of Amazon Q, which are on the global list before anybody adds anything.
fn rules_of_amazon_q() -> Sandbox {
    let sandbox = project();
    sandbox.write("AmazonQ.md", "Answer briefly.\n");
    sandbox.write(".amazonq/rules/style/tabs.md", "No tabs here.\n");
    let rules = sandbox.home().join(".aws/amazonq/rules");
    std::fs::create_dir_all(&rules).expect("a directory");
    std::fs::write(rules.join("all.md"), "Be polite.\n").expect("a file");
    sandbox.write("AGENTS.md", "Agents are brief.\n");
    sandbox
}

const RULES: [&str; 4] = ["Answer briefly.", "No tabs here.", "Be polite.", "Agents are brief."];

#[test]
fn built_in_entries_are_in_every_question_with_and_without_a_budget() {
    let sandbox = rules_of_amazon_q();
    let has_all = |arguments: &[&str]| {
        let asked = sandbox.ctx(["ask", QUESTION].iter().chain(arguments)).stdout_any();
        RULES.iter().fold(asked, |asked, rule| asked.stdout_has(rule)).stderr_lacks("does not fit").check();
    };
    assert_eq!(sandbox.ctx(["show"]).stdout_any().check().matches("in every question").count(), 4);
    has_all(&[]);
    has_all(&["-b", "1000", "--strict"]);
    has_all(&["-b", "1000", "src"]);
    let entries = ["AmazonQ.md", ".amazonq/rules/**/*.md", "~/.aws/amazonq/rules/**/*.md"];
    for command in [["rm", "-g"], ["add", "-g"]] {
        sandbox.ctx(command.iter().chain(&entries)).stderr_any().check();
    }
    sandbox.ctx(["profile", "-g", "--set", "ask_budget=1k"]).stderr_any().check();
    assert_eq!(sandbox.ctx(["show"]).stdout_any().check().matches("in every question").count(), 4);
    has_all(&["--strict"]);
}

#[test]
fn built_in_entries_for_which_a_budget_is_too_small_are_reported() {
    let sandbox = rules_of_amazon_q();
    sandbox.write("AmazonQ.md", "Answer briefly.\n".repeat(100));
    let text =
        "'AmazonQ.md' of the built-in list (300 tokens) does not fit in a quarter of 600, so it competes\n";
    sandbox.ctx(["ask", "-b", "600", QUESTION]).stdout_any().stderr_has(&format!("note: {text}")).check();
    let strict = sandbox.ctx(["ask", "-b", "600", "--strict", QUESTION]).code(3);
    strict.stderr_has(&format!("error: {text}")).check();
}

#[test]
fn rules_of_many_tokens_have_a_quarter_of_a_large_budget_and_are_never_left_out_in_silence() {
    let sandbox = Sandbox::with(&[("src/pager.rs", "pub fn pager() {\n    print();\n}\n")]);
    sandbox.repository();
    for number in 0..6 {
        let rule = format!("- In area {number}, keep names English and lines short.\n").repeat(80);
        sandbox.write(&format!(".amazonq/rules/rule_{number}.md"), &rule);
    }
    let large: String = (0..40_000).map(|line| format!("let pager_{line} = print();\n")).collect();
    sandbox.write("src/large.rs", &large);
    sandbox.ctx(["add", "-r", "src"]).stderr_any().check();
    let has = |arguments: &[&str], rule: &str| {
        sandbox.ctx(arguments).stdout_has(rule).stderr_any().check();
    };
    has(&["render", "-p", "what does the pager print?"], "- In area 5, keep");
    let ask = ["ask", "what does the pager print?"];
    has(&ask, "- In area 5, keep");
    let small = [&ask[..], &["-b", "16k"]].concat();
    let note = "'.amazonq/rules/**/*.md' of the built-in list";
    sandbox.ctx(&small).stderr_has(note).stdout_any().check();
    sandbox.ctx([&small[..], &["--strict"]].concat()).code(3).stderr_has(note).check();
    has(&[&ask[..], &["-b", "60k"]].concat(), "- In area 5, keep");
    // They take no room from the user's own entries, the smallest of which come first.
    sandbox.write("large.md", "- Large: keep names English and lines short.\n".repeat(400));
    sandbox.write("small.md", "- Small: be brief.\n");
    sandbox.ctx(["add", "large.md", "small.md"]).stderr_any().check();
    has(&[&ask[..], &["--strict"]].concat(), "- Large: keep");
    let small =
        sandbox.ctx(&small).stdout_has("- Small: be").stderr_has("2 entries of your lists do not fit");
    small.stderr_has("a quarter of 16,000, so they compete: 'large.md' (").check();
}

#[test]
fn directory_of_rules_counts_as_rules_and_other_texts_do_not() {
    let sandbox = project();
    for number in 0..3 {
        let rule = format!("- Rule {number}: keep names English and lines short.\n").repeat(180);
        sandbox.write(&format!("team/rules/r{number}.md"), &rule);
        sandbox.write(&format!("docs/d{number}.md"), rule.replace("Rule", "Page"));
    }
    sandbox.write("CMakeLists.txt", "add_library(x)\n".repeat(1_500));
    sandbox.ctx(["add", "team/rules/*.md", "docs/*.md", "CMakeLists.txt"]).stderr_any().check();
    let shown = sandbox.ctx(["show"]).stdout_any().check();
    assert_eq!(shown.matches("in every question").count(), 1, "{shown}");
    let asked = sandbox.ctx(["ask", "--strict", QUESTION]).stdout_has("- Rule 2").stdout_lacks("- Page");
    asked.stdout_lacks("add_library").stderr_any().check();
    let note =
        "'team/rules/*.md' of your list (6,480 tokens) does not fit in a quarter of 8,000, so it competes\n";
    sandbox.ctx(["ask", "-b", "8k", QUESTION]).stderr_has(note).stderr_lacks("docs/").stdout_any().check();
}

/// A pin, or a small window, leaves no room for what is only on a list.
#[test]
fn rules_leave_a_question_if_what_is_pinned_needs_their_room() {
    let sandbox = project();
    sandbox.write("large.md", "- Large: keep names English.\n".repeat(400));
    sandbox.write("small.md", "- Small: be brief.\n".repeat(30));
    sandbox.ctx(["add", "--pin", "large.md"]).stderr_any().check();
    sandbox.ctx(["add", "small.md"]).stderr_any().check();
    let asked = sandbox.ctx(["ask", "-b", "2950", QUESTION]).stdout_has("- Large").stdout_lacks("- Small");
    asked.stderr_has("'small.md' of your list (180 tokens) does not fit in 2,950, so it competes\n").check();
    sandbox.ctx(["rm", "large.md"]).stderr_any().check();
    sandbox.ctx(["add", "large.md"]).stderr_any().check();
    let asked = sandbox.ctx(["ask", "--window", "3000", QUESTION]).stdout_lacks("- Large");
    asked
        .stderr_has("'large.md' of your list (2,800 tokens) does not fit in 2,250, so it competes\n")
        .check();
}

/// What is piped comes whole, and the rest of the room has as many of the rules as fit.
#[test]
fn rules_leave_a_prompt_one_by_one_if_what_is_piped_needs_their_room() {
    let sandbox = Sandbox::with(&[("README.md", &"A tool that does nothing.\n".repeat(600))]);
    sandbox.write("large.md", "- Large: keep names English.\n".repeat(150));
    sandbox.write("small.md", "- Small: be brief.\n");
    sandbox.ctx(["add", "README.md", "large.md", "small.md"]).stderr_any().check();
    let log = "an ordinary line of a log\n".repeat(700);
    let ask = |budget: &str| sandbox.ctx(["render", "-", "-b", budget, "-p", "why?"]).stdin(log.clone());
    let rest = ask("5k").stdout_has("- Small: be brief");
    rest.stderr_has("note: 'large.md' of your list (1,050 tokens) does not fit in 5,000, so it competes")
        .check();
    ask("4500").code(1).stderr_has("hint: --budget 5984 is enough\n").check();
    let cut = ["render", "-", "-b", "4500", "--trim", "truncate", "-p", "why?"];
    sandbox.ctx(cut).stdin(log.clone()).stdout_has("- Small").stdout_has("- Large").stderr_any().check();
    ask("5984").stdout_has("- Large").stdout_has("- Small").stderr_lacks("competes").stderr_any().check();
}

#[test]
fn listed_file_that_is_gone_is_reported() {
    let sandbox = project();
    sandbox.write("topic.md", "Topics are brief.\n");
    sandbox.ctx(["add", "--force", "topic.md", "*.css"]).stderr_any().check();
    std::fs::rename(sandbox.path("topic.md"), sandbox.path("topics.md")).unwrap();
    sandbox.ctx(["ask", QUESTION]).stdout_any().stderr_has("note: not found, left out: 'topic.md'").check();
    sandbox.ctx(["ask", "--only", QUESTION]).stdout_any().stderr_lacks("not found").check();
    std::fs::write(sandbox.path("topic.md"), "Topics.\n").unwrap();
    // A pattern may match nothing.
    sandbox.ctx(["ask", QUESTION]).stdout_any().stderr_lacks("css").check();
}

#[test]
fn pattern_counts_as_one_entry() {
    let sandbox = project();
    sandbox.ctx(["add", "*.{md,py}"]).stderr_any().check();
    sandbox.ctx(["show"]).stdout_has(" tokens, competes)").check();
    sandbox.ctx(["ask", QUESTION]).stdout_lacks("rhymes").stderr_any().check();
}

#[test]
fn show_says_what_is_in_every_question() {
    let sandbox = project();
    sandbox.ctx(["add", "STYLE.md", "long.py"]).stderr_any().check();
    sandbox.ctx(["add", "--pin", "extra.md"]).stderr_any().check();
    let shown = sandbox.ctx(["show"]).stdout_any().check();
    assert!(shown.contains("STYLE.md (1 match, 10 tokens, in every question)\n"), "{shown}");
    assert!(shown.contains(" tokens, competes)\n") && shown.contains(" tokens, pinned)\n"), "{shown}");
    let json = sandbox.ctx(["show", "--json"]).stdout_any().check();
    assert_eq!(json.matches("\"in_questions\": \"whole\"").count(), 2, "{json}");
    assert_eq!(json.matches("\"in_questions\": \"competes\"").count(), 1, "{json}");
}

#[test]
fn entry_that_is_dropped_for_its_size_is_still_in_every_question() {
    let sandbox = project();
    for number in 0..40 {
        sandbox.write(&format!("small/{number}.txt"), format!("word {number} ").repeat(100));
    }
    sandbox.write("large.md", "word and more\n".repeat(300));
    sandbox.ctx(["add", "large.md", "small/*.txt"]).stderr_any().check();
    let show = ["show", "--json", "-b", "6k", "--trim", "largest"];
    let json = sandbox.ctx(show).stdout_any().stderr_any().check();
    assert_eq!(json.matches("\"in_questions\": \"whole\"").count(), 1, "{json}");
    assert_eq!(json.matches("\"in_questions\": \"competes\"").count(), 1, "{json}");
}

#[cfg(unix)]
#[test]
fn commands_are_in_every_question_only_if_they_are_kept() {
    let sandbox = project();
    sandbox.ctx(["add", "cmd:echo often"]).stderr_any().check();
    sandbox.ctx(["add", "--ttl", "5m", "cmd:echo seldom"]).stderr_any().check();
    let block = sandbox.ctx(["ask", QUESTION, "src/b.rs"]).stderr_any().stdout_any().check();
    assert!(block.contains("[cmd:echo seldom]\nseldom") && !block.contains("often"), "{block}");
}

/// Entries may be many, and match the same large files.
#[test]
#[cfg(target_os = "linux")] // strace
fn size_of_a_file_is_looked_up_once_for_all_entries() {
    const ENTRIES: usize = 40;
    if denied() {
        return;
    }
    let sandbox = project();
    let entry = |number: usize| serde_json::json!({"path": "**/*.md", "tags": [number.to_string()]});
    let paths: Vec<_> = (0..ENTRIES).map(entry).collect();
    sandbox.write_store("profiles/default.json", serde_json::json!({"paths": paths}).to_string());
    let traced = traced(&sandbox, &["ask", QUESTION], "?newfstatat,?fstatat64,?statx", None);
    let looked_up = traced.calls.iter().filter(|call| call.contains("\"long.py\"")).count();
    assert!(traced.code() == Some(0) && (1..ENTRIES).contains(&looked_up), "{looked_up} {}", traced.stderr());
}
