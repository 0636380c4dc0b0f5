//! Malicious input: damaged stores, special files, endless patterns and names.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;

use crate::support::Sandbox;

const TAGS: &str =
    "line 2, column 25: invalid value: string \"x\", expected \"tags\" to be a list of strings";
const PIN: &str = "line 2, column 8: invalid value: integer `1`, expected \"pin\" to be true or false";

/// A file of the store, its contents, and the position of the error.
const DAMAGE: &[(&str, &str, &str)] = &[
    ("profiles/default.json", "", "line 1, column 1: "),
    ("profiles/default.json", "{", "line 1, column 1: "),
    ("profiles/default.json", "{\n  \"paths\": [\n    \"a\",\n", "line 4, column 1: "),
    ("profiles/default.json", "[]", "line 1, column 1: "),
    ("profiles/default.json", "null", "line 1, column 4"),
    ("profiles/default.json", "{\"paths\": [1]}", "line 1, column 12: "),
    ("profiles/default.json", "{\"paths\": {}}", "line 1, column 10: "),
    ("profiles/default.json", "{\"paths\": [\"a\\u0000b\"]}", "line 1, column 21: "),
    (
        "profiles/default.json",
        "{\"budget\": 5}",
        "line 1, column 12: invalid type: integer `5`, expected \"budget\"",
    ),
    ("profiles/default.json", "{} {}", "line 1, column 4"),
    ("global.json", "{\"paths\": [], \"paths\": []}", "line 1, column 21: "),
    ("global.json", "{\"paths\": [\"a\"}", "line 1, column 15"),
    ("global.json", "{\"paths\": [{\"pin\": true}]}", "line 1, column 24: "),
    ("state.json", "{\n \"k\": 1,\n \"profile\": \"../x\"\n}", "line 3, column 18: Profile name must"),
    ("state.json", "{\n \"k\": 1,\n \"profile\": 7}", "line 3, column 13: invalid type: integer `7`"),
    ("profiles/default.json", "{\"paths\": [\n1\n]}", "line 2, column 1: invalid type: integer `1`"),
    ("profiles/default.json", "{\"paths\": [\n{\"path\": \"a\", \"tags\": \"x\"}\n]}", TAGS),
    ("global.json", "{\"paths\": [{\"path\": \"a\",\n\"pin\": 1}]}", PIN),
];

#[test]
fn a_damaged_store_fails_with_exit_4_and_the_position_and_stays_unchanged() {
    for (file, text, place) in DAMAGE {
        let sandbox = Sandbox::new();
        sandbox.write_store(file, text);
        for args in [
            &["show"][..],
            &["render"],
            &["add", "-f", "x"],
            &["add", "-g", "-f", "x"],
            &["clear", "--global"],
        ] {
            let needs = match (*file, args[1..].contains(&"-g") || args[1..].contains(&"--global")) {
                ("global.json", is_global) => is_global || args[0] != "add",
                ("state.json", true) => false,
                (_, is_global) => !is_global,
            };
            if needs {
                let run = sandbox.ctx(args).code(4).stderr_has("is damaged: ").stderr_has(place);
                run.stderr_has(&format!("<store>/{file}")).check();
            }
            assert_eq!(sandbox.stored(file), *text, "{args:?}");
        }
    }
}

#[test]
fn a_store_file_that_is_not_utf8_too_large_or_a_directory_fails_with_exit_4() {
    let sandbox = Sandbox::new();
    sandbox.write_store("global.json", b"{\"paths\": [\"\xff\"]}");
    sandbox.ctx(["show"]).code(4).stderr_has("line 1, column ").check();
    sandbox.write_store("global.json", vec![b' '; (1 << 20) + 1]);
    sandbox.ctx(["show"]).code(4).stderr_has("is larger than 1048576 bytes").check();
    fs::remove_file(sandbox.store().join("global.json")).unwrap();
    sandbox.write_store("global.json/x", "");
    sandbox.ctx(["show"]).code(4).stderr_has("is not a regular file").check();
}

