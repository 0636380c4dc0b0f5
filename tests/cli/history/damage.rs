use super::{lines, turn};
use crate::support::Sandbox;

const ONE: &str = r#"{"turn":1,"time":"2026-01-02T03:04:05Z","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}"#;

fn with(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_store("history/default.jsonl", text);
    sandbox
}

#[test]
fn a_complete_last_line_without_a_newline_counts_and_gets_one() {
    let sandbox = with(ONE);
    sandbox.ctx(["history", "show"]).stdout("[turn 1: user]\nq\n\n[turn 1: assistant]\na\n").check();
    sandbox.ctx(["history", "append", "--role", "user", "next"]).stdout("2\n").check();
    assert!(sandbox.stored("history/default.jsonl").starts_with(&format!("{ONE}\n{{\"turn\":2,")));
    assert_eq!(lines(&sandbox).len(), 2);
}

#[test]
fn an_incomplete_last_line_is_ignored_and_then_moved_to_another_file() {
    for torn in ["{", r#"{"turn":2,"time":"2026"#, &ONE[..ONE.len() - 1], "\u{fffd}"] {
        let sandbox = with(&format!("{ONE}\n{torn}"));
        sandbox
            .ctx(["history", "show"])
            .stdout("[turn 1: user]\nq\n\n[turn 1: assistant]\na\n")
            .stderr("warning: the last line of history 'default' is incomplete and was ignored\n")
            .check();
        let warning = "warning: the last line of history 'default' was incomplete and has been moved to '<store>/history/default.jsonl.torn'\n";
        sandbox.ctx(["history", "append", "--role", "user", "next"]).stdout("2\n").stderr(warning).check();
        assert!(sandbox.stored("history/default.jsonl").starts_with(&format!("{ONE}\n{{\"turn\":2,")));
        assert_eq!(lines(&sandbox).len(), 2);
        assert_eq!(sandbox.stored("history/default.jsonl.torn"), format!("{torn}\n"));
        // Another incomplete line is added after the first.
        sandbox.write_store("history/default.jsonl", format!("{ONE}\n{torn}"));
        sandbox.write("talk.json", r#"[{"role":"user","content":"q"},{"role":"user","content":"q"}]"#);
        sandbox
            .ctx(["history", "append", "--from", "messages", "talk.json"])
            .stdout("2-3\n")
            .stderr_has(warning)
            .check();
        assert_eq!(sandbox.stored("history/default.jsonl.torn"), format!("{torn}\n{torn}\n"));
        sandbox.ctx(["history", "clear", "--no-backup", "-q"]).check();
        assert!(!sandbox.store().join("history/default.jsonl.torn").exists());
    }
}

#[test]
fn a_history_with_only_an_incomplete_line_does_not_exist() {
    for text in ["", "{\"turn\":1,"] {
        let sandbox = with(text);
        sandbox.ctx(["history", "show"]).code(1).stderr_has("History 'default' does not exist").check();
        sandbox.ctx(["history"]).stderr("note: no histories; 'ctx history append' makes one\n").check();
        sandbox.ctx(["history", "append", "--role", "user", "first"]).stdout("1\n").stderr_any().check();
        assert_eq!(lines(&sandbox).len(), 1);
        assert_eq!(sandbox.store().join("history/default.jsonl.torn").exists(), !text.is_empty());
    }
}

#[test]
fn other_damage_is_reported_with_its_line_and_left_unchanged() {
    for (line, reason) in [
        ("[]", "line 2: not an object"),
        ("{\"turn\":1}", "line 2: neither messages nor a summary"),
        ("{\"messages\":[]}", "line 2: messages without a turn number"),
        ("{\"turn\":2,\"messages\":[{\"content\":\"x\"}]}", "line 2: a message has no role"),
        (
            "{\"summary\":{\"from\":2,\"to\":1},\"content\":\"\"}",
            "line 2: the first and the last turn are missing",
        ),
        ("{\"turn\":2,", "line 2: column 10: EOF while parsing a value"),
    ] {
        let text = format!("{ONE}\n{line}\n{ONE}\n");
        let sandbox = with(&text);
        for args in
            [&["show"][..], &["clear"], &["append", "--role", "assistant", "x"], &["compress", "--", "cat"]]
        {
            let args = [&["history"], args].concat();
            sandbox
                .ctx(args)
                .code(4)
                .stderr_has("error: history file '<store>/history/default.jsonl' is damaged: ")
                .stderr_has(reason)
                .check();
        }
        assert_eq!(sandbox.stored("history/default.jsonl"), text);
    }
}

#[test]
fn damage_at_the_end_prevents_a_new_turn() {
    let sandbox = with(&format!("{ONE}\nnonsense\n"));
    sandbox
        .ctx(["history", "append", "--role", "user", "x"])
        .code(4)
        .stderr_has("line 2: column 2: expected ident")
        .check();
}

#[test]
fn a_history_that_is_too_large_is_refused() {
    let sandbox = Sandbox::new();
    turn(&sandbox, "x", "y");
    let file =
        std::fs::File::options().write(true).open(sandbox.store().join("history/default.jsonl")).unwrap();
    file.set_len((256 << 20) + 1).unwrap();
    for args in [&["show"][..], &["append", "--role", "user", "x"]] {
        let args = [&["history"], args].concat();
        sandbox.ctx(args).code(4).stderr_has("is larger than 268435456 bytes").check();
    }
}

#[test]
fn a_list_of_only_damaged_histories_prints_only_errors() {
    let sandbox = with("garbage\n");
    sandbox.ctx(["history"]).code(4).stdout("").stderr_has("is damaged: line 1: ").check();
}
