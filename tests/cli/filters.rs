use std::fs::File;
use std::time::{Duration, SystemTime};

use crate::support::Sandbox;

/// `old.rs` was changed ten days ago, `large.rs` has 5,000 bytes; documentation has the tag `docs`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("src/old.rs", "fn budget() {}\n"),
        ("src/new.rs", "fn trim() {}\n"),
        ("src/gen/made.rs", "fn budget() {} // Budget\n"),
        ("docs/guide.md", "the budget\n"),
    ]);
    sandbox.write("src/large.rs", "// budget\n".repeat(500));
    let file = File::options().write(true).open(sandbox.path("src/old.rs")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(10 * 86_400)).unwrap();
    sandbox.ctx(["add", "src/**/*.rs"]).stderr_any().check();
    sandbox.ctx(["add", "--tag", "docs", "docs/*.md"]).stderr_any().check();
    sandbox
}

#[track_caller]
fn selected(sandbox: &Sandbox, filters: &[&str]) -> Vec<String> {
    let json = sandbox.ctx(["-q", "show", "--json"].iter().chain(filters)).stdout_any().check();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let files = json["files"].as_array().unwrap().iter();
    files
        .filter(|file| file["status"] == "included")
        .map(|file| file["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned())
        .collect()
}

#[test]
fn each_filter_selects_the_matching_files() {
    let sandbox = sandbox();
    for (filters, expected) in [
        (&[][..], &["made.rs", "large.rs", "new.rs", "old.rs", "guide.md"][..]),
        (&["--include", "src/*.rs"], &["large.rs", "new.rs", "old.rs"]),
        (&["--include", "**/*.md", "--include", "src/n*"], &["new.rs", "guide.md"]),
        (&["--exclude", "src/gen/**"], &["large.rs", "new.rs", "old.rs", "guide.md"]),
        (&["--exclude", "**/*.rs", "--exclude", "docs/**"], &[]),
        (&["--containing", "fn [a-z]+"], &["made.rs", "new.rs", "old.rs"]),
        (&["--containing", "(?i)BUDGET$"], &["made.rs", "large.rs", "guide.md"]),
        (&["--max-file-size", "4k"], &["made.rs", "new.rs", "old.rs", "guide.md"]),
        (&["--max-file-size", "11"], &["guide.md"]),
        (&["--newer-than", "3d"], &["made.rs", "large.rs", "new.rs", "guide.md"]),
        (&["--newer-than", "2w"], &["made.rs", "large.rs", "new.rs", "old.rs", "guide.md"]),
        (&["--tag", "docs"], &["guide.md"]),
    ] {
        assert_eq!(selected(&sandbox, filters), expected, "{filters:?}");
    }
}

#[test]
fn filters_together_select_files_that_pass_all() {
    let sandbox = sandbox();
    for (filters, expected) in [
        (&["--include", "src/**", "--exclude", "src/gen/**"][..], &["large.rs", "new.rs", "old.rs"][..]),
        (&["--containing", "budget", "--newer-than", "3d"], &["made.rs", "large.rs", "guide.md"]),
        (&["--containing", "budget", "--max-file-size", "1k"], &["made.rs", "old.rs", "guide.md"]),
        (&["--tag", "docs", "--containing", "trim"], &[]),
        (
            &[
                "--include",
                "**/*.rs",
                "--containing",
                "budget",
                "--max-file-size",
                "1k",
                "--newer-than",
                "1d",
            ],
            &["made.rs"],
        ),
    ] {
        assert_eq!(selected(&sandbox, filters), expected, "{filters:?}");
    }
}

#[test]
fn render_applies_the_filters() {
    let sandbox = sandbox();
    sandbox
        .ctx(["render", "--containing", "trim", "--exclude", "docs/**"])
        .stdout("--- CONTEXT FILES BEGIN ---\n[src/new.rs]\nfn trim() {}\n--- CONTEXT FILES END ---\n")
        .check();
}

#[cfg(unix)]
#[test]
fn an_empty_context_is_reported_with_the_reason() {
    let warning = |why: &str| format!("warning: the context is empty: {why}\n");
    let filtered = warning("no file matches the filters");
    let sandbox = sandbox();
    sandbox.write("zero.bin", b"\0");
    sandbox.ctx(["add", "-q", "--tag", "off", "src/*.rs"]).check();
    sandbox.ctx(["set", "-q", "--off", "src/*.rs"]).check();
    sandbox.ctx(["render", "--tag", "off"]).stderr(warning("no entry with the tag is in use")).check();
    sandbox.ctx(["rm", "-q", "src/*.rs"]).check();
    sandbox.ctx(["render", "--include", "*.py"]).stderr(filtered.clone()).check();
    sandbox.ctx(["render", "--exclude", "**"]).stderr(filtered.clone()).check();
    sandbox.ctx(["render", "--newer-than", "0s"]).stderr(filtered.clone()).check();
    sandbox.ctx(["render", "--containing", "nowhere"]).stderr(filtered.clone()).check();
    sandbox.write("list", "zero.bin\n");
    let list = ["--files-from", "list"];
    sandbox.ctx(["render", "--containing", "nowhere"].iter().chain(&list)).stderr_has(&filtered).check();
    sandbox.ctx(["render", "--only"].iter().chain(&list)).stderr_has("no file could be read").check();
    sandbox.fifo("pipe");
    sandbox.write("list", "pipe\n");
    sandbox.ctx(["render", "--only"].iter().chain(&list)).stderr_has("no file could be read").check();
    sandbox.ctx(["render", "--max-file-size", "1"]).stderr_has("no file could be read").check();
    sandbox.ctx(["render", "--only"]).stderr_has("there are no entries").check();
    sandbox.write("list", "*.none\n");
    sandbox.ctx(["render", "--only"].iter().chain(&list)).stderr_has("no entry matches a file here").check();
    sandbox.ctx(["render", "--newer-than", "0s", "-p", "Why?"]).stdout("Why?\n").stderr_any().check();
    let strict = sandbox.ctx(["render", "--newer-than", "0s", "--strict"]);
    strict.code(3).stderr_has("the context is empty").check();
}

#[test]
fn files_named_on_the_command_line_are_not_filtered() {
    let sandbox = sandbox();
    let block = "--- CONTEXT FILES BEGIN ---\n[src/old.rs]\nfn budget() {}\n--- CONTEXT FILES END ---\n";
    for filter in
        [["--exclude", "*.rs"], ["--include", "*.md"], ["--containing", "none"], ["--newer-than", "1d"]]
    {
        sandbox.ctx(["render", "--only", "src/old.rs"].iter().chain(&filter)).stdout(block).check();
        sandbox.ctx(["render", "--only", "src/old.rs", "src/o*"].iter().chain(&filter)).stdout(block).check();
        sandbox
            .ctx(["render", "--only", "-"].iter().chain(&filter))
            .stdin("x\n")
            .stdout_has("[stdin]\nx\n")
            .check();
        // A pattern or a list doesn't name a file.
        sandbox
            .ctx(["render", "--only", "src/o*"].iter().chain(&filter))
            .stderr_has("no file matches the filters")
            .check();
        sandbox
            .ctx(["render", "--only", "--files-from", "-"].iter().chain(&filter))
            .stdin("src/old.rs\n")
            .stderr_has("no file matches the filters")
            .check();
    }
}

#[test]
fn an_invalid_filter_is_a_usage_error() {
    let sandbox = sandbox();
    for wrong in [
        ["--include", "["],
        ["--exclude", "a{b"],
        ["--containing", "("],
        ["--max-file-size", "big"],
        ["--newer-than", "3"],
    ] {
        sandbox.ctx(["render"].into_iter().chain(wrong)).code(2).stderr_has("error: ").check();
    }
}

#[test]
fn attributes_of_an_entry_without_the_tag_do_not_apply() {
    let sandbox =
        Sandbox::with(&[("a.md", &"word\n".repeat(50)), ("b.md", &"b and more of it\n".repeat(20))]);
    sandbox.ctx(["add", "--pin", "b.md"]).stderr_any().check();
    sandbox.ctx(["add", "--tag", "t", "*.md", "gone.md", "--force"]).stderr_any().check();
    sandbox.ctx(["add", "--force", "lost.md"]).stderr_any().check();
    let json = sandbox.ctx(["show", "--tag", "t", "--json"]).stdout_any().stderr_any().check();
    let account: serde_json::Value = serde_json::from_str(&json).unwrap();
    let [a, b] = account["files"].as_array().unwrap().as_slice() else { panic!("{account}") };
    assert_eq!((&b["path"], &b["pinned"], &a["pinned"]), (&"b.md".into(), &false.into(), &false.into()));
    let entries = account["entries"].as_array().unwrap().iter();
    let states: Vec<_> =
        entries.filter(|entry| entry["scope"] == "profile").map(|entry| &entry["state"]).collect();
    assert_eq!(states, ["filtered", "ok", "missing", "filtered"]);
    assert_eq!((&b["entry"], &a["entry"]), (&"*.md".into(), &"*.md".into()));
    let json = sandbox.ctx(["explain", "--tag", "t", "b.md", "--json"]).stdout_any().check();
    let explained: serde_json::Value = serde_json::from_str(&json).unwrap();
    let effects: Vec<_> =
        explained["entries"].as_array().unwrap().iter().map(|entry| &entry["effect"]).collect();
    assert_eq!(effects, ["filtered", "selects"]);
}

#[test]
fn an_entry_without_the_tag_does_not_protect_the_output_file() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("out.md", "old\n")]);
    sandbox.ctx(["add", "--pin", "out.md"]).stderr_any().check();
    sandbox.ctx(["add", "--tag", "t", "--force", "e/*"]).stderr_any().check();
    sandbox
        .ctx(["render", "--tag", "t", "-o", "out.md"])
        .stderr_has("the context is empty: no entry matches a file here")
        .check();
    assert_eq!(sandbox.read("out.md"), "");
}