#[test]
fn a_locked_store_can_be_read_and_changing_it_fails_with_exit_5() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["add", "-f", "one"]).stderr_any().check();
    let before = sandbox.stored("profiles/default.json");
    let lock = File::open(sandbox.store().join("store.lock")).unwrap();
    lock.lock().unwrap();
    sandbox.ctx(["show"]).stdout_has("one (missing)").check();
    sandbox.ctx(["add", "-f", "two"]).code(5).stderr_has("error: store is busy").stderr_has("hint: ").check();
    assert_eq!(sandbox.stored("profiles/default.json"), before);
}

#[test]
fn excessive_patterns_are_refused_or_matched_in_linear_time() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    let refused = [
        "{".repeat(20_000),
        "a".repeat(5_000),
        "[".repeat(4_000),
        "*/".repeat(200) + "x",
        "{a,b}".repeat(11),
        "{{a,b},{c,d}}".repeat(8),
        "{a,".repeat(200) + &"}".repeat(200),
    ];
    for pattern in refused {
        for args in [&["add", "-f", &pattern][..], &["render", "--include", &pattern]] {
            // The reason comes at the end of the message.
            sandbox.ctx(args).code(2).stderr_has("nvalid pa").stderr_short().check();
        }
    }
    for pattern in ["**/".repeat(60) + "*", "*a".repeat(2_000) + "*", "**/**/**/**".to_owned()] {
        sandbox.write("list", format!("a.txt\n{pattern}\n"));
        sandbox.ctx(["render", "--only", "--files-from", "list"]).stdout_has("[a.txt]").stderr_any().check();
    }
}

/// The work of reading a line may grow with its length, and not with its length times what is in it.
#[test]
fn a_line_of_many_matches_is_read_once() {
    for (name, part) in [
        ("z.txt", "zebra,"),
        ("z.js", "zebra(zebra);"),
        ("z.json", "{\"zebra\":1},"),
        ("z.css", "zebra{}"),
        ("z.c", "import zebra;"),
        ("z.rs", "mod zebra {"),
        ("z.md", "# zebra\n"),
        ("z2.md", "# [zebra]("),
    ] {
        let sandbox = Sandbox::with(&[(name, &part.repeat(400_000 / part.len()))]);
        sandbox.ctx(["search", "zebra"]).stdout_has(&format!("{name}:1")).stderr_any().check();
        let dry = sandbox.ctx(["ask", "--dry-run", "-b", "900000000", "zebra"]);
        dry.stdout_has(name).stderr_any().check();
    }
}

/// The lines of a file are counted once for all passages in it.
#[test]
fn uses_of_a_name_on_very_many_lines_are_listed() {
    let uses = "    wobble(one_argument, another_argument);\n".repeat(60_000);
    let sandbox = Sandbox::with(&[("a.rs", &format!("fn wobble() {{}}\nfn main() {{\n{uses}}}\n"))]);
    let found = sandbox.ctx(["search", "wobble", "-n", "100000"]).stderr_any().stdout_any().check();
    let last = "a.rs:60002 wobble(one_argument, another_argument);\n";
    assert!(found.lines().count() > 60_000 && found.ends_with(last), "{}", &found[..200]);
}

/// Each declaration of a name is read by itself, which takes as long as there are many.
#[test]
fn a_name_of_very_many_declarations_is_refused() {
    let sandbox = Sandbox::with(&[("s.md", &"# Same\n\ntext\n\n".repeat(20_000))]);
    let told = "more than 200 of its declarations are called 'same'";
    sandbox.ctx(["render", "s.md#same"]).code(1).stderr_has(told).check();
    sandbox.ctx(["ask", "what of @s.md#same is text?"]).stdout_any().stderr_has(told).check();
}

/// A tree with more levels than a pattern may have components.
const DEEP: usize = 130;

