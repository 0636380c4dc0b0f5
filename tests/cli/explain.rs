use serde_json::Value;

use crate::support::Sandbox;

fn project() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("src/a.rs", "fn a() {}\n"),
        ("src/gen/b.rs", "fn b() {}\n"),
        ("logs/x.log", "log\n"),
        ("logs/.gitignore", "# noise\n*.log\n"),
        ("logs/kept.txt", "kept\n"),
        ("certs/s.pem", "text\n"),
        ("certs/readme.txt", "text\n"),
        ("other.txt", "other\n"),
    ]);
    sandbox.ctx(["add", "src/**/*.rs", "!src/gen/**", "logs/**", "certs/*"]).stderr_any().check();
    sandbox
}

#[test]
fn an_included_file_names_its_entries() {
    project()
        .ctx(["explain", "src/a.rs"])
        .stdout(
            "src/a.rs is printed whole: 4 tokens\n  \
               matched by 'src/**/*.rs' (profile, pattern)\n  \
               labelled [src/a.rs]\n",
        )
        .check();
}

#[test]
fn the_rule_that_leaves_a_file_out_is_named_with_its_location() {
    let sandbox = project();
    sandbox
        .ctx(["explain", "src/gen/b.rs"])
        .stdout(
            "src/gen/b.rs is left out: an exclusion matches it\n  \
               matched by 'src/**/*.rs' (profile, pattern), excluded by '!src/gen/**', which excludes 1 file\n",
        )
        .check();
    sandbox
        .ctx(["explain", "logs/x.log"])
        .stdout(
            "logs/x.log is left out: an ignore rule leaves it out\n  \
               matched by 'logs/**' (profile, pattern), which honours ignore rules\n  \
               ignored by logs/.gitignore:2: *.log\n",
        )
        .check();
    sandbox
        .ctx(["explain", "certs/s.pem"])
        .stdout_has("certs/s.pem is left out: the name suggests secrets (*.pem)\n")
        .stdout_has(
            "  its name suggests secrets (*.pem); 'ctx add --allow secret-names certs/s.pem' includes it\n",
        )
        .check();
    let other = sandbox.ctx(["explain", "other.txt"]).stderr("hint: ctx add other.txt\n");
    other.stdout("other.txt is left out: not on your list; 'ctx ask' searches it\n").check();
    sandbox.ctx(["explain", "src"]).stdout_has("src is a directory: 1 file whole").check();
}

#[test]
fn the_options_of_render_apply() {
    let sandbox = project();
    sandbox
        .ctx(["explain", "--allow", "ignored", "logs/x.log"])
        .stdout_has("logs/x.log is printed whole")
        .check();
    sandbox.ctx(["explain", "--allow", "secrets", "certs/s.pem"]).stdout_has("is left out").check();
    sandbox.ctx(["set", "--allow", "secret-names", "certs/*"]).stderr_any().check();
    sandbox.ctx(["explain", "certs/s.pem"]).stdout_has("is printed whole").check();
    sandbox.ctx(["add", "-q", "-f", "--tag", "x", "later"]).check();
    for options in [["--include", "*.md"], ["--exclude", "src"], ["--containing", "zzz"], ["--tag", "x"]] {
        let args = [&["explain", "src/a.rs"][..], &options].concat();
        sandbox.ctx(args).stdout_has("src/a.rs is left out: ").check();
    }
    sandbox
        .ctx(["explain", "--max-file-size", "2", "src/a.rs"])
        .stdout_has("src/a.rs is left out: too large: 10 bytes, the limit is 2\n")
        .check();
}

#[test]
fn a_literal_overrides_ignore_rules() {
    let sandbox = project();
    sandbox.ctx(["add", "logs/x.log"]).stderr_any().check();
    sandbox
        .ctx(["explain", "logs/x.log"])
        .stdout_has("logs/x.log is printed whole")
        .stdout_has("  matched by 'logs/x.log' (profile, literal)\n")
        .stdout_has("  overruled: logs/.gitignore:2: *.log\n")
        .check();
}

