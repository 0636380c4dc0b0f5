//! `show --tree`: depth, order, and files that aren't in the block.

use crate::support::Sandbox;

fn sandbox() -> Sandbox {
    let sandbox =
        Sandbox::with(&[("README.md", "read me\n"), ("src/a.rs", "fn a() {}\n"), ("src/deep/b.rs", "b\n")]);
    sandbox.write("docs/guide.md", "word ".repeat(100));
    sandbox.ctx(["add", "README.md", "src/**", "docs/**"]).stderr_any().check();
    sandbox
}

#[test]
fn directories_at_the_maximum_depth_are_one_line_each() {
    sandbox()
        .ctx(["show", "--tree", "--depth", "1"])
        .stdout(
            "\
.                   110  [##########] 100%
├── docs/ (1 file)  101  [#########-]  91%
├── src/ (2 files)    6  [----------]   5%
└── README.md         3

4 files, 144 tokens (34 of them labels), <1% of 150,000 (75% of 200,000, no model set) [------------------]
",
        )
        .check();
}

#[test]
fn depth_implies_the_tree_and_sort_implies_the_table() {
    let sandbox = sandbox();
    let tree = sandbox.ctx(["show", "--tree", "--depth", "1"]).stdout_any().check();
    sandbox.ctx(["show", "--depth", "1"]).stdout(&tree).check();
    let table = sandbox.ctx(["show", "--expand", "--sort", "tokens"]).stdout_any().check();
    sandbox.ctx(["show", "--sort", "tokens"]).stdout(&table).check();
}

#[test]
fn tree_can_be_sorted_by_tokens() {
    let shown = sandbox().ctx(["show", "--tree", "--sort", "tokens"]).stdout_any().check();
    let names: Vec<&str> = shown.lines().take(8).filter_map(|line| line.split("── ").nth(1)).collect();
    let names: Vec<&str> = names.iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["docs/", "guide.md", "src/", "a.rs", "deep/", "b.rs", "README.md"]);
}

#[test]
fn dropped_files_keep_their_tokens_and_are_dimmed() {
    sandbox()
        .ctx(["--color", "always", "show", "--tree", "-b", "60"])
        .stdout_has("\x1b[2mguide.md\x1b[0m")
        .stdout_has("\x1b[2m101\x1b[0m")
        .stdout_has("\x1b[2mdocs/\x1b[0m")
        .stdout_has("\x1b[1msrc/\x1b[0m")
        .check();
}

#[test]
fn files_of_a_table_can_be_sorted() {
    let shown = sandbox().ctx(["show", "--expand", "--sort", "tokens"]).stdout_any().check();
    let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    let names: Vec<String> = shown.lines().skip(1).take(4).map(first).collect();
    assert_eq!(names, ["docs/guide.md", "src/a.rs", "README.md", "src/deep/b.rs"]);
}

#[test]
fn command_is_one_name_in_the_tree() {
    let sandbox = sandbox();
    sandbox.ctx(["add", "cmd:cat src/a.rs"]).stderr_any().check();
    sandbox.ctx(["show", "-q", "--tree"]).stdout_has("── cmd:cat src/a.rs ").check();
}

#[test]
fn options_of_the_tree_cannot_be_used_with_a_table() {
    let sandbox = sandbox();
    for wrong in [
        &["--expand", "--depth", "1"][..],
        &["--json", "--sort", "tokens"],
        &["--tree", "--depth", "0"],
        &["--tree", "--expand"],
    ] {
        sandbox.ctx([&["show"][..], wrong].concat()).code(2).stderr_any().check();
    }
}
