//! Histories, as people and scripts use them.

mod append;
mod block;
mod clear;
mod compress;
mod damage;
mod import;
mod profiles;
mod show;
mod writers;

use crate::support::Sandbox;

/// Appends a turn with its answer.
pub fn turn(sandbox: &Sandbox, question: &str, answer: &str) {
    sandbox.ctx(["history", "append", "--role", "user", "--", question]).stdout_any().check();
    sandbox.ctx(["history", "append", "--role", "assistant", "--", answer]).stdout_any().check();
}

/// The lines of the history of the profile `default`, without their times.
pub fn lines(sandbox: &Sandbox) -> Vec<String> {
    let without_time = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        let time = line.as_object_mut().unwrap().shift_remove("time").unwrap();
        let time = time.as_str().unwrap();
        assert!(time.len() == 20 && time.ends_with('Z'), "{time}");
        line.to_string()
    };
    sandbox.stored("history/default.jsonl").lines().map(without_time).collect()
}