#[test]
fn an_exclusion_in_a_deep_directory_excludes_nothing_else() {
    let sandbox = Sandbox::new();
    let deep = "d/".repeat(DEEP) + "x.md";
    for depth in [0, 1, 2, 3, DEEP - 1, DEEP] {
        sandbox.write(&("d/".repeat(depth) + "x.md"), "x\n");
    }
    let out = format!("!{deep}");
    let mut run = sandbox.ctx(["render", "--only", "**/*.md", &out]).stdout_lacks(&deep);
    for depth in [0, 1, 2, 3, DEEP - 1] {
        run = run.stdout_has(&format!("[{}x.md]\n", "d/".repeat(depth)));
    }
    run.check();
    let here = format!("{}*.md", "d/".repeat(DEEP));
    sandbox.ctx(["render", "--only", &here]).stdout_has(&deep).check();
    let above = format!("!{}**/x.md", "d/".repeat(DEEP - 1));
    sandbox.ctx(["add", "-q", "-f", "d/d/x*", &here, &above]).check();
    sandbox.ctx(["render"]).stdout_has("[d/d/x.md]\n").stdout_lacks(&deep).stderr_any().check();
}

#[test]
fn a_long_pattern_in_a_deep_directory_matches_the_same_with_and_without_others() {
    let sandbox = Sandbox::new();
    let deep = "d/".repeat(DEEP - 1) + "y";
    sandbox.write(&deep, "y\n");
    sandbox.write("d/x", "x\n");
    let long = "d/".repeat(20) + &"*/".repeat(DEEP - 21) + "*";
    let block = format!("--- CONTEXT FILES BEGIN ---\n[{deep}]\ny\n--- CONTEXT FILES END ---\n");
    sandbox.ctx(["render", "--only", &long]).stdout(&*block).check();
    sandbox.write("list", format!("**/*.none\n{long}\n"));
    sandbox.ctx(["render", "--only", "--files-from", "list"]).stdout(block).stderr_any().check();
}

#[test]
fn special_files_never_block_a_command() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox.socket("socket");
    sandbox.fifo("fifo");
    let special =
        ["fifo", "socket", "/dev/zero", "/dev/tty", "/proc/self/environ", "/proc/kmsg", "/sys/kernel/notes"];
    for path in special.into_iter().filter(|path| sandbox.path(path).symlink_metadata().is_ok()) {
        sandbox
            .ctx(["render", "--only", "a.txt", path])
            .code(1)
            .stderr_has(&format!("error: '{path}': "))
            .check();
        let list = serde_json::json!({ "paths": ["a.txt", path] });
        sandbox.write_store("profiles/default.json", list.to_string());
        sandbox
            .ctx(["render"])
            .stdout("--- CONTEXT FILES BEGIN ---\n[a.txt]\na\n--- CONTEXT FILES END ---\n")
            .stderr_has("warning: 1 file left out: ")
            .check();
        sandbox.ctx(["render", "--strict"]).code(3).stderr_has(path).check();
    }
    sandbox.ctx(["render", "--only", "*"]).stdout_has("[a.txt]").stderr_any().check();
    fs::remove_file(sandbox.path("fifo")).unwrap();
}

#[test]
fn an_unsafe_ignore_file_excludes_its_directory() {
    let hostile: [(Vec<u8>, &str); 4] = [
        ("{".repeat(300).into_bytes(), "'in/.ignore:1' has over 64 '{'"),
        ([b"#\n".to_vec(), vec![b'a'; 4097]].concat(), "'in/.ignore:2' is over 4,096 bytes"),
        (b"a\n".repeat(600_000), "'in/.ignore' is over 1 MiB"),
        ("{".repeat(15_000).into_bytes(), "'in/.ignore:1' is over 4,096 bytes"),
    ];
    for (rules, why) in hostile {
        let sandbox = Sandbox::with(&[("in/secret.txt", "hidden\n"), ("a.txt", "a\n")]);
        sandbox.write("in/.ignore", rules);
        sandbox
            .ctx(["render", "--only", "**/*.txt"])
            .stdout("--- CONTEXT FILES BEGIN ---\n[a.txt]\na\n--- CONTEXT FILES END ---\n")
            .stderr(format!("warning: left out: 'in' (ignore file cannot be read safely: {why})\n"))
            .check();
        sandbox.ctx(["render", "--only", "--strict", "**/*.txt"]).code(3).stderr_has("'in'").check();
    }
    let sandbox = Sandbox::with(&[("in/secret.txt", "hidden\n"), ("a.txt", "a\n")]);
    sandbox.fifo("in/.gitignore");
    sandbox
        .ctx(["render", "--only", "**/*.txt"])
        .stdout_lacks("hidden")
        .stderr_has("'in' (ignore file cannot be read safely: 'in/.gitignore' is not a regular file)")
        .check();
}

