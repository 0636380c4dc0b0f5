//! How much room a piped text or a diff has beside the files that a question finds.

use crate::git_entries::git;
use crate::support::Sandbox;

fn with_sources() -> Sandbox {
    let sandbox = Sandbox::new();
    for file in 0..40 {
        let body = format!("    undo_step({file});\n").repeat(100);
        sandbox.write(&format!("src/u{file:02}.rs"), format!("pub fn undo_{file}() {{\n{body}}}\n"));
    }
    sandbox
}

/// What a program printed: `lines` lines.
fn output(lines: usize) -> String {
    (1..=lines).map(|line| format!("step {line} of undo_3 was carried out\n")).collect()
}

/// The changes of some files, each of one hunk.
fn diff(files: &[&str]) -> String {
    let added = "+    undo_step(7);\n".repeat(15);
    let of_file = |path: &&str| {
        format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,1 +1,16 @@\n line\n{added}")
    };
    files.iter().map(of_file).collect()
}

#[test]
fn long_output_is_cut_to_its_two_ends_and_leaves_room_for_files() {
    let sandbox = with_sources();
    let block = sandbox
        .ctx(["ask", "-b", "4k", "why does undo_3 fail?", "-"])
        .stdin(output(3_000))
        .stdout_has("[stdin]\nstep 1 of undo_3 was carried out\n")
        .stdout_has("step 3000 of undo_3 was carried out\n")
        .stdout_has("pub fn undo_3() {\n")
        .stderr_has("warning: ")
        .stderr_has("src/u03.rs, stdin")
        .check();
    let printed = block.matches(" was carried out\n").count();
    assert!((100..250).contains(&printed), "{printed} of 3,000 lines");
    assert!(block.contains("\n[… lines "), "{block}");
}

#[test]
fn text_that_is_cut_is_named_with_its_tokens_and_a_budget_that_has_room() {
    let sandbox = with_sources();
    let (long, very_long) = (output(3_000), output(12_000));
    let ask = |arguments: &[&str], text: &str| {
        let asked = sandbox.ctx(["ask", "why does undo_3 fail?", "-"].iter().chain(arguments));
        asked.stdin(text)
    };
    let cut = ask(&["-b", "4k"], &long).stdout_any().stderr_has("note: 2 of 41 files of <project>, ");
    cut.stderr_has("\nwarning: of your piped text 1,890 of 35,001 tokens are sent\n")
        .stderr_has("\nhint: -b 71k has room for what you named\n")
        .check();
    let strict = ask(&["-b", "4k", "--strict"], &long).code(3);
    strict.stderr_has("error: of your piped text 1,890 of 35,001 tokens fit\nhint: -b 71k has room").check();
    let enough = ask(&["-b", "71k", "--strict"], &long).stdout_has("step 3000 of");
    enough.stderr_lacks("of your piped text").check();
    // Without a model, the window is only assumed.
    let more =
        "hint: -b 290k has room for what you named; without -m MODEL, ctx assumes a window of 200,000\n";
    let without = ask(&[], &very_long).stdout_any();
    without.stderr_has(" of 143,001 tokens are sent\n").stderr_has(more).check();
    let enough = ask(&["-b", "290k"], &very_long).stdout_has("step 12000 of");
    enough.stderr_lacks("of your piped text").check();
    let of_model = ask(&["-m", "gpt-4o"], &very_long).stdout_any();
    of_model.stderr_has(" of 143,001 tokens are sent\n").stderr_lacks("hint: -b").check();
}

#[test]
fn changes_that_are_cut_are_named_with_their_tokens() {
    let sandbox = with_sources();
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "all"]] {
        git(&sandbox, arguments);
    }
    sandbox.write("src/u07.rs", "pub fn undo_7() {}\n".repeat(900));
    let asked = sandbox.ctx(["ask", "-b", "2k", "does this break anything?", "git:diff"]).stdout_any();
    asked
        .stderr_has("warning: of 'git:diff' ")
        .stderr_has(" tokens are sent\n")
        .stderr_has("\nhint: -b ")
        .check();
}

