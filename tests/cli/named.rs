//! Files named on the command line are what the question is about: they must exist, and they are never dropped.

use crate::support::{Sandbox, block};

fn with_stored() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..9 {
        sandbox.write(&format!("src/f{number}.rs"), "let value = compute(1, 2, 3);\n".repeat(20));
    }
    sandbox.write("diff.txt", "changed line of code\n".repeat(100));
    sandbox.ctx(["add", "src/**/*.rs"]).stderr_any().check();
    sandbox
}

#[test]
fn standard_input_over_budget_is_kept_and_stored_files_are_dropped() {
    let sandbox = with_stored();
    sandbox
        .ctx(["render", "-", "-p", "Review", "-b", "800"])
        .stdin("changed line of code\n".repeat(100))
        .stdout_has("[stdin]\nchanged line of code\n")
        .stdout_has("[src/f0.rs]\n")
        .stderr_has("warning: 2 of 10 files, ")
        .check();
}

#[test]
fn named_file_over_budget_is_kept_by_every_rule_that_drops_files() {
    let sandbox = with_stored();
    for trim in ["largest", "truncate", "outline"] {
        sandbox
            .ctx(["render", "diff.txt", "-b", "700", "--trim", trim])
            .stdout_has("[diff.txt]\nchanged line of code\n")
            .stderr_has("warning: ")
            .check();
    }
}

#[test]
fn named_file_that_does_not_fit_is_an_error_with_the_tokens_it_needs() {
    let sandbox = with_stored();
    sandbox
        .ctx(["render", "diff.txt", "-b", "300"])
        .code(1)
        .stderr_has("error: the files you pinned or named need 5")
        .stderr_has("'diff.txt' (500)")
        .stderr_has(
            "(500)\nhint: --budget 518 is enough\nhint: --trim truncate prints the named files in part\n",
        )
        .check();
    sandbox
        .ctx(["render", "diff.txt", "-b", "300", "--trim", "truncate"])
        .stdout_has("[diff.txt]\nchanged line of code\n")
        .stdout_has(" lines omitted …]\n--- CONTEXT FILES END ---\n")
        .stdout_lacks("[src/")
        .stderr_has("warning: part of 1 of 10 files, ")
        .check();
}

#[test]
fn named_file_over_budget_is_shortened_to_what_the_question_is_about() {
    let sandbox = with_stored();
    let mut lines: Vec<String> = (0..400).map(|line| format!("value {line} is computed here\n")).collect();
    lines[300] = "the socket is opened here\n".to_owned();
    sandbox.write("long.txt", lines.concat());
    sandbox
        .ctx(["render", "long.txt", "-b", "500", "-p", "Where is the socket opened?"])
        .stdout_has("--- CONTEXT FILES BEGIN ---\n[long.txt:299-335]\n")
        .stdout_has("the socket is opened here\n")
        .stdout_lacks("[src/")
        .stderr_has("warning: part of 1 of 10 files, ")
        .stderr_has(" of 500 tokens: long.txt; --dry-run lists them\n")
        .check();
    sandbox
        .ctx(["render", "long.txt", "-b", "500", "-p", "socket?", "--strict"])
        .code(3)
        .stderr_any()
        .check();
    sandbox
        .ctx(["render", "long.txt", "-b", "500", "-p", "socket?", "--trim", "largest"])
        .code(1)
        .stderr_has("error: the files you pinned or named and the prompt need 2,820 tokens")
        .check();
}

