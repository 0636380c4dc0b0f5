use super::turn;
use crate::support::Sandbox;

fn secret() -> String {
    format!("{}{}", "AKIA", "Q3EGRJ5XK7T2M4WZ")
}

/// A good turn, a failed one, one that was cut off, one without an answer, one with an empty answer, a call
/// without a result, a result without a call, and another good turn.
fn mixed() -> Sandbox {
    let sandbox = Sandbox::new();
    let turn = |number: u64, rest: &str| {
        format!(
            r#"{{"turn":{number},"time":"2026-01-02T03:04:05Z","messages":[{{"role":"user","content":"q{number}"}}{rest}"#
        )
    };
    let answer = r#",{"role":"assistant","content":"a"}]"#;
    let call = r#",{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]}"#;
    let result = r#",{"role":"tool","tool_call_id":"c1","content":"r"}"#;
    let lines = [
        turn(1, answer) + "}",
        turn(2, answer) + r#","exit":3}"#,
        turn(3, answer) + r#","cut":true}"#,
        turn(4, "]}"),
        turn(5, r#",{"role":"assistant","content":" \n"}]}"#),
        turn(6, &(call.to_owned() + answer + "}")),
        turn(7, &(result.to_owned() + answer + "}")),
        turn(8, &(call.to_owned() + result + answer + r#","exit":0,"refs":[],"later":1}"#)),
    ];
    sandbox.write_store("history/default.jsonl", lines.join("\n") + "\n");
    sandbox
}

#[test]
fn only_answered_turns_that_did_not_fail_are_shown() {
    let sandbox = mixed();
    sandbox
        .ctx(["history", "show"])
        .stdout(
            "[turn 1: user]\nq1\n\n[turn 1: assistant]\na\n\n[turn 3: user]\nq3\n\n[turn 3: assistant]\na\n\
             [… interrupted …]\n\n[turn 8: user]\nq8\n\n[turn 8: assistant calls \
             read]\n{}\n\n[turn 8: result of read]\nr\n\n[turn 8: assistant]\na\n",
        )
        .stderr("note: left out 5 turns that failed or got no answer; --raw shows them\n")
        .check();
    sandbox
        .ctx(["history", "show", "--raw"])
        .stdout_has("[turn 2: assistant]\na\n\n[turn 2: exit code 3]\n\n[turn 3: user]\nq3\n")
        .stdout_has("[turn 3: cut]\n\n[turn 4: user]\nq4\n\n[turn 5: user]\n")
        .stdout_has("[turn 7: result]\nr\n")
        .check();
    sandbox
        .ctx(["history", "show", "--raw", "--last", "1", "--messages"])
        .stdout_lacks("q7")
        .stdout_has("q8")
        .check();
    sandbox
        .ctx(["history"])
        .stdout(
            "name     turns used  tokens  last change\ndefault      3 of 8      82  2026-01-02T03:04:05Z\n",
        )
        .check();
}

#[test]
fn secrets_and_hidden_characters_are_shown_only_with_raw() {
    let sandbox = Sandbox::new();
    let (question, shown) =
        (format!("key {}\u{202e}\u{1b}[2J", secret()), "key [REDACTED:aws-access-key-id]");
    turn(&sandbox, &question, "ok");
    for form in [&["show"][..], &["show", "--json"], &["show", "--messages"], &["show", "--last", "1"]] {
        let args = [&["history"], form].concat();
        sandbox.ctx(args).stdout_has(&format!("{shown}<U+202E><U+001B>[2J")).stdout_lacks(&secret()).check();
    }
    sandbox.ctx(["history", "show", "--raw"]).stdout_has(&question).check();
    sandbox.ctx(["history", "show", "--raw", "--json"]).stdout_has(&secret()).check();
}

#[test]
fn a_long_result_keeps_its_beginning_and_end() {
    let sandbox = Sandbox::new();
    let append = |args: &[&str], text: &str| {
        let args = [&["history", "append", "--role"], args, &["-"]].concat();
        sandbox.ctx(args).stdin(text).stdout("1\n").check();
    };
    append(&["user"], "Read it");
    append(&["assistant", "--id", "c", "--name", "read"], "{}");
    let text: String = (1..=3_000).map(|line| format!("line {line}\n")).collect();
    append(&["tool"], &text);
    append(&["assistant"], "Read.");
    let shown = sandbox.ctx(["history", "show"]).stdout_any().check();
    let result =
        shown.split_once("result of read]\n").unwrap().1.split_once("\n\n[turn 1: assistant]").unwrap().0;
    assert!(result.starts_with("line 1\nline 2\n") && result.ends_with("\nline 3000"), "{result}");
    let kept = result.lines().filter(|line| line.starts_with("line ")).count();
    let omission =
        format!("\n[… {} lines omitted …]\n", (3_000 - kept) / 1_000 * 1_000 + (3_000 - kept) % 1_000);
    assert!(result.contains(&omission.replacen('2', "2,", 1)), "{omission} {result}");
    assert!((430..=500).contains(&kept), "{kept}");
    sandbox.ctx(["history", "show", "--raw"]).stdout_has("line 1500\n").check();
}

#[test]
fn a_damaged_history_does_not_hide_the_others_in_the_list() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["history"]).stderr("note: no histories; 'ctx history append' makes one\n").check();
    for name in ["b", "a", "default"] {
        let name = format!("--history={name}");
        sandbox.ctx(["history", "append", "--role", "user", "x", &name]).stdout("1\n").check();
    }
    sandbox.write_store("history/a.jsonl", "nonsense\n");
    sandbox
        .ctx(["history"])
        .code(4)
        .stdout_has("\ndefault      0 of 1       0  20")
        .stdout_has("\nb            0 of 1       0  20")
        .stderr_has(
            "error: history file '<store>/history/a.jsonl' is damaged: line 1: column 2: expected ident\n",
        )
        .check();
    sandbox
        .ctx(["history", "show", "--history=gone"])
        .code(1)
        .stderr_has("History 'gone' does not exist")
        .check();
}

#[test]
fn an_export_contains_no_history() {
    let sandbox = Sandbox::new();
    turn(&sandbox, "a question", "an answer");
    sandbox.ctx(["export", "--all", "-g"]).stdout_lacks("question").check();
}
