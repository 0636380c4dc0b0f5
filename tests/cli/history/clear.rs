use super::{lines, turn};
use crate::support::Sandbox;

fn three_turns() -> Sandbox {
    let sandbox = Sandbox::new();
    for question in ["one", "two", "three"] {
        turn(&sandbox, question, &format!("answer to {question}"));
    }
    sandbox
}

#[test]
fn a_cleared_history_is_empty_and_does_not_reuse_turn_numbers() {
    let sandbox = three_turns();
    let before = sandbox.stored("history/default.jsonl");
    sandbox.ctx(["history", "clear"]).stderr("Cleared history 'default' (3 turns)\n").check();
    assert_eq!(sandbox.stored("history/default.jsonl.bak"), before);
    sandbox.ctx(["history", "show"]).check();
    sandbox.ctx(["history", "clear"]).stderr("Cleared history 'default' (0 turns)\n").check();
    assert_eq!(sandbox.stored("history/default.jsonl.bak"), before, "nothing replaces a backup");
    sandbox.ctx(["history", "append", "--role", "user", "four"]).stdout("4\n").check();
    assert_eq!(
        lines(&sandbox),
        [
            r#"{"cleared":{"from":1,"to":3},"last":3}"#,
            r#"{"turn":4,"messages":[{"role":"user","content":"four"}]}"#
        ]
    );
}

#[test]
fn clearing_turns_removes_the_summaries_about_them() {
    let sandbox = three_turns();
    let lines_before =
        sandbox.stored("history/default.jsonl").replace("\"two\"}]}", "\"two\"}],\"later\":1.50}");
    let summary = "{\"summary\":{\"from\":1,\"to\":2},\"content\":\"s\"}\n{\"undo\":{\"summary\":{\"from\":1,\"to\":2}}}\n";
    sandbox.write_store("history/default.jsonl", lines_before + summary);
    sandbox.ctx(["history", "clear", "1"]).stderr("Cleared history 'default' (1 turn)\n").check();
    assert_eq!(
        lines(&sandbox),
        [
            r#"{"turn":2,"messages":[{"role":"user","content":"two"}],"later":1.50}"#,
            r#"{"turn":2,"messages":[{"role":"assistant","content":"answer to two"}]}"#,
            r#"{"turn":3,"messages":[{"role":"user","content":"three"}]}"#,
            r#"{"turn":3,"messages":[{"role":"assistant","content":"answer to three"}]}"#,
            r#"{"cleared":{"from":1,"to":1},"last":3}"#,
        ]
    );
    sandbox
        .ctx(["history", "clear", "2-9"])
        .stderr(
            "Cleared history 'default' (2 turns)\nnote: the earlier backup was replaced: \
             '<store>/history/default.jsonl.bak'\n",
        )
        .check();
    sandbox.ctx(["history", "append", "--role", "user", "four"]).stdout("4\n").check();
}

#[test]
fn no_backup_removes_the_existing_backup() {
    let sandbox = three_turns();
    sandbox.ctx(["history", "clear", "1"]).stderr_any().check();
    sandbox.ctx(["history", "clear", "--no-backup"]).stderr("Cleared history 'default' (2 turns)\n").check();
    assert!(!sandbox.store().join("history/default.jsonl.bak").exists());
}

#[test]
fn missing_turns_cannot_be_cleared() {
    let sandbox = three_turns();
    let before = sandbox.stored("history/default.jsonl");
    sandbox
        .ctx(["history", "clear", "7-9"])
        .code(1)
        .stderr("error: history 'default' has no turn 7\n")
        .check();
    for range in ["0", "3-1", "x", "1-", "-2"] {
        sandbox.ctx(["history", "clear", "--", range]).code(2).stderr_has("invalid value").check();
    }
    sandbox
        .ctx(["history", "clear", "--history=nobody"])
        .code(1)
        .stderr("error: History 'nobody' does not exist\nhint: ctx history\n")
        .check();
    assert_eq!(sandbox.stored("history/default.jsonl"), before);
    assert!(!sandbox.store().join("history/default.jsonl.bak").exists());
}
