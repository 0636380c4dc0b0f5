//! A question about a text that turns out to be empty is not sent.

use std::process::{Command, Stdio};

use crate::support::{Sandbox, binary};

/// A repository without changes.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.rs", "fn answer() {}\n")]);
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "Begin"]] {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]).args(arguments);
        git.current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
        assert!(git.status().unwrap().success(), "git {arguments:?}");
    }
    sandbox
}

const WHY: &str = ", so there is nothing to ask about\n";

#[cfg(unix)]
#[test]
fn nothing_is_sent_if_all_that_a_question_is_about_is_empty() {
    let sandbox = repository();
    for (texts, what) in [
        (&["-"][..], "standard input is empty"),
        (&["git:diff"], "'git:diff' has no changes"),
        (&["git:staged"], "'git:staged' has no changes"),
        (&["cmd:false"], "'cmd:false' has no output, exit 1"),
        (&["cmd:true"], "'cmd:true' has no output"),
        (&["-", "cmd:true"], "standard input is empty and 'cmd:true' has no output"),
    ] {
        for more in [&[][..], &["--dry-run"], &["--strict"], &["--", "touch", "sent"]] {
            if texts.iter().any(|text| text.starts_with("cmd:")) && more.contains(&"--dry-run") {
                continue;
            }
            let arguments = ["ask", "what of the answer?"].iter().chain(texts).chain(more);
            let asked = sandbox.ctx(arguments).stdin(if texts.len() > 1 { " \n" } else { "" });
            let hint = format!("hint: without '{}', ctx asks about the files\n", texts[0]);
            let hint = if texts.contains(&"cmd:true") { "hint: without '" } else { &*hint };
            asked.code(1).stderr_has(&format!("error: {what}{WHY}")).stderr_has(hint).check();
        }
    }
    assert!(!sandbox.path("sent").exists());
    sandbox.write("Cargo.lock", "");
    let mut git = Command::new("git");
    git.args(["add", "-N", "Cargo.lock"]).current_dir(sandbox.project());
    assert!(git.status().unwrap().success());
    sandbox.write("Cargo.lock", "a\n");
    let asked = sandbox.ctx(["ask", "what of the answer?", "git:diff"]);
    let left_out = "error: 1 changed file left out by the built-in ignore file: 'git:diff Cargo.lock'";
    asked.code(1).stderr_has(&format!("{left_out}{WHY}")).check();
}

#[test]
fn what_leaves_changes_out_is_named() {
    let sandbox = repository();
    sandbox.write("a.rs", "fn answer() {}\nfn other() {}\n");
    for filter in [["--exclude", "a.rs"], ["--include", "*.md"], ["!a.rs", "git:diff"]] {
        let asked = sandbox.ctx(["ask", "what of the answer?", "git:diff"].iter().chain(&filter));
        let why = "1 changed file of 'git:diff' left out by exclusions or filters";
        asked.code(1).stderr_has(&format!("error: {why}")).stderr_lacks("no changes").check();
    }
}

#[test]
fn nothing_is_sent_if_a_path_only_limits_a_question_about_nothing() {
    let sandbox = repository();
    sandbox.write("src/b.rs", "fn answer() {}\n");
    for path in ["src", "**/*.rs", "./src/"] {
        let asked = sandbox.ctx(["ask", "what of the answer?", "git:diff", path]);
        let why = format!("error: 'git:diff' has no changes{WHY}");
        asked.code(1).stderr_has(&why).check();
    }
}

#[cfg(unix)]
#[test]
fn text_beside_an_empty_one_is_asked_about() {
    let sandbox = repository();
    let asked = sandbox.ctx(["ask", "what of the answer?", "-", "git:diff"]).stdin("the answer\n");
    asked.stdout_has("[stdin]\nthe answer").stderr_has("warning: no changes: 'git:diff'\n").check();
    let asked = sandbox.ctx(["ask", "what of the answer?", "git:diff", "a.rs"]);
    asked.stdout_has("fn answer").stderr_has("warning: no changes: 'git:diff'\n").check();
    let asked = sandbox.ctx(["ask", "what of the answer?", "cmd:false", "a.rs"]);
    asked.stdout_has("fn answer").stderr_has("'cmd:false' (no output, exit 1)").check();
    let asked = sandbox.ctx(["ask", "what of the answer?", "git:diff", "a.rs", "--strict"]);
    asked.code(3).stderr_has("no changes: 'git:diff'").check();
    let asked = sandbox.ctx(["ask", "what of the answer?", "cmd:true", "git:log"]);
    asked.stdout_has("Begin").stderr_has("'cmd:true' (no output)").check();
    let rendered = sandbox.ctx(["render", "-p", "what of the answer?", "-", "a.rs"]).stdin("");
    rendered.stdout_has("fn answer").stderr("warning: standard input is empty\n").check();
    sandbox
        .ctx(["ask", "what of it?", "git:diff x"])
        .code(1)
        .stderr_lacks(WHY.trim_end())
        .stderr_any()
        .check();
}

#[cfg(unix)]
#[test]
fn list_of_what_would_be_sent_runs_no_program() {
    let sandbox = repository();
    let asked = sandbox.ctx(["ask", "answer?", "--json", "--", "touch", "sent"]);
    asked.stdout_has("a.rs").stderr_any().check();
    sandbox.ctx(["profile", "--set", "program=touch sent"]).stderr_any().check();
    sandbox.ctx(["ask", "answer?", "--json"]).stdout_has("a.rs").stderr_any().check();
    assert!(!sandbox.path("sent").exists());
}

#[cfg(unix)]
#[test]
fn question_in_the_place_of_the_program_is_recognised() {
    let sandbox = repository();
    let fails = |program: &[&str], shown: &str, hint: &str| {
        let mut ctx = Command::new(binary());
        ctx.arg("ask").arg("--").args(program).stdin(Stdio::null());
        let output =
            ctx.current_dir(sandbox.project()).env_clear().envs(sandbox.environment()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.ends_with(&format!("here '{shown}'\nhint: {hint}\n")), "{said}");
    };
    fails(&["where is it?"], "where is it?", "ctx ask -p \"where is it?\"");
    fails(&["--where", "is", "it?"], "--where is it?", "ctx ask -p \"--where is it?\"");
    fails(&["true", "$x"], "true $x", "ctx ask \"where is the bug?\" -- true '$x'");
    let hint = "a question comes before it: ctx ask -p \"where is it?\"\n";
    sandbox.ctx(["ask", "--", "where is it?"]).stdin("x\n").code(127).stderr_has(hint).check();
}

#[cfg(unix)]
#[test]
fn colours_of_a_terminal_are_not_sent() {
    let sandbox = repository();
    let asked =
        sandbox.ctx(["ask", "why?", "-"]).stdin("\u{1b}[31m\u{1b}[1mError\u{1b}[0m in a.rs\u{1b}[K\n");
    asked.stdout_has("[stdin]\nError in a.rs\n").stderr_lacks("hidden").check();
    sandbox.write("colours.sh", "printf '\\033[32mok\\033[0m\\n'\n");
    let asked = sandbox.ctx(["ask", "why?", "cmd:sh colours.sh"]);
    asked.stdout_has("[cmd:sh colours.sh]\nok\n").stderr_lacks("hidden").check();
    let title = sandbox.ctx(["ask", "why?", "-"]).stdin("\u{1b}]0;title\u{7}\n");
    title.stdout_has("<U+001B>]0;title").stderr_has("hidden character").check();
}
