//! What the PATHs of a question limit in the rest of its conversation.
#![cfg(unix)]

use std::fs;

use crate::support::Sandbox;

const ANSWER: [&str; 4] = ["--", "sh", "-c", "cat > /dev/null; echo Yes."];

fn sandbox() -> Sandbox {
    let files = ["app/src/delete.md", "app/src/keys.md", "app/docs/delete.md", "lib/delete.md"];
    let sandbox = Sandbox::with(&files.map(|path| (path, "Who may delete keys?\n")));
    sandbox.repository();
    sandbox
}

/// The labels of the files in a block.
fn labels(block: &str) -> Vec<&str> {
    block.lines().filter(|line| line.ends_with(".md]")).collect()
}

#[test]
fn paths_of_a_question_limit_the_rest_of_its_conversation() {
    let sandbox = sandbox();
    let app = sandbox.path("app");
    let ask = |words: &[&str]| sandbox.ctx_in(&app, ["ask"].iter().chain(words));
    ask(&["who may delete?", "src", "!src/keys.md", ANSWER[0], ANSWER[1], ANSWER[2], ANSWER[3]])
        .stdout("Yes.\n")
        .stderr_any()
        .check();
    // A follow-up is about the same place, from wherever it is asked, and however often.
    let note =
        "note: searches 'src', '!src/keys.md', as before; other PATHs search elsewhere, '..' everywhere\n";
    let block = ask(&["-c", "and keys?"]).stderr_has(note).stdout_any().check();
    assert_eq!(labels(&block), ["[app/src/delete.md]"], "{block}");
    for _ in 0..2 {
        let second = sandbox.ctx(["ask", "-c", "and keys?"].iter().chain(&ANSWER)).stdout("Yes.\n");
        second.stderr_has("note: searches 'app/src', '!app/src/keys.md', as before; ").check();
    }
    // One that names something is about that, and so are those after it.
    let docs = ask(&["-c", "and the documents?", "docs", ANSWER[0], ANSWER[1], ANSWER[2], ANSWER[3]]);
    docs.stdout("Yes.\n").stderr_lacks("as before").check();
    let block =
        ask(&["-c", "and keys?"]).stderr_has("note: searches 'docs', as before; ").stdout_any().check();
    assert_eq!(labels(&block), ["[app/docs/delete.md]"], "{block}");
    let block = ask(&["-c", "and keys?", ".."]).stderr_lacks("as before").stdout_any().check();
    assert_eq!(labels(&block).len(), 4, "{block}");
    // A new conversation is about everything, and what is gone limits nothing, which is said.
    let block = ask(&["and keys?"]).stderr_lacks("as before").stdout_any().check();
    assert_eq!(labels(&block).len(), 4, "{block}");
    fs::remove_dir_all(sandbox.path("app/docs")).unwrap();
    let warning = "warning: searches everything, because 'app/docs' is gone\n";
    let block = ask(&["-c", "and keys?"]).stderr_has(warning).stdout_any().check();
    assert_eq!(labels(&block).len(), 3, "{block}");
}

#[test]
fn exclusions_of_a_question_stay_in_its_conversation() {
    let sandbox = sandbox();
    let ask = |words: &[&str]| sandbox.ctx(["ask"].iter().chain(words));
    let first = ["who may delete?", "!app", ANSWER[0], ANSWER[1], ANSWER[2], ANSWER[3]];
    ask(&first).stdout("Yes.\n").stderr_any().check();
    let note = "note: leaves out '!app', as before\n";
    let block = ask(&["-c", "and keys?"]).stderr_has(note).stdout_any().check();
    assert_eq!(labels(&block), ["[lib/delete.md]"], "{block}");
}

#[test]
fn file_named_in_a_question_limits_the_rest_of_its_conversation_but_a_reference_does_not() {
    let sandbox = sandbox();
    let ask = |words: &[&str]| sandbox.ctx(["ask"].iter().chain(words));
    let first = ["who may delete?", "lib/delete.md", ANSWER[0], ANSWER[1], ANSWER[2], ANSWER[3]];
    ask(&first).stdout("Yes.\n").stderr_any().check();
    let note = "note: searches 'lib/delete.md', as before; other PATHs search elsewhere, '.' everywhere\n";
    let block = ask(&["-c", "and keys?"]).stderr_has(note).stdout_any().check();
    assert_eq!(labels(&block), ["[lib/delete.md]"], "{block}");
    let first = ["who may delete, says @lib/delete.md?", ANSWER[0], ANSWER[1], ANSWER[2], ANSWER[3]];
    ask(&first).stdout("Yes.\n").stderr_any().check();
    let block = ask(&["-c", "and keys?"]).stderr_lacks("as before").stdout_any().check();
    assert_eq!(labels(&block).len(), 4, "{block}");
}
