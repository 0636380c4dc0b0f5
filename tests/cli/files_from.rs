//! Paths from a list.

use crate::support::{Sandbox, block};

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
#[cfg(target_os = "linux")]
fn a_listed_name_that_is_not_utf8_is_accepted() {
    use std::os::unix::ffi::OsStrExt;

    let sandbox = two_files();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
    std::fs::write(sandbox.project().join(name), "text\n").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", sandbox.project().join(std::ffi::OsStr::from_bytes(b"l\xe9")))
        .unwrap();
    let block = "--- CONTEXT FILES BEGIN ---\n[caf\\xE9.txt]\ntext\n\n[docs/guide.md]\nguide\n--- CONTEXT FILES END ---\n";
    let list = b"caf\xe9.txt\0./caf\xe9.txt\0docs/..//caf\xe9.txt\0docs/guide.md\0";
    for more in [&["--strict"][..], &["--strict", "*.txt"]] {
        let args = ["render", "--only", "--files-from", "-", "-0"].iter().chain(more);
        sandbox.ctx(args).stdin(&list[..]).stdout(block).check();
    }
    let lines = ["render", "--only", "--files-from", "-", "--strict"];
    sandbox.ctx(lines).stdin(&b"caf\xe9.txt\r\ndocs/guide.md\n"[..]).stdout(block).check();
    let filtered =
        ["render", "--only", "src/main.rs", "--include", "*.rs", "--files-from", "-", "-0", "--strict"];
    sandbox.ctx(filtered).stdin(&b"caf\xe9.txt\0"[..]).stdout_has("[src/main.rs]\n").check();
    sandbox
        .ctx(["render", "--only", "--files-from", "-", "-0", "--dry-run", "--json"])
        .stdin(&b"caf\xe9.txt\0l\xe9\0gone\xff\0"[..])
        .stdout_has("\"path\": \"caf\\\\xE9.txt\"")
        .stderr("warning: listed but not found: 'gone\\xFF'\nwarning: 1 file left out: 'l\\xE9' (link leads outside this directory tree)\n")
        .check();
}

#[test]
fn a_listed_path_that_is_not_found_is_a_warning() {
    let sandbox = two_files();
    let list = "gone.md\nno/*.rs\ndocs/guide.md\n";
    let warning = "listed but not found: 'gone.md', 'no/*.rs' (0 matches)\n";
    let args = ["render", "--only", "--files-from", "-"];
    sandbox.ctx(args).stdin(list).stdout_has("guide").stderr(format!("warning: {warning}")).check();
    let strict = args.iter().chain(&["--strict"]);
    sandbox.ctx(strict).stdin(list).code(3).stderr_has(&format!("error: {warning}")).check();
}

#[test]
#[cfg_attr(windows, ignore = "Windows takes its names for something else")]
fn a_path_that_ends_in_nul_is_literal_byte_for_byte() {
    let sandbox =
        Sandbox::with(&[("a.txt", "a\n"), ("~/x", "tilde\n"), ("!x", "bang\n"), ("cmd:x", "kind\n")]);
    sandbox
        .ctx(["render", "--only", "--files-from", "-", "-0"])
        .stdin("~/x\0!x\0cmd:x\0*.txt\0a.txt\0")
        .stdout("--- CONTEXT FILES BEGIN ---\n[./~/x]\ntilde\n\n[!x]\nbang\n\n[./cmd:x]\nkind\n\n[a.txt]\na\n--- CONTEXT FILES END ---\n")
        .stderr("warning: listed but not found: '*.txt'\n")
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "Windows takes its names for something else")]
fn a_listed_name_of_an_existing_file_is_literal() {
    let sandbox = Sandbox::with(&[
        ("~dir/i", "tilde\n"),
        ("~/x", "a directory of that name\n"),
        ("!x", "bang\n"),
        ("git:staged", "no kind\n"),
        ("a[1].txt", "brackets\n"),
        ("src/main.rs", "fn main() {}\n"),
        ("src/lib.rs", "lib\n"),
    ]);
    let block = "--- CONTEXT FILES BEGIN ---\n[./~dir/i]\ntilde\n\n[./~/x]\na directory of that name\n\n[!x]\nbang\n\n[./git:staged]\nno kind\n\n[a[1].txt]\nbrackets\n\n[src/lib.rs]\nlib\n\n[src/main.rs]\nfn main() {}\n--- CONTEXT FILES END ---\n";
    sandbox
        .ctx(["render", "--only", "--files-from", "-"])
        .stdin("~dir/i\n~/x\n!x\ngit:staged\na[1].txt\nsrc/*.rs\n!src/lib.rs\n~nobody/i\n")
        .stdout(block)
        .stderr("warning: listed but not found: './!src/lib.rs', './~nobody/i'\n")
        .check();
}