#[test]
fn failures_within_long_output_are_kept() {
    let sandbox = with_sources();
    let failure = " FAIL  src/u05.test.ts > undo_5\nAssertionError: expected 5 to be 7\n";
    sandbox
        .ctx(["ask", "-b", "4k", "why does this fail?", "-"])
        .stdin(output(1_500) + failure + &output(1_500) + "done at last\n")
        .stdout_has("[stdin]\nstep 1 of undo_3 was carried out\n")
        .stdout_has(failure)
        .stdout_has("done at last\n")
        .stderr_any()
        .check();
}

#[test]
fn tests_that_fail_are_kept_before_those_that_pass() {
    let sandbox = with_sources();
    let suite = |suite: usize| {
        let passed: String =
            (0..9).map(|test| format!("    ✔ should do {test} of suite {suite}\n")).collect();
        format!("  suite {suite}\n{passed}")
    };
    let passed: String = (0..150).map(suite).collect();
    let details: String = (0..90).map(|line| format!("      at step {line} of what went wrong\n")).collect();
    let failure = format!("  1) undo_5 is undone:\n     AssertionError: expected 5 to be 7\n{details}");
    let block = sandbox
        .ctx(["ask", "-b", "4k", "why does this fail?", "-"])
        .stdin(format!("{passed}{failure}{passed}"))
        .stdout_any()
        .stderr_any()
        .check();
    assert!(block.contains("expected 5 to be 7\n") && block.contains("at step 89 of what"), "{block}");
}

#[test]
fn output_that_fits_in_its_share_is_whole_and_its_size_is_told() {
    let sandbox = with_sources();
    let text = output(900);
    sandbox
        .ctx(["ask", "why does undo_3 fail?", "-"])
        .stdin(text.as_str())
        .stdout_has(&format!("[stdin]\n{text}"))
        .stderr_has(" tokens (16,000 + 9,")
        .stderr_has(" piped): ")
        .check();
    let named =
        sandbox.ctx(["ask", "why does undo_3 fail?", "-", "--stdin-name", "a.log"]).stdin(text.as_str());
    named.stdout_has(&format!("[a.log]\n{text}")).stderr_has(" piped): ").check();
    let cut = sandbox.ctx(["ask", "why does undo_3 fail?", "-"]).stdin(output(9_000));
    cut.stdout_has("[… lines ").stderr_has("warning: ").stderr_has(" tokens (16,000 + 1").check();
}

#[test]
fn hunks_of_code_come_before_those_of_lock_files_and_manuals() {
    let sandbox = with_sources();
    let files = ["CHANGES.md", "Cargo.lock", "src/u01.rs", "src/u02.rs"];
    let block = sandbox
        .ctx(["ask", "-b", "800", "does this break anything?", "-"])
        .stdin(diff(&files))
        .stdout_has("+++ b/src/u01.rs\n@@ -1,1 +1,16 @@\n")
        .stdout_has("+++ b/src/u02.rs\n@@ -1,1 +1,16 @@\n")
        .stderr_has("warning: ")
        .check();
    assert!(!block.contains("+++ b/CHANGES.md") && !block.contains("+++ b/Cargo.lock"), "{block}");
    sandbox
        .ctx(["ask", "-b", "4k", "does this break anything?", "-"])
        .stdin(diff(&files))
        .stdout_has(&format!("[stdin]\n{}", diff(&files)))
        .stderr_any()
        .check();
}