#[test]
fn ignore_file_with_too_many_rules_for_a_tree_ends_the_search_with_an_error() {
    let sandbox = Sandbox::new();
    let name = "a".repeat(200);
    let rules: String = (0..2_000).map(|n| format!("*{}{n}*\n", &name[..100])).collect();
    sandbox.write("docs/.ctxignore", rules);
    for file in 0..60 {
        sandbox.write(&format!("docs/{}/{name}{file}.md", file % 6), "x\n");
    }
    sandbox
        .ctx(["render", "--only", "**"])
        .code(1)
        .stderr("error: applying the ignore file '<project>/docs/.ctxignore' takes too long\n")
        .check();
}

#[test]
fn arguments_that_are_not_utf8_are_wrong_usage() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    let bytes = OsStr::from_bytes(b"a\xff");
    let before: [&[&str]; 6] =
        [&["add"], &["rm"], &["render", "-p"], &["--profile"], &["switch"], &["render", "-b"]];
    for args in before {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).chain([bytes]).collect();
        sandbox.ctx(args).code(2).stderr_has("is not UTF-8").check();
    }
}

#[test]
fn invalid_environment_variables_are_reported() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox.ctx(["show"]).env("CTX_PROFILE", "../x").code(2).stderr_has("Profile name must start").check();
    sandbox
        .ctx(["show"])
        .env("CTX_PROFILE", "gone")
        .code(1)
        .stderr_has("Available profiles: default")
        .check();
    sandbox.ctx(["profile"]).env("CTX_PROFILE", "../x").stdout("* default\n").check();
    sandbox.ctx(["profile", "--current"]).env("CTX_PROFILE", "gone").stdout("gone?\n").check();
    sandbox
        .ctx(["render", "a.txt"])
        .env("CTX_MODEL", "gpt-nonsense")
        .code(2)
        .stderr_has("gpt-nonsense")
        .check();
    sandbox.ctx(["show"]).env("CTX_HOME", "/dev/null/store").code(1).stderr_has("/dev/null/store").check();
    sandbox.ctx(["show"]).env("CTX_HOME", "a.txt").code(1).stderr_has("a.txt").check();
}

#[test]
fn a_damaged_models_file_is_named_in_the_error() {
    for models in ["", "{", "[]", "{\"models\": 7}", "{\"models\": {\"m\": {\"window\": -1}}}", "\u{0}"] {
        let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
        sandbox.write_store("models.json", models);
        sandbox.ctx(["render", "a.txt", "-m", "gpt-5"]).code(4).stderr_has("models.json").check();
    }
}

#[test]
fn a_usage_error_shortens_a_long_argument_in_the_middle() {
    let sandbox = Sandbox::new();
    let long = |end: &str| format!("{}{end}", "x".repeat(5_000));
    for args in [
        vec![long("end")],
        vec![format!("--{}", long("end"))],
        vec!["add".to_owned(), "--tag".to_owned(), long(",end"), "x".to_owned()],
        vec!["show".to_owned(), long("end")],
    ] {
        sandbox.ctx(args).code(2).stderr_has("xxx…xxx").stderr_has("end'").stderr_short().check();
    }
}