#[test]
fn lists_and_rules_may_have_windows_line_endings() {
    let sandbox = Sandbox::with(&[
        ("a.txt", "a\n"),
        ("b.txt", "b\n"),
        ("c.log", "c\n"),
        (".ctxignore", "*.log\r\nb.txt\r\n"),
        ("list", "a.txt\r\nb.txt\r\n"),
    ]);
    let note = "note: 2 files left out by .ctxignore; --allow ignored includes them\n";
    let expected = block("[a.txt]\na\n\n[list]\na.txt\r\nb.txt\r\n");
    sandbox.ctx(["render", "--only", "*"]).stdout(expected).stderr(note).check();
    sandbox
        .ctx(["render", "--only", "--files-from", "list"])
        .stdout(block("[a.txt]\na\n\n[b.txt]\nb\n"))
        .check();
    sandbox.write_store("profiles/default.json", "{\r\n  \"paths\": [\"a.txt\"]\r\n}\r\n");
    sandbox.ctx(["render"]).stdout(block("[a.txt]\na\n")).check();
}

#[test]
#[cfg_attr(windows, ignore = "Windows does not allow these names")]
fn names_that_git_quotes_are_read() {
    let files = [("café.md", "c\n"), ("q\"uote\\.md", "q\n"), ("\"both\".md", "b\n"), ("a.md", "a\n")];
    let sandbox = Sandbox::with(&files);
    let list = "\"caf\\303\\251.md\"\n\"q\\\"uote\\\\.md\"\n\"both\".md\na.md\n";
    let expected = block("[café.md]\nc\n\n[q\"uote\\.md]\nq\n\n[\"both\".md]\nb\n\n[a.md]\na\n");
    sandbox.ctx(["render", "--only", "--files-from", "-"]).stdin(list).stdout(expected).check();
    let gone = "warning: listed but not found: '\"gone.md\"'\n";
    sandbox.ctx(["render", "--only", "--files-from", "-"]).stdin("\"gone.md\"\n").stderr_has(gone).check();
}

#[test]
fn list_may_begin_with_a_byte_order_mark() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("é.md", "e\n")]);
    let expected = block("[a.md]\na\n\n[é.md]\ne\n");
    let utf16 = |to_bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}a.md\r\né.md\r\n".encode_utf16().flat_map(to_bytes).collect()
    };
    for list in ["\u{feff}a.md\né.md\n".as_bytes().to_vec(), utf16(u16::to_le_bytes), utf16(u16::to_be_bytes)]
    {
        sandbox.ctx(["render", "--only", "--files-from", "-"]).stdin(list).stdout(expected.clone()).check();
    }
}

#[test]
#[cfg_attr(windows, ignore = "it needs names that are bytes")]
fn list_may_be_in_the_encoding_of_another_system() {
    let sandbox = Sandbox::with(&[("新しいフォルダー.md", "n\n"), ("a.md", "a\n")]);
    let (list, _, _) = encoding_rs::SHIFT_JIS.encode("a.md\r\n新しいフォルダー.md\r\n");
    let expected = block("[a.md]\na\n\n[新しいフォルダー.md]\nn\n");
    let render = ["render", "--only", "--files-from", "-"];
    sandbox.ctx(render).stdin(list.into_owned()).stdout(expected).check();
}

#[test]
fn list_separated_by_nul_may_begin_with_a_mark() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    let listed = sandbox.ctx(["render", "--only", "-0", "--files-from", "-"]).stdin("\u{feff}a.md\0b.md\0");
    listed.stdout_has("[a.md]\na\n\n[b.md]\n").check();
}
