//! The pipe into a real `llm`, with a model that answers with its input.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Sandbox, binary, needs};

/// A program from `tests/tools/install`, if installed; in CI it must be.
#[track_caller]
pub fn tool(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-tools/venv/bin").join(name);
    if !path.exists() {
        needs(name);
        return None;
    }
    Some(path)
}

fn echoed(sandbox: &Sandbox, llm: &Path, args: &[&str], stdin: &str) -> (String, String) {
    let run = |name: &Path, args: &[&str], stdin: &str| {
        let mut command = Command::new(name);
        command.args(args).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
        command.env("LLM_USER_PATH", sandbox.home().join("llm"));
        assert_cmd::Command::from_std(command).write_stdin(stdin).output().unwrap()
    };
    let block = run(&binary(), args, stdin);
    assert!(block.status.success(), "{}", String::from_utf8_lossy(&block.stderr));
    let block = String::from_utf8(block.stdout).unwrap();

    let mut ctx = Command::new(binary())
        .args(args)
        .current_dir(sandbox.project())
        .env_clear()
        .envs(sandbox.environment())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut ctx.stdin.take().unwrap(), stdin.as_bytes()).unwrap();
    let echo = Command::new(llm)
        .args(["-m", "echo", "--no-stream"])
        .env_clear()
        .envs(sandbox.environment())
        .env("LLM_USER_PATH", sandbox.home().join("llm"))
        .stdin(ctx.stdout.take().unwrap())
        .output()
        .unwrap();
    assert!(ctx.wait().unwrap().success());
    assert!(echo.status.success(), "{}", String::from_utf8_lossy(&echo.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&echo.stdout).unwrap();
    (block, answer["prompt"].as_str().unwrap().to_owned())
}

#[test]
fn a_model_gets_the_block_byte_for_byte() {
    let Some(llm) = tool("llm") else { return };
    let sandbox = Sandbox::with(&[
        ("notes.md", "Zoë’s notes — 日本語 🦀\n\ttabbed\n\n\n"),
        ("src/main.rs", "fn main() { println!(\"\\\"quoted\\\"\"); }\n"),
    ]);
    sandbox.ctx(["add", "notes.md", "src/**/*.rs"]).stderr_any().check();
    // JSON with a "prompt" is an instruction to this model rather than text to echo.
    for format in ["text", "markdown", "xml"] {
        let (block, prompt) =
            echoed(&sandbox, &llm, &["render", "--format", format, "-p", "Where is the bug?"], "");
        assert!(block.contains("Where is the bug?"));
        assert_eq!(prompt, block, "{format}");
    }
}

#[test]
fn a_model_gets_the_diff_and_the_question_together() {
    let Some(llm) = tool("llm") else { return };
    let sandbox = Sandbox::new();
    let diff = "diff --git a/x b/x\n-old\n+new\n";
    let (block, prompt) = echoed(&sandbox, &llm, &["render", "-", "-p", "Review this"], diff);
    assert!(block.contains("[stdin]\ndiff --git"), "{block}");
    assert_eq!(prompt, block);
}
