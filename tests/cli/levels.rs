//! The detail of each file in a block, whatever the budget.

use crate::support::Sandbox;

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

fn with_sources() -> Sandbox {
    let sandbox = Sandbox::new();
    let body: String = (0..20).map(|number| format!("    total += compute({number});\n")).collect();
    sandbox.write("src/sum.rs", format!("/// The sum.\npub fn sum() -> u64 {{\n{body}    total\n}}\n"));
    sandbox.write("notes.txt", "plain words\n");
    sandbox
}

const OUTLINE: &str = "[src/sum.rs]\n/// The sum.\npub fn sum() -> u64 {\n[… 21 lines omitted …]\n}\n";

#[test]
fn as_outline_prints_outlines_and_lists_files_that_have_none() {
    let sandbox = with_sources();
    sandbox
        .ctx(["render", "--only", "**/*.*", "--as", "outline"])
        .stdout(format!("--- CONTEXT FILES BEGIN ---\nnotes.txt\n\n{OUTLINE}--- CONTEXT FILES END ---\n"))
        .check();
}

#[test]
fn as_name_prints_only_a_tree_in_every_format() {
    let sandbox = with_sources();
    for (format, block) in [
        (
            "text",
            "--- CONTEXT FILES BEGIN ---\nnotes.txt\nsrc/\n  sum.rs\n--- CONTEXT FILES END ---\n\nWhy?\n",
        ),
        ("markdown", "```text\nnotes.txt\nsrc/\n  sum.rs\n```\n\nWhy?\n"),
        ("xml", "<documents>\n<tree>\nnotes.txt\nsrc/\n  sum.rs\n</tree>\n</documents>\n\nWhy?\n"),
        ("json", "{\"tree\":\"notes.txt\\nsrc/\\n  sum.rs\\n\",\n\"documents\":[\n],\"prompt\":\"Why?\"}\n"),
    ] {
        sandbox
            .ctx(["render", "--only", "**/*.*", "--as", "name", "--format", format, "-p", "Why?"])
            .stdout(block)
            .check();
    }
}

#[test]
fn as_name_over_budget_is_an_error_about_the_tree() {
    let sandbox = with_sources();
    sandbox
        .ctx(["render", "--only", "**/*.*", "--as", "name", "-b", "5"])
        .code(1)
        .stderr_has("error: the directory tree alone needs ")
        .check();
}

#[test]
fn tree_over_budget_shows_file_counts_for_its_deepest_directories() {
    let sandbox = Sandbox::new();
    for number in 0..40 {
        sandbox.write(&format!("src/deep/part/file_number_{number}.txt"), "text\n");
        sandbox.write(&format!("docs/page_number_{number}.txt"), "text\n");
    }
    sandbox.write("src/one.txt", "text\n");
    sandbox
        .ctx(["render", "--only", "**/*.txt", "--as", "name", "-b", "60"])
        .stdout(
            "--- CONTEXT FILES BEGIN ---\ndocs/ (40 files)\nsrc/\n  one.txt\n  deep/\n    part/ (40 files)\n--- CONTEXT FILES END ---\n",
        )
        .check();
    sandbox
        .ctx(["render", "--only", "src/**/*.txt", "--tree", "-b", "60"])
        .stdout_has("--- CONTEXT FILES BEGIN ---\nsrc/\n  one.txt\n  deep/\n    part/ (40 files)\n")
        .stdout_has("]\ntext\n")
        .stderr_any()
        .check();
}

#[test]
fn tree_over_budget_is_folded_no_more_than_necessary() {
    let sandbox = Sandbox::new();
    for number in 0..60 {
        for directory in ["one", "two", "three", "four", "five"] {
            sandbox.write(&format!("{directory}/file_number_{number}.txt"), "text\n");
        }
    }
    let block = sandbox
        .ctx(["render", "--only", "**", "--as", "name", "-b", "1000"])
        .stderr_any()
        .stdout_any()
        .check();
    let folded = block.lines().filter(|line| line.ends_with("/ (60 files)")).count();
    assert_eq!((folded, block.matches("  file_number_").count()), (3, 120), "{block}");
    sandbox
        .ctx(["render", "--only", "one/*", "four/*", "--as", "name", "-b", "25"])
        .stdout("--- CONTEXT FILES BEGIN ---\n./ (120 files)\n--- CONTEXT FILES END ---\n")
        .check();
}

#[test]
fn files_of_one_directory_over_budget_are_printed_as_a_count() {
    let sandbox = Sandbox::new();
    (0..500).for_each(|number| sandbox.write(&format!("file_number_{number}.txt"), "text\n"));
    sandbox
        .ctx(["render", "--only", "**", "--as", "name", "-b", "100"])
        .stdout("--- CONTEXT FILES BEGIN ---\n./ (500 files)\n--- CONTEXT FILES END ---\n")
        .check();
    sandbox
        .ctx(["render", "--only", "**", "--tree", "-b", "100"])
        .stdout_has("--- CONTEXT FILES BEGIN ---\n./ (500 files)\n")
        .stdout_has("]\ntext\n")
        .stderr_any()
        .check();
}

#[test]
fn as_outline_is_not_a_strict_finding() {
    let sandbox = with_sources();
    sandbox
        .ctx(["render", "--only", "src/*.rs", "--as", "outline", "--strict"])
        .stdout(format!("--- CONTEXT FILES BEGIN ---\n{OUTLINE}--- CONTEXT FILES END ---\n"))
        .check();
}

