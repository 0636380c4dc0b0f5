//! The pipelines of the README and of `docs/recipes.md` with far more entries than fit the budget: the
//! subject of the question is kept, and the other files are dropped.

use std::fs;
use std::path::{Path, PathBuf};

use crate::documented::block;
use crate::shells::{command, program};
use crate::support::Sandbox;

const BUDGET: &str = "budget=600";
const FILES_KEPT: usize = 12;

/// A repository whose entries are many times the budget, and an `llm` that answers with its input.
struct Crowd {
    sandbox: Sandbox,
    bash: PathBuf,
}

/// The question that a recipe sent, and its messages on standard error.
struct Asked {
    prompt: String,
    told: String,
}

impl Crowd {
    fn open() -> Option<Self> {
        let bash = program("bash")?;
        program("git")?;
        let sandbox = Sandbox::with(&[
            ("README.md", "# Notes\n"),
            ("notes.md", "first\n"),
            ("old.md", "old\n"),
            ("../bin/llm", "#!/bin/sh\nexec cat\n"),
        ]);
        for number in 0..FILES_KEPT {
            sandbox.write(&format!("kept/{number}.txt"), "All of this is kept.\n".repeat(200 + number));
        }
        sandbox.ctx(["add", "README.md", "kept/*.txt"]).stderr_any().check();
        sandbox.ctx(["profile", "--set", BUDGET]).stderr_any().check();
        let crowd = Self { sandbox, bash };
        crowd.run(
            "chmod +x ../bin/llm; git init -q; git config user.name a; git config user.email a@example.org",
        );
        crowd.run("git add . && git commit -q -m start");
        Some(crowd)
    }

    #[track_caller]
    fn run(&self, script: &str) -> Asked {
        let script = format!("set -eo pipefail; PATH=$PWD/../bin:$PATH\n{script}");
        let output = command(&self.sandbox, &self.bash, &["-c", &script]).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{script}\n{told}");
        Asked { prompt: String::from_utf8(output.stdout).unwrap(), told }
    }

    #[track_caller]
    fn recipe(&self, heading: &str) -> Asked {
        self.run(&block("recipes.md", heading, "sh"))
    }
}

impl Asked {
    /// Checks that all entries except the README were dropped, and that ctx reported it.
    #[track_caller]
    fn dropped_the_crowd(&self, files: usize) {
        let warning = format!("warning: {} of {files} files, ", files - FILES_KEPT);
        assert!(self.told.contains(&warning), "{}", self.told);
        assert!(!self.prompt.contains("[kept/"), "{}", self.prompt);
    }

    #[track_caller]
    fn holds(&self, text: &str) {
        assert!(self.prompt.contains(text), "no '{text}' in\n{}", self.prompt);
    }
}

#[test]
fn every_recipe_has_a_test_over_budget() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/recipes.md");
    let text = fs::read_to_string(path).unwrap();
    let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(
        headings,
        ["A question", "A review", "Changed files", "A file", "A Makefile rule", "A git hook"]
    );
}

#[test]
fn the_first_pipeline_of_the_readme_includes_the_file_that_answers_it() {
    let Some(crowd) = Crowd::open() else { return };
    crowd.sandbox.write("src/undo.rs", "/// Why undo fails after a merge commit.\nfn undo() {}\n");
    let lines = block("../README.md", "run the program and remember the conversation:", "sh");
    let asked = crowd.run(lines.lines().next().unwrap());
    asked.holds("[src/undo.rs]\n/// Why undo fails");
    asked.holds("\nwhy does /undo fail after a merge commit?\n");
}

#[test]
fn the_first_command_of_the_readme_finds_the_code_that_redacts_secrets() {
    let Some(crowd) = Crowd::open() else { return };
    crowd.sandbox.write("crates/ctx-core/src/guard/secrets.rs", "fn redact_secrets() {}\n".repeat(300));
    let block = block("../README.md", "without installing anything:", "sh");
    let asked = crowd.run(&block.replace("cargo run --release --", "ctx"));
    asked.holds("[crates/ctx-core/src/guard/secrets.rs:21-40]\n");
    asked.holds("\nWhere are secrets redacted?\n");
}