#[test]
fn reading_and_budget_decisions_are_explained() {
    let large = "word ".repeat(2000);
    let key = format!("id = AKIA{}\n", "QWERTYUIOPASDFGH");
    let sandbox = Sandbox::with(&[("large.txt", large.as_str()), ("key.txt", key.as_str())]);
    sandbox.write("bin", b"a\0b");
    sandbox.write("umlaut.txt", b"f\xfcr\n");
    sandbox.ctx(["add", "*.txt", "bin"]).stderr_any().check();
    sandbox
        .ctx(["explain", "-b", "500", "large.txt"])
        .stdout_has("without a question, large.txt is left out: 2,00")
        .stdout_has("tokens, over budget; the largest files go first\n")
        .check();
    sandbox
        .ctx(["explain", "-b", "500", "large.txt", "-p", "Which key is it?"])
        .stdout_has("large.txt is left out: 2,00")
        .stdout_has("tokens, over budget, and others matter more\n")
        .stdout_lacks("without a question")
        .check();
    sandbox
        .ctx(["explain", "-b", "500", "--trim", "truncate", "large.txt"])
        .stdout_has("large.txt is printed in part: ")
        .stdout_lacks("without a question")
        .check();
    sandbox.ctx(["explain", "key.txt"]).stdout_has("  secrets redacted: 1 ").check();
    sandbox.ctx(["explain", "umlaut.txt"]).stdout_has("  read as ").check();
    sandbox.ctx(["explain", "bin"]).stdout_has("bin is left out: binary file\n").check();
}

#[test]
fn a_file_skipped_by_a_pattern_is_explained() {
    let sandbox = Sandbox::new();
    sandbox.write("x.bin", b"a\0b");
    sandbox.ctx(["add", "*.bin"]).stderr_any().check();
    sandbox
        .ctx(["explain", "x.bin"])
        .stdout("x.bin is left out: binary file\n  matched by '*.bin' (profile, pattern)\n")
        .check();
}

#[test]
#[cfg(unix)]
fn a_literal_that_is_not_a_regular_file_is_skipped() {
    let sandbox = Sandbox::new();
    sandbox.fifo("p");
    sandbox.socket("s");
    sandbox.fifo("[x");
    sandbox.write_store("profiles/default.json", r#"{"paths": ["p", "s", "/dev/null", "[x"]}"#);
    for path in ["p", "s", "/dev/null", "[x"] {
        sandbox
            .ctx(["explain", path])
            .stdout(format!(
                "{path} is left out: not a regular file\n  matched by '{path}' (profile, literal)\n  \
                 labelled [{path}]\n"
            ))
            .check();
        let json = sandbox.ctx(["explain", "--json", path]).stdout_any().check();
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["status"], &json["reason"]["code"]), (&"skipped".into(), &"not-regular".into()));
    }
    sandbox.ctx(["add", "-q", "-f", "--tag", "t", "later"]).check();
    sandbox
        .ctx(["explain", "--tag", "t", "p"])
        .stdout_has("p is left out: the entry has none of the requested tags")
        .check();
}

