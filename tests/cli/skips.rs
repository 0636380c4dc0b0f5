//! A test that needs what is not installed says so, although the harness hides what passing tests print.

use std::process::{Command, Output};

/// Runs a test of this program that needs fzf, on a machine without any program.
fn without_fzf(ci: &str) -> Output {
    let nothing = tempfile::tempdir().unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "editors::fzf_question_searches_only_the_selected_files"])
        .env("PATH", nothing.path())
        .env("CI", ci)
        .output()
        .unwrap()
}

#[test]
fn test_that_does_nothing_names_itself_and_what_it_needs() {
    let output = without_fzf("");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "skipped: editors::fzf_question_searches_only_the_selected_files needs fzf; tests/tools/install installs it\n"
    );
}

#[test]
fn test_that_does_nothing_fails_in_ci() {
    assert!(!without_fzf("true").status.success());
}
