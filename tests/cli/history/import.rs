use std::fs;
use std::path::PathBuf;

use crate::support::Sandbox;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cli/history/fixtures").join(name)
}

/// Imports a file in the format of that source from standard input, and shows the result.
fn imported(source: &str, file: &str, note: &str, numbers: &str) {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["history", "append", "--from", source, "-", "-q"])
        .stdin(fs::read(fixture(file)).unwrap())
        .stdout(format!("{numbers}\n"))
        .check();
    let again = sandbox.ctx(["history", "append", "--from", source, "-", "--history=again"]);
    again.stdin(fs::read(fixture(file)).unwrap()).stdout_any().stderr_has(note).check();
    let shown = fs::read_to_string(fixture(&format!("{file}.shown"))).unwrap();
    sandbox.ctx(["history", "show"]).stdout(shown).check();
}

#[test]
fn the_logs_of_llm_become_turns() {
    imported("llm", "llm.json", "note: left out of standard input: 1 piece of reasoning\n", "1-3");
}

#[test]
fn a_transcript_of_claude_code_becomes_turns() {
    let left_out = "note: left out of standard input: 1 attachment, 1 piece of reasoning, 2 messages of the program \
                    itself, 2 messages of subagents\n";
    imported("claude", "claude.jsonl", left_out, "1-2");
}

#[test]
fn a_rollout_of_codex_becomes_turns() {
    let left_out = "1 piece of reasoning, 1 message of the program itself, 1 item of another kind\n";
    imported("codex", "codex.jsonl", left_out, "1");
    imported("codex", "codex-early.jsonl", "Appended 1 turn to history 'again'\n", "1");
}

#[test]
fn a_session_and_a_history_of_gemini_become_turns() {
    imported("gemini", "gemini-session.json", "1 piece of reasoning, 1 message of the program itself\n", "1");
    imported("gemini", "gemini-session.jsonl", "Appended 2 turns to history 'again'\n", "1-2");
    let left_out = "1 attachment, 1 piece of reasoning, 2 messages of the program itself\n";
    imported("gemini", "gemini-history.json", left_out, "1-2");
}

#[test]
#[cfg_attr(windows, ignore = "its paths are those of POSIX")]
fn tool_responses_join_the_unanswered_turn() {
    let sandbox = Sandbox::new();
    let append =
        |args: &[&str]| sandbox.ctx(["history", "append", "-q"].iter().chain(args)).stdout("1\n").check();
    append(&["--role", "user", "Work on the README"]);
    append(&["--from", "gemini", fixture("gemini-tools.json").to_str().unwrap()]);
    append(&["--role", "assistant", "Done"]);
    let shown = fs::read_to_string(fixture("gemini-tools.json.shown")).unwrap();
    sandbox.ctx(["history", "show"]).stdout(shown).check();
    sandbox
        .ctx(["history", "append", "--from", "gemini", fixture("gemini-tools.json").to_str().unwrap()])
        .code(1)
        .stderr_has("error: turn 1 of history 'default' is already answered\n")
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "its paths are those of POSIX")]
fn a_history_shown_as_messages_or_json_can_be_imported() {
    let sandbox = Sandbox::new();
    let claude = fixture("claude.jsonl");
    sandbox
        .ctx(["history", "append", "-q", "--from", "claude", claude.to_str().unwrap()])
        .stdout("1-2\n")
        .check();
    for form in ["--messages", "--json"] {
        let messages = sandbox.ctx(["history", "show", form]).stdout_any().check();
        let copy = format!("--history=copy{form}").replace("copy--", "copy-");
        sandbox
            .ctx(["history", "append", "-q", "--from", "messages", "-", &copy])
            .stdin(messages.clone())
            .stdout("1-2\n")
            .check();
        let again = sandbox.ctx(["history", "show", form, &copy]).stdout_any().check();
        assert_eq!(again.replace("copy-json", "default"), messages);
    }
}

