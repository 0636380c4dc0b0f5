//! Files that are read and written besides the block: nothing is lost, and everything is reported.

use crate::support::Sandbox;

const A: &str = "--- CONTEXT FILES BEGIN ---\n[a.txt]\na\n--- CONTEXT FILES END ---\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[("a.txt", "a\n"), ("b.txt", "b\n")])
}

#[test]
fn named_file_is_never_overwritten() {
    let sandbox = sandbox();
    for option in ["-o", "--manifest"] {
        for output in ["a.txt", "./a.txt"] {
            sandbox
                .ctx(["render", "--only", "a.txt", option, output])
                .code(2)
                .stderr("error: 'a.txt' would be both read and overwritten\nhint: write to another file\n")
                .check();
        }
    }
    sandbox.ctx(["add", "a.txt"]).stderr_any().check();
    sandbox.ctx(["render", "-o", "a.txt"]).code(2).stderr_has("both read and overwritten").check();
    assert_eq!(sandbox.read("a.txt"), "a\n");
    sandbox.ctx(["render", "--only", "*.txt", "-o", "b.txt"]).check();
    assert_eq!(sandbox.read("b.txt"), A);
}

#[cfg(unix)]
#[test]
fn file_that_standard_output_goes_to_is_skipped_with_a_warning() {
    let sandbox = sandbox();
    let appended = |args: &[&str]| {
        let out = std::fs::File::options().append(true).open(sandbox.path("b.txt")).unwrap();
        let mut command = std::process::Command::new(crate::support::binary());
        command.args(args).env_clear().envs(sandbox.environment()).current_dir(sandbox.project()).stdout(out);
        let output = command.output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, stderr) = appended(&["render", "--only", "b.txt", "a.txt"]);
    assert_eq!(
        (code, stderr.as_str()),
        (0, "warning: 1 file left out: 'b.txt' (standard output goes to it)\n")
    );
    assert_eq!(sandbox.read("b.txt"), format!("b\n{A}"));
    let (code, stderr) = appended(&["render", "--only", "--strict", "b.txt", "a.txt"]);
    assert!(code == 3 && stderr.contains("'b.txt' (standard output goes to it)"), "{code} {stderr}");
    let (code, stderr) = appended(&["render", "--only", "*.txt"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "a pattern passes it over");
    sandbox.ctx(["add", "b.txt"]).stderr_any().check();
    assert_eq!(appended(&["check"]).0, 3);
}

#[cfg(unix)]
#[test]
fn hard_link_to_a_replaced_file_keeps_its_contents() {
    let sandbox = sandbox();
    std::fs::hard_link(sandbox.path("b.txt"), sandbox.path("c.txt")).unwrap();
    sandbox.ctx(["render", "--only", "--strict", "c.txt", "-o", "b.txt"]).check();
    assert!(sandbox.read("b.txt").contains("[c.txt]\nb\n"));
    assert_eq!(sandbox.read("c.txt"), "b\n");
}

#[test]
fn prompt_file_and_list_are_never_overwritten() {
    let sandbox = sandbox();
    sandbox.write("list", "a.txt\n");
    sandbox.write("prompt", "Why?\n");
    for option in ["-o", "--manifest"] {
        for (reader, input) in [("--prompt-file", "prompt"), ("--files-from", "list")] {
            for output in [input, &format!("./{input}"), sandbox.path(input).to_str().unwrap()] {
                sandbox
                    .ctx(["render", "--only", "b.txt", reader, input, option, output])
                    .code(2)
                    .stderr(format!(
                        "error: '{input}' would be both read and overwritten\nhint: write to another file\n"
                    ))
                    .check();
            }
        }
    }
    assert_eq!([sandbox.read("list"), sandbox.read("prompt")], ["a.txt\n", "Why?\n"]);
    #[cfg(unix)]
    sandbox.ctx(["render", "--only", "a.txt", "--prompt-file", "/dev/null", "-o", "/dev/null"]).check();
}

#[test]
fn files_of_the_store_are_never_overwritten() {
    let sandbox = sandbox();
    sandbox.ctx(["add", "-g", "b.txt"]).stderr_any().check();
    sandbox.ctx(["add", "a.txt"]).stderr_any().check();
    sandbox.ctx(["switch", "-c", "other"]).stderr_any().check();
    sandbox.write_store("models.json", r#"{"models": []}"#);
    for option in ["-o", "--manifest"] {
        for file in [
            "global.json",
            "state.json",
            "models.json",
            "journal.json",
            "store.lock",
            "profiles/default.json",
            "profiles/new.json",
            "../store/./profiles/other.json",
        ] {
            let path = sandbox.store().join(file);
            sandbox
                .ctx(["render", "--only", "b.txt", option, path.to_str().unwrap()])
                .code(2)
                .stderr_has("is a file of the store\nhint: write to another file\n")
                .check();
        }
    }
    sandbox.ctx(["check"]).stdout_any().stderr_any().check();
    assert!(!sandbox.store().join("profiles/new.json").exists());
    let beside = sandbox.store().join("block.txt");
    sandbox.ctx(["render", "--only", "a.txt", "-o", beside.to_str().unwrap()]).check();
    assert_eq!(sandbox.stored("block.txt"), A);
}

#[cfg(unix)]
#[test]
fn links_do_not_allow_overwriting_files_of_the_store() {
    use std::os::unix::fs::symlink;

    let sandbox = sandbox();
    sandbox.write("dotfiles/default.json", r#"{"paths": ["a.txt"]}"#);
    sandbox.write_store("profiles/none", "");
    symlink(sandbox.path("dotfiles/default.json"), sandbox.store().join("profiles/default.json")).unwrap();
    symlink(sandbox.store().join("global.json"), sandbox.path("link")).unwrap();
    let link = sandbox.path("link");
    for output in ["dotfiles/default.json", link.to_str().unwrap()] {
        sandbox
            .ctx(["render", "--only", "b.txt", "-o", output])
            .code(2)
            .stderr_has("is a file of the store\n")
            .check();
    }
    sandbox.ctx(["render"]).stdout(A).check();
}

#[test]
fn output_file_that_is_the_only_match_is_kept() {
    let sandbox = sandbox();
    sandbox
        .ctx(["render", "--only", "b*", "-o", "b.txt"])
        .stderr_has("the context is empty: the entries match only files that this command writes")
        .stderr_has("warning: nothing was written to 'b.txt'")
        .check();
    assert_eq!(sandbox.read("b.txt"), "b\n");
}

#[test]
fn an_empty_context_empties_the_output_file() {
    let sandbox = sandbox();
    sandbox.write("block.out", "yesterday's block\n");
    sandbox.ctx(["render", "--only", "-o", "block.out"]).stderr_has("the context is empty").check();
    assert_eq!(sandbox.read("block.out"), "");
}

#[test]
fn invalid_path_is_wrong_usage() {
    let sandbox = sandbox();
    for path in ["a[", "~bob", "!", "***", "p/{a", ""] {
        let error = format!("error: Invalid path '{path}': ");
        sandbox.ctx(["render", "--only", "a.txt", path]).code(2).stderr_has(&error).check();
    }
    sandbox
        .ctx(["render", "--files-from", "-"])
        .stdin("a[\n")
        .code(2)
        .stderr_has("Invalid path 'a['")
        .check();
    sandbox.ctx(["render", "--files-from", "-"]).stdin("a.txt\0").code(2).stderr_has("hint: -0 ").check();
    sandbox.write_store("profiles/default.json", r#"{"paths": ["a[", "a.txt"]}"#);
    sandbox.ctx(["render"]).stdout(A).stderr_has("warning: 1 entry left out: 'a['").check();
    sandbox.ctx(["render", "--strict"]).code(3).stderr_has("error: 1 entry left out: 'a['").check();
}

#[test]
fn block_and_manifest_cannot_be_the_same_file() {
    let sandbox = sandbox();
    for manifest in ["x", "./x"] {
        sandbox
            .ctx(["render", "--only", "a.txt", "-o", "x", "--manifest", manifest])
            .code(2)
            .stderr("error: --output and --manifest are the same file\n")
            .check();
    }
    sandbox.ctx(["render", "--only", "a.txt", "--manifest", "-"]).code(2).stderr_has("--json").check();
    sandbox.ctx(["render", "--only", "a.txt", "-o", "-"]).stdout(A).check();
    assert!(!sandbox.path("-").exists() && !sandbox.path("x").exists());
}

#[cfg(unix)]
fn in_shell(sandbox: &Sandbox, line: &str) -> (String, String) {
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", line]).env_clear().envs(sandbox.environment()).env("CTX", crate::support::binary());
    let output = shell.current_dir(sandbox.project()).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[cfg(unix)]
#[test]
fn standard_output_and_manifest_cannot_be_the_same_file() {
    let sandbox = sandbox();
    for (option, name) in [("", "standard output"), ("-o /dev/stdout", "--output")] {
        let line = format!(r#""$CTX" render --only a.txt {option} --manifest m > m; echo $?"#);
        let error = format!("error: {name} and --manifest are the same file\n");
        assert_eq!(in_shell(&sandbox, &line), ("2\n".to_owned(), error), "{option}");
    }
}

#[cfg(unix)]
#[test]
fn file_on_standard_input_is_not_overwritten() {
    let sandbox = sandbox();
    for option in ["-", "--prompt-file -", "--files-from -"] {
        let line = format!(r#""$CTX" render --only {option} -o a.txt < a.txt; echo $?"#);
        let (code, error) = in_shell(&sandbox, &line);
        assert!(
            code == "2\n" && error.contains("would be both read and overwritten"),
            "{option}: {code}{error}"
        );
        assert_eq!(sandbox.read("a.txt"), "a\n");
    }
}

#[cfg(unix)]
#[test]
fn path_of_standard_output_is_treated_as_standard_output() {
    let sandbox = sandbox();
    let (code, error) =
        in_shell(&sandbox, r#""$CTX" render --only b.txt a.txt -o /dev/stdout >> b.txt; echo $?"#);
    assert_eq!(code, "0\n");
    assert_eq!(error, "warning: 1 file left out: 'b.txt' (standard output goes to it)\n");
    assert_eq!(sandbox.read("b.txt"), format!("b\n{A}"));
}

#[test]
fn block_and_manifest_are_written_together_or_not_at_all() {
    let sandbox = sandbox();
    sandbox
        .ctx(["render", "--only", "a.txt", "-o", "no/x", "--manifest", "m"])
        .code(1)
        .stderr_has("no/x")
        .check();
    sandbox
        .ctx(["render", "--only", "a.txt", "-o", "x", "--manifest", "no/m"])
        .code(1)
        .stderr_has("no/m")
        .check();
    sandbox.ctx(["render", "--only", "a.txt", "--manifest", "no/m"]).code(1).stderr_has("no/m").check();
    assert_eq!(std::fs::read_dir(sandbox.project()).unwrap().count(), 2);
}

#[test]
fn a_dry_run_writes_its_account_and_no_block() {
    let sandbox = sandbox();
    sandbox
        .ctx(["render", "--only", "a.txt", "--dry-run", "--manifest", "m", "--stats"])
        .stdout_has("a.txt")
        .stderr_has("1 file (1 whole")
        .check();
    assert!(sandbox.read("m").contains("\"sha256\""));
    sandbox
        .ctx(["render", "--only", "a.txt", "--dry-run", "-o", "x"])
        .code(2)
        .stderr_has("cannot be used with")
        .check();
}

#[test]
fn endless_or_binary_input_is_refused() {
    let sandbox = sandbox();
    let error = "error: cannot read standard input: more than 3 bytes\n\
                 hint: a larger --max-file-size includes it\n";
    sandbox.ctx(["render", "-", "--max-file-size", "3"]).stdin("1234").code(1).stderr(error).check();
    let error = "error: cannot read standard input: binary file\n";
    sandbox.ctx(["render", "-"]).stdin("a\0b").code(1).stderr(error).check();
    #[cfg(unix)]
    for args in [&["render", "--prompt-file", "/dev/zero"][..], &["search", "--prompt-file", "/dev/zero"]] {
        let told = sandbox.ctx(args).code(1).stderr_has("more than 10485760");
        told.stderr_has("ask about it").check();
    }
}

#[test]
fn one_blank_line_precedes_the_prompt() {
    sandbox().ctx(["render", "--only", "a.txt", "-p", "\n \n  hi"]).stdout(format!("{A}\n  hi\n")).check();
}

#[test]
fn files_left_out_or_partly_decoded_are_explained() {
    let sandbox = sandbox();
    sandbox.write("w.txt", b"\xff\xfeh\0\0\xd8i\0");
    sandbox
        .ctx(["render", "--only", "w.txt"])
        .stdout_has("[w.txt]\nh\u{fffd}i\n")
        .stderr("note: 1 file only partly decodable: 'w.txt' (UTF-16LE)\n")
        .check();
    sandbox.write("build/x", "x\n");
    sandbox.write(".ignore", "build\n");
    sandbox
        .ctx(["render", "--only", "build"])
        .code(1)
        .stderr(
            "error: no files directly in 'build': 'build' is not searched: ignored by <project>/.ignore:1: build\n\
             hint: --allow ignored includes them\n",
        )
        .check();
    sandbox.ctx(["add", "--force", "1", "2", "3", "4", "5"]).stderr_any().check();
    sandbox
        .ctx(["render"])
        .stderr_has("not found, left out: '1', '2', '3' and 2 more\n")
        .stderr_has("'ctx show' lists them")
        .check();
    sandbox.write(".env", "X=1\n");
    sandbox.ctx(["render", "--only", ".env", "--strict"]).code(1).stderr_has("error: '.env': ").check();
}
