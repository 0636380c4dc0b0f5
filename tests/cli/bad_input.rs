//! A table of bad inputs: what you type, the exit code, and part of the message.

use crate::support::Sandbox;

const NAME_RULE: &str = "Profile name must start with an ASCII letter or digit";

#[test]
#[cfg_attr(windows, ignore = "it needs the words and devices of POSIX")]
fn every_bad_input_has_a_clear_error_and_changes_nothing() {
    let key = format!("a\nAKIA{}\n", "Q3EGRZ4MGBDWJTXK");
    let sandbox = Sandbox::with(&[("a.txt", &key), (".env", "A=1\n"), ("a.bin", "a\0b")]);
    sandbox.write("latin.txt", b"caf\xe9\n");
    #[cfg(unix)]
    sandbox.fifo("fifo");
    sandbox.ctx(["add", "a.txt"]).stderr_any().check();
    let before = sandbox.stored("profiles/default.json");
    for (args, code, message) in TABLE {
        sandbox.ctx(*args).code(*code).stderr_has(message).check();
        assert_eq!(sandbox.stored("profiles/default.json"), before, "{args:?}");
    }
}

const TABLE: &[(&[&str], i32, &str)] = &[
    (&["frobnicate"], 2, "unrecognized subcommand 'frobnicate'"),
    (&["add"], 2, "required"),
    (&["add", "--frob", "a.txt"], 2, "--frob"),
    (&["add", "--strict", "a.txt"], 1, "Path 'a.txt' already exists in the context"),
    (&["render", "--budget", "-5"], 2, "invalid budget '-5': use N, Nk or Nm tokens"),
    (
        &["todo", "done", "x"],
        2,
        "invalid number of a task 'x'\nhint: use the numbers that 'ctx todo show' prints",
    ),
    (&["add", "missing"], 1, "Invalid path 'missing': not found. Use --force to add anyway."),
    (&["add", "*.nothing"], 1, "No files found matching glob pattern '*.nothing'"),
    (&["add", "-g", "--profile", "default", "a.txt"], 2, "--profile"),
    (&["add", "~nobody/x"], 2, "~user"),
    (&["add", "-f", "{a,b"], 2, "{a,b"),
    (&["add", "-f", "[a"], 2, "[a"),
    (&["add", "-"], 2, "standard input"),
    (&["add", ".env"], 1, "suggests secrets"),
    (&["rm", "missing"], 1, "None of the specified paths were found in the context"),
    (&["profile", "--create", "../x"], 2, NAME_RULE),
    (&["profile", "--create", "default"], 1, "Profile 'default' already exists"),
    (&["profile", "--delete", "gone"], 1, "Profile 'gone' does not exist"),
    (&["profile", "--delete", "default"], 1, "Cannot delete the default profile"),
    (&["switch", "gone"], 1, "Profile 'gone' does not exist"),
    (&["switch", "a b"], 2, NAME_RULE),
    (&["--profile", "gone", "show"], 1, "Available profiles: default"),
    (&["--profile", "a/b", "show"], 2, NAME_RULE),
    (&["render", "-b", "lots"], 2, "lots"),
    (&["render", "-b", "-1"], 2, "-1"),
    (&["render", "-b", "101%"], 2, "101%"),
    (&["render", "-b", "0"], 1, "budget"),
    (&["render", "-m", "gpt-nonsense"], 2, "gpt-nonsense"),
    (&["render", "--trim", "some"], 2, "some"),
    (&["render", "--format", "pdf"], 2, "pdf"),
    (&["render", "--tokenizer", "words"], 2, "words"),
    (&["render", "--containing", "("], 2, "("),
    (&["render", "--max-file-size", "big"], 2, "big"),
    (&["render", "--newer-than", "yesterday"], 2, "yesterday"),
    (&["render", "--include", "[a"], 2, "[a"),
    (&["render", "--exclude", "{a"], 2, "{a"),
    (&["render", "-p", "x", "--prompt-file", "a.txt"], 2, "cannot be used with"),
    (&["render", "--prompt-file", "missing"], 1, "missing"),
    (&["render", "--files-from", "missing"], 1, "missing"),
    (&["render", "-0"], 2, "--files-from"),
    (&["render", "-o", "."], 1, "'.'"),
    (&["render", "-o", "no/such/dir/x"], 1, "no/such/dir"),
    (&["clear", "--defaults"], 2, "--global"),
    (&["completions", "tcsh"], 2, "tcsh"),
    (&["--color", "purple", "show"], 2, "purple"),
    (&["add", "-f", "a**/b"], 2, "a**/b"),
    (&["add", "-f", "***"], 2, "***"),
    (&["add", "-f", "*/../b"], 2, "*/../b"),
    (&["add", "-f", "!"], 2, "empty"),
    (&["add", "-f", ""], 2, "empty"),
    #[cfg(unix)]
    (&["add", "fifo"], 1, "Invalid path 'fifo': not a regular file"),
    (&["rm"], 2, "required"),
    (&["set", "missing", "--pin"], 1, "Path 'missing' was not found in the context"),
    (&["set", "a.txt", "--unset", "path"], 2, "path"),
    (&["set", "a.txt", "--before", "a.txt"], 1, "cannot be placed before or after itself"),
    (&["set", "a.txt", "--before", "missing"], 1, "Path 'missing' was not found"),
    (&["profile", "-c", "x", "-d", "y"], 2, "Only one of --delete, --create, or --rename can be specified"),
    (&["profile", "-m", "default", "x"], 1, "Cannot rename the default profile"),
    (&["profile", "-m", "x", "default"], 1, "Cannot rename to 'default' as it's a reserved profile name"),
    (&["profile", "-m", "gone", "x"], 1, "Profile 'gone' does not exist"),
    (&["profile", "-m", "x"], 2, "--rename"),
    (&["profile", "-c", "-x"], 2, "-x"),
    (&["profile", "-c", "ä"], 2, NAME_RULE),
    (&["profile", "-c", ""], 2, "Profile name cannot be empty"),
    (&["profile", "--set", "budget"], 2, "'budget' is not KEY=VALUE"),
    (&["profile", "--set", "budget=lots"], 2, "invalid budget 'lots'"),
    (&["profile", "--set", "model=gpt-nonsense"], 2, "unknown model 'gpt-nonsense'"),
    (&["profile", "--set", "trim=some"], 2, "some"),
    (&["profile", "--set", "format=pdf"], 2, "unknown format 'pdf'"),
    (&["profile", "--set", "colour=red"], 2, "unknown setting 'colour'"),
    (&["profile", "--unset", "colour"], 2, "unknown setting 'colour'"),
    (&["render", "-b", "1e9"], 2, "invalid budget '1e9'"),
    (&["render", "-b", "99999999999999999999999"], 2, "invalid budget '99999999999999999999999'"),
    (&["render", "-b", "18446744073709551615m"], 2, "invalid budget '18446744073709551615m'"),
    (&["render", "-b", "nan"], 2, "invalid budget 'nan'"),
    (&["render", "-b", "inf%"], 2, "invalid budget 'inf%'"),
    (&["render", "-b", ""], 2, "invalid budget ''"),
    (&["render", "-b", "1"], 1, "budget"),
    (&["render", "--max-file-size", "99999999999999999999"], 2, "invalid size '99999999999999999999'"),
    (&["render", "--newer-than", "99999999999999999999d"], 2, "invalid age '99999999999999999999d'"),
    (&["render", "--containing", "(a{1000}){1000}{1000}"], 2, "it compiles to more than 1048576 bytes"),
    (&["render", "--include", ""], 2, "empty"),
    (&["render", "--prompt-file", "a.bin"], 1, "cannot read 'a.bin': binary file"),
    (&["render", "--prompt-file", "."], 1, "cannot read '.': is a directory"),
    (&["render", "--files-from", "."], 1, "cannot read '.': is a directory"),
    (&["render", "--manifest", "."], 1, "cannot write '.': is a directory"),
    (&["render", "-", "--stdin-name", ""], 2, "--stdin-name"),
    (&["render", "a.txt", "-", "--stdin-name", "a.txt"], 2, "the label 'a.txt' is also the label of a file"),
    (&["render", "--allow", "everything"], 2, "everything"),
    (&["add", "--allow", "none", "a.txt"], 2, "none"),
    (&["render", "--order", "random"], 2, "random"),
    (&["render", "--paths", "short"], 2, "short"),
];

