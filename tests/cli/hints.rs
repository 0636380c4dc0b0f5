//! A hint names an option with which the command succeeds.

use crate::states::run;
use crate::support::Sandbox;

/// Files over the budget, one with a name that suggests secrets, and one that is ignored.
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
    sandbox
}

/// The options that a failing command suggests, each with its value.
#[track_caller]
fn options(sandbox: &Sandbox, typed: &[&str]) -> Vec<Vec<String>> {
    let output = run(sandbox, typed);
    assert!(!output.status.success(), "{typed:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    let hints = said.lines().filter_map(|line| line.strip_prefix("hint: "));
    let options = hints.filter(|hint| hint.starts_with('-') && !hint.contains("--dry-run"));
    options.map(|hint| hint.split(' ').take(2).map(str::to_owned).collect()).collect()
}

#[test]
fn every_option_that_is_suggested_helps() {
    let sandbox = sandbox();
    for (typed, count) in [
        (&["render", "--only", "-b", "60", "a b.txt"][..], 2),
        (&["render", "--only", "-b60", "-p", "what's here?", "a b.txt", "c.txt"], 1),
        (&["ask", "-b", "20", "what is \"here\"?", "a b.txt"], 1),
        (&["render", "--only", ".env"], 1),
        (&["render", "--only", "out/*.log"], 1),
        (&["ask", "keys", "out"], 1),
        (&["add", "out/*"], 1),
        (&["add", ".env"], 1),
    ] {
        let suggested = options(&sandbox, typed);
        assert_eq!(suggested.len(), count, "{typed:?}: {suggested:?}");
        for option in suggested {
            let line: Vec<&str> = typed.iter().copied().chain(option.iter().map(String::as_str)).collect();
            sandbox.ctx(line).stdout_any().stderr_any().check();
        }
    }
}

#[test]
fn suggested_budget_has_room_for_what_competes_and_for_the_last_turn() {
    let sandbox = sandbox();
    sandbox.write("pin.md", "pinned words\n".repeat(200));
    sandbox.ctx(["add", "-q", "--pin", "pin.md"]).check();
    sandbox.ctx(["ask", "-q", "what is here?", "--", "cat"]).stdout_any().check();
    for (typed, budget) in [
        (&["ask", "-b", "30", "what is here?", "a b.txt"][..], "2k"),
        (&["ask", "-c", "-b", "300", "and there?"], "3k"),
        (&["render", "--history=@ask", "-b300", "-p", "x"], "2k"),
    ] {
        assert_eq!(options(&sandbox, typed)[0], ["--budget", budget], "{typed:?}");
        let line = [typed, &["--budget", budget]].concat();
        sandbox.ctx(line).stdout_any().stderr_any().check();
    }
}

#[test]
fn suggested_budget_has_room_for_the_built_in_list() {
    let sandbox = sandbox();
    sandbox.ctx(["clear", "-q"]).check();
    sandbox.write("AGENTS.md", "be brief and there\n".repeat(11));
    let typed = ["ask", "-b", "20", "what is \"here\"?", "a b.txt"];
    for option in options(&sandbox, &typed) {
        let line = typed.into_iter().chain(option.iter().map(String::as_str));
        sandbox.ctx(line).stdout_any().stderr_any().check();
    }
}