#[test]
fn a_literal_whose_name_suggests_secrets_is_skipped() {
    let sandbox = Sandbox::with(&[("s.pem", "text\n")]);
    sandbox.write_store("profiles/default.json", r#"{"paths": ["s.pem"]}"#);
    sandbox
        .ctx(["explain", "s.pem"])
        .stdout_has("s.pem is left out: the name suggests secrets (*.pem)\n")
        .stdout_has("which leaves out names that suggest secrets\n")
        .check();
}

#[test]
#[cfg(unix)]
fn patterns_do_not_match_directories() {
    let sandbox = Sandbox::with(&[("x/a.md", "a\n"), ("x/d/b.md", "b\n"), ("y/c.md", "c\n")]);
    std::os::unix::fs::symlink("x", sandbox.path("xl")).unwrap();
    sandbox.ctx(["add", "xl/*", "x/**", "y"]).stderr_any().check();
    for (path, files) in [("x", 1), ("xl", 1), ("x/d", 1), (".", 3)] {
        let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
        sandbox.ctx(["explain", path]).stdout(format!("{path} is a directory: {files} whole\n")).check();
    }
    sandbox
        .ctx(["explain", "y"])
        .stdout("y is a directory: 1 file whole\n  matched by 'y' (profile, directory)\n")
        .check();
    sandbox
        .ctx(["explain", "-b", "20", "x"])
        .stdout("without a question, x is a directory: 1 file left out\n")
        .check();
    sandbox.write("z/a.md", "a\n");
    sandbox.ctx(["explain", "z"]).stdout("z is a directory: no entry matches a file in it\n").check();
    sandbox
        .ctx(["explain", "x/a.md"])
        .stdout_has("matched by 'xl/*'")
        .stdout_has("matched by 'x/**'")
        .check();
}

#[test]
#[cfg(unix)]
fn links_are_followed_as_in_render() {
    let sandbox = Sandbox::with(&[("real.md", "text\n"), ("d/x.md", "text\n")]);
    std::os::unix::fs::symlink("/etc/passwd", sandbox.path("d/out.md")).unwrap();
    std::os::unix::fs::symlink("real.md", sandbox.path("link.md")).unwrap();
    sandbox.ctx(["add", "link.md", "d/*.md"]).stderr_any().check();
    sandbox
        .ctx(["explain", "d/out.md"])
        .stdout_has("d/out.md is left out: link leads out of the directory the pattern starts in\n")
        .check();
    sandbox
        .ctx(["explain", "real.md"])
        .stdout_has("real.md is printed whole")
        .stdout_has("matched by 'link.md'")
        .check();
}

#[test]
#[cfg(unix)]
fn a_link_that_is_not_followed_has_one_reason() {
    let sandbox = Sandbox::with(&[("d/x.md", "text\n"), ("e/y.md", "text\n"), ("real.md", "text\n")]);
    std::os::unix::fs::symlink("../e", sandbox.path("d/e")).unwrap();
    std::os::unix::fs::symlink("../real.md", sandbox.path("d/link.md")).unwrap();
    let why = "link leads out of the directory the pattern starts in\n";
    sandbox.ctx(["add", "d/**/*.md"]).stderr_any().check();
    for path in ["d/link.md", "d/e/y.md"] {
        sandbox.ctx(["explain", path]).stdout_has(&format!("{path} is left out: {why}")).check();
    }
    sandbox.ctx(["add", "real.md"]).stderr_any().check();
    sandbox
        .ctx(["explain", "d/link.md"])
        .stdout_has(&format!("matched by 'd/**/*.md' (profile, pattern), which leaves it out: {why}"))
        .check();
    sandbox.ctx(["explain", "real.md"]).stdout_lacks("link leads").check();
}

#[test]
fn exclusions_and_ignore_rules_are_explained_in_the_order_of_the_walk() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("gen/b.md", "b\n"), (".gitignore", "gen/\n")]);
    sandbox.repository();
    let told = |exclusion: &str, explained: &str, shown: [&str; 2]| {
        let list = format!(r#"{{"paths": ["gen/*.md", "**/*.md", "{exclusion}"]}}"#);
        sandbox.write_store("profiles/default.json", list);
        sandbox
            .ctx(["explain", "gen/b.md"])
            .stdout_has(&format!("gen/b.md is left out: {explained}\n"))
            .check();
        let [entry, effect] = shown;
        sandbox.ctx(["show"]).stdout_has(entry).stdout_has(effect).stderr_any().check();
    };
    // An exclusion of the directory itself comes before the ignore rules.
    let shown = ["'gen' is not searched: excluded by '!gen')", "\n    !gen (excludes nothing)\n"];
    told("!gen", "an exclusion matches it", shown);
    // An exclusion of the directory's contents is never reached.
    let shown = ["'gen' is not searched: ignored by ", "!gen/** (excludes nothing)"];
    told("!gen/**", "an ignore rule leaves it out", shown);
}

