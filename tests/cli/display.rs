//! `show` as people see it: the bar, the tree, the table.

#[cfg(target_os = "linux")]
use crate::shells::{command, program};
#[cfg(target_os = "linux")]
use crate::strace::denied;
use crate::support::Sandbox;

#[test]
fn the_bar_is_green_then_yellow_then_red() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "word ".repeat(2000));
    sandbox.ctx(["add", "a.txt"]).stderr_any().check();
    let json = sandbox.ctx(["show", "--json"]).stdout_any().check();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let tokens = json["tokens"]["block"].as_u64().unwrap();
    for (percent, color) in [(1, 32), (49, 32), (50, 33), (89, 33), (90, 31), (100, 31)] {
        let budget = (tokens * 100 / percent).to_string();
        let full = "#".repeat(percent as usize * 18 / 100);
        sandbox
            .ctx(["--color", "always", "show", "-b", &budget])
            .stdout_has(&format!(", {percent}% of "))
            .stdout_has(&format!("[\x1b[{color}m{full}"))
            .check();
    }
}

#[test]
fn a_tree_joins_lone_directories_and_aligns_the_numbers() {
    let sandbox = Sandbox::with(&[("README.md", "read me\n"), ("src/a.rs", "fn a() {}\n")]);
    sandbox.write("docs/deep/down/guide.md", "word ".repeat(1000));
    sandbox.write("docs/deep/down/日本.md", "日\n");
    sandbox.ctx(["add", "README.md", "src/*", "docs/**"]).stderr_any().check();
    let unicode = "\
.                    1,010  [##########] 100%
├── docs/deep/down/  1,003  [#########-]  99%
│   ├── guide.md     1,001
│   └── 日本.md          2
├── src/                 4  [----------]  <1%
│   └── a.rs             4
└── README.md            3

4 files, 1,050 tokens (40 of them labels), <1% of 150,000 (75% of 200,000, no model set) [------------------]
";
    let shown = sandbox.ctx(["show", "--tree"]).stdout_any().check();
    assert_eq!(shown, unicode);
    let ascii = unicode.replace("├──", "|--").replace("└──", "`--").replace('│', "|");
    assert_eq!(sandbox.ctx(["show", "--tree"]).env("LC_ALL", "C").stdout_any().check(), ascii);
}

#[test]
fn a_block_can_have_a_tree_in_front() {
    let sandbox = Sandbox::with(&[("README.md", "read me\n"), ("src/a.rs", "fn a() {}\n")]);
    sandbox
        .ctx(["render", "--tree", "--only", "README.md", "src/**"])
        .stdout_has("README.md\nsrc/\n  a.rs\n")
        .stdout_has("[src/a.rs]\n")
        .check();
}

#[test]
#[cfg(target_os = "linux")]
fn progress_is_shown_only_on_a_terminal() {
    if denied() {
        return;
    }
    let sandbox =
        Sandbox::with(&[("1.txt", "one\n"), ("2.txt", "two\n"), ("3.txt", "three\n"), ("4.txt", "four\n")]);
    // Every file takes a second to open.
    let slow = "strace -f -qq -o trace --trace=?openat2,openat --trace-path=1.txt --trace-path=2.txt --trace-path=3.txt \
                --trace-path=4.txt --inject=?openat2,openat:delay_enter=1000000";
    let render = format!("{slow} ctx render --only '*.txt' -b none --stats --no-cache >/dev/null");
    let Some(script) = program("script") else { return };
    let shown = |line: &str| {
        let output = command(&sandbox, &script, &["-qec", line, "/dev/null"]).output().unwrap();
        assert!(sandbox.read("trace").contains("DELAYED"));
        String::from_utf8(output.stdout).unwrap()
    };
    let terminal = shown(&render);
    assert!(terminal.contains("reading: ") && terminal.contains(" of 4 files"), "{terminal}");
    for silent in [shown(&format!("{render} 2>err.txt; cat err.txt")), shown(&format!("CI=1 {render}"))] {
        assert!(!silent.contains("reading"), "{silent}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn block_longer_than_the_terminal_is_followed_by_a_note() {
    let Some(script) = program("script") else { return };
    let sandbox = Sandbox::with(&[("short.md", "word\n"), ("long.md", "")]);
    sandbox.write("long.md", "word\n".repeat(1_000));
    let shown = |line: &str| {
        let output = command(&sandbox, &script, &["-qec", line, "/dev/null"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let note = "2,018 tokens; '-o FILE' writes them to a file, '| llm' sends them to a program";
    let printed = shown("NO_COLOR=1 ctx render --only long.md");
    assert!(printed.trim_end().ends_with(&format!("note: {note}")), "{printed}");
    for silent in [
        "render --only short.md",
        "render --only long.md | cat",
        "render --only long.md -o out",
        "-q render --only long.md",
    ] {
        let printed = shown(&format!("NO_COLOR=1 ctx {silent}"));
        assert!(!printed.contains("tokens"), "{silent}: {printed}");
    }
}

#[test]
fn a_table_has_a_row_for_each_of_thousands_of_files() {
    let sandbox = Sandbox::new();
    for number in 0..3000 {
        sandbox.write(&format!("src/{}/{number}.rs", number % 50), "fn f() {}\n");
    }
    sandbox.ctx(["add", "src/**"]).stderr_any().check();
    let table = sandbox.ctx(["show", "--expand"]).stdout_has("\n3,000 files, ").check();
    assert_eq!(table.lines().filter(|row| row.contains(".rs ")).count(), 3000);
    let header: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(header, ["path", "entry", "tokens", "share", "status"]);
}