#[test]
fn terminal_control_characters_are_never_printed_raw() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    let hostile = "x\u{1b}]0;t\u{7}\u{9b}2J\u{202e}";
    let escaped = r"x\u{1b}]0;t\u{7}\u{9b}2J\u{202e}";
    let list =
        serde_json::json!({ "paths": [{ "path": "a.md", hostile: 1 }, format!("cmd:echo {hostile}")] });
    sandbox.write(".ctx/profiles/default.json", list.to_string());
    sandbox.ctx(["show"]).stdout_has(escaped).stderr_has(escaped).check();
    for args in [&["trust", hostile][..], &["render", "--trust", hostile], &["completions", hostile]] {
        for color in ["--color=never", "--color=always"] {
            sandbox.ctx([&[color][..], args].concat()).code(2).stderr_has(escaped).check();
        }
    }
    for args in
        [&["show", "--json"][..], &["check", "--json"], &["render", "--dry-run", "--json"], &["export"]]
    {
        let code = if args[0] == "check" { 3 } else { 0 };
        let json = sandbox.ctx(args).code(code).stdout_any().stderr_any().check();
        assert!(!json.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{args:?}\n{json}");
        assert!(json.contains(r"\u009b2J\u202e"), "{args:?}\n{json}");
    }
    let manifest = sandbox.home().join("manifest.json");
    let path = manifest.to_str().unwrap();
    sandbox.ctx(["render", "--manifest", path]).stdout_any().stderr_any().check();
    assert!(fs::read_to_string(manifest).unwrap().contains(r"\u009b2J\u202e"));
}

#[test]
fn control_characters_in_a_name_are_shown_in_the_same_way_by_every_command() {
    let sandbox = Sandbox::new();
    sandbox.write("a\u{1b}b.md", b"caf\xe9\n");
    let name = r"'a\u{1b}b.md'";
    sandbox.ctx(["add", "*.md"]).stderr_any().check();
    sandbox
        .ctx(["add", "a\u{1b}b.md"])
        .stderr(format!("Added {name} to profile 'default': 1 file, 3 tokens\n"))
        .check();
    let note = format!("note: 1 file read as Windows-1252: {name}\n");
    sandbox.ctx(["render"]).stdout_has("[a\\u{1b}b.md]").stderr(note).check();
    sandbox.ctx(["show"]).stdout_has("a\\u{1b}b.md").stdout_lacks("\\x1b").check();
    sandbox.ctx(["explain", "a\u{1b}b.md"]).stdout_has("a\\u{1b}b.md").stdout_lacks("\\x1b").check();
    std::fs::remove_file(sandbox.path("a\u{1b}b.md")).unwrap();
    for args in [["check"], ["render"]] {
        let run = sandbox.ctx(args).code(if args[0] == "check" { 3 } else { 0 }).stdout_any();
        run.stderr_lacks("\\x1b").stdout_lacks("\\x1b").stderr_any().check();
    }
    sandbox.ctx(["rm", "a\u{1b}b.md"]).stderr_has(name).check();
}

#[test]
fn a_table_can_contain_a_name_wider_than_any_terminal() {
    let sandbox = Sandbox::new();
    let name = "x".repeat(70_000);
    for args in [&["render", "--dry-run"][..], &["show", "--expand"]] {
        let args = [args, &["-", "--stdin-name", &name]].concat();
        sandbox.ctx(args).stdin("text\n").stdout_has(&name).stderr_any().check();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn directories_of_many_entries_are_looked_up_once() {
    if crate::strace::denied() {
        return;
    }
    let sandbox = Sandbox::with(&[("x", "text\n")]);
    let paths: Vec<&str> = ["x", "!x"].into_iter().cycle().take(2_000).collect();
    sandbox.write(".ctx/profiles/default.json", serde_json::json!({ "paths": paths }).to_string());
    for arguments in [&["show"][..], &["check"], &["explain", "x"], &["render", "--dry-run"]] {
        let traced = crate::strace::traced(&sandbox, arguments, "readlink,readlinkat", None);
        assert!(traced.code().is_some_and(|code| code != 4), "{}", traced.stderr());
        assert!((1..400).contains(&traced.calls.len()), "{arguments:?}: {} calls", traced.calls.len());
    }
}