#[test]
fn json_is_versioned() {
    let sandbox = project();
    let told = |path: &str| -> Value {
        serde_json::from_str(&sandbox.ctx(["explain", "--json", path]).stdout_any().check()).unwrap()
    };
    let included = told("src/a.rs");
    assert_eq!((&included["version"], &included["status"]), (&1.into(), &"included".into()));
    assert_eq!(included["entries"][0]["effect"], "selects");
    assert_eq!(included["file"]["tokens"], 4);
    let ignored = told("logs/x.log");
    assert_eq!((&ignored["status"], &ignored["reason"]["code"]), (&"out".into(), &"ignored".into()));
    assert_eq!((&ignored["rule"]["file"], &ignored["rule"]["line"]), (&"logs/.gitignore".into(), &2.into()));
    assert_eq!(told("src/gen/b.rs")["entries"][0]["excluded_by"], "!src/gen/**");
}

#[test]
fn a_missing_file_cannot_be_explained() {
    let sandbox = project();
    sandbox.ctx(["explain", "gone"]).code(1).stderr("error: cannot explain 'gone': not found\n").check();
    sandbox.ctx(["explain", ""]).code(2).stderr("error: Invalid path '': it is empty\n").check();
    sandbox.ctx(["explain"]).code(2).stderr_has("required").check();
    sandbox.ctx(["explain", "-b", "lots", "src/a.rs"]).code(2).stderr_has("lots").check();
}

#[test]
fn explain_and_show_never_disagree() {
    let sandbox = project();
    sandbox.write("src/big.rs", "fn big() {}\n".repeat(300));
    sandbox.ctx(["add", "-g", "--pin", "other.txt"]).stderr_any().check();
    let files =
        ["src/a.rs", "src/big.rs", "src/gen/b.rs", "logs/x.log", "logs/kept.txt", "certs/s.pem", "other.txt"];
    for options in
        [&[][..], &["-b", "200"], &["-b", "9"], &["--allow", "ignored"], &["--trim", "truncate", "-b", "300"]]
    {
        let json = |command: &[&str]| -> Value {
            let args = [command, options].concat();
            serde_json::from_str(&sandbox.ctx(args).stdout_any().stderr_any().check()).unwrap()
        };
        let shown = json(&["show", "--json"]);
        for file in files {
            let record = shown["files"].as_array().unwrap().iter().find(|record| record["path"] == file);
            let explained = json(&["explain", "--json", file]);
            assert_eq!(explained.get("file"), record, "{file} {options:?}");
            let status = record.map_or("out", |record| record["status"].as_str().unwrap());
            assert_eq!(explained["status"], status, "{file} {options:?}");
        }
    }
}

#[test]
fn a_rule_of_the_built_in_ignore_file_is_named_like_any_other() {
    let sandbox = Sandbox::with(&[("src/a.js", "a\n"), ("src/yarn.lock", "b\n"), ("src/x.min.js", "c\n")]);
    let note = "note: 2 files left out by the built-in ignore file; '!NAME' in .ctxignore or --allow ignored includes them\n";
    sandbox
        .ctx(["add", "src/**"])
        .stderr(format!("Added 'src/**' to profile 'default': 1 file, 2 tokens\n{note}"))
        .check();
    sandbox
        .ctx(["explain", "src/yarn.lock"])
        .stdout_has("ignored by built-in ignore file:")
        .stdout_has(": yarn.lock\n")
        .check();
    sandbox.ctx(["show"]).stdout_has("src/** (1 match, 2 tokens, in every question)").stderr(note).check();
    sandbox
        .ctx(["add", "src/*.lock"])
        .code(1)
        .stderr_has("'src/*.lock': 'src/yarn.lock' is left out: ignored by built-in ignore file:")
        .stderr_has(": yarn.lock\nhint: --allow ignored adds it\n")
        .check();
    sandbox.write(".ctxignore", "!yarn.lock\n");
    sandbox.ctx(["explain", "src/yarn.lock"]).stdout_has("kept by .ctxignore:1: !yarn.lock\n").check();
    sandbox
        .ctx(["render", "--only", "--allow", "ignored", "src/*.js"])
        .stdout_has("[src/x.min.js]\nc\n")
        .check();
}

