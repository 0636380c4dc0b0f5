//! Ignore files as other programs leave them: with NULs, in UTF-16, with a byte-order mark.

use crate::support::Sandbox;

const NUL: &str = "note: ignore rules with a NUL character end there, as in git: ";

fn utf_16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A repository with a directory that its `.gitignore` ignores, followed by these bytes.
fn with_rules(more: &[u8]) -> Sandbox {
    let sandbox = Sandbox::with(&[("build/o.txt", "transcribe\n"), ("src/a.rs", "fn transcribe() {}\n")]);
    sandbox.repository();
    sandbox.write(".gitignore", [b"build/\n", more].concat());
    sandbox
}

#[test]
fn nul_in_an_ignore_file_ends_its_line_and_each_command_names_it_once() {
    let sandbox = with_rules(&utf_16("# local\r\n.env.local\r\n"));
    let told = format!("{NUL}'.gitignore:2'\n");
    sandbox.ctx(["ask", "transcribe"]).stdout_has("[src/a.rs]").stdout_lacks("o.txt").stderr(&told).check();
    sandbox.ctx(["search", "transcribe"]).stdout_has("src/a.rs").stderr(&told).check();
    sandbox.ctx(["render", "--only", "**"]).stdout_has("[src/a.rs]").stderr(&told).check();
    sandbox.ctx(["render", "--only", "--strict", "**"]).stdout_any().stderr(&told).check();
    sandbox.ctx(["add", "**"]).stderr_has(&told).check();
    sandbox.ctx(["show"]).stdout_any().stderr(&told).check();
    let found = "files:\n    .gitignore:2: the rule ends at a NUL character, as in git\n";
    sandbox.ctx(["check"]).code(3).stdout_has(found).stderr_any().check();
    sandbox.ctx(["clear", "-q"]).check();
    sandbox.ctx(["check"]).code(3).stdout_has(found).stdout_has("1 problem").check();
    sandbox.write(".gitignore", "build/\n");
    sandbox.ctx(["check"]).stdout_has("no problems").check();
}

#[cfg(unix)]
#[test]
fn checkpoint_names_the_line_with_a_nul() {
    let sandbox = with_rules(b"x\0\n");
    let init = std::process::Command::new("git").args(["init", "-q"]).current_dir(sandbox.project()).status();
    assert!(init.unwrap().success());
    let told = format!("{NUL}'.gitignore:2'\n");
    sandbox.ctx(["checkpoint", "create"]).stdout("1\n").stderr(&told).check();
    sandbox.ctx(["render", "--only", "git:changes"]).stdout_has("src/a.rs").stderr(&told).check();
}

#[test]
fn nul_in_the_shared_ignore_file_stops_no_repository() {
    let sandbox = with_rules(b"");
    std::fs::write(sandbox.home().join("shared"), "x\0\n").unwrap();
    std::fs::write(sandbox.home().join(".gitconfig"), "[core]\n\texcludesFile = ~/shared\n").unwrap();
    let told = format!("{NUL}'<home>/shared:1'\n");
    sandbox.ctx(["ask", "transcribe"]).stdout_has("[src/a.rs]").stderr(told).check();
}

#[test]
fn rules_in_utf_16_apply_without_a_message() {
    for mark in ["\u{feff}", ""] {
        let sandbox = with_rules(b"");
        sandbox.write(".gitignore", utf_16(&format!("{mark}build/\r\n")));
        sandbox.ctx(["ask", "transcribe"]).stdout_has("[src/a.rs]").stdout_lacks("o.txt").check();
        sandbox.ctx(["check"]).stdout_has("no problems").check();
    }
}

#[test]
fn check_names_the_limit_of_an_ignore_file_that_no_entry_uses() {
    let sandbox = with_rules(&b"#".repeat(5_000));
    let told = "ignore file cannot be read safely: '.gitignore:2' is over 4,096 bytes";
    sandbox.ctx(["check"]).code(3).stdout_has(told).check();
    sandbox.ctx(["ask", "transcribe"]).code(1).stderr_has(told).check();
}

#[test]
fn byte_order_mark_of_a_store_file_is_skipped_and_not_written_back() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    for text in ["\u{feff}{\"paths\": [\"a.md\"]}".as_bytes(), &utf_16("\u{feff}{\"paths\": [\"a.md\"]}")] {
        sandbox.write_store("profiles/default.json", text);
        sandbox.ctx(["render"]).stdout_has("[a.md]\na\n").check();
        sandbox.ctx(["add", "-q", "b.md"]).check();
        assert_eq!(
            sandbox.stored("profiles/default.json"),
            "{\n  \"paths\": [\n    \"a.md\",\n    \"b.md\"\n  ]\n}\n"
        );
    }
    let models = r#"{"models": [{"name": "mine", "window": 1000}]}"#;
    sandbox.write_store("models.json", format!("\u{feff}{models}"));
    sandbox.ctx(["models"]).stdout_has("mine").check();
}
