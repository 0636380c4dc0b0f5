//! The recipes in `docs/editors.md`: runs the editors and pickers that are installed, and only the commands of the
//! others.

use serde_json::Value;

use crate::documented::block;
use crate::shells::{command, program};
use crate::support::Sandbox;

/// A repository with entries, and an `llm` that answers with its input.
fn asking() -> Sandbox {
    let sandbox = Sandbox::with(&[("notes.md", "kept\n"), ("src/a.rs", "fn a() {}\n")]);
    sandbox.write("../bin/llm", "#!/bin/sh\nexec cat\n");
    sandbox.ctx(["add", "notes.md"]).stderr_any().check();
    run(&sandbox, "chmod +x ../bin/llm && git init -q && git add .");
    sandbox
}

#[track_caller]
fn run(sandbox: &Sandbox, script: &str) -> String {
    let shell = program("sh").unwrap();
    let script = format!("set -e; PATH=$PWD/../bin:$PATH\n{script}");
    let output = command(sandbox, &shell, &["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn vim_opens_a_window_with_the_answer() {
    if program("vim").is_none() {
        return;
    }
    let sandbox = asking();
    sandbox.write("ctx.vim", block("editors.md", "## Vim", "vim"));
    run(
        &sandbox,
        "vim -es -N -u NONE -S ctx.vim -c \"Ctx what's kept, 100%?\" -c 'w! answer.txt' -c 'qa!' </dev/null",
    );
    assert_eq!(
        sandbox.read("answer.txt").trim_end(),
        "--- CONTEXT FILES BEGIN ---\n[notes.md]\nkept\n--- CONTEXT FILES END ---\n\nwhat's kept, 100%?"
    );
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn vs_code_task_asks_about_the_current_file() {
    let sandbox = asking();
    let tasks: Value = serde_json::from_str(&block("editors.md", "## VS Code", "json")).unwrap();
    let task = &tasks["tasks"][0];
    assert_eq!((&task["type"], &task["command"]), (&Value::from("process"), &Value::from("ctx")));
    let question = "What's \"this\", $HOME?";
    let filled = |argument: &Value| {
        let argument = argument.as_str().unwrap();
        argument.replace("${relativeFile}", "src/a.rs").replace("${input:question}", question)
    };
    let arguments: Vec<String> = task["args"].as_array().unwrap().iter().map(filled).collect();
    let path = format!("{}:/usr/bin:/bin", sandbox.path("../bin").display());
    let answer = sandbox.ctx(&arguments).env("PATH", &path).stdout_any().check();
    assert!(answer.contains("[src/a.rs]\nfn a() {}\n"), "{answer}");
    assert!(answer.ends_with(&format!("\n{question}\n")), "{answer}");
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn agent_commands_include_the_block_for_the_question() {
    let sandbox = asking();
    let between = |text: &str, begin: &str, end: &str| {
        let rest = text.split_once(begin).unwrap().1;
        rest.split_once(end).unwrap().0.to_owned()
    };
    // Gemini CLI quotes the replacement of {{args}}; the others replace $ARGUMENTS as a shell would.
    let gemini = between(&block("editors.md", "## Gemini CLI", "toml"), "!{", "}\n");
    let commands = [
        between(&block("editors.md", "## Claude Code", "markdown"), "!`", "`"),
        gemini.replace("{{args}}", "'what is kept?'"),
        between(&block("editors.md", "## Codex", "markdown"), "Run `", "`"),
    ];
    for command in commands {
        let block = run(&sandbox, &format!("ARGUMENTS='what is kept?'\n{command}"));
        assert!(block.contains("[notes.md]\nkept\n"), "{command}: {block}");
        assert!(block.ends_with("--- CONTEXT FILES END ---\n\nwhat is kept?\n"), "{command}: {block}");
    }
}

#[test]
fn fzf_question_searches_only_the_selected_files() {
    if program("fzf").is_none() {
        return;
    }
    let sandbox = asking();
    let script = block("editors.md", "## fzf", "sh").replace(" -m |", " --filter src/a |");
    let answer = run(&sandbox, &script);
    assert!(answer.contains("[src/a.rs]") && !answer.contains("[notes.md]"), "{answer}");
}

#[test]
fn entr_writes_the_block() {
    if program("entr").is_none() {
        return;
    }
    let sandbox = asking();
    let script = block("editors.md", "## entr and watchexec", "sh");
    run(&sandbox, &script.replace("entr -n", "entr -nz").replace("/tmp/context.txt", "../context.txt"));
    assert!(sandbox.read("../context.txt").contains("[notes.md]"));
}