#[test]
fn usage_errors_follow_the_colour_settings_and_show_control_characters() {
    let sandbox = Sandbox::new();
    let plain = "error: unrecognized subcommand 'nope'\n";
    sandbox.ctx(["--color", "never", "nope"]).env("CLICOLOR_FORCE", "1").code(2).stderr_has(plain).check();
    sandbox.ctx(["--color=always", "nope"]).code(2).stderr_has("\u{1b}[").check();
    sandbox.ctx(["nope"]).env("CLICOLOR_FORCE", "1").code(2).stderr_has("\u{1b}[").check();
    sandbox.ctx(["nope"]).env("NO_COLOR", "1").code(2).stderr_has(plain).check();
    sandbox.ctx(["--color", "always", "a\u{1b}[2Jb"]).code(2).stderr_has("a\\u{1b}[2Jb").check();
    sandbox.ctx(["--color", "always", "--help"]).stdout_has("\u{1b}[").check();
    sandbox.ctx(["--help"]).stdout_lacks("\u{1b}[").check();
}

#[test]
fn messages_show_hidden_characters() {
    let error = "error: no such file: 'soft\\u{ad}\\u{180e}\\u{206a}\\u{fff9}hyphen'\n";
    let sandbox = Sandbox::new();
    sandbox.ctx(["render", "soft\u{ad}\u{180e}\u{206a}\u{fff9}hyphen"]).code(1).stderr(error).check();
}

