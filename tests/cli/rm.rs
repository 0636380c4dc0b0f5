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
fn missing_paths_are_reported_and_the_rest_are_removed() {
    let sandbox = Sandbox::with(&[("a.md", "")]);
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox
        .ctx(["remove", "x.md", "a.md", "y.md"])
        .stderr("Removed 'a.md' from profile 'default'\nwarning: not on the list: 'x.md', 'y.md'\n")
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
             hint: ctx show\n",
        )
        .check();
}

#[test]
fn a_global_entry_is_removed_from_the_built_in_list() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["rm", "-g", "AmazonQ.md"]).stderr("Removed 'AmazonQ.md' from the global list\n").check();
    let stored = sandbox.stored("global.json");
    assert!(stored.contains("up:AGENTS.md") && !stored.contains("AmazonQ.md"), "{stored}");
}

#[test]
fn an_empty_path_is_not_the_current_directory() {
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
        .stderr("Removed 'b.md' from profile 'default'\nwarning: not on the list: 'x.md'\n")
        .check();
}

#[test]
fn a_hint_suggests_the_other_list_if_it_contains_the_entry() {
    let sandbox = Sandbox::with(&[("a.md", "")]);
    let none = "error: None of the specified paths were found in the context\n";
    sandbox.ctx(["rm", "AmazonQ.md"]).code(1).stderr(format!("{none}hint: ctx rm -g AmazonQ.md\n")).check();
    sandbox.ctx(["add", "-q", "a.md"]).check();
    sandbox.ctx(["rm", "-g", "a.md"]).code(1).stderr(format!("{none}hint: ctx rm a.md\n")).check();
}

#[test]
fn a_hint_suggests_excluding_a_file_that_a_pattern_matches() {
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
fn file_of_which_lines_are_listed_is_named_with_them() {
    let sandbox = Sandbox::with(&[("src/a.rs", "one\ntwo\nthree\n"), ("b.rs", "")]);
    sandbox.repository();
    sandbox.ctx(["add", "-q", "src/a.rs:1", "src/a.rs:3", "b.rs"]).check();
    let told =
        |hint: &str| format!("error: None of the specified paths were found in the context\nhint: {hint}\n");
    sandbox.ctx(["rm", "src/a.rs"]).code(1).stderr(told("ctx rm src/a.rs:1 src/a.rs:3")).check();
    let below = sandbox.path("src");
    sandbox.ctx_in(&below, ["rm", "a.rs"]).code(1).stderr(told("ctx rm a.rs:1 a.rs:3")).check();
    sandbox.ctx_in(&below, ["rm", "a.rs:1"]).stderr_any().check();
    let set = "error: Path 'src/a.rs' was not found in the context\nhint: did you mean 'src/a.rs:3'?\n";
    sandbox.ctx(["set", "--pin", "src/a.rs"]).code(1).stderr(set).check();
    let rest = "Removed 'b.rs' from profile 'default'\n\
                warning: not on the list: 'src/a.rs'; ctx rm src/a.rs:3\n";
    sandbox.ctx(["rm", "src/a.rs", "b.rs"]).stderr(rest).check();
}

#[test]
fn files_that_a_shell_named_get_one_hint() {
    let sandbox = Sandbox::with(&[]);
    let files: Vec<String> = (0..43).map(|number| format!("many/file_{number}.md")).collect();
    files.iter().for_each(|file| sandbox.write(file, "x\n"));
    sandbox.ctx(["add", "-q", "-r", "many"]).check();
    let told =
        |hint: &str| format!("error: None of the specified paths were found in the context\nhint: {hint}\n");
    let rm = |files: &[String]| sandbox.ctx([&["rm".to_owned()], files].concat()).code(1);
    rm(&files[..2]).stderr(told("ctx add '!many/file_0.md' '!many/file_1.md'")).check();
    rm(&files).stderr(told("ctx show")).check();
    sandbox.ctx(["add", "-q", "README.md", "--force"]).check();
    let named: Vec<&str> = ["rm", "README.md"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let warned = "'many/file_0.md', 'many/file_1.md', 'many/file_2.md' and 40 more\n";
    sandbox.ctx(named).stderr_has(warned).stderr_lacks("ctx add").check();
}

#[test]
fn a_directory_added_with_everything_below_it_is_removed_by_its_name() {
    let sandbox = Sandbox::with(&[("docs/a.md", "")]);
    sandbox.ctx(["add", "-q", "-r", "docs"]).check();
    sandbox.ctx(["rm", "docs/"]).stderr("Removed 'docs/**' from profile 'default'\n").check();
}

#[test]
fn a_hint_suggests_excluding_a_directory_that_a_pattern_matches() {
    let sandbox = Sandbox::with(&[("src/builder/a.rs", ""), ("src/lib.rs", ""), ("docs/a.md", "")]);
    sandbox.ctx(["add", "-r", "src"]).stderr_any().check();
    let error = "error: None of the specified paths were found in the context\n";
    sandbox
        .ctx(["rm", "src/builder"])
        .code(1)
        .stderr(format!("{error}hint: ctx add '!src/builder/**'\n"))
        .check();
    sandbox.ctx(["add", "!src/builder/**"]).stderr_has("excludes 1 file").check();
    sandbox.ctx(["rm", "docs"]).code(1).stderr(format!("{error}hint: ctx show\n")).check();
}

#[test]
fn file_that_was_added_by_its_absolute_path_is_found_by_its_name() {
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

#[test]
fn way_back_has_the_options_of_the_entry() {
    let sandbox = Sandbox::with(&[("a b.md", "a\n"), ("GEMINI.md", "g\n")]);
    sandbox
        .ctx(["add", "--pin", "--tag", "x", "--when", "src/**", "--when", "*.rs", "a b.md"])
        .stderr_any()
        .check();
    sandbox
        .ctx(["rm", "a b.md"])
        .stderr(
            "Removed 'a b.md' from profile 'default'\n\
             to bring it back: ctx add --tag x --pin --when 'src/**' --when '*.rs' 'a b.md'\n",
        )
        .check();
    sandbox.ctx(["add", "GEMINI.md"]).stderr_any().check();
    sandbox.ctx(["rm", "gemini.md"]).code(1).stderr_has("hint: did you mean 'GEMINI.md'?").check();
    sandbox.ctx(["set", "--tag", "x", "GEMINI.md"]).stderr_any().check();
    sandbox.ctx(["rm", "GEMINI.md"]).stderr_any().check();
    sandbox.ctx(["add", "up:GEMINI.md"]).stderr_any().check();
    sandbox.ctx(["rm", "GEMINI.md"]).code(1).stderr_has("hint: ctx rm up:GEMINI.md").check();
}
