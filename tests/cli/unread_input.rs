//! Text that was piped to a question which doesn't read it, and a question that is piped.

use std::io::{PipeReader, Write as _, pipe};
use std::path::Path;
use std::process::{Command, Output};

use crate::shells::{command, program};
use crate::support::{Sandbox, binary, block_of};

const DIFF: &str = "- undo()\n+ redo()\n";

fn fixture() -> Sandbox {
    let sandbox = Sandbox::with(&[("src/undo.rs", "fn undo() {}\n")]);
    sandbox.repository();
    sandbox
}

fn ctx(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    command(sandbox, &binary(), arguments)
}

/// A pipe in which this text is waiting.
fn filled(text: &str) -> PipeReader {
    let (reader, mut writer) = pipe().unwrap();
    writer.write_all(text.as_bytes()).unwrap();
    reader
}

#[track_caller]
fn text(output: Output) -> (String, String) {
    assert!(output.status.success(), "{output:?}");
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn piped_text_that_nobody_reads_is_noted() {
    let sandbox = fixture();
    for line in [
        &["ask", "Review the undo"][..],
        &["ask", "Review the undo", "src", "--", "cat"],
        &["render", "-p", "Review this", "src/undo.rs"],
        &["run", "-p", "Review this", "src/undo.rs", "--", "cat"],
    ] {
        let (out, err) = text(ctx(&sandbox, line).stdin(filled(DIFF)).output().unwrap());
        assert!(!out.contains(DIFF), "{out}");
        let note = "note: standard input was not read; the path '-' adds it\n";
        assert!(err.contains(note), "{line:?}: {err}");
    }
}

#[test]
fn input_that_is_not_for_the_question_is_not_noted() {
    let sandbox = fixture();
    let quiet = |mut command: Command| {
        let (_, err) = text(command.output().unwrap());
        assert!(!err.contains("standard input"), "{command:?}: {err}");
    };
    let with = |line: &[&str], input: PipeReader| {
        let mut command = ctx(&sandbox, line);
        command.stdin(input);
        command
    };
    let ask = ["ask", "Review the undo"];
    // A pipe that stays open and empty, and one that has ended.
    let (reader, writer) = pipe().unwrap();
    quiet(with(&ask, reader));
    drop(writer);
    quiet(with(&ask, filled("")));
    quiet(with(&["ask", "Review the undo", "-"], filled(DIFF)));
    quiet(with(&["ask", "-"], filled("Review the undo")));
    quiet(with(&["render", "src/undo.rs"], filled(DIFF)));
    quiet(with(&["render", "-p", "Review", "--files-from", "-"], filled("src/undo.rs\n")));
    let Some(sh) = program("sh") else { return };
    let in_shell = |script: &str| command(&sandbox, &sh, &["-c", script]);
    sandbox.write("list", "undo\nredo\n");
    quiet(in_shell("while read word; do ctx ask \"where is $word?\"; done < list"));
}

#[test]
#[cfg(target_os = "linux")]
fn pipe_that_the_parent_reads_too_is_not_noted() {
    let sandbox = fixture();
    let Some(sh) = program("sh") else { return };
    let script = "while read word; do ctx ask \"where is $word?\" > /dev/null; echo $word; done";
    let mut command = command(&sandbox, &sh, &["-c", script]);
    let (out, err) = text(command.stdin(filled("undo\nredo\n")).output().unwrap());
    // Each line is left to the loop.
    assert_eq!((out.as_str(), err.contains("standard input")), ("undo\nredo\n", false), "{err}");
}

#[test]
fn missing_question_is_read_from_a_pipe() {
    let sandbox = fixture();
    let answer = block_of(&[("src/undo.rs", "fn undo() {}\n")]) + "\nwhere is undo?\n";
    sandbox.ctx(["ask"]).stdin("where is undo?\n").stdout(&*answer).check();
    sandbox.ctx(["--quiet", "ask", "-b", "9k"]).stdin("where is undo?\n").stdout(&*answer).check();
    sandbox
        .ctx(["ask", "--no-record", "--", "cat"])
        .stdin("where is undo?\n")
        .stdout(&*answer)
        .stderr_any()
        .check();
    sandbox
        .ctx(["ask"])
        .code(2)
        .stderr("error: the question is empty\nhint: ctx ask \"where is the bug?\"\n")
        .check();
}

#[test]
fn missing_question_on_anything_but_a_pipe_is_an_error_with_an_example() {
    let sandbox = fixture();
    let null = std::fs::File::open(Path::new("/dev/null")).unwrap();
    let output = ctx(&sandbox, &["ask"]).stdin(null).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(err, "error: the question is missing\nhint: ctx ask \"where is the bug?\"\n");
}