#[test]
fn directories_above_the_tree_match_no_filter() {
    let sandbox = Sandbox::with(&[("build/repo/a.md", "a\n"), ("build/repo/build/b.md", "b\n")]);
    sandbox.write("build/repo/.git/HEAD", "");
    sandbox.write("build/other/c.md", "c\n");
    let repo = sandbox.path("build/repo");
    let block = |files: &str| crate::support::block(files);
    let other = sandbox.path("build/other/*.md");
    let render = |filter: [&str; 2]| sandbox.ctx_in(&repo, ["render", "**/*.md", filter[0], filter[1]]);
    render(["--exclude", "build"]).stdout(block("[a.md]\na\n")).check();
    let told = |name: &str| format!("warning: the exclude pattern '{name}' takes out nothing\n");
    let all = render(["--exclude", "project"]).stdout(block("[a.md]\na\n\n[build/b.md]\nb\n"));
    all.stderr(told("project")).check();
    render(["--include", "build"]).stdout(block("[build/b.md]\nb\n")).check();
    let elsewhere = ["render", other.to_str().unwrap(), "--paths", "absolute", "--exclude", "other"];
    sandbox.ctx_in(&repo, elsewhere).stdout_has("c\n").stderr(told("other")).check();
}

#[test]
fn explain_names_the_filter_that_leaves_out_a_file_outside_the_tree() {
    let sandbox = Sandbox::new();
    let repo = sandbox.home().join("repo");
    let lib = sandbox.home().join("lib");
    std::fs::create_dir_all(repo.join(".git")).unwrap();
    std::fs::create_dir_all(lib.join("sub")).unwrap();
    std::fs::write(lib.join("sub/a.md"), "a\n").unwrap();
    std::fs::write(lib.join("b.md"), "b\n").unwrap();
    sandbox.ctx_in(&repo, ["add", "~/lib/sub", "~/lib/**"]).stderr_any().check();
    let explained = |options: &[&str], path: &str, text: &str| {
        let args = [&["explain"], options, &[path]].concat();
        sandbox.ctx_in(&repo, args).stdout_has(&format!("{path} is {text}")).check();
        let args = [&["render"], options].concat();
        let render = sandbox.ctx_in(&repo, args).stderr_any();
        let is_in = text.starts_with("printed whole");
        if is_in {
            render.stdout_has(path).check()
        } else {
            render.stdout_lacks(path).check()
        };
    };
    // Filters apply below the directory where the search for a file begins: that of the first entry that
    // matches it.
    explained(&["--exclude", "sub"], "~/lib/sub/a.md", "printed whole");
    explained(&["--exclude", "lib"], "~/lib/b.md", "printed whole");
    explained(&["--exclude", "b.md"], "~/lib/b.md", "left out: it matches an exclude pattern\n");
    explained(&["--include", "sub"], "~/lib/b.md", "left out: it matches none of the include patterns\n");
    sandbox.ctx_in(&repo, ["rm", "~/lib/sub"]).stdout_any().stderr_any().check();
    explained(&["--exclude", "sub"], "~/lib/sub/a.md", "left out: it matches an exclude pattern\n");
    let text = "left out: its text does not match the requested expression\n";
    explained(&["--containing", "b"], "~/lib/sub/a.md", text);
}