#[test]
fn label_of_a_project_can_be_explained_from_any_directory() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("sub/b.md", "b\n")]);
    sandbox.ctx(["init", "-q"]).check();
    sandbox.ctx(["add", "-q", "sub/b.md", "a.md"]).check();
    let sub = sandbox.path("sub");
    for path in ["b.md", "sub/b.md"] {
        sandbox
            .ctx_in(&sub, ["explain", path])
            .stdout(format!(
                "{path} is printed whole: 2 tokens\n  matched by 'sub/b.md' (project, literal)\n  labelled [sub/b.md]\n"
            ))
            .check();
    }
    sandbox.ctx_in(&sub, ["explain", "a.md"]).stdout_has("a.md is printed whole: 2 tokens\n").check();
    sandbox.ctx_in(&sub, ["explain", "nosuch"]).code(1).stderr_has("not found").check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn command_is_explained_with_its_words_directory_and_why_it_does_not_run() {
    let sandbox = Sandbox::with(&[("test.sh", "echo tested\n")]);
    let entry = "cmd:sh test.sh 'a b'";
    let explained = |state: &str, rest: &str| {
        sandbox
            .ctx(["explain", entry])
            .stdout(format!(
                "\"cmd:sh test.sh 'a b'\" (profile): {state}, timeout 9s, ttl 5m\n  runs sh test.sh 'a b' in \
                 <project>\n  for at most 9s, at most 64,000 bytes of output, output reused for 300s\n  \
                 trusted with 'test.sh'\n{rest}"
            ))
            .check();
    };
    sandbox.ctx(["add", "--timeout", "9s", "--ttl", "5m", entry]).stderr_any().check();
    explained(
        "not run",
        "  'ctx explain' runs no command, and no output is cached\n  [cmd:sh test.sh 'a b'] is left out: \
         not run\n",
    );
    sandbox.ctx(["render"]).stdout_has("tested").check();
    explained(
        "cached, 2 tokens, in every question",
        "  its output is cached from a successful run\n  [cmd:sh test.sh 'a b'] is printed whole: 2 tokens\n",
    );
    sandbox.ctx(["trust", "--remove"]).stderr_any().check();
    explained(
        "not trusted",
        "  not trusted here: 'ctx trust --dry-run' shows it, 'ctx trust' trusts it\n  [cmd:sh test.sh 'a b'] is \
         left out: not trusted here\n",
    );
    let json = sandbox.ctx(["explain", "--json", entry]).stdout_any().check();
    let command = &serde_json::from_str::<serde_json::Value>(&json).unwrap()["command"];
    assert_eq!(
        *command,
        serde_json::json!({
            "words": ["sh", "test.sh", "a b"], "directory": "<project>", "scripts": ["test.sh"],
            "timeout_ms": 9000, "max_output": 64000, "only_success": false, "ttl_ms": 300_000
        })
    );
}

