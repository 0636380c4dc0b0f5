//! Lists fit the terminal, and are complete elsewhere.

#![cfg(target_os = "linux")]

use crate::shells::{command, program};
use crate::support::Sandbox;

/// The output of a command on a terminal with this many columns.
fn on_terminal(sandbox: &Sandbox, columns: usize, line: &str) -> Option<String> {
    let script = program("script")?;
    let line = format!("stty rows 24 cols {columns}; {line}");
    let output = command(sandbox, &script, &["-qec", &line, "/dev/null"]).output().unwrap();
    Some(String::from_utf8(output.stdout).unwrap())
}

fn sandbox(long: &str) -> Sandbox {
    let sandbox = Sandbox::with(&[("a.txt", "one\n"), (long, "fn a() {}\n")]);
    sandbox.write("c.bin", b"x\0y");
    sandbox.ctx(["add", "--tag", "some-tag", "a.txt", "some-directory/**", "c.bin"]).stderr_any().check();
    sandbox.ctx(["add", "-f", &format!("{long}/*.{{rs,toml,md,txt,html,css,js}}")]).stderr_any().check();
    let words = "a description of many words that says what the list is for, and goes on";
    sandbox.ctx(["profile", "--set", &format!("description={words}")]).stderr_any().check();
    sandbox.ctx(["profile", "-c", "a-profile-with-a-rather-long-name"]).stderr_any().check();
    sandbox.ctx(["todo", "add", "--description", words, words]).stderr_any().check();
    sandbox.ctx(["history", "append", "--role", "user", words]).stdout_any().stderr_any().check();
    sandbox.ctx(["checkpoint", "create", "-m", words]).stdout_any().stderr_any().check();
    sandbox
}

#[test]
fn no_listing_is_wider_than_the_terminal() {
    let long = format!("{}/file.rs", ["some-directory"; 12].join("/"));
    let sandbox = sandbox(&long);
    for line in [
        "ctx",
        "ctx show -b 70",
        "ctx show --expand -b 70",
        "ctx show --tree",
        "ctx show --tree --depth 1",
        "ctx models",
        "ctx models gpt-4o",
        "ctx check",
        "ctx history",
        "ctx todo",
        "ctx todo show",
        "ctx checkpoint",
        "ctx profile",
    ] {
        for columns in [60, 80, 120] {
            let Some(shown) = on_terminal(&sandbox, columns, &format!("{line} 2>/dev/null")) else { return };
            assert!(!shown.trim().is_empty(), "{line}");
            let shown = strip_styles(&shown);
            let width = |row: &str| row.trim_end().chars().count();
            assert!(shown.lines().all(|row| width(row) <= columns), "{line} at {columns}\n{shown}");
        }
    }
}

/// `text` without the escape sequences for colours.
fn strip_styles(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[test]
fn path_is_shortened_in_the_middle_in_a_narrow_table_and_complete_in_a_pipe() {
    let long = format!("{}/file.rs", ["some-directory"; 12].join("/"));
    let sandbox = sandbox(&long);
    sandbox.ctx(["-q", "show", "--expand"]).stdout_has(&long).check();
    let Some(shown) = on_terminal(&sandbox, 60, "ctx -q --color never show --expand") else { return };
    let rows: Vec<&str> = shown.lines().map(str::trim_end).take_while(|row| !row.is_empty()).collect();
    assert_eq!(
        rows,
        [
            "path                    entry        tokens  share  status",
            "a.txt                   a.txt             2     3%  whole",
            "some-di…ectory/file.rs  som…tory/**       4     6%  whole",
            "c.bin                   c.bin             -      -  left out",
            "    binary file",
        ]
    );
}