#[test]
fn messages_may_be_json_lines_with_unknown_keys() {
    let sandbox = Sandbox::new();
    let lines = r#"{"role":"developer","content":"Be brief."}
{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:"}}]}

{"role":"assistant","content":"A tree.","refusal":null,"later":{"key":[1.50]}}
"#;
    sandbox
        .ctx(["history", "append", "--from", "messages", "-"])
        .stdin(lines)
        .stdout("1\n")
        .stderr("note: left out of standard input: 1 attachment\nAppended 1 turn to history 'default'\n")
        .check();
    assert_eq!(
        super::lines(&sandbox),
        [concat!(
            r#"{"turn":1,"messages":[{"role":"system","content":"Be brief."},"#,
            r#"{"role":"user","content":"What is this?"},"#,
            r#"{"role":"assistant","content":"A tree.","refusal":null,"later":{"key":[1.50]}}]}"#
        )]
    );
}

#[test]
#[cfg_attr(windows, ignore = "it needs the words and devices of POSIX")]
fn a_file_in_another_format_is_an_error_with_the_reason() {
    let sandbox = Sandbox::new();
    let cases = [
        ("messages", "codex.jsonl", "line 1: a message has no role"),
        ("messages", "gemini-history.json", "unknown role 'model': use user, assistant, system or tool"),
        ("llm", "codex.jsonl", "line 1: neither a prompt nor a response from 'llm logs --json'"),
        ("claude", "codex.jsonl", "not a message of a Claude Code transcript"),
        ("claude", "gemini-history.json", "an event without a type"),
        ("codex", "llm.json", "an item without a type"),
        ("gemini", "claude.jsonl", "line 1: a message of the type 'summary'"),
    ];
    for (source, file, reason) in cases {
        sandbox
            .ctx(["history", "append", "--from", source, "-"])
            .stdin(fs::read(fixture(file)).unwrap())
            .code(1)
            .stderr(format!("error: cannot read standard input as {source}: {reason}\n"))
            .check();
    }
    let torn = "{\"role\":\"user\",\"content\":\"x\"}\n{\"role\":\"assis";
    sandbox
        .ctx(["history", "append", "--from", "messages", "-"])
        .stdin(torn)
        .code(1)
        .stderr_has("error: cannot read standard input as messages: line 2: EOF while parsing a string")
        .check();
    let nothing = sandbox.ctx(["history", "append", "--from", "messages", "/dev/null"]).code(1);
    nothing.stderr("error: there is no message to append\n").check();
    assert!(!sandbox.store().join("history").exists());
}

#[test]
fn a_system_message_after_an_answer_belongs_to_the_next_turn() {
    let sandbox = Sandbox::with(&[(
        "talk.json",
        r#"[{"role":"user","content":"one?"},{"role":"assistant","content":"1"},
            {"role":"system","content":"Be brief."},{"role":"user","content":"two?"},{"role":"assistant","content":"2"},
            {"role":"system","content":"The end."}]"#,
    )]);
    sandbox.ctx(["history", "append", "-q", "--from", "messages", "talk.json"]).stdout("1-2\n").check();
    sandbox
        .ctx(["history", "show"])
        .stdout(
            "[turn 1: user]\none?\n\n[turn 1: assistant]\n1\n\n[turn 2: system]\nBe brief.\n\n[turn 2: user]\ntwo?\n\n\
             [turn 2: assistant]\n2\n\n[turn 2: system]\nThe end.\n",
        )
        .check();
}

#[test]
fn a_rewritten_prompt_replaces_the_original_and_its_answer() {
    let event = |kind: &str, uuid: &str, parent: &str, content: &str| {
        let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"{uuid}\",\"parentUuid\":{parent},\"message\":{{\"content\":{content}}}}}\n"
        )
    };
    let call = |id: &str| format!(r#"[{{"type":"tool_use","id":"{id}","name":"read","input":{{}}}}]"#);
    let result = |id: &str| format!(r#"[{{"type":"tool_result","tool_use_id":"{id}","content":"r-{id}"}}]"#);
    let transcript = [
        event("user", "u1", "", "\"first try\""),
        event("assistant", "a1", "u1", "\"first answer\""),
        event("user", "u2", "", "\"one\""),
        // Two calls at the same time: the result of the first is in a separate branch.
        event("assistant", "a2", "u2", &call("x")),
        event("assistant", "a3", "a2", &call("y")),
        event("user", "r1", "a2", &result("x")),
        event("user", "r2", "a3", &result("y")),
        event("assistant", "a4", "r2", "\"1\""),
        event("user", "u3", "a4", "\"two, mistyped\""),
        event("assistant", "a5", "u3", "\"what?\""),
        event("user", "u4", "a4", "\"two\""),
        event("assistant", "a6", "u4", "\"2\""),
    ]
    .concat();
    let sandbox = Sandbox::with(&[("talk.jsonl", &transcript)]);
    sandbox
        .ctx(["history", "append", "--from", "claude", "talk.jsonl"])
        .stdout("1-2\n")
        .stderr_has("note: left out of 'talk.jsonl': 4 messages of a rewritten prompt\n")
        .check();
    let shown = sandbox.ctx(["history", "show", "--messages"]).stdout_any().check();
    let messages: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let roles: Vec<&str> =
        messages.as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "assistant", "user", "assistant"]);
    assert!(!shown.contains("mistyped") && !shown.contains("first try"), "{shown}");
}

#[test]
fn messages_that_name_no_predecessors_follow_one_another() {
    let transcript = r#"{"type":"user","uuid":"1","message":{"content":"one?"}}
{"type":"assistant","uuid":"2","message":{"content":"1"}}
{"type":"user","uuid":"3","message":{"content":"two?"}}
{"type":"assistant","uuid":"4","message":{"content":"2"}}
"#;
    let sandbox = Sandbox::with(&[("talk.jsonl", transcript)]);
    let appended = sandbox.ctx(["history", "append", "--from", "claude", "talk.jsonl"]);
    appended.stdout("1-2\n").stderr("Appended 2 turns to history 'default'\n").check();
    sandbox
        .ctx(["history", "show"])
        .stdout("[turn 1: user]\none?\n\n[turn 1: assistant]\n1\n\n[turn 2: user]\ntwo?\n\n[turn 2: assistant]\n2\n")
        .check();
}
