//! The recipes of `docs/recipes.md`, run exactly as written.

use std::fs;
use std::path::Path;

use crate::documented::block;
use crate::llm::tool;
use crate::shells::{command, program};
use crate::support::Sandbox;

/// A git repository with a committed file and an edited one, and an `llm` that echoes.
struct Workshop {
    sandbox: Sandbox,
}

impl Workshop {
    fn open() -> Option<Self> {
        let llm = tool("llm")?;
        for name in ["git", "make", "sh"] {
            program(name)?;
        }
        let sandbox = Sandbox::with(&[("src/budget.rs", "fn budget() {}\n"), ("notes.md", "notes\n")]);
        sandbox.ctx(["add", "src/**/*.rs"]).stderr_any().check();
        let llm_home = sandbox.home().join("llm");
        fs::create_dir(&llm_home).unwrap();
        fs::write(llm_home.join("default_model.txt"), "echo").unwrap();
        let workshop = Self { sandbox };
        workshop.run(&format!("mkdir ../bin && ln -s '{}' ../bin/llm", llm.display()));
        workshop.run("git init -q . && git add . && git commit -q -m start");
        Some(workshop)
    }

    #[track_caller]
    fn run(&self, script: &str) -> String {
        let bin = self.sandbox.project().parent().unwrap().join("bin");
        let output = command(
            &self.sandbox,
            Path::new("sh"),
            &["-ec", &format!("PATH={}:$PATH\n{script}", bin.display())],
        )
        .env("LLM_USER_PATH", self.sandbox.home().join("llm"))
        .env("GIT_AUTHOR_NAME", "a")
        .env("GIT_AUTHOR_EMAIL", "a@example.org")
        .env("GIT_COMMITTER_NAME", "a")
        .env("GIT_COMMITTER_EMAIL", "a@example.org")
        .env("GIT_EDITOR", "true")
        .output()
        .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}\n{stderr}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// What a recipe asked the model.
    #[track_caller]
    fn asked(&self, recipe: &str) -> String {
        let answer = self.run(&block("recipes.md", recipe, "sh"));
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        answer["prompt"].as_str().unwrap().to_owned()
    }
}

const SOURCE: &str = "--- CONTEXT FILES BEGIN ---\n[src/budget.rs]\nfn budget() {}\n";

#[test]
fn a_question_follows_the_block() {
    let Some(workshop) = Workshop::open() else { return };
    let expected = format!("{SOURCE}--- CONTEXT FILES END ---\n\nWhere is the budget applied?\n");
    assert_eq!(workshop.asked("## A question"), expected);
}

#[test]
fn a_review_contains_the_diff_and_the_question() {
    let Some(workshop) = Workshop::open() else { return };
    workshop.sandbox.write("notes.md", "edited\n");
    let asked = workshop.asked("## A review");
    assert!(
        asked.starts_with(&format!("{SOURCE}\n[git diff]\ndiff --git a/notes.md b/notes.md\n")),
        "{asked}"
    );
    assert!(asked.contains("\n-notes\n+edited\n"), "{asked}");
    assert!(asked.ends_with("\n--- CONTEXT FILES END ---\n\nReview this\n"), "{asked}");
}

#[test]
fn a_block_is_written_to_a_file_and_sent_to_the_model() {
    let Some(workshop) = Workshop::open() else { return };
    let block = format!("{SOURCE}--- CONTEXT FILES END ---\n");
    for _ in 0..2 {
        let asked = workshop.asked("## A file");
        assert!(asked.contains(&block) && asked.contains("Summarise this"), "{asked}");
        assert_eq!(workshop.sandbox.read("context.txt"), block);
    }
}

#[test]
fn make_rebuilds_the_block_when_a_source_changes() {
    let Some(workshop) = Workshop::open() else { return };
    workshop.sandbox.write("Makefile", block("recipes.md", "## A Makefile rule", "make"));
    workshop.run("make -s");
    assert_eq!(workshop.sandbox.read("context.txt"), format!("{SOURCE}--- CONTEXT FILES END ---\n"));
    assert!(workshop.run("make").contains("up to date"));
    workshop.run("touch -d '+5 seconds' src/budget.rs && echo '// edited' >> src/budget.rs && touch -d '+5 seconds' src/budget.rs && make -s");
    assert!(workshop.sandbox.read("context.txt").contains("// edited"));
}

#[test]
fn a_hook_drafts_the_commit_message() {
    let Some(workshop) = Workshop::open() else { return };
    let hook = ".git/hooks/prepare-commit-msg";
    workshop.sandbox.write(hook, block("recipes.md", "## A git hook", "sh"));
    workshop.run(&format!("chmod +x {hook} && echo more >> notes.md && git commit -q -a"));
    let message = workshop.run("git log -1 --format=%B");
    assert!(message.contains("[git:staged notes.md]") && message.contains("+more"), "{message}");
    workshop.run("echo again >> notes.md && git commit -q -a -m given");
    assert_eq!(workshop.run("git log -1 --format=%B").trim(), "given");
}

#[test]
fn eight_megabytes_pass_through_a_pipe_unchanged() {
    let sandbox = Sandbox::new();
    let text: String = (0..400_000).map(|line| format!("line {line}, é 日本\n")).collect();
    assert!(text.len() > 8 << 20);
    sandbox.write("large.txt", &text);
    let Some(shell) = program("sh") else { return };
    let script = "ctx render --only -b none large.txt | tee copy.txt | cat > through.txt";
    let status = command(&sandbox, &shell, &["-c", script]).status().unwrap();
    assert!(status.success());
    let expected = format!("--- CONTEXT FILES BEGIN ---\n[large.txt]\n{text}--- CONTEXT FILES END ---\n");
    assert!(sandbox.read("copy.txt") == expected);
    assert!(sandbox.read("through.txt") == expected);
}
