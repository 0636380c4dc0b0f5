//! Paths that a list brings.

use crate::support::Sandbox;

fn two_files() -> Sandbox {
    let sandbox = Sandbox::with(&[("docs/guide.md", "guide\n"), ("src/main.rs", "fn main() {}")]);
    sandbox.ctx(["add", "docs/guide.md", "src/**/*.rs"]).stderr_any().check();
    sandbox
}

#[test]
fn paths_come_from_a_list() {
    let sandbox = two_files();
    sandbox.write("list", "src/main.rs\ndocs/guide.md\n");
    let expected = "--- CONTEXT FILES BEGIN ---\n[src/main.rs]\nfn main() {}\n\n[docs/guide.md]\nguide\n--- CONTEXT FILES END ---\n";
    sandbox.ctx(["render", "--only", "--files-from", "list"]).stdout(expected).check();
    sandbox
        .ctx(["render", "--only", "--files-from", "-", "-0"])
        .stdin("src/main.rs\0docs/guide.md\0")
        .stdout(expected)
        .check();
}

#[test]
fn a_listed_name_that_is_not_utf8_costs_no_other() {
    let sandbox = two_files();
    let list = b"src/main.rs\0caf\xe9.txt\0caf\xe9.txt\0docs/guide.md\0";
    let block = "--- CONTEXT FILES BEGIN ---\n[src/main.rs]\nfn main() {}\n\n[docs/guide.md]\nguide\n--- CONTEXT FILES END ---\n";
    let skipped = "1 file skipped: 'caf\\xE9.txt' (the name is not UTF-8; a pattern takes it)\n";
    let render = |options: &[&str]| {
        let args = ["render", "--only", "--files-from", "-", "-0"].iter().chain(options);
        sandbox.ctx(args).stdin(&list[..])
    };
    render(&[]).stdout(block).stderr(format!("warning: {skipped}")).check();
    render(&["--strict"]).code(3).stderr_has(&format!("error: {skipped}")).check();
    sandbox
        .ctx(["render", "--only", "--files-from", "-"])
        .stdin(&b"caf\xe9.txt\nsrc/main.rs\r\n"[..])
        .stdout_has("[src/main.rs]\n")
        .stderr(format!("warning: {skipped}"))
        .check();
    sandbox
        .ctx(["render", "--only", "--files-from", "-", "--containing", "x"])
        .stdin(&b"caf\xe9.txt\n"[..])
        .stderr_has("the context is empty: no file could be read")
        .check();
    let account = render(&["--dry-run", "--json"]).stdout_any().stderr_any().check();
    let account: serde_json::Value = serde_json::from_str(&account).unwrap();
    assert_eq!(account["file_counts"]["skipped"], 1);
    assert_eq!(account["files"][2]["path"], "caf\\xE9.txt");
    assert_eq!(account["files"][2]["reason"]["code"], "name-not-utf-8");
}

#[test]
#[cfg(target_os = "linux")]
fn a_listed_name_that_is_not_utf8_is_taken_by_a_pattern() {
    use std::os::unix::ffi::OsStrExt;

    let sandbox = two_files();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
    std::fs::write(sandbox.project().join(name), "text\n").unwrap();
    sandbox
        .ctx(["render", "--only", "*.txt", "--files-from", "-", "-0", "--strict"])
        .stdin(&b"caf\xe9.txt\0./caf\xe9.txt\0docs/..//caf\xe9.txt\0"[..])
        .stdout_has("[caf\\xE9.txt]\ntext\n")
        .check();
    sandbox
        .ctx(["render", "--only", "src/main.rs", "--include", "*.rs", "--files-from", "-", "-0", "--strict"])
        .stdin(&b"caf\xe9.txt\0"[..])
        .stdout_has("[src/main.rs]\n")
        .check();
}

#[test]
fn a_listed_file_that_is_there_is_that_file() {
    let sandbox = Sandbox::with(&[
        ("~dir/i", "tilde\n"),
        ("~/x", "a directory of that name\n"),
        ("!x", "bang\n"),
        ("git:staged", "no kind\n"),
        ("a[1].txt", "brackets\n"),
        ("src/main.rs", "fn main() {}\n"),
        ("src/lib.rs", "lib\n"),
    ]);
    let block = "--- CONTEXT FILES BEGIN ---\n[./~dir/i]\ntilde\n\n[./~/x]\na directory of that name\n\n[!x]\nbang\n\n[git:staged]\nno kind\n\n[a[1].txt]\nbrackets\n\n[src/lib.rs]\nlib\n\n[src/main.rs]\nfn main() {}\n--- CONTEXT FILES END ---\n";
    sandbox
        .ctx(["render", "--only", "--files-from", "-"])
        .stdin("~dir/i\n~/x\n!x\ngit:staged\na[1].txt\nsrc/*.rs\n!src/lib.rs\n~nobody/i\n")
        .stdout(block)
        .stderr("note: not found, left out: './!src/lib.rs', './~nobody/i'\n")
        .check();
}