#[test]
fn a_question_over_budget_includes_the_files_that_fit() {
    let Some(crowd) = Crowd::open() else { return };
    let asked = crowd.recipe("## A question");
    assert!(asked.told.contains(" tokens: README.md, "), "{}", asked.told);
    assert!(asked.told.contains("note: no word of the question singles out any files"), "{}", asked.told);
    asked.holds("[README.md]\n# Notes\n");
    asked.holds("\nWhere is the budget applied?\n");
}

#[test]
fn a_review_over_budget_keeps_the_diff() {
    let Some(crowd) = Crowd::open() else { return };
    crowd.sandbox.write("notes.md", "second\n".repeat(100));
    let asked = crowd.recipe("## A review");
    asked.dropped_the_crowd(FILES_KEPT + 2);
    asked.holds("[git diff]\ndiff --git a/notes.md b/notes.md\n");
    assert_eq!(asked.prompt.matches("+second\n").count(), 100);
}

#[test]
fn changed_files_over_budget_are_printed_without_other_or_deleted_files() {
    let Some(crowd) = Crowd::open() else { return };
    crowd.sandbox.write("notes.md", "second\n".repeat(100));
    crowd.run("rm old.md");
    let asked = crowd.recipe("## Changed files");
    let expected = format!(
        "--- CONTEXT FILES BEGIN ---\n[notes.md]\n{}--- CONTEXT FILES END ---\n\nWhat is missing in these files?\n",
        "second\n".repeat(100)
    );
    assert_eq!(asked.prompt, expected);
    assert_eq!(asked.told, "");
}

#[test]
fn a_file_over_budget_contains_what_fits() {
    let Some(crowd) = Crowd::open() else { return };
    let asked = crowd.recipe("## A file");
    asked.dropped_the_crowd(FILES_KEPT + 1);
    asked.holds("[README.md]\n# Notes\n");
}

#[test]
fn a_makefile_rule_over_budget_includes_only_its_own_files() {
    let Some(crowd) = Crowd::open() else { return };
    if program("make").is_none() {
        return;
    }
    crowd.sandbox.write("src/main.rs", "fn main() {}\n");
    crowd.sandbox.write("Makefile", block("recipes.md", "## A Makefile rule", "make"));
    crowd.run("git add src && make -s");
    assert_eq!(
        crowd.sandbox.read("context.txt"),
        "--- CONTEXT FILES BEGIN ---\n[src/main.rs]\nfn main() {}\n--- CONTEXT FILES END ---\n"
    );
}

#[test]
fn a_hook_over_budget_drafts_only_from_the_diff() {
    let Some(crowd) = Crowd::open() else { return };
    let hook = ".git/hooks/prepare-commit-msg";
    crowd.sandbox.write(hook, block("recipes.md", "## A git hook", "sh"));
    crowd.run(&format!("chmod +x {hook}; echo second > notes.md; GIT_EDITOR=true git commit -q -a"));
    let message = crowd.run("git log -1 --format=%B");
    message.holds("[git:staged notes.md]\ndiff --git a/notes.md b/notes.md\n");
    message.holds("\n+second\n");
    assert!(!message.prompt.contains("[kept/"));
}

#[test]
fn the_jobs_for_ci_pass_if_a_change_only_deletes_files() {
    let Some(crowd) = Crowd::open() else { return };
    crowd.sandbox.write("src/a.rs", "fn a() {}\n");
    crowd.run("git add . && git commit -q -m more && git rm -q old.md && git commit -q -m less");
    let job = block("ci.md", "## GitLab", "yaml");
    let script: Vec<&str> = job
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- "))
        .filter(|line| line.contains("diff"))
        .collect();
    crowd.run(&format!("CI_MERGE_REQUEST_DIFF_BASE_SHA=HEAD~1\n{}", script.join("\n")));
    let sent = crowd.sandbox.read("context.txt");
    assert!(sent.contains("deleted file mode") && sent.contains("fn a() {}"), "{sent}");
    assert!(!sent.contains("-old"), "{sent}");
    let of_github = block("ci.md", "## GitHub", "yaml");
    assert!(
        of_github.contains(&script[0].replace("\"$CI_MERGE_REQUEST_DIFF_BASE_SHA\" > diff", "")),
        "{of_github}"
    );
}
