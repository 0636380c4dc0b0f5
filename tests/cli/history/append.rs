use super::{lines, turn};
use crate::support::Sandbox;

fn append<'a>(sandbox: &'a Sandbox, args: &[&str]) -> crate::support::Run<'a> {
    sandbox.ctx(["history", "append"].iter().chain(args))
}

#[test]
fn a_message_of_the_user_opens_a_turn_and_others_join_it() {
    let sandbox = Sandbox::new();
    append(&sandbox, &["--role", "user", "Why?"]).stdout("1\n").check();
    append(&sandbox, &["--role", "assistant", "--id", "c1", "--name", "read", "{}"]).stdout("1\n").check();
    append(&sandbox, &["--role", "tool", "--name", "read", "-"])
        .stdin("fn main() {}\r\n")
        .stdout("1\n")
        .check();
    append(&sandbox, &["--role", "assistant", "Because."]).stdout("1\n").check();
    append(&sandbox, &["--role", "user", "-"]).stdin("And\nnow?\n\n").stdout("2\n").check();
    assert_eq!(
        lines(&sandbox),
        [
            r#"{"turn":1,"messages":[{"role":"user","content":"Why?"}]}"#,
            r#"{"turn":1,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]}]}"#,
            r#"{"turn":1,"messages":[{"role":"tool","tool_call_id":"c1","name":"read","content":"fn main() {}"}]}"#,
            r#"{"turn":1,"messages":[{"role":"assistant","content":"Because."}]}"#,
            r#"{"turn":2,"messages":[{"role":"user","content":"And\nnow?\n"}]}"#,
        ]
    );
}

#[test]
fn a_turn_can_be_joined_by_number_until_it_is_answered() {
    let sandbox = Sandbox::new();
    append(&sandbox, &["--role", "user", "one"]).stdout("1\n").check();
    append(&sandbox, &["--role", "user", "two"]).stdout("2\n").check();
    append(&sandbox, &["--role", "assistant", "--turn", "1", "answer"]).stdout("1\n").check();
    append(&sandbox, &["--role", "assistant", "--turn", "1", "again"])
        .code(1)
        .stderr(
            "error: turn 1 of history 'default' is already answered\nhint: a message with --role user starts a turn\n",
        )
        .check();
    append(&sandbox, &["--role", "assistant", "--turn", "7", "x"])
        .code(1)
        .stderr("error: history 'default' has no turn 7\n")
        .check();
    append(&sandbox, &["--role", "tool", "--id", "c9", "x"])
        .code(1)
        .stderr("error: turn 2 of history 'default' has no open call 'c9'\n")
        .check();
    append(&sandbox, &["--role", "assistant", "answer to two"]).stdout("2\n").check();
    append(&sandbox, &["--role", "user", "three"]).stdout("3\n").check();
}

#[test]
fn a_message_without_a_turn_to_join_is_an_error_and_creates_no_history() {
    let sandbox = Sandbox::new();
    for args in [&["--role", "assistant", "x"][..], &["--role", "system", "x"], &["--role", "tool", "x"]] {
        append(&sandbox, args).code(1).stderr_has("error: history 'default' has no turn to join\n").check();
    }
    assert!(!sandbox.store().join("history").exists());
}

#[test]
fn wrong_usage_is_an_error_and_creates_no_history() {
    let sandbox = Sandbox::new();
    let cases: [(&[&str], &str); 10] = [
        (&["x"], "required arguments were not provided"),
        (&["--role", "user"], "required arguments were not provided"),
        (&["--role", "robot", "x"], "invalid value 'robot' for '--role <ROLE>'"),
        (&["--role", "user", "--from", "llm", "x"], "cannot be used with"),
        (&["--role", "user", " "], "error: the text is empty\n"),
        (&["--role", "user", "--id", "c1", "x"], "error: --id is for calls and results"),
        (&["--role", "assistant", "--id", "c1", "x"], "error: a call needs the --name of its tool\n"),
        (&["--role", "user", "--turn", "3", "x"], "error: a user message starts a new turn"),
        (&["--role", "user", "--history=../x", "x"], "error: invalid history name '../x' in --history: "),
        (&["--role", "user", "--history", "x", "y"], "unexpected argument 'y' found"),
    ];
    for (args, message) in cases {
        append(&sandbox, args).code(2).stderr_has(message).check();
    }
    append(&sandbox, &["--role", "user", "x"])
        .env("CTX_HISTORY", "a/b")
        .code(2)
        .stderr_has("error: invalid history name 'a/b' in $CTX_HISTORY: ")
        .check();
    assert!(!sandbox.store().join("history").exists());
}