#[test]
fn ranges_of_a_file_and_lines_outside_them_are_explained() {
    let text: String = (1..=20).map(|line| format!("{line}\n")).collect();
    let sandbox = Sandbox::with(&[("a.txt", &text)]);
    sandbox.ctx(["add", "a.txt:1-2", "a.txt:5-6"]).stderr_any().check();
    let second = "  matched by 'a.txt:1-2' (profile, literal), which names other lines\n  matched by 'a.txt:5-6' \
                  (profile, literal)\n  labelled [a.txt:5-6]\n";
    for asked in ["a.txt:5-6", "a.txt:6"] {
        sandbox
            .ctx(["explain", asked])
            .stdout(format!("{asked} is printed whole: 4 tokens\n{second}"))
            .check();
    }
    sandbox
        .ctx(["explain", "a.txt"])
        .stdout(
            "a.txt is printed whole: 4 tokens\n  matched by 'a.txt:1-2' (profile, literal)\n  matched by 'a.txt:5-6' \
             (profile, literal)\n  labelled [a.txt:1-2]\n  also [a.txt:5-6], whole\n",
        )
        .check();
    for (asked, why) in
        [("a.txt:8-9", "no entry names these lines"), ("a.txt:30", "starts after the last line, 20")]
    {
        sandbox.ctx(["explain", asked]).stdout_has(&format!("{asked} is left out: {why}\n")).check();
    }
}

#[test]
fn import_that_is_too_deep_is_explained() {
    let sandbox = Sandbox::with(&[("d0.md", "@d1.md\n")]);
    for level in 1..=7 {
        sandbox.write(&format!("d{level}.md"), format!("@d{}.md\n", level + 1));
    }
    sandbox.ctx(["add", "--imports", "d0.md"]).stderr_any().check();
    sandbox
        .ctx(["explain", "d6.md"])
        .stdout(
            "d6.md is left out: more than 5 levels of imports\n  matched by 'd0.md' (profile, literal)\n  imported \
             by 'd5.md' line 1\n  labelled [d6.md]\n",
        )
        .check();
    sandbox
        .ctx(["explain", "d7.md"])
        .stdout_has("d7.md is left out: not on your list; ")
        .stderr_any()
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "Windows takes its names for something else")]
fn entry_is_explained_even_if_a_file_has_its_name() {
    let sandbox = Sandbox::with(&[("cmd:true", "evil\n")]);
    sandbox.ctx(["add", "cmd:true", "./cmd:true"]).stderr_any().check();
    sandbox.ctx(["explain", "cmd:true"]).stdout_has("'cmd:true' (profile): not run\n").check();
    sandbox.ctx(["explain", "./cmd:true"]).stdout_has("./cmd:true is printed whole: 2 tokens\n").check();
    sandbox
        .ctx(["explain", "cmd:false"])
        .code(1)
        .stderr("error: cannot explain 'cmd:false': not found\n")
        .check();
}

#[test]
fn dot_files_and_files_in_dot_directories_are_left_out_with_the_reason() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), (".notes/b.md", "b\n"), (".c.md", "c\n")]);
    sandbox.ctx(["add", "-q", "**/*.md"]).check();
    for (path, why) in [
        (".notes/b.md", "a directory in its path begins with a dot"),
        (".c.md", "its name begins with a dot"),
    ] {
        let matched = "matched by '**/*.md' (profile, pattern), which leaves out names that begin with a dot";
        sandbox.ctx(["explain", path]).stdout(format!("{path} is left out: {why}\n  {matched}\n")).check();
    }
    let hidden = "'**/b.md': '.notes/b.md' is left out: a directory in its path begins with a dot\n";
    sandbox.ctx(["render", "**/b.md"]).code(1).stderr_has(hidden).check();
    sandbox.ctx(["ask", "what?", "**/b.md"]).code(1).stderr_has(hidden).check();
}

#[test]
fn asking_about_an_ignored_directory_suggests_allow_ignored() {
    let sandbox = Sandbox::with(&[(".ignore", "target\n"), ("target/a.md", "keys\n")]);
    let hint = "hint: --allow ignored includes them\n";
    sandbox.ctx(["ask", "keys", "target"]).code(1).stderr_has(hint).check();
    sandbox.ctx(["ask", "keys", "target", "--allow", "ignored"]).stdout_has("[target/a.md]\n").check();
}