#[test]
fn long_hunks_are_cut_at_their_end_and_no_hunk_is_without_its_file() {
    let sandbox = with_sources();
    let hunk = |number: usize, lines: usize| {
        let added: String =
            (0..lines).map(|line| format!("+let value_{number} = compute_{line}();\n")).collect();
        format!("@@ -{number},0 +{number},{lines} @@\n{added}")
    };
    // A removed comment of SQL looks like the header of a file.
    let sql = "@@ -1,2 +1,1 @@\n--- drop the table\n+-- keep the table\n context\n";
    let files = [
        format!(
            "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n{}{}",
            hunk(1, 300),
            hunk(2, 3)
        ),
        format!("diff --git a/b.sql b/b.sql\n--- a/b.sql\n+++ b/b.sql\n{sql}"),
        format!("diff --git a/src/c.rs b/src/c.rs\n--- a/src/c.rs\n+++ b/src/c.rs\n{}", hunk(3, 300)),
    ];
    let block = sandbox.ctx(["ask", "-b", "2k", "does this break anything?", "-"]).stdin(files.concat());
    let block = block.stdout_any().stderr_any().check();
    let diff = &block[block.find("[stdin]\n").unwrap()..];
    let diff: Vec<&str> = diff.lines().skip(1).take_while(|line| !line.starts_with("[src/")).collect();
    assert!(diff[0].starts_with("diff --git a/src/a.rs"), "{block}");
    assert!(diff.contains(&"--- drop the table") && diff.contains(&"+++ b/b.sql"), "{block}");
    // What follows a gap begins with a header of its own.
    for pair in diff.windows(2).filter(|pair| pair[0].starts_with("[… lines ")) {
        let is_header = ["diff --git ", "@@ ", ""]
            .iter()
            .any(|start| pair[1].starts_with(start) && (pair[1].is_empty() == start.is_empty()));
        assert!(is_header || pair[1].starts_with("--- CONTEXT"), "{block}");
    }
}

#[test]
fn endless_line_is_cut_to_its_two_ends() {
    let sandbox = with_sources();
    let line = format!("begins {} ends", "undo_3 ".repeat(30_000));
    let ask = |arguments: &[&str]| {
        let asked = sandbox.ctx(["ask", "why does undo_3 fail?", "-"].iter().chain(arguments));
        asked.stdin(line.as_str())
    };
    let warning = "warning: of your piped text 9";
    let block = ask(&["-b", "2k"]).stdout_has("pub fn undo_3() {\n").stderr_has(warning).check();
    let (_, paste) = block.split_once("[stdin]\nbegins undo_3 ").unwrap();
    assert!(paste.contains(" omitted …]\n") && paste.contains(" undo_3  ends\n"), "{block}");
    ask(&["-b", "2k", "--strict"]).code(3).stderr_has("error: of your piped text 9").check();
    ask(&["-b", "500k", "--strict"]).stdout_has(&format!("[stdin]\n{line}\n")).stderr_any().check();
    let listed = ask(&["-b", "2k", "--dry-run"]).stdout_any().stderr_any().check();
    assert!(listed.contains("1 of 41 files would be printed in part: stdin ("), "{listed}");
}

#[test]
fn question_about_a_diff_does_not_outweigh_what_the_diff_changes() {
    let many = |name: &str| -> String {
        (0..60)
            .map(|n| format!("// Merge this; what goes wrong elsewhere?\nfn {name}_{n}() {{}}\n\n"))
            .collect()
    };
    let sandbox = Sandbox::with(&[
        ("src/router.rs", "/// The methods.\npub const VERBS: [&str; 2] = [\"get\", \"put\"];\n"),
        (
            "src/client.rs",
            "/// One for each.\nfn make() {\n    for verb in VERBS {\n        bind(verb);\n    }\n}\n",
        ),
        ("src/chatter.rs", &many("talk")),
        ("src/noise.rs", &many("noise")),
    ]);
    let diff = "diff --git a/src/router.rs b/src/router.rs\n--- a/src/router.rs\n+++ b/src/router.rs\n\
                @@ -1,2 +1,2 @@\n /// The methods.\n-pub const VERBS: [&str; 2] = [\"get\", \"put\"];\n\
                +pub const VERBS: [&str; 3] = [\"get\", \"put\", \"head\"];\n";
    let ask = sandbox.ctx(["ask", "-b", "900", "merge this? what goes wrong elsewhere?", "-"]).stdin(diff);
    let block = ask.stdout_any().stderr_any().check();
    let client = block.find("bind(verb)");
    assert!(client.is_some() && block.find("Merge this;").is_none_or(|at| client < Some(at)), "{block}");
}
