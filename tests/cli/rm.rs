use crate::support::Sandbox;

#[test]
fn entries_are_removed_whatever_their_spelling() {
    let sandbox = Sandbox::with(&[("a.md", ""), ("docs/b.md", "")]);
    sandbox.ctx(["add", "a.md", "docs"]).stderr_any().check();
    sandbox
        .ctx(["rm", "./a.md", "docs/"])
        .stderr("Removed 'a.md' from profile 'default'\nRemoved 'docs' from profile 'default'\n")
        .check();
    assert_eq!(sandbox.stored("profiles/default.json"), "{\n  \"paths\": []\n}\n");
}

#[test]
fn what_is_not_there_is_named_and_the_rest_is_removed() {
    let sandbox = Sandbox::with(&[("a.md", "")]);
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox
        .ctx(["remove", "x.md", "a.md", "y.md"])
        .stderr("Removed 'a.md' from profile 'default'\nwarning: not in the context: 'x.md', 'y.md'\n")
        .check();
}

#[test]
fn nothing_to_remove_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["rm", "x.md"])
        .code(1)
        .stderr(
            "error: None of the specified paths were found in the context\n\
             hint: 'ctx show' lists the entries\n",
        )
        .check();
}

#[test]
fn a_global_entry_is_removed_from_the_built_in_list() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["rm", "-g", "AmazonQ.md"]).stderr("Removed 'AmazonQ.md' from the global context\n").check();
    let stored = sandbox.stored("global.json");
    assert!(stored.contains("up:AGENTS.md") && !stored.contains("AmazonQ.md"), "{stored}");
}

#[test]
fn an_empty_path_is_not_this_directory() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    sandbox.ctx(["add", "-q", "."]).check();
    sandbox.ctx(["rm", ""]).code(1).stderr_has("None of the specified paths were found").check();
    sandbox.ctx(["set", "", "--pin"]).code(1).stderr_has("''").check();
    assert!(sandbox.stored("profiles/default.json").contains("\".\""));
}

#[test]
fn a_path_named_twice_counts_once() {
    let sandbox = Sandbox::with(&[("a.md", ""), ("b.md", "")]);
    sandbox.ctx(["add", "a.md", "b.md"]).stderr_any().check();
    sandbox.ctx(["rm", "a.md", "./a.md"]).stderr("Removed 'a.md' from profile 'default'\n").check();
    sandbox
        .ctx(["rm", "x.md", "b.md", "./x.md", "b.md"])
        .stderr("Removed 'b.md' from profile 'default'\nwarning: not in the context: 'x.md'\n")
        .check();
}

#[test]
fn an_entry_of_the_other_list_is_found_there() {
    let sandbox = Sandbox::with(&[("a.md", "")]);
    let none = "error: None of the specified paths were found in the context\n";
    sandbox.ctx(["rm", "AmazonQ.md"]).code(1).stderr(format!("{none}hint: ctx rm -g AmazonQ.md\n")).check();
    sandbox.ctx(["add", "-q", "a.md"]).check();
    sandbox.ctx(["rm", "-g", "a.md"]).code(1).stderr(format!("{none}hint: ctx rm a.md\n")).check();
}

#[test]
fn a_file_that_a_pattern_covers_can_be_excluded() {
    let sandbox = Sandbox::with(&[("src/a.rs", ""), ("src/b.rs", "")]);
    sandbox.ctx(["add", "-q", "src/*.rs"]).check();
    sandbox
        .ctx(["rm", "src/a.rs"])
        .code(1)
        .stderr("error: None of the specified paths were found in the context\nhint: ctx add '!src/a.rs'\n")
        .check();
    sandbox.ctx(["add", "!src/a.rs"]).stderr_has("excludes 1 file").check();
}

#[test]
fn a_directory_added_with_everything_below_it_is_removed_by_its_name() {
    let sandbox = Sandbox::with(&[("docs/a.md", "")]);
    sandbox.ctx(["add", "-q", "-r", "docs"]).check();
    sandbox.ctx(["rm", "docs/"]).stderr("Removed 'docs/**' from profile 'default'\n").check();
}

#[test]
fn directory_below_a_pattern_is_left_out_by_an_exclusion() {
    let sandbox = Sandbox::with(&[("src/builder/a.rs", ""), ("src/lib.rs", ""), ("docs/a.md", "")]);
    sandbox.ctx(["add", "-r", "src"]).stderr_any().check();
    let error = "error: None of the specified paths were found in the context\n";
    sandbox
        .ctx(["rm", "src/builder"])
        .code(1)
        .stderr(format!("{error}hint: ctx add '!src/builder/**'\n"))
        .check();
    sandbox.ctx(["add", "!src/builder/**"]).stderr_has("excludes 1 file").check();
    sandbox
        .ctx(["rm", "docs"])
        .code(1)
        .stderr(format!("{error}hint: 'ctx show' lists the entries\n"))
        .check();
}

#[test]
fn file_that_was_added_by_its_whole_path_is_found_by_its_name() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    for file in ["a.md", "b.md"] {
        let whole = sandbox.path(file).to_str().unwrap().to_owned();
        sandbox.ctx(["add", &whole]).stderr_any().check();
        assert!(sandbox.stored("profiles/default.json").contains(&format!("/{file}\"")));
    }
    sandbox.ctx(["set", "--pin", "a.md"]).stderr_any().check();
    sandbox.ctx(["rm", "a.md", "./b.md"]).stderr_any().check();
    assert_eq!(sandbox.stored("profiles/default.json"), "{\n  \"paths\": []\n}\n");
}
