//! The contents of a store as the program reports them, and stores to experiment on.

use std::panic::resume_unwind;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, iter, thread};

use serde_json::Value;

use crate::support::{Sandbox, binary, is_whole};

/// Everything about a store that the command line can report.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub profiles: Value,
    /// All lists with everything stored in them.
    pub lists: Value,
    /// All histories, as used and as stored.
    pub histories: Vec<Value>,
    /// The default to-do list, if there is one.
    pub todo: Value,
}

/// Runs `ctx ARGS`, whether or not it succeeds.
pub fn run(sandbox: &Sandbox, args: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command.args(args).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
    command.stdin(Stdio::null()).output().unwrap()
}

/// Runs `ctx ARGS --json`, which must succeed.
#[track_caller]
pub fn json(sandbox: &Sandbox, args: &[&str]) -> Value {
    let output = run(sandbox, args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

impl State {
    #[track_caller]
    pub fn of(sandbox: &Sandbox) -> Self {
        Self {
            profiles: json(sandbox, &["profile", "--json"]),
            lists: json(sandbox, &["export", "--all", "-g"]),
            histories: histories(sandbox),
            todo: json(sandbox, &["todo", "--json"]),
        }
    }
}

#[track_caller]
fn histories(sandbox: &Sandbox) -> Vec<Value> {
    let listed = json(sandbox, &["history", "--json"]);
    let names = listed["histories"].as_array().unwrap().iter();
    names
        .flat_map(|row| {
            let name = format!("--history={}", row["name"].as_str().unwrap());
            let shown =
                |form: &[&str]| json(sandbox, &[&["history", "show", "--json", &name], form].concat());
            [shown(&[]), shown(&["--raw"])]
        })
        .collect()
}

/// Messages appended to a history at once.
const TALK: &str = r#"[{"role":"user","content":"three"},{"role":"assistant","content":"3"},
    {"role":"user","content":"four"},{"role":"assistant","content":"4"}]"#;

/// A bundle for such a store: it adds to two lists and creates a third.
const BUNDLE: &str = r#"{
  "version": 1,
  "global": {"paths": ["AGENTS.md", "imported"]},
  "profiles": {
    "b": {"paths": [{"path": "four", "tags": ["t"], "pin": true, "later": 1.50}]},
    "new": {"paths": ["five"], "budget": "5k", "prompt": "p"}
  }
}"#;

/// Two profiles with entries, the first of them active; a global list; a to-do list; and a history with a summary,
/// an unanswered turn, and a backup.
pub fn furnished() -> Sandbox {
    let sandbox = Sandbox::with(&[("team.json", BUNDLE), ("talk.json", TALK)]);
    let commands: [&[&str]; 7] = [
        &["add", "-q", "-g", "-f", "common"],
        &["profile", "-q", "-c", "a"],
        &["profile", "-q", "-c", "b"],
        &["switch", "-q", "a"],
        &["add", "-q", "-f", "one", "two"],
        &["add", "-q", "-f", "--profile", "b", "three"],
        &["todo", "-q", "add", "one", "two"],
    ];
    for command in commands {
        sandbox.ctx(command).check();
    }
    #[cfg(unix)]
    let compress: &[&str] = &["compress", "--over", "1", "--keep", "0%", "--", "echo", "0"];
    #[cfg(not(unix))]
    let compress: &[&str] = &["compress", "--over", "1", "--keep", "0%", "--", "cmd", "/C", "echo", "0"];
    let talk: [&[&str]; 8] = [
        &["append", "--role", "user", "cleared, so that there is a backup"],
        &["clear"],
        &["append", "--role", "user", "one, in so many words"],
        &["append", "--role", "assistant", "1"],
        compress,
        &["append", "--role", "user", "two, in so many words"],
        &["append", "--role", "assistant", "2"],
        &["append", "--role", "user", "three"],
    ];
    for command in talk {
        sandbox.ctx([&["history", "-q"], command].concat()).stdout_any().check();
    }
    sandbox
}

