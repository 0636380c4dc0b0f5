//! A hint that is a command line does what it says when it is pasted.

use crate::shells::{command, program};
use crate::states::run;
use crate::support::Sandbox;

/// The command lines that a failing command suggests.
#[track_caller]
fn hints(sandbox: &Sandbox, typed: &[&str]) -> Vec<String> {
    let output = run(sandbox, typed);
    assert!(!output.status.success(), "{typed:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    let hints = said.lines().filter_map(|line| line.strip_prefix("hint: "));
    hints.filter(|hint| hint.starts_with("ctx ")).map(str::to_owned).collect()
}

/// Files over the budget, one with a name that suggests secrets, one that is ignored, and a directory.
fn sandbox() -> Sandbox {
    let text = "what is here and there\n".repeat(100);
    let sandbox = Sandbox::with(&[
        ("a b.txt", &text),
        ("c.txt", &text),
        (".env", "X=1\n"),
        ("out/x.log", "keys\n"),
        (".ignore", "out\n"),
    ]);
    sandbox.ctx(["add", "-q", "c.txt:1-2"]).check();
    let exported = sandbox.ctx(["export", "default"]).stdout_any().check();
    sandbox.write("team.json", exported);
    sandbox
}

#[test]
fn every_line_that_is_offered_succeeds() {
    let sandbox = sandbox();
    let Some(shell) = program("sh") else { return };
    for (typed, count) in [
        (&["render", "--only", "-b", "60", "a b.txt"][..], 3),
        (&["render", "--only", "-b60", "-p", "what's here?", "a b.txt", "c.txt"], 2),
        (&["ask", "-b", "20", "what is \"here\"?", "a b.txt", "--", "cat"], 2),
        (&["run", "--no-record", "--only", "-b", "60", "-p", "x", "c.txt", "--", "cat"], 3),
        (&["render", "--only", ".env"], 1),
        (&["render", "--only", "out/*.log"], 1),
        (&["ask", "keys", "out"], 1),
        (&["render", "--since", "c.txt"], 1),
        (&["import", "team.json"], 1),
        (&["rm", "c.txt"], 1),
        (&["profile", "--set", "instruction= "], 1),
        (&["rm", "no.txt"], 1),
        (&["set", "--tag", "x", "c.txt"], 1),
        (&["ask", "--strict", "-b", "10", "here?", "a b.txt"], 2),
        (&["ask", "--strict", "--dry-run", "-b", "10", "here?", "a b.txt"], 2),
        (&["ask", "here?", "a b.tx", "c.tx"], 1),
        (&["add", "out/**", "*.txt", "!*.txt"], 1),
    ] {
        let offered = hints(&sandbox, typed);
        assert_eq!(offered.len(), count, "{typed:?}: {offered:?}");
        for line in offered {
            let pasted = command(&sandbox, &shell, &["-c", &line]).output().unwrap();
            // If a block doesn't fit, `--dry-run` fails like the block, but still prints its list.
            let is_list =
                line.contains(" --dry-run ") && String::from_utf8_lossy(&pasted.stdout).contains(".txt");
            let said = String::from_utf8_lossy(&pasted.stderr);
            assert!(is_list || pasted.status.success(), "{line}: {said}");
        }
    }
}

#[test]
fn line_with_a_larger_budget_has_room_for_what_competes_and_for_the_last_turn() {
    let sandbox = sandbox();
    sandbox.write("pin.md", "pinned words\n".repeat(200));
    sandbox.ctx(["add", "-q", "--pin", "pin.md"]).check();
    sandbox.ctx(["ask", "-q", "what is here?", "--", "cat"]).stdout_any().check();
    let Some(shell) = program("sh") else { return };
    for (typed, line) in [
        (
            &["ask", "-b", "30", "what is here?", "a b.txt"][..],
            "ctx ask --budget 2k \"what is here?\" 'a b.txt'",
        ),
        (&["ask", "-c", "-b", "300", "and there?"], "ctx ask -c --budget 3k \"and there?\""),
        (&["render", "--history=@ask", "-b300", "-p", "x"], "ctx render --history=@ask -p x --budget 2k"),
    ] {
        assert_eq!(hints(&sandbox, typed)[0], line);
        let pasted = command(&sandbox, &shell, &["-c", line]).output().unwrap();
        assert!(pasted.status.success(), "{line}: {}", String::from_utf8_lossy(&pasted.stderr));
    }
}

#[test]
fn line_that_reads_what_nobody_can_repeat_is_not_offered() {
    let sandbox = sandbox();
    let text = "what is here and there\n".repeat(100);
    let input = sandbox.ctx(["render", "--only", "-b", "60", "-"]).stdin(text).code(1);
    input.stderr_has("\nhint: use a larger --budget, or --trim ").stderr_lacks("hint: ctx").check();
}

#[test]
fn line_that_is_offered_is_the_typed_one() {
    let sandbox = sandbox();
    sandbox.ctx(["add", "-q", "a b.txt:1", "a b.txt:9-"]).check();
    for (typed, line) in [
        (
            &["set", "--tag", "x", "c.txt", "a b.txt"][..],
            "ctx set --tag x c.txt:1-2 'a b.txt:1' 'a b.txt:9-'",
        ),
        (
            &["set", "--tag", "x", "a b.txt", "c.txt:1-2"],
            "ctx set --tag x 'a b.txt:1' 'a b.txt:9-' c.txt:1-2",
        ),
        (&["ask", "q", "a b.tx", "c.tx"], "ctx ask \"q\" 'a b.txt' c.txt"),
        (&["ask", "q", "-o", "x.out", "--"], "ctx ask \"q\" -- llm"),
        (&["ask", "q", "--dry-run", "--"], "ctx ask \"q\" -- llm"),
        (&["ask", "what", "is", "1999?", "--"], "ctx ask \"what is 1999?\" -- llm"),
        (&["run", "-p", "hi", "c.txt", "cat"], "ctx run -p hi c.txt -- cat"),
    ] {
        assert_eq!(hints(&sandbox, typed), [line], "{typed:?}");
    }
    sandbox.ctx(["profile", "--set", "program=cat -n"]).stderr_any().check();
    assert_eq!(hints(&sandbox, &["ask", "q", "--"]), ["ctx ask \"q\" -- cat -n"]);
}

#[test]
fn entry_that_was_not_quoted_is_suggested_in_quotes() {
    let sandbox = sandbox();
    for (typed, line) in [
        (&["render", "git:diff", "main..."][..], "ctx render 'git:diff main...'"),
        (
            &["ask", "what is here?", "c.txt", "git:diff", "main...", "--", "cat"],
            "ctx ask \"what is here?\" c.txt 'git:diff main...' -- cat",
        ),
        (&["add", "cmd:git", "status"], "ctx add 'cmd:git status'"),
        (&["add", "--pin", "cmd:cargo", "test", "--lib"], "ctx add --pin 'cmd:cargo test --lib'"),
        (&["render", "-b", "9k", "-p", "hi", "--", "cat", "-n"], "ctx run -b 9k -p hi -- cat -n"),
    ] {
        let said = String::from_utf8(run(&sandbox, typed).stderr).unwrap();
        assert!(said.contains(&format!(": {line}\n")), "{typed:?}: {said}");
    }
    sandbox.ctx(["add", "cmd:echo", "hi"]).code(1).stderr_has("\nhint: ctx add 'cmd:echo hi'\n").check();
    sandbox.ctx(["add", "cmd:echo hi"]).stderr_any().check();
}