#[test]
fn the_history_is_named_by_option_then_variable_then_setting_then_profile() {
    let sandbox = Sandbox::new();
    let appended = |args: &[&str], variable: &str| {
        append(&sandbox, &[&["--role", "user", "x"], args].concat())
            .env("CTX_HISTORY", variable)
            .stdout_any()
            .check();
        let mut names: Vec<String> = std::fs::read_dir(sandbox.store().join("history"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        std::fs::remove_dir_all(sandbox.store().join("history")).unwrap();
        names.join(" ")
    };
    assert_eq!(appended(&[], ""), "default.jsonl");
    sandbox.ctx(["switch", "-c", "api"]).stderr_any().check();
    assert_eq!(appended(&[], ""), "api.jsonl");
    sandbox.ctx(["profile", "--set", "history=talk"]).stderr_any().check();
    assert_eq!(appended(&[], ""), "talk.jsonl");
    assert_eq!(appended(&[], "shell"), "shell.jsonl");
    assert_eq!(appended(&["--history=line"], "shell"), "line.jsonl");
    assert_eq!(appended(&["--history"], "shell"), "api.jsonl");
    assert_eq!(appended(&["--profile", "default"], ""), "default.jsonl");
}

#[cfg(unix)]
#[test]
fn a_history_is_accessible_only_to_its_owner() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::new();
    append(&sandbox, &["--role", "user", "x"]).stdout("1\n").check();
    let mode = |path: &str| sandbox.store().join(path).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("history"), 0o700);
    assert_eq!(mode("history/default.jsonl"), 0o600);
    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(sandbox.store().join("history"), open).unwrap();
    append(&sandbox, &["--role", "user", "x"]).code(1).stderr_has("unsafe store: everyone can write").check();
}

#[test]
fn a_turn_that_is_too_long_changes_nothing() {
    let sandbox = Sandbox::new();
    append(&sandbox, &["--role", "user", "x"]).stdout("1\n").check();
    append(&sandbox, &["--role", "user", "-"])
        .stdin("x".repeat(16 << 20))
        .code(1)
        .stderr(
            "error: this turn is too long for a history: more than 16,777,216 bytes; nothing was changed\n",
        )
        .check();
    append(&sandbox, &["--role", "user", "-"]).stdin("x".repeat((16 << 20) - 100)).stdout("2\n").check();
    assert_eq!(lines(&sandbox).len(), 2);
}

#[test]
fn settings_of_histories_are_checked() {
    let sandbox = Sandbox::new();
    let set = |setting: &str| sandbox.ctx(["profile", "--set", setting]);
    set("history=a/b").code(2).stderr_has("error: invalid history name 'a/b': at most 64 letters").check();
    set("history_budget=none").code(2).stderr_has("error: a history cannot have the budget 'none'").check();
    set("history_budget=x").code(2).stderr_has("error: invalid budget 'x'").check();
    set("history_budget=40%").stderr("Set history_budget for profile 'default'\n").check();
}

#[test]
fn a_message_that_could_not_be_read_back_is_not_appended() {
    let sandbox = Sandbox::new();
    turn(&sandbox, "x", "y");
    let before = sandbox.stored("history/default.jsonl");
    let deep = format!("{}{}", "[".repeat(125), "]".repeat(125));
    sandbox
        .ctx(["history", "append", "--from", "messages", "-"])
        .stdin(format!(r#"[{{"role":"user","content":"x","later":{deep}}}]"#))
        .code(1)
        .stderr_has("error: this cannot be stored in a history: column ")
        .stderr_has(": recursion limit exceeded; nothing was changed\n")
        .check();
    assert_eq!(sandbox.stored("history/default.jsonl"), before);
}

#[test]
fn turn_numbers_are_limited_to_exact_json_integers() {
    let sandbox = Sandbox::new();
    let last = 9_007_199_254_740_991_u64;
    sandbox.write_store(
        "history/default.jsonl",
        format!("{{\"turn\":{last},\"messages\":[{{\"role\":\"user\",\"content\":\"x\"}}]}}\n"),
    );
    let over = "a turn number cannot be over 9,007,199,254,740,991";
    let message = format!("error: this cannot be stored in a history: {over}; nothing was changed\n");
    sandbox.ctx(["history", "append", "--role", "user", "y"]).code(1).stderr(message).check();
    sandbox.ctx(["history", "append", "--role", "assistant", "y"]).stdout(format!("{last}\n")).check();
    sandbox
        .ctx(["history", "clear", &format!("1-{}", u64::MAX)])
        .stderr("Cleared history 'default' (1 turn)\n")
        .check();
    sandbox.ctx(["history", "show"]).check();
    for line in [
        format!("{{\"turn\":{},\"messages\":[]}}", u64::MAX),
        format!("{{\"summary\":{{\"from\":1,\"to\":{}}},\"content\":\"x\"}}", u64::MAX),
        format!("{{\"cleared\":{{\"from\":1,\"to\":1}},\"last\":{}}}", u64::MAX),
    ] {
        sandbox.write_store("history/default.jsonl", format!("{line}\n"));
        let damaged = sandbox.ctx(["history", "append", "--role", "assistant", "y"]).code(4);
        damaged.stderr_has(&format!("is damaged: line 1: {over}\n")).check();
    }
}
