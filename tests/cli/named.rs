//! What the command line names is what the question is about: it must be there, and it is kept.

use crate::support::Sandbox;

fn with_stored() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..9 {
        sandbox.write(&format!("src/f{number}.rs"), "let value = compute(1, 2, 3);\n".repeat(20));
    }
    sandbox.write("diff.txt", "changed line of code\n".repeat(100));
    sandbox.ctx(["add", "src/**/*.rs"]).stderr_any().check();
    sandbox
}

#[test]
fn standard_input_over_budget_is_kept_and_stored_files_are_dropped() {
    let sandbox = with_stored();
    sandbox
        .ctx(["render", "-", "-p", "Review", "-b", "800"])
        .stdin("changed line of code\n".repeat(100))
        .stdout_has("[stdin]\nchanged line of code\n")
        .stdout_has("[src/f0.rs]\n")
        .stderr_has("warning: 8 of 10 files dropped")
        .check();
}

#[test]
fn literal_over_budget_is_kept_by_every_rule_that_drops() {
    let sandbox = with_stored();
    for trim in ["largest", "first-fit", "truncate", "outline"] {
        sandbox
            .ctx(["render", "diff.txt", "-b", "700", "--trim", trim])
            .stdout_has("[diff.txt]\nchanged line of code\n")
            .stderr_has("warning: ")
            .check();
    }
}

#[test]
fn named_file_that_does_not_fit_ends_with_the_tokens_it_needs() {
    let sandbox = with_stored();
    sandbox
        .ctx(["render", "diff.txt", "-b", "300"])
        .code(1)
        .stderr_has("error: the pinned and named files alone make a block of 5")
        .stderr_has("'diff.txt' (500)")
        .check();
    sandbox
        .ctx(["render", "diff.txt", "-b", "300", "--trim", "truncate"])
        .stdout_has("[diff.txt]\nchanged line of code\n")
        .stdout_has(" lines omitted …]\n--- CONTEXT FILES END ---\n")
        .stdout_lacks("[src/")
        .stderr_has("warning: 9 dropped and 1 cut of 10 files")
        .check();
}

#[test]
fn typed_names_that_yield_nothing_are_errors_and_all_are_named() {
    let sandbox = with_stored();
    sandbox.write("x.pdf", b"%PDF-1.7\0\0");
    sandbox
        .ctx(["render", "--only", "src/polciy", "scr/**", "x.pdf", "-p", "hello"])
        .code(1)
        .stderr(
            "error: 'src/polciy': not found\nerror: No files found matching glob pattern 'scr/**'\n\
             error: 'x.pdf': binary file\n",
        )
        .check();
}

#[test]
fn pattern_that_matches_and_is_filtered_is_a_warning_that_says_so() {
    let sandbox = with_stored();
    sandbox
        .ctx(["render", "--only", "src/*.rs", "--exclude", "*.rs", "-p", "hello"])
        .stdout("hello\n")
        .stderr_has("warning: the context is empty: the filters leave nothing over")
        .check();
}

#[test]
fn line_of_a_list_that_is_missing_is_no_error() {
    let sandbox = with_stored();
    sandbox.write("list", "src/gone.rs\nsrc/f1.rs\n");
    sandbox
        .ctx(["render", "--only", "--files-from", "list"])
        .stdout_has("[src/f1.rs]\n")
        .stderr_has("src/gone.rs")
        .check();
}

#[test]
fn what_is_too_large_says_which_option_includes_it() {
    let sandbox = Sandbox::with(&[("a.txt", "a text\n"), ("b.txt", "b\n")]);
    let hint = "hint: a larger --max-file-size includes it\n";
    let args = ["render", "--only", "--max-file-size", "3"];
    sandbox
        .ctx(args.iter().chain(&["-"]))
        .stdin("a text\n")
        .code(1)
        .stderr(format!("error: cannot read standard input: more than 3 bytes\n{hint}"))
        .check();
    sandbox
        .ctx(args.iter().chain(&["a.txt", "b.txt"]))
        .code(1)
        .stderr(format!("error: 'a.txt': too large: 7 bytes, the limit is 3\n{hint}"))
        .check();
}

#[test]
fn binary_format_without_a_zero_byte_is_no_text() {
    let sandbox = Sandbox::with(&[("x.pdf", "%PDF-1.4 hello\n"), ("a.txt", "a\n")]);
    sandbox.ctx(["render", "--only", "x.pdf"]).code(1).stderr("error: 'x.pdf': binary file\n").check();
    sandbox.ctx(["render", "--only", "*"]).stdout_has("[a.txt]").stdout_lacks("PDF").check();
}