#[test]
fn entries_beyond_the_limit_on_patterns_are_reported_when_they_are_added_and_explained() {
    let sandbox = Sandbox::with(&[("f1.md", "a\n")]);
    let first = "{a,b,c}".to_owned() + &"{a,b,c,d}".repeat(4);
    let second = "f*{.md,x}{,a}{,b}{,c}{,d}{,e}{,g}{,h}{,i}";
    sandbox.ctx(["add", "-f", &first]).stderr_lacks("not used").stderr_any().check();
    let why = "all entries together expand to more than 1,024 patterns";
    let warning = format!("warning: '{second}' is not used: {why}\n");
    sandbox.ctx(["add", second]).stderr_has(&warning).check();
    let skipped = format!("warning: 1 entry left out: '{second}' ({why})\n");
    let out = sandbox
        .ctx(["explain", "f1.md"])
        .stdout("f1.md is left out: not on your list; 'ctx ask' searches it\n");
    out.stderr(skipped + "hint: ctx add f1.md\n").check();
    sandbox.ctx(["rm", &first]).stderr_any().check();
    sandbox.ctx(["explain", "f1.md"]).stdout_has("f1.md is printed whole").check();
}

#[test]
fn file_on_no_list_is_explained_with_whether_questions_search_it() {
    let sandbox = Sandbox::with(&[
        ("a.md", "a\n"),
        (".github/b c.md", "b\n"),
        ("gen/c.md", "c\n"),
        ("x.log", "x\n"),
        ("k.pem", "k\n"),
        ("i.png", "\0"),
        (".gitignore", "*.log\n"),
        ("../home/notes.md", "n\n"),
    ]);
    sandbox.repository();
    sandbox.ctx(["add", "-q", "!gen/**"]).check();
    let skips = |path: &str, why: &str| {
        format!("{path} is left out: not on your list, and 'ctx ask' doesn't search it: {why}\n")
    };
    for (path, told, hint) in [
        (
            "a.md",
            "a.md is left out: not on your list; 'ctx ask' searches it\n".to_owned(),
            "hint: ctx add a.md\n",
        ),
        (
            ".github/b c.md",
            ".github/b c.md is left out: not on your list; 'ctx ask' searches it\n".to_owned(),
            "hint: ctx add '.github/b c.md'\n",
        ),
        ("gen/c.md", skips("gen/c.md", "an exclusion matches it"), "hint: ctx add gen/c.md\n"),
        ("x.log", skips("x.log", "an ignore rule leaves it out"), "hint: ctx add x.log\n"),
        ("k.pem", skips("k.pem", "the name suggests secrets (*.pem)"), ""),
        ("i.png", skips("i.png", "binary file"), ""),
        ("../home/notes.md", "../home/notes.md is left out: not on your list\n".to_owned(), ""),
        (
            ".git/HEAD",
            ".git/HEAD is left out: it is in a git directory, which is never entered\n".to_owned(),
            "",
        ),
    ] {
        sandbox.ctx(["explain", path]).stdout_has(&told).stderr(hint).check();
    }
    let inside = sandbox.path(".github");
    sandbox.ctx_in(&inside, ["explain", "b c.md"]).stdout_any().stderr("hint: ctx add 'b c.md'\n").check();
    sandbox.ctx(["init"]).stderr_any().check();
    sandbox.ctx(["add", "-q", "!a.md"]).check();
    sandbox
        .ctx(["explain", "a.md"])
        .stdout_has(&skips("a.md", "an exclusion matches it"))
        .stderr_any()
        .check();
    sandbox.ctx(["add", "-q", "a.md"]).check();
    sandbox.ctx(["explain", "a.md"]).stdout_has("a.md is printed whole").check();
}