#[test]
fn tag_that_no_entry_has_is_an_error_with_the_near_one() {
    let sandbox = sandbox();
    for typed in [
        &["render", "-p", "hi", "--tag", "doc"][..],
        &["show", "--tag=docs", "--tag=doc"],
        &["check", "--tag", "doc"],
        &["ask", "--tag", "doc", "what is it?"],
    ] {
        let error = "error: no entry has the tag 'doc'\nhint: did you mean 'docs'?\n";
        sandbox.ctx(typed).code(1).stderr(error).check();
    }
    let other = sandbox.ctx(["render", "--tag", "zebra"]).code(1);
    other.stderr("error: no entry has the tag 'zebra'\nhint: there is only 'docs': --tag docs\n").check();
    Sandbox::new().ctx(["render", "--tag", "a"]).code(1).stderr("error: no entry has the tag 'a'\n").check();
    // Without stored entries, there is nothing to choose from.
    sandbox
        .ctx(["render", "--only", "--tag", "zebra", "src/old.rs"])
        .stdout_any()
        .stderr("warning: --tag has no effect with --only, which leaves out your entries\n")
        .check();
    sandbox.ctx(["ask", "--tag", "docs", "what is the budget?"]).stdout_any().stderr_any().check();
}

/// Two files to leave out, one to keep.
fn with_vendor() -> Sandbox {
    Sandbox::with(&[
        ("src/a.rs", "alpha\n"),
        ("src/theme/t.ts", "alpha\n"),
        ("vendor/v.txt", "alpha\n"),
        (".env", "X=1\n"),
        ("out/x.txt", "alpha\n"),
        (".ignore", "out\n"),
    ])
}

