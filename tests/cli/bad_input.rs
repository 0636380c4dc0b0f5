//! One table of bad inputs: what is typed, the exit code, and a part of the message.

use crate::support::Sandbox;

const NAME_RULE: &str = "Profile name must start with an alphanumeric character";

#[test]
fn every_bad_input_has_a_clear_error_and_changes_nothing() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n"), (".env", "A=1\n")]);
    sandbox.ctx(["add", "a.txt"]).stderr_any().check();
    let before = sandbox.stored("profiles/default.json");
    for (args, code, message) in TABLE {
        sandbox.ctx(*args).code(*code).stderr_has(message).check();
        assert_eq!(sandbox.stored("profiles/default.json"), before, "{args:?}");
    }
}

const TABLE: &[(&[&str], i32, &str)] = &[
    (&["frobnicate"], 2, "unrecognized subcommand 'frobnicate'"),
    (&["add"], 2, "required"),
    (&["add", "--frob", "a.txt"], 2, "--frob"),
    (&["add", "a.txt"], 1, "Path 'a.txt' already exists in the context"),
    (&["add", "missing"], 1, "Invalid path 'missing': not found. Use --force to add anyway."),
    (&["add", "*.nothing"], 1, "No files found matching glob pattern '*.nothing'"),
    (&["add", "-g", "--profile", "default", "a.txt"], 2, "--profile"),
    (&["add", "~nobody/x"], 2, "~user"),
    (&["add", "-f", "{a,b"], 2, "{a,b"),
    (&["add", "-f", "[a"], 2, "[a"),
    (&["add", "-"], 2, "standard input"),
    (&["add", ".env"], 1, "holds secrets"),
    (&["rm", "missing"], 1, "None of the specified paths were found in the context"),
    (&["profile", "--create", "../x"], 2, NAME_RULE),
    (&["profile", "--create", "default"], 1, "Profile 'default' already exists"),
    (&["profile", "--delete", "gone"], 1, "Profile 'gone' does not exist"),
    (&["profile", "--delete", "default"], 1, "Cannot delete the default profile"),
    (&["switch", "gone"], 1, "Profile 'gone' does not exist"),
    (&["switch", "a b"], 2, NAME_RULE),
    (&["--profile", "gone", "show"], 1, "Available profiles: default"),
    (&["--profile", "a/b", "show"], 2, NAME_RULE),
    (&["render", "-b", "lots"], 2, "lots"),
    (&["render", "-b", "-1"], 2, "-1"),
    (&["render", "-b", "101%"], 2, "101%"),
    (&["render", "-b", "0"], 1, "budget"),
    (&["render", "-m", "gpt-nonsense"], 2, "gpt-nonsense"),
    (&["render", "--trim", "some"], 2, "some"),
    (&["render", "--format", "pdf"], 2, "pdf"),
    (&["render", "--tokenizer", "words"], 2, "words"),
    (&["render", "--containing", "("], 2, "("),
    (&["render", "--max-file-size", "big"], 2, "big"),
    (&["render", "--newer-than", "yesterday"], 2, "yesterday"),
    (&["render", "--include", "[a"], 2, "[a"),
    (&["render", "--exclude", "{a"], 2, "{a"),
    (&["render", "-p", "x", "--prompt-file", "a.txt"], 2, "cannot be used with"),
    (&["render", "--prompt-file", "missing"], 1, "missing"),
    (&["render", "--files-from", "missing"], 1, "missing"),
    (&["render", "-0"], 2, "--files-from"),
    (&["render", "--json"], 2, "--dry-run"),
    (&["render", "-o", "."], 1, "'.'"),
    (&["render", "-o", "no/such/dir/x"], 1, "no/such/dir"),
    (&["clear", "--defaults"], 2, "--global"),
    (&["completions", "tcsh"], 2, "tcsh"),
    (&["--color", "purple", "show"], 2, "purple"),
];
