//! Files that are not text, read through the user's own programs: the real `pdftotext` and `pandoc`, and scripts for what
//! those never do.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::shells::program;
use crate::support::{Sandbox, root};

/// Three papers about other things, of which one has the answer.
const PAPERS: [(&str, [&str; 3]); 3] = [
    ("tides.pdf", ["On tides", "The spring tide follows the full moon.", "Harbours wait for the flood."]),
    ("bees.pdf", ["On bees", "A swarm leaves the hive when the queen is old.", "Its scouts dance to vote."]),
    ("glass.pdf", ["On glass", "Soda lowers the melting point of sand.", "Lime makes the glass durable."]),
];

/// A PDF file of one page with these lines.
fn pdf(lines: &[&str]) -> Vec<u8> {
    let text: String = lines.iter().map(|line| format!("({line}) Tj T* ")).collect();
    let stream = format!("BT /F1 12 Tf 14 TL 50 700 Td {text}ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R \
         /Resources << /Font << /F1 3 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut table = "0000000000 65535 f \n".to_owned();
    for (number, object) in (1..).zip(&objects) {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let (count, start) = (objects.len() + 1, file.len());
    file += &format!("xref\n0 {count}\n{table}trailer << /Size {count} /Root 1 0 R >>\n");
    (file + &format!("startxref\n{start}\n%%EOF\n")).into_bytes()
}

fn papers() -> Sandbox {
    let sandbox = Sandbox::new();
    PAPERS.iter().for_each(|(name, lines)| sandbox.write(name, pdf(lines)));
    sandbox
}

fn set(sandbox: &Sandbox, reader: &str) {
    sandbox.ctx(["profile", "-g", "--set", reader]).stderr_any().check();
}

/// A program in the home directory, as the reader of files named `.blob`. It counts how often it runs.
fn with_reader(body: &str) -> Sandbox {
    let sandbox = Sandbox::with(&[("a.blob", "\0one"), ("b.BLOB", "\0two"), ("c.txt", "three\n")]);
    let path = script(&sandbox, "reads", body);
    set(&sandbox, &format!("reader.blob={path} {{}}"));
    sandbox
}

fn script(sandbox: &Sandbox, name: &str, body: &str) -> String {
    let path = sandbox.home().join(name);
    let body = format!("#!/bin/sh\necho >> '{}/runs'\n{body}\n", sandbox.home().display());
    fs::write(&path, body).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn runs(sandbox: &Sandbox) -> usize {
    fs::read_to_string(sandbox.home().join("runs")).unwrap_or_default().lines().count()
}

#[test]
fn question_is_answered_from_a_knowledge_base_of_pdf_files() {
    let Some(_) = program("pdftotext") else { return };
    let sandbox = papers();
    let question = ["ask", "when does a swarm leave the hive?", "-b", "75"];
    let hint = "hint: to read .pdf: ctx profile -g --set 'reader.pdf=pdftotext {} -'\n";
    sandbox.ctx(question).code(1).stderr_has("nothing to search in").stderr_has(hint).check();
    let searched = sandbox.ctx(["search", "melting point of sand"]).code(1);
    searched.stderr(format!("error: no match for 'melting point of sand'\n{hint}")).check();
    set(&sandbox, "reader.pdf=pdftotext {} -");
    let answer = sandbox.ctx(question).stdout_has("A swarm leaves the hive when the queen is old.\n");
    answer.stdout_lacks("spring tide").stdout_lacks("\u{c}").stderr_any().check();
    sandbox.ctx(["search", "melting point of sand"]).stdout_has("glass.pdf:2 ").check();
    sandbox.ctx(["render", "tides.pdf:2-2"]).stdout_has("[tides.pdf:2]\nThe spring tide").check();
}

#[test]
fn text_of_a_file_without_a_reader_may_be_piped_under_its_name() {
    let sandbox = papers();
    let hint = "hint: pdftotext bees.pdf - | ctx ask QUESTION - --stdin-name bees.pdf\n";
    if program("pdftotext").is_some() {
        sandbox.ctx(["ask", "when does a swarm leave?", "bees.pdf"]).code(1).stderr_has(hint).check();
    }
    let asked = ["ask", "when does a swarm leave?", "-", "--stdin-name", "bees.pdf"];
    let answer = sandbox.ctx(asked).stdin(PAPERS[1].1.join("\n"));
    answer.stdout_has("[bees.pdf]\nOn bees\n").stderr_has("not read: 2 .pdf files").check();
    sandbox.ctx(["add", "-q", "--force", "bees.pdf"]).stderr_any().check();
    let listed = sandbox.ctx(asked).stdin("On bees\n").stdout_has("[bees.pdf]\nOn bees\n");
    listed.stderr_lacks("'bees.pdf'").stderr_any().check();
    let typed =
        sandbox.ctx(["render", "bees.pdf", "-", "--stdin-name", "bees.pdf"]).stdin("On bees\n").code(2);
    typed.stderr_has("the label 'bees.pdf' is also the label of a file").check();
}

#[test]
fn word_file_is_read_with_pandoc() {
    let (Some(pandoc), sandbox) =
        (program("pandoc"), Sandbox::with(&[("a.md", "# Rules\n\nWash *hands*.\n")]))
    else {
        return;
    };
    let made = Command::new(pandoc).args(["a.md", "-o", "a.docx"]).current_dir(sandbox.project()).status();
    assert!(made.unwrap().success());
    set(&sandbox, "reader.docx=pandoc --sandbox -t plain {}");
    sandbox.ctx(["render", "a.docx"]).stdout_has("[a.docx]\nRules\n\nWash hands.\n").check();
}

#[test]
fn reader_runs_only_for_output_and_once_for_the_same_contents() {
    let sandbox = with_reader("cat \"$1\" | tr -d '\\0'; echo; pwd; echo \"$CTX_DEPTH\"; wc -c");
    let not_read = "note: 2 files not read: 'a.blob', 'b.BLOB'; 'ctx render' runs their readers\n";
    for arguments in [&["show", "*"][..], &["render", "--dry-run", "*"], &["explain", "a.blob"], &["check"]] {
        sandbox.ctx(arguments).stdout_any().stderr_any().check();
    }
    sandbox.ctx(["render", "--dry-run", "*"]).stdout_any().stderr(not_read).check();
    sandbox.ctx(["show", "a.blob"]).stdout_any().stderr_has("1 file not read: 'a.blob'").check();
    assert_eq!(runs(&sandbox), 0);
    let printed = sandbox.ctx(["render", "*"]).stdout_has("[a.blob]\none\n").check();
    assert!(printed.contains("[b.BLOB]\ntwo\n") && printed.contains("\n1\n0\n"), "{printed}");
    assert!(!printed.contains(sandbox.project().to_str().unwrap()), "{printed}");
    assert_eq!(runs(&sandbox), 2);
    sandbox.ctx(["render", "*"]).stdout(printed).check();
    sandbox.ctx(["ask", "what is two?"]).stdout_has("two\n").stderr_any().check();
    sandbox.ctx(["show", "a.blob"]).stdout_has("1 match").check();
    assert_eq!(runs(&sandbox), 2);
    sandbox.write("c.blob", "\0one");
    sandbox.ctx(["render", "c.blob"]).stdout_has("[c.blob]\none\n").check();
    assert_eq!(runs(&sandbox), 2);
    sandbox.write("a.blob", "\0other");
    sandbox.ctx(["render", "a.blob"]).stdout_has("other").check();
    assert_eq!(runs(&sandbox), 3);
    sandbox.ctx(["render", "a.blob", "--no-cache"]).stdout_has("other").check();
    assert_eq!(runs(&sandbox), 4);
}

#[test]
fn another_version_of_a_reader_reads_again() {
    let sandbox = with_reader("echo old");
    sandbox.ctx(["render", "a.blob"]).stdout_has("old\n").check();
    script(&sandbox, "reads", "echo renewed");
    sandbox.ctx(["show", "a.blob"]).stdout_any().stderr_has("1 file not read: 'a.blob'").check();
    sandbox.ctx(["render", "a.blob"]).stdout_has("renewed\n").check();
}

#[test]
fn extension_written_in_capitals_by_hand_is_the_same() {
    let sandbox = with_reader("echo read");
    let list = sandbox.stored("global.json").replace("\"blob\"", "\"BLOB\"");
    sandbox.write_store("global.json", list);
    sandbox.ctx(["render", "b.BLOB"]).stdout_has("read\n").check();
    sandbox.ctx(["profile", "-g", "--unset", "reader.BLOB"]).stderr_any().check();
    assert!(!sandbox.stored("global.json").contains("reads"));
}

#[test]
fn text_from_a_reader_is_made_safe_and_text_needs_none() {
    let sandbox = with_reader("echo \"key ghp_$(printf 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8')\"");
    sandbox.write("text.blob", "plain text\n");
    sandbox.write("paper.pdf", "not a PDF file\n");
    let printed =
        sandbox.ctx(["render", "*"]).stdout_any().stderr_has("2 secrets redacted in 2 files").check();
    assert!(!printed.contains("ghp_a1B2") && printed.contains("[text.blob]\nplain text\n"), "{printed}");
}

#[test]
fn file_that_a_reader_cannot_read_is_skipped() {
    let sandbox = with_reader("echo part; echo broken header >&2; exit 3");
    let warning = "not read: exit 3: broken header";
    sandbox.ctx(["render", "*"]).stdout_lacks("part").stderr_has(warning).check();
    sandbox.ctx(["render", "a.blob"]).code(1).stderr_has(warning).check();
    let blank = with_reader("echo");
    blank.ctx(["render", "*"]).stdout_has("[c.txt]").check();
    blank.ctx(["render", "a.blob"]).code(1).stderr("error: 'a.blob': its reader prints no text\n").check();
    let before = runs(&blank);
    blank.ctx(["render", "*"]).stdout_has("[c.txt]").check();
    assert_eq!(runs(&blank), before);
}

#[test]
fn only_some_files_are_read_at_once_and_the_next_command_goes_on() {
    let sandbox = with_reader("cat \"$1\" | tr -d '\\0'");
    for number in 0..120 {
        sandbox.write(&format!("many/{number}.blob"), format!("\0number {number}\n"));
    }
    let later = "20 files left for the next command, since reading takes long: ";
    sandbox.ctx(["render", "many/*"]).stdout_any().stderr_has(&format!("warning: {later}")).check();
    assert_eq!(runs(&sandbox), 100);
    let all = sandbox.ctx(["render", "many/*"]).stdout_any().check();
    assert_eq!((runs(&sandbox), all.matches("number ").count()), (120, 120));
}

#[test]
fn files_whose_reader_fails_leave_their_places_to_others() {
    let sandbox = with_reader("grep -aq good \"$1\" && echo good");
    for number in 0..110 {
        sandbox.write(&format!("many/{number}.blob"), "\0bad\n");
    }
    fs::remove_file(sandbox.path("c.txt")).unwrap();
    sandbox.ctx(["ask", "what is good?"]).code(1).stderr_has("': 'a.blob': not read: exit 1\n").check();
    sandbox.write("many/z.blob", "\0good\n");
    sandbox.ctx(["render", "--only", "many/*"]).stdout_has("[many/z.blob]").stderr_any().check();
}

#[test]
fn others_choose_no_reader_and_run_none() {
    let sandbox = with_reader("echo read");
    let reader = r#"{"paths": [], "readers": {"txt": "cat {}", "blob": "touch ../made {}"}}"#;
    sandbox.write(".ctx/global.json", reader);
    sandbox.write(".ctx/profiles/default.json", reader);
    sandbox.write("default.blob", "\0");
    sandbox
        .ctx(["render", "default.blob"])
        .stdout_has("[default.blob]\nread\n")
        .stderr_has("a project's files may not set 'reader.blob', 'reader.txt'; not used")
        .check();
    assert!(!sandbox.path("../made").exists());
    sandbox
        .ctx(["profile", "--set", "reader.blob=cat {}"])
        .code(2)
        .stderr_has("can be set only for all profiles")
        .check();
    let exported = sandbox.ctx(["export", "--no-project", "--all"]).stdout_any().stderr_any().check();
    assert!(!exported.contains("reader"), "{exported}");
    let bundle =
        r#"{"version": 1, "global": {"paths": [], "readers": {"blob": "touch ../made {}"}}, "profiles": {}}"#;
    sandbox.write("bundle.json", bundle);
    sandbox
        .ctx(["import", "--no-project", "--merge", "bundle.json"])
        .stderr_has("'reader.blob', which only you can set")
        .check();
    assert!(sandbox.stored("global.json").contains("/reads {}"));
}

#[test]
fn program_in_the_tree_reads_nothing() {
    let sandbox = with_reader("echo read");
    let own = script(&sandbox, "own", "echo own");
    fs::create_dir(sandbox.path("bin")).unwrap();
    for name in ["blobs", "cat"] {
        std::os::unix::fs::symlink("/bin/cat", sandbox.path(&format!("bin/{name}"))).unwrap();
        fs::copy(&own, sandbox.path(&format!("bin/{name}2"))).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
    set(&sandbox, "reader.blob=blobs2 {}");
    sandbox
        .ctx(["render", "a.blob"])
        .env("PATH", &path)
        .code(1)
        .stderr_has("program 'blobs2' not found")
        .check();
    set(&sandbox, &format!("reader.blob={} {{}}", sandbox.path("bin/cat2").display()));
    sandbox.ctx(["render", "a.blob"]).code(1).stderr_has("cat2' is in this directory tree").check();
    assert_eq!(runs(&sandbox), 0);
}

#[test]
fn reader_that_makes_no_sense_is_refused() {
    let sandbox = Sandbox::new();
    for (value, error) in [
        ("reader.md=cat {}", "are text, which needs no reader"),
        ("reader.txt=cat {}", "are text, which needs no reader"),
        ("reader.pdf=pdftotext", "has no {} for the file's path"),
        ("reader.pdf={}", "has no {} for the file's path"),
        ("reader.pdf=./pdftotext {}", "depends on the current directory"),
        ("reader.pdf=", "names no command"),
        // A file's name would be run.
        ("reader.pdf=sh -c 'pdftotext {} -'", "write sh -c 'PROGRAM \"$1\"' sh {}"),
        ("reader.=cat {}", "is not an extension"),
        ("reader.tar.gz=cat {}", "is not an extension"),
    ] {
        sandbox.ctx(["profile", "-g", "--set", value]).code(2).stderr_has(error).check();
    }
    set(&sandbox, "reader.bin=sh -c 'strings \"$1\"' sh {}");
    sandbox.ctx(["profile", "-g", "--unset", "reader.bin"]).stderr_any().check();
    set(&sandbox, "reader.PDF=pdftotext {} -");
    sandbox.ctx(["profile", "-g"]).stdout("reader.pdf=pdftotext {} -\n").check();
    sandbox.ctx(["profile", "-g", "--unset", "reader.pdf"]).stderr_has("Unset reader.pdf").check();
    sandbox.ctx(["profile", "-g"]).stderr_has("all profiles share no settings yet").check();
    sandbox.write_store("global.json", r#"{"paths": [], "readers": {"pdf": "pdftotext"}}"#);
    sandbox.ctx(["render"]).code(2).stderr_has("--unset reader.pdf' removes it").check();
}

#[test]
fn readers_in_the_documentation_are_accepted() {
    let sandbox = Sandbox::new();
    let page = fs::read_to_string(root().join("docs/papers.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with('|')).filter_map(|row| row.split('`').nth(1));
    let mut readers: Vec<&str> = rows.collect();
    assert_eq!(readers.len(), 7);
    readers.iter().for_each(|reader| set(&sandbox, reader));
    readers.sort_unstable();
    sandbox.ctx(["profile", "-g"]).stdout(readers.join("\n") + "\n").check();
}