#[test]
#[cfg(unix)]
fn a_path_that_is_not_utf8_is_refused_with_a_hint() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9");
    let hint = "hint: to select a file of that name, use a pattern or its directory\n";
    Sandbox::new().ctx([std::ffi::OsStr::new("add"), name]).code(2).stderr_has(hint).check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs the words and devices of POSIX")]
fn errors_print_a_short_cause_and_the_variable_at_fault() {
    let sandbox = Sandbox::with(&[("file", "")]);
    let args = ["--store", "file", "show"];
    let message = "error: cannot read the store '<project>/file': not a directory\n";
    sandbox.ctx(args).code(1).stderr(message).env("CTX_HOME", "other").check();
    let named = format!("{message}hint: the store comes from $CTX_HOME\n");
    sandbox.ctx(["show"]).env("CTX_HOME", "file").code(1).stderr(named).check();
    let message = "error: invalid regular expression '(': unclosed group\n";
    sandbox.ctx(["render", "--containing", "("]).code(2).stderr(message).check();
}

#[test]
#[cfg(target_os = "linux")]
fn completions_need_no_current_directory() {
    let sandbox = Sandbox::with(&[("gone/x", "")]);
    let script = format!("rm -r ../gone && exec '{}' completions bash", crate::support::binary().display());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(sandbox.path("gone")).env_clear().envs(sandbox.environment());
    let output = shell.output().unwrap();
    assert!(output.status.success() && !output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_missing_profile_is_reported_by_every_command() {
    let sandbox = Sandbox::new();
    sandbox.write("bundle.json", r#"{"version": 1, "profiles": {"api": {"paths": ["a"]}}}"#);
    for command in [&["import", "bundle.json"][..], &["detect"], &["models"], &["cache"]] {
        let args = ["--profile", "typo"].iter().chain(command);
        sandbox.ctx(args).code(1).stderr_has("Profile 'typo' does not exist").check();
    }
}

/// The last of several equal options is used, so that you can override those in a shell alias.
#[test]
fn the_last_of_several_equal_options_is_used() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    sandbox.ctx(["add", "-q", "--tag", "x", "--tag", "y", "a.md"]).check();
    sandbox.ctx(["add", "-q", "b.md"]).check();
    let tagged = sandbox.stored("profiles/default.json");
    assert!(tagged.contains("\"x\"") && tagged.contains("\"y\""), "{tagged}");
    sandbox.ctx(["render", "-b", "1", "-b", "1k", "-q", "-q"]).stdout_has("[b.md]").check();
    sandbox
        .ctx(["render", "--tag", "x", "--tag", "y", "-p", "one", "-p", "two"])
        .stdout_has("\n\ntwo\n")
        .check();
    sandbox
        .ctx(["--color", "always", "--color", "never", "show"])
        .stdout_has("a.md (1 match, 2 tokens, in every question) [x] [y]")
        .check();
}

#[test]
fn command_names_from_other_programs_are_accepted() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    sandbox.ctx(["add", "-q", "a.md"]).check();
    let shown = sandbox.ctx(["show"]).stdout_any().check();
    for tried in ["ls", "list", "status", "usage"] {
        sandbox.ctx([tried]).stdout(shown.clone()).check();
        sandbox.ctx(["--color", "never", "--profile=default", tried]).stdout(shown.clone()).check();
    }
    let version = sandbox.ctx(["--version"]).stdout_any().check();
    sandbox.ctx(["version"]).stdout(version).check();
    for listing in ["history", "todo"] {
        let listed = sandbox.ctx([listing, "--json"]).stdout_any().stderr_any().check();
        sandbox.ctx([listing, "list", "--json"]).stdout(listed).stderr_any().check();
    }
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn habits_from_other_programs_get_a_hint_with_what_to_type() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    for (typed, answer) in [
        (&["create"][..], "ctx switch -c NAME"),
        (&["undo"], "ctx checkpoint restore N"),
        (&["checkpoint", "expand"], "'ctx checkpoint diff N'"),
        (&["--alias", "work", "show"], "--profile NAME"),
        (&["ask", "--seq changes what?"], "-p passes a question that begins with a hyphen: 'ctx ask -p"),
        (&["/compact"], "ctx history compress -- llm"),
        (&["/Context"], "'ctx add PATH' adds a file"),
        (&["why does it fail?"], "'ctx ask \"QUESTION\"' asks about everything here"),
        (&["profile", "list"], "'ctx profile' lists the profiles"),
        (&["profile", "delete", "foo"], "'ctx help profile' shows the rest"),
        (&["render", "--copy"], "pbcopy"),
        (&["render", "--no-history"], "--history=none"),
        (&["history", "--history", "@ask", "show"], "--history=NAME"),
        (&["import", "--from", "gemini"], "'ctx detect --add' adds them"),
        (&["import", "--from", "q"], "--from amazonq"),
        (&["set", "--allow", "none", "a.md"], "'ctx set --unset allow PATH'"),
    ] {
        let said = sandbox.ctx(typed).code(2).stderr_has(answer).stderr_lacks("as a value, use");
        said.stderr_lacks("ctx clear").stderr_lacks("'rm'").stderr_lacks("'clear'").check();
    }
}

#[test]
fn no_tip_names_a_command_that_deletes() {
    let sandbox = Sandbox::new();
    for (typed, command) in [("aks", "ask"), ("serach", "search"), ("rnder", "render")] {
        let tip = format!("\n  tip: a similar subcommand exists: '{command}'\n");
        sandbox.ctx([typed, "x"]).code(2).stderr_has(&tip).check();
    }
    // No help lists an alias.
    for (typed, command) in [("/usage", "show"), ("editor", "history")] {
        let tip = format!("\n  tip: a similar subcommand exists: '{command}'\n");
        sandbox.ctx([typed]).code(2).stderr_has(&tip).check();
    }
    for typed in ["cler", "rmeove", "/clear"] {
        sandbox.ctx([typed, "x"]).code(2).stderr_has("unrecognized").stderr_lacks("tip:").check();
    }
}

#[test]
fn dashes_that_no_program_follows_are_wrong_usage() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    let error = "error: no program was given after '--'; name one, as in '-- llm'\n";
    sandbox.ctx(["ask", "-b", "8k", "cookies", "a.md", "--"]).code(2).stderr_has(error).check();
    sandbox.ctx(["ask", "-p", "cookies", "--"]).code(2).stderr_has(error).check();
    // The program from the settings doesn't run either.
    sandbox.ctx(["profile", "-q", "--set", "program=cat"]).check();
    sandbox.ctx(["run", "-p", "x", "--"]).code(2).stderr_has(error).check();
    sandbox.ctx(["ask", "-p", "--"]).stdout_has("\n\n--\n").check();
}

