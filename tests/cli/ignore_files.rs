//! Ignore files as other programs leave them: with NULs, in UTF-16, with a byte-order mark, under other names; and
//! directories that nobody wants in a prompt.

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
    // The file is also a document, whose encoding is guessed without a mark.
    for (mark, guessed) in [("\u{feff}", ""), ("", "note: 1 file read as UTF-16LE: '.gitignore'\n")] {
        let sandbox = with_rules(b"");
        sandbox.write(".gitignore", utf_16(&format!("{mark}build/\r\n")));
        let asked = sandbox.ctx(["ask", "transcribe"]).stdout_has("[src/a.rs]").stdout_lacks("o.txt");
        asked.stderr(guessed).check();
        sandbox.ctx(["check"]).stdout_has("no problems").check();
    }
}

#[test]
fn rules_to_which_utf_16_was_appended_apply_as_in_git() {
    let sandbox = Sandbox::with(&[("secret/o.txt", "transcribe\n"), ("src/a.rs", "fn transcribe() {}\n")]);
    sandbox.repository();
    sandbox.write(".gitignore", [b"secret/\n", &*utf_16("node_modules/\r\ndist/\r\n")].concat());
    let asked = sandbox.ctx(["ask", "transcribe"]).stdout_has("[src/a.rs]").stdout_lacks("o.txt");
    asked.stderr(format!("{NUL}'.gitignore:2'\n")).check();
    sandbox.ctx(["render", "--only", ".gitignore"]).code(1).stderr_has("binary file").check();
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

const OF_TOOLS: [&str; 8] = [
    ".aiexclude",
    ".aiderignore",
    ".aiignore",
    ".clineignore",
    ".codeiumignore",
    ".cursorignore",
    ".geminiignore",
    ".rooignore",
];

#[test]
fn ignore_files_of_other_tools_are_read_counted_and_named() {
    for name in OF_TOOLS {
        let sandbox = Sandbox::with(&[
            ("a.md", "walrus\n"),
            ("keys/private.md", "walrus\n"),
            ("b.txt", "walrus\n"),
            (name, "/keys\n*.txt\n"),
        ]);
        let note =
            format!("note: 1 file and 1 directory left out by {name}; --allow ignored includes them\n");
        sandbox
            .ctx(["render", "--only", "**"])
            .stdout_has("[a.md]")
            .stdout_lacks("b.txt")
            .stderr(&note)
            .check();
        sandbox.ctx(["search", "walrus"]).stdout_lacks("private").stderr(&note).check();
        sandbox
            .ctx(["explain", "b.txt"])
            .stdout_has(&format!("ignored by {name}:2: *.txt\n"))
            .stderr_any()
            .check();
        sandbox
            .ctx(["explain", "keys/private.md"])
            .stdout_has(&format!("ignored by {name}:1: /keys\n"))
            .stderr_any()
            .check();
        sandbox.ctx(["render", "--only", "--allow", "ignored", "**"]).stdout_has("[keys/private.md]").check();
        sandbox.ctx(["render", "--only", "b.txt"]).stdout_has("[b.txt]").check();
    }
}

#[test]
fn ctxignore_overrules_other_tools_and_none_of_them_another() {
    let sandbox = Sandbox::with(&[
        ("a.md", "a\n"),
        ("b.md", "b\n"),
        ("c.md", "c\n"),
        ("d.md", "d\n"),
        (".ctxignore", "!a.md\n"),
        (".aiexclude", "!b.md\n"),
        (".cursorignore", "a.md\nb.md\n!c.md\n"),
        (".rooignore", "!b.md\nd.md\n"),
        (".ignore", "c.md\n"),
    ]);
    sandbox
        .ctx(["render", "--only", "*.md"])
        .stdout("--- CONTEXT FILES BEGIN ---\n[a.md]\na\n\n[c.md]\nc\n--- CONTEXT FILES END ---\n")
        .stderr(
            "note: 1 file left out by .cursorignore, 1 file by .rooignore; --allow ignored includes them\n",
        )
        .check();
}

#[test]
fn file_that_another_tool_ignores_is_not_imported() {
    let sandbox = Sandbox::with(&[
        ("CLAUDE.md", "See @private.md\n"),
        ("private.md", "private\n"),
        (".geminiignore", "private.md\n"),
    ]);
    sandbox.ctx(["add", "-q", "--imports", "CLAUDE.md"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_lacks("private\n").stderr_has(".geminiignore:1: private.md)").check();
}

#[cfg(unix)]
#[test]
fn ignore_file_of_another_tool_may_be_a_link_within_the_tree() {
    let sandbox = Sandbox::with(&[("a.md", "walrus\n"), ("b.md", "walrus\n"), (".cursorignore", "b.md\n")]);
    let link = |target: &str| {
        let _ = std::fs::remove_file(sandbox.path(".aiexclude"));
        std::os::unix::fs::symlink(target, sandbox.path(".aiexclude")).unwrap();
    };
    link(".cursorignore");
    sandbox.ctx(["search", "walrus"]).stdout_has("a.md").stdout_lacks("b.md").stderr_any().check();
    link("nowhere");
    sandbox.ctx(["search", "walrus"]).stdout_has("a.md").stdout_lacks("b.md").stderr_any().check();
    link("/etc/passwd");
    sandbox.ctx(["search", "walrus"]).code(1).stderr_has("'.aiexclude' is a link").check();
}

#[test]
fn directories_of_dependencies_builds_and_caches_are_left_out() {
    let cache = "Signature: 8a477f597d28d172789f06886806bc55\n# a cache\n";
    let sandbox = Sandbox::with(&[
        ("app.js", "walrus\n"),
        ("node_modules/left-pad/index.js", "walrus\n"),
        ("web/node_modules/x/index.js", "walrus\n"),
        ("env/pyvenv.cfg", "home = /usr\n"),
        ("env/lib/site.py", "walrus\n"),
        ("a/__pycache__/a.txt", "walrus\n"),
        ("crate/Cargo.toml", "package\n"),
        ("crate/target/debug/out.rs", "walrus\n"),
        ("range/target/kept.rs", "walrus\n"),
        ("cache/CACHEDIR.TAG", cache),
        ("cache/big.txt", "walrus\n"),
        ("tagged/CACHEDIR.TAG", "nothing of the kind\n"),
        ("tagged/kept.txt", "walrus\n"),
        ("vendor/bundle/gem.rb", "walrus\n"),
        ("vendor/kept.rb", "walrus\n"),
        ("ios/Pods/pod.m", "walrus\n"),
    ]);
    let note = "note: 1 file and 8 directories left out by the built-in ignore file; '!NAME' in .ctxignore or --allow ignored \
                includes them\n";
    let block = sandbox.ctx(["render", "--only", "**"]).stdout_any().check();
    let labels: Vec<&str> = block.lines().filter(|line| line.starts_with('[')).collect();
    let kept = ["app.js", "crate/Cargo.toml", "range/target/kept.rs", "tagged/kept.txt", "vendor/kept.rb"];
    assert_eq!(labels, kept.map(|name| format!("[{name}]")));
    sandbox.ctx(["add", "**"]).stderr_has(note).check();
    for (path, rule) in [
        ("node_modules/left-pad/index.js", "node_modules/"),
        ("env/lib/site.py", "pyvenv.cfg"),
        ("crate/target/debug/out.rs", "target/"),
        ("cache/big.txt", "CACHEDIR.TAG"),
    ] {
        let check = sandbox.ctx(["explain", path]).stdout_has("ignored by built-in ignore file:");
        check.stdout_has(&format!(": {rule}\n")).stderr_any().check();
        sandbox.ctx(["render", "--only", path]).stdout_has(&format!("[{path}]")).check();
    }
    let hint = "hint: --allow ignored includes them\n";
    sandbox.ctx(["search", "walrus", "node_modules"]).code(1).stderr_has(hint).check();
    sandbox.ctx(["search", "--allow", "ignored", "walrus", "node_modules"]).stdout_has("left-pad").check();
    sandbox.write(".ctxignore", "!/node_modules\n!env\n!target\n!/cache\n");
    let back = sandbox.ctx(["render", "--only", "**"]).stdout_any().check();
    for label in
        ["node_modules/left-pad/index.js", "env/lib/site.py", "crate/target/debug/out.rs", "cache/big.txt"]
    {
        assert!(back.contains(&format!("[{label}]")), "{label}");
    }
    assert!(!back.contains("web/node_modules"));
}

#[test]
fn memory_file_that_is_kept_from_models_is_not_looked_up() {
    let sandbox = Sandbox::with(&[
        ("GEMINI.md", "rules\n"),
        ("template/GEMINI.md", "template\n"),
        (".geminiignore", "template/\n"),
        (".gitignore", "GEMINI.md\n"),
    ]);
    sandbox.repository();
    sandbox.ctx(["add", "up:GEMINI.md"]).stderr_any().check();
    let below = sandbox.path("template");
    let left_out = "note: 1 file left out by .geminiignore; --allow ignored includes them\n";
    let render =
        sandbox.ctx_in(&below, ["render"]).stdout_has("[GEMINI.md]\nrules\n").stdout_lacks("template");
    render.stderr(left_out).check();
    let all = sandbox.ctx_in(&below, ["render", "--allow", "ignored"]).stdout_has("[GEMINI.md]\nrules\n");
    all.stdout_has("[template/GEMINI.md]\ntemplate\n").check();
}