#[test]
fn filter_that_matches_nothing_is_told() {
    let sandbox = with_vendor();
    let (out, include) = ("the exclude pattern", "the include pattern");
    for (filters, told) in [
        (&["--exclude", "vendro/**"][..], format!("{out} 'vendro/**' takes out nothing\n")),
        (
            &["--exclude", "src/a.rs,vendor/**"],
            format!(
                "{out} 'src/a.rs,vendor/**' takes out nothing; --exclude src/a.rs --exclude 'vendor/**' match files\n"
            ),
        ),
        (
            &["--exclude", "**/{theme, gone}/**"],
            format!(
                "part of {out} '**/{{theme, gone}}/**' takes out nothing: '**/ gone/**'; --exclude '**/{{theme,gone}}/**' matches files\n"
            ),
        ),
        (
            &["--exclude", "+(vendor|lib)/**"],
            format!(
                "{out} '+(vendor|lib)/**' takes out nothing; --exclude '{{vendor,lib}}/**' matches files\n"
            ),
        ),
        (&["--exclude", "*.{txt,md}"], format!("part of {out} '*.{{txt,md}}' takes out nothing: '*.md'\n")),
        (&["--include", "*.rs", "--include", "*.py"], format!("{include} '*.py' matches nothing\n")),
    ] {
        for command in [&["render", "--only", "**"][..], &["ask", "alpha"], &["show", "**"]] {
            let line: Vec<&str> = command.iter().chain(filters).copied().collect();
            sandbox.ctx(&line).stdout_any().stderr_has(&format!("warning: {told}")).check();
        }
        let strict: Vec<&str> =
            ["render", "--strict", "--only", "**"].iter().chain(filters).copied().collect();
        sandbox.ctx(&strict).code(3).stderr_has("pattern '").check();
    }
    let extended = ["--include", "*.@(rs|ts)"];
    let meant = "--include '*.{rs,ts}' matches files\n";
    let render = ["render", "--only", "**"].iter().chain(&extended);
    sandbox.ctx(render).stderr_has(&format!("{include} '*.@(rs|ts)' matches nothing; {meant}")).check();
    let ask = ["ask", "alpha"].iter().chain(&extended);
    sandbox.ctx(ask).code(1).stderr_has(&format!("passes the filters\nhint: {meant}")).check();
    sandbox.ctx(["search", "alpha", "--exclude", "gone"]).stdout_any().stderr_has("'gone' takes out").check();
}

