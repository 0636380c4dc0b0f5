//! What a question prints for somebody who reads it on a terminal.

use std::io::Write;
use std::process::Stdio;

use crate::shells::{command, program};
use crate::support::Sandbox;

/// What a command prints on a terminal with 60 columns, without colours and progress.
fn on_terminal(sandbox: &Sandbox, line: &str) -> Option<String> {
    let line = format!("stty cols 60 rows 24; {line}");
    let mut script = command(sandbox, &program("script")?, &["-qec", &line, "/dev/null"]);
    let output = script.env("NO_COLOR", "1").env("CI", "1").output().unwrap();
    Some(String::from_utf8(output.stdout).unwrap().replace('\r', ""))
}

fn project() -> Sandbox {
    let function = |number: usize| format!("pub fn unrelated_{number}() {{\n    other_{number}();\n}}\n\n");
    let code: String = (0..600).map(function).collect();
    let restore = "pub fn restore_merge() {\n    undo_merge();\n    undo_commit();\n}\n\n";
    let files = [("src/undo.rs", format!("{code}{restore}{code}")), ("src/other.rs", code.clone())];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    Sandbox::with(&files)
}

#[test]
fn question_lists_places_on_a_terminal() {
    let sandbox = project();
    let Some(shown) = on_terminal(&sandbox, "ctx ask 'how does restore_merge undo a merge?' -b 2k") else {
        return;
    };
    let rows: Vec<&str> = shown.lines().filter(|line| line.ends_with(" tokens")).collect();
    assert!(rows[0].starts_with("src/undo.rs:2401-2405  restore_merge  "), "{shown}");
    let note = "note: '| llm' sends it, '-- PROGRAM' too, '-o FILE' keeps it\n";
    assert!(
        shown.ends_with(note) || shown.ends_with(&note.replace(" keeps it", "\n    keeps it")),
        "{shown}"
    );
    assert!(!shown.contains("undo_commit") && !shown.contains("--dry-run"), "{shown}");
}

#[test]
fn names_give_way_to_long_paths_on_a_narrow_terminal() {
    let sandbox = project();
    let path = "src/directory/with/a/name/undo.rs";
    let code =
        sandbox.read("src/undo.rs").replace("restore_merge", "restore_merge_of_what_was_undone_before");
    sandbox.write(path, code);
    let Some(shown) = on_terminal(&sandbox, "ctx ask 'how does restore_merge undo a merge?' -b 2k") else {
        return;
    };
    let mut rows = shown.lines().filter(|line| line.starts_with("src/"));
    assert!(rows.clone().all(|row| row.len() <= 60 && row.ends_with(" tokens")), "{shown}");
    assert!(
        rows.any(|row| row.contains("restore_m") || row.starts_with(&format!("{path}:2401-2405  "))),
        "{shown}"
    );
    let Some(shown) = on_terminal(&sandbox, "ctx ask --dry-run 'how does restore_merge undo a merge?'")
    else {
        return;
    };
    assert!(shown.lines().all(|line| line.chars().count() <= 60), "{shown}");
}

#[test]
fn block_is_printed_on_a_terminal_if_an_option_asks_for_it() {
    let sandbox = project();
    for option in ["-o -", "--format xml", "-n", "--tree"] {
        let line = format!("ctx ask 'how does restore_merge undo a merge?' -b 2k {option}");
        let Some(shown) = on_terminal(&sandbox, &line) else { return };
        assert!(shown.contains("undo_commit"), "{option}: {shown}");
    }
}

#[test]
fn messages_on_a_terminal_end_their_lines_between_words() {
    let sandbox = project();
    let Some(shown) = on_terminal(&sandbox, "ctx ask 'how does restore_merge undo a merge?' -b 2k") else {
        return;
    };
    let mut note = shown.lines().skip_while(|line| !line.starts_with("note: "));
    let first = note.next().unwrap();
    assert!(first.len() <= 60 && note.next().is_some_and(|next| next.starts_with("    ")), "{shown}");
    let words: String = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(" of 2,000 tokens: src/undo.rs"), "{shown}");
}

#[test]
fn what_only_competes_is_not_listed_where_nothing_fits() {
    let sandbox = project();
    let run = sandbox.ctx(["ask", "-b", "100", "--dry-run", "how does it undo?", "src/undo.rs:1-400"]);
    let shown = run.code(1).stdout_any().stderr_any().check();
    assert!(shown.contains("src/undo.rs:1-400") && !shown.contains("src/other.rs"), "{shown}");
}

/// What a command prints on a terminal on which this is typed.
fn typed_on_terminal(sandbox: &Sandbox, line: &str, typed: &[u8]) -> Option<String> {
    let mut script = command(sandbox, &program("script")?, &["-qec", line, "/dev/null"]);
    let script = script.env("NO_COLOR", "1").env("CI", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut script = script.spawn().unwrap();
    script.stdin.take().unwrap().write_all(typed).unwrap();
    let output = script.wait_with_output().unwrap();
    Some(String::from_utf8(output.stdout).unwrap().replace('\r', ""))
}

#[test]
fn dash_reads_a_terminal_until_its_end() {
    let sandbox = project();
    let waits = "note: paste or type the text, then press Ctrl-D on a new line\n";
    let trace = b"thread 'main' panicked at src/undo.rs:2402:5:\n\x04";
    for (line, has) in [
        ("ctx ask 'why?' - -b 2k -o -", "restore_merge()"),
        ("ctx ask - -b 2k -o -", "restore_merge()"),
        ("ctx ask -q 'why?' - -b 2k -o -", "restore_merge()"),
        ("ctx render --only -", "[stdin]\nthread 'main'"),
        ("ctx search --prompt-file -", "restore_merge()"),
    ] {
        let Some(shown) = typed_on_terminal(&sandbox, line, trace) else { return };
        assert!(shown.contains(waits) && shown.contains(has), "{line}: {shown}");
    }
    // What is typed may be nothing.
    let Some(shown) = typed_on_terminal(&sandbox, "ctx ask 'why?' -", b"\x04") else { return };
    assert!(shown.contains("error: standard input is empty"), "{shown}");
}