/// Every command that writes, with arguments.
pub const WRITING: [&[&str]; 25] = [
    &["add", "-f", "new"],
    &["add", "-g", "-f", "new"],
    &["rm", "one"],
    &["set", "one", "--pin", "--last"],
    &["clear"],
    &["clear", "-g"],
    &["profile", "-c", "new"],
    &["profile", "-d", "b"],
    &["profile", "-m", "a", "new"],
    &["profile", "-m", "b", "new"],
    &["profile", "--set", "budget=5k"],
    &["switch", "b"],
    &["switch", "-c", "new"],
    &["import", "--merge", "team.json"],
    &["history", "append", "--role", "user", "new"],
    &["history", "append", "--role", "assistant", "new"],
    &["history", "append", "--from", "messages", "talk.json"],
    &["history", "clear"],
    &["history", "clear", "--no-backup"],
    &["history", "clear", "2", "--no-backup"],
    &["todo", "add", "new"],
    &["todo", "done", "1"],
    &["todo", "clear"],
    &["history", "compress", "--over", "1", "--keep", "0%", "--", "echo", "1"],
    &["history", "compress", "--undo"],
];

/// A program whose answer is recorded.
pub const RUN: &[&str] = &["run", "--history", "-p", "new", "--", "echo", "1"];

/// The commands of a campaign: all of them, or those that begin with the words given to its script.
pub fn campaign() -> Vec<&'static [&'static str]> {
    let wanted = std::env::var("CTX_COMMANDS").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split_whitespace().collect();
    let all = || WRITING.into_iter().chain([RUN]);
    let chosen: Vec<_> = all().filter(|args| args.starts_with(&wanted)).collect();
    let known = || all().map(|args| format!("\n  {}", args.join(" "))).collect::<String>();
    assert!(!chosen.is_empty(), "no command begins with '{}'; there are{}", wanted.join(" "), known());
    chosen
}

/// The sum of `work` over commands, which in a campaign uses all processors.
pub fn sum_over<'c>(commands: &[&'c [&'c str]], work: impl Fn(&'c [&'c str]) -> usize + Sync) -> usize {
    let threads = if is_whole() { thread::available_parallelism().map_or(1, usize::from) } else { 1 };
    let next = AtomicUsize::new(0);
    let worker = || {
        let taken = iter::from_fn(|| commands.get(next.fetch_add(1, Ordering::Relaxed)));
        taken.map(|args| work(args)).sum::<usize>()
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let sums = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|told| resume_unwind(told)));
        sums.sum()
    })
}

/// Makes one store and project a copy of another.
pub fn copy(from: &Sandbox, to: &Sandbox) {
    for (from, to) in [(from.store(), to.store()), (from.project(), to.project())] {
        if to.exists() {
            fs::remove_dir_all(&to).unwrap();
        }
        if from.exists() {
            copy_directory(&from, &to);
        }
    }
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_directory(&entry.path(), &target)
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Checks that the next writer works, completes what was recorded, and leaves only store files.
#[track_caller]
pub fn next_writer_works(sandbox: &Sandbox) {
    let before = json(sandbox, &["profile", "--json"]);
    let written = run(sandbox, &["add", "-g", "-f", "next"]);
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let after = State::of(sandbox);
    assert_eq!(after.profiles, before);
    let global = json(sandbox, &["show", "--json"])["entries"].to_string();
    assert!(global.contains("\"next\""), "{global}");
    assert_only_store_files(&sandbox.store());
}

#[track_caller]
pub fn assert_only_store_files(store: &Path) {
    for directory in ["", "profiles", "history", "todo", "cleared"].map(|name| store.join(name)) {
        for entry in fs::read_dir(&directory).into_iter().flatten().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            let known = matches!(name.as_str(), "store.lock" | "profiles" | "history" | "todo" | "cleared")
                || [".jsonl", ".jsonl.bak", ".jsonl.torn"].iter().any(|ending| name.ends_with(ending))
                    && !name.starts_with('.')
                || name.ends_with(".json") && !name.starts_with('.') && name != "journal.json";
            assert!(known, "{name} was left in {}", directory.display());
        }
    }
}