#[test]
fn filter_that_matches_what_is_left_out_anyway_is_not_told() {
    let sandbox = with_vendor();
    for filters in [
        &["--exclude", ".env"][..],
        &["--exclude", "out"],
        &["--exclude", "out/**"],
        &["--exclude", "vendor", "--include", "src/**"],
        &["--exclude", "*.txt", "--exclude", "vendor/**"],
    ] {
        let line: Vec<&str> = ["render", "--only", "**", "**/.*"].iter().chain(filters).copied().collect();
        sandbox.ctx(&line).stdout_any().stderr_lacks("pattern").check();
    }
}

#[test]
fn offered_filters_match_what_was_meant() {
    let sandbox = with_vendor();
    let base = ["render", "--only", "**", "--exclude"];
    sandbox
        .ctx(base.iter().chain(&["src/a.rs", "--exclude", "vendor/**"]))
        .stdout_lacks("vendor")
        .stderr_lacks("pattern")
        .check();
    sandbox.ctx(base.iter().chain(&["**/{theme,gone}/**"])).stdout_lacks("theme").stderr_any().check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn filter_may_match_a_changed_file_alone() {
    let sandbox = with_vendor();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(args);
        assert!(command.current_dir(sandbox.project()).status().unwrap().success());
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "first"]);
    sandbox.write("src/a.rs", "beta\n");
    sandbox.ctx(["render", "--only", "git:diff", "vendor/v.txt", "--exclude", "*.rs"]).stdout_any().check();
    let gone = sandbox.ctx(["render", "--only", "git:diff", "--exclude", "*.py"]).stdout_any();
    gone.stderr("warning: the exclude pattern '*.py' takes out nothing\n").check();
}

#[test]
fn filter_that_begins_at_the_root_is_answered_with_the_one_that_matches() {
    let sandbox = Sandbox::with(&[("src/a.py", "alpha\n"), ("b.py", "alpha\n")]);
    let exclude = ["ask", "alpha", "--exclude", "/src/*.py"];
    sandbox.ctx(exclude).stdout_any().stderr_has("--exclude 'src/*.py'").check();
}

#[test]
fn option_without_effect_is_told() {
    let sandbox = sandbox();
    let base = ["render", "--only", "src/old.rs"];
    for (typed, told) in [
        (
            &["--query", "x", "--trim", "largest"][..],
            "--query has no effect with --trim largest, only with --trim relevant",
        ),
        (
            &["--query", "x", "--trim", "relevant", "-b", "none"],
            "--query has no effect without a budget, which leaves nothing to choose",
        ),
        (&["--history-budget", "5%"], "--history-budget has no effect without --history"),
        (&["--stdin-name", "the diff"], "--stdin-name has no effect without the path '-'"),
        (
            &["--guard", "--format", "json"],
            "--guard has no effect with --format json, which has no delimiters",
        ),
    ] {
        let typed = base.iter().chain(typed);
        sandbox.ctx(typed.clone()).stdout_any().stderr(format!("warning: {told}\n")).check();
        sandbox.ctx(typed.chain(&["--strict"])).code(3).stderr_any().check();
    }
    for typed in [&["--query", "x"][..], &["--query", "x", "--trim", "largest", "--order", "score"]] {
        sandbox.ctx(base.iter().chain(typed)).stdout_any().check();
    }
}