#[test]
fn as_outline_leaves_standard_input_whole() {
    let sandbox = with_sources();
    sandbox
        .ctx(["render", "--only", "-", "--stdin-name", "a.rs", "--as", "outline"])
        .stdin("fn a() {\n    b();\n    b();\n    b();\n    b();\n    b();\n}\n")
        .stdout_has("    b();\n    b();\n")
        .check();
}

#[test]
fn as_outline_drops_outlines_that_do_not_fit() {
    let sandbox = with_sources();
    let body = "    one();\n".repeat(30);
    let many: String = (0..40).map(|number| format!("fn f{number}() {{\n{body}}}\n\n")).collect();
    sandbox.write("src/large.rs", many);
    sandbox
        .ctx(["render", "--only", "src/*.rs", "--as", "outline", "--trim", "outline", "-b", "100"])
        .stdout(format!("--- CONTEXT FILES BEGIN ---\n{OUTLINE}--- CONTEXT FILES END ---\n"))
        .stderr_has("warning: 1 of 2 files, ")
        .check();
}

#[test]
fn levels_are_accounted_for_and_explained() {
    let sandbox = with_sources();
    sandbox.ctx(["add", "src/*.rs", "notes.txt"]).stderr_any().check();
    sandbox
        .ctx(["explain", "src/sum.rs", "--as", "outline"])
        .stdout_has("src/sum.rs is printed in part: ")
        .stdout_has("reduced to its outline, as requested")
        .check();
    sandbox
        .ctx(["explain", "notes.txt", "--as", "outline"])
        .stdout_has("listed by name only: files of this kind have no outline")
        .check();
    let account = json(&sandbox.ctx(["show", "--json", "--as", "name"]).stdout_any().check());
    assert_eq!(account["file_counts"]["included"], 2);
    assert_eq!(account["files"][0]["tokens"], 0);
    assert_eq!(account["files"][0]["reason"]["text"], "listed by name only, as requested");
    assert_eq!(account["tokens"]["documents"], 0);
}

#[test]
fn account_has_the_printed_levels_and_the_sizes_of_whole_files() {
    let sandbox = with_sources();
    let size = sandbox.read("src/sum.rs").len();
    let file = |options: &[&str]| {
        let arguments = [&["render", "--only", "src/*.rs", "--dry-run", "--json"], options].concat();
        let account = json(&sandbox.ctx(arguments).stdout_any().stderr_any().check());
        let file = &account["files"][0];
        (file["level"].clone(), file["status"].clone(), file["whole_bytes"].clone())
    };
    assert_eq!(file(&[]), ("full".into(), "included".into(), size.into()));
    assert_eq!(file(&["--as", "outline"]), ("outline".into(), "outlined".into(), size.into()));
    assert_eq!(file(&["--as", "name"]), ("name".into(), "included".into(), size.into()));
    assert_eq!(file(&["-b", "60", "--trim", "outline"]), ("outline".into(), "outlined".into(), size.into()));
}

#[test]
fn counts_of_outlines_and_of_whole_files_are_cached_separately() {
    let sandbox = with_sources();
    for number in 0..20 {
        sandbox.write(&format!("src/f{number}.rs"), format!("fn f() {{\n{}}}\n", "    one();\n".repeat(20)));
    }
    let count = |level: &str, cache: &[&str]| {
        let arguments = ["render", "--only", "src/*.rs", "--dry-run", "--json", "--as", level];
        let arguments: Vec<&str> = arguments.iter().chain(cache).copied().collect();
        json(&sandbox.ctx(arguments).stdout_any().check())["tokens"]["documents"].as_u64()
    };
    for level in ["full", "outline", "full", "outline"] {
        assert_eq!(count(level, &[]), count(level, &["--no-cache"]), "{level}");
    }
    assert!(count("outline", &[]) < count("full", &[]));
}

#[test]
fn stored_level_is_a_maximum_and_the_most_detailed_entry_wins() {
    let sandbox = with_sources();
    sandbox.ctx(["add", "--as", "outline", "src/*.rs"]).stderr_any().check();
    assert!(sandbox.stored("profiles/default.json").contains("\"as\": \"outline\""));
    let outlined = format!("--- CONTEXT FILES BEGIN ---\n{OUTLINE}--- CONTEXT FILES END ---\n");
    sandbox.ctx(["render"]).stdout(outlined.as_str()).check();
    sandbox.ctx(["render", "--as", "full"]).stdout(outlined.as_str()).check();
    sandbox
        .ctx(["show"])
        .stdout_has("src/*.rs (1 match, 20 tokens, in every question, as outline)")
        .stderr_any()
        .check();
    sandbox.ctx(["render", "--as", "name"]).stdout_has("src/\n  sum.rs\n").check();
    sandbox.ctx(["render", "src/sum.rs"]).stdout_has("compute(7)").check();
    sandbox.ctx(["set", "src/*.rs", "--as", "full"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("compute(7)").check();
    assert!(!sandbox.stored("profiles/default.json").contains("\"as\""));
}

#[test]
fn level_for_a_git_entry_is_wrong_usage() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["add", "--as", "name", "git:diff"])
        .code(2)
        .stderr("error: 'as' does not apply to 'git:diff'\n")
        .check();
}
