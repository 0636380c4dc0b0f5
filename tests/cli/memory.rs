//! Too little memory: however the command ends, everything that existed before is intact.

use std::process::{Command, Output, Stdio};

use crate::support::{Sandbox, binary, skipped};

/// `ctx ARGS` with this address space in KiB; `None` if it can't be limited.
fn limited(sandbox: &Sandbox, limit: u64, args: &[&str]) -> Option<Output> {
    let mut command = Command::new("sh");
    let script = format!("ulimit -c 0; ulimit -v {limit} || exit 99; exec \"$@\"");
    command.args(["-c", &script, "sh"]).arg(binary()).args(args);
    command.current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
    let output = command.stdin(Stdio::null()).output().unwrap();
    (cfg!(target_os = "linux") && output.status.code() != Some(99)).then_some(output)
}

/// Runs a command with more and more memory until it succeeds; returns how many times there was too little.
fn until_enough(sandbox: &Sandbox, args: &[&str], check: impl Fn(&Output)) -> Option<usize> {
    for (refused, limit) in (16..1_000).map(|step| step * 2_000).enumerate() {
        let output = limited(sandbox, limit, args)?;
        if output.status.success() {
            return Some(refused);
        }
        check(&output);
    }
    panic!("there is never enough");
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn a_render_without_enough_memory_leaves_no_file() {
    let sandbox = Sandbox::new();
    for number in 0..40 {
        sandbox.write(&format!("{number}.txt"), "line of a text\n".repeat(40_000));
    }
    let render = ["render", "--only", "*.txt", "-b", "none", "--no-cache", "-o", "block"];
    let nothing_is_there = |_: &Output| assert!(!sandbox.project().join("block").exists());
    match until_enough(&sandbox, &render, nothing_is_there) {
        Some(refused) => assert!(refused > 0),
        None => skipped("the memory of a program cannot be limited here"),
    }
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn an_append_without_enough_memory_leaves_the_history_unchanged() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["history", "append", "--role", "user", "one"]).stdout("1\n").check();
    let before = sandbox.stored("history/default.jsonl");
    let turn = format!(r#"{{"role":"user","content":"{}"}}"#, "word ".repeat(20_000));
    sandbox.write("talk.json", format!("[{}]", vec![turn; 100].join(",")));
    let append = ["history", "append", "--from", "messages", "talk.json"];
    let is_unchanged = |_: &Output| assert_eq!(sandbox.stored("history/default.jsonl"), before);
    match until_enough(&sandbox, &append, is_unchanged) {
        Some(refused) => assert!(refused > 0),
        None => return skipped("the memory of a program cannot be limited here"),
    }
    sandbox.ctx(["history", "append", "--role", "user", "last"]).stdout("102\n").check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn a_file_too_large_for_memory_does_not_affect_the_others() {
    let sandbox = Sandbox::with(&[("small.txt", "small\n")]);
    let large = std::fs::File::create(sandbox.project().join("large.txt")).unwrap();
    large.set_len(3 << 30).unwrap();
    std::io::Write::write_all(&mut &large, "text\n".repeat(10_000).as_bytes()).unwrap();
    let args = ["render", "--only", "*.txt", "--max-file-size", "4g", "--no-cache"];
    let Some(output) = limited(&sandbox, 600_000, &args) else {
        return skipped("the memory of a program cannot be limited here");
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let block = "--- CONTEXT FILES BEGIN ---\n[small.txt]\nsmall\n--- CONTEXT FILES END ---\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), block);
    assert!(stderr.contains("large.txt"), "{stderr}");
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn a_searched_entry_needs_no_memory_for_the_other_files() {
    let sandbox = Sandbox::with(&[("notes.md", "zebrafish\n")]);
    for number in 0..40 {
        sandbox.write(&format!("{number}.txt"), "line of a text\n".repeat(40_000));
    }
    let needed = || {
        let render = ["render", "-b", "none", "--no-cache", "-p", "zebrafish", "-o", "block"];
        until_enough(&sandbox, &render, |_| ())
    };
    sandbox.ctx(["add", "-q", "*.txt"]).check();
    let Some(without) = needed() else {
        return eprintln!("skipped: the memory of a program cannot be limited here");
    };
    sandbox.ctx(["add", "-q", "--search", "notes.md"]).check();
    let with = needed().unwrap();
    // The files have 24 MB, and a step is 2 MB.
    assert!(with < without + 6, "{with} steps with the searched entry, {without} without it");
}