#[test]
fn an_unknown_name_gets_a_hint_with_the_existing_names() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["history", "show"]).code(1).stderr_has("hint: ctx history\n").check();
    sandbox.ctx(["history", "append", "--role", "user", "x", "--history=talk"]).stdout_any().check();
    sandbox.ctx(["history", "show"]).code(1).stderr_has("there is only 'talk': --history=talk\n").check();
    sandbox.ctx(["history", "append", "--role", "user", "x", "--history=tour"]).stdout_any().check();
    let both = "there are 'talk', 'tour': --history=NAME\n";
    sandbox.ctx(["history", "show"]).code(1).stderr_has(both).check();
    // The only to-do list is the one that is meant.
    sandbox.ctx(["todo", "add", "--list", "release", "x"]).stderr_any().check();
    sandbox.ctx(["todo", "show"]).stdout_has("1. x").check();
    sandbox.ctx(["todo", "done", "1"]).stderr_has("Done in list 'release': 1 (1/1 done)").check();
    sandbox.ctx(["todo", "add", "--list", "tour", "x"]).stderr_any().check();
    sandbox.ctx(["todo", "show"]).code(1).stderr_has("there are 'release', 'tour': --list NAME\n").check();
}

#[test]
fn a_mistyped_option_is_not_read_as_a_question() {
    let sandbox = Sandbox::with(&[("a.md", "broken --no-such\n")]);
    for (typed, tip) in [
        (&["ask", "--dryrun"][..], "'--dry-run'"),
        (&["ask", "--hlep"], "'--help'"),
        (&["ask", "--modle", "gpt-5", "why"], "'--model'"),
        (&["ask", "--contniue", "and now?"], "'--continue'"),
        (&["ask", "-c", "--copy", "q"], "pbcopy"),
        (&["search", "--jsn", "x"], "'--json'"),
        (&["search", "--no-such", "x"], "unexpected argument '--no-such'"),
        (&["ask", "--no-such=x"], "unexpected argument '--no-such'"),
    ] {
        sandbox.ctx(typed).code(2).stderr_has(tip).stderr_lacks(" -- ").check();
    }
    let asked = sandbox.ctx(["ask", "-p", "-foo bar is broken?"]).stdout_has("\n-foo bar is broken?\n");
    asked.stderr_has("few words of the question occur here (not 'foo' or 'bar')").check();
    sandbox.ctx(["search", "--", "--no-such"]).stdout_has("a.md:1").check();
}