#[test]
fn question_explains_how_much_of_a_file_on_no_list_answers_it() {
    let filler = "else\n".repeat(5_000);
    let sandbox = Sandbox::with(&[
        ("a.md", "the zebrafish swims\n"),
        ("large.txt", &format!("{filler}the zebrafish swims\n{filler}")),
        ("other.md", "else\n"),
    ]);
    let explain = |options: &[&str]| {
        let line = [&["explain"], options, &["-p", "where is the zebrafish?"]].concat();
        sandbox.ctx(line)
    };
    let whole = "for this question, a.md is printed whole: 6 tokens\n  labelled [a.md]\n  rank ";
    explain(&["a.md"]).stdout_has(whole).check();
    let part = explain(&["large.txt"]).stdout_has("for this question, large.txt is printed in part: ");
    part.stdout_has("\n  lines 5001-5040").stdout_has("\n  rank ").check();
    explain(&["other.md"]).stdout_has("for this question, other.md is left out: ").check();
    // What is piped takes part in choosing.
    let line = ["explain", "large.txt", "-", "-p", "how do I fix this?"];
    let piped = sandbox.ctx(line).stdin("error\n --> large.txt:40:1\n").stdout_has("\n  lines ");
    piped.stdout_has("\n  rank 1 ").check();
    // A file on the list is explained as a part of the list.
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    explain(&["a.md"])
        .stdout_has("a.md is printed whole: ")
        .stdout_has("\n  matched by 'a.md' (profile")
        .check();
}

#[test]
fn rule_without_effect_below_an_ignored_directory_is_named_with_the_lines_that_have_one() {
    let sandbox = Sandbox::with(&[("bar/quux/q.md", "q\n"), ("bar/r.md", "r\n"), (".gitignore", "/bar\n")]);
    sandbox.repository();
    sandbox.write(".ctxignore", "!/bar/quux\n");
    let lines = ["!/bar", "/bar/*", "!/bar/quux"];
    let told = ".ctxignore:1 '!/bar/quux' has no effect below /bar; these lines have: '!/bar', '/bar/*' and '!/bar/quux'";
    sandbox.ctx(["explain", "bar/quux/q.md"]).stdout_has(&format!("/bar\n  {told}\n")).stderr_any().check();
    sandbox.ctx(["add", "bar/quux/**"]).code(1).stderr_has(&format!("; {told}\nhint: ")).check();
    sandbox.ctx(["explain", "bar/r.md"]).stdout_lacks("no effect").stderr_any().check();
    sandbox.write(".ctxignore", lines.join("\n"));
    sandbox.ctx(["add", "bar/**"]).stderr_has("Added 'bar/**'").check();
    sandbox.ctx(["render"]).stdout_has("[bar/quux/q.md]\n").stdout_lacks("[bar/r.md]").stderr_any().check();
}

#[test]
fn question_about_a_file_on_no_list_warns_once() {
    let sandbox = Sandbox::with(&[("src/undo.rs", "fn undo() {}\n"), ("notes.md", "n\n")]);
    let turn = serde_json::json!({"turn": 1, "time": "2026-01-02T03:04:05Z", "messages": [{"role": "user", "content": "q"}]});
    sandbox.write_store("history/h.jsonl", format!("{turn}\n{{\"turn\":2,"));
    let warning = "warning: the last line of history 'h' is incomplete and was ignored\n";
    let run = sandbox.ctx(["explain", "src/undo.rs", "-p", "what does undo do?", "--history=h"]);
    run.stdout_has("for this question, src/undo.rs is printed whole").stderr(warning).check();
}

#[test]
fn the_command_for_a_name_that_suggests_secrets_works() {
    let sandbox = Sandbox::with(&[(".env", "X=1\n"), ("a b.pem", "X=2\n")]);
    sandbox.write_store("profiles/default.json", r#"{"paths": [".env", "*.pem"]}"#);
    for (name, told, typed) in [
        (".env", "'ctx set --allow secret-names .env'", ["set", "--allow", "secret-names", ".env"]),
        (
            "a b.pem",
            "\"ctx add --allow secret-names 'a b.pem'\"",
            ["add", "--allow", "secret-names", "a b.pem"],
        ),
    ] {
        sandbox.ctx(["explain", name]).stdout_has(&format!("{told} includes it\n")).check();
        sandbox.ctx(typed).stdout_any().stderr_any().check();
        sandbox.ctx(["explain", name]).stdout_has("is printed whole").check();
    }
}
