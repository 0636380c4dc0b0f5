//! You save a file of the store while a command is about to replace it: your edit survives.
//!
//! The test suite samples the moments; `tests/campaigns/faults` tries them all.

use std::fs;

use crate::states::{copy, furnished, next_writer_works};
use crate::strace::{CALLS, denied, interposed, traced};
use crate::support::{Sandbox, is_whole};

const BY_HAND: &str = "typed by hand";

/// Commands that write, and the edits made at the same time.
const COMMANDS: [(&[&str], &str, &str); 6] = [
    (&["add", "-f", "new"], "profiles/a.json", r#"{"paths": ["typed by hand"]}"#),
    (&["add", "-g", "-f", "new"], "global.json", r#"{"paths": ["typed by hand"]}"#),
    (&["profile", "-m", "a", "new"], "profiles/a.json", r#"{"paths": ["typed by hand"]}"#),
    (&["todo", "add", "new"], "todo/default.json", r#"{"tasks": [{"task_description": "typed by hand"}]}"#),
    (
        &["history", "append", "--role", "user", "new"],
        "history/a.jsonl",
        r#"{"turn":7,"messages":[{"role":"user","content":"typed by hand"}]}"#,
    ),
    (
        &["history", "append", "--from", "messages", "talk.json"],
        "history/a.jsonl",
        r#"{"turn":7,"messages":[{"role":"user","content":"typed by hand"}]}"#,
    ),
];

/// Whether any file in the store contains `text`.
fn is_kept(sandbox: &Sandbox, text: &str) -> bool {
    let files = ["", "profiles", "todo", "history"].into_iter().flat_map(|directory| {
        fs::read_dir(sandbox.store().join(directory)).into_iter().flatten().map(|entry| entry.unwrap().path())
    });
    files.filter(|path| path.is_file()).any(|path| fs::read_to_string(path).unwrap().contains(text))
}

#[test]
fn a_save_while_a_command_is_running_is_kept() {
    if denied() {
        return;
    }
    let origin = furnished();
    let calls = if is_whole() { &CALLS[..] } else { &CALLS[1..2] };
    let mut saves = 0;
    for (args, file, text) in COMMANDS {
        for call in calls.iter().flat_map(|calls| calls.split(',')) {
            for place in 1.. {
                let sandbox = Sandbox::new();
                copy(&origin, &sandbox);
                let save = || {
                    let (beside, path) = (sandbox.home().join("saved"), sandbox.store().join(file));
                    fs::write(&beside, format!("{text}\n")).unwrap();
                    fs::rename(beside, path).unwrap();
                };
                let Some(output) = interposed(&sandbox, args, (call, place), &[], save) else { break };
                saves += 1;
                let here = format!("{args:?}, saved after {call} {place}: {output:?}");
                assert_eq!(output.status.code(), Some(0), "{here}");
                assert!(is_kept(&sandbox, BY_HAND), "{here}");
                next_writer_works(&sandbox);
                assert!(is_kept(&sandbox, BY_HAND), "{here}");
            }
        }
    }
    eprintln!("kept {saves} saves");
    assert!(saves >= 12, "{saves}");
}

#[test]
fn a_save_after_the_last_look_before_a_file_is_replaced_is_kept() {
    if denied() {
        return;
    }
    let origin = furnished();
    for (args, file, text) in COMMANDS {
        let sandbox = Sandbox::new();
        copy(&origin, &sandbox);
        let opened = traced(&sandbox, args, "openat", None).calls;
        let opened = opened.iter().filter(|call| call.contains('('));
        let looks = opened.enumerate().filter(|(_, call)| {
            call.contains(&format!("{file}\"")) && call.contains("O_RDONLY") && !call.contains("O_DIRECTORY")
        });
        let last = looks.map(|(index, _)| index + 1).last().unwrap();
        let sandbox = Sandbox::new();
        copy(&origin, &sandbox);
        let save = || {
            let (beside, path) = (sandbox.home().join("saved"), sandbox.store().join(file));
            fs::write(&beside, format!("{text}\n")).unwrap();
            fs::rename(beside, path).unwrap();
        };
        let output = interposed(&sandbox, args, ("openat", last), &[], save).unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
        assert!(is_kept(&sandbox, BY_HAND), "{args:?}: {output:?}");
        next_writer_works(&sandbox);
        assert!(is_kept(&sandbox, BY_HAND), "{args:?}: {output:?}");
    }
}