#[test]
fn help_skill_prints_the_skill_in_the_repository() {
    let skill = Sandbox::new().ctx(["help", "skill"]).stdout_any().check();
    assert_eq!(skill, std::fs::read_to_string(crate::support::root().join("skills/ctx/SKILL.md")).unwrap());
    assert!(skill.lines().count() <= 60 && skill.starts_with("---\nname: ctx\ndescription: "), "{skill}");
}

#[test]
fn ctx_without_a_command_prints_the_summary() {
    let sandbox = Sandbox::new();
    let summary = sandbox.ctx::<&str>([]).stdout_has("Usage: ctx COMMAND").check();
    for alone in [&["help"][..], &["-q"], &["--color", "never"]] {
        sandbox.ctx(alone).stdout(summary.clone()).check();
    }
}

#[test]
fn short_help_of_render_and_ask_fits_a_screen_and_long_help_three() {
    let sandbox = Sandbox::new();
    for (command, option, most) in
        [("render", "-h", 30), ("ask", "-h", 30), ("render", "--help", 100), ("ask", "--help", 100)]
    {
        let help = sandbox.ctx([command, option]).stdout_has("--dry-run").check();
        assert!(help.lines().count() <= most, "{command} {option}: {help}");
    }
    // The manual page, which is not installed everywhere, explains the options for scripts; all have their names here.
    let help =
        sandbox.ctx(["render", "--help"]).stdout_lacks("      --no-cache").stdout_has("man ctx-render");
    help.stdout_has("--no-cache").stdout_has("--tokenizer").stdout_has(" --guard, ").check();
    sandbox.ctx(["render", "--no-cache"]).stderr_any().check();
    let page = sandbox.ctx(["render", "--help"]).stdout_any().check();
    sandbox.ctx(["help", "render"]).stdout(page).check();
}

#[test]
fn help_more_lists_the_other_commands() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["help", "more"]).stdout_has("\n  checkpoint ").stdout_lacks("\n  ask ").check();
    sandbox.ctx(["help"]).stdout_has("'ctx help more' lists the other commands").check();
}