#[test]
fn each_named_file_has_a_passage_or_nothing_is_printed() {
    let sandbox = Sandbox::new();
    let text = |name: &str| -> String { (0..300).map(|line| format!("{name} {line} is here\n")).collect() };
    sandbox.write("a.txt", text("apples"));
    sandbox.write("b.txt", text("bears"));
    let args = ["render", "--only", "a.txt", "b.txt", "-p", "which apples?", "-b"];
    sandbox
        .ctx(args.iter().chain(&["900"]))
        .stdout_has("[a.txt:1-56]\n")
        .stdout_has("[b.txt:1-59]\n")
        .stderr_has("warning: parts of 2 of 2 files, ")
        .check();
    sandbox
        .ctx(args.iter().chain(&["300"]))
        .code(1)
        .stderr_has("'a.txt' (")
        .stderr_has("'b.txt' (")
        .stderr_has("\nhint: --budget 837 is enough\nhint: --trim truncate prints the named files in part\n")
        .check();
    let larger = sandbox.ctx(args.iter().chain(&["837"]));
    larger.stdout_has("[a.txt:1-56]\n").stdout_has("[b.txt:1-59]\n").stderr_any().check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn typed_entries_other_than_files_are_trimmed_only_if_a_rule_was_chosen() {
    let sandbox = with_stored();
    let git = |args: &[&str]| {
        let done =
            std::process::Command::new("git").args(args).current_dir(sandbox.project()).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first"]);
    sandbox.write("small.txt", "small\n");
    git(&["add", "diff.txt"]);
    sandbox.ctx(["todo", "add", &"a long task to do ".repeat(100)]).stdout_any().stderr_any().check();
    for typed in ["-", "diff.txt:1-99", "git:staged", "cmd:cat diff.txt", "todo:default"] {
        for question in [&["-p", "changed code?"][..], &[]] {
            let args = [&["render", typed, "-b", "300"], question].concat();
            sandbox
                .ctx(&args)
                .stdin("changed line of code\n".repeat(100))
                .code(1)
                .stderr_has("error: the files you pinned or named ")
                .stderr_has(if question.is_empty() {
                    "enough\nhint: --trim truncate prints the named files in part\n"
                } else {
                    "hint: --trim relevant prints what matters for the prompt\nhint: --trim truncate prints the named files in part\n"
                })
                .check();
            sandbox
                .ctx(args.iter().chain(&["--trim", "truncate"]))
                .stdin("changed line of code\n".repeat(100))
                .stdout_has("[… ")
                .stderr_has("warning: ")
                .check();
        }
    }
    git(&["add", "small.txt"]);
    sandbox
        .ctx(["render", "git:staged", "-b", "300", "--trim", "largest"])
        .stdout_has("[git:staged small.txt]\n")
        .stdout_lacks("[git:staged diff.txt]")
        .stderr_has("; without git:staged diff.txt; ")
        .check();
}

#[test]
fn named_file_next_to_a_pin_is_outlined_or_an_error_under_the_outline_rule() {
    let sandbox = with_stored();
    let body = "    step();\n".repeat(80);
    sandbox.write("pin.txt", "pinned line\n".repeat(20));
    sandbox.write("named.rs", format!("pub fn named() {{\n{body}}}\n"));
    sandbox.ctx(["add", "--pin", "pin.txt"]).stderr_any().check();
    let args = ["render", "--trim", "outline", "-b", "150"];
    sandbox
        .ctx(args.iter().chain(&["named.rs"]))
        .stdout_has("pinned line\n")
        .stdout_has("[named.rs]\npub fn named() {\n[… 80 lines omitted …]\n}\n")
        .stderr_has("warning: 2 of 11 files, 1 in part, ")
        .check();
    for named in ["diff.txt", "-"] {
        sandbox
            .ctx(args.iter().chain(&[named]))
            .stdin("changed line of code\n".repeat(100))
            .code(1)
            .stderr_has("'pin.txt' (")
            .stderr_has("(500)\nhint: --budget ")
            .stderr_has("\nhint: --trim truncate prints the named files in part\n")
            .check();
    }
}

#[test]
fn named_file_whose_outline_does_not_fit_is_an_error_that_names_it() {
    let sandbox = Sandbox::new();
    let many: String =
        (0..60).map(|n| format!("pub fn f{n}() {{\n{}}}\n", "    step();\n".repeat(9))).collect();
    sandbox.write("many.rs", many);
    sandbox
        .ctx(["render", "--only", "many.rs", "--trim", "outline", "-b", "100"])
        .code(1)
        .stderr_has("error: the files you pinned or named need ")
        .stderr_has(": 'many.rs' (")
        .check();
}

#[test]
fn typed_names_that_yield_nothing_are_errors_and_all_are_named() {
    let sandbox = with_stored();
    sandbox.write("x.pdf", b"%PDF-1.7\0\0");
    sandbox
        .ctx(["render", "--only", "src/polciy", "scr/**", "x.pdf", "-p", "hello"])
        .env("PATH", "/nonexistent")
        .code(1)
        .stderr(
            "error: no such file: 'src/polciy'; if it belongs to the prompt, quote the prompt\nerror: No files found matching glob pattern 'scr/**'\n\
             error: 'x.pdf': binary file\n",
        )
        .check();
}

#[test]
fn pattern_whose_files_are_all_filtered_out_is_a_warning() {
    let sandbox = with_stored();
    sandbox
        .ctx(["render", "--only", "src/*.rs", "--exclude", "*.rs", "-p", "hello"])
        .stdout("hello\n")
        .stderr_has("warning: the context is empty: no file matches the filters")
        .check();
}

#[test]
fn missing_file_in_a_list_is_not_an_error() {
    let sandbox = with_stored();
    sandbox.write("list", "src/gone.rs\nsrc/f1.rs\n");
    sandbox
        .ctx(["render", "--only", "--files-from", "list"])
        .stdout_has("[src/f1.rs]\n")
        .stderr_has("src/gone.rs")
        .check();
}

#[test]
fn input_that_is_too_large_is_an_error_that_names_the_option() {
    let sandbox = Sandbox::with(&[("a.txt", "a text\n"), ("b.txt", "b\n")]);
    let hint = "hint: a larger --max-file-size includes it\n";
    let args = ["render", "--only", "--max-file-size", "3"];
    sandbox
        .ctx(args.iter().chain(&["-"]))
        .stdin("a text\n")
        .code(1)
        .stderr(format!("error: cannot read standard input: more than 3 bytes\n{hint}"))
        .check();
    sandbox
        .ctx(args.iter().chain(&["a.txt", "b.txt"]))
        .code(1)
        .stderr(format!("error: 'a.txt': too large: 7 bytes, the limit is 3\n{hint}"))
        .check();
}

#[test]
fn binary_format_without_a_zero_byte_is_not_text() {
    let sandbox = Sandbox::with(&[("x.pdf", "%PDF-1.4 hello\n"), ("a.txt", "a\n")]);
    // Where there is a program that makes text of it, a hint names it.
    let render = sandbox.ctx(["render", "--only", "x.pdf"]).env("PATH", "/nonexistent").code(1);
    render.stderr("error: 'x.pdf': binary file\n").check();
    sandbox.ctx(["render", "--only", "*"]).stdout_has("[a.txt]").stdout_lacks("PDF").check();
}

#[test]
fn typed_path_that_yields_nothing_is_an_error_whatever_its_form() {
    let sandbox = Sandbox::with(&[("d/a.py", "a\n"), ("e/b.rs", "b\n"), ("keep.md", "k\n")]);
    sandbox.write(".git/HEAD", "");
    sandbox.write(".gitignore", "d/\n");
    sandbox.ctx(["add", "keep.md"]).stderr_any().check();
    for paths in [&["d/**"][..], &["**/*.py"], &["d"], &["e/**", "!e/**"], &["e/*.rs", "!*/*.rs"]] {
        let run = sandbox.ctx([&["render", "--tokenizer", "bytes4"], paths].concat());
        run.code(1).stderr_any().check();
    }
    // A path that a filter excludes isn't a typo.
    let filtered = ["render", "e/**", "--exclude", "*.rs"];
    sandbox.ctx(filtered).stdout(block("[keep.md]\nk\n")).stderr_any().check();
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn name_that_is_not_utf_8_works_like_any_other() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::new();
    let name = OsStr::from_bytes(b"caf\xe9.md");
    std::fs::write(sandbox.project().join(name), "text\n").unwrap();
    let render = [OsStr::new("render"), name];
    sandbox.ctx(render).stdout(block("[caf\\xE9.md]\ntext\n")).check();
    let explain = [OsStr::new("explain"), name];
    sandbox.ctx(explain).stdout_has("caf\\xE9.md is left out: not on your list; ").stderr_any().check();
    let missing = [OsStr::new("render"), OsStr::from_bytes(b"\xe9")];
    sandbox.ctx(missing).code(1).stderr_has("no such file: '\\xE9'\n").check();
}

#[test]
fn hint_does_not_suggest_a_rule_that_would_also_fail() {
    let sandbox = Sandbox::with(&[("a.txt", &"what is here\n".repeat(100))]);
    sandbox
        .ctx(["render", "--only", "a.txt", "-b", "10", "-p", "what"])
        .code(1)
        .stderr_has("\nhint: --budget 328 is enough\nhint: --dry-run lists the tokens of each file\n")
        .check();
    let listed = sandbox.ctx(["render", "--only", "a.txt", "-b", "10", "-p", "what", "--dry-run"]).code(1);
    listed.stdout_has("the pinned and named files alone exceed the budget").stderr_any().check();
}

#[test]
fn typed_pattern_of_which_nothing_fits_is_named() {
    let sandbox = Sandbox::new();
    for (file, text) in [("s.md", "s line\n".repeat(400)), ("y1.md", "y line\n".repeat(410))] {
        sandbox.write(file, text);
    }
    sandbox.write("k.md", "keep\n");
    sandbox.ctx(["add", "-q", "s.md", "k.md"]).check();
    sandbox
        .ctx(["render", "--tokenizer", "bytes4", "-b", "200", "y*.md"])
        .stdout_has("[k.md]\n")
        .stderr_has("warning: 1 of 3 files, ~17 of 200 tokens: k.md; without y*.md; ")
        .check();
}