#[test]
fn blank_in_the_braces_of_a_pattern_is_told_with_the_pattern_that_is_meant() {
    let sandbox = Sandbox::with(&[("s/a.ts", "alpha\n"), ("s/b.js", "alpha\n"), ("s/x.ts", "beta\n")]);
    let why = "'s/*. js' matches nothing, since the blank is part of the name";
    for words in [&["render", "--only"][..], &["search", "alpha"], &["ask", "alpha"]] {
        let told = sandbox.ctx(words.iter().chain(&["s/*.{ts, js}"])).stdout_any();
        told.stderr_has(&format!("warning: {why}; 's/*.{{ts,js}}' matches files")).check();
    }
    sandbox.ctx(["render", "--only", "--strict", "s/*.{ts, js}"]).code(3).stderr_any().check();
    sandbox.ctx(["render", "--only", "s/*.{ts, tsx}"]).stdout_has("[s/x.ts]").check();
    let added = sandbox.ctx(["add", "s/*.{ts, js}"]).stderr_has("Added");
    added.stderr_has(&format!("warning: {why}: ctx add 's/*.{{ts,js}}'")).check();
    let none = sandbox.ctx(["add", "s/*.{tsx, js}"]).code(1);
    none.stderr_has("hint: ctx add 's/*.{tsx,js}'").check();
    let optional = sandbox.ctx(["render", "s/b?(x).js"]).code(1);
    optional.stderr_has("hint: 's/b{,x}.js' matches files").check();
}

#[test]
fn patterns_from_the_root_or_in_another_letter_case_get_the_one_that_is_meant() {
    let sandbox = Sandbox::with(&[
        ("src/a.ts", "alpha\n"),
        ("node_modules/x.ts", "alpha\n"),
        ("my notes [1]/c.md", "alpha\n"),
    ]);
    for (path, meant) in [
        ("/src/*.ts", "'src/*.ts'"),
        ("/src/a.ts", "src/a.ts"),
        ("src/*.TS", "'src/*.ts'"),
        ("**/*.TS", "'**/*.ts'"),
    ] {
        sandbox.ctx(["render", path]).code(1).stderr_has(&format!("hint: {meant} matches files\n")).check();
        sandbox.ctx(["add", path]).code(1).stderr_has(&format!("hint: ctx add {meant}\n")).check();
    }
    let case = sandbox.ctx(["render", "src/*.TS"]).code(1);
    case.stderr_has("a file of that name differs in letter case").stderr_lacks("--allow").check();
    let address = format!("file://{}/my%20notes%20%5B1%5D/c.md", sandbox.project().display());
    let pasted = sandbox.ctx(["render", &address]).code(1);
    pasted.stderr_has("hint: give only the path: '").stderr_has("/my notes [1]/c.md'\n").check();
    let address = format!("file://{}/my notes [1]/c.md", sandbox.project().display());
    sandbox.ctx(["render", &address]).code(1).stderr_has("hint: give only the path: '").check();
}

#[test]
fn escaped_or_quoted_names_with_brackets_get_the_name() {
    let sandbox = Sandbox::with(&[("src/pages/[slug].tsx", "alpha\n"), ("src/a b.ts", "beta\n")]);
    for path in [r"src/pages/\[slug\].tsx", "`src/pages/[slug].tsx`", "\"src/pages/[slug].tsx\""] {
        let rendered = sandbox.ctx(["render", path]).code(1);
        rendered.stderr_has("hint: 'src/pages/[slug].tsx' matches files\n").check();
        let added = sandbox.ctx(["add", path]).code(1);
        added.stderr_has("hint: ctx add 'src/pages/[slug].tsx'\n").check();
    }
    sandbox.ctx(["render", r"src/a\ b.ts"]).code(1).stderr_has("'src/a b.ts'").check();
}

#[test]
fn places_that_compilers_and_diffs_name_get_our_form() {
    let sandbox = Sandbox::with(&[("src/a.ts", "1\n2\n3\n4\n")]);
    for (path, meant) in [
        ("src/a.ts(3,5)", "src/a.ts:3"),
        ("src/a.ts(3)", "src/a.ts:3"),
        ("src/a.ts:3:5:", "src/a.ts:3:5"),
        ("a/src/a.ts", "src/a.ts"),
        ("b/src/a.ts", "src/a.ts"),
    ] {
        sandbox.ctx(["render", path]).code(1).stderr_has(&format!("hint: did you mean '{meant}'?\n")).check();
        sandbox.ctx(["add", path]).code(1).stderr_has(&format!("hint: did you mean '{meant}'?\n")).check();
    }
    sandbox.ctx(["render", "src/b.ts(x)"]).code(1).stderr_lacks("src/b.ts:x").check();
}