#[test]
fn a_warning_is_not_shortened_outside_a_terminal() {
    let sandbox = Sandbox::new();
    let name = |letter: &str| format!("{}.bin", letter.repeat(90));
    for letter in ["a", "b", "c"] {
        sandbox.write(&name(letter), b"\0\0");
    }
    let names = ["a", "b", "c"].map(name);
    let said: Vec<String> = names.iter().map(|name| format!("'{name}' (binary file)")).collect();
    sandbox.ctx([&["add", "-q", "-f"], names.each_ref().map(String::as_str).as_slice()].concat()).check();
    sandbox.ctx(["render"]).stderr_has(&format!("3 files left out: {}\n", said.join(", "))).check();
}

#[test]
fn patterns_in_the_syntax_of_other_programs_are_answered_with_ours() {
    let sandbox = Sandbox::with(&[
        ("src/a.ts", "a\n"),
        ("src/b.ts", "b\n"),
        ("src/c.tsx", "c\n"),
        ("src/{id} of it.md", "d\n"),
    ]);
    for (written, meant) in [
        ("src/@(a|b).ts", "'src/{a,b}.ts'"),
        ("src/!(b).ts", "'src/*.ts' '!src/b.ts'"),
        ("src/*.ts,src/*.tsx", "'src/*.ts' 'src/*.tsx'"),
        ("src/*.ts, src/*.tsx", "'src/*.ts' 'src/*.tsx'"),
        ("src\\*.ts", "'src/*.ts'"),
        ("src/*.+(ts|tsx)", "'src/*.{ts,tsx}'"),
        ("src/{id}*.md", "'src/[{]id[}]*.md'"),
    ] {
        let hint = format!("hint: ctx add {meant}\n");
        sandbox.ctx(["add", written]).code(1).stderr_has(&hint).check();
        let verb = if meant.contains(' ') { "match" } else { "matches" };
        let hint = format!("hint: {meant} {verb} files\n");
        sandbox.ctx(["render", "--only", written]).code(1).stderr_has(&hint).check();
    }
    for written in ["src/@(x|y).ts", "docs/*.ts,src/*.ts", "src\\*.rs", "src/@(a|@(b)).ts"] {
        let run = sandbox.ctx(["add", written]).code(1).stderr_lacks("hint: ctx add");
        run.stderr_has("--force").check();
        sandbox.ctx(["render", "--only", written]).code(1).stderr_lacks("match files").stderr_any().check();
    }
}

#[cfg(unix)]
#[test]
fn binary_file_that_is_named_is_answered_with_a_program_that_is_installed() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::with(&[("../bin/pdftotext", "#!/bin/sh\necho text of \"$1\"\n")]);
    let bin = sandbox.project().with_file_name("bin");
    std::fs::set_permissions(bin.join("pdftotext"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    for name in ["a paper.PDF", "b.docx"] {
        sandbox.write(name, b"%PDF-1.7\n\0\x01");
    }
    let hint = "hint: pdftotext 'a paper.PDF' - | ctx render - --stdin-name 'a paper.PDF'\n\
                hint: for all such files: ctx profile -g --set 'reader.pdf=pdftotext {} -'\n";
    let run = sandbox.ctx(["render", "--only", "a paper.PDF"]).env("PATH", &path).code(1);
    run.stderr(format!("error: 'a paper.PDF': binary file\n{hint}")).check();
    let asked = sandbox.ctx(["ask", "why?", "a paper.PDF"]).env("PATH", &path).code(1);
    asked.stderr_has("| ctx ask QUESTION - --stdin-name 'a paper.PDF'\n").check();
    sandbox.ctx(["render", "--only", "*"]).env("PATH", &path).code(1).stderr_lacks("pdftotext").check();
    sandbox.ctx(["render", "--only", "a paper.PDF"]).env("PATH", "").code(1).stderr_lacks("hint").check();
}

#[test]
fn program_after_hyphens_of_render_is_named_as_one() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    let hint = "hint: 'ctx run' sends your files to a program: ctx run -p PROMPT -- cat\n";
    let run = sandbox.ctx(["render", "-p", "why?", "--", "cat", "gone"]).code(1).stderr_has(hint);
    run.stderr_lacks("quote the prompt").check();
    sandbox.ctx(["render", "--", "gone"]).code(1).stderr_lacks("ctx run").check();
    sandbox.ctx(["rm", "--force", "a.md"]).code(2).stderr_lacks("--store").stderr_has("never asks").check();
}
